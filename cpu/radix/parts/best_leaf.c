/* best_leaf.c -- cpu/best: a task that fits the cache, in portable C, stable.
 *
 * Least-significant-digit counting sort, 8 bits a pass, between the task's own ranges of the two
 * arrays, all digits counted in one pass, constant digits skipped; few records by insertion.
 * This is the path of pairs, and of keys on a processor without AVX-512.
 */
#include <string.h>

#include "cpu/radix/parts/best.h"

enum { FEW = 32, MAX_PASSES = 64 / RADIX_DIGIT_BITS };

/* Stable; key and out may be the same.  Bits below `low` are not compared. */
#define DEFINE_INSERTION(type, suffix)                                                     \
	static void insertion_##suffix(const type *key, size_t n, unsigned low, type *out) \
	{                                                                                  \
		for (size_t i = 0; i < n; i++) {                                           \
			type x = key[i];                                                   \
			size_t j = i;                                                      \
                                                                                           \
			for (; j && out[j - 1] >> low > x >> low; j--)                     \
				out[j] = out[j - 1];                                       \
			out[j] = x;                                                        \
		}                                                                          \
	}

/* Count `passes` digits of 8 bits from `low` on. */
#define DEFINE_COUNT(type, suffix)                                                           \
	static void count_##suffix(const type *key, size_t n, unsigned low, unsigned passes, \
				   uint32_t(*count)[RADIX_DIGITS])                           \
	{                                                                                    \
		memset(count, 0, passes * sizeof *count);                                    \
		for (size_t i = 0; i < n; i++) {                                             \
			type x = key[i] >> low;                                              \
                                                                                             \
			for (unsigned p = 0; p < passes; p++, x >>= RADIX_DIGIT_BITS)        \
				count[p][x & 255]++;                                         \
		}                                                                            \
	}

/* One pass; turns count into positions.  False, and nothing done, if the digit is constant. */
#define DEFINE_PASS(type, suffix)                                                     \
	static bool pass_##suffix(const type *restrict key, size_t n, unsigned shift, \
				  type *restrict out, uint32_t count[RADIX_DIGITS])   \
	{                                                                             \
		uint32_t sum = 0;                                                     \
                                                                                      \
		if (count[key[0] >> shift & 255] == n)                                \
			return false;                                                 \
		for (size_t d = 0; d < RADIX_DIGITS; d++) {                           \
			uint32_t c = count[d];                                        \
                                                                                      \
			count[d] = sum;                                               \
			sum += c;                                                     \
		}                                                                     \
		for (size_t i = 0; i < n; i++) {                                      \
			type *to = out + count[key[i] >> shift & 255]++;              \
                                                                                      \
			*to = key[i];                                                 \
			__builtin_prefetch(RADIX_NEXT_LINE(to), 1);                   \
		}                                                                     \
		return true;                                                          \
	}

#define DEFINE_LEAF(type, suffix)                                                                    \
	DEFINE_INSERTION(type, suffix)                                                               \
	DEFINE_COUNT(type, suffix)                                                                   \
	DEFINE_PASS(type, suffix)                                                                    \
	/* Sort n records that lie in key; the result belongs into out, which is either of the two \
	 * ranges key and other. */ \
	static void leaf_##suffix(type *key, type *other, type *out, size_t n, unsigned low,         \
				  unsigned top)                                                      \
	{                                                                                            \
		uint32_t count[MAX_PASSES][RADIX_DIGITS];                                            \
		unsigned passes = (top - low + RADIX_DIGIT_BITS - 1) / RADIX_DIGIT_BITS;             \
                                                                                                     \
		if (n <= FEW) {                                                                      \
			insertion_##suffix(key, n, low, out);                                        \
			return;                                                                      \
		}                                                                                    \
		count_##suffix(key, n, low, passes, count);                                          \
		for (unsigned p = 0; p < passes; p++) {                                              \
			if (!pass_##suffix(key, n, low + p * RADIX_DIGIT_BITS, other, count[p]))     \
				continue;                                                            \
			type *swap = key;                                                            \
			key = other;                                                                 \
			other = swap;                                                                \
		}                                                                                    \
		if (key != out)                                                                      \
			memcpy(out, key, n * sizeof *out);                                           \
	}

DEFINE_LEAF(uint32_t, u32)
DEFINE_LEAF(uint64_t, u64)

void radix_leaf_stable(const struct radix_cpu *cpu, const struct radix_task *task)
{
	void *from = task->in_spare ? cpu->spare : cpu->record;
	void *other = task->in_spare ? cpu->record : cpu->spare;
	size_t n = task->count, b = task->begin;

	if (cpu->width == 8)
		leaf_u64((uint64_t *)from + b, (uint64_t *)other + b, (uint64_t *)cpu->record + b,
			 n, cpu->low, task->top);
	else
		leaf_u32((uint32_t *)from + b, (uint32_t *)other + b, (uint32_t *)cpu->record + b,
			 n, cpu->low, task->top);
}
