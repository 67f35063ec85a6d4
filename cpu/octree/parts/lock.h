/* lock.h -- insertion with a lock per leaf, after Burtscher & Pingali.
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
#ifndef GPUBENCH_CPU_OCTREE_PARTS_LOCK_H
#define GPUBENCH_CPU_OCTREE_PARTS_LOCK_H

#include "cpu/octree/parts/builder.h"

/* Insert the bodies of a range, whose keys and, with buckets above one, ranks the state, which begins
 * with a struct octree_cpu, has. */
octree_insert_fn octree_lock_insert;

#endif
