/* builder.cu -- the first steps of every builder on the device: the root box and the keys; and the
 * copies of arrays between host and device.
 *
 * Box: one read of 12 bytes per body.  Each block writes six bounds, one more block reduces these,
 * and one thread makes the box with the host's function.  Keys: one read of 12 bytes and one write
 * of 8, in double precision.  Every step but the first subtraction is exact, and that one rounds
 * the same everywhere, so keys are equal on every machine.
 */
#include "cuda/octree/parts/builder.h"

#include <string.h>

enum {
	BLOCK = 256,
	WARPS = BLOCK / WARP,
	BOX_BLOCKS = 1024, /* most blocks of bounds_kernel, which box_kernel reduces */
	AXES = 3,
	BOUNDS = 2 * AXES, /* low of x, y, z, then high */
};

/* ---- box --------------------------------------------------------------------------------- */

/* Reduce the bounds of a block's threads into bound[0 .. BOUNDS) of every thread. */
static __device__ __forceinline__ void reduce_bounds(float *bound, float (*part)[BOUNDS])
{
	GPU_UNROLL
	for (int b = 0; b < BOUNDS; b++) {
		GPU_UNROLL
		for (int step = WARP / 2; step > 0; step /= 2) {
			const float other = __shfl_xor_sync(ALL_LANES, bound[b], step);

			bound[b] = b < AXES ? fminf(bound[b], other) : fmaxf(bound[b], other);
		}
		if (threadIdx.x % WARP == 0)
			part[threadIdx.x / WARP][b] = bound[b];
	}
	__syncthreads();
	GPU_UNROLL
	for (int b = 0; b < BOUNDS; b++) {
		for (int w = 0; w < WARPS; w++)
			bound[b] = b < AXES ? fminf(bound[b], part[w][b])
					    : fmaxf(bound[b], part[w][b]);
	}
}

static __device__ __forceinline__ void no_bounds(float *bound)
{
	GPU_UNROLL
	for (int b = 0; b < BOUNDS; b++)
		bound[b] = b < AXES ? INFINITY : -INFINITY;
}

/* Grid-stride loop over the bodies; block k writes bounds[k]. */
static __global__ void bounds_kernel(const float *x, const float *y, const float *z, size_t count,
				     float (*bounds)[BOUNDS])
{
	SHARED_ARRAY(float, part, WARPS *BOUNDS);
	float bound[BOUNDS];

	no_bounds(bound);
	for (size_t i = (size_t)blockIdx.x * BLOCK + threadIdx.x; i < count;
	     i += (size_t)gridDim.x * BLOCK) {
		const float place[AXES] = { x[i], y[i], z[i] };

		GPU_UNROLL
		for (int d = 0; d < AXES; d++) {
			bound[d] = fminf(bound[d], place[d]);
			bound[AXES + d] = fmaxf(bound[AXES + d], place[d]);
		}
	}
	reduce_bounds(bound, (float(*)[BOUNDS])part);
	if (threadIdx.x == 0) {
		for (int b = 0; b < BOUNDS; b++)
			bounds[blockIdx.x][b] = bound[b];
	}
}

/* One block. */
static __global__ void box_kernel(const float (*bounds)[BOUNDS], unsigned blocks,
				  struct octree_box *box)
{
	SHARED_ARRAY(float, part, WARPS *BOUNDS);
	float bound[BOUNDS];

	no_bounds(bound);
	for (unsigned k = threadIdx.x; k < blocks; k += BLOCK) {
		GPU_UNROLL
		for (int b = 0; b < BOUNDS; b++)
			bound[b] = b < AXES ? fminf(bound[b], bounds[k][b])
					    : fmaxf(bound[b], bounds[k][b]);
	}
	reduce_bounds(bound, (float(*)[BOUNDS])part);
	if (threadIdx.x == 0)
		*box = octree_box_of(bound, bound + AXES);
}

/* ---- keys and clearing ------------------------------------------------------------------- */

/* One thread per body. */
static __global__ void keys_kernel(const float *x, const float *y, const float *z, size_t count,
				   const struct octree_box *box, uint64_t *keys,
				   struct octree_words words)
{
	const uint32_t i = blockIdx.x * BLOCK + threadIdx.x;

	if (i >= count)
		return;

	const uint64_t key = octree_key(box, x[i], y[i], z[i]);

	keys[i] = key;
	if (words.number)
		words.number[i] = i;
	if (words.word)
		words.word[i] = octree_word(words, key, i);
}

