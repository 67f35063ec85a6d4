/* frame.h -- what the phases of a CUDA build work on. */
#ifndef GPUBENCH_CUDA_LBVH_PARTS_FRAME_H
#define GPUBENCH_CUDA_LBVH_PARTS_FRAME_H

#include "common/lbvh.h"
#include "common/timer.h"
#include "common/workload.h"
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
	uint32_t *arrived; /* of each inner node or seam: what the first child to arrive left */
	void *sort_temp, *scan_temp;
	struct lbvh_gpu_counters *counters;
	struct lbvh_gpu_counters last; /* of the last run, once it was waited for */
};

/* The phase's name, if it is timed. */
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

#endif
