/* best.c -- cpu/best: the fastest CPU sort of this project.
 *
 * Against lsd8: most passes run in a core's own cache.
 *
 * Without AVX2, and with many threads, records are sorted by digits:
 *
 * 1. All threads split the keys by their highest digit into 256 parts (parts/best_split.c): one
 *    pass counts, one moves.  The parts are independent from then on.
 * 2. Parts that would keep the other threads waiting at the end are split again by all threads
 *    together.  Only skewed inputs have such parts, and few of them.
 * 3. The remaining parts are shared out, large ones first.  A thread splits a part that exceeds its
 *    cache and sorts one that does not: by AVX-512, AVX2 or NEON (cpu/sort/vector*.c), on other
 *    processors, and pairs with NEON, by a stable counting sort (cpu/sort/stable.c).
 *
 * By pivots, AVX-512 and AVX2 sort keys of any distribution in place, faster the fewer of them are
 * distinct (cpu/sort/partition.h).  With few threads, one cuts the records in two, two cut the
 * halves, and so on (cut()).  pivots_for() decides which keys are sorted by pivots.
 *
 * Before that, records that are sorted or reversed, nearly sorted ones, and a few runs are
 * recognised by a sample and sorted in few sweeps (cpu/sort/order.h, parts/best_runs.h).
 *
 * Pairs take a second array unless their values ascend, or equal keys may come in any order: then
 * they are words, which pivots sort in place.  Peers sort words of key and place for any values,
 * and fetch the values afterwards.  That takes half of the second array, and for inputs beyond the
 * caches a cache miss per pair.
 *
 * Each split fixes eight bits of the key, or all that remain, with three accesses to a record.
 * Pivots take one access per level, mostly in the cache, for at most twice the levels of perfect
 * medians and then one level per bit, so the work is bounded for every input.  The bound is memory:
 * 20 bytes per u32 key, 12 to split and 8 for the leaves, as long as one split suffices.
 */
#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "common/memory.h"
#include "common/workload.h"
#include "cpu/radix/parts/best_order.h"
#include "cpu/radix/parts/best_runs.h"
#include "cpu/radix/parts/best_split.h"
#include "cpu/sort/leaf.h"
#include "cpu/sort/pivot.h"

enum {
	SMALL = 1 << 14,      /* records sorted as one leaf, by one thread */
	UNEVEN = 1 << 20,     /* pairs that vectors sort as one leaf, beside a key that repeats */
	WORTH = 1 << 14,      /* records that make another thread worth its start */
	PER_THREAD = 1 << 13, /* fewer records are not cut for another thread */
	FEW_THREADS = 4, /* most threads that cut the records by pivots; one makes the first cut */
};

/* When keys are sorted by pivots, whatever their number.  SKEWED: if a digit would hardly split
 * them.  ORDERED: if they are pairs whose values ascend, so that any sort that also compares the
 * values is stable.  BY_KEY: they are pairs whose equal keys may come in any order. */
enum pivots { NEVER, SKEWED, ORDERED, ALWAYS, BY_KEY };

struct state {
	struct radix_cpu cpu; /* first member: see radix_cpu_reset() */
	enum cpu_simd simd;
	enum pivots pivots;
	int threads;
	size_t leaf;                 /* larger tasks are split */
	size_t heavy;                /* larger tasks are split by all threads */
	struct radix_survey *survey; /* one per thread */
	uint32_t **values;           /* one per thread for pairs, else NULL */
	struct radix_task *task;     /* task_room entries */
	size_t task_room, task_count;
	struct radix_few few;
};

/* ---- one task, one thread ---------------------------------------------------------------- */

/* Put a task's sorted records in their place.  They may lie in the other array, or still be numbers
 * instead of floats.  They are in the cache. */
static void settle(const struct state *s, const struct radix_task *task)
{
	const struct radix_cpu *cpu = &s->cpu;
	size_t offset = task->begin * cpu->width;
	uint32_t *key = cpu->record;

	if (task->in_spare)
		memcpy((char *)cpu->record + offset, (const char *)cpu->spare + offset,
		       task->count * cpu->width);
	if (!cpu->is_float || task->raw)
		return;
	for (size_t i = task->begin; i < task->begin + task->count; i++)
		key[i] = radix_f32_bits(key[i]);
}

