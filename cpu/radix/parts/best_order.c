/* best_order.c -- see best_order.h. */
#include "cpu/radix/parts/best_order.h"

#include <string.h>

#include "common/memory.h"
#include "cpu/radix/parts/best_runs.h"
#include "cpu/sort/leaf.h"
#include "cpu/sort/order.h"

enum {
	MIN_COUNT = 4096, /* fewer records are sorted as fast in any order */
	FEW_RUNS = 2,     /* merges of more take longer than a sort, without vectors */
	SHORTEST = 64,    /* a run but for the last has at least this part of the records */
	SHORT = 256,      /* fewer records at the end have no order to guess */
	SAMPLES = 64,     /* records in which a repeated key is looked for */
};

/* ---- records in order --------------------------------------------------------------------- */

enum gb_status radix_few_init(struct radix_few *few, const struct radix_cpu *cpu,
			      struct gb_error *err)
{
	few->room = cpu->count / 64 + 16;
	few->record = gb_host_alloc(2 * few->room, cpu->width, err);
	return err->code;
}

/* The end of the records from number `begin` on that are in this order. */
static size_t ordered_by_all(const struct radix_cpu *cpu, size_t begin, enum radix_order order,
			     int threads, enum cpu_simd simd)
{
	const enum radix_type type = cpu->input->type;
	const char *record = (const char *)cpu->record + begin * cpu->width;
	const size_t count = cpu->count - begin;
	size_t ordered = count;

	/* No parallel loop: with cold caches it costs microseconds even for one thread. */
	if (threads == 1)
		return begin + radix_ordered(record, count, type, order, simd);
		/* Shares overlap by one record. */
#pragma omp parallel for num_threads(threads) reduction(min : ordered)
	for (int t = 0; t < threads; t++) {
		const struct cpu_range r = cpu_range_of(count, t, threads);
		const size_t n = r.end - r.begin + (r.end < count);
		const size_t good =
			radix_ordered(record + r.begin * cpu->width, n, type, order, simd);

		if (good < n)
			ordered = r.begin + good;
	}
	return begin + ordered;
}

/* Reverse records begin .. end - 1, but not the order of equal keys. */
static void mirror_all(const struct radix_cpu *cpu, size_t begin, size_t end, int threads)
{
	const size_t n = end - begin, width = cpu->width;
	char *record = (char *)cpu->record + begin * width;

	if (threads == 1)
		radix_mirror(record, n, width, 0, n / 2);
	else
#pragma omp parallel for num_threads(threads)
		for (int t = 0; t < threads; t++) {
			const struct cpu_range r = cpu_range_of(n / 2, t, threads);

			radix_mirror(record, n, width, r.begin, r.end);
		}
	if (cpu->low)
		radix_mirror_ties((uint64_t *)(void *)record, n);
}

static uint64_t record_at(const struct radix_cpu *cpu, size_t i)
{
	return cpu->width == 8 ? ((const uint64_t *)cpu->record)[i]
			       : ((const uint32_t *)cpu->record)[i];
}

/* Find a key that at least `least` of SAMPLES records have, among the first ones of these. */
static bool find_repeated(const struct radix_cpu *cpu, size_t least, uint64_t *key)
{
	uint64_t sample[SAMPLES];

	if (cpu->count < MIN_COUNT)
		return false;
	for (size_t i = 0; i < SAMPLES; i++)
		sample[i] = record_at(cpu, cpu_sample_at(cpu->count, SAMPLES, i)) >> cpu->low;
	for (size_t i = 0; i < SAMPLES / 4; i++) {
		uint64_t found = 0;

		for (size_t k = 0; k < SAMPLES; k++)
			found += sample[k] == sample[i];
		if (found >= least) {
			*key = record_at(cpu, cpu_sample_at(cpu->count, SAMPLES, i));
			return true;
		}
	}
	return false;
}

struct context {
	const struct radix_few *few;
	size_t width;
	enum cpu_simd simd;
};

