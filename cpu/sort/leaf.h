/* leaf.h -- sorts records that fit in a core's own cache, by one thread: the last step of a sort
 * that splits its input by digits.
 */
#ifndef GPUBENCH_CPU_SORT_LEAF_H
#define GPUBENCH_CPU_SORT_LEAF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cpu/simd.h"

/* Sort `count` records that agree in the bits from `top` on by the bits from `low` on.  They lie in
 * `record`, or in `spare` if in_spare; the result goes to `record`. */
struct radix_leaf {
	void *record, *spare; /* count records each; both may be overwritten */
	size_t count;
	size_t width; /* bytes of a record: 4 or 8 */
	unsigned low, top;
	bool in_spare;
	bool by_key; /* pairs, of which equal keys may come in any order, with AVX-512, in place */
};

enum { RADIX_CUT_MIN = 257 };

/* Most records of a leaf that a core's own cache still sorts fast. */
enum {
	RADIX_LEAF_MAX_64 = 1 << 14,      /* for CPU_AVX2 */
	RADIX_LEAF_MAX_NEON_32 = 1 << 12, /* for CPU_NEON */
	RADIX_LEAF_MAX_NEON_64 = 1 << 10,
	RADIX_LEAF_MAX_NEON_PAIRS = 1 << 8,
	RADIX_LEAF_MAX_PAIRS = 1 << 17,
	RADIX_LEAF_MAX_STABLE = 1 << 16,
};

/* Sort stably, in portable C. */
void radix_leaf_stable(const struct radix_leaf *leaf);
/* Sort by pivots, in vectors; `simd` is above CPU_PLAIN.  Takes leaves of any size whose records
 * are all key: equal ones cannot be told apart, so it need not be stable; or leaves `by_key`. */
void radix_leaf_pivots(const struct radix_leaf *leaf, enum cpu_simd simd);
/* Make the first step of radix_leaf_pivots() in place, for leaves of at least RADIX_CUT_MIN
 * records.  The records before `low` are then below those from `high` on, and those between are in
 * their places.  No side has all records. */
struct radix_cut {
	size_t low, high;
};
struct radix_cut radix_leaf_cut(const struct radix_leaf *leaf, enum cpu_simd simd);
/* Merge `lefts` ascending records, all key, with the `rights` ascending ones `lefts` places behind
 * `to`, into `to`; `simd` as above. */
void radix_merge_vectors(void *to, const void *left, size_t lefts, size_t rights, size_t width,
			 enum cpu_simd simd);
/* The same three with AVX2 alone (vector_avx2.c). */
void radix_leaf_avx2(const struct radix_leaf *leaf);
struct radix_cut radix_cut_avx2(const struct radix_leaf *leaf);
void radix_merge_avx2(void *to, const void *left, size_t lefts, size_t rights, size_t width);
/* True if the lower halves of n words ascend.  The processor must have AVX2. */
bool radix_values_ascend(const uint64_t *pair, size_t n);
/* Sort pairs, whose key is the upper half of a record, stably.  value has room for as many values
 * as the leaf has records; `simd` as above. */
void radix_leaf_pairs(const struct radix_leaf *leaf, uint32_t *value, enum cpu_simd simd);

#endif
