/* counts.cc -- exact counts: sectors and banks of memory requests, chains of loads.
 *
 * Global memory moves in sectors of 32 bytes.  A warp's request needs the sectors that its lanes
 * touch; its minimum is the sectors that their distinct bytes would fill.  Shared memory has 32
 * banks of 4 bytes.  A request takes as many wavefronts as the fullest bank has distinct words, by
 * half warps for accesses of 8 bytes and by quarter warps for 16; an atomic takes as many as lanes
 * use one bank.
 */
#include <string.h>

#include <algorithm>
#include <numeric>

#include "common/backend.h"
#include "tests/ptx/machine.h"

enum { SECTOR = 32, BANKS = 32, WORD = 4 };

/* ---- requests ---------------------------------------------------------------------------- */

static unsigned different(uint64_t *values, unsigned count)
{
	if (!std::is_sorted(values, values + count))
		std::sort(values, values + count);
	return (unsigned)(std::unique(values, values + count) - values);
}

/* The number of occurrences of the most frequent value. */
static unsigned most_alike(uint64_t *values, unsigned count)
{
	unsigned most = 0;

	std::sort(values, values + count);
	for (unsigned n = 0, first = 0; n < count; n++) {
		if (values[n] != values[first])
			first = n;
		most = std::max(most, n - first + 1);
	}
	return most;
}

void count_global(struct warp &w, enum access access, uint32_t mask, const uint64_t at[32],
		  unsigned bytes)
{
	struct counts *const c = &w.block->worker->counts;
	struct traffic_count *const t = &c->global[access];
	uint64_t sectors[LANES], places[LANES];
	unsigned count = 0;

	each_active(mask, [&](unsigned l) {
		sectors[count] = at[l] / SECTOR;
		places[count++] = at[l] / bytes;
	});
	t->requests++;
	if (access == UPDATES)
		t->turns += most_alike(places, count);
	t->parts += different(sectors, count);
	t->least += (different(places, count) * bytes + SECTOR - 1) / SECTOR;
}

/* Wavefronts for the words of some lanes. */
static unsigned fullest_bank(const uint64_t *words, unsigned count)
{
	uint8_t bank[BANKS] = {};
	unsigned most = 0;

	for (unsigned n = 0; n < count; n++)
		most = std::max<unsigned>(most, ++bank[words[n] % BANKS]);
	return most;
}

/* Wavefronts for the words of the lanes in mask; once: each distinct word counts once. */
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
	struct traffic_count *const t = &c->shared[access];
	const unsigned group = (unsigned)LANES / std::max(bytes / (unsigned)WORD, 1u);
	uint64_t places[LANES];
	unsigned words = 0, count = 0;

	t->requests++;
	if (access == UPDATES) {
		each_active(mask, [&](unsigned l) { places[count++] = at[l] / bytes; });
		t->turns += most_alike(places, count);
	}
	for (unsigned first = 0; first < LANES; first += group) {
		const uint32_t part = mask & (group == LANES ? ~0u : ((1u << group) - 1) << first);

		if (part)
			t->parts += wavefronts(part, at, bytes, access != UPDATES, &words);
	}
	t->least += (words + BANKS - 1) / BANKS;
}

/* The longest chain of all is the chain of each from here on. */
void count_meeting(struct warp &w, uint32_t *longest)
{
	w.chain = w.barrier_chain = *longest = std::max(*longest, w.chain);
}

/* Block 0 raises the arrivals at a grid barrier to 2^31.  No other addition of a cooperative launch
 * is that large.  The last arrival flips the word's highest bit.  Until then the warps that have
 * arrived poll, which lengthens no chain. */
void count_addition(struct warp &w, uint64_t at, uint32_t old, uint32_t addend)
{
	const uint64_t blocks = ptx_running.clusters * ptx_running.cluster_size;
	struct counts *const c = &w.block->worker->counts;

	if (!ptx_running.call->cooperative)
		return;
	if (addend == 0x80000000u - (uint32_t)(blocks - 1)) {
		ptx_running.barrier = at;
		c->grid_barriers++;
	}
	if (at != ptx_running.barrier)
		return;
	w.waits = true;
	w.round = ptx_running.round;
	ptx_running.arrived = std::max(ptx_running.arrived, w.chain);
	if ((old ^ (old + addend)) >> 31) {
		ptx_running.opened = ptx_running.arrived;
		ptx_running.round++;
	}
}

