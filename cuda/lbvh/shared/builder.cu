/* builder.cu -- the CUDA builders' first phases (boxes, codes, sort, positions of leaves), their
 * arrays and operations.
 *
 * Boxes: a thread takes primitives, writes each box of 32 bytes and keeps the union.  Each block
 * writes six bounds, and the last block joins these into the grid of the codes.  The vertices are
 * gathered through the triangles' indices, which the caches serve for practical meshes.  Bound:
 * memory.
 */
#include "cuda/lbvh/shared/builder.h"

#include <float.h>

#include "cuda/primitives/sort_words.h"

enum {
	BLOCK = 256,
	WARPS = BLOCK / WARP,
	PARTS = 1024, /* most blocks of boxes_kernel, whose bounds its last block joins */
	AXES = 3,
	BOUNDS = 2 * AXES, /* low of x, y, z, then high */
};

/* ---- boxes -------------------------------------------------------------------------------- */

static __device__ __forceinline__ void no_bounds(float *bound)
{
	for (int k = 0; k < AXES; k++) {
		bound[k] = FLT_MAX;
		bound[AXES + k] = -FLT_MAX;
	}
}

static __device__ __forceinline__ void widen(float *bound, const float *lo, const float *hi)
{
	for (int k = 0; k < AXES; k++) {
		bound[k] = lbvh_min(bound[k], lo[k]);
		bound[AXES + k] = lbvh_max(bound[AXES + k], hi[k]);
	}
}

/* Join the bounds of all threads of the block in thread 0.  part: WARPS * BOUNDS. */
static __device__ __forceinline__ void join_block(float *bound, float *part)
{
	for (int step = WARP / 2; step > 0; step /= 2) {
		float other[BOUNDS];

		for (int b = 0; b < BOUNDS; b++)
			other[b] = __shfl_xor_sync(ALL_LANES, bound[b], step);
		widen(bound, other, other + AXES);
	}
	if (threadIdx.x % WARP == 0) {
		for (int b = 0; b < BOUNDS; b++)
			part[threadIdx.x / WARP * BOUNDS + b] = bound[b];
	}
	__syncthreads();
	if (threadIdx.x == 0) {
		for (int w = 1; w < WARPS; w++)
			widen(bound, part + w * BOUNDS, part + w * BOUNDS + AXES);
	}
}

/* Grid-stride loops over temp and the primitives; each block writes its bounds. */
static __global__ void boxes_kernel(lbvh_gpu g)
{
	__shared__ float part[WARPS * BOUNDS];
	const size_t first = (size_t)blockIdx.x * BLOCK + threadIdx.x;
	const size_t stride = (size_t)gridDim.x * BLOCK;
	float bound[BOUNDS];

#pragma unroll 1
	for (size_t k = first; k < g.temps; k += stride)
		g.temp[k] = make_uint4(0, 0, 0, 0);
	no_bounds(bound);
	for (size_t p = first; p < g.count; p += stride) {
		const lbvh_box box = lbvh_primitive_box(g.vertex, g.triangle, p);
		float4 *const to = (float4 *)(void *)(g.box + p);

		to[0] = make_float4(box.lo[0], box.lo[1], box.lo[2], 0);
		to[1] = make_float4(box.hi[0], box.hi[1], box.hi[2], 0);
		widen(bound, box.lo, box.hi);
	}
	join_block(bound, part);
	if (threadIdx.x == 0) {
		for (int b = 0; b < BOUNDS; b++)
			g.bounds[blockIdx.x * BOUNDS + b] = bound[b];
	}
	if (!is_last_block(g.blocks))
		return;
	no_bounds(bound);
	for (unsigned k = threadIdx.x; k < gridDim.x; k += BLOCK)
		widen(bound, g.bounds + k * BOUNDS, g.bounds + k * BOUNDS + AXES);
	join_block(bound, part);
	if (threadIdx.x == 0)
		*g.grid = lbvh_grid_over(bound, bound + AXES,
					 g.needs & LBVH_GPU_CODES_63 ? LBVH_BITS_63 : LBVH_BITS_30);
}

gb_status lbvh_gpu_bounds(lbvh_gpu *g, gb_timer *timer, gb_error *err)
{
	const unsigned wanted = gpu_blocks(g->count, BLOCK);
	const unsigned parts = wanted < PARTS ? wanted : (unsigned)PARTS;

	gb_phase(timer, "bounds");
	boxes_kernel<<<parts, BLOCK, 0, gpu_stream()>>>(*g);
	return CUDA_TRY(err, cudaGetLastError());
}

