/* insert.h -- insertion of bodies: by one thread, or with a lock per leaf.
 *
 * All functions insert the bodies of a range.  The state begins with a struct octree_cpu that has
 * their keys and, with buckets above one, ranks.
 */
#ifndef GPUBENCH_CPU_OCTREE_SHARED_INSERT_H
#define GPUBENCH_CPU_OCTREE_SHARED_INSERT_H

#include "cpu/octree/shared/builder.h"

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

#endif
