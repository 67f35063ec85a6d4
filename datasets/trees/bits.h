/* bits.h -- access to single bits of a tree's field. */
#ifndef GPUBENCH_DATASETS_TREES_BITS_H
#define GPUBENCH_DATASETS_TREES_BITS_H

#include <stdbool.h>
#include <stdint.h>

#include "common/cbt_types.h"

static inline bool gb_tree_get(const uint64_t *field, uint64_t x)
{
	return field[x / 64] >> x % 64 & 1;
}

static inline void gb_tree_set(uint64_t *field, uint64_t x)
{
	field[x / 64] |= UINT64_C(1) << x % 64;
}

/* The first set bit from x on; `end` if there is none below `end`. */
static inline uint64_t gb_tree_next(const uint64_t *field, uint64_t end, uint64_t x)
{
	uint64_t word;

	if (x >= end)
		return end;
	word = field[x / 64] >> x % 64;
	if (word)
		return x + (uint64_t)__builtin_ctzll(word);
	for (uint64_t w = x / 64 + 1; w * 64 < end; w++)
		if (field[w])
			return w * 64 + (uint64_t)__builtin_ctzll(field[w]);
	return end;
}

/* Return the leaf that starts at bit *x and advance *x to the next leaf, or to the end. */
static inline uint32_t gb_tree_leaf(const uint64_t *field, unsigned depth, uint64_t *x)
{
	const uint64_t from = *x;

	*x = gb_tree_next(field, UINT64_C(1) << depth, from + 1);
	return cbt_leaf(depth, (uint32_t)from, (uint32_t)(*x - from));
}

#endif
