/* counts.cc -- exact counts: how requests spread over sectors and banks, chains of loads.
 *
 * Global memory moves in sectors of 32 bytes: a request of a warp needs as many as its lanes touch,
 * at least as many as the bytes that they touch would fill.  Shared memory has 32 banks of 4
 * bytes: a request takes as many wavefronts as the fullest bank has different words - for accesses
 * of 8 and 16 bytes by half and quarter warps -, and an atomic as many as lanes that want one bank.
 */
#include <stdio.h>
#include <string.h>

#include <algorithm>

#include "tests/ptx/machine.h"

enum { SECTOR = 32, BANKS = 32, WORD = 4 };

/* ---- requests ----------------------------------------------------------------------------------
 */

static unsigned different(uint64_t *values, unsigned count)
{
	if (!std::is_sorted(values, values + count))
		std::sort(values, values + count);
	return (unsigned)(std::unique(values, values + count) - values);
}

void count_global(struct warp &w, enum access access, uint32_t mask, const uint64_t at[32],
		  unsigned bytes)
{
	struct counts *const c = &w.block->worker->counts;
	struct traffic_count *const t = access == LOADS    ? &c->global_load
					: access == STORES ? &c->global_store
							   : &c->global_atomic;
	uint64_t sectors[LANES], places[LANES];
	unsigned count = 0;

	each_active(mask, [&](unsigned l) {
		sectors[count] = at[l] / SECTOR;
		places[count++] = at[l] / bytes;
	});
	t->requests++;
	t->parts += different(sectors, count);
	t->least += (different(places, count) * bytes + SECTOR - 1) / SECTOR;
}

/* Wavefronts of some lanes' words. */
static unsigned fullest_bank(const uint64_t *words, unsigned count)
{
	uint8_t bank[BANKS] = {};
	unsigned most = 0;

	for (unsigned n = 0; n < count; n++)
		most = std::max<unsigned>(most, ++bank[words[n] % BANKS]);
	return most;
}

/* The words of the lanes in mask, all of them or each once. */
static unsigned wavefronts(uint32_t mask, const uint64_t at[32], unsigned bytes, bool once,
			   unsigned *words_touched)
{
	uint64_t words[LANES * 4];
	unsigned count = 0;

	each_active(mask, [&](unsigned l) {
		for (unsigned n = 0; n < std::max(bytes / WORD, 1u); n++)
			words[count++] = at[l] / WORD + n;
	});
	if (once)
		count = different(words, count);
	*words_touched += count;
	return fullest_bank(words, count);
}

void count_shared(struct warp &w, enum access access, uint32_t mask, const uint64_t at[32],
		  unsigned bytes)
{
	struct counts *const c = &w.block->worker->counts;
	struct traffic_count *const t = access == LOADS    ? &c->shared_load
					: access == STORES ? &c->shared_store
							   : &c->shared_atomic;
	const unsigned group = (unsigned)LANES / std::max(bytes / (unsigned)WORD, 1u);
	unsigned words = 0;

	t->requests++;
	for (unsigned first = 0; first < LANES; first += group) {
		const uint32_t part = mask & (group == LANES ? ~0u : ((1u << group) - 1) << first);

		if (part)
			t->parts += wavefronts(part, at, bytes, access != UPDATES, &words);
	}
	t->least += (words + BANKS - 1) / BANKS;
}

/* ---- instructions ------------------------------------------------------------------------------
 */

static uint32_t depth_of(const struct warp &w, const struct operand &o)
{
	return o.kind == REGISTER ? w.depth[o.at / 4] : 0;
}

/* Results hang on one load more than the deepest of what they come from, if this is a load. */
static void follow_chain(struct warp &w, const struct instruction &i, uint32_t mask)
{
	struct counts *const c = &w.block->worker->counts;
	uint32_t deepest = 0;

	for (unsigned s = 0; s < i.ins; s++)
		deepest = std::max(deepest, depth_of(w, i.in[s]));
	if (i.kind == LOAD_GLOBAL || i.kind == ATOMIC_GLOBAL)
		c->chain = std::max<uint64_t>(c->chain, ++deepest);
	for (unsigned d = 0; d < i.outs; d++) {
		uint32_t *const place = &w.depth[i.out[d].at / 4];

		*place = mask == w.live ? deepest : std::max(*place, deepest);
	}
}

