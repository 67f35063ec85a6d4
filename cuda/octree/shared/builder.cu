/* builder.cu -- the first steps of every builder on the device: the root box and the keys; and the
 * copies of arrays between host and device.
 *
 * Box: one read of 12 bytes per body.  Each block writes six bounds; the last block reduces these,
 * one thread makes the box with the host's function, and the tree is empty from then on.  Keys: one
 * read of 12 bytes and one write of 8, in double precision.  Every step but the first subtraction
 * is exact, and that one rounds the same everywhere, so keys are equal on every machine.
 */
#include "cuda/octree/shared/builder.h"

#include <string.h>

#include "cuda/primitives/sort_count.h"

enum {
	BLOCK = 256,
	WARPS = BLOCK / WARP,
	BOX_BLOCKS = 1024, /* most blocks of box_kernel, whose bounds its last block reduces */
	AXES = 3,
	BOUNDS = 2 * AXES, /* low of x, y, z, then high */
};

/* ---- box --------------------------------------------------------------------------------- */

/* Reduce the bounds of a block's threads into bound[0 .. BOUNDS) of every thread. */
static __device__ __forceinline__ void reduce_bounds(float *bound, float (*part)[BOUNDS])
{
#pragma unroll
	for (int b = 0; b < BOUNDS; b++) {
#pragma unroll
		for (int step = WARP / 2; step > 0; step /= 2) {
			const float other = __shfl_xor_sync(ALL_LANES, bound[b], step);

			bound[b] = b < AXES ? fminf(bound[b], other) : fmaxf(bound[b], other);
		}
		if (threadIdx.x % WARP == 0)
			part[threadIdx.x / WARP][b] = bound[b];
	}
	__syncthreads();
#pragma unroll
	for (int b = 0; b < BOUNDS; b++) {
		for (int w = 0; w < WARPS; w++)
			bound[b] = b < AXES ? fminf(bound[b], part[w][b])
					    : fmaxf(bound[b], part[w][b]);
	}
}

static __device__ __forceinline__ void no_bounds(float *bound)
{
#pragma unroll
	for (int b = 0; b < BOUNDS; b++)
		bound[b] = b < AXES ? INFINITY : -INFINITY;
}

/* Start with an empty tree: a root without children, and the counters of one node handed out. */
static __device__ __forceinline__ void start_tree(const octree_tree *tree)
{
	octree_counters none = {};

	none.taken = 1;
	*tree->counters = none;
	octree_clear_node(tree->child[0]);
}

/* Grid-stride loops over temp and the bodies; block k writes bounds[k]. */
static __global__ void box_kernel(octree_arrays a)
{
	__shared__ float part[WARPS][BOUNDS];
	float(*const bounds)[BOUNDS] = (float(*)[BOUNDS])a.bounds;
	const size_t first = (size_t)blockIdx.x * BLOCK + threadIdx.x;
	const size_t stride = (size_t)gridDim.x * BLOCK;
	float bound[BOUNDS];

#pragma unroll 1
	for (size_t k = first; k < a.temps; k += stride)
		a.temp[k] = make_uint4(0, 0, 0, 0);
	no_bounds(bound);
	for (size_t i = first; i < a.count; i += stride) {
		const float place[AXES] = { a.x[i], a.y[i], a.z[i] };

#pragma unroll
		for (int d = 0; d < AXES; d++) {
			bound[d] = fminf(bound[d], place[d]);
			bound[AXES + d] = fmaxf(bound[AXES + d], place[d]);
		}
	}
	reduce_bounds(bound, part);
	if (threadIdx.x == 0) {
		for (int b = 0; b < BOUNDS; b++)
			bounds[blockIdx.x][b] = bound[b];
	}
	if (!is_last_block(&a.tree.counters->blocks))
		return;
	no_bounds(bound);
	for (unsigned k = threadIdx.x; k < gridDim.x; k += BLOCK) {
#pragma unroll
		for (int b = 0; b < BOUNDS; b++)
			bound[b] = b < AXES ? fminf(bound[b], bounds[k][b])
					    : fmaxf(bound[b], bounds[k][b]);
	}
	reduce_bounds(bound, part);
	if (threadIdx.x == 0) {
		*a.box = octree_box_of(bound, bound + AXES);
		start_tree(&a.tree);
	}
}

/* One thread: the same without bodies. */
static __global__ void empty_kernel(octree_tree tree)
{
	start_tree(&tree);
}

/* ---- keys -------------------------------------------------------------------------------- */

/* Makes the keys. */
struct octree_keyed {
	octree_bodies bodies;
	uint64_t *keys;
	uint32_t *numbers;
	int32_t *next;

	__device__ __forceinline__ uint64_t make(size_t i) const
	{
		next[i] = -1;
		if (numbers)
			numbers[i] = (uint32_t)i;
		return keys[i] = bodies.key(i);
	}
};

/* One thread per body. */
static __global__ void keys_kernel(octree_keyed keyed, size_t count)
{
	const size_t i = (size_t)blockIdx.x * BLOCK + threadIdx.x;

	if (i < count)
		(void)keyed.make(i);
}

enum gb_status octree_queue_box(const octree_arrays *a, struct gb_timer *timer,
				struct gb_error *err)
{
	const size_t blocks = min(a->count / (BLOCK * 2) + 1, (size_t)BOX_BLOCKS);

