/* builder.h -- what the CUDA builders share: arrays, phases up to the leaves, the fastest build,
 * and the operations of their variants.
 *
 * A builder is a list of phases over one struct lbvh_gpu, whose arrays lbvh_gpu_init() allocates.
 * The number of leaves stays on the device: kernels are launched for the largest possible number,
 * and nothing waits for the host.  The trees equal those of the CPU builders of the same names byte
 * for byte, except ploc's: both number a node by its range of leaves, and every sum, product and
 * minimum is common/lbvh_types.h's.
 */
#ifndef GPUBENCH_CUDA_LBVH_SHARED_BUILDER_H
#define GPUBENCH_CUDA_LBVH_SHARED_BUILDER_H

#include "common/lbvh_types.h"
#include "cuda/primitives/device.h"
#include "cuda/runtime/variant.h"

enum {
	LBVH_WIDE = 8,      /* most children of a wide node */
	LBVH_WIDE_LEAF = 4, /* most triangles of its leaves */
};

/* Needs of a builder beyond 30-bit codes and the tree; the comments name the arrays. */
enum lbvh_gpu_needs {
	LBVH_GPU_CODES_63 = 1,
	LBVH_GPU_MARKS = 2,   /* mark */
	LBVH_GPU_PARENTS = 4, /* parent, arrived */
	LBVH_GPU_ARRIVED = 8, /* arrived */
	LBVH_GPU_POWER = 16,  /* pair, for the bitonic sort */
};

struct lbvh_gpu_counters {
	uint64_t leaves;
	uint32_t passes; /* passes that refit took */
	uint32_t done;   /* the root has its box */
};

/* Arrays are on the device; input and last are on the host. */
struct lbvh_gpu {
	const lbvh_input *input;
	size_t count; /* primitives */
	unsigned needs;
	bool staged; /* the sort of 63 bits: gpu_sort_can_stage() */
	float *vertex;
	uint32_t *triangle;
	lbvh_box *box;    /* one per primitive; then lists of clusters */
	float *bounds;    /* per block: bounds of its part of the scene */
	uint32_t *blocks; /* see is_last_block() */
	lbvh_grid *grid;  /* grid of the codes */
	/* Codes of 4 or 8 bytes.  `code` is in the order of primitives, or spare; after the sort,
	 * it has the leaves' codes, ascending. */
	void *code, *code_sorted;
	uint32_t *index;       /* the tree's index */
	void *code_spare;      /* codes of 63 bits are sorted as words, here */
	uint32_t *number;      /* 0 .. count - 1, for 30 bits */
	uint32_t *long_runs;   /* of codes of 63 bits */
	uint64_t *pair;        /* code << 32 | primitive, padded to a power of two */
	uint32_t *first;       /* position where each leaf starts, then count */
	lbvh_node *node;
	uint64_t *mark;    /* per inner node: its children, or UINT64_MAX when done */
	uint32_t *parent;  /* one per node */
	uint32_t *arrived; /* per inner node or split: left by the first child to arrive */
	uint4 *temp;       /* of the sort, its runs, and the prefix sum: zeroed with the boxes */
	size_t temps;
	lbvh_gpu_counters *counters;
	lbvh_gpu_counters last; /* counts of the last run, set by lbvh_gpu_download() */
};

/* ---- device: a node as two vectors -------------------------------------------------------- */

static __device__ __forceinline__ lbvh_node lbvh_node_load(const lbvh_node *node, uint32_t i)
{
	const float4 *const from = (const float4 *)(const void *)(node + i);
	const float4 lo = from[0], hi = from[1];

	return { { lo.x, lo.y, lo.z },
		 __float_as_uint(lo.w),
		 { hi.x, hi.y, hi.z },
		 __float_as_uint(hi.w) };
}

