/* common.h -- what the CUDA builders share: the phases of a Morton-code build, the arrays they
 * work on, and the way in and out.
 *
 * A builder is a list of phases over one struct lbvh_gpu, all of whose arrays lbvh_gpu_init()
 * allocates.  How many leaves there are stays on the device: kernels are launched for as many as
 * there may be, and nothing waits for the host.  The trees are those of the CPU builders of the
 * same names, byte for byte: both number a node from its range of leaves, and every sum, product
 * and minimum is common/lbvh.h's.
 */
#ifndef GPUBENCH_CUDA_LBVH_PARTS_COMMON_H
#define GPUBENCH_CUDA_LBVH_PARTS_COMMON_H

#include "common/lbvh.h"
#include "common/timer.h"
#include "common/variants.h"
#include "cuda/check.h"
#include "cuda/device.h"
#include "cuda/gpu.h"
#include "cuda/primitives/device.h"

/* What a builder needs beyond 30-bit codes and the tree. */
enum lbvh_gpu_needs {
	LBVH_GPU_CODES_63 = 1,
	LBVH_GPU_MARKS = 2,   /* mark */
	LBVH_GPU_PARENTS = 4, /* parent, arrived */
	LBVH_GPU_ARRIVED = 8, /* arrived */
	LBVH_GPU_POWER = 16,  /* pair, for the bitonic sort */
};

struct lbvh_gpu_counters {
	uint64_t leaves;
	uint32_t passes; /* that refit took */
	uint32_t done;   /* the root has its box */
	uint32_t made;   /* inner nodes that clustering has numbered */
	uint32_t unused;
};

/* All on the device but input and last. */
struct lbvh_gpu {
	const struct lbvh_input *input;
	size_t count; /* primitives */
	unsigned needs;
	float *vertex;
	uint32_t *triangle;
	struct lbvh_box *box;   /* of each primitive */
	float *bounds;          /* of each block's part of the scene */
	struct lbvh_grid *grid; /* of the codes */
	/* Codes of 4 or 8 bytes.  `code` is in the order of primitives; after the sort, when that
	 * is no longer needed, it is the leaves', ascending. */
	void *code, *code_sorted, *code_spare;
	uint32_t *number; /* 0 .. count - 1 */
	uint32_t *index;  /* of the tree */
	uint32_t *index_spare;
	uint64_t *pair;  /* code << 32 | primitive, as many as the next power of two */
	uint32_t *place; /* leaves that start before each place of the sorted order */
	uint32_t *first; /* place where each leaf starts, and count behind the last */
	struct lbvh_node *node;
	uint64_t *mark;    /* of each inner node: its children, or UINT64_MAX when done */
	uint32_t *parent;  /* of each node */
	uint32_t *arrived; /* of each inner node or split: what the first child to arrive left */
	void *sort_temp, *scan_temp;
	struct lbvh_gpu_counters *counters;
	struct lbvh_gpu_counters last; /* of the last run, once it was waited for */
};

/* Allocate for the input's triangles.  GB_EUNAVAILABLE if memory is short; what was allocated is
 * left to lbvh_gpu_release(). */
enum gb_status lbvh_gpu_init(struct lbvh_gpu *g, const void *input, unsigned needs,
			     struct gb_error *err);
void lbvh_gpu_release(struct lbvh_gpu *g);
/* The mesh to the device; waits. */
enum gb_status lbvh_gpu_upload(struct lbvh_gpu *g, struct gb_error *err);

/* ---- phases, queued in gpu_stream(); `timer` may be NULL ---------------------------------- */

static inline void lbvh_gpu_phase(struct gb_timer *timer, const char *name)
{
	if (timer)
		gb_phase(timer, name);
}

/* Blocks of `block` threads for `count` things. */
static inline unsigned lbvh_gpu_blocks(size_t count, size_t block)
{
	return (unsigned)((count + block - 1) / block);
}

/* box, grid. */
enum gb_status lbvh_gpu_bounds(struct lbvh_gpu *g, struct gb_timer *timer, struct gb_error *err);
/* code and number, or pair (LBVH_GPU_POWER). */
enum gb_status lbvh_gpu_codes(struct lbvh_gpu *g, struct gb_timer *timer, struct gb_error *err);
/* code_sorted and index: equal codes in ascending order of primitives. */
enum gb_status lbvh_gpu_sort(struct lbvh_gpu *g, struct gb_timer *timer, struct gb_error *err);
/* counters->leaves, code and first of each leaf; boxes: the leaf nodes, too. */
enum gb_status lbvh_gpu_leaves(struct lbvh_gpu *g, bool boxes, struct gb_timer *timer,
			       struct gb_error *err);
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

/* bounds to leaves, without the leaves' nodes, then lbvh_gpu_fused(). */
enum gb_status lbvh_gpu_best(struct lbvh_gpu *g, struct gb_timer *timer, struct gb_error *err);

/* ---- what the builders' variants are made of: the state is a struct lbvh_gpu -------------- */

/* GB_EUNAVAILABLE for --op=trace. */
enum gb_status lbvh_gpu_builder_create(void **state, const void *params, const void *input,
				       unsigned needs, struct gb_error *err);
enum gb_status lbvh_gpu_builder_upload(void *state, struct gb_error *err);
enum gb_status lbvh_gpu_builder_download(void *state, void *output, struct gb_error *err);
void lbvh_gpu_builder_destroy(void *state);
/* refit_passes */
void lbvh_gpu_builder_metrics(void *state, struct gb_metrics *metrics);

#endif