	if (a->count == 0) {
		empty_kernel<<<1, 1, 0, gpu_stream()>>>(a->tree);
	} else {
		gb_phase(timer, "box");
		box_kernel<<<blocks, BLOCK, 0, gpu_stream()>>>(*a);
	}
	return CUDA_TRY(err, cudaGetLastError());
}

enum gb_status octree_queue_keys(const octree_arrays *a, uint32_t *numbers,
				 const struct gpu_sort_args *sort, struct gb_timer *timer,
				 struct gb_error *err)
{
	const octree_keyed keyed = { octree_bodies_of(a), a->keys, numbers, a->tree.next };

	gb_phase(timer, "keys");
	if (sort)
		return gpu_sort_count<uint64_t>(sort, keyed, err);
	keys_kernel<<<gpu_blocks(a->count, BLOCK), BLOCK, 0, gpu_stream()>>>(keyed, a->count);
	return CUDA_TRY(err, cudaGetLastError());
}

/* ---- operations -------------------------------------------------------------------------- */

enum gb_status octree_arrays_create(octree_arrays *a, const octree_input *input, bool inserts,
				    struct gb_error *err)
{
	const size_t n = input->count;

	a->input = input;
	a->count = n;
	if (input->pool == 0)
		return gb_fail(err, GB_ERUNTIME, OCTREE_POOL_EXHAUSTED, input->pool, n);
	if (input->pool >= INT32_MAX || n > OCTREE_MAX_COUNT)
		return gb_fail(err, GB_EUNAVAILABLE,
			       "a pool of %zu nodes is too large: node numbers must be below 2^31",
			       input->pool);
	a->tree.pool = (uint32_t)input->pool;
	a->tree.bucket = (uint32_t)input->bucket;
	(void)gpu_alloc(&a->x, n, err);
	(void)gpu_alloc(&a->y, n, err);
	(void)gpu_alloc(&a->z, n, err);
	(void)gpu_alloc(&a->bounds, BOX_BLOCKS * BOUNDS, err);
	(void)gpu_alloc(&a->box, 1, err);
	if (inserts)
		(void)gpu_alloc(&a->keys, n, err);
	(void)gpu_alloc(&a->tree.child, input->pool, err);
	(void)gpu_alloc(&a->tree.next, n, err);
	gb_memory_result(a->tree.child, GB_WHOLE, GB_POISON);
	gb_memory_result(a->tree.next, GB_WHOLE, GB_POISON);
	(void)gpu_alloc_zeroed(&a->tree.counters, 1, err);
	if (inserts && input->bucket > 1)
		(void)gpu_alloc(&a->tree.rank, n, err);
	return err->code;
}

enum gb_status octree_builder_run(octree_builder *b, struct gb_timer *timer, struct gb_error *err)
{
	const octree_arrays *const a = &b->arrays;

	if (octree_queue_box(a, timer, err) || a->count == 0 ||
	    octree_queue_keys(a, NULL, NULL, timer, err))
		return err->code;
	gb_phase(timer, "insert");
	b->kernel<<<b->grid.blocks, OCTREE_BLOCK, 0, gpu_stream()>>>(a->keys, a->count, a->tree,
								     b->grid.chunk);
	return CUDA_TRY(err, cudaGetLastError());
}

enum gb_status octree_upload(const octree_arrays *a, struct gb_error *err)
{
	const size_t bytes = a->count * sizeof *a->x;

	(void)gpu_upload(a->x, a->input->x, bytes, err);
	(void)gpu_upload(a->y, a->input->y, bytes, err);
	return gpu_upload(a->z, a->input->z, bytes, err);
}

/* Wait for the run and read its counters; GB_ERUNTIME if the pool was exhausted. */
static enum gb_status check_run(octree_arrays *a, struct gb_error *err)
{
	if (gpu_download(&a->last, a->tree.counters, sizeof a->last, err) != GB_OK)
		return err->code;
	if (a->last.exhausted)
		return gb_fail(err, GB_ERUNTIME, OCTREE_POOL_EXHAUSTED, a->input->pool, a->count);
	return GB_OK;
}

enum gb_status octree_reset(octree_arrays *a, int64_t sample, struct gb_error *err)
{
	return check_run(a, err);
}

enum gb_status octree_download(octree_arrays *a, octree_output *output, struct gb_error *err)
{
	size_t rows;

	if (check_run(a, err) != GB_OK)
		return err->code;
	rows = a->last.taken < a->tree.pool ? (size_t)a->last.taken : a->tree.pool;
	memset(output, 0, sizeof *output);
	output->rows = (int64_t)rows;
	(void)gpu_download(output->child, a->tree.child, rows * sizeof *a->tree.child, err);
	return gpu_download(octree_output_next(a->input, output), a->tree.next,
			    a->count * sizeof *a->tree.next, err);
}

double octree_bytes(const void *params, const octree_input *input)
{
	return 40 * (double)input->count + 32 * (double)input->tree.nodes;
}

void octree_metrics(const octree_arrays *a, struct gb_metrics *metrics)
{
	gb_metric(metrics, "cas_failures", (double)a->last.cas_failures);
}
