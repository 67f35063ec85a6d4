/* allocate.cc -- assigns registers to places in a warp's register file.
 *
 * PTX has a new register for nearly every value; a file with a place for each would not fit into a
 * processor's cache.  Values that are never live together therefore share places: liveness by data
 * flow over instructions, then a linear scan over intervals of the text (Poletto and Sarkar 1999).
 * The liveness of one thread suffices: a write changes only the lanes that execute it, so it does
 * not disturb lanes elsewhere.  A guarded write keeps the old value in some lanes, and so does not
 * end a live range.
 */
#include <algorithm>
#include <array>
#include <queue>

#include "tests/ptx/ptx.h"

enum { LANES = 32 };

typedef std::vector<uint64_t> bit_set; /* a set of register numbers */

struct interval {
	uint32_t first, last, number;
};

static void put(bit_set &set, uint32_t n)
{
	set[n / 64] |= 1ull << n % 64;
}

/* f(operand, true if it is written) for each register of an instruction. */
template <class I, class F> static void each_register(I &i, F f)
{
	if (i.guard.kind == REGISTER)
		f(i.guard, false);
	for (unsigned s = 0; s < i.ins; s++)
		if (i.in[s].kind == REGISTER)
			f(i.in[s], false);
	for (unsigned d = 0; d < i.outs; d++)
		f(i.out[d], true);
}

/* ---- liveness ---------------------------------------------------------------------------- */

/* Possible successors of instruction n; the number of instructions stands for none. */
static std::array<uint32_t, 2> successors(const struct kernel *k, uint32_t n)
{
	const struct instruction &i = k->code[n];
	const uint32_t end = (uint32_t)k->code.size();
	const bool ends = i.action == BRANCH || i.action == EXIT || i.action == TRAP;

	return { i.action == BRANCH ? i.target : end,
		 ends && i.guard.kind == ABSENT ? end : n + 1 };
}

/* True if the instruction replaces the register in all lanes that execute it. */
static bool replaces(const struct instruction &i, bool written)
{
	return written && i.guard.kind == ABSENT;
}

/* The registers live before each instruction and at the end: those that it reads, and those live
 * before a successor unless it replaces them. */
static std::vector<bit_set> find_live(const struct kernel *k, size_t registers)
{
	const uint32_t count = (uint32_t)k->code.size();
	std::vector<bit_set> live(count + 1, bit_set((registers + 63) / 64));
	bool changed = true;

	for (uint32_t n = 0; n < count; n++)
		each_register(k->code[n], [&](const struct operand &o, bool written) {
			if (!replaces(k->code[n], written))
				put(live[n], o.at);
		});
	while (changed) {
		changed = false;
		for (uint32_t n = count; n-- > 0;) {
			bit_set killed(live[n].size());

			each_register(k->code[n], [&](const struct operand &o, bool written) {
				if (replaces(k->code[n], written))
					put(killed, o.at);
			});
			for (const uint32_t next : successors(k, n))
				for (size_t w = 0; w < killed.size(); w++) {
					const uint64_t more =
						live[next][w] & ~killed[w] & ~live[n][w];

					live[n][w] |= more;
					changed |= more != 0;
				}
		}
	}
	return live;
}

/* ---- intervals --------------------------------------------------------------------------- */

static std::vector<struct interval> find_intervals(const struct kernel *k, size_t registers)
{
	const std::vector<bit_set> live = find_live(k, registers);
	std::vector<struct interval> all(registers);
	const auto cover = [&](uint32_t r, uint32_t at) {
		all[r].first = std::min(all[r].first, at);
		all[r].last = std::max(all[r].last, at);
	};
	const auto cover_all = [&](const bit_set &set, uint32_t at) {
		for (size_t w = 0; w < set.size(); w++)
			for (uint64_t left = set[w]; left; left &= left - 1)
				cover((uint32_t)(64 * w + (size_t)__builtin_ctzll(left)), at);
	};

	for (uint32_t r = 0; r < registers; r++)
		all[r] = { ~0u, 0, r };
	for (uint32_t n = 0; n < k->code.size(); n++) {
		each_register(k->code[n], [&](const struct operand &o, bool) { cover(o.at, n); });
		cover_all(live[n], n);
		for (const uint32_t next : successors(k, n))
			cover_all(live[next], n + 1);
	}
	std::erase_if(all, [](const struct interval &i) { return i.first == ~0u; });
	std::sort(all.begin(), all.end(), [](const struct interval &a, const struct interval &b) {
		return a.first < b.first;
	});
	return all;
}

/* ---- places ------------------------------------------------------------------------------ */

/* Places for registers of one width: the free ones, and the ends of the others' intervals. */
struct pool {
	uint32_t count = 0, live = 0;
	std::vector<uint32_t> free;
	std::priority_queue<std::pair<uint32_t, uint32_t>,
			    std::vector<std::pair<uint32_t, uint32_t>>,
			    std::greater<std::pair<uint32_t, uint32_t>>>
		ends; /* (instruction, place) */
};

/* Free the places whose last read is before `now`: a result never overwrites an operand of the same
 * instruction. */
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

/* At least four bytes per lane, because counts.cc has a word for each. */
static uint32_t place_bytes(unsigned bytes)
{
	return std::max(bytes, 4u) * LANES;
}

void allocate_registers(struct kernel *k, const std::vector<uint8_t> &bytes)
{
	std::vector<uint32_t> place(bytes.size());
	struct pool pools[4];
	uint32_t start[4];

	for (const struct interval &i : find_intervals(k, bytes.size())) {
		for (struct pool &p : pools)
			expire(&p, i.first);
		place[i.number] = take_place(&pools[pool_of(bytes[i.number])], i);
		k->registers =
			std::max(k->registers, pools[1].live + pools[2].live + 2 * pools[3].live);
	}
	start[3] = 0;
	start[2] = start[3] + pools[3].count * place_bytes(8);
	start[1] = start[2] + pools[2].count * place_bytes(4);
	start[0] = start[1] + pools[1].count * place_bytes(2);
	k->register_bytes = start[0] + pools[0].count * place_bytes(0);
	for (size_t r = 0; r < bytes.size(); r++)
		place[r] = start[pool_of(bytes[r])] + place[r] * place_bytes(bytes[r]);
	for (struct instruction &i : k->code)
		each_register(i, [&](struct operand &o, bool) { o.at = place[o.at]; });
}
