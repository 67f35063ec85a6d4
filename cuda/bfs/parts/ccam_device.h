/* ccam_device.h -- the device functions of ccam; ccam.cu describes the algorithm.
 *
 * A block keeps its state in dynamic shared memory: a copy of the frontier's bitmap, the visited
 * and next bitmaps of its slab and, depending on the launch, distances and parents.  All threads of
 * the block must call each function unless its comment says otherwise.
 */
#ifndef GPUBENCH_CUDA_BFS_PARTS_CCAM_DEVICE_H
#define GPUBENCH_CUDA_BFS_PARTS_CCAM_DEVICE_H

#include "cuda/bfs/parts/search.h"

enum {
	BLOCK = 1024,
	WARPS = BLOCK / WARP,
	MAX_CLUSTER = 16,
	PORTABLE_CLUSTER = 8, /* supported by every device with clusters */
	SECTOR_WORDS = 8,     /* a slab is a multiple of 32 bytes */
	QUAD = 4,             /* words that a thread reads at once */
	ROWS = 2,             /* rows per thread and round */
	LIST = 16384,         /* most frontier vertices listed at a time */
	LIST_WORDS = LIST / 32,
	GRID_SLAB = 32, /* words of a slab in a grid: 128 bytes */
	TURNS = 3,
	AHEAD = 4, /* 16-byte words of a row that a lane reads at once when pulling */
};

/* The search and the division of its columns.  All arrays are in device memory. */
struct slab_arrays {
	const uint32_t *out, *in; /* the matrix and its transpose */
	uint32_t pitch;           /* words of a row */
	uint32_t words;           /* words of a bitmap: pitch, rounded up to whole slabs */
	uint32_t slab;            /* words of a slab */
	uint32_t parts;           /* blocks per slab */
	uint32_t n, source;
	int32_t *dist;     /* may be NULL */
	int32_t *parent;   /* may be NULL */
	uint32_t *next;    /* grid: TURNS bitmaps, by level % TURNS */
	unsigned *barrier; /* grid: for gpu_grid_sync() */
	unsigned long long *touched;
};

/* A block's dynamic shared memory, and its place among the blocks. */
struct block {
	unsigned long long *touched; /* bytes read */
	uint32_t *frontier[2];       /* bitmaps; a grid has the first only */
	uint32_t *visited, *next;    /* the slab's bitmaps */
	int32_t *level, *parent;     /* the slab's vertices; level: cluster only */
	unsigned *sum;               /* one per warp */
	uint16_t *list;
	uint32_t first, own; /* the slab's first word; its words inside a row */
	uint32_t part;       /* number of this block in its slab */
};

/* ---- shared memory --------------------------------------------------------------------------- */

/* Laid out in the order of struct block; every part is a multiple of 16 bytes. */
static inline size_t shared_bytes(const struct slab_arrays *a, bool cluster)
{
	const size_t vertices = (size_t)a->slab * 32;
	size_t bytes = 16 + (cluster ? 2 : 1) * a->words * sizeof(uint32_t);

	bytes += 2 * a->slab * sizeof(uint32_t);
	bytes += cluster ? vertices * sizeof(int32_t) : 0;
	bytes += a->parent ? vertices * sizeof(int32_t) : 0;
	bytes += WARP * sizeof(unsigned);
	return bytes + (a->n < LIST ? (a->n + 7) / 8 * 8 : (size_t)LIST) * sizeof(uint16_t);
}

template <bool CLUSTER>
static __device__ __forceinline__ struct block place_block(const struct slab_arrays &a,
							   unsigned char *memory)
{
	const uint32_t rank = CLUSTER ? __clusterRelativeBlockRank() : blockIdx.x / a.parts;
	struct block b;

	b.touched = (unsigned long long *)memory;
	b.frontier[0] = (uint32_t *)(memory + 16);
	b.frontier[1] = b.frontier[0] + (CLUSTER ? a.words : 0);
	b.visited = b.frontier[1] + a.words;
	b.next = b.visited + a.slab;
	b.level = (int32_t *)(b.next + a.slab);
	b.parent = b.level + (CLUSTER ? a.slab * 32 : 0);
	b.sum = (unsigned *)(b.parent + (a.parent ? a.slab * 32 : 0));
	b.list = (uint16_t *)(b.sum + WARP);
	b.first = rank * a.slab;
	b.own = b.first >= a.pitch ? 0 : a.pitch - b.first < a.slab ? a.pitch - b.first : a.slab;
	b.part = CLUSTER ? 0 : blockIdx.x % a.parts;
	return b;
}

