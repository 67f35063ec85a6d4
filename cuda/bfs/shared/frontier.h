/* frontier.h -- top-down search on compressed rows: the frontier of a level, and how one level
 * follows the other in a single cooperative launch.  csr and csr-do share it.
 *
 * The frontier is a queue of the level's vertices that have out-edges.  Beside each vertex, it has
 * the exclusive prefix sum of the degrees: how many edges the vertices before it have.  Both come
 * from one 64-bit counter, which holds vertices in its upper bits and edges in its lower ones.  One
 * atomic addition of some vertices and their degrees returns their place in the queue and the sum
 * of the degrees before it, so sums ascend with places.  A block adds all that it finds in a tile
 * at once.  A vertex is claimed by a compare-and-swap of its distance, so it enters the queue once.
 *
 * An iteration of the kernel's loop searches
 *	a wide level    with all blocks, its edges divided evenly among threads (advance.h)
 *	narrow levels   with block 0 alone, one after the other (narrow.h)
 * and ends with one grid barrier.  The counters of three iterations rotate: while the frontier of
 * one is read, that of the next is filled, and the counters after that are cleared.  Vertices
 * without out-edges are counted apart, so that the search can stop as soon as all are reached.
 */
#ifndef GPUBENCH_CUDA_BFS_SHARED_FRONTIER_H
#define GPUBENCH_CUDA_BFS_SHARED_FRONTIER_H

#include <inttypes.h>

#include "cuda/bfs/shared/path.h"
#include "cuda/bfs/shared/search.h"

enum {
	BFS_CSR_BLOCK = 1024, /* one per multiprocessor: fewer blocks meet at the barrier */
	BFS_CSR_WARPS = BFS_CSR_BLOCK / WARP,
	BFS_TILE_EDGES = 2 * BFS_CSR_BLOCK, /* of a wide level */
	BFS_COUNTERS = 3,
	BFS_EDGE_BITS = 36, /* low bits of a frontier's counter; the other 28 count vertices */
};

static constexpr unsigned long long BFS_EDGE_MASK = (1ull << BFS_EDGE_BITS) - 1;

/* Counters of an iteration, filled by the one before. */
struct bfs_counters {
	unsigned long long frontier;     /* its vertices and edges */
	unsigned long long narrow_edges; /* edges of the narrow levels before it */
	unsigned unqueued;               /* vertices reached that are not in the frontier */
	unsigned narrow_levels;          /* narrow levels that no iteration has seen */
};

/* The search as kernels see it.  All pointers are to device memory. */
struct bfs_top_down {
	bfs_rows out;
	uint64_t m;
	uint32_t n, source;
	int32_t *dist;
	int32_t *parent;        /* or NULL */
	uint32_t narrow;        /* most edges of a narrow level */
	uint32_t *frontier[2];  /* by iteration % 2: n vertices */
	uint64_t *offset[2];    /* edges of the vertices before it in the frontier */
	bfs_counters *counters; /* BFS_COUNTERS, by iteration % BFS_COUNTERS */
	unsigned *barrier;      /* for gpu_grid_sync() */
	unsigned long long *touched;
};

/* A level: its frontier, the vertices reached up to it, and its distance. */
struct bfs_level {
	uint64_t edges, narrow_edges; /* narrow_edges: of the narrow levels just before it */
	uint32_t vertices, reached;
	int32_t distance;
};

/* Shared memory: the frontier vertices of a tile of consecutive edges, and the sums of a block. */
struct bfs_tile {
	uint64_t base[BFS_TILE_EDGES]; /* plus an edge's number in the level: index in column */
	uint32_t vertex[BFS_TILE_EDGES];
	uint32_t first[BFS_TILE_EDGES]; /* the vertex's first edge, counted from the tile's */
	uint32_t ends[2];               /* places of the first and last vertex in the frontier */
	unsigned long long warp_count[BFS_CSR_WARPS]; /* see bfs_append() */
};

/* ---- device ---------------------------------------------------------------------------------- */

/* codegen: a conditional, so that the arrays in the kernel's argument have constant indices. */
template <class T>
static __device__ __forceinline__ T bfs_of_iteration(const T (&pair)[2], int32_t iteration)
{
	return iteration % 2 ? pair[1] : pair[0];
}

/* Less than 2^32: see bfs_top_down_create(). */
static __device__ __forceinline__ uint32_t bfs_degree(const bfs_top_down &s, uint32_t v)
{
	return (uint32_t)(s.out.row[v + 1] - s.out.row[v]);
}

/* A vertex's contribution to the counter of a frontier: 0 without out-edges. */
static __device__ __forceinline__ unsigned long long bfs_count(uint32_t degree)
{
	return degree ? 1ull << BFS_EDGE_BITS | degree : 0;
}

/* Append the block's vertices, each v[k] with a non-zero degree[k], to the frontier of `iteration`
 * with one addition to `counter`.  All threads of the block must call. */