/* True if all records of a task are equal; in most inputs the first two decide. */
static bool uniform(const struct state *s, const struct radix_task *task)
{
	const struct radix_cpu *cpu = &s->cpu;
	const char *record = task->in_spare ? cpu->spare : cpu->record;

	record += task->begin * cpu->width;
	return !memcmp(record, record + cpu->width, (task->count - 1) * cpu->width);
}

/* The part of a split task whose digit is d. */
static struct radix_task child(const struct radix_task *task, unsigned shift, const size_t *first,
			       size_t d)
{
	return (struct radix_task){
		.begin = task->begin + first[d],
		.count = first[d + 1] - first[d],
		.top = shift,
		.in_spare = !task->in_spare,
	};
}

static struct radix_leaf leaf_of(const struct state *s, const struct radix_task *task)
{
	const struct radix_cpu *cpu = &s->cpu;

	return (struct radix_leaf){
		.record = (char *)cpu->record + task->begin * cpu->width,
		.spare = cpu->spare ? (char *)cpu->spare + task->begin * cpu->width : NULL,
		.count = task->count,
		.width = cpu->width,
		.low = cpu->low,
		.top = task->top,
		.in_spare = task->in_spare,
		.by_key = s->pivots == BY_KEY,
	};
}

/* True if a task is better sorted by pivots, whatever its size, than split by digits. */
static bool takes_pivots(const struct state *s, const struct radix_task *task)
{
	const struct radix_leaf leaf = leaf_of(s, task);

	switch (s->pivots) {
	case SKEWED:
		return radix_is_skewed(&s->cpu, task);
	case ORDERED:
		return radix_values_ascend(leaf.in_spare ? leaf.spare : leaf.record, task->count);
	case ALWAYS:
	case BY_KEY:
		return true;
	case NEVER:
		break;
	}
	return false;
}

/* True if a leaf is sorted by counting: with NEON, that takes fewer instructions if it has many
 * pairs. */
static bool by_counting(const struct state *s, size_t count)
{
#if defined(__aarch64__)
	if (s->cpu.low && count > RADIX_LEAF_MAX_NEON_PAIRS)
		return true;
#endif
	return s->simd == CPU_PLAIN;
}

/* Sort a task that is not split further. */
static void sort_leaf(const struct state *s, const struct radix_task *task, uint32_t *value)
{
	const struct radix_leaf leaf = leaf_of(s, task);

	if (by_counting(s, task->count))
		radix_leaf_stable(&leaf);
	else if (s->cpu.low && task->count <= s->leaf)
		radix_leaf_pairs(&leaf, value, s->simd);
	else
		radix_leaf_pivots(&leaf, s->simd);
}

/* Sort a task; value and survey belong to the calling thread. */
static void solve(const struct state *s, struct radix_task task, uint32_t *value,
		  struct radix_survey *survey)
{
	size_t first[RADIX_DIGITS + 1];
	unsigned shift;

	const bool equal = task.top == s->cpu.low || (s->simd < CPU_AVX2 && uniform(s, &task));

	if (!equal && task.count > s->leaf && !takes_pivots(s, &task)) {
		if (radix_split(&s->cpu, &task, 1, survey, &shift, first) == RADIX_WAS_SPLIT) {
			for (size_t d = 0; d < RADIX_DIGITS; d++)
				if (first[d + 1] > first[d])
					solve(s, child(&task, shift, first, d), value, survey);
			return;
		}
	} else if (!equal) {
		sort_leaf(s, &task, value);
		task.in_spare = false;
	}
	settle(s, &task);
}

/* ---- all tasks, all threads -------------------------------------------------------------- */

/* Add a task of equal keys as pieces: there is nothing to sort, but perhaps much to copy. */
static void add_pieces(struct state *s, const struct radix_task *task)
{
	size_t pieces = (size_t)s->threads < RADIX_DIGITS ? (size_t)s->threads : RADIX_DIGITS;

	for (size_t i = 0; i < pieces; i++) {
		size_t begin = task->count / pieces * i;
		size_t end = i + 1 < pieces ? task->count / pieces * (i + 1) : task->count;

		s->task[s->task_count] = *task;
		s->task[s->task_count].begin += begin;
		s->task[s->task_count].count = end - begin;
		s->task[s->task_count++].top = s->cpu.low;
	}
}

