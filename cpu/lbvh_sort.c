/* lbvh_sort.c -- the radix sort of the CPU builders: least significant digit first, stable.
 *
 * 30-bit codes travel packed with their primitives, 8 bytes a record, three passes of 10 bits;
 * 63-bit codes beside theirs, 12 bytes, six passes of 11 bits (the last one of 8); in digits of 8
 * bits where several threads sort little.  Each thread counts and moves one contiguous part; a pass
 * in which all digits are equal is left out.  The bound is memory: a record is read twice and
 * written once per pass.
 */
#include <omp.h>
#include <string.h>

#include "cpu/lbvh_common.h"

enum {
	BITS_30 = 10,
	BITS_63 = 11,
	/* Threads that write to all places of few records share nearly every cache line: below so
	 * many records a thread the digits are shorter. */
	FEW = 1 << 17,
	BITS_FEW = 8,
};

/* Where a pass reads and writes. */
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

/* Counts of all threads to places of their first records; whether one digit has all records. */
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

/* Packed records: nothing beside the keys. */
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

/* One pass by the digit at `shift`; every thread keeps `s` for itself. */
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

void lbvh_cpu_sort_radix(struct lbvh_cpu *cpu, struct gb_timer *timer)
{
	const bool wide = cpu->needs & LBVH_CPU_CODES_63;
	const int threads = omp_get_num_threads();
	const bool few = threads > 1 && cpu->count < (size_t)FEW * (size_t)threads;
	const unsigned bits = few ? BITS_FEW : wide ? BITS_63 : BITS_30;
	const unsigned low = wide ? 0 : 32, top = wide ? 63 : 62;
	struct sides s = { cpu->pair, cpu->pair_spare, wide ? cpu->index : NULL,
			   wide ? cpu->index_spare : NULL };

	lbvh_cpu_phase(timer, "sort");
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
