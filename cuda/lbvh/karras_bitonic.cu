/* karras_bitonic.cu -- step 1 of 6 (build): the paper's phases, with a bitonic sort.
 *
 * The phases of section 4.1, and where they are:
 *	bounds     boxes_kernel (shared/builder.cu): boxes of the triangles and of the scene
 *	codes      pairs_kernel (shared/builder.cu): 30-bit Morton codes
 *	sort       tile_kernel, step_kernel (below): bitonic, over the next power of two
 *	leaves     append_kernel (shared/builder.cu): flags and a scan; leaves_kernel
 *	           (shared/hierarchy.cu)
 *	hierarchy  karras_kernel (shared/hierarchy.cu): Karras 2012
 *	refit      refit_kernel (shared/hierarchy.cu): boxes pass by pass until the root has one
 *
 * As in the authors' program, steps within a tile of 2048 pairs run in shared memory: one launch
 * sorts all tiles, and one ends each later stage; each step across tiles is a launch.  2^(11 + d)
 * pairs take d (d + 3) / 2 + 1 launches, each of which reads and writes all pairs.  A pair has the
 * code in its high half and the primitive in its low half, so that equal codes also come out in
 * order.  Differences from the listings: the scene's box starts at +-FLT_MAX instead of +-10000,
 * and a separate word ends refit early.  The paper's passes are dispatched indirectly, and the
 * driver may skip those after the root; CUDA has no such launch, so a pass here is a grid of a few
 * blocks per multiprocessor, which end at once.
 *
 * Bound: memory and launches.
 */
#include "cuda/lbvh/shared/builder.h"

enum {
	BLOCK = 256,
	TILE = 2048, /* pairs, 16 KiB */
};

/* The lower index of the k-th pair of elements that are `step` apart. */
static __device__ __forceinline__ size_t lower_index(size_t k, size_t step)
{
	return 2 * k - (k & (step - 1));
}

/* Compare and exchange all pairs (i, i + step) of one stage, one thread per pair.  Runs of `size`
 * elements alternate between ascending and descending. */
static __global__ void step_kernel(uint64_t *pair, size_t pairs, size_t size, size_t step)
{
	const size_t k = (size_t)blockIdx.x * BLOCK + threadIdx.x;

	if (k >= pairs)
		return;

	const size_t i = lower_index(k, step), j = i + step;
	const uint64_t a = pair[i], b = pair[j];

	if ((a > b) == ((i & size) == 0)) {
		pair[i] = b;
		pair[j] = a;
	}
}

/* The steps within tiles of the stages of size first, 2 first, ... last.  One block per tile of
 * `tile` pairs, which is TILE or all pairs. */
static __global__ void __launch_bounds__(BLOCK)
	tile_kernel(uint64_t *pair, uint32_t tile, size_t first, size_t last)
{
	__shared__ uint64_t tile_pair[TILE];
	const size_t base = (size_t)blockIdx.x * tile;

	for (uint32_t i = threadIdx.x; i < tile; i += BLOCK)
		tile_pair[i] = pair[base + i];
	for (size_t size = first; size <= last; size *= 2)
		for (uint32_t step = (uint32_t)(size <= tile ? size : tile) / 2; step > 0;
		     step /= 2) {
			__syncthreads();
			for (uint32_t k = threadIdx.x; k < tile / 2; k += BLOCK) {
				const uint32_t i = (uint32_t)lower_index(k, step), j = i + step;
				const uint64_t a = tile_pair[i], b = tile_pair[j];

				if ((a > b) == (((base + i) & size) == 0)) {
					tile_pair[i] = b;
					tile_pair[j] = a;
				}
			}
		}
	__syncthreads();
	for (uint32_t i = threadIdx.x; i < tile; i += BLOCK)
		pair[base + i] = tile_pair[i];
}

/* Split the pairs into codes and primitives for the other phases; one thread per primitive. */
static __global__ void unpack_kernel(const uint64_t *pair, size_t count, uint32_t *code,
				     uint32_t *index)
{
	const size_t i = (size_t)blockIdx.x * BLOCK + threadIdx.x;

	if (i >= count)
		return;
	code[i] = (uint32_t)(pair[i] >> 32);
	index[i] = (uint32_t)pair[i];
}

static gb_status sort(lbvh_gpu *g, gb_timer *timer, gb_error *err)
{
	const size_t power = lbvh_gpu_power(g->count);
	const uint32_t tile = (uint32_t)min(power, (size_t)TILE);
	const size_t tiles = power / tile;

	gb_phase(timer, "sort");
	tile_kernel<<<tiles, BLOCK, 0, gpu_stream()>>>(g->pair, tile, 2, tile);
	for (size_t size = 2 * (size_t)tile; size <= power; size *= 2) {
		for (size_t step = size / 2; step >= tile; step /= 2)
			step_kernel<<<gpu_blocks(power / 2, BLOCK), BLOCK, 0, gpu_stream()>>>(
				g->pair, power / 2, size, step);
		tile_kernel<<<tiles, BLOCK, 0, gpu_stream()>>>(g->pair, tile, size, size);
	}
	unpack_kernel<<<gpu_blocks(g->count, BLOCK), BLOCK, 0, gpu_stream()>>>(
		g->pair, g->count, (uint32_t *)g->code_sorted, g->index);
	return CUDA_TRY(err, cudaGetLastError());
}

/* Bytes that the sort moves: each launch reads and writes all pairs. */
static double sort_bytes(size_t count)
{
	const size_t power = lbvh_gpu_power(count);
	double launches = 1;

	for (size_t size = TILE, stage = 2; size < power; size *= 2, stage++)
		launches += (double)stage;
	return launches * (double)power * 2 * sizeof(uint64_t);
}

/* As karras-radix, except for the sort. */
static double bytes(const void *params, const void *input)
{
	return lbvh_build_bytes(input, 3 * sizeof(lbvh_box) + 24 + 20 + 5 * sizeof(lbvh_node) +
					       2 * sizeof(uint64_t)) +
	       sort_bytes(((const lbvh_input *)input)->count);
}

extern "C" const gb_variant_ops lbvh_cuda_karras_bitonic =
	lbvh_gpu_builder<LBVH_GPU_MARKS | LBVH_GPU_POWER, bytes, lbvh_gpu_bounds, lbvh_gpu_codes,
			 sort, lbvh_gpu_leaves, lbvh_gpu_leaf_nodes, lbvh_gpu_karras,
			 lbvh_gpu_refit_passes>();
