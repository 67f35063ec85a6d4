/* best.c -- cpu/best: the fastest CPU sort of this project.
 *
 * Against lsd8: most passes run in a core's own cache.
 *
 * Words are records that vectors sort by all their bits: keys, and pairs whose values ascend, so
 * that comparing them, too, makes the sort stable.  A
 * quicksort by vectors (cpu/sort/quicksort.h) sorts them in place, whatever their distribution.
 * With a few threads, one cuts the records in two, two cut the halves, and so on (cut()).
 *
 * Many threads, and all threads for records that are not words, split the records by their highest
 * digit into 256 parts, from one array to another: one pass counts, one moves.  The parts are
 * independent from then on.  Parts that would keep the other threads waiting at the end are split
 * again by all threads together, or cut if they are words.  Each other part is sorted by one
 * thread: words as above, pairs as words of key and place, whose values are fetched afterwards, and
 * without vectors by a stable counting sort.  Parts that exceed a core's cache are split again
 * before.
 *
 * Before that, records that ascend or descend are recognised.
 *
 * The quicksort takes at most twice the levels of perfect medians and then one level per bit, so
 * the work is bounded for every input.  The bound is memory: a level whose parts exceed the cache
 * reads and writes the records once, as do all levels below it together.
 */
#include <math.h>
#include <omp.h>
#include <string.h>

#include "common/memory.h"
#include "common/workload.h"
#include "cpu/radix/parts/records.h"
#include "cpu/sort/sort.h"

enum {
	SMALL = 1 << 14,      /* records that are not shared by all threads */
	WORTH = 1 << 14,      /* records that make another thread worth its start */
	LEAF_PLAIN = 1 << 16, /* records that are sorted by counting in a core's own cache */
	LEAF_AVX2 = 1 << 14,  /* pairs that short vectors sort as fast as after another split */
	LEAF_PAIRS = 1 << 17, /* pairs whose values are fetched from there */
	/* Most threads that cut the records; one makes the first cut.  A split by digits would move
	 * the records between cores in short pieces, which takes longer. */
	FEW_THREADS = 4,
};

/* The records begin .. begin + count - 1, which agree in bits `top` and above.  They lie in
 * cpu.record, or in cpu.spare if in_spare; the result goes to cpu.record. */
struct task {
	size_t begin, count;
	unsigned top;
	bool in_spare;
};

/* How an input is sorted, and by how many threads: no more than its records are worth. */
struct plan {
	enum cpu_simd simd;
	int threads;
	bool words, is_split; /* sorted as words; split by digits before */
};

static struct plan plan_for(const struct radix_params *p, const struct radix_input *input)
{
	const bool pairs = input->type == RADIX_PAIRS;
	const size_t worth = 1 + input->count / WORTH;
	struct plan plan = { .simd = cpu_simd(), .threads = radix_cpu_threads(p) };

	if ((size_t)plan.threads > worth)
		plan.threads = (int)worth;
	plan.words =
		plan.simd > CPU_PLAIN && (!pairs || p->values == RADIX_INDEX_VALUES);
	/* Vectors of few words are faster after a split. */
	plan.is_split = !plan.words || plan.threads > FEW_THREADS || plan.simd < CPU_AVX2 ||
			(plan.simd < CPU_AVX512 && (pairs || input->key_size == 8));
	return plan;
}

struct state {
	struct radix_cpu cpu; /* first member: see radix_cpu_reset() */
	struct plan plan;
	size_t leaf;                   /* larger tasks are split, unless they are words */
	size_t heavy;                  /* larger tasks are shared by all threads */
	size_t (*count)[RADIX_DIGITS]; /* one per thread: records by their digit */
	uint32_t *value;               /* the values of a leaf, per thread */
	struct task *task;             /* task_room entries */
	size_t task_room, task_count;
};

static void *at(const struct state *s, bool in_spare, size_t index)
{
	return (char *)(in_spare ? s->cpu.spare : s->cpu.record) + index * s->cpu.width;
}

/* ---- split by digits ----------------------------------------------------------------------- */

/* Move the records of a task to the other array by the highest digit in which they differ.  Digit d
 * then begins at first[d], and task->top is the digit's lowest bit.  False if all keys are equal;
 * then nothing was moved.  `count` has an entry per thread. */
