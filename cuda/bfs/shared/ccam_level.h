/* ccam_level.h -- one level of ccam, by a block: finds the new vertices in the block's partition of
 * the columns.  ccam.cu describes the algorithm; ccam_cluster.h and ccam_grid.h have its kernels.
 *
 * All threads of the block must call each function unless its comment says otherwise.
 */
#ifndef GPUBENCH_CUDA_BFS_SHARED_CCAM_LEVEL_H
#define GPUBENCH_CUDA_BFS_SHARED_CCAM_LEVEL_H

#include "cuda/bfs/shared/search.h"

enum {
	BLOCK = 1024,
	WARPS = BLOCK / WARP,
	VECTOR = 4,   /* words that a thread reads at once */
	ROWS = 2,     /* rows per thread and round */
	LIST = 16384, /* most frontier vertices listed at a time */
	LIST_WORDS = LIST / 32,
	AHEAD = 4, /* vectors of a row that a lane reads at once when pulling */
};

/* The search, and the partition of its columns.  All arrays are in device memory. */
struct ccam_arrays {
	const uint32_t *out, *in; /* the matrix and its transpose */
	uint32_t pitch;           /* words of a row */
	uint32_t words;           /* words of a bitmap: pitch, rounded up to whole partitions */
	uint32_t partition;       /* words of a partition, a multiple of 8 */
	uint32_t shares;          /* blocks per partition, which share the frontier's rows */
	uint32_t n, source;
	int32_t *dist;     /* may be NULL */
	int32_t *parent;   /* may be NULL */
	uint32_t *next;    /* grid: three bitmaps, by level % 3 */
	unsigned *barrier; /* grid: for gpu_grid_sync() */
	unsigned long long *touched;
};

/* A block's partition.  The arrays are in shared memory. */
struct partition {
	uint32_t *visited, *next; /* bitmaps of its vertices; next: found on this level */
	int32_t *parent;          /* of its vertices, if wanted */
	uint32_t first, words;    /* its first word in a row; its words inside the row */
	uint32_t share;           /* number of this block among those of the partition */
};

/* More shared memory of a block. */
struct level_memory {
	unsigned long long touched; /* bytes of the graph read */
	unsigned warp_sum[WARPS];   /* of block_scan() */
	uint16_t list[LIST];        /* frontier vertices */
};

static __device__ __forceinline__ partition partition_of(const ccam_arrays &a, uint32_t number,
							 uint32_t share, uint32_t *visited)
{
	const uint32_t first = number * a.partition;
	const uint32_t inside = first < a.pitch ? min(a.pitch - first, a.partition) : 0;

	return { visited, visited + a.partition, NULL, first, inside, share };
}

/* Mark only the source, and padding, as visited.  next_frontier, dist: of a cluster only.  A
 * barrier must follow. */
template <bool CLUSTER>
static __device__ __forceinline__ void start_partition(const ccam_arrays &a, const partition &p,
						       uint32_t *frontier, uint32_t *next_frontier,
						       int32_t *dist, level_memory *m)
{
	for (uint32_t w = threadIdx.x; w < a.words; w += BLOCK) {
		frontier[w] = w == a.source / 32 ? 1u << a.source % 32 : 0;
		if (CLUSTER)
			next_frontier[w] = 0;
	}
	for (uint32_t i = threadIdx.x; i < a.partition; i += BLOCK) {
		const uint32_t w = p.first + i, bits = w * 32 < a.n ? a.n - w * 32 : 0;
		const uint32_t padding = bits >= 32 ? 0 : ~0u << bits;

		p.visited[i] = padding | (w == a.source / 32 ? 1u << a.source % 32 : 0);
		p.next[i] = 0;
	}
	for (uint32_t i = threadIdx.x; i < a.partition * 32; i += BLOCK) {
		const uint32_t v = p.first * 32 + i;

		if (CLUSTER)
			dist[i] = v == a.source ? 0 : BFS_UNREACHED;
		if (a.parent)
			p.parent[i] = v == a.source ? (int32_t)v : BFS_UNREACHED;
	}
	if (threadIdx.x == 0)
		m->touched = 0;
}

/* ---- the frontier ---------------------------------------------------------------------------- */

/* Return the sum of value over the block, in all threads; *before gets the sum over lower threads.
 * Ends with a barrier, after which the sums may be written again. */
static __device__ __forceinline__ uint32_t block_scan(unsigned *warp_sums, uint32_t value,
						      uint32_t *before)
{
	const uint32_t lane = threadIdx.x % WARP, warp = threadIdx.x / WARP;
	const uint32_t inclusive = warp_scan(value);

	if (lane == WARP - 1)
		warp_sums[warp] = inclusive;
	__syncthreads(); // sums of the warps

	const uint32_t sums = warp_scan(lane < WARPS ? warp_sums[lane] : 0u);
	const uint32_t lower = __shfl_sync(ALL_LANES, sums, (int)(warp + WARP - 1) % WARP);

	*before = inclusive - value + (warp ? lower : 0);
	__syncthreads(); // sums read
	return __shfl_sync(ALL_LANES, sums, WARP - 1);
}