/* ---- codes -------------------------------------------------------------------------------- */

static __device__ __forceinline__ lbvh_box load_box(const lbvh_gpu *g, size_t p)
{
	const float4 *const from = (const float4 *)(const void *)(g->box + p);
	const float4 lo = from[0], hi = from[1];

	return { { lo.x, lo.y, lo.z, 0 }, { hi.x, hi.y, hi.z, 0 } };
}

/* Makes codes of 30 bits. */
struct lbvh_coded {
	lbvh_gpu g;

	__device__ __forceinline__ uint32_t make(size_t p) const
	{
		const lbvh_grid grid = *g.grid;
		const lbvh_box box = load_box(&g, p);

		g.number[p] = (uint32_t)p;
		return ((uint32_t *)g.code)[p] = lbvh_code_30(&grid, &box);
	}
};

/* Makes words of codes of 63 bits, and codes to fix ties. */
struct lbvh_worded {
	lbvh_gpu g;
	int number_bits;

	__device__ __forceinline__ uint64_t key(size_t p) const
	{
		const lbvh_grid grid = *g.grid;
		const lbvh_box box = load_box(&g, p);

		return lbvh_code_63(&grid, &box);
	}

	__device__ __forceinline__ uint64_t whole(size_t p, uint64_t part) const
	{
		return key(p);
	}

	__device__ __forceinline__ uint64_t make(size_t p) const
	{
		return ((uint64_t *)g.code_sorted)[p] = gpu_word(number_bits, key(p), p);
	}
};

/* One thread per pair of the bitonic sort.  The padding sorts after all primitives. */
static __global__ void pairs_kernel(lbvh_gpu g, size_t power)
{
	const size_t p = (size_t)blockIdx.x * BLOCK + threadIdx.x;

	if (p < g.count) {
		const lbvh_grid grid = *g.grid;
		const lbvh_box box = load_box(&g, p);

		g.pair[p] = (uint64_t)lbvh_code_30(&grid, &box) << 32 | p;
	} else if (p < power) {
		g.pair[p] = UINT64_MAX;
	}
}

size_t lbvh_gpu_power(size_t count)
{
	size_t power = 1;

	while (power < count)
		power *= 2;
	return power;
}

/* The prefix sum's part of temp, behind the sort's and its runs. */
static uint64_t *scan_temp(const lbvh_gpu *g)
{
	return (uint64_t *)(void *)(g->temp + g->temps) - gpu_chain_words(g->count);
}

static gpu_sort_args sort_of(const lbvh_gpu *g)
{
	return {
		.count = g->count,
		.key_size = sizeof(uint32_t),
		.value_size = sizeof(uint32_t),
		.end_bit = 3 * LBVH_BITS_30,
		.keys_in = g->code,
		.values_in = g->number,
		.out = g->code_sorted,
		.spare = g->code_spare,
		.temp = g->temp,
		.counted = true,
	};
}

static gpu_words words_of(const lbvh_gpu *g)
{
	gpu_words w = gpu_words_of(g->count);

	w.staged = g->staged;
	w.row = { (uint64_t *)g->code_sorted, g->index };
	w.spare = { (uint64_t *)g->code, g->first };
	w.sorted = (uint64_t *)g->code_spare;
	w.long_runs = g->long_runs;
	w.runs = (gpu_runs *)(void *)scan_temp(g) - 1;
	return w;
}

gb_status lbvh_gpu_codes(lbvh_gpu *g, gb_timer *timer, gb_error *err)
{
	const size_t power = lbvh_gpu_power(g->count);

	gb_phase(timer, "codes");
	if (g->needs & LBVH_GPU_POWER) {
		pairs_kernel<<<gpu_blocks(power, BLOCK), BLOCK, 0, gpu_stream()>>>(*g, power);
		return CUDA_TRY(err, cudaGetLastError());
	}
	if (g->needs & LBVH_GPU_CODES_63) {
		const gpu_words words = words_of(g);

		return gpu_words_make(&words, lbvh_worded{ *g, words.number_bits }, g->temp, err);
	}

	const gpu_sort_args sort = sort_of(g);

	return gpu_sort_count<uint32_t>(&sort, lbvh_coded{ *g }, err);
}