static bool split(const struct state *s, struct task *task, int threads,
		  size_t (*count)[RADIX_DIGITS], size_t first[RADIX_DIGITS + 1])
{
	const struct radix_cpu *cpu = &s->cpu;
	size_t position[RADIX_DIGITS], most = task->count;

	while (most == task->count && task->top > cpu->low) {
		const unsigned bits = task->top - cpu->low;
		const unsigned shift =
			bits > RADIX_DIGIT_BITS ? task->top - RADIX_DIGIT_BITS : cpu->low;

#pragma omp parallel for num_threads(threads) schedule(static, 1) if (threads > 1)
		for (int t = 0; t < threads; t++) {
			const struct cpu_range r = cpu_range_of(task->count, t, threads);

			memset(count[t], 0, sizeof count[t]);
			radix_digit_count(at(s, task->in_spare, task->begin + r.begin),
					  r.end - r.begin, cpu->width, shift, count[t]);
		}
		radix_digit_positions(count, threads, 0, first);
		first[RADIX_DIGITS] = task->count;
		most = 0;
		for (size_t d = 0; d < RADIX_DIGITS; d++)
			most = first[d + 1] - first[d] > most ? first[d + 1] - first[d] : most;
		task->top = shift;
	}
	if (most == task->count)
		return false;
#pragma omp parallel for num_threads(threads) schedule(static, 1) if (threads > 1) private(position)
	for (int t = 0; t < threads; t++) {
		const struct cpu_range r = cpu_range_of(task->count, t, threads);

		radix_digit_positions(count, threads, t, position);
		radix_digit_scatter(at(s, task->in_spare, task->begin + r.begin), r.end - r.begin,
				    cpu->width, task->top, at(s, !task->in_spare, task->begin),
				    position);
	}
	task->in_spare = !task->in_spare;
	return true;
}

/* The part of a split task whose digit is d. */
static struct task part_of(const struct task *task, const size_t *first, size_t d)
{
	return (struct task){ task->begin + first[d], first[d + 1] - first[d], task->top,
			      task->in_spare };
}

/* ---- one task, one thread ------------------------------------------------------------------ */

static void settle(const struct state *s, const struct task *task)
{
	if (task->in_spare)
		memcpy(at(s, false, task->begin), at(s, true, task->begin),
		       task->count * s->cpu.width);
}

/* Sort pairs as words of their key and place, which are all different, and fetch the values. */
static void sort_pairs(const struct state *s, const struct task *task, uint32_t *value)
{
	const uint64_t *pair = at(s, task->in_spare, task->begin), key_bits = UINT64_MAX << 32;
	uint64_t *word = at(s, false, task->begin);

	for (size_t i = 0; i < task->count; i++) {
		value[i] = (uint32_t)pair[i];
		word[i] = (pair[i] & key_bits) | i;
	}
	if (!(radix_order_of(word, task->count, sizeof *word, 0) & RADIX_ASCENDS))
		radix_sort_vectors(word, task->count, sizeof *word, radix_medians_for(task->count),
				   s->plan.simd);
	for (size_t i = 0; i < task->count; i++)
		word[i] = (word[i] & key_bits) | value[(uint32_t)word[i]];
}

/* Sort a task that is not words. */
static void solve(const struct state *s, struct task task, int thread)
{
	const struct radix_cpu *cpu = &s->cpu;
	size_t first[RADIX_DIGITS + 1];

	if (task.count > s->leaf && split(s, &task, 1, s->count + thread, first)) {
		for (size_t d = 0; d < RADIX_DIGITS; d++)
			if (first[d + 1] > first[d])
				solve(s, part_of(&task, first, d), thread);
	} else if (task.top == cpu->low || task.count == 1) {
		settle(s, &task);
	} else if (s->value) {
		sort_pairs(s, &task, s->value + (size_t)thread * s->leaf);
	} else {
		radix_sort_digits(at(s, false, task.begin), at(s, true, task.begin), task.in_spare,
				  task.count, cpu->width, cpu->low, task.top);
	}
}

/* ---- words --------------------------------------------------------------------------------- */

/* Cut n words in two until they are a small part of all, leaving one half of each cut to another
 * thread; sort the rest.  At most `cuts` times, also in the halves, since cuts may be uneven. */
static void cut(const struct state *s, char *word, size_t n, unsigned cuts)
{
	const size_t width = s->cpu.width;

	for (; cuts && n > s->heavy; cuts--) {
		const struct radix_cut found = radix_cut_vectors(word, n, width, s->plan.simd);

#pragma omp task firstprivate(word, cuts)
		cut(s, word, found.low, cuts - 1);
		word += found.high * width;
		n -= found.high;
	}
	radix_sort_vectors(word, n, width, radix_medians_for(n), s->plan.simd);
}

static void sort_words(const struct state *s, const struct task *task)
{
	settle(s, task);
	if (task->top > s->cpu.low)
		cut(s, at(s, false, task->begin), task->count, radix_medians_for(task->count));
}

/* ---- all tasks, all threads ---------------------------------------------------------------- */

/* Turn the input into a list of tasks. */
static void make_tasks(struct state *s)
{
	size_t first[RADIX_DIGITS + 1];

	s->task[0] = (struct task){ .count = s->cpu.count, .top = s->cpu.top };
	s->task_count = 1;
	for (size_t i = 0; i < s->task_count && s->plan.is_split; i++) {
		struct task *task = s->task + i;

		if (task->count <= (i ? s->heavy : SMALL) || (i && s->plan.words) ||
		    !split(s, task, s->plan.threads, s->count, first))
			continue;
		for (size_t d = 0; d < RADIX_DIGITS; d++)
			if (first[d + 1] > first[d])
				s->task[s->task_count++] = part_of(task, first, d);
		task->count = 0;
	}
}