/* False if the warp is in gpu_grid_sync(), which ends with a barrier of the block. */
static bool goes_on(struct warp &w, const struct instruction &i)
{
	if (w.waits && i.action == BARRIER && w.round != ptx_running.round) {
		w.waits = false;
		w.chain = w.barrier_chain = ptx_running.opened;
	}
	return !w.waits;
}

/* ---- instructions ------------------------------------------------------------------------ */

/* Other lanes keep their chains: registers that are not live together share a place, which may hold
 * another register there. */
static void set_results(struct warp &w, const struct instruction &i, uint32_t mask, uint32_t depth)
{
	for (unsigned d = 0; d < i.outs; d++)
		each_active(mask, [&](unsigned l) { w.depth[i.out[d].at / 4 + l] = depth; });
}

/* The longest chain of the operands of all active lanes. */
static uint32_t deepest_operand(const struct warp &w, const struct instruction &i, uint32_t mask)
{
	uint32_t deepest = 0;

	for (unsigned s = 0; s < i.ins; s++)
		if (i.in[s].kind == REGISTER)
			each_active(mask, [&](unsigned l) {
				deepest = std::max(deepest, w.depth[i.in[s].at / 4 + l]);
			});
	return deepest;
}

/* The chain of a result is that of the operands, and count_load() adds one for a load.  A load
 * follows those before the last barrier; in lockstep, a strong one also those that have arrived. */
static void follow_chain(struct warp &w, const struct instruction &i, uint32_t mask)
{
	const uint32_t deepest = deepest_operand(w, i, mask);
	const uint32_t arrived = i.order == WEAK_ORDER ? 0 : w.arrived_chain;

	if (i.kind == LOAD_GLOBAL || i.kind == ATOMIC_GLOBAL)
		w.load = 1 + std::max({ deepest, arrived, w.barrier_chain });
	set_results(w, i, mask, deepest);
}

void count_load(struct warp &w, const struct instruction &i, uint32_t mask)
{
	if (w.waits)
		return;
	w.chain = std::max(w.chain, w.load);
	set_results(w, i, mask, w.load);
}

bool count_stalls(const struct warp &w, const struct instruction &i, uint32_t mask)
{
	return deepest_operand(w, i, mask) > w.arrived_chain;
}

static bool is_barrier(const struct instruction &i)
{
	return i.action == BARRIER || i.action == CLUSTER_WAIT;
}

void count_instruction(struct warp &w, const struct instruction &i, uint32_t mask)
{
	struct counts *const c = &w.block->worker->counts;

	c->instructions[i.kind]++;
	c->lanes[i.kind] += (unsigned)__builtin_popcount(mask);
	c->barriers += mask && is_barrier(i);
	if (!goes_on(w, i))
		return;
	if (mask && i.outs)
		follow_chain(w, i, mask);
	if (i.action == EXIT)
		c->chain = std::max<uint64_t>(c->chain, w.chain);
}

void count_postponed(struct warp &w, const struct instruction &i, uint32_t mask)
{
	struct counts *const c = &w.block->worker->counts;

	c->instructions[i.kind]--;
	c->lanes[i.kind] -= (unsigned)__builtin_popcount(mask);
	c->barriers -= is_barrier(i);
}

/* ---- sums -------------------------------------------------------------------------------- */

enum { COPY_KINDS = 4 };

/* Totals since counting began. */
static struct {
	bool on;
	std::map<std::string, struct counts> kernels; /* by full name: templates differ in it */
	uint64_t copies[COPY_KINDS], copied_bytes[COPY_KINDS];
	std::string text;
} counted;

static void add(struct counts *sum, const struct counts *more)
{
	enum { NUMBERS = sizeof *sum / sizeof(uint64_t) };
	uint64_t *const to = (uint64_t *)(void *)sum;
	const uint64_t *const from = (const uint64_t *)(const void *)more;

	for (size_t n = 0; n < NUMBERS; n++)
		to[n] += from[n];
}

void counts_collect(const struct kernel *k, const struct counts *counts)
{
	struct counts *const sum = &counted.kernels[k->demangled];

	sum->launches++;
	add(sum, counts);
}

bool counts_on(void)
{
	return counted.on;
}

