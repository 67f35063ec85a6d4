/* sort.c -- the sorts of the CPU builders: a stable LSD radix sort, and the paper's bitonic sort.
 *
 * 30-bit codes are packed with their primitives, 8 bytes a record.  Threads first cut them into as
 * many ranges of codes as there are threads; each thread then sorts one range in three passes of 10
 * bits, whose digits are counted in one go.  63-bit codes lie beside their primitives, 12 bytes,
 * and take six passes of 11 bits (the last one of 8) that all threads make together: each counts
 * and moves one contiguous part.  Digits have 8 bits if several threads have few records each.
 * Codes of 30 bits that cannot be cut evenly are sorted like this, too.  A pass in which all digits
 * are equal is skipped.  The bound is memory: a record is read once and written once per pass, and
 * read once more for each count.
 */
#include "cpu/lbvh/shared/frame.h"

#include <string.h>

enum {
	BITS_30 = 10,
	BITS_63 = 11,
	/* Threads that scatter few records share nearly every cache line: with fewer records per
	 * thread, digits are shorter. */
	FEW = 1 << 17,
	BITS_FEW = 8,
};

/* The source and destination of a pass. */
struct sides {
	uint64_t *key, *key_out;
	uint32_t *value, *value_out; /* NULL for packed records */
};

static void count_part(const uint64_t *key, size_t begin, size_t end, unsigned shift, uint32_t mask,
		       uint32_t *count)
{
	memset(count, 0, ((size_t)mask + 1) * sizeof *count);
	for (size_t i = begin; i < end; i++)
		count[(uint32_t)(key[i] >> shift) & mask]++;
}

/* Turn the counts of all threads into the places of their first records.  True if one digit has all
 * records. */
static bool place_digits(struct lbvh_cpu *cpu, int threads, uint32_t mask)
{
	uint32_t sum = 0;

	for (size_t d = 0; d <= mask; d++) {
		const uint32_t before = sum;

		for (int t = 0; t < threads; t++) {
			const uint32_t count = cpu->histogram[t][d];

			cpu->histogram[t][d] = sum;
			sum += count;
		}
		if (sum - before == cpu->count)
			return true;
	}
	return false;
}

/* Move packed records, which have no separate values. */
static void move_packed(const uint64_t *restrict key, uint64_t *restrict out, size_t n,
			unsigned shift, uint32_t mask, uint32_t *restrict place)
{
	for (size_t i = 0; i < n; i++)
		out[place[(uint32_t)(key[i] >> shift) & mask]++] = key[i];
}

static void move_both(const struct sides *s, size_t begin, size_t end, unsigned shift,
		      uint32_t mask, uint32_t *restrict place)
{
	const uint64_t *restrict key = s->key;
	const uint32_t *restrict value = s->value;
	uint64_t *restrict key_out = s->key_out;
	uint32_t *restrict value_out = s->value_out;

	for (size_t i = begin; i < end; i++) {
		const uint32_t to = place[(uint32_t)(key[i] >> shift) & mask]++;

		key_out[to] = key[i];
		value_out[to] = value[i];
	}
}

static void swap_sides(struct sides *s)
{
	uint64_t *key = s->key;
	uint32_t *value = s->value;

	s->key = s->key_out;
	s->key_out = key;
	s->value = s->value_out;
	s->value_out = value;
}

/* One pass by the digit at `shift`.  Each thread has its own `s`. */
static void pass(struct lbvh_cpu *cpu, struct sides *s, unsigned shift, uint32_t mask)
{
	const int t = omp_get_thread_num(), threads = omp_get_num_threads();
	const size_t begin = cpu->count * (size_t)t / (size_t)threads;
	const size_t end = cpu->count * ((size_t)t + 1) / (size_t)threads;

	count_part(s->key, begin, end, shift, mask, cpu->histogram[t]);
#pragma omp barrier
#pragma omp single
	cpu->constant = place_digits(cpu, threads, mask);
	if (!cpu->constant && s->value)
		move_both(s, begin, end, shift, mask, cpu->histogram[t]);
	else if (!cpu->constant)
		move_packed(s->key + begin, s->key_out, end - begin, shift, mask,
			    cpu->histogram[t]);
	if (!cpu->constant)
		swap_sides(s);
#pragma omp barrier
}

