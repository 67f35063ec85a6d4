/* pivot.h -- shared by partitions of all widths: the number of keys that a pivot is chosen from,
 * the number of levels, and the order in which the lanes of a vector are split.
 */
#ifndef GPUBENCH_CPU_SORT_PIVOT_H
#define GPUBENCH_CPU_SORT_PIVOT_H

#include <stddef.h>
#include <stdint.h>

/* Keys that a median is taken of: more when there are many keys, where a level costs more. */
enum { RADIX_FEW_SAMPLES = 16, RADIX_MANY_SAMPLES = 64, RADIX_MANY = 1 << 12 };

/* Samples of keys: many different ones, fewer than half are different, or one in at least half of
 * the sample, or at most COUNTED.  COUNTED_ALL: these are all keys, which are sorted now. */
enum radix_sample { RADIX_MIXED, RADIX_FEW_KEYS, RADIX_REPEATED, RADIX_COUNTED_ALL };
enum { RADIX_COUNTED = 8 };

/* Vectors of keys that are split at the middle between the least and the largest, as long as that
 * about halves them: it takes less time than a median and makes fewer leaves.  Chosen by a sweep of
 * 64 to 512. */
enum { RADIX_EVEN = 256 };

/* Levels that n keys may be split by medians: twice what perfect medians would need. */
static inline unsigned radix_medians_for(size_t n)
{
	return 2 * (64 - (unsigned)__builtin_clzll(n | 1));
}

/* Entry m of a table for eight lanes: the numbers of the lanes, one per byte, in the order that
 * puts the lanes of mask m last. */
#define RADIX_BELOW(m, i) __builtin_popcount((m) & ((1U << (i)) - 1))
#define RADIX_PLACE(m, i) \
	((m) >> (i)&1 ? 8 - __builtin_popcount(m) + RADIX_BELOW(m, i) : (i)-RADIX_BELOW(m, i))
#define RADIX_LANE(m, i) ((uint64_t)(i) << 8 * RADIX_PLACE(m, i))
#define RADIX_ORDER(m)                                                               \
	(RADIX_LANE(m, 0) | RADIX_LANE(m, 1) | RADIX_LANE(m, 2) | RADIX_LANE(m, 3) | \
	 RADIX_LANE(m, 4) | RADIX_LANE(m, 5) | RADIX_LANE(m, 6) | RADIX_LANE(m, 7))
#define RADIX_ORDERS_4(m) \
	RADIX_ORDER(m), RADIX_ORDER((m) + 1), RADIX_ORDER((m) + 2), RADIX_ORDER((m) + 3)
#define RADIX_ORDERS_16(m)                                                   \
	RADIX_ORDERS_4(m), RADIX_ORDERS_4((m) + 4), RADIX_ORDERS_4((m) + 8), \
		RADIX_ORDERS_4((m) + 12)
#define RADIX_ORDERS_64(m)                                                        \
	RADIX_ORDERS_16(m), RADIX_ORDERS_16((m) + 16), RADIX_ORDERS_16((m) + 32), \
		RADIX_ORDERS_16((m) + 48)
#define RADIX_ORDERS \
	RADIX_ORDERS_64(0U), RADIX_ORDERS_64(64U), RADIX_ORDERS_64(128U), RADIX_ORDERS_64(192U)

#endif
