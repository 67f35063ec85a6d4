/* insert.h -- insertion of bodies: by one thread, with a lock per leaf, lock-free.
 *
 * All take the bodies of a range, whose keys the state, which begins with a struct octree_cpu, has;
 * with buckets above one the first two need ranks, too.
 */
#ifndef GPUBENCH_CPU_OCTREE_PARTS_INSERT_H
#define GPUBENCH_CPU_OCTREE_PARTS_INSERT_H

#include "cpu/octree/parts/builder.h"

/* Insert the bodies of a range, by one of several threads; false if the pool is exhausted. */
typedef bool octree_insert_fn(void *state, struct octree_range range);
/* After octree_cpu_box(): keys, then the bodies, a part by each thread or all `alone`, outside of a
 * parallel region. */
enum gb_status octree_cpu_insert(void *state, struct gb_timer *timer, octree_insert_fn *insert,
				 bool alone, struct gb_error *err);

/* Bodies inserted one after the other, by one thread.
 *
 * Cordeiro & Zola, "Construcao da arvore": a body descends to a leaf; a free octant takes it, an
 * octant that is taken is divided - a node in its place, the bodies found there one level down -
 * until the new one finds room.
 */
octree_insert_fn octree_seq_insert;

/* Insertion with a lock per leaf, after Burtscher & Pingali.
 *
 * "An Efficient CUDA Implementation of the Tree-Based Barnes Hut n-Body Algorithm" (2011), kernel
 * 2; Cordeiro & Zola's Algorithm 1.  A free octant takes a body by one compare-and-swap.  An
 * octant that is taken is locked, by a compare-and-swap of its value for OCTREE_LOCKED; the owner
 * of the lock divides the space, in nodes that no other thread sees yet, until the bodies are
 * apart, and publishes the topmost by the store that unlocks.  A thread that meets a lock tries
 * again.  The GPU's barrier, which keeps waiting threads from flooding memory, is a pause here,
 * and after a while the thread yields, so that an owner that was preempted gets on.
 *
 * Invariants: a value only goes from FREE to bodies to LOCKED to a node; nodes and lists behind a
 * value are written before it is stored with release, and read after it was loaded with acquire.
 * Octants of level 21 are never locked: an exchange puts a body in front of what is there.
 * Buckets above one: a body joins a leaf by one compare-and-swap of its head.
 */
octree_insert_fn octree_lock_insert;

/* The lock-free insertion of OctreeBuild-LF, with leaves of one body.
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
octree_insert_fn octree_lf_insert;

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

#endif
