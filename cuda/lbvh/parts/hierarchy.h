/* hierarchy.h -- leaf nodes, inner nodes and their boxes; queued in gpu_stream(), `timer` may be
 * NULL. */
#ifndef GPUBENCH_CUDA_LBVH_PARTS_HIERARCHY_H
#define GPUBENCH_CUDA_LBVH_PARTS_HIERARCHY_H

#include "cuda/lbvh/parts/frame.h"

/* The leaf nodes alone. */
enum gb_status lbvh_gpu_leaf_nodes(struct lbvh_gpu *g, struct gb_error *err);
/* Children of all inner nodes (Karras 2012); with them mark, or parent and arrived. */
enum gb_status lbvh_gpu_karras(struct lbvh_gpu *g, struct gb_timer *timer, struct gb_error *err);
/* Boxes of all inner nodes, pass by pass, the paper's listing 9 (LBVH_GPU_MARKS, 30 bits). */
enum gb_status lbvh_gpu_refit_passes(struct lbvh_gpu *g, struct gb_timer *timer,
				     struct gb_error *err);
/* The same in one pass: the second child to arrive goes on (LBVH_GPU_PARENTS). */
enum gb_status lbvh_gpu_refit_once(struct lbvh_gpu *g, struct gb_timer *timer,
				   struct gb_error *err);
/* Leaf nodes, inner nodes and boxes in one pass (LBVH_GPU_ARRIVED; Apetrei 2014). */
enum gb_status lbvh_gpu_fused(struct lbvh_gpu *g, struct gb_timer *timer, struct gb_error *err);

#endif
