/* lf.h -- the lock-free insertion of OctreeBuild-LF, with leaves of one body.
 *
 * Each thread owns a pre-allocated node.  A free octant takes the body by one compare-and-swap.
 * Where a body is found, it goes into the pre-allocated node, and that node into its place by one
 * compare-and-swap; the thread takes another node, goes on below, and meets the same body again
 * until the two are apart.  No lock, no barrier: a thread that is late finds what another one did,
 * and every step of a division becomes visible to all at once.
 *
 * Invariants: a value only goes from FREE to a body to a node; a node is stored with release after
 * it was filled, and descended into with acquire.  A compare-and-swap that failed leaves the
 * pre-allocated node as it was: free of children.  A pre-allocated node is taken when it is first
 * needed, so that there are no more of them than bodies.  Octants of level 21 take any number of
 * bodies, each by one exchange.
 */
#ifndef GPUBENCH_CPU_OCTREE_PARTS_LF_H
#define GPUBENCH_CPU_OCTREE_PARTS_LF_H

#include "cpu/octree/parts/builder.h"

/* What a thread owns: rows of the pool, and of those the node that it has pre-allocated. */
struct octree_lf_thread {
	struct octree_rows rows;
	int32_t mine; /* 0: none */
};

/* The thread's own node; 0 if the pool is exhausted. */
static inline int32_t octree_lf_own(struct octree_cpu *cpu, struct octree_lf_thread *t)
{
	if (!t->mine)
		t->mine = octree_cpu_node(cpu, &t->rows);
	return t->mine;
}

/* Insert the bodies of a range; the state begins with a struct octree_cpu. */
octree_insert_fn octree_lf_insert;

#endif
