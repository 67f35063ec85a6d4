/* stable.c -- sorts a leaf in portable C, stably.
 *
 * Least-significant-digit counting sort, 8 bits per pass, between the two arrays.  All digits are
 * counted in one pass, and constant digits are skipped; few records are sorted by insertion.
 */
#include <string.h>

#include "cpu/sort/digit.h"
#include "cpu/sort/leaf.h"

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

/* One pass; turns count into positions.  Does nothing and returns false if the digit is
 * constant. */
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

/* leaf_suffix(): sort n records in key; the result goes to out, which is either key or other. */
#define DEFINE_LEAF(type, suffix)                                                                \
	DEFINE_INSERTION(type, suffix)                                                           \
	DEFINE_COUNT(type, suffix)                                                               \
	DEFINE_PASS(type, suffix)                                                                \
	static void leaf_##suffix(type *key, type *other, type *out, size_t n, unsigned low,     \
				  unsigned top)                                                  \
	{                                                                                        \
		uint32_t count[MAX_PASSES][RADIX_DIGITS];                                        \
		unsigned passes = (top - low + RADIX_DIGIT_BITS - 1) / RADIX_DIGIT_BITS;         \
                                                                                                 \
		if (n <= FEW) {                                                                  \
			insertion_##suffix(key, n, low, out);                                    \
			return;                                                                  \
		}                                                                                \
		count_##suffix(key, n, low, passes, count);                                      \
		for (unsigned p = 0; p < passes; p++) {                                          \
			if (!pass_##suffix(key, n, low + p * RADIX_DIGIT_BITS, other, count[p])) \
				continue;                                                        \
			type *swap = key;                                                        \
			key = other;                                                             \
			other = swap;                                                            \
		}                                                                                \
		if (key != out)                                                                  \
			memcpy(out, key, n * sizeof *out);                                       \
	}

DEFINE_LEAF(uint32_t, u32)
DEFINE_LEAF(uint64_t, u64)

void radix_leaf_stable(const struct radix_leaf *leaf)
{
	void *from = leaf->in_spare ? leaf->spare : leaf->record;
	void *other = leaf->in_spare ? leaf->record : leaf->spare;

	if (leaf->width == 8)
		leaf_u64(from, other, leaf->record, leaf->count, leaf->low, leaf->top);
	else
		leaf_u32(from, other, leaf->record, leaf->count, leaf->low, leaf->top);
}
