/* lsd8.c -- cpu/lsd8: least-significant-digit counting sort, 8 bits per pass, OpenMP.
 *
 * Against split: 256 destinations instead of 2, so an eighth of the passes.  Each thread owns a
 * contiguous chunk.  Per digit it counts its keys; the counts of all threads give the places of its
 * keys of each digit, and it moves them in order.  A pass whose digit is the same in all keys is
 * skipped.  Segments are sorted side by side, each by one thread.  The bound is memory: a key is
 * read twice and written once per pass.
 */
#include <omp.h>
#include <string.h>

#include "common/benchmark.h"
#include "common/memory.h"
#include "cpu/primitives/sort.h"
#include "cpu/radix/shared/records.h"

struct state {
	struct radix_cpu cpu;          /* first member: see radix_cpu_reset() */
	size_t (*count)[RADIX_DIGITS]; /* one per thread */
	void *result;                  /* record array in which run() left the keys */
};

static enum gb_status create(void *state, const void *params, const void *input,
			     struct gb_error *err)
{
	struct state *s = state;

	if (radix_cpu_init(&s->cpu, params, input, true, err))
		return err->code;
	s->count = gb_host_alloc((size_t)s->cpu.threads, sizeof *s->count, err);
	return err->code;
}

/* All passes, as one thread of `threads` runs them.  The first thread names the phases. */
static void passes(struct state *s, int thread, int threads, struct gb_timer *timer)
{
	const struct radix_cpu *cpu = &s->cpu;
	const struct cpu_range share = cpu_range_of(cpu->count, thread, threads);
	const size_t begin = share.begin * cpu->width, n = share.end - share.begin;
	void *src = cpu->record, *out = cpu->spare;
	size_t position[RADIX_DIGITS];

	for (unsigned low = cpu->low; low < cpu->top; low += RADIX_DIGIT_BITS) {
		const struct radix_digit digit = radix_digit_from(low, cpu->top);

		if (thread == 0)
			gb_phase(timer, "histogram");
		memset(s->count[thread], 0, sizeof s->count[thread]);
		radix_digit_count((char *)src + begin, n, cpu->width, digit, s->count[thread]);
#pragma omp barrier
		const bool skip =
			radix_digit_positions(s->count, threads, thread, position) == cpu->count;

		if (thread == 0)
			gb_phase(timer, "scatter");
		if (!skip)
			radix_digit_scatter((char *)src + begin, n, cpu->width, digit, out,
					    position);
#pragma omp barrier
		void *swap = src;
		src = skip ? src : out;
		out = skip ? out : swap;
	}
	if (thread == 0)
		s->result = src;
}

static void sort_segments(const struct radix_cpu *cpu)
{
#pragma omp parallel for num_threads(cpu->threads) schedule(dynamic, 16)
	for (size_t s = 0; s < cpu->input->segments; s++) {
		const size_t begin = radix_cpu_segment(cpu, s);

		radix_sort_digits(radix_at(cpu->record, cpu->width, begin),
				  radix_at(cpu->spare, cpu->width, begin), false,
				  radix_cpu_segment(cpu, s + 1) - begin, cpu->width, cpu->low,
				  cpu->top);
	}
}

static enum gb_status run(void *state, struct gb_timer *timer, struct gb_error *err)
{
	struct state *s = state;
	struct radix_cpu *const cpu = &s->cpu;

	radix_cpu_flip(cpu, false, timer);
	if (cpu->input->segments > 1) {
		sort_segments(cpu);
	} else {
#pragma omp parallel num_threads(cpu->threads)
		passes(s, omp_get_thread_num(), omp_get_num_threads(), timer);
		if (s->result != cpu->record)
			radix_cpu_swap(cpu);
	}
	radix_cpu_flip(cpu, true, timer);
	return GB_OK;
}

const struct gb_variant_ops radix_cpu_lsd8 = {
	.state_size = sizeof(struct state),
	.create = create,
	.reset = radix_cpu_reset,
	.run = run,
	.download = radix_cpu_download,
	.excluded = radix_cpu_excluded,
};
