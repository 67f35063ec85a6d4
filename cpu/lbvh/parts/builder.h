/* builder.h -- the CPU builders: their arrays, whole builds, and what their variants are made of.
 *
 * A builder is a list of phases over one struct lbvh_cpu, all of whose arrays are allocated by
 * lbvh_cpu_init(): that list is what the variant's run() times, and what the traversals call,
 * untimed, in create().
 */
#ifndef GPUBENCH_CPU_LBVH_PARTS_BUILDER_H
#define GPUBENCH_CPU_LBVH_PARTS_BUILDER_H

#include "common/status.h"
#include "common/workload.h"
#include "cpu/lbvh/parts/cluster.h"
#include "cpu/lbvh/parts/codes.h"
#include "cpu/lbvh/parts/fused.h"
#include "cpu/lbvh/parts/hierarchy.h"
#include "cpu/lbvh/parts/refine.h"
#include "cpu/lbvh/parts/sort.h"
#include "cpu/lbvh/parts/split.h"

/* Allocate for the input's triangles. */
enum gb_status lbvh_cpu_init(struct lbvh_cpu *cpu, const void *params, const void *input,
			     unsigned needs, struct gb_error *err);

/* ---- whole builds, by teams of their own --------------------------------------------------
 *
 * Afterwards node, index, leaves and box hold the tree. */

/* The fastest builder there is (apetrei); `cpu` was initialised with LBVH_CPU_FASTEST. */
enum { LBVH_CPU_FASTEST = 0 };
void lbvh_cpu_fastest(struct lbvh_cpu *cpu, struct gb_timer *timer);

/* The one that clusters (ploc); with LBVH_CPU_CLUSTERED. */
enum { LBVH_CPU_CLUSTERED = LBVH_CPU_CODES_63 | LBVH_CPU_LEAVES | LBVH_CPU_CLUSTERS };
void lbvh_cpu_clustered(struct lbvh_cpu *cpu, struct gb_timer *timer);

/* The one that parts from the top down (sah); with LBVH_CPU_PARTED. */
enum { LBVH_CPU_PARTED = LBVH_CPU_SPLITS };
void lbvh_cpu_parted(struct lbvh_cpu *cpu, struct gb_timer *timer);

/* The cheaper one of those two trees; with LBVH_CPU_BEST.  In scenes of long thin triangles it is
 * the clustered one: planes between centres part them badly. */
enum { LBVH_CPU_BEST = LBVH_CPU_CLUSTERED | LBVH_CPU_PARTED };
void lbvh_cpu_best(struct lbvh_cpu *cpu);

/* ---- operations of the builders' variants: the state is a struct lbvh_cpu ------------------ */

/* GB_EUNAVAILABLE for --op=trace. */
enum gb_status lbvh_builder_create(void *state, const void *params, const void *input,
				   unsigned needs, struct gb_error *err);
/* Name the arrays of the tree as results (common/memory.h). */
void lbvh_builder_results(const struct lbvh_cpu *cpu);
enum gb_status lbvh_builder_download(void *state, void *output, struct gb_error *err);
/* refit_passes */
void lbvh_builder_metrics(void *state, struct gb_metrics *metrics);

#endif