/* The padding bits of word w of a bitmap, which count as visited. */
static __device__ __forceinline__ uint32_t padding(const struct slab_arrays &a, uint32_t w)
{
	const uint32_t bits = w * 32 < a.n ? a.n - w * 32 : 0;

	return bits >= 32 ? 0 : ~0u << bits;
}

/* Mark only the source as visited.  A barrier must follow. */
template <bool CLUSTER>
static __device__ __forceinline__ void start_block(const struct slab_arrays &a,
						   const struct block &b)
{
	for (uint32_t w = threadIdx.x; w < a.words; w += BLOCK) {
		b.frontier[0][w] = w == a.source / 32 ? 1u << a.source % 32 : 0;
		if (CLUSTER)
			b.frontier[1][w] = 0;
	}
	for (uint32_t i = threadIdx.x; i < a.slab; i += BLOCK) {
		const uint32_t w = b.first + i;

		b.visited[i] = padding(a, w) | (w == a.source / 32 ? 1u << a.source % 32 : 0);
		b.next[i] = 0;
	}
	for (uint32_t i = threadIdx.x; i < a.slab * 32; i += BLOCK) {
		const uint32_t v = b.first * 32 + i;

		if (CLUSTER)
			b.level[i] = v == a.source ? 0 : BFS_UNREACHED;
		if (a.parent)
			b.parent[i] = v == a.source ? (int32_t)v : BFS_UNREACHED;
	}
	if (threadIdx.x == 0)
		*b.touched = 0;
}

/* ---- the frontier ---------------------------------------------------------------------------- */

/* Return the sum of value over the block, in all threads; *before gets the sum over lower threads.
 * Ends with a barrier, after which b.sum may be written again. */
static __device__ __forceinline__ uint32_t block_scan(const struct block &b, uint32_t value,
						      uint32_t *before)
{
	const uint32_t lane = threadIdx.x % WARP, warp = threadIdx.x / WARP;
	const uint32_t inclusive = warp_scan(value);

	if (lane == WARP - 1)
		b.sum[warp] = inclusive;
	__syncthreads();

	const uint32_t sums = warp_scan(lane < WARPS ? b.sum[lane] : 0u);
	const uint32_t lower = __shfl_sync(ALL_LANES, sums, (int)(warp + WARP - 1) % WARP);

	*before = inclusive - value + (warp ? lower : 0);
	__syncthreads();
	return __shfl_sync(ALL_LANES, sums, WARP - 1);
}

/* The number of vertices in the frontier, in all threads. */
static __device__ __forceinline__ uint32_t count_frontier(const struct slab_arrays &a,
							  const struct block &b,
							  const uint32_t *frontier)
{
	uint32_t count = 0, before;

	for (uint32_t w = threadIdx.x; w < a.words; w += BLOCK)
		count += (uint32_t)__popc(frontier[w]);
	return block_scan(b, count, &before);
}

/* List the vertices in LIST_WORDS words of the frontier from word `first` on; return their number.
 * Ends with a barrier. */