static __device__ __forceinline__ void lbvh_node_store(lbvh_node *node, uint32_t i, const float *lo,
						       const float *hi, uint32_t left,
						       uint32_t right)
{
	uint4 *const to = (uint4 *)(void *)(node + i);

	to[0] = make_uint4(__float_as_uint(lo[0]), __float_as_uint(lo[1]), __float_as_uint(lo[2]),
			   left);
	to[1] = make_uint4(__float_as_uint(hi[0]), __float_as_uint(hi[1]), __float_as_uint(hi[2]),
			   right);
}

/* Half the surface of a box. */
static __device__ __forceinline__ float lbvh_area(const float *lo, const float *hi)
{
	const float x = hi[0] - lo[0], y = hi[1] - lo[1], z = hi[2] - lo[2];

	return x * y + y * z + z * x;
}

/* ---- arrays ------------------------------------------------------------------------------- */

/* Allocate for the input's triangles. */
gb_status lbvh_gpu_init(lbvh_gpu *g, const lbvh_input *input, unsigned needs, gb_error *err);

/* The smallest power of two that is at least count. */
size_t lbvh_gpu_power(size_t count);

/* ---- phases, queued in gpu_stream(); `timer` may be NULL ---------------------------------- */

typedef gb_status lbvh_gpu_phase(lbvh_gpu *g, gb_timer *timer, gb_error *err);

extern lbvh_gpu_phase lbvh_gpu_bounds, /* box, grid; zeroes temp */
	lbvh_gpu_codes,                /* code and number, or pair (LBVH_GPU_POWER) */
	lbvh_gpu_sort,                 /* code_sorted, index; equal codes: primitives ascend */
	lbvh_gpu_leaves,               /* counters->leaves, code and first of each leaf */
	lbvh_gpu_leaf_nodes,           /* only the leaf nodes */
	/* Children of all inner nodes (Karras 2012); also mark, or parent and arrived. */
	lbvh_gpu_karras,
	/* Boxes of all inner nodes in passes: the paper's listing 9 (LBVH_GPU_MARKS, 30 bits). */
	lbvh_gpu_refit_passes,
	/* The same in one pass: the second child to arrive continues (LBVH_GPU_PARENTS). */
	lbvh_gpu_refit_once,
	/* Leaf nodes, inner nodes and boxes in one pass (LBVH_GPU_ARRIVED; Apetrei 2014). */
	lbvh_gpu_fused,
	/* Inner nodes and boxes by clustering (LBVH_GPU_CODES_63, ARRIVED). */
	lbvh_gpu_cluster;

/* Queue the phases in order, until one fails. */
template <lbvh_gpu_phase *...PHASES>
static inline gb_status lbvh_gpu_run(lbvh_gpu *g, gb_timer *timer, gb_error *err)
{
	(void)((PHASES(g, timer, err) == GB_OK) && ...);
	return err->code;
}

/* The fastest build. */
inline lbvh_gpu_phase *const lbvh_gpu_fastest =
	lbvh_gpu_run<lbvh_gpu_bounds, lbvh_gpu_codes, lbvh_gpu_sort, lbvh_gpu_leaves,
		     lbvh_gpu_fused>;

/* The tree by clustering, whose nodes are no ranges of the index until lbvh_gpu_refine(). */
inline lbvh_gpu_phase *const lbvh_gpu_best =
	lbvh_gpu_run<lbvh_gpu_bounds, lbvh_gpu_codes, lbvh_gpu_sort, lbvh_gpu_leaves,
		     lbvh_gpu_leaf_nodes, lbvh_gpu_cluster>;

/* Number of leaves, and of primitives. */
struct alignas(8) lbvh_gpu_size {
	uint32_t leaves, primitives;
};

/* Cost of a ray's test of a triangle; a wide node costs 1 (Ylitie, Karras, Laine 2017). */
#define LBVH_TRIANGLE_COST 0.3f

/* Costs of a subtree: least[s - 1] if it may give up to s children to the wide node above. */
struct alignas(16) lbvh_gpu_cost {
	float least[LBVH_WIDE];
};

