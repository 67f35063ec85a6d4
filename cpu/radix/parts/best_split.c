/* best_split.c -- cpu/best: splits one task into 256 by a digit.
 *
 * Before anything moves, a survey reads the records once and counts the digits.  If a sample of the
 * records agrees in more than a few leading bits of the digit, moving by it would do little.  Then
 * the OR and the AND of all records first give the bit in which they differ, and the digit begins
 * there.
 */
#include "cpu/radix/parts/best_split.h"

#include <string.h>

enum {
	WASTED_BITS = 3, /* leading constant bits of a digit that justify a pass over all records */
	SAMPLE = 64,
};

#define SAME(x) (x)

#define DEFINE_DIFFERENCE(type, suffix, order)                            \
	/* The bits in which key[0 .. n - 1] differ. */                   \
	static uint64_t difference_##suffix(const void *record, size_t n) \
	{                                                                 \
		const type *key = record;                                 \
		type any = 0, all = (type)-1;                             \
                                                                          \
		for (size_t i = 0; i < n; i++) {                          \
			any |= order(key[i]);                             \
			all &= order(key[i]);                             \
		}                                                         \
		return any ^ all;                                         \
	}

DEFINE_DIFFERENCE(uint32_t, u32, SAME)
DEFINE_DIFFERENCE(uint32_t, f32, radix_f32_order)
DEFINE_DIFFERENCE(uint64_t, u64, SAME)

static void *at(const struct radix_cpu *cpu, void *array, size_t index)
{
	return (unsigned char *)array + index * cpu->width;
}

/* Each thread surveys its share. */
static void survey_all(const struct radix_cpu *cpu, const struct radix_task *task, int threads,
		       unsigned shift, struct radix_survey *survey)
{
	void *key = at(cpu, task->in_spare ? cpu->spare : cpu->record, task->begin);

#pragma omp parallel for num_threads(threads) schedule(static, 1) if (threads > 1)
	for (int t = 0; t < threads; t++) {
		const struct cpu_range r = cpu_range_of(task->count, t, threads);
		const void *mine = at(cpu, key, r.begin);
		const size_t n = r.end - r.begin;

		survey[t] = (struct radix_survey){ 0 };
		if (cpu->width == 8)
			radix_digit_count_u64(mine, n, shift, survey[t].count);
		else if (task->raw)
			radix_digit_count_f32(mine, n, shift, survey[t].count);
		else
			radix_digit_count_u32(mine, n, shift, survey[t].count);
	}
}

/* Each thread moves the records that it surveyed. */
static void move_all(const struct radix_cpu *cpu, const struct radix_task *task, int threads,
		     const struct radix_survey *survey, unsigned shift,
		     size_t first[RADIX_DIGITS + 1])
{
	void *key = at(cpu, task->in_spare ? cpu->spare : cpu->record, task->begin);
	void *out = at(cpu, task->in_spare ? cpu->record : cpu->spare, task->begin);

#pragma omp parallel for num_threads(threads) schedule(static, 1) if (threads > 1)
	for (int t = 0; t < threads; t++) {
		const struct cpu_range r = cpu_range_of(task->count, t, threads);
		size_t position[RADIX_DIGITS];
		const size_t count = r.end - r.begin;
		void *mine = at(cpu, key, r.begin);

		radix_digit_positions(survey->count, sizeof *survey / sizeof(size_t), threads, t,
				      position, t == 0 ? first : NULL);
		if (cpu->width == 8)
			radix_digit_scatter_u64(mine, count, shift, out, position);
		else if (task->raw)
			radix_digit_scatter_f32(mine, count, shift, out, position);
		else
			radix_digit_scatter_u32(mine, count, shift, out, position);
	}
}

/* The lowest bit of the digit below `top`. */
static unsigned digit_shift(const struct radix_cpu *cpu, unsigned top)
{
	return top - cpu->low > RADIX_DIGIT_BITS ? top - RADIX_DIGIT_BITS : cpu->low;
}

