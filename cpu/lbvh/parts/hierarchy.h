/* hierarchy.h -- leaves, inner nodes and their boxes, in phases over arrays. */
#ifndef GPUBENCH_CPU_LBVH_PARTS_HIERARCHY_H
#define GPUBENCH_CPU_LBVH_PARTS_HIERARCHY_H

#include "cpu/lbvh/parts/frame.h"

/* leaves, share: how many different codes there are, in all and in each thread's part. */
void lbvh_cpu_count_leaves(struct lbvh_cpu *cpu, struct gb_timer *timer);
/* code, first, index, and the leaf nodes with their boxes (LBVH_CPU_LEAVES). */
void lbvh_cpu_leaves(struct lbvh_cpu *cpu, struct gb_timer *timer);
/* Children of all inner nodes: Karras 2012 (LBVH_CPU_LEAVES). */
void lbvh_cpu_karras(struct lbvh_cpu *cpu, struct gb_timer *timer);
/* Boxes of all inner nodes, pass by pass, the paper's listing 9 (LBVH_CPU_MARKS). */
void lbvh_cpu_refit_passes(struct lbvh_cpu *cpu, struct gb_timer *timer);
/* The same in one go, from the leaves up: the second child to arrive goes on (LBVH_CPU_PARENTS). */
void lbvh_cpu_refit_once(struct lbvh_cpu *cpu, struct gb_timer *timer);

#endif
