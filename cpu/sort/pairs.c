/* pairs.c -- a leaf of pairs by vectors, stable.
 *
 * What is sorted are words: a record's key, and behind it its place in the leaf, which is different in all
 * and puts equal keys in the order that they came in.  The values are fetched by those places then, from
 * the records, which are in the cache.
 */
#include <string.h>

#include "cpu/sort/leaf.h"

static const uint64_t key_bits = UINT64_MAX << 32;

void radix_leaf_pairs(const struct radix_leaf *leaf, const struct radix_scratch *scratch,
		      enum cpu_simd simd)
{
	uint64_t *record = leaf->record, *pair = leaf->spare, *word = scratch->words;
	const struct radix_leaf words = { .record = record,
					  .spare = word,
					  .count = leaf->count,
					  .width = sizeof *word,
					  .top = leaf->top,
					  .in_spare = true };

	if (!leaf->in_spare)
		memcpy(pair, record, leaf->count * sizeof *pair);
	for (size_t i = 0; i < leaf->count; i++)
		word[i] = (pair[i] & key_bits) | i;
	radix_leaf_vector(&words, scratch, simd);
	for (size_t i = 0; i < leaf->count; i++)
		record[i] = (record[i] & key_bits) | (uint32_t)pair[(uint32_t)record[i]];
}
