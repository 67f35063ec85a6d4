/* seq.h -- bodies inserted one after the other, by one thread.
 *
 * Cordeiro & Zola, "Construcao da arvore": a body descends to a leaf; a free octant takes it, an
 * octant that is taken is divided - a node in its place, the bodies found there one level down -
 * until the new one finds room.
 */
#ifndef GPUBENCH_CPU_OCTREE_PARTS_SEQ_H
#define GPUBENCH_CPU_OCTREE_PARTS_SEQ_H

#include "cpu/octree/parts/builder.h"

/* Insert all bodies, whose keys and, with buckets above one, ranks the state, which begins with a
 * struct octree_cpu, has. */
octree_insert_fn octree_seq_insert;

#endif
