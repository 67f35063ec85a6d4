/* allocate.cc -- registers to places in a warp's register file.
 *
 * PTX has a new register for nearly every value; a file with a place for each of them would not fit
 * into a processor's cache.  So values that are never live together share places: liveness by
 * data flow over basic blocks, then a linear scan over intervals of the text (Poletto and Sarkar
 * 1999).  Liveness is that of one thread: writes touch only the lanes that execute them, so what
 * other lanes of the warp do at another place cannot disturb it.  A write under a guard keeps
 * some lanes' old value, and so does not end a live range.
 */
#include <algorithm>
#include <queue>

#include "tests/ptx/ptx.h"

enum { LANES = 32, PREDICATE_BYTES = 4 };

struct basic_block {
	uint32_t begin, end; /* instructions */
	std::vector<uint32_t> next;
	std::vector<uint64_t> live_in, used, killed; /* sets of registers */
};

struct interval {
	uint32_t first, last, number;
};

struct flow {
	const struct kernel *kernel;
	size_t words; /* of a set */
	std::vector<struct basic_block> blocks;
};

static void put(std::vector<uint64_t> &set, uint32_t n)
{
	set[n / 64] |= 1ull << n % 64;
}

static bool has(const std::vector<uint64_t> &set, uint32_t n)
{
	return set[n / 64] >> n % 64 & 1;
}

/* ---- basic blocks ------------------------------------------------------------------------ */

static bool ends_block(const struct instruction &i)
{
	return i.action == BRANCH || i.action == EXIT || i.action == TRAP;
}

static std::vector<uint32_t> leaders(const struct kernel *k)
{
	std::vector<uint32_t> at = { 0 };

	for (uint32_t n = 0; n < k->code.size(); n++) {
		if (k->code[n].action == BRANCH)
			at.push_back(k->code[n].target);
		if (ends_block(k->code[n]))
			at.push_back(n + 1);
	}
	std::sort(at.begin(), at.end());
	at.erase(std::unique(at.begin(), at.end()), at.end());
	while (!at.empty() && at.back() >= k->code.size())
		at.pop_back();
	return at;
}

/* What a block reads before it writes it, and what it writes. */
static void summarise(const struct kernel *k, struct basic_block *b)
{
	const auto read = [&](const struct operand &o) {
		if (o.kind == REGISTER && !has(b->killed, o.at))
			put(b->used, o.at);
	};

	for (uint32_t n = b->begin; n < b->end; n++) {
		const struct instruction &i = k->code[n];

		read(i.guard);
		for (unsigned s = 0; s < i.ins; s++)
			read(i.in[s]);
		for (unsigned d = 0; d < i.outs; d++) {
			if (i.guard.kind == ABSENT)
				put(b->killed, i.out[d].at);
			else
				read(i.out[d]);
		}
	}
}

static void find_blocks(struct flow *f)
{
	const struct kernel *const k = f->kernel;
	const std::vector<uint32_t> at = leaders(k);
	const auto block_at = [&](uint32_t n) {
		return (uint32_t)(std::lower_bound(at.begin(), at.end(), n) - at.begin());
	};

	f->blocks.resize(at.size());
	for (size_t n = 0; n < at.size(); n++) {
		struct basic_block *const b = &f->blocks[n];

		b->begin = at[n];
		b->end = n + 1 < at.size() ? at[n + 1] : (uint32_t)k->code.size();
		b->used.resize(f->words);
		b->killed.resize(f->words);
		summarise(k, b);
		b->live_in = b->used;
		const struct instruction &last = k->code[b->end - 1];

		if (last.action == BRANCH && last.target < k->code.size())
			b->next.push_back(block_at(last.target));
		if ((!ends_block(last) || last.guard.kind != ABSENT) && b->end < k->code.size())
			b->next.push_back((uint32_t)n + 1);
	}
}

/* live_in = used + (live_in of those that follow - killed), until nothing changes. */
static void solve(struct flow *f)
{
	bool changed = true;

	while (changed) {
		changed = false;
		for (size_t n = f->blocks.size(); n-- > 0;) {
			struct basic_block &b = f->blocks[n];

			for (const uint32_t next : b.next)
				for (size_t w = 0; w < f->words; w++) {
					const uint64_t more = f->blocks[next].live_in[w] &
							      ~b.killed[w] & ~b.live_in[w];

					b.live_in[w] |= more;
					changed |= more != 0;
				}
		}
	}
}

/* ---- intervals --------------------------------------------------------------------------- */

