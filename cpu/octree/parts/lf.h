/* lf.h -- cpu/lf's insertion, which cpu/lf-amac falls back to. */
#ifndef GPUBENCH_CPU_OCTREE_PARTS_LF_H
#define GPUBENCH_CPU_OCTREE_PARTS_LF_H

#include "cpu/octree/parts/common.h"

/* What a thread owns: rows of the pool, and of those the node that it has pre-allocated. */
struct octree_lf_thread {
	struct octree_rows rows;
	int32_t mine;      /* 0: none */
	uint64_t failures; /* compare-and-swaps that came too late */
};

/* The thread's own node; 0 if the pool is exhausted. */
static inline int32_t octree_lf_own(struct octree_cpu *cpu, struct octree_lf_thread *t)
{
	if (!t->mine)
		t->mine = octree_cpu_node(cpu, &t->rows);
	return t->mine;
}

/* Insert the bodies of a range into leaves of one body.  False if the pool is exhausted. */
bool octree_lf_insert_range(struct octree_cpu *cpu, struct octree_lf_thread *t,
			    struct octree_range range);

#endif