static void sort_few(void *record, size_t n, void *context)
{
	const struct context *c = context;
	const struct radix_leaf leaf = { .record = record,
					 .spare = (char *)record + c->few->room * c->width,
					 .count = n,
					 .width = c->width,
					 .top = (unsigned)(8 * c->width) };

	if (c->simd == CPU_PLAIN)
		radix_leaf_stable(&leaf);
	else
		radix_leaf_pivots(&leaf, c->simd);
}

/* Pairs are sorted as words, if that is stable.  Keys of which half are equal are sorted faster by
 * taking these out. */
static enum radix_seen sort_nearly(struct radix_cpu *cpu, const struct radix_few *few,
				   size_t ordered, enum cpu_simd simd)
{
	struct context context = { few, cpu->width, simd };
	uint64_t key;
	bool done;

	if (cpu->count < MIN_COUNT || find_repeated(cpu, SAMPLES / 2, &key))
		return RADIX_AS_WERE;
	if (cpu->low && (simd < CPU_AVX2 || !radix_values_ascend(cpu->record, cpu->count)))
		return RADIX_AS_WERE;
	radix_cpu_to_order(cpu, NULL);
	done = radix_sort_nearly(cpu->record, cpu->count, cpu->width, ordered, few->record,
				 few->room, sort_few, &context, simd);
	if (!done)
		return RADIX_MOVED;
	radix_cpu_from_order(cpu, NULL);
	return RADIX_IS_SORTED;
}

/* Merge a few long runs, of which the first ends before record number `end`.  False if there are
 * others; then nothing has changed. */
static bool sort_runs(struct radix_cpu *cpu, const struct radix_few *few, enum radix_order order,
		      size_t end, int threads, enum cpu_simd simd)
{
	const size_t count = cpu->count, width = cpu->width;
	struct radix_runs runs = { .cpu = cpu,
				   .buffer = cpu->spare ? cpu->spare : few->record,
				   .room = cpu->spare ? count : 2 * few->room,
				   .threads = threads,
				   .simd = simd };
	bool down[RADIX_MOST_RUNS];

	for (;;) {
		const size_t begin = runs.begin[runs.count];

		if (end < count && end - begin < count / SHORTEST)
			return false;
		down[runs.count++] = order == RADIX_DESCENDING;
		runs.begin[runs.count] = end;
		if (end == count)
			break;
		order = count - end < SHORT
				? RADIX_ASCENDING
				: radix_guess_order((const char *)cpu->record + end * width,
						    count - end, cpu->input->type, simd);
		if (order == RADIX_NO_ORDER || runs.count == RADIX_MOST_RUNS)
			return false;
		end = ordered_by_all(cpu, end, order, threads, simd);
	}
	runs.words = simd >= CPU_AVX2 && (!cpu->low || radix_values_ascend(cpu->record, count));
	if (runs.count > (size_t)(runs.words ? RADIX_MOST_RUNS : FEW_RUNS))
		return false;
	radix_cpu_to_order(cpu, NULL);
	for (size_t i = 0; i < runs.count; i++)
		if (down[i])
			mirror_all(cpu, runs.begin[i], runs.begin[i + 1], threads);
	radix_merge_runs(&runs);
	radix_cpu_from_order(cpu, NULL);
	return true;
}

enum radix_seen radix_sort_ordered(struct radix_cpu *cpu, const struct radix_few *few, int threads,
				   enum cpu_simd simd)
{
	const enum radix_order order =
		radix_guess_order(cpu->record, cpu->count, cpu->input->type, simd);
	size_t ordered;

	if (order == RADIX_NO_ORDER)
		return RADIX_AS_WERE;
	ordered = ordered_by_all(cpu, 0, order, threads, simd);
	if (ordered < cpu->count && sort_runs(cpu, few, order, ordered, threads, simd))
		return RADIX_IS_SORTED;
	if (ordered < cpu->count)
		return order == RADIX_ASCENDING ? sort_nearly(cpu, few, ordered, simd)
						: RADIX_AS_WERE;
	if (order == RADIX_DESCENDING)
		mirror_all(cpu, 0, cpu->count, threads);
	return RADIX_IS_SORTED;
}

/* ---- a repeated key ----------------------------------------------------------------------- */