/* Split a task by all threads and append its parts to the list. */
static void split(struct state *s, struct radix_task task)
{
	size_t first[RADIX_DIGITS + 1];
	unsigned shift;

	switch (radix_split(&s->cpu, &task, s->threads, s->survey, &shift, first)) {
	case RADIX_WAS_SPLIT:
		for (size_t d = 0; d < RADIX_DIGITS; d++)
			if (first[d + 1] > first[d])
				s->task[s->task_count++] = child(&task, shift, first, d);
		return;
	case RADIX_WAS_EQUAL:
		add_pieces(s, &task);
	}
}

static int larger_first(const void *left, const void *right)
{
	const struct radix_task *a = left, *b = right;

	return (a->count < b->count) - (a->count > b->count);
}

/* Turn all records into numbers of their order. */
static void to_order(struct state *s, struct radix_task *root)
{
	if (root->raw)
		radix_cpu_to_order(&s->cpu, NULL);
	root->raw = false;
}

/* Turn the input into a list of tasks for one thread each. */
static void make_tasks(struct state *s, struct radix_task root)
{
	size_t largest = 0;

	s->task_count = 0;
	if (root.count <= SMALL) {
		to_order(s, &root);
		s->task[s->task_count++] = root;
		return;
	}
	split(s, root);
	for (size_t i = 0; i < s->task_count; i++) {
		struct radix_task task = s->task[i];

		if (task.count > s->heavy && task.top > s->cpu.low) {
			s->task[i].count = 0;
			split(s, task);
		} else if (task.count > largest) {
			largest = task.count;
		}
	}
	if (s->threads > 1 && s->task_count && largest / 2 > s->cpu.count / s->task_count)
		qsort(s->task, s->task_count, sizeof *s->task, larger_first);
}

/* ---- pivots, one or a few threads -------------------------------------------------------- */

/* True if one or a few threads sort all keys by pivots.  For a few, a split by digits would move
 * the records between cores in short pieces, which takes longer. */
static bool by_pivots(const struct state *s, const struct radix_task *root)
{
	return s->threads <= FEW_THREADS && root->count &&
	       (s->pivots >= ALWAYS || s->threads > 1 || root->count > SMALL) &&
	       takes_pivots(s, root);
}

/* Cut a task in two until it is a small part of all, leaving one half of each cut to another
 * thread; sort the rest.  At most `cuts` times, also in the halves, since cuts may be uneven. */
static void cut(const struct state *s, struct radix_task task, unsigned cuts)
{
	const size_t piece = s->cpu.count / (4 * (size_t)s->threads);
	struct radix_leaf leaf = leaf_of(s, &task);

	for (; cuts && task.count > piece && task.count > PER_THREAD; cuts--) {
		const struct radix_cut found = radix_leaf_cut(&leaf, s->simd);
		struct radix_task part = task;

		part.count = found.low;
#pragma omp task firstprivate(part, cuts)
		cut(s, part, cuts - 1);
		part.begin += found.low;
		part.count = found.high - found.low;
		settle(s, &part);
		task.begin += found.high;
		task.count -= found.high;
		leaf = leaf_of(s, &task);
	}
	radix_leaf_pivots(&leaf, s->simd);
	settle(s, &task);
}

static void sort_by_pivots(struct state *s, struct radix_task root)
{
	const struct radix_leaf leaf = leaf_of(s, &root);

	to_order(s, &root);
	if (s->threads == 1) {
		radix_leaf_pivots(&leaf, s->simd);
		settle(s, &root);
		return;
	}
#pragma omp parallel num_threads(s->threads)
#pragma omp single nowait
	cut(s, root, radix_medians_for(root.count));
}

/* ---- the run ----------------------------------------------------------------------------- */

static void solve_task(const struct state *s, size_t task, int thread)
{
	if (s->task[task].count)
		solve(s, s->task[task], s->values ? s->values[thread] : NULL, s->survey + thread);
}