/* A move of a node: what it gains; the node at the new place; the common ancestor of both. */
struct lbvh_gpu_move {
	float gain; /* 0: no move */
	uint32_t to, pivot;
};

/* Arrays to refine and renumber a tree, on the device. */
struct lbvh_gpu_order {
	uint32_t *up;             /* per node: its parent << 1, and 1 if it is the right child */
	lbvh_gpu_move *move;      /* per node */
	unsigned long long *lock; /* per node: the move of the largest gain that changes it */
	lbvh_gpu_size *size;      /* per node */
	lbvh_gpu_cost *cost;      /* per inner node */
	uint32_t *slots;          /* per inner node: see lbvh_left_slots() */
	uint32_t *plan;           /* the same by the new numbers */
	lbvh_node *node;          /* exchanged with the tree's */
	uint32_t *index;          /* the same */
};

/* How many of `slots` children the left half of an inner node gives; 0: the node is itself one of
 * them.  slots == 1: the node becomes a wide one, and its LBVH_WIDE children are distributed. */
static __device__ __forceinline__ uint32_t lbvh_left_slots(uint32_t packed, uint32_t slots)
{
	return packed >> (4 * (slots - 1)) & 15;
}

gb_status lbvh_gpu_order_init(lbvh_gpu_order *o, size_t count, gb_error *err);
/* Queue moves that make the tree cheaper (shared/refine.cu).  `up` must be set. */
gb_status lbvh_gpu_move_subtrees(lbvh_gpu *g, lbvh_gpu_order *o, gb_error *err);
/* Queue the moves, the renumbering of the tree as Karras 2012, primitives in the order of the
 * leaves, and the plan of its collapse. */
gb_status lbvh_gpu_refine(lbvh_gpu *g, lbvh_gpu_order *o, gb_error *err);
/* Make the refined tree over codes and the one by clustering; keep that whose plan costs less.
 * Waits for the costs. */
gb_status lbvh_gpu_cheapest(lbvh_gpu *g, lbvh_gpu_order *o, gb_error *err);

/* ---- operations of builders, whose state is a struct lbvh_gpu ----------------------------- */

/* GB_EUNAVAILABLE for --op=trace. */
gb_status lbvh_gpu_create(lbvh_gpu *g, const lbvh_params *params, const lbvh_input *input,
			  unsigned needs, gb_error *err);
/* Upload the mesh and wait.  Also for states that begin with a struct lbvh_gpu. */
gb_status lbvh_gpu_upload(lbvh_gpu *g, gb_error *err);
gb_status lbvh_gpu_download(lbvh_gpu *g, lbvh_tree_header *header, gb_error *err);
/* Report refit_passes if boxes are made by passes. */
void lbvh_gpu_metrics(const lbvh_gpu *g, gb_metrics *metrics);

template <unsigned NEEDS>
static gb_status lbvh_gpu_create_with(lbvh_gpu *g, const lbvh_params *params,
				      const lbvh_input *input, gb_error *err)
{
	return lbvh_gpu_create(g, params, input, NEEDS, err);
}

/* Bytes that a build moves: the mesh once, and EACH per primitive. */
template <size_t EACH> static double lbvh_gpu_bytes(const void *params, const void *input)
{
	return lbvh_build_bytes(input, EACH);
}

/* The operations of a builder with these phases. */
template <unsigned NEEDS, double (*BYTES)(const void *, const void *), lbvh_gpu_phase *...PHASES>
static constexpr gb_variant_ops lbvh_gpu_builder(void)
{
	return {
		.state_size = sizeof(lbvh_gpu),
		.create = op<lbvh_gpu_create_with<NEEDS>>,
		.upload = op<lbvh_gpu_upload>,
		.run = op<lbvh_gpu_run<PHASES...>>,
		.download = op<lbvh_gpu_download>,
		.bytes = BYTES,
		.metrics = op<lbvh_gpu_metrics>,
		.flags = GB_REPEATABLE,
	};
}

#endif