static __device__ __forceinline__ uint32_t list_frontier(const struct slab_arrays &a,
							 const struct block &b,
							 const uint32_t *frontier, uint32_t first)
{
	constexpr uint32_t EACH = (LIST_WORDS - 1) / BLOCK + 1;
	const uint32_t start = first + threadIdx.x * EACH;
	const uint32_t limit = first + LIST_WORDS < a.words ? first + LIST_WORDS : a.words;
	const uint32_t stop = start + EACH < limit ? start + EACH : limit;
	uint32_t count = 0, place;

	for (uint32_t w = start; w < stop; w++)
		count += (uint32_t)__popc(frontier[w]);
	count = block_scan(b, count, &place);
	for (uint32_t w = start; w < stop; w++) {
		for (uint32_t rest = frontier[w]; rest; rest &= rest - 1) {
			const uint32_t bit = (uint32_t)__ffs((int)rest) - 1;

			b.list[place++] = (uint16_t)(w * 32 + bit);
		}
	}
	__syncthreads();
	return count;
}

/* ---- one level ------------------------------------------------------------------------------- */

/* The number of unvisited vertices of the slab, in all lanes.  Needs a barrier before and after. */
static __device__ __forceinline__ uint32_t count_left(const struct slab_arrays &a,
						      const struct block &b)
{
	uint32_t left = 0;

	for (uint32_t i = threadIdx.x % WARP; i < a.slab; i += WARP)
		left += (uint32_t)__popc(~(b.visited[i] | b.next[i]));
	return warp_sum(left);
}

/* OR `bits`, part of row u, into word i of the slab. */
template <bool PARENT>
static __device__ __forceinline__ void add_word(const struct block &b, uint32_t i, uint32_t bits,
						uint32_t u)
{
	const uint32_t fresh = bits & ~b.visited[i];

	if (!fresh)
		return;

	const uint32_t won = fresh & ~atomicOr(&b.next[i], fresh);

	if (PARENT) {
		for (uint32_t rest = won; rest; rest &= rest - 1) {
			const uint32_t bit = (uint32_t)__ffs((int)rest) - 1;

			b.parent[i * 32 + bit] = (int32_t)u;
		}
	}
}

template <bool PARENT>
static __device__ __forceinline__ void add_quad(const struct block &b, uint32_t quad,
						const uint4 &bits, uint32_t u)
{
	add_word<PARENT>(b, quad * QUAD, bits.x, u);
	add_word<PARENT>(b, quad * QUAD + 1, bits.y, u);
	add_word<PARENT>(b, quad * QUAD + 2, bits.z, u);
	add_word<PARENT>(b, quad * QUAD + 3, bits.w, u);
}

/* OR one round of the `count` listed rows, from number `first` on, into the slab.  A thread reads
 * 16 bytes of ROWS rows and, without parents, ORs them before it checks which vertices are new.  A
 * barrier must follow. */
template <bool PARENT>
static __device__ __forceinline__ void push_round(const struct slab_arrays &a,
						  const struct block &b, uint32_t quads,
						  uint32_t first, uint32_t count)
{
	const uint32_t step = BLOCK / quads, quad = threadIdx.x % quads;
	const uint32_t row = threadIdx.x / quads;
	uint4 bits[ROWS];
	uint32_t u[ROWS];

	if (row >= step || quad >= b.own / QUAD)
		return;
#pragma unroll
	for (uint32_t k = 0; k < ROWS; k++) {
		const uint32_t i = (first + k * step + row) * a.parts + b.part;

		u[k] = 0;
		bits[k] = make_uint4(0, 0, 0, 0);
		if (i < count) {
			u[k] = b.list[i];
			bits[k] = *(const uint4 *)(a.out + (size_t)u[k] * a.pitch + b.first +
						   quad * QUAD);
		}
	}
	if (PARENT) {
#pragma unroll
		for (uint32_t k = 0; k < ROWS; k++)
			add_quad<PARENT>(b, quad, bits[k], u[k]);
	} else {
		uint4 all = bits[0];

#pragma unroll
		for (uint32_t k = 1; k < ROWS; k++) {
			all.x |= bits[k].x;
			all.y |= bits[k].y;
			all.z |= bits[k].z;
			all.w |= bits[k].w;
		}
		add_quad<PARENT>(b, quad, all, 0);
	}
}

/* True if v has an in-edge from the frontier; *u is where one comes from.  A whole warp must call;
 * all lanes get the result. */