void count_instruction(struct warp &w, const struct instruction &i, uint32_t mask)
{
	struct counts *const c = &w.block->worker->counts;

	c->instructions[i.kind]++;
	c->lanes[i.kind] += (unsigned)__builtin_popcount(mask);
	if (mask && i.outs)
		follow_chain(w, i, mask);
}

/* ---- sums, and their lines ---------------------------------------------------------------------
 */

static std::map<const struct kernel *, struct counts> &all(void)
{
	static std::map<const struct kernel *, struct counts> *const map =
		new std::map<const struct kernel *, struct counts>;

	return *map;
}

static void add(struct traffic_count *sum, const struct traffic_count *more)
{
	sum->requests += more->requests;
	sum->parts += more->parts;
	sum->least += more->least;
}

void counts_collect(const struct kernel *k, const struct counts *more)
{
	struct counts *const sum = &all()[k];

	sum->blocks += more->blocks;
	sum->threads += more->threads;
	for (unsigned n = 0; n < CLASSES; n++) {
		sum->instructions[n] += more->instructions[n];
		sum->lanes[n] += more->lanes[n];
	}
	sum->branches += more->branches;
	sum->divergent += more->divergent;
	add(&sum->global_load, &more->global_load);
	add(&sum->global_store, &more->global_store);
	add(&sum->global_atomic, &more->global_atomic);
	add(&sum->shared_load, &more->shared_load);
	add(&sum->shared_store, &more->shared_store);
	add(&sum->shared_atomic, &more->shared_atomic);
	sum->chain = std::max(sum->chain, more->chain);
}

void counts_launched(const struct kernel *k)
{
	all()[k].launches++;
}

static void write_traffic(FILE *out, const char *name, const char *parts,
			  const struct traffic_count *t)
{
	fprintf(out, ",\"%s\":{\"requests\":%llu,\"%s\":%llu,\"least\":%llu}", name,
		(unsigned long long)t->requests, parts, (unsigned long long)t->parts,
		(unsigned long long)t->least);
}

static void write_kernel(FILE *out, const struct kernel *k, const struct counts *c)
{
	static const char *const classes[] = {
		"arithmetic",    "floating",     "control",       "warp",        "synchronisation",
		"load_global",   "store_global", "atomic_global", "load_shared", "store_shared",
		"atomic_shared", "local",        "parameter",     "fence",
	};
	uint64_t instructions = 0, lanes = 0;

	for (unsigned n = 0; n < CLASSES; n++)
		instructions += c->instructions[n], lanes += c->lanes[n];
	fprintf(out,
		"{\"kernel\":\"%s\",\"launches\":%llu,\"blocks\":%llu,\"threads\":%llu,"
		"\"warp_instructions\":%llu,\"active_lanes\":%llu",
		k->demangled.c_str(), (unsigned long long)c->launches,
		(unsigned long long)c->blocks, (unsigned long long)c->threads,
		(unsigned long long)instructions, (unsigned long long)lanes);
	fprintf(out, ",\"classes\":{");
	for (unsigned n = 0, shown = 0; n < CLASSES; n++)
		if (c->instructions[n])
			fprintf(out, "%s\"%s\":%llu", shown++ ? "," : "", classes[n],
				(unsigned long long)c->instructions[n]);
	fprintf(out, "},\"branches\":%llu,\"divergent\":%llu", (unsigned long long)c->branches,
		(unsigned long long)c->divergent);
	write_traffic(out, "global_load", "sectors", &c->global_load);
	write_traffic(out, "global_store", "sectors", &c->global_store);
	write_traffic(out, "global_atomic", "sectors", &c->global_atomic);
	write_traffic(out, "shared_load", "wavefronts", &c->shared_load);
	write_traffic(out, "shared_store", "wavefronts", &c->shared_store);
	write_traffic(out, "shared_atomic", "wavefronts", &c->shared_atomic);
	fprintf(out, ",\"chain\":%llu}\n", (unsigned long long)c->chain);
}

static void counts_write(void)
{
	FILE *const out = runtime_options.counts ? fopen(runtime_options.counts, "a") : NULL;

	if (!out)
		return;
	for (const auto &entry : all())
		write_kernel(out, entry.first, &entry.second);
	fclose(out);
}

static __attribute__((destructor)) void at_exit(void)
{
	counts_write();
}