/* The bits in which `count` records of a task differ. */
static uint64_t difference(const struct radix_cpu *cpu, const struct radix_task *task,
			   const void *record, size_t count)
{
	if (cpu->width == 8)
		return difference_u64(record, count);
	return task->raw ? difference_f32(record, count) : difference_u32(record, count);
}

/* The bits in which a sample of a task's records differs. */
static uint64_t sampled_difference(const struct radix_cpu *cpu, const struct radix_task *task)
{
	void *record = at(cpu, task->in_spare ? cpu->spare : cpu->record, task->begin);
	uint64_t sample[SAMPLE];
	const size_t count = task->count < SAMPLE ? task->count : SAMPLE;

	for (size_t i = 0; i < count; i++)
		memcpy((char *)sample + i * cpu->width,
		       at(cpu, record, cpu_sample_at(task->count, count, i)), cpu->width);
	return difference(cpu, task, sample, count);
}

/* One more than the highest bit in which the records of a task differ; cpu->low if none does. */
static unsigned first_difference(const struct radix_cpu *cpu, const struct radix_task *task,
				 int threads)
{
	void *record = at(cpu, task->in_spare ? cpu->spare : cpu->record, task->begin);
	uint64_t bits = 0;

	/* Shares overlap by one record, so that their differences combine to that of the task. */
#pragma omp parallel for num_threads(threads) schedule(static, 1) if (threads > 1) \
	reduction(|                                                                \
		  : bits)
	for (int t = 0; t < threads; t++) {
		const struct cpu_range r = cpu_range_of(task->count, t, threads);
		const size_t before = r.begin > 0;

		if (r.begin < r.end)
			bits |= difference(cpu, task, at(cpu, record, r.begin - before),
					   r.end - r.begin + before);
	}
	bits >>= cpu->low;
	return cpu->low + (bits ? 64 - (unsigned)__builtin_clzll(bits) : 0);
}

enum radix_found radix_split(const struct radix_cpu *cpu, struct radix_task *task, int threads,
			     struct radix_survey *survey, unsigned *shift,
			     size_t first[RADIX_DIGITS + 1])
{
	*shift = digit_shift(cpu, task->top);
	if (sampled_difference(cpu, task) >> *shift >> (RADIX_DIGIT_BITS - WASTED_BITS) == 0) {
		task->top = first_difference(cpu, task, threads);
		if (task->top == cpu->low)
			return RADIX_WAS_EQUAL;
		*shift = digit_shift(cpu, task->top);
	}
	survey_all(cpu, task, threads, *shift, survey);
	move_all(cpu, task, threads, survey, *shift, first);
	return RADIX_WAS_SPLIT;
}

bool radix_is_skewed(const struct radix_cpu *cpu, const struct radix_task *task)
{
	enum { SAMPLES = 256, FEW = 150 }; /* evenly spread digits: 256 (1 - 1/e) = 162 */
	void *array = task->in_spare ? cpu->spare : cpu->record;
	uint64_t key[SAMPLES], any = 0, all = UINT64_MAX;
	bool seen[RADIX_DIGITS] = { false };
	unsigned digits = 0, top;

	for (size_t i = 0; i < SAMPLES; i++) {
		const void *from =
			at(cpu, array, task->begin + cpu_sample_at(task->count, SAMPLES, i));

		key[i] = cpu->width == 8 ? *(const uint64_t *)from : *(const uint32_t *)from;
		any |= key[i];
		all &= key[i];
	}
	top = any ^ all ? 64 - (unsigned)__builtin_clzll(any ^ all) : 0;
	for (size_t i = 0; i < SAMPLES; i++) {
		const size_t d = key[i] >> (top > RADIX_DIGIT_BITS ? top - RADIX_DIGIT_BITS : 0) &
				 (RADIX_DIGITS - 1);

		digits += !seen[d];
		seen[d] = true;
	}
	return digits < FEW;
}