/* The number of vertices in the frontier, in all threads. */
static __device__ __forceinline__ uint32_t count_frontier(const ccam_arrays &a,
							  const uint32_t *frontier, level_memory *m)
{
	uint32_t count = 0, before;

	for (uint32_t w = threadIdx.x; w < a.words; w += BLOCK)
		count += (uint32_t)__popc(frontier[w]);
	return block_scan(m->warp_sum, count, &before);
}

/* List the vertices in LIST_WORDS words of the frontier from word `first` on; return their number.
 * Ends with a barrier. */
static __device__ __forceinline__ uint32_t list_frontier(const ccam_arrays &a,
							 const uint32_t *frontier, uint32_t first,
							 level_memory *m)
{
	constexpr uint32_t EACH = (LIST_WORDS - 1) / BLOCK + 1;
	const uint32_t start = first + threadIdx.x * EACH;
	const uint32_t limit = first + LIST_WORDS < a.words ? first + LIST_WORDS : a.words;
	const uint32_t end = start + EACH < limit ? start + EACH : limit;
	uint32_t count = 0, place;

	for (uint32_t w = start; w < end; w++)
		count += (uint32_t)__popc(frontier[w]);
	count = block_scan(m->warp_sum, count, &place);
	for (uint32_t w = start; w < end; w++) {
		for (uint32_t rest = frontier[w]; rest; rest &= rest - 1) {
			const uint32_t bit = (uint32_t)__ffs((int)rest) - 1;

			m->list[place++] = (uint16_t)(w * 32 + bit);
		}
	}
	__syncthreads(); // list complete
	return count;
}

/* ---- push: OR the frontier's rows ------------------------------------------------------------ */

/* OR `bits`, part of row u, into word i of the partition. */
template <bool PARENT>
static __device__ __forceinline__ void push_word(const partition &p, uint32_t i, uint32_t bits,
						 uint32_t u)
{
	const uint32_t unvisited = bits & ~p.visited[i];

	if (!unvisited)
		return;

	const uint32_t won = unvisited & ~atomicOr(&p.next[i], unvisited);

	for (uint32_t rest = PARENT ? won : 0; rest; rest &= rest - 1) {
		const uint32_t bit = (uint32_t)__ffs((int)rest) - 1;

		p.parent[i * 32 + bit] = (int32_t)u;
	}
}

/* OR one round of the `count` listed rows, from number `first` on, into the partition.  A thread
 * reads a vector of ROWS rows and, without parents, ORs them before it checks which vertices are
 * new.  A barrier must follow. */
template <bool PARENT>
static __device__ __forceinline__ void push(const ccam_arrays &a, const partition &p,
					    const uint16_t *list, uint32_t first, uint32_t count)
{
	const uint32_t vectors = a.partition / VECTOR, stride = BLOCK / vectors;
	const uint32_t vector = threadIdx.x % vectors, row = threadIdx.x / vectors;
	uint32_t bits[ROWS][VECTOR], u[ROWS];

	if (row >= stride || vector >= p.words / VECTOR)
		return;
#pragma unroll
	for (uint32_t k = 0; k < ROWS; k++) {
		const uint32_t i = (first + k * stride + row) * a.shares + p.share;
		uint4 loaded = make_uint4(0, 0, 0, 0);

		u[k] = 0;
		if (i < count) {
			u[k] = list[i];
			loaded = *(const uint4 *)(a.out + (size_t)u[k] * a.pitch + p.first +
						  vector * VECTOR);
		}
		bits[k][0] = loaded.x;
		bits[k][1] = loaded.y;
		bits[k][2] = loaded.z;
		bits[k][3] = loaded.w;
	}
#pragma unroll
	for (uint32_t k = 0; k < ROWS; k++) {
#pragma unroll
		for (uint32_t j = 0; j < VECTOR; j++) {
			if (PARENT)
				push_word<true>(p, vector * VECTOR + j, bits[k][j], u[k]);
			else if (k > 0)
				bits[0][j] |= bits[k][j];
		}
	}
#pragma unroll
	for (uint32_t j = 0; !PARENT && j < VECTOR; j++)
		push_word<false>(p, vector * VECTOR + j, bits[0][j], 0);
}

/* ---- pull: AND the rows of in-edges with the frontier ---------------------------------------- */

/* True if v has an in-edge from the frontier; *u is where one comes from.  A whole warp must call;
 * all lanes get the result. */
