/* sort.h -- steps of a sort of records, unsigned numbers of `width` bytes: 4 or 8.
 *
 * The key of a record is its bits from `low` on.  A digit is (record >> shift) & 255.
 */
#ifndef GPUBENCH_CPU_SORT_SORT_H
#define GPUBENCH_CPU_SORT_SORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cpu/simd.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- digits (digits.cc) --------------------------------------------------------------------- */

enum { RADIX_DIGITS = 256, RADIX_DIGIT_BITS = 8 };

/* Add to count[d] the records whose digit is d. */
void radix_digit_count(const void *record, size_t n, size_t width, unsigned shift,
		       size_t count[RADIX_DIGITS]);

/* Move records to out[position[digit]++], in order.  The arrays must not overlap. */
void radix_digit_scatter(const void *record, size_t n, size_t width, unsigned shift, void *out,
			 size_t position[RADIX_DIGITS]);

/* Compute where thread `thread` of `threads` writes its records of each digit: digit by digit, and
 * thread by thread within a digit, so the move is stable. */
void radix_digit_positions(size_t (*count)[RADIX_DIGITS], int threads, int thread,
			   size_t position[RADIX_DIGITS]);

/* Sort n records that agree in the bits from `top` on by the bits from `low` on, stably, digit by
 * digit.  They lie in `record`, or in `spare` if in_spare; the result goes to `record`. */
void radix_sort_digits(void *record, void *spare, bool in_spare, size_t n, size_t width,
		       unsigned low, unsigned top);

/* The keys ascend; each is below the one before it.  Both hold for at most one record. */
enum { RADIX_ASCENDS = 1, RADIX_DESCENDS = 2 };
unsigned radix_order_of(const void *record, size_t n, size_t width, unsigned low);

/* ---- vectors (vectors.cc) ------------------------------------------------------------------- */

/* Levels that n records may be split by medians: twice what perfect medians would need. */
static inline unsigned radix_medians_for(size_t n)
{
	return 2 * (64 - (unsigned)__builtin_clzll(n | 1));
}

/* Sort n records by all their bits, in place; `simd` is above CPU_PLAIN.  After `medians` levels,
 * parts are split at the middle between their least and largest record. */
void radix_sort_vectors(void *record, size_t n, size_t width, unsigned medians, enum cpu_simd simd);

/* Make the first step of that, for at least RADIX_CUT_MIN records.  The records before `low` are
 * then below those from `high` on, and those between are in their places.  No side has all. */
enum { RADIX_CUT_MIN = 257 };
struct radix_cut {
	size_t low, high;
};
struct radix_cut radix_cut_vectors(void *record, size_t n, size_t width, enum cpu_simd simd);

#ifdef __cplusplus
}
#endif
#endif