static void sort_by_digits(struct state *s, struct radix_task root, struct gb_timer *timer)
{
	make_tasks(s, root);
	gb_phase(timer, "leaves");
	if (s->threads == 1) {
		/* No parallel loop: with cold caches it costs microseconds even for one thread. */
		for (size_t i = 0; i < s->task_count; i++)
			solve_task(s, i, 0);
		return;
	}
#pragma omp parallel for num_threads(s->threads) schedule(dynamic, 1)
	for (size_t i = 0; i < s->task_count; i++)
		solve_task(s, i, omp_get_thread_num());
}

static enum gb_status run(void *state, struct gb_timer *timer, struct gb_error *err)
{
	struct state *s = state;
	struct radix_task root = { .count = s->cpu.count,
				   .top = s->cpu.top,
				   .raw = s->cpu.is_float };
	/* Pairs in one array: their values ascend, or need not be kept in order. */
	const bool words = s->cpu.low && !s->cpu.spare;
	struct radix_repeated repeated = { 0 };
	enum radix_seen seen;
	bool pivots;

	if (!s->cpu.count)
		return GB_OK;
	gb_phase(timer, "split");
	seen = radix_sort_ordered(&s->cpu, &s->few, s->threads, s->simd);
	if (words && seen == RADIX_AS_WERE)
		seen = radix_sort_repeated(&s->cpu, &s->few, s->simd);
	if (seen == RADIX_IS_SORTED)
		return GB_OK;
	root.raw = root.raw && seen != RADIX_MOVED;
	pivots = s->cpu.low ? seen == RADIX_MOVED : by_pivots(s, &root);
	if (!pivots && !words && seen != RADIX_MOVED)
		repeated = radix_take_repeated(&s->cpu);
	root.count = s->cpu.count;
	if (repeated.count && root.count <= UNEVEN && s->cpu.low && s->threads == 1 &&
	    s->simd >= CPU_AVX512) {
		/* Digits would hardly split the others. */
		const struct radix_leaf leaf = leaf_of(s, &root);

		gb_phase(timer, "leaves");
		radix_leaf_pairs(&leaf, s->cpu.spare, s->simd);
	} else if (pivots || (s->cpu.low && by_pivots(s, &root))) {
		gb_phase(timer, "leaves");
		sort_by_pivots(s, root);
	} else if (root.count) {
		sort_by_digits(s, root, timer);
	}
	radix_put_repeated(&s->cpu, repeated);
	return GB_OK;
}

/* ---- the variant ------------------------------------------------------------------------- */

/* Most tasks that there can be: a list of parts per split.  On each level of digits, all threads
 * together split no more tasks than heavy ones fit in the input. */
static size_t task_room(const struct state *s)
{
	size_t levels = (s->cpu.top - s->cpu.low) / RADIX_DIGIT_BITS;

	return 1 + RADIX_DIGITS * (1 + levels * (s->cpu.count / s->heavy));
}

/* Allocate each thread's array for the values of a leaf of pairs. */
static void alloc_values(struct state *s, struct gb_error *err)
{
	const size_t room = s->cpu.count < s->leaf ? s->cpu.count : s->leaf;

	s->values = gb_host_zalloc((size_t)s->threads, sizeof *s->values, err);
	for (int t = 0; t < s->threads && s->values; t++)
		s->values[t] = gb_host_alloc(room, sizeof *s->values[t], err);
}

/* Chosen by sweeps over 1k to 100M keys of all types and distributions.  With AVX-512, pivots sort
 * keys in less time than a split and its leaves, at any size; pairs only if their values ascend.
 * With AVX2 the same holds for 4-byte keys; 8-byte keys are better split if they are spread
 * evenly. */
static enum pivots pivots_for(enum cpu_simd simd, enum radix_type type,
			      const struct radix_params *p, int threads)
{
	if (simd < CPU_AVX2)
		return NEVER;
	if (type == RADIX_PAIRS)
		return simd < CPU_AVX512                       ? NEVER
		       : p->unstable && threads <= FEW_THREADS ? BY_KEY
							       : ORDERED;
	return type == RADIX_U64 && simd < CPU_AVX512 ? SKEWED : ALWAYS;
}

/* Most records of a task that is not split, unless pivots sort it whatever its size.  With NEON,
 * the number from which a split takes fewer instructions, as counted under qemu. */
