/* builder.h -- what the CUDA builders share: arrays, phases up to the leaves, the fastest build, and
 * the operations of their variants.
 *
 * A builder is a list of phases over one struct lbvh_gpu, all of whose arrays lbvh_gpu_init()
 * allocates.  How many leaves there are stays on the device: kernels are launched for as many as
 * there may be, and nothing waits for the host.  The trees are those of the CPU builders of the
 * same names, byte for byte: both number a node from its range of leaves, and every sum, product
 * and minimum is common/lbvh.h's.
 */
#ifndef GPUBENCH_CUDA_LBVH_PARTS_BUILDER_H
#define GPUBENCH_CUDA_LBVH_PARTS_BUILDER_H

#include "cuda/lbvh/parts/frame.h"
#include "cuda/lbvh/parts/hierarchy.h"

/* Allocate for the input's triangles. */
enum gb_status lbvh_gpu_init(struct lbvh_gpu *g, const void *input, unsigned needs,
			     struct gb_error *err);

/* ---- phases, queued in gpu_stream(); `timer` may be NULL ---------------------------------- */

/* box, grid. */
enum gb_status lbvh_gpu_bounds(struct lbvh_gpu *g, struct gb_timer *timer, struct gb_error *err);
/* code and number, or pair (LBVH_GPU_POWER). */
enum gb_status lbvh_gpu_codes(struct lbvh_gpu *g, struct gb_timer *timer, struct gb_error *err);
/* code_sorted and index: equal codes in ascending order of primitives. */
enum gb_status lbvh_gpu_sort(struct lbvh_gpu *g, struct gb_timer *timer, struct gb_error *err);
/* counters->leaves, code and first of each leaf; boxes: the leaf nodes, too. */
enum gb_status lbvh_gpu_leaves(struct lbvh_gpu *g, bool boxes, struct gb_timer *timer,
			       struct gb_error *err);
/* bounds to leaves, without the leaves' nodes, then lbvh_gpu_fused(). */
enum gb_status lbvh_gpu_fastest(struct lbvh_gpu *g, struct gb_timer *timer, struct gb_error *err);

/* ---- what the builders' variants are made of: the state is a struct lbvh_gpu -------------- */

/* GB_EUNAVAILABLE for --op=trace. */
enum gb_status lbvh_gpu_builder_create(void *state, const void *params, const void *input,
				       unsigned needs, struct gb_error *err);
/* The mesh to the device; waits.  The state may begin with a struct lbvh_gpu. */
enum gb_status lbvh_gpu_upload(void *state, struct gb_error *err);
enum gb_status lbvh_gpu_builder_download(void *state, void *output, struct gb_error *err);
/* refit_passes */
void lbvh_gpu_builder_metrics(void *state, struct gb_metrics *metrics);

#endif