/* ---- ranges ------------------------------------------------------------------------------- */

enum {
	PASSES = 3,
	LOW_30 = 32, /* first bit of the code in a record */
	TOP_SHIFT = LOW_30 + (PASSES - 1) * BITS_30,
	DIGITS = 1 << BITS_30,
	MAX_RANGES = LBVH_CPU_DIGITS - DIGITS, /* ranges whose counters fit behind the digits */
};

static uint32_t digit_30(uint64_t key, unsigned shift)
{
	return (uint32_t)(key >> shift) & (DIGITS - 1);
}

/* Sort n records by their codes.  True if they end up in `b`. */
static bool sort_alone(uint64_t *a, uint64_t *b, size_t n, uint32_t *count)
{
	uint64_t *const first = a;

	memset(count, 0, (size_t)PASSES * DIGITS * sizeof *count);
	for (size_t i = 0; i < n; i++)
		for (unsigned pass = 0; pass < PASSES; pass++)
			count[pass * DIGITS + digit_30(a[i], LOW_30 + pass * BITS_30)]++;
	for (unsigned pass = 0; pass < PASSES; pass++, count += DIGITS) {
		const unsigned shift = LOW_30 + pass * BITS_30;
		uint64_t *const to = b;
		uint32_t sum = 0;

		if (n == 0 || count[digit_30(a[0], shift)] == n)
			continue;
		for (size_t d = 0; d < DIGITS; d++) {
			const uint32_t one = count[d];

			count[d] = sum;
			sum += one;
		}
		move_packed(a, to, n, shift, DIGITS - 1, count);
		b = a;
		a = to;
	}
	return a != first;
}

/* Cut the codes into ranges of about as many records each, by the highest digit, which all threads
 * have counted.  A digit's count is replaced by the index of its range's counter.  The counters lie
 * behind the digits and hold where the thread's first record of the range goes.  The row behind the
 * threads' rows holds the places of the ranges.  False if a range has much more than its share. */
static bool cut_ranges(struct lbvh_cpu *cpu, int threads)
{
	const size_t share = cpu->count / (size_t)threads + 1;
	uint32_t *const place = cpu->histogram[threads];
	uint32_t sum = 0, in_range = 0;
	int range = -1;

	for (uint32_t d = 0; d < DIGITS; d++) {
		/* Start the next range if the ranges so far have their share of the records. */
		if (range < 0 || (range + 1 < threads && sum >= share * (size_t)(range + 1))) {
			place[++range] = sum;
			for (int t = 0; t < threads; t++)
				cpu->histogram[t][DIGITS + range] = 0;
		}
		for (int t = 0; t < threads; t++) {
			uint32_t *const count = &cpu->histogram[t][d];

			sum += *count;
			cpu->histogram[t][DIGITS + range] += *count;
			*count = (uint32_t)(DIGITS + range);
		}
		in_range = sum - place[range];
		if (in_range > share + share / 4)
			return false;
	}
	while (++range <= threads)
		place[range] = sum;
	for (int i = 0; i < threads; i++) {
		uint32_t to = place[i];

		for (int t = 0; t < threads; t++) {
			uint32_t *const counter = &cpu->histogram[t][DIGITS + i];
			const uint32_t count = place[i] < place[i + 1] ? *counter : 0;

			*counter = to;
			to += count;
		}
	}
	return true;
}

