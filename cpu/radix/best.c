/* best.c -- cpu/best: the fastest CPU sort of this project.
 *
 * Against lsd8: most passes run in a core's own cache.
 *
 * With vectors, records are words that are sorted by all their bits: keys, and pairs whose values
 * ascend, so that comparing them, too, makes the sort stable.  Other values are replaced by places
 * and fetched at the end.  A quicksort by vectors
 * (cpu/primitives/quicksort.h) sorts words in place, whatever their distribution.  With a few threads,
 * one cuts the records in two, two cut the halves, and so on.
 *
 * Many threads, vectors of few words, and processors without vectors first split the records by their
 * highest digit into 256 parts, from one array to another: one pass counts, one moves.  Each part is
 * then sorted by one thread, or by several if it is large, by the quicksort or, without vectors, by a
 * stable counting sort.
 *
 * Before that, vectors recognise records that ascend, descend or nearly ascend.
 *
 * The quicksort takes at most twice the levels of perfect medians and then one level per bit, so
 * the work is bounded for every input.  The bound is memory: a level whose parts exceed the cache
 * reads and writes the records once, as do all levels below it together.
 */
#include <omp.h>
#include <string.h>

#include "common/benchmark.h"
#include "common/memory.h"
#include "cpu/primitives/sort.h"
#include "cpu/radix/shared/records.h"

enum {
	SMALL = 1 << 14, /* records that are not split */
	WORTH = 1 << 14, /* records that make another thread worth its start */
	/* Most threads that cut the records; one makes the first cut.  A split by digits would move
	 * the records between cores in short pieces, which takes longer. */
	FEW_THREADS = 4,
};

struct state {
	struct radix_cpu cpu;                   /* first member: see radix_cpu_reset() */
	const struct radix_vector_ops *vectors; /* NULL: sorted by digits alone */
	void *few;                              /* radix_few_of() records, for vectors */
	bool is_split;                          /* by digits before */
	size_t share;                           /* parts of more words may go to another thread */
	size_t (*count)[RADIX_DIGITS];          /* one per thread: records by their digit */
};

/* Number of threads: no more than the records are worth. */
static int threads_for(const struct radix_params *p, const struct radix_input *input)
{
	const size_t worth = 1 + input->count / WORTH;
	const int threads = radix_cpu_threads(p);

	return (size_t)threads > worth ? (int)worth : threads;
}

static bool is_split(const struct radix_params *p, const struct radix_input *input)
{
	const bool wide = input->value_size || input->key_size == 8;
	const enum cpu_simd simd = cpu_simd();

	return input->count > SMALL && (simd < CPU_AVX2 || (simd < CPU_AVX512 && wide) ||
					threads_for(p, input) > FEW_THREADS);
}

static void *at(void *array, const struct state *s, size_t index)
{
	return (char *)array + index * s->cpu.width;
}

/* ---- split by digits ----------------------------------------------------------------------- */

/* Move the records to `spare` by the highest digit in which they differ.  Digit d then begins at
 * first[d].  Returns the digit's lowest bit. */
static unsigned split(const struct state *s, size_t first[RADIX_DIGITS + 1])
{
	const struct radix_cpu *cpu = &s->cpu;
	const size_t n = cpu->count, width = cpu->width;
	size_t position[RADIX_DIGITS], most = n;
	unsigned shift = cpu->top;

	while (most == n && shift > cpu->low) {
		shift -= RADIX_DIGIT_BITS;
#pragma omp parallel for num_threads(cpu->threads) schedule(static, 1) if (cpu->threads > 1)
		for (int t = 0; t < cpu->threads; t++) {
			const struct cpu_range r = cpu_range_of(n, t, cpu->threads);

			memset(s->count[t], 0, sizeof s->count[t]);
			radix_digit_count(at(cpu->record, s, r.begin), r.end - r.begin, width,
					  shift, s->count[t]);
		}
		radix_digit_positions(s->count, cpu->threads, 0, first);
		first[RADIX_DIGITS] = n;
		most = 0;
		for (size_t d = 0; d < RADIX_DIGITS; d++)
			most = first[d + 1] - first[d] > most ? first[d + 1] - first[d] : most;
	}
#pragma omp parallel for num_threads(cpu->threads) \
	schedule(static, 1) if (cpu->threads > 1) private(position)
	for (int t = 0; t < cpu->threads; t++) {
		const struct cpu_range r = cpu_range_of(n, t, cpu->threads);

		radix_digit_positions(s->count, cpu->threads, t, position);
		radix_digit_scatter(at(cpu->record, s, r.begin), r.end - r.begin, width, shift,
				    cpu->spare, position);
	}
	return shift;
}

