/* sort.h -- the phase that sorts primitives by their codes. */
#ifndef GPUBENCH_CPU_LBVH_PARTS_SORT_H
#define GPUBENCH_CPU_LBVH_PARTS_SORT_H

#include "cpu/lbvh/parts/frame.h"

/* Ascending codes, equal ones in ascending order of primitives. */
void lbvh_cpu_sort_radix(struct lbvh_cpu *cpu, struct gb_timer *timer);

#endif