gb_status lbvh_gpu_sort(lbvh_gpu *g, gb_timer *timer, gb_error *err)
{
	gb_phase(timer, "sort");
	if (g->needs & LBVH_GPU_CODES_63) {
		const gpu_words words = words_of(g);

		if (gpu_words_sort(&words, g->temp, err))
			return err->code;
		return gpu_words_fix_ties(&words, lbvh_worded{ *g, words.number_bits }, err);
	}

	const gpu_sort_args sort = sort_of(g);

	return gpu_sort(&sort, NULL, err);
}

/* ---- leaves ------------------------------------------------------------------------------- */

/* One block per tile of codes: number the leaves, which start where the code changes. */
template <class T, int ITEMS> static __global__ void append_kernel(lbvh_gpu g, uint64_t *temp)
{
	constexpr int CHAIN_WARPS = (int)GPU_CHAIN_BLOCK / WARP;
	__shared__ uint64_t part[CHAIN_WARPS + 1];
	__shared__ uint32_t tile_number;
	const uint32_t tile = next_tile((uint32_t *)temp, &tile_number);
	const unsigned warp = threadIdx.x / WARP, lane = threadIdx.x % WARP;
	const size_t first = ((size_t)tile * CHAIN_WARPS + warp) * (WARP * ITEMS) + lane;
	const T *const sorted = (const T *)g.code_sorted;
	T code[ITEMS];
	unsigned starts[ITEMS], sum = 0; /* starts: the lanes where a leaf starts */

#pragma unroll
	for (int k = 0; k < ITEMS; k++) {
		const size_t i = first + (size_t)(k * WARP);
		const bool inside = i < g.count;

		code[k] = inside ? sorted[i] : 0;
		starts[k] =
			__ballot_sync(ALL_LANES, inside && (i == 0 || code[k] != sorted[i - 1]));
		sum += (unsigned)__popc(starts[k]);
	}
	chain_block<CHAIN_WARPS>(part, temp + 1, tile, sum);

	uint32_t leaf = (uint32_t)part[warp];

#pragma unroll
	for (int k = 0; k < ITEMS; k++) {
		const size_t i = first + (size_t)(k * WARP);

		if (starts[k] >> lane & 1) {
			const uint32_t mine = leaf + (uint32_t)__popc(starts[k] & lanes_below());

			g.first[mine] = (uint32_t)i;
			((T *)g.code)[mine] = code[k];
		}
		if (g.needs & LBVH_GPU_ARRIVED && i < g.count)
			g.arrived[i] = UINT32_MAX;
		leaf += (uint32_t)__popc(starts[k]);
	}
	if (threadIdx.x == 0 && tile == gridDim.x - 1) {
		const lbvh_gpu_counters start = { .leaves = part[CHAIN_WARPS] };

		*g.counters = start;
		g.first[start.leaves] = (uint32_t)g.count;
	}
}

template <class T> static gb_status append(lbvh_gpu *g, gb_error *err)
{
	const auto kernel = gpu_chain_items(g->count) == GPU_CHAIN_FEW
				    ? append_kernel<T, GPU_CHAIN_FEW>
				    : append_kernel<T, GPU_CHAIN_MANY>;

	kernel<<<gpu_chain_blocks(g->count), GPU_CHAIN_BLOCK, 0, gpu_stream()>>>(*g, scan_temp(g));
	return CUDA_TRY(err, cudaGetLastError());
}

gb_status lbvh_gpu_leaves(lbvh_gpu *g, gb_timer *timer, gb_error *err)
{
	gb_phase(timer, "leaves");
	return g->needs & LBVH_GPU_CODES_63 ? append<uint64_t>(g, err) : append<uint32_t>(g, err);
}

/* ---- arrays ------------------------------------------------------------------------------- */

/* True if codes and primitives are sorted as pairs: index then follows code_sorted. */
static bool sorts_pairs(const lbvh_gpu *g)
{
	return !(g->needs & (LBVH_GPU_CODES_63 | LBVH_GPU_POWER));
}