/* Move the words with the key of `same` to the front, in order, and the others to `few`; returns
 * how many are in front.  If `few` has no room for the others, returns 0; all words are in the
 * array then, in another order. */
static size_t keep_key(uint64_t *word, size_t n, uint64_t same, uint64_t *few, size_t room)
{
	size_t kept = 0, i = 0;

	for (; i < n && i - kept < room; i++) {
		const uint64_t x = word[i];

		few[i - kept] = x;
		word[kept] = x;
		kept += x >> 32 == same >> 32;
	}
	if (i == n)
		return kept;
	memcpy(word + kept, few, (i - kept) * sizeof *word);
	return 0;
}

enum radix_seen radix_sort_repeated(struct radix_cpu *cpu, const struct radix_few *few,
				    enum cpu_simd simd)
{
	struct context context = { few, cpu->width, simd };
	uint64_t *word = cpu->record, *other = few->record, key;
	size_t kept, others, low = 0;

	if (!find_repeated(cpu, SAMPLES / 2, &key))
		return RADIX_AS_WERE;
	kept = keep_key(word, cpu->count, key, other, few->room);
	if (!kept)
		return RADIX_MOVED;
	others = cpu->count - kept;
	sort_few(other, others, &context);
	while (low < others && other[low] >> 32 < key >> 32)
		low++;
	memmove(word + low, word, kept * sizeof *word);
	memcpy(word, other, low * sizeof *word);
	memcpy(word + low + kept, other + low, (others - low) * sizeof *word);
	return RADIX_IS_SORTED;
}

/* take_suffix(): move records that differ from `same` to the front; returns how many.  The others
 * go to the end of `spare` unless it is NULL, the last ones first. */
#define DEFINE_TAKE(type, suffix)                                                                 \
	static size_t take_##suffix(type *record, size_t n, type same, unsigned low, type *spare) \
	{                                                                                         \
		size_t others = 0;                                                                \
                                                                                                  \
		for (size_t i = 0; i < n; i++) {                                                  \
			const type x = record[i];                                                 \
                                                                                                  \
			record[others] = x;                                                       \
			if (spare)                                                                \
				spare[n - 1 - (i - others)] = x;                                  \
			others += x >> low != same >> low;                                        \
		}                                                                                 \
		return others;                                                                    \
	}

DEFINE_TAKE(uint32_t, u32)
DEFINE_TAKE(uint64_t, u64)

struct radix_repeated radix_take_repeated(struct radix_cpu *cpu)
{
	const size_t n = cpu->count;
	struct radix_repeated found = { 0 };

	if (!find_repeated(cpu, SAMPLES / 4, &found.key))
		return found;
	cpu->count = cpu->width == 8 ? take_u64(cpu->record, n, found.key, cpu->low,
						cpu->low ? cpu->spare : NULL)
				     : take_u32(cpu->record, n, (uint32_t)found.key, 0, NULL);
	found.count = n - cpu->count;
	return found;
}

static uint64_t order_of(const struct radix_cpu *cpu, uint64_t record)
{
	return cpu->is_float ? radix_f32_order((uint32_t)record) : record >> cpu->low;
}

void radix_put_repeated(struct radix_cpu *cpu, struct radix_repeated repeated)
{
	const uint64_t order = order_of(cpu, repeated.key);
	const size_t others = cpu->count, width = cpu->width;
	const uint64_t *spare = cpu->spare;
	size_t low = 0, high = others;
	char *record = cpu->record;

	if (!repeated.count)
		return;
	cpu->count += repeated.count;
	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (order_of(cpu, record_at(cpu, middle)) < order)
			low = middle + 1;
		else
			high = middle;
	}
	memmove(record + (low + repeated.count) * width, record + low * width,
		(others - low) * width);
	for (size_t i = 0; i < repeated.count; i++)
		if (width == 4)
			((uint32_t *)cpu->record)[low + i] = (uint32_t)repeated.key;
		else
			((uint64_t *)cpu->record)[low + i] =
				cpu->low ? spare[cpu->count - 1 - i] : repeated.key;
}
