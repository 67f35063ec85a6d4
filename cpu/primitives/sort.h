/* sort.h -- steps of a sort of records, unsigned numbers of `width` bytes: 1, 2, 4, 8 or
 * 16, for vectors 4 or 8.
 *
 * A digit is `(record >> shift) & mask`, where the mask has at most 8 bits.
 */
#ifndef GPUBENCH_CPU_PRIMITIVES_SORT_H
#define GPUBENCH_CPU_PRIMITIVES_SORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cpu/runtime/simd.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- digits (digits.cc) --------------------------------------------------------------------- */

enum { RADIX_DIGITS = 256, RADIX_DIGIT_BITS = 8 };

struct radix_digit {
	unsigned shift, mask;
};

/* The digit that begins at bit `low`, of the bits below `top`. */
static inline struct radix_digit radix_digit_from(unsigned low, unsigned top)
{
	const bool is_whole = top - low >= RADIX_DIGIT_BITS;

	return (struct radix_digit){ low, is_whole ? RADIX_DIGITS - 1 : (1U << (top - low)) - 1 };
}

/* Add to count[d] the records whose digit is d. */
void radix_digit_count(const void *record, size_t n, size_t width, struct radix_digit digit,
		       size_t count[RADIX_DIGITS]);

/* Move records to out[position[digit]++], in order.  The arrays must not overlap. */
void radix_digit_scatter(const void *record, size_t n, size_t width, struct radix_digit digit,
			 void *out, size_t position[RADIX_DIGITS]);

/* Compute where thread `thread` of `threads` writes its records of each digit: digit by digit, and
 * thread by thread within a digit, so the move is stable.  Returns the largest count. */
size_t radix_digit_positions(size_t (*count)[RADIX_DIGITS], int threads, int thread,
			     size_t position[RADIX_DIGITS]);

/* Sort n records by bits low .. top - 1, stably, digit by digit.  They lie in `record`, or in `spare` if in_spare; the result goes to `record`. */
void radix_sort_digits(void *record, void *spare, bool in_spare, size_t n, size_t width,
		       unsigned low, unsigned top);

/* Sort n records of 1 or 2 bytes by counting them; `count` has a place for each value. */
void radix_sort_counts(void *record, size_t n, size_t width, size_t *count);

/* ---- vectors (vectors.cc) ------------------------------------------------------------------- */

/* Levels that n records may be split by medians: twice what perfect medians would need. */
static inline unsigned radix_medians_for(size_t n)
{
	return 2 * (64 - (unsigned)__builtin_clzll(n | 1));
}

/* The keys ascend; each is below the one before it. */
enum { RADIX_ASCENDS = 1, RADIX_DESCENDS = 2 };

/* Records that a nearly sorted n may have out of order, about. */
static inline size_t radix_few_of(size_t n)
{
	return n / 64 + 16;
}

/* Operations of vectors on n records of one width, as signed or as unsigned numbers.  Real keys are
 * signed numbers; `real` then has the bits of a key below its sign, which negative keys have inverted
 * in their order, and otherwise 0. */
struct radix_vector_ops {
	/* Sort them by all their bits, in place, negative real keys descending.  After `medians`
	 * levels, parts are split at the middle between their least and largest record.  Parts of
	 * more than `share` records may go to other threads of a parallel region. */
	void (*sort)(void *record, size_t n, unsigned medians, size_t share);
	/* Count the negative ones of sorted records. */
	size_t (*negatives)(const void *record, size_t n);
	/* Exchange records begin .. end - 1, in the first half, with those as far from the end. */
	void (*reverse)(void *record, size_t n, size_t begin, size_t end);
	/* Find their order by the bits from `low` on; 0 for a few records. */
	unsigned (*order)(const void *record, size_t n, int low, uint64_t real);
	/* Turn signed keys into unsigned numbers of the same order or, if they are orders, into
	 * keys. */
	void (*flip)(void *record, size_t n, uint64_t real, bool is_order);
	/* Sort them by all their bits if all but a few ascend; `few` has radix_few_of(n) records.
	 * Otherwise they are left in another order. */
	bool (*sort_nearly)(void *record, size_t n, void *few, uint64_t real);
};

/* NULL for CPU_PLAIN. */
const struct radix_vector_ops *radix_vectors(size_t width, bool is_signed, enum cpu_simd simd);

#ifdef __cplusplus
}
#endif
#endif
