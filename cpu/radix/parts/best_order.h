/* best_order.h -- cpu/best: what is recognised before a sort of any input, by all threads. */
#ifndef GPUBENCH_CPU_RADIX_PARTS_BEST_ORDER_H
#define GPUBENCH_CPU_RADIX_PARTS_BEST_ORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cpu/radix/parts/records.h"
#include "cpu/simd.h"

/* 2 room records, for those that are out of order. */
struct radix_few {
	void *record;
	size_t room;
};

enum gb_status radix_few_init(struct radix_few *few, const struct radix_cpu *cpu,
			      struct gb_error *err);

enum radix_seen {
	RADIX_IS_SORTED, /* the records are sorted now */
	RADIX_AS_WERE,   /* nothing has changed */
	RADIX_MOVED, /* they are in another order, floats as numbers of theirs; the order of pairs
			  as words is stable */
};

/* Sort cpu->record if it is in order, reversed or nearly in order. */
enum radix_seen radix_sort_ordered(struct radix_cpu *cpu, const struct radix_few *few, int threads,
				   enum cpu_simd simd);

/* Sort pairs whose values ascend, if nearly all have the same key; `simd` is above CPU_PLAIN. */
enum radix_seen radix_sort_repeated(struct radix_cpu *cpu, const struct radix_few *few,
				    enum cpu_simd simd);

/* Records of one key that are kept out of a sort. */
struct radix_repeated {
	uint64_t key; /* the record; of pairs only the key counts */
	size_t count;
};

/* If at least a quarter of a sample has the same key, take all records of that key out of
 * cpu->record and cpu->count.  cpu->spare keeps them behind cpu->count if they are pairs. */
struct radix_repeated radix_take_repeated(struct radix_cpu *cpu);
/* Put them between the other records, which are sorted now. */
void radix_put_repeated(struct radix_cpu *cpu, struct radix_repeated repeated);

#endif