static __device__ __forceinline__ bool pull_vertex(const ccam_arrays &a, const uint32_t *frontier,
						   uint32_t v, uint32_t *u, level_memory *m)
{
	const uint32_t *const row = a.in + (size_t)v * a.pitch;
	const uint32_t lane = threadIdx.x % WARP;

	for (uint32_t first = 0; first < a.pitch; first += AHEAD * WARP * VECTOR) {
		uint4 loaded[AHEAD];
		uint32_t hit = 0, word = 0;

#pragma unroll
		for (uint32_t k = 0; k < AHEAD; k++) {
			const uint32_t w = first + (k * WARP + lane) * VECTOR;

			loaded[k] =
				w < a.pitch ? *(const uint4 *)(row + w) : make_uint4(0, 0, 0, 0);
		}
#pragma unroll
		for (uint32_t k = 0; k < AHEAD; k++) {
			const uint32_t w = first + (k * WARP + lane) * VECTOR;
			const uint32_t bits[VECTOR] = { loaded[k].x, loaded[k].y, loaded[k].z,
							loaded[k].w };

#pragma unroll
			for (uint32_t j = 0; j < VECTOR; j++) {
				const uint32_t both =
					!hit && w < a.pitch ? bits[j] & frontier[w + j] : 0;

				word = both ? w + j : word;
				hit |= both;
			}
		}
		if (lane == 0)
			atomicAdd(&m->touched, (unsigned long long)AHEAD * WARP * sizeof(uint4));

		const unsigned lanes = __ballot_sync(ALL_LANES, hit);

		if (lanes) {
			*u = __shfl_sync(ALL_LANES, word * 32 + (uint32_t)__ffs((int)hit) - 1,
					 __ffs((int)lanes) - 1);
			return true;
		}
	}
	return false;
}

/* Pull all unvisited vertices of the partition, one warp per word.  A barrier must follow. */
template <bool PARENT>
static __device__ __forceinline__ void pull(const ccam_arrays &a, const partition &p,
					    const uint32_t *frontier, level_memory *m)
{
	for (uint32_t i = threadIdx.x / WARP; i < a.partition; i += WARPS) {
		const uint32_t unvisited = ~(p.visited[i] | p.next[i]);
		uint32_t found = 0;

		for (uint32_t rest = unvisited; rest; rest &= rest - 1) {
			const uint32_t bit = (uint32_t)__ffs((int)rest) - 1;
			uint32_t u = 0;

			if (!pull_vertex(a, frontier, (p.first + i) * 32 + bit, &u, m))
				continue;
			found |= 1u << bit;
			if (PARENT && threadIdx.x % WARP == 0)
				p.parent[i * 32 + bit] = (int32_t)u;
		}
		__syncwarp();
		if (threadIdx.x % WARP == 0 && found)
			p.next[i] |= found;
	}
}

/* ---- the level ------------------------------------------------------------------------------- */

/* The number of unvisited vertices of the partition, in all lanes.  Needs a barrier before and
 * after. */
static __device__ __forceinline__ uint32_t count_unvisited(const ccam_arrays &a, const partition &p)
{
	uint32_t count = 0;

	for (uint32_t i = threadIdx.x % WARP; i < a.partition; i += WARP)
		count += (uint32_t)__popc(~(p.visited[i] | p.next[i]));
	return warp_sum(count);
}

/* Find the partition's vertices on the next level, from a frontier of `total` vertices, and set
 * their bits in p.next.  Ends with a barrier. */
template <bool PARENT>
static __device__ __forceinline__ void expand(const ccam_arrays &a, const partition &p,
					      const uint32_t *frontier, uint32_t total,
					      level_memory *m)
{
	const uint32_t round = BLOCK / (a.partition / VECTOR) * ROWS; /* rows */
	uint32_t listed = 0;

	for (uint32_t word = 0; word < a.words; word += LIST_WORDS) {
		/* 1. List vertices of the frontier; every block of the partition has a share. */
		const uint32_t count = list_frontier(a, frontier, word, m);
		const uint32_t rows = (count + a.shares - 1 - p.share) / a.shares;

		for (uint32_t row = 0; row < rows; row += round) {
			const uint64_t unvisited = count_unvisited(a, p);
			const uint64_t rows_left = (total - listed) / a.shares - row + 1;

			/* 2. Stop once all vertices of the partition are visited. */
			__syncthreads(); // bitmaps read
			if (unvisited == 0)
				return;

			/* 3. Pull if the rows of the unvisited vertices are fewer bytes. */
			if (unvisited * a.pitch < rows_left * p.words) {
				pull<PARENT>(a, p, frontier, m);
				__syncthreads(); // bitmaps written
				return;
			}

			/* 4. Otherwise, push another round of the frontier's rows. */
			if (threadIdx.x == 0)
				m->touched += (unsigned long long)min(rows - row, round) *
					      (p.words / VECTOR) * sizeof(uint4);
			push<PARENT>(a, p, m->list, row, count);
			__syncthreads(); // bitmaps written
		}
		listed += count;
	}
}

#endif