/* One thread: clear the root, and reset the counters with the root handed out. */
static __global__ void clear_kernel(struct octree_tree tree)
{
	struct octree_counters none = {};

	none.taken = 1;
	*tree.counters = none;
	octree_clear_node(tree.child[0]);
}

static enum gb_status queue_keys(const struct octree_arrays *a, struct octree_words words,
				 struct gb_timer *timer, struct gb_error *err)
{
	const size_t n = a->count;
	const unsigned blocks = (unsigned)(min(n / (BLOCK * 8) + 1, (size_t)BOX_BLOCKS));
	float(*const bounds)[BOUNDS] = (float(*)[BOUNDS])a->bounds;

	gb_phase(timer, "box");
	if (GPU_RUN(err, bounds_kernel, blocks, BLOCK, a->x, a->y, a->z, n, bounds) ||
	    GPU_RUN(err, box_kernel, 1, BLOCK, bounds, blocks, a->box))
		return err->code;
	gb_phase(timer, "keys");
	return GPU_RUN(err, keys_kernel, gpu_blocks(n, BLOCK), BLOCK, a->x, a->y, a->z, n, a->box,
		       a->keys, words);
}

enum gb_status octree_queue_start(const struct octree_arrays *a, struct octree_words words,
				  struct gb_timer *timer, struct gb_error *err)
{
	if (a->count && queue_keys(a, words, timer, err) != GB_OK)
		return err->code;
	gb_phase(timer, "clear");
	if (GPU_RUN(err, clear_kernel, 1, 1, a->tree) || a->count == 0)
		return err->code;
	return CUDA_TRY(err, cudaMemsetAsync(a->tree.next, 0xff, a->count * sizeof *a->tree.next,
					     gpu_stream()));
}

/* ---- operations -------------------------------------------------------------------------- */

enum gb_status octree_arrays_create(struct octree_arrays *a, const struct octree_input *input,
				    bool ranks, struct gb_error *err)
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
	(void)gpu_alloc(&a->keys, n, err);
	(void)gpu_alloc(&a->tree.child, input->pool, err);
	(void)gpu_alloc(&a->tree.next, n, err);
	gb_memory_result(a->tree.child, GB_WHOLE, GB_POISON);
	gb_memory_result(a->tree.next, GB_WHOLE, GB_POISON);
	(void)gpu_alloc_zeroed(&a->tree.counters, 1, err);
	if (ranks && input->bucket > 1)
		(void)gpu_alloc(&a->tree.rank, n, err);
	return err->code;
}

enum gb_status octree_builder_run(struct octree_builder *b, struct gb_timer *timer,
				  struct gb_error *err)
{
	const struct octree_arrays *const a = &b->arrays;
	const struct octree_words no_words = {};

	if (octree_queue_start(a, no_words, timer, err) != GB_OK || a->count == 0)
		return err->code;
	gb_phase(timer, "insert");
	return GPU_RUN(err, b->kernel, b->grid.blocks, OCTREE_BLOCK, a->keys, a->count, a->tree,
		       b->grid.chunk);
}

enum gb_status octree_upload(const struct octree_arrays *a, struct gb_error *err)
{
	const size_t bytes = a->count * sizeof *a->x;

	(void)gpu_upload(a->x, a->input->x, bytes, err);
	(void)gpu_upload(a->y, a->input->y, bytes, err);
	return gpu_upload(a->z, a->input->z, bytes, err);
}

/* Wait for the run and read its counters; GB_ERUNTIME if the pool was exhausted. */
static enum gb_status check_run(struct octree_arrays *a, struct gb_error *err)
{
	if (gpu_download(&a->last, a->tree.counters, sizeof a->last, err) != GB_OK)
		return err->code;
	if (a->last.exhausted)
		return gb_fail(err, GB_ERUNTIME, OCTREE_POOL_EXHAUSTED, a->input->pool, a->count);
	return GB_OK;
}

enum gb_status octree_reset(struct octree_arrays *a, int64_t sample, struct gb_error *err)
{
	return check_run(a, err);
}

enum gb_status octree_download(struct octree_arrays *a, struct octree_output *output,
			       struct gb_error *err)
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

double octree_bytes(const void *params, const struct octree_input *input)
{
	return 40 * (double)input->count + 32 * (double)input->tree.nodes;
}

void octree_metrics(const struct octree_arrays *a, struct gb_metrics *metrics)
{
	gb_metric(metrics, "cas_failures", (double)a->last.cas_failures);
}