static size_t leaf_for(enum cpu_simd simd, enum pivots pivots, enum radix_type type)
{
#if defined(__aarch64__)
	if (simd == CPU_NEON)
		return type == RADIX_PAIRS ? RADIX_LEAF_MAX_STABLE
		       : type == RADIX_U64 ? RADIX_LEAF_MAX_NEON_64
					   : RADIX_LEAF_MAX_NEON_32;
#endif
	return simd < CPU_AVX2     ? RADIX_LEAF_MAX_STABLE
	       : pivots == ORDERED ? RADIX_LEAF_MAX_PAIRS
	       : pivots >= ALWAYS  ? 0
				   : RADIX_LEAF_MAX_64;
}

/* Number of threads, no more than the keys are worth. */
static int threads_for(const void *params, size_t count)
{
	const size_t worth = 1 + count / WORTH;
	const int threads = radix_cpu_threads(params);

	return (size_t)threads < worth ? threads : (int)worth;
}

static enum gb_status create(void *state, const void *params, const void *input_,
			     struct gb_error *err)
{
	const struct radix_input *input = input_;
	const struct radix_params *p = params;
	struct state *s = state;
	bool in_place;

	s->simd = cpu_simd();
	s->threads = threads_for(params, input->count);
	s->pivots = pivots_for(s->simd, input->type, p, s->threads);
	s->leaf = leaf_for(s->simd, s->pivots, input->type);
	in_place =
		s->threads <= FEW_THREADS &&
		(s->pivots >= ALWAYS || (s->pivots == ORDERED && p->values == RADIX_INDEX_VALUES));
	if (radix_cpu_init(&s->cpu, params, input, !in_place, err))
		return err->code;
	s->cpu.threads = s->threads;
	s->heavy = s->threads > 1 ? s->cpu.count / (4 * (size_t)s->threads) : s->cpu.count;
	if (s->heavy < SMALL)
		s->heavy = SMALL;
	(void)radix_few_init(&s->few, &s->cpu, err);
	s->task_room = task_room(s);
	s->survey = gb_host_alloc((size_t)s->threads, sizeof *s->survey, err);
	s->task = gb_host_alloc(s->task_room, sizeof *s->task, err);
	if (s->simd > CPU_PLAIN && s->cpu.low && !in_place)
		alloc_values(s, err);
	return err->code;
}

/* Keys that are sorted or nearly sorted are read once; reversed keys, keys of which half are equal,
 * and few different ones that pivots sort, are read and written once.  Few runs are also read to be
 * found.  By digits, the first split reads records twice and writes them once, and the leaves read
 * and write them once; accesses in the cache and further splits of large inputs are not counted.
 * By pivots, each level whose parts exceed the last-level cache and have several keys reads and
 * writes records once, and so do all levels below together.  Skewed u64 keys count as split. */
static double bytes(const void *params, const void *input_)
{
	const struct radix_input *input = input_;
	const char *from;
	const struct radix_look look = radix_cpu_look(input);
	const double size = radix_cpu_size(input), order = radix_cpu_order_bytes(input);
	const double cache = (double)gb_backends[GB_CPU]->cache_bytes(&from);
	/* Two keys that are left in a part take no level of their own. */
	const double parts = fmin(size / cache, look.distinct / 2);
	const int threads = threads_for(params, input->count);
	const enum pivots pivots = pivots_for(cpu_simd(), input->type, params, threads);
	const bool by_digits = pivots == NEVER || pivots == SKEWED || threads > FEW_THREADS;

	if (look.descents <= input->count / 64)
		return size;
	if (look.descents == input->count - 1 || (by_digits && look.distinct <= 1))
		return 2 * size;
	if (look.turns < (size_t)2 * RADIX_MOST_RUNS)
		return 3 * size;
	if (!by_digits && input->type != RADIX_PAIRS && look.distinct <= RADIX_COUNTED)
		return order + 2 * size;
	return by_digits ? 5 * size : order + 2 * size * (1 + (parts > 1 ? ceil(log2(parts)) : 0));
}

const struct gb_variant_ops radix_cpu_best = {
	.state_size = sizeof(struct state),
	.create = create,
	.reset = radix_cpu_reset,
	.run = run,
	.download = radix_cpu_download,
	.excluded = radix_cpu_excluded,
	.bytes = bytes,
};
