/* builder.h -- the CPU builders: their arrays, whole builds, and what their variants are made of.
 *
 * A builder is a list of phases over one struct lbvh_cpu, all of whose arrays are allocated by
 * lbvh_cpu_init(): what it needs says which phases they are.  lbvh_cpu_build() is what the variant's
 * run() times, and what the traversals call, untimed, in create().
 */
#ifndef GPUBENCH_CPU_LBVH_PARTS_BUILDER_H
#define GPUBENCH_CPU_LBVH_PARTS_BUILDER_H

#include "common/status.h"
#include "common/workload.h"
#include "cpu/lbvh/parts/frame.h"

/* Allocate for the input's triangles. */
enum gb_status lbvh_cpu_init(struct lbvh_cpu *cpu, const void *params, const void *input,
			     unsigned needs, struct gb_error *err);

/* What whole builds need. */
enum lbvh_cpu_builds {
	LBVH_CPU_FASTEST = 0, /* apetrei: there is no faster one */
	LBVH_CPU_CLUSTERED = LBVH_CPU_CODES_63 | LBVH_CPU_LEAVES | LBVH_CPU_CLUSTERS, /* ploc */
	LBVH_CPU_PARTED = LBVH_CPU_SPLITS,                                            /* sah */
	LBVH_CPU_BEST = LBVH_CPU_CLUSTERED | LBVH_CPU_PARTED,
};

/* Build a tree, by a team of its own: node, index, leaves and box hold it.  The phases are those for
 * which `build` is what is needed; `cpu` was initialised with that, or more. */
void lbvh_cpu_build(struct lbvh_cpu *cpu, unsigned build, struct gb_timer *timer);
/* The cheaper of the clustered and the parted tree; with LBVH_CPU_BEST.  In scenes of long thin
 * triangles it is the clustered one: planes between centres part them badly. */
void lbvh_cpu_build_best(struct lbvh_cpu *cpu);

/* ---- operations of the builders' variants: the state is a struct lbvh_cpu ------------------ */

/* GB_EUNAVAILABLE for --op=trace. */
enum gb_status lbvh_builder_create(void *state, const void *params, const void *input,
				   unsigned needs, struct gb_error *err);
/* Name the arrays of the tree as results (common/memory.h). */
void lbvh_builder_results(const struct lbvh_cpu *cpu);
/* lbvh_cpu_build() by all needs. */
enum gb_status lbvh_builder_run(void *state, struct gb_timer *timer, struct gb_error *err);
enum gb_status lbvh_builder_download(void *state, void *output, struct gb_error *err);

#endif