static void sort_tasks(struct state *s)
{
#pragma omp parallel for num_threads(s->plan.threads) schedule(dynamic, 1) if (s->plan.threads > 1)
	for (size_t i = 0; i < s->task_count; i++)
		if (s->task[i].count && s->plan.words)
			sort_words(s, s->task + i);
		else if (s->task[i].count)
			solve(s, s->task[i], omp_get_thread_num());
}

/* True if the records are sorted now: they ascended, or each was below the one before it. */
static bool sort_ordered(const struct state *s)
{
	const size_t n = s->cpu.count, width = s->cpu.width;
	uint64_t *wide = s->cpu.record;
	uint32_t *narrow = s->cpu.record;
	unsigned order = RADIX_ASCENDS | RADIX_DESCENDS;

	/* Shares overlap by one record. */
#pragma omp parallel for num_threads(s->plan.threads) schedule(static, 1) if (s->plan.threads > 1) \
	reduction(& : order)
	for (int t = 0; t < s->plan.threads; t++) {
		const struct cpu_range r = cpu_range_of(n, t, s->plan.threads);
		const size_t begin = r.begin - (r.begin > 0);

		order &= radix_order_of(at(s, false, begin), r.end - begin, width, s->cpu.low);
	}
	if (order != RADIX_DESCENDS)
		return order != 0;
#pragma omp parallel for num_threads(s->plan.threads) schedule(static) if (s->plan.threads > 1)
	for (size_t i = 0; i < n / 2; i++) {
		const size_t k = n - 1 - i;
		const uint64_t last = width == 8 ? wide[k] : narrow[k];

		if (width == 8) {
			wide[k] = wide[i];
			wide[i] = last;
		} else {
			narrow[k] = narrow[i];
			narrow[i] = (uint32_t)last;
		}
	}
	return true;
}

static enum gb_status run(void *state, struct gb_timer *timer, struct gb_error *err)
{
	struct state *s = state;

	if (!s->cpu.count)
		return GB_OK;
	radix_cpu_to_order(&s->cpu, NULL);
	gb_phase(timer, "split");
	if (!sort_ordered(s)) {
		make_tasks(s);
		gb_phase(timer, "leaves");
		sort_tasks(s);
	}
	radix_cpu_from_order(&s->cpu, NULL);
	return GB_OK;
}

/* ---- the variant --------------------------------------------------------------------------- */

static enum gb_status create(void *state, const void *params, const void *input_,
			     struct gb_error *err)
{
	const struct radix_input *input = input_;
	struct state *s = state;
	size_t levels;

	s->plan = plan_for(params, input);
	if (radix_cpu_init(&s->cpu, params, input, s->plan.is_split, err))
		return err->code;
	s->cpu.threads = s->plan.threads;
	s->leaf = s->plan.simd >= CPU_AVX512 ? LEAF_PAIRS
		  : s->plan.simd > CPU_PLAIN ? LEAF_AVX2
					     : LEAF_PLAIN;
	if (s->leaf > s->cpu.count)
		s->leaf = s->cpu.count;
	s->heavy = s->cpu.count / (s->plan.threads > 1 ? 4 * (size_t)s->plan.threads : 1);
	if (s->heavy < SMALL)
		s->heavy = SMALL;
	/* All threads together split no more tasks per digit than heavy ones fit in the input. */
	levels = (s->cpu.top - s->cpu.low) / RADIX_DIGIT_BITS;
	s->task_room = 1 + RADIX_DIGITS * (1 + levels * (s->cpu.count / s->heavy));
	s->count = gb_host_alloc((size_t)s->plan.threads, sizeof *s->count, err);
	s->task = gb_host_alloc(s->task_room, sizeof *s->task, err);
	if (s->plan.simd > CPU_PLAIN && !s->plan.words)
		s->value = gb_host_alloc((size_t)s->plan.threads * s->leaf, sizeof *s->value, err);
	return err->code;
}

/* Keys that are sorted are read once; reversed keys are read and written once.  A split reads
 * records twice and writes them once, and the leaves read and write them once; accesses in the
 * cache and further splits of large inputs are not counted.  Each level of the quicksort whose parts
 * exceed the last-level cache and have several keys reads and writes records once, and so do all
 * levels below together. */
static double bytes(const void *params, const void *input_)
{
	const struct radix_input *input = input_;
	const char *from;
	const struct radix_look look = radix_cpu_look(input);
	const double size = radix_cpu_size(input), order = radix_cpu_order_bytes(input);
	const double cache = (double)gb_backends[GB_CPU]->cache_bytes(&from);
	/* Two keys that are left in a part take no level of their own. */
	const double parts = fmin(size / cache, look.distinct / 2);

	if (!look.descents)
		return order + size;
	if (look.descents == input->count - 1)
		return order + 2 * size;
	if (plan_for(params, input).is_split)
		return order + 5 * size;
	return order + 2 * size * (1 + (parts > 1 ? ceil(log2(parts)) : 0));
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
