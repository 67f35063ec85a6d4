/* split.h -- inner nodes and leaves from the top down, by the surface area heuristic. */
#ifndef GPUBENCH_CPU_LBVH_PARTS_SPLIT_H
#define GPUBENCH_CPU_LBVH_PARTS_SPLIT_H

#include "cpu/lbvh/parts/frame.h"

/* The whole tree, from the boxes (LBVH_CPU_SPLITS): node, index, leaves.  Leaves have up to 8
 * primitives.  The boxes are in another order afterwards. */
void lbvh_cpu_split(struct lbvh_cpu *cpu, struct gb_timer *timer);

/* Bytes of cpu->splitter; how many cpu->above and cpu->task are, and the bytes of one task. */
size_t lbvh_cpu_splitter_bytes(int threads);
size_t lbvh_cpu_above(int threads);
size_t lbvh_cpu_tasks(int threads);
size_t lbvh_cpu_task_bytes(void);

#endif