/* Sort n records from number `begin` on, which lie in `spare` and agree from bit `top` on. */
static void sort_part(const struct state *s, size_t begin, size_t n, unsigned top)
{
	const struct radix_cpu *cpu = &s->cpu;
	void *record = at(cpu->record, s, begin), *spare = at(cpu->spare, s, begin);

	if (!s->vectors) {
		radix_sort_digits(record, spare, true, n, cpu->width, cpu->low, top);
		return;
	}
	memcpy(record, spare, n * cpu->width);
	s->vectors->sort(record, n, radix_medians_for(n), s->share);
}

/* ---- the run ------------------------------------------------------------------------------- */

static void sort(const struct state *s, struct gb_timer *timer)
{
	const struct radix_cpu *cpu = &s->cpu;
	size_t first[RADIX_DIGITS + 1];
	unsigned top;

	if (s->is_split) {
		gb_phase(timer, "split");
		top = split(s, first);
		gb_phase(timer, "leaves");
#pragma omp parallel for num_threads(cpu->threads) schedule(dynamic, 1) if (cpu->threads > 1)
		for (size_t d = 0; d < RADIX_DIGITS; d++)
			sort_part(s, first[d], first[d + 1] - first[d], top);
	} else if (s->vectors) {
#pragma omp parallel num_threads(cpu->threads) if (cpu->threads > 1)
#pragma omp single nowait
		s->vectors->sort(cpu->record, cpu->count, radix_medians_for(cpu->count), s->share);
	} else {
		radix_sort_digits(cpu->record, cpu->spare, false, cpu->count, cpu->width, cpu->low,
				  cpu->top);
	}
}

/* True if the records are sorted now: they ascended, or each was below the one before it. */
static bool sort_ordered(const struct state *s)
{
	const size_t n = s->cpu.count, width = s->cpu.width;
	const int threads = s->cpu.threads;
	uint64_t *wide = s->cpu.record;
	uint32_t *narrow = s->cpu.record;
	unsigned order = RADIX_ASCENDS | RADIX_DESCENDS;

	/* Shares overlap by one record. */
#pragma omp parallel for num_threads(threads) schedule(static, 1) if (threads > 1) \
	reduction(& : order)
	for (int t = 0; t < threads; t++) {
		const struct cpu_range r = cpu_range_of(n, t, threads);
		const size_t begin = r.begin - (r.begin > 0);

		order &= s->vectors->order(at(s->cpu.record, s, begin), r.end - begin, s->cpu.low,
					   s->cpu.is_float);
	}
	if (order != RADIX_DESCENDS)
		return order != 0;
#pragma omp parallel for num_threads(threads) schedule(static) if (threads > 1)
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

	if (!s->cpu.count || (s->vectors && sort_ordered(s)))
		return GB_OK;
	radix_cpu_to_order(&s->cpu, NULL);
	radix_cpu_to_words(&s->cpu);
	if (!s->vectors || !s->vectors->sort_nearly(s->cpu.record, s->cpu.count, s->few))
		sort(s, timer);
	radix_cpu_from_words(&s->cpu);
	radix_cpu_from_order(&s->cpu, NULL);
	return GB_OK;
}

/* ---- the variant --------------------------------------------------------------------------- */

static enum gb_status create(void *state, const void *params, const void *input_,
			     struct gb_error *err)
{
	const struct radix_input *input = input_;
	const int threads = threads_for(params, input);
	struct state *s = state;

	s->is_split = is_split(params, input);
	s->vectors = radix_vectors(input->value_size ? 8 : input->key_size, cpu_simd());
	if (radix_cpu_init(&s->cpu, params, input, s->is_split || !s->vectors, err))
		return err->code;
	s->cpu.threads = threads;
	if (s->vectors) {
		(void)radix_cpu_init_words(&s->cpu, params, err);
		s->few = gb_host_alloc(radix_few_of(s->cpu.count), s->cpu.width, err);
	}
	s->share = threads > 1 ? s->cpu.count / (4 * (size_t)threads) : SIZE_MAX;
	if (s->share < SMALL)
		s->share = SMALL;
	s->count = gb_host_alloc((size_t)threads, sizeof *s->count, err);
	return err->code;
}

const struct gb_variant_ops radix_cpu_best = {
	.state_size = sizeof(struct state),
	.create = create,
	.reset = radix_cpu_reset,
	.run = run,
	.download = radix_cpu_download,
	.excluded = radix_cpu_excluded,
};
