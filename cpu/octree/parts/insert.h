/* insert.h -- insertion of bodies: by one thread, with a lock per leaf, or lock-free.
 *
 * All functions insert the bodies of a range.  The state begins with a struct octree_cpu that has
 * their keys; with buckets above one, the first two functions need ranks, too.
 */
#ifndef GPUBENCH_CPU_OCTREE_PARTS_INSERT_H
#define GPUBENCH_CPU_OCTREE_PARTS_INSERT_H

#include "cpu/octree/parts/builder.h"

/* Insert the bodies of one thread's range; false if the pool is exhausted. */
typedef bool octree_insert_fn(void *state, struct cpu_range range);
/* After octree_cpu_box(): compute keys, then insert all bodies, a part by each thread or, if
 * `alone`, all by one thread outside of a parallel region. */
enum gb_status octree_cpu_insert(void *state, struct gb_timer *timer, octree_insert_fn *insert,
				 bool alone, struct gb_error *err);

/* Insert bodies one after the other, by one thread.
 *
 * Cordeiro & Zola, "Construcao da arvore": a body descends to a leaf.  A free octant takes it.  A
 * taken octant is divided - a node replaces it, and the bodies found there move one level down -
 * until the new body fits.
 */
octree_insert_fn octree_seq_insert;

/* Insertion with a lock per leaf, after Burtscher & Pingali.
 *
 * "An Efficient CUDA Implementation of the Tree-Based Barnes Hut n-Body Algorithm" (2011), kernel
 * 2; Cordeiro & Zola's Algorithm 1.  A free octant takes a body by one compare-and-swap.  A taken
 * octant is locked by a compare-and-swap of its value for OCTREE_LOCKED.  The owner of the lock
 * divides the space, in nodes that no other thread sees yet, until the bodies are apart, and
 * publishes the topmost node by the store that unlocks.  A thread that meets a lock tries again.
 * The GPU's barrier, which keeps waiting threads from flooding memory, is a pause here.  After a
 * while the thread yields, so that a preempted owner can continue.
 *
 * Invariants: a value only changes from FREE to bodies to LOCKED to a node; nodes and lists behind
 * a value are written before it is stored with release, and read after it was loaded with acquire.
 * Octants of level 21 are never locked: an exchange puts a body in front of the others.  With
 * buckets above one, a body joins a leaf by one compare-and-swap of its head.
 */
octree_insert_fn octree_lock_insert;

/* The lock-free insertion of OctreeBuild-LF, with leaves of one body.
 *
 * Each thread owns a pre-allocated node.  A free octant takes the body by one compare-and-swap.  If
 * the octant has a body, that goes into the pre-allocated node, which replaces it by one
 * compare-and-swap; the thread takes another node, continues below, and meets the same body again
 * until the two are apart.  There is no lock and no barrier: a late thread finds what another one
 * did, and every step of a division becomes visible to all at once.
 *
 * Invariants: a value only changes from FREE to a body to a node; a node is stored with release
 * after it was filled, and descended into with acquire.  A failed compare-and-swap leaves the
 * pre-allocated node without children, as before.  That node is taken when it is first needed, so
 * that there are no more of them than bodies.  Octants of level 21 take any number of bodies, each
 * by one exchange.
 */
octree_insert_fn octree_lf_insert;

/* A thread's rows of the pool, and its pre-allocated node. */
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
