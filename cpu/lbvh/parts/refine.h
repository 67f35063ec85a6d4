/* refine.h -- a clustered tree made cheaper to trace. */
#ifndef GPUBENCH_CPU_LBVH_PARTS_REFINE_H
#define GPUBENCH_CPU_LBVH_PARTS_REFINE_H

#include "cpu/lbvh/parts/frame.h"

/* After lbvh_cpu_cluster(): treelets rearranged, subtrees found that cost less as a leaf. */
void lbvh_cpu_refine(struct lbvh_cpu *cpu, struct gb_timer *timer);
/* Then: the tree written anew, with those leaves. */
void lbvh_cpu_rewrite(struct lbvh_cpu *cpu, struct gb_timer *timer);

/* Bytes of one of cpu->sum, and of all of cpu->moves. */
size_t lbvh_cpu_sum_bytes(void);
size_t lbvh_cpu_moves_bytes(void);

#endif