static __device__ __forceinline__ bool pull_vertex(const struct slab_arrays &a,
						   const struct block &b, const uint32_t *frontier,
						   uint32_t v, uint32_t *u)
{
	const uint32_t *const row = a.in + (size_t)v * a.pitch;
	const uint32_t lane = threadIdx.x % WARP;

	for (uint32_t first = 0; first < a.pitch; first += AHEAD * WARP * QUAD) {
		uint4 bits[AHEAD];
		uint32_t hit = 0, word = 0;

#pragma unroll
		for (uint32_t k = 0; k < AHEAD; k++) {
			const uint32_t w = first + (k * WARP + lane) * QUAD;

			bits[k] = w < a.pitch ? *(const uint4 *)(row + w) : make_uint4(0, 0, 0, 0);
		}
#pragma unroll
		for (uint32_t k = 0; k < AHEAD; k++) {
			const uint32_t w = first + (k * WARP + lane) * QUAD;
			const uint32_t four[QUAD] = { bits[k].x, bits[k].y, bits[k].z, bits[k].w };

#pragma unroll
			for (uint32_t j = 0; j < QUAD; j++) {
				const uint32_t both =
					!hit && w < a.pitch ? four[j] & frontier[w + j] : 0;

				word = both ? w + j : word;
				hit |= both;
			}
		}
		if (lane == 0)
			atomicAdd(b.touched, (unsigned long long)AHEAD * WARP * sizeof(uint4));

		const unsigned lanes = __ballot_sync(ALL_LANES, hit);

		if (lanes) {
			*u = __shfl_sync(ALL_LANES, word * 32 + (uint32_t)__ffs((int)hit) - 1,
					 __ffs((int)lanes) - 1);
			return true;
		}
	}
	return false;
}

/* Pull all unvisited vertices of the slab, one warp per word.  A barrier must follow. */
template <bool PARENT>
static __device__ __forceinline__ void pull(const struct slab_arrays &a, const struct block &b,
					    const uint32_t *frontier)
{
	for (uint32_t i = threadIdx.x / WARP; i < a.slab; i += WARPS) {
		const uint32_t left = ~(b.visited[i] | b.next[i]);
		uint32_t found = 0;

		for (uint32_t rest = left; rest; rest &= rest - 1) {
			const uint32_t bit = (uint32_t)__ffs((int)rest) - 1;
			uint32_t u = 0;

			if (!pull_vertex(a, b, frontier, (b.first + i) * 32 + bit, &u))
				continue;
			found |= 1u << bit;
			if (PARENT && threadIdx.x % WARP == 0)
				b.parent[i * 32 + bit] = (int32_t)u;
		}
		__syncwarp();
		if (threadIdx.x % WARP == 0 && found)
			b.next[i] |= found;
	}
}

/* Find the slab's vertices on the next level, from a frontier of `total` vertices, and set their
 * bits in the block's next bitmap.  Ends with a barrier. */
template <bool PARENT>
static __device__ __forceinline__ void expand(const struct slab_arrays &a, const struct block &b,
					      const uint32_t *frontier, uint32_t total)
{
	const uint32_t quads = a.slab / QUAD, own = b.own / QUAD;
	const uint32_t round = BLOCK / quads * ROWS; /* rows */
	uint32_t listed = 0;

	for (uint32_t word = 0; word < a.words; word += LIST_WORDS) {
		const uint32_t count = list_frontier(a, b, frontier, word);

		const uint32_t mine = (count + a.parts - 1 - b.part) / a.parts; /* rows */

		for (uint32_t row = 0; row < mine; row += round) {
			const uint64_t left = count_left(a, b);
			const uint64_t rows = (total - listed) / a.parts - row + 1;
			const uint32_t now = mine - row < round ? mine - row : round;

			__syncthreads();
			if (left == 0)
				return;
			if (left * a.pitch < rows * b.own) {
				pull<PARENT>(a, b, frontier);
				__syncthreads();
				return;
			}
			if (threadIdx.x == 0)
				*b.touched += (unsigned long long)now * own * sizeof(uint4);
			push_round<PARENT>(a, b, quads, row, count);
			__syncthreads();
		}
		listed += count;
	}
}

