/* pairs.c -- sorts a leaf of pairs by vectors, stably.
 *
 * Pairs whose values ascend, as in an argsort, are words whose order is that of a stable sort.  For
 * other pairs, the words sorted consist of a record's key and, below it, its place in the leaf.
 * Places are distinct and keep equal keys in their input order.  Afterwards the values are fetched
 * by place; they are in the cache.
 */
#include "cpu/sort/leaf.h"

static const uint64_t key_bits = UINT64_MAX << 32;

#if defined(__x86_64__)
CPU_AVX2_TARGET
#endif
bool radix_values_ascend(const uint64_t *pair, size_t n)
{
	enum { BLOCK = 1024 };

	for (size_t i = 0; i + 1 < n; i += BLOCK) {
		const size_t end = n - 1 - i < BLOCK ? n - 1 : i + BLOCK;
		uint64_t descents = 0;

		/* The top bit of a difference of two 32-bit numbers is set if it is negative. */
		for (size_t k = i; k < end; k++)
			descents |= (pair[k + 1] & UINT32_MAX) - (pair[k] & UINT32_MAX);
		if (descents >> 63)
			return false;
	}
	return true;
}

static void sort_words(const struct radix_leaf *leaf, uint32_t *value, enum cpu_simd simd)
{
	const uint64_t *pair = leaf->in_spare ? leaf->spare : leaf->record;
	uint64_t *word = leaf->record;
	const struct radix_leaf words = { .record = word,
					  .count = leaf->count,
					  .width = sizeof *word };

	for (size_t i = 0; i < leaf->count; i++) {
		value[i] = (uint32_t)pair[i];
		word[i] = (pair[i] & key_bits) | i;
	}
	radix_leaf_pivots(&words, simd);
	for (size_t i = 0; i < leaf->count; i++)
		word[i] = (word[i] & key_bits) | value[(uint32_t)word[i]];
}

void radix_leaf_pairs(const struct radix_leaf *leaf, uint32_t *value, enum cpu_simd simd)
{
	if (radix_values_ascend(leaf->in_spare ? leaf->spare : leaf->record, leaf->count))
		radix_leaf_pivots(leaf, simd);
	else
		sort_words(leaf, value, simd);
}