/* In lockstep, as many blocks take turns as the device holds. */
void counts_fix_schedule(const struct gpu_call *call)
{
	const dim3 b = call->block, c = call->cluster;
	int blocks = 1;

	ptx_running.lockstep = call->code->polls && !call->cooperative;
	if (ptx_running.lockstep) {
		(void)cudaOccupancyMaxActiveBlocksPerMultiprocessor(
			&blocks, call->kernel, (int)(b.x * b.y * b.z), call->dynamic_bytes);
		blocks = std::max(1, blocks * runtime_options.processors / (int)(c.x * c.y * c.z));
	}
	runtime_options.threads = 1;
	runtime_options.resident = blocks;
	runtime_options.seed = 0;
	runtime_options.order = runtime_options.blocks = ORDER_FORWARD;
	runtime_options.weak = false;
}

/* ---- interface to runtime and back end ------------------------------------------------------- */

void count_copy(enum copy_kind kind, size_t bytes)
{
	if (!counted.on)
		return;
	counted.copies[kind]++;
	counted.copied_bytes[kind] += bytes;
}

static void count(bool on)
{
	if (on) {
		counted.kernels.clear();
		memset(counted.copies, 0, sizeof counted.copies);
		memset(counted.copied_bytes, 0, sizeof counted.copied_bytes);
	}
	counted.on = on;
}

/* ---- as JSON ----------------------------------------------------------------------------- */

static void put(const char *name, uint64_t value)
{
	counted.text += std::string(counted.text.back() == '{' ? "\"" : ",\"") + name +
			"\":" + std::to_string(value);
}

static void put_traffic(const std::string &memory, const char *parts, const struct traffic_count *t)
{
	static const char *const accesses[] = { "load", "store", "atomic" };

	for (unsigned access = LOADS; access < ACCESSES; access++) {
		counted.text += ",\"" + memory + "_" + accesses[access] + "\":{";
		put("requests", t[access].requests);
		put(parts, t[access].parts);
		put("least", t[access].least);
		if (access == UPDATES)
			put("turns", t[access].turns);
		counted.text += "}";
	}
}

static void put_classes(const struct counts *c)
{
	static const char *const classes[] = {
		"arithmetic",    "floating",     "control",       "warp",        "synchronisation",
		"load_global",   "store_global", "atomic_global", "load_shared", "store_shared",
		"atomic_shared", "local",        "parameter",     "fence",
	};

	counted.text += ",\"classes\":{";
	for (unsigned n = 0; n < CLASSES; n++)
		if (c->instructions[n])
			put(classes[n], c->instructions[n]);
	counted.text += "}";
}

static uint64_t sum_of(const uint64_t (&classes)[CLASSES])
{
	return std::accumulate(std::begin(classes), std::end(classes), UINT64_C(0));
}

static void put_counts(const struct counts *c)
{
	put("launches", c->launches);
	put("blocks", c->blocks);
	put("threads", c->threads);
	put("warp_instructions", sum_of(c->instructions));
	put("active_lanes", sum_of(c->lanes));
	put_classes(c);
	put("branches", c->branches);
	put("divergent", c->divergent);
	put("barriers", c->barriers);
	if (c->grid_barriers)
		put("grid_barriers", c->grid_barriers);
	put_traffic("global", "sectors", c->global);
	put_traffic("shared", "wavefronts", c->shared);
	put("chain", c->chain);
}

static void put_copies(void)
{
	static const char *const kinds[] = { "to_device", "to_host", "on_device", "set" };

	counted.text += ",\"copies\":{";
	for (unsigned n = 0; n < COPY_KINDS; n++)
		put(kinds[n], counted.copies[n]);
	counted.text += "},\"copied_bytes\":{";
	for (unsigned n = 0; n < COPY_KINDS; n++)
		put(kinds[n], counted.copied_bytes[n]);
	counted.text += "}";
}

/* The totals over all kernels, the copies, and the counts of each kernel. */
static const char *as_json(void)
{
	struct counts all = {};

	for (const auto &entry : counted.kernels)
		add(&all, &entry.second);
	counted.text = "{";
	put_counts(&all);
	put_copies();
	counted.text += ",\"kernels\":[";
	for (const auto &entry : counted.kernels) {
		counted.text += counted.text.back() == '[' ? "{" : ",{";
		counted.text += "\"kernel\":\"" + entry.first + "\"";
		put_counts(&entry.second);
		counted.text += "}";
	}
	counted.text += "]}";
	return counted.text.c_str();
}

static double warp_efficiency(void)
{
	struct counts all = {};

	for (const auto &entry : counted.kernels)
		add(&all, &entry.second);
	return (double)sum_of(all.lanes) / (32.0 * (double)sum_of(all.instructions));
}

static const struct gb_counter counter = { count, as_json, warp_efficiency };
const struct gb_counter *gb_gpu_counter = &counter; /* see cuda/runtime/backend.cu */