template <int ITEMS>
static __device__ __forceinline__ void bfs_append(const bfs_top_down &s, bfs_tile *tile,
						  int32_t iteration, unsigned long long *counter,
						  const uint32_t *v, const uint32_t *degree)
{
	uint32_t *const frontier = bfs_of_iteration(s.frontier, iteration);
	uint64_t *const offset = bfs_of_iteration(s.offset, iteration);
	const uint32_t warp = threadIdx.x / WARP, lane = threadIdx.x % WARP;
	unsigned long long thread_count = 0, inclusive = 0;

	/* 1. Prefix sum over the warp's threads. */
#pragma unroll
	for (int k = 0; k < ITEMS; k++)
		thread_count += bfs_count(degree[k]);
	if (!__syncthreads_or(thread_count != 0))
		return;
	if (__any_sync(ALL_LANES, thread_count != 0))
		inclusive = warp_scan(thread_count);
	if (lane == WARP - 1)
		tile->warp_count[warp] = inclusive;
	__syncthreads(); // counts of the warps

	/* 2. Prefix sum over the block's warps; the last lane reserves the block's places. */
	if (warp == 0) {
		const unsigned long long warp_count =
			lane < BFS_CSR_WARPS ? tile->warp_count[lane] : 0;
		const unsigned long long up_to_warp = warp_scan(warp_count);
		unsigned long long base = 0;

		if (lane == WARP - 1)
			base = atomicAdd(counter, up_to_warp);
		base = __shfl_sync(ALL_LANES, base, WARP - 1);
		if (lane < BFS_CSR_WARPS)
			tile->warp_count[lane] = base + up_to_warp - warp_count;
	}
	__syncthreads(); // first places of the warps

	/* 3. Write the vertices and the prefix sums of their degrees. */
	unsigned long long before = tile->warp_count[warp] + inclusive - thread_count;

#pragma unroll
	for (int k = 0; k < ITEMS; k++) {
		if (degree[k]) {
			frontier[before >> BFS_EDGE_BITS] = v[k];
			offset[before >> BFS_EDGE_BITS] = before & BFS_EDGE_MASK;
			before += bfs_count(degree[k]);
		}
	}
}

/* Mark all vertices except the source as unreached; the source is the frontier of level 0.  Ends
 * with a barrier.  Return the numbers before that level. */
static __device__ __forceinline__ bfs_level bfs_start(const bfs_top_down &s)
{
	const uint32_t first = blockIdx.x * BFS_CSR_BLOCK + threadIdx.x;
	bfs_level none = {};

	for (uint32_t v = first; v < s.n; v += gridDim.x * BFS_CSR_BLOCK) {
		s.dist[v] = v == s.source ? 0 : BFS_UNREACHED;
		if (s.parent)
			s.parent[v] = v == s.source ? (int32_t)v : BFS_UNREACHED;
	}
	if (first == 0) {
		const uint64_t degree = s.out.row[s.source + 1] - s.out.row[s.source];

		s.frontier[0][0] = s.source;
		s.offset[0][0] = 0;
		s.counters[0] = s.counters[1] = s.counters[2] = {};
		s.counters[0].frontier = degree ? 1ull << BFS_EDGE_BITS | degree : 0;
		s.counters[0].unqueued = degree ? 0 : 1;
		*s.touched = 0;
	}
	gpu_grid_sync(s.barrier);
	none.distance = -1;
	return none;
}

/* Return the level of this iteration; `last` is that of the one before, which must be complete.
 * Clear the counters of the iteration after the next. */
static __device__ __forceinline__ bfs_level bfs_next_level(const bfs_top_down &s, int32_t iteration,
							   const bfs_level &last)
{
	const bfs_counters counters = s.counters[(uint32_t)iteration % BFS_COUNTERS];
	bfs_level next;

	next.edges = counters.frontier & BFS_EDGE_MASK;
	next.narrow_edges = counters.narrow_edges;
	next.vertices = (uint32_t)(counters.frontier >> BFS_EDGE_BITS);
	next.reached = last.reached + next.vertices + counters.unqueued;
	next.distance = last.distance + 1 + (int32_t)counters.narrow_levels;
	if (blockIdx.x == 0 && threadIdx.x == 0)
		s.counters[(uint32_t)(iteration + 2) % BFS_COUNTERS] = {};
	return next;
}

/* ---- host ------------------------------------------------------------------------------------ */

/* True if a vertex has 2^32 out-edges or more, which parallel edges make possible. */
static inline bool bfs_has_huge_row(const bfs_input *input)
{
	for (uint32_t v = 0; input->m > UINT32_MAX && v < input->n; v++)
		if (input->out.row[v + 1] - input->out.row[v] > UINT32_MAX)
			return true;
	return false;
}

/* Requires an initialised `search`. */
static inline enum gb_status bfs_top_down_create(bfs_top_down *s, bfs_search *search,
						 struct gb_error *err)
{
	const size_t n = search->n;

	s->n = search->n;
	s->m = search->input->m;
	s->dist = search->dist;
	s->parent = search->parent;
	s->touched = search->touched;
	s->narrow = bfs_wide_edges ? bfs_wide_edges - 1 : (uint32_t)BFS_CSR_BLOCK;
	if (s->m > BFS_EDGE_MASK || n >> (64 - BFS_EDGE_BITS))
		return gb_fail(err, GB_EUNAVAILABLE,
			       "%u vertices and %" PRIu64
			       " edges: the queue is limited to 2^%d and 2^%d",
			       s->n, s->m, 64 - BFS_EDGE_BITS, (int)BFS_EDGE_BITS);
	if (bfs_has_huge_row(search->input))
		return gb_fail(err, GB_EUNAVAILABLE,
			       "a vertex has 2^32 or more out-edges: degrees have 32 bits");
	for (int i = 0; i < 2; i++) {
		(void)gpu_alloc(&s->frontier[i], n, err);
		(void)gpu_alloc(&s->offset[i], n, err);
	}
	(void)gpu_alloc(&s->counters, BFS_COUNTERS, err);
	(void)gpu_alloc_zeroed(&s->barrier, 1, err);
	return bfs_csr_create(&s->out, &search->input->out, search, err);
}

/* Blocks to launch: no more than there would be tiles if all edges were on one level. */
template <class K> static inline unsigned bfs_top_down_blocks(K *kernel, const bfs_top_down *s)
{
	const uint64_t tiles = (s->m > s->n ? s->m : s->n) / BFS_TILE_EDGES + 1;

	return gpu_resident_blocks(kernel, BFS_CSR_BLOCK, 0, tiles);
}

#endif
