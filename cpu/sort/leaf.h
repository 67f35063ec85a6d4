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

/* What a thread needs besides to sort by vectors. */
struct radix_scratch {
	uint64_t *words; /* for pairs: as many as the largest leaf has records */
	void *full;      /* for AVX-512: as many records as the largest leaf */
	uint16_t *
		half[2]; /* for records of 4 bytes and CPU_VBMI2: as many half records, else NULL */
};

/* The most records of a leaf, by what still is fast with a core's own cache. */
enum {
	RADIX_LEAF_MAX_32 = 1 << 19,
	RADIX_LEAF_MAX_64 = 1 << 14,
	RADIX_LEAF_MAX_STABLE = 1 << 16,
};

/* In portable C, stable. */
void radix_leaf_stable(const struct radix_leaf *leaf);
/* In vectors, `simd` being at least CPU_AVX2: for records that are all key.  Equal ones cannot be told
 * apart, so it need not be stable. */
void radix_leaf_vector(const struct radix_leaf *leaf, const struct radix_scratch *scratch,
		       enum cpu_simd simd);
/* The same in AVX2 alone (vector_avx2.c), for leaves of any size. */
void radix_leaf_avx2(const struct radix_leaf *leaf);
/* Of pairs, the key being the upper half of a record: stable.  `simd` as above. */
void radix_leaf_pairs(const struct radix_leaf *leaf, const struct radix_scratch *scratch,
		      enum cpu_simd simd);

#endif