static void allocate_sort(lbvh_gpu *g, gb_error *err)
{
	const bool wide = g->needs & LBVH_GPU_CODES_63;
	const gpu_words words = gpu_words_of(g->count);
	const gpu_sort_args pairs = sort_of(g);
	const size_t n = g->count, size = wide ? sizeof(uint64_t) : sizeof(uint32_t);
	size_t bytes = gpu_chain_words(n) * sizeof(uint64_t);

	gpu_alloc(&g->code, n, size, err);
	if (sorts_pairs(g)) {
		const size_t both = gpu_sort_bytes(n, pairs.key_size, pairs.value_size);

		gpu_alloc(&g->number, n, err);
		gpu_alloc(&g->code_sorted, both, 1, err);
		gpu_alloc(&g->code_spare, both, 1, err);
		g->index = (uint32_t *)(void *)((char *)g->code_sorted + values_offset(n, size));
		bytes += gpu_sort_temp_bytes(&pairs);
	} else {
		gpu_alloc(&g->code_sorted, n, size, err);
		gpu_alloc(&g->index, n, err);
	}
	if (g->needs & LBVH_GPU_POWER)
		gpu_alloc(&g->pair, lbvh_gpu_power(n), err);
	if (wide) {
		gpu_alloc(&g->code_spare, n, size, err);
		gpu_alloc(&g->long_runs, n / SHORT_RUN + 1, err);
		g->staged = gpu_words_can_stage(&words);
		bytes += gpu_words_temp_bytes(&words) + sizeof *words.runs;
	}
	g->temps = bytes / sizeof *g->temp;
	gpu_alloc(&g->temp, g->temps, err);
}

gb_status lbvh_gpu_init(lbvh_gpu *g, const lbvh_input *in, unsigned needs, gb_error *err)
{
	const size_t n = in->count;

	g->input = in;
	g->count = n;
	g->needs = needs;
	gpu_alloc(&g->vertex, 3 * in->vertex_count, err);
	gpu_alloc(&g->triangle, 3 * n, err);
	gpu_alloc(&g->box, n, err);
	gpu_alloc(&g->bounds, (size_t)PARTS * BOUNDS, err);
	gpu_alloc(&g->grid, 1, err);
	gpu_alloc(&g->first, n + 1, err);
	gpu_alloc(&g->node, 2 * n - 1, err);
	gpu_alloc(&g->counters, 1, err);
	gpu_alloc_zeroed(&g->blocks, 1, err);
	allocate_sort(g, err);
	if (needs & LBVH_GPU_MARKS)
		gpu_alloc(&g->mark, n, err);
	if (needs & LBVH_GPU_PARENTS)
		gpu_alloc(&g->parent, 2 * n, err);
	if (needs & (LBVH_GPU_PARENTS | LBVH_GPU_ARRIVED))
		gpu_alloc(&g->arrived, n, err);
	return err->code;
}

/* ---- operations --------------------------------------------------------------------------- */

gb_status lbvh_gpu_upload(lbvh_gpu *g, gb_error *err)
{
	const lbvh_input *const in = g->input;

	gpu_upload(g->vertex, in->vertex, 3 * in->vertex_count * sizeof *in->vertex, err);
	return gpu_upload(g->triangle, in->triangle, 3 * in->count * sizeof *in->triangle, err);
}

gb_status lbvh_gpu_create(lbvh_gpu *g, const lbvh_params *params, const lbvh_input *input,
			  unsigned needs, gb_error *err)
{
	if (params->op != LBVH_BUILD)
		return gb_fail(err, GB_EUNAVAILABLE,
			       "this variant only builds trees: use --op=build");
	(void)lbvh_gpu_init(g, input, needs, err);
	gb_memory_result(g->node, GB_WHOLE, GB_POISON);
	gb_memory_result(sorts_pairs(g) ? g->code_sorted : g->index, GB_WHOLE, GB_POISON);
	gb_memory_result(g->counters, GB_WHOLE, GB_POISON);
	return err->code;
}

gb_status lbvh_gpu_download(lbvh_gpu *g, lbvh_tree_header *header, gb_error *err)
{
	size_t nodes;

	if (gpu_download(&g->last, g->counters, sizeof g->last, err) != GB_OK)
		return err->code;
	if (g->last.leaves == 0 || g->last.leaves > g->count)
		return gb_fail(err, GB_ERUNTIME, "the tree has %llu leaves for %zu primitives",
			       (unsigned long long)g->last.leaves, g->count);
	nodes = 2 * (size_t)g->last.leaves - 1;
	*header = {};
	header->kind = LBVH_BINARY;
	header->leaves = (uint32_t)g->last.leaves;
	header->nodes = (uint32_t)nodes;
	gpu_download(lbvh_build_nodes(header), g->node, nodes * sizeof *g->node, err);
	return gpu_download(lbvh_build_index(g->input, header), g->index,
			    g->count * sizeof *g->index, err);
}

void lbvh_gpu_metrics(const lbvh_gpu *g, gb_metrics *metrics)
{
	if (g->needs & LBVH_GPU_MARKS)
		gb_metric(metrics, "refit_passes", g->last.passes);
}