static void cover(struct interval *i, uint32_t at)
{
	i->first = std::min(i->first, at);
	i->last = std::max(i->last, at);
}

static std::vector<struct interval> find_intervals(const struct flow *f, size_t registers)
{
	std::vector<struct interval> all(registers);
	const struct kernel *const k = f->kernel;

	for (uint32_t r = 0; r < registers; r++)
		all[r] = { ~0u, 0, r };
	for (const struct basic_block &b : f->blocks) {
		for (uint32_t r = 0; r < registers; r++) {
			if (has(b.live_in, r))
				cover(&all[r], b.begin);
			for (const uint32_t next : b.next)
				if (has(f->blocks[next].live_in, r) &&
				    (has(b.live_in, r) || has(b.killed, r)))
					cover(&all[r], b.end);
		}
		for (uint32_t n = b.begin; n < b.end; n++) {
			const struct instruction &i = k->code[n];

			if (i.guard.kind == REGISTER)
				cover(&all[i.guard.at], n);
			for (unsigned s = 0; s < i.ins; s++)
				if (i.in[s].kind == REGISTER)
					cover(&all[i.in[s].at], n);
			for (unsigned d = 0; d < i.outs; d++)
				cover(&all[i.out[d].at], n);
		}
	}
	all.erase(std::remove_if(all.begin(), all.end(),
				 [](const struct interval &i) { return i.first == ~0u; }),
		  all.end());
	std::sort(all.begin(), all.end(), [](const struct interval &a, const struct interval &b) {
		return a.first < b.first;
	});
	return all;
}

/* ---- places ------------------------------------------------------------------------------ */

/* Registers of one width: which places are free, and when the others will be. */
struct pool {
	uint32_t count = 0, live = 0;
	std::vector<uint32_t> free;
	std::priority_queue<std::pair<uint32_t, uint32_t>,
			    std::vector<std::pair<uint32_t, uint32_t>>,
			    std::greater<std::pair<uint32_t, uint32_t>>>
		ends; /* instruction, place */
};

/* A place is free again after the instruction that reads it last: results never overwrite what the
 * same instruction still reads. */
static void expire(struct pool *p, uint32_t now)
{
	while (!p->ends.empty() && p->ends.top().first < now) {
		p->free.push_back(p->ends.top().second);
		p->ends.pop();
		p->live--;
	}
}

static uint32_t take_place(struct pool *p, const struct interval &i)
{
	uint32_t place;

	if (p->free.empty()) {
		place = p->count++;
	} else {
		place = p->free.back();
		p->free.pop_back();
	}
	p->live++;
	p->ends.push({ i.last, place });
	return place;
}

static unsigned pool_of(unsigned bytes)
{
	return bytes == 8 ? 3 : bytes == 4 ? 2 : bytes == 2 ? 1 : 0;
}

static void rewrite(struct kernel *k, const std::vector<uint32_t> &place)
{
	const auto change = [&](struct operand &o) {
		if (o.kind == REGISTER)
			o.at = place[o.at];
	};

	for (struct instruction &i : k->code) {
		change(i.guard);
		for (unsigned s = 0; s < i.ins; s++)
			change(i.in[s]);
		for (unsigned d = 0; d < i.outs; d++)
			change(i.out[d]);
	}
}

void allocate_registers(struct kernel *k, const std::vector<uint8_t> &bytes)
{
	struct flow f = { k, (bytes.size() + 63) / 64, {} };
	std::vector<uint32_t> place(bytes.size());
	struct pool pools[4];
	uint32_t start[4];

	find_blocks(&f);
	solve(&f);
	for (const struct interval &i : find_intervals(&f, bytes.size())) {
		for (struct pool &p : pools)
			expire(&p, i.first);
		place[i.number] = take_place(&pools[pool_of(bytes[i.number])], i);
		k->registers =
			std::max(k->registers, pools[1].live + pools[2].live + 2 * pools[3].live);
	}
	start[3] = 0;
	start[2] = start[3] + pools[3].count * 8 * LANES;
	start[1] = start[2] + pools[2].count * 4 * LANES;
	start[0] = start[1] + pools[1].count * 2 * LANES;
	k->register_bytes = (start[0] + pools[0].count * PREDICATE_BYTES + 63) / 64 * 64;
	for (size_t r = 0; r < bytes.size(); r++)
		place[r] = start[pool_of(bytes[r])] +
			   place[r] * (bytes[r] ? bytes[r] * LANES : (unsigned)PREDICATE_BYTES);
	rewrite(k, place);
}
