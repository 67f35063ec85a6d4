/* cluster.h -- inner nodes by clustering instead of by codes alone. */
#ifndef GPUBENCH_CPU_LBVH_PARTS_CLUSTER_H
#define GPUBENCH_CPU_LBVH_PARTS_CLUSTER_H

#include "cpu/lbvh/parts/frame.h"

/* Inner nodes by locally-ordered clustering within the ranges of the codes' tree
 * (LBVH_CPU_LEAVES | LBVH_CPU_CLUSTERS).  The nodes of run i are run_first[i] .. run_first[i + 1] -
 * 1, children before parents; those above all runs come before them, parents first. */
void lbvh_cpu_cluster(struct lbvh_cpu *cpu, struct gb_timer *timer);

/* How many runs `count` leaves may make, and the bytes of one. */
size_t lbvh_cpu_cluster_runs(size_t count);
size_t lbvh_cpu_cluster_bytes(void);

#endif
