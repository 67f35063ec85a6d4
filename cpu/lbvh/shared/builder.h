/* builder.h -- the CPU builders: their arrays, whole builds, and the operations of their variants.
 *
 * A builder is a list of phases over one struct lbvh_cpu; enum lbvh_cpu_needs selects the phases,
 * and lbvh_cpu_init() allocates the arrays that they need.  A variant's run() times
 * lbvh_cpu_build(); the traversals call it in create(), untimed.
 */
#ifndef GPUBENCH_CPU_LBVH_SHARED_BUILDER_H
#define GPUBENCH_CPU_LBVH_SHARED_BUILDER_H

#include "common/benchmark.h"
#include "common/status.h"
#include "cpu/lbvh/shared/frame.h"

/* Allocate the arrays for the input's triangles. */
enum gb_status lbvh_cpu_init(struct lbvh_cpu *cpu, const void *params, const void *input,
			     unsigned needs, struct gb_error *err);

/* The needs of whole builds. */
enum lbvh_cpu_builds {
	LBVH_CPU_FASTEST = 0, /* apetrei, the fastest */
	LBVH_CPU_CLUSTERED = LBVH_CPU_CODES_63 | LBVH_CPU_LEAVES | LBVH_CPU_CLUSTERS, /* ploc */
	LBVH_CPU_BEST = LBVH_CPU_SAH, /* the tree that traversals walk */
};

/* Build a tree with a team of threads; node, index, leaves and box hold it.  `build`, one of
 * enum lbvh_cpu_builds, selects leaves and clusters; the kind of code, the sort and the refit follow
 * the needs that `cpu` was initialised with, which include those of `build`. */
void lbvh_cpu_build(struct lbvh_cpu *cpu, unsigned build, struct gb_timer *timer);
/* Free the scratch arrays: all but node and index. */
void lbvh_cpu_drop(struct lbvh_cpu *cpu);

/* ---- operations of the builders' variants: the state is a struct lbvh_cpu ------------------ */

/* GB_EUNAVAILABLE for --op=trace. */
enum gb_status lbvh_builder_create(void *state, const void *params, const void *input,
				   unsigned needs, struct gb_error *err);
/* Register the arrays of the tree as results (common/memory.h). */
void lbvh_builder_results(const struct lbvh_cpu *cpu);
/* lbvh_cpu_build() with all needs. */
enum gb_status lbvh_builder_run(void *state, struct gb_timer *timer, struct gb_error *err);
enum gb_status lbvh_builder_download(void *state, void *output, struct gb_error *err);

#endif
