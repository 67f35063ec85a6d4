/* builder.h -- what the CUDA variants of octree share: the bodies, keys and tree on the device, the
 * copies between host and device, and the allocation of nodes by many threads.
 *
 * Every variant runs "box" (the root cube, from the bodies' bounds) and "keys" (63 bits per body).
 * A body's path is then read off its key (common/octree_types.h).
 *
 * Node numbers come from one counter, by warp-aggregated atomics and in chunks: with one atomic per
 * node, all threads would queue at one address.  Nodes that a warp reserved and did not use are
 * holes; the chunk is as large as the pool's slack allows (octree_grid_of).  A number past the pool
 * means that it is exhausted.  This is flagged, the body is left out, and the run ends like any
 * other; octree_reset() and octree_download() report it afterwards.
 */
#ifndef GPUBENCH_CUDA_OCTREE_SHARED_BUILDER_H
#define GPUBENCH_CUDA_OCTREE_SHARED_BUILDER_H

#include "common/octree_types.h"
#include "cuda/primitives/device.h"
#include "cuda/primitives/primitives.h"
#include "cuda/runtime/variant.h"

/* ---- on the device ----------------------------------------------------------------------- */

/* Set by octree_queue_box(), read by the host after the run. */
struct octree_counters {
	uint64_t taken;        /* node numbers handed out, with the root's; may exceed the pool */
	uint64_t cas_failures; /* compare-and-swaps that found the slot changed */
	uint64_t lock_spins;   /* attempts that met a locked slot, or lost the race for a lock */
	uint32_t exhausted;    /* 1: some thread got no node */
	/* Work lists of lf-shared. */
	uint32_t tasks, hard_tasks, ticket;
	struct gpu_runs runs;
	uint32_t blocks; /* see is_last_block() */
};

struct octree_tree {
	int32_t (*child)[8]; /* [pool], see common/octree_types.h */
	int32_t *next;       /* [bodies] */
	uint32_t *rank;      /* [bodies] place in a list, 1 at its end; NULL: not needed */
	uint32_t pool;
	uint32_t bucket;
	octree_counters *counters;
};

/* Arrays are on the device; input and last are on the host. */
struct octree_arrays {
	const octree_input *input;
	size_t count;
	float *x, *y, *z;
	float *bounds; /* low and high of each axis, per block of bounds_kernel */
	octree_box *box;
	uint64_t *keys; /* by body number; or NULL */
	uint4 *temp;    /* of a sort and a prefix sum (linear.h), or none */
	size_t temps;
	octree_tree tree;
	octree_counters last; /* counts of the last run, set by octree_reset() */
};

/* Queue the start of every run in gpu_stream().  Phase "box": the root box, a root without
 * children, and zeros in temp.  Without bodies, the tree is then complete. */
enum gb_status octree_queue_box(const octree_arrays *a, struct gb_timer *timer,
				struct gb_error *err);
/* Then phase "keys": the keys, and no body with a next one.  numbers[i] = i, unless NULL.  sort:
 * that of the keys, whose digits are counted, or NULL. */
enum gb_status octree_queue_keys(const octree_arrays *a, uint32_t *numbers,
				 const struct gpu_sort_args *sort, struct gb_timer *timer,
				 struct gb_error *err);

/* ---- operations of a variant whose state begins with its arrays --------------------------- */

/* inserts: also allocate keys, and tree.rank if the bucket is above 1. */
enum gb_status octree_arrays_create(octree_arrays *a, const octree_input *input, bool inserts,
				    struct gb_error *err);
enum gb_status octree_upload(const octree_arrays *a, struct gb_error *err);

/* Report an exhausted pool before the next sample, so that no such run goes unnoticed. */
enum gb_status octree_reset(octree_arrays *a, int64_t sample, struct gb_error *err);
enum gb_status octree_download(octree_arrays *a, octree_output *output, struct gb_error *err);
/* Compulsory bytes of insertion: positions read twice, for box and keys; keys written and read;
 * nodes written. */
double octree_bytes(const void *params, const octree_input *input);

/* Metric "cas_failures" of the last run. */
void octree_metrics(const octree_arrays *a, struct gb_metrics *metrics);

/* The operations of a builder. */
template <class STATE, auto CREATE, auto RUN, auto BYTES, auto METRICS, auto UPLOAD = octree_upload>
static constexpr struct gb_variant_ops octree_ops(void)
{
	return {
		.state_size = sizeof(STATE),
		.create = op<CREATE>,
		.upload = op<UPLOAD>,
		.reset = op<octree_reset>,
		.run = op<RUN>,
		.download = op<octree_download>,
		.bytes = op<BYTES>,
		.metrics = op<METRICS>,
		.flags = GB_REPEATABLE,
	};
}

/* ---- grids of threads that allocate nodes ------------------------------------------------- */

struct octree_grid {
	unsigned blocks;
	uint32_t chunk; /* fewest nodes that a warp reserves at a time */
};

/* The number of holes that a builder may leave in input->pool. */
static inline size_t octree_slack(const octree_input *input)
{
	const size_t most = OCTREE_SLACK;

	return input->count < most ? input->count : most;
}

/* A grid for `count` bodies in blocks of `block` threads, with at most as many blocks as the device
 * holds of the kernel at once.  Holes are at most one per thread that has a body plus chunk - 1 per
 * warp, together no more than slack. */
