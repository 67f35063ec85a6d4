/* order.h -- finds records that are sorted, reversed or nearly sorted, and sorts them with fewer
 * passes than a sort of any input.
 *
 * Records are compared as their type demands (common/radix.h): floats by their bits in the order of
 * floats, pairs by key alone.  Nothing here changes the order of pairs with equal keys.
 */
#ifndef GPUBENCH_CPU_SORT_ORDER_H
#define GPUBENCH_CPU_SORT_ORDER_H

#include <stdbool.h>
#include <stddef.h>

#include "common/radix.h"
#include "cpu/simd.h"

enum radix_order {
	RADIX_NO_ORDER,
	RADIX_ASCENDING,  /* as far as a sample shows: at most a few records are out of order */
	RADIX_DESCENDING, /* as far as a sample shows */
};

/* Guess the order of n records from the first of them; RADIX_NO_ORDER for few records, which are
 * sorted as fast. */
enum radix_order radix_guess_order(const void *record, size_t n, enum radix_type type,
				   enum cpu_simd simd);
/* How many of n records, from the first on, are in order.  Equal keys are in either order. */
size_t radix_ordered(const void *record, size_t n, enum radix_type type, enum radix_order order,
		     enum cpu_simd simd);

/* Exchange records begin .. end - 1 of n with their mirror images; end <= n / 2. */
void radix_mirror(void *record, size_t n, size_t width, size_t begin, size_t end);
/* Reverse each group of neighbours with equal keys. */
void radix_mirror_ties(uint64_t *pair, size_t n);

/* Sort n numbers (floats as numbers of their order) of which the first `ordered` ascend, if only a
 * few others are out of order: those are taken out, sorted by `sort` and merged back.  `room`
 * records fit in `few`.  False if there are more, or a second run: then the array holds the same
 * numbers in an order of no use. */
typedef void radix_sort_few(void *record, size_t n, void *context);
bool radix_sort_nearly(void *record, size_t n, size_t width, size_t ordered, void *few, size_t room,
		       radix_sort_few *sort, void *context, enum cpu_simd simd);

#endif
