/* leaf.h -- records that fit a core's own cache, sorted by one thread: where a sort that splits its
 * input by digits ends.
 */
#ifndef GPUBENCH_CPU_SORT_LEAF_H
#define GPUBENCH_CPU_SORT_LEAF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cpu/simd.h"

/* `count` records that agree in the bits from `top` on, to be sorted by those from `low` on.  They
 * lie in `record`, or in `spare` if in_spare; the result belongs into `record`. */
struct radix_leaf {
	void *record, *spare; /* count records each, both to be written to */
	size_t count;
	size_t width; /* bytes of a record: 4 or 8 */
	unsigned low, top;
	bool in_spare;
};

enum { RADIX_CUT_MIN = 257 };

/* The most records of a leaf, by what still is fast with a core's own cache. */
enum {
	RADIX_LEAF_MAX_64 = 1 << 14, /* for CPU_AVX2 */
	RADIX_LEAF_MAX_PAIRS = 1 << 17,
	RADIX_LEAF_MAX_STABLE = 1 << 16,
};

/* In portable C, stable. */
void radix_leaf_stable(const struct radix_leaf *leaf);
/* By pivots, in vectors, `simd` being at least CPU_AVX2: for leaves of any size, of records that are all key.
 * Equal ones cannot be told apart, so it need not be stable. */
void radix_leaf_pivots(const struct radix_leaf *leaf, enum cpu_simd simd);
/* The first step of that, in place, for leaves of at least RADIX_CUT_MIN records: how many records are below
 * all others now; 0: they are all equal. */
size_t radix_leaf_cut(const struct radix_leaf *leaf, enum cpu_simd simd);
/* Both in AVX2 alone (vector_avx2.c). */
void radix_leaf_avx2(const struct radix_leaf *leaf);
size_t radix_cut_avx2(const struct radix_leaf *leaf);
/* Whether the lower halves of n words ascend; simd is at least CPU_AVX2. */
bool radix_values_ascend(const uint64_t *pair, size_t n);
/* Of pairs, the key being the upper half of a record: stable.  value: room for as many as the leaf has records;
 * `simd` as above. */
void radix_leaf_pairs(const struct radix_leaf *leaf, uint32_t *value, enum cpu_simd simd);

#endif