template <class K>
static inline octree_grid octree_grid_of(K *kernel, size_t count, unsigned block, size_t slack)
{
	const size_t wanted = gpu_blocks(count, block);
	size_t blocks = gpu_resident_blocks(kernel, block, 0, wanted), each;

	if (count > slack && blocks > slack / (2 * block))
		blocks = slack / (2 * block);
	if (blocks == 0)
		blocks = 1;
	each = slack / (blocks * (block / WARP)); /* holes per warp */
	return { (unsigned)blocks, each <= WARP + 1    ? 1
				   : each < WARP + 256 ? (uint32_t)(each - WARP)
						       : 256 };
}

/* ---- builders of one kernel --------------------------------------------------------------- */

enum { OCTREE_BLOCK = 256 };

/* Grid-stride loop over the bodies in blocks of OCTREE_BLOCK threads.  chunk: see octree_grid. */
typedef void octree_kernel(const uint64_t *keys, size_t count, octree_tree tree, uint32_t chunk);

/* The state of a builder that inserts all bodies from the root with one kernel. */
struct octree_builder {
	octree_arrays arrays; /* first: shared operations cast a state to it */
	octree_kernel *kernel;
	octree_grid grid;
};

/* create(): select the kernel for leaves of one body or for lists. */
template <octree_kernel *SINGLE, octree_kernel *LISTS>
static enum gb_status octree_builder_create(octree_builder *b, const void *params,
					    const octree_input *input, struct gb_error *err)
{
	if (octree_arrays_create(&b->arrays, input, true, err))
		return err->code;
	b->kernel = input->bucket > 1 ? LISTS : SINGLE;
	b->grid = octree_grid_of(b->kernel, input->count, OCTREE_BLOCK, octree_slack(input));
	return GB_OK;
}

/* run(): the paper's time is that of the phase "insert". */
enum gb_status octree_builder_run(octree_builder *b, struct gb_timer *timer, struct gb_error *err);

/* ---- device code: warp-aggregated allocation of nodes -------------------------------------- */

/* The nodes that a warp has reserved and no lane has yet, the same in all lanes: the rest of its
 * last chunk.  Starts as zeros. */
struct octree_reserve {
	uint32_t first, count;
};

/* The nodes of one lane: those of the warp from `rank` on.  The warp's are its old reserve, then
 * those from chunk_first on. */
struct octree_nodes {
	uint32_t rank, reserve_first, reserve_count, chunk_first;
};

/* The lane's node number k. */
static __device__ __forceinline__ uint32_t octree_node(const octree_nodes *nodes, uint32_t k)
{
	const uint32_t i = nodes->rank + k;

	return i < nodes->reserve_count ? nodes->reserve_first + i
					: nodes->chunk_first + (i - nodes->reserve_count);
}

/* Allocate `wanted` nodes for each lane, with at most one atomic for the warp; all its lanes call
 * together.  chunk: fewest nodes to reserve at a time.  SHARED: the tree is in shared memory, where
 * 64-bit additions are loops; the low half of the counter is enough there. */
template <bool SHARED>
static __device__ __forceinline__ octree_nodes octree_allocate(octree_reserve *reserve,
							       const octree_tree *tree,
							       uint32_t wanted, uint32_t chunk)
{
	/* 1. Rank the lanes' nodes among the warp's. */
	const uint32_t inclusive = warp_scan(wanted);
	const uint32_t all = __shfl_sync(ALL_LANES, inclusive, WARP - 1);
	octree_nodes nodes = { inclusive - wanted, reserve->first, reserve->count, 0 };

	/* 2. Take them from the reserve. */
	if (all <= reserve->count) {
		reserve->first += all;
		reserve->count -= all;
		return nodes;
	}

	/* 3. If it is too small, one lane reserves another chunk. */
	const uint32_t missing = all - reserve->count;
	const uint32_t more = missing > chunk ? missing : chunk;
	uint64_t first = 0;

	if (threadIdx.x % WARP == 0)
		first = SHARED ? atomicAdd((uint32_t *)&tree->counters->taken, more)
			       : atomicAdd((unsigned long long *)&tree->counters->taken,
					   (unsigned long long)more);
	first = __shfl_sync(ALL_LANES, first, 0);
	/* Numbers past the pool all start at its end, so none wraps around. */
	nodes.chunk_first = first < tree->pool ? (uint32_t)first : tree->pool;
	reserve->first = nodes.chunk_first + missing;
	reserve->count = more - missing;
	return nodes;
}

/* Clear a node, one sector of 32 bytes. */
static __device__ __forceinline__ void octree_clear_node(int32_t *child)
{
	const int4 none = { OCTREE_FREE, OCTREE_FREE, OCTREE_FREE, OCTREE_FREE };

	((int4 *)child)[0] = none;
	((int4 *)child)[1] = none;
}

/* The number of leading digits that two keys share: 0 .. 21. */
static __device__ __forceinline__ int octree_shared_digits(uint64_t a, uint64_t b)
{
	return a == b ? (int)OCTREE_LEVELS : (__clzll((long long)(a ^ b)) - 1) / 3;
}

/* Input of the keys. */
struct octree_bodies {
	const float *x, *y, *z;
	const octree_box *box;

	__device__ __forceinline__ uint64_t key(size_t i) const
	{
		return octree_key(box, x[i], y[i], z[i]);
	}
};

static inline octree_bodies octree_bodies_of(const octree_arrays *a)
{
	return { a->x, a->y, a->z, a->box };
}

/* Add the sum of `count` over the warp. */
static __device__ __forceinline__ void octree_count(uint64_t *counter, uint32_t count)
{
	const uint32_t sum = warp_sum(count);

	if (threadIdx.x % WARP == 0 && sum)
		atomicAdd((unsigned long long *)counter, (unsigned long long)sum);
}

#endif