/* ---- the end of a level ---------------------------------------------------------------------- */

/* Cluster: store the slab's new vertices into the next frontier of all blocks, and wait. */
static __device__ __forceinline__ void publish_cluster(const struct slab_arrays &a,
						       const struct block &b, int32_t level)
{
	uint32_t *const frontier = level % 2 ? b.frontier[0] : b.frontier[1];
	const uint32_t blocks = __clusterSizeInBlocks();

	for (uint32_t i = threadIdx.x; i < a.slab * blocks; i += BLOCK)
		((uint32_t *)__cluster_map_shared_rank(
			frontier, i / a.slab))[b.first + i % a.slab] = b.next[i % a.slab];
	__cluster_barrier_arrive();
	__cluster_barrier_wait();
	for (uint32_t i = threadIdx.x; i < a.slab; i += BLOCK) {
		b.visited[i] |= b.next[i];
		b.next[i] = 0;
	}
	for (uint32_t i = threadIdx.x; i < a.slab * 32; i += BLOCK)
		if (frontier[b.first + i / 32] >> i % 32 & 1)
			b.level[i] = level + 1;
}

/* Grid: OR the slab's new vertices into the next frontier and write those that this block adds
 * first.  Wait, then copy the whole frontier. */
static __device__ __forceinline__ void publish_grid(const struct slab_arrays &a,
						    const struct block &b, int32_t level)
{
	uint32_t *const next = a.next + (size_t)((uint32_t)(level + 1) % TURNS) * a.words;
	uint32_t *const clear = a.next + (size_t)((uint32_t)(level + 2) % TURNS) * a.words;

	for (uint32_t i = threadIdx.x; i < a.slab; i += BLOCK) {
		const uint32_t mine = b.next[i];
		const uint32_t w = b.first + i;
		const uint32_t won = mine ? mine & ~atomicOr(&next[w], mine) : 0;

		for (uint32_t rest = won; rest; rest &= rest - 1) {
			const uint32_t bit = (uint32_t)__ffs((int)rest) - 1;

			if (a.dist)
				a.dist[w * 32 + bit] = level + 1;
			if (a.parent)
				a.parent[w * 32 + bit] = b.parent[i * 32 + bit];
		}
		b.next[i] = 0;
		if (b.part == 0)
			clear[w] = 0;
	}
	gpu_grid_sync(a.barrier);
	for (uint32_t w = threadIdx.x; w < a.words; w += BLOCK)
		b.frontier[0][w] = next[w];
	__syncthreads();
	for (uint32_t i = threadIdx.x; i < a.slab; i += BLOCK)
		b.visited[i] |= b.frontier[0][b.first + i];
}

/* Grid: initialise what no block writes later. */
static __device__ __forceinline__ void start_grid(const struct slab_arrays &a)
{
	const uint32_t first = blockIdx.x * BLOCK + threadIdx.x, step = gridDim.x * BLOCK;

	for (uint32_t w = first; w < a.words; w += step)
		a.next[a.words + w] = 0; /* the bitmap of level 1 */
	for (uint32_t v = first; v < a.n; v += step) {
		if (a.dist)
			a.dist[v] = v == a.source ? 0 : BFS_UNREACHED;
		if (a.parent)
			a.parent[v] = v == a.source ? (int32_t)v : BFS_UNREACHED;
	}
	if (first == 0)
		*a.touched = 0;
	gpu_grid_sync(a.barrier);
}

/* Cluster: copy the slab's distances and parents to device memory. */
static __device__ __forceinline__ void store_slab(const struct slab_arrays &a,
						  const struct block &b)
{
	for (uint32_t i = threadIdx.x; i < a.slab * 32; i += BLOCK) {
		const uint32_t v = b.first * 32 + i;

		if (v < a.n && a.dist)
			a.dist[v] = b.level[i];
		if (v < a.n && a.parent)
			a.parent[v] = b.parent[i];
	}
}

#endif