/* Called by all threads.  True if the records are sorted, in cpu->pair. */
static bool sort_ranges(struct lbvh_cpu *cpu)
{
	const int t = omp_get_thread_num(), threads = omp_get_num_threads();
	const size_t begin = cpu->count * (size_t)t / (size_t)threads;
	const size_t end = cpu->count * ((size_t)t + 1) / (size_t)threads;
	uint32_t *const mine = cpu->histogram[t];
	const uint64_t *const from = cpu->pair;
	uint64_t *const to = cpu->pair_spare;
	size_t first, n;

	count_part(from, begin, end, TOP_SHIFT, DIGITS - 1, mine);
#pragma omp barrier
#pragma omp single
	cpu->even = cut_ranges(cpu, threads);
	if (!cpu->even)
		return false;
	for (size_t i = begin; i < end; i++)
		to[mine[mine[digit_30(from[i], TOP_SHIFT)]]++] = from[i];
#pragma omp barrier
	first = cpu->histogram[threads][t];
	n = cpu->histogram[threads][t + 1] - first;
	if (!sort_alone(cpu->pair_spare + first, cpu->pair + first, n, mine))
		memcpy(cpu->pair + first, cpu->pair_spare + first, n * sizeof *cpu->pair);
#pragma omp barrier
	return true;
}

static void sort_together(struct lbvh_cpu *cpu)
{
	const bool wide = cpu->needs & LBVH_CPU_CODES_63;
	const int threads = omp_get_num_threads();
	const bool few = threads > 1 && cpu->count < (size_t)FEW * (size_t)threads;
	const unsigned bits = few ? BITS_FEW : wide ? BITS_63 : BITS_30;
	const unsigned low = wide ? 0 : LOW_30, top = wide ? 63 : 62;
	struct sides s = { cpu->pair, cpu->pair_spare, wide ? cpu->index : NULL,
			   wide ? cpu->index_spare : NULL };

	for (unsigned shift = low; shift < top; shift += bits)
		pass(cpu, &s, shift, (UINT32_C(1) << bits) - 1);
#pragma omp single
	{
		cpu->pair = s.key;
		cpu->pair_spare = s.key_out;
		if (wide) {
			cpu->index = s.value;
			cpu->index_spare = s.value_out;
		}
	}
}

/* ---- a bitonic network ---------------------------------------------------------------------- */

/* Compare and exchange all pairs (i, i + step) of one stage; blocks of `size` alternate between
 * ascending and descending.  The pair is computed from its index k, as in a GPU thread. */
static void stage(struct lbvh_cpu *cpu, size_t pairs, size_t size, size_t step)
{
	uint64_t *pair = cpu->pair;

#pragma omp for schedule(static)
	for (size_t k = 0; k < pairs; k++) {
		const size_t i = 2 * k - (k & (step - 1)), j = i + step;
		const uint64_t a = pair[i], b = pair[j];
		const bool swap = (a > b) == ((i & size) == 0);

		pair[i] = swap ? b : a;
		pair[j] = swap ? a : b;
	}
}

static void sort_bitonic(struct lbvh_cpu *cpu)
{
	size_t power = 1;

	while (power < cpu->count)
		power *= 2;
#pragma omp for schedule(static)
	for (size_t i = cpu->count; i < power; i++)
		cpu->pair[i] = UINT64_MAX;
	for (size_t size = 2; size <= power; size *= 2)
		for (size_t step = size / 2; step > 0; step /= 2)
			stage(cpu, power / 2, size, step);
}

void lbvh_cpu_sort(struct lbvh_cpu *cpu, struct gb_timer *timer)
{
	lbvh_cpu_phase(timer, "sort");
	if (cpu->needs & LBVH_CPU_POWER) {
		sort_bitonic(cpu);
	} else if (cpu->needs & LBVH_CPU_CODES_63) {
		sort_together(cpu);
	} else if (omp_get_num_threads() > 1) {
		if (omp_get_num_threads() > MAX_RANGES || !sort_ranges(cpu))
			sort_together(cpu);
	} else if (sort_alone(cpu->pair, cpu->pair_spare, cpu->count, cpu->histogram[0])) {
		uint64_t *const sorted = cpu->pair_spare;

		cpu->pair_spare = cpu->pair;
		cpu->pair = sorted;
	}
}
