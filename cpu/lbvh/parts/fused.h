/* fused.h -- leaves, inner nodes and their boxes in one sweep over the sorted codes. */
#ifndef GPUBENCH_CPU_LBVH_PARTS_FUSED_H
#define GPUBENCH_CPU_LBVH_PARTS_FUSED_H

#include "cpu/lbvh/parts/frame.h"

/* index, leaf nodes, inner nodes; lbvh_cpu_count_leaves() comes before. */
void lbvh_cpu_fused(struct lbvh_cpu *cpu, struct gb_timer *timer);

/* Bytes of one of cpu->stacks. */
size_t lbvh_cpu_stack_bytes(void);

#endif
