/* csr.h -- one level of a top-down search on compressed rows, with the edges divided evenly among
 * threads.
 *
 * The frontier of a level is a queue of the vertices that have out-edges.  With each vertex, the
 * queue stores how many edges the vertices before it have.  Both come from one 64-bit counter that
 * holds vertices in its upper bits and edges in its lower bits.  One atomic addition of some
 * vertices and their degrees returns their place in the queue and the sum of the degrees before it,
 * so sums ascend with places.  A block adds all that it finds in a tile at once.  The next level
 * cuts the edges, not the vertices, into tiles of BFS_CSR_TILE edges: a block searches the sums for
 * the owners of its tile's edges, and each thread takes BFS_CSR_EACH of the edges, whatever the
 * degrees.
 *
 * A vertex is claimed by a compare-and-swap of its distance, so it enters the queue once.
 *
 * Block 0 alone searches narrow levels, of few edges in all and per vertex (bfs_expand_narrow()):
 * no other block would have an edge.  They need no grid barrier; the others wait at the next one.
 *
 * A step is one level of the grid, or several of block 0.  The counters of three steps rotate:
 * while the edges of one are read, the vertices of the next are added, and the counters after that
 * are cleared.  This takes one grid barrier per step.  Vertices without out-edges are counted
 * separately, so that the search can stop as soon as all are reached.
 */
#ifndef GPUBENCH_CUDA_BFS_PARTS_CSR_H
#define GPUBENCH_CUDA_BFS_PARTS_CSR_H

#include <inttypes.h>

#include "cuda/bfs/parts/path.h"
#include "cuda/bfs/parts/search.h"

enum {
	BFS_CSR_BLOCK = 1024, /* one per multiprocessor: fewer blocks meet at the barrier */
	BFS_CSR_WARPS = BFS_CSR_BLOCK / WARP,
	BFS_CSR_EACH = 2, /* edges per thread */
	BFS_CSR_TILE = BFS_CSR_EACH * BFS_CSR_BLOCK,
	BFS_COUNTERS = 3,
	BFS_EDGE_BITS = 36,         /* low bits of a counter; the other 28 count vertices */
	BFS_NARROW = BFS_CSR_BLOCK, /* most edges of a narrow level: one per thread */
	BFS_NARROW_DEGREE = 16,     /* and per vertex; with more, the next is hardly narrow */
	/* The same for a narrow level's counter: each of BFS_NARROW vertices adds at most
	 * BFS_NARROW + 1 edges. */
	BFS_NARROW_BITS = 21,
};

static constexpr unsigned long long BFS_EDGE_MASK = (1ull << BFS_EDGE_BITS) - 1;

/* A step adds these for the next one. */
struct bfs_turn {
	unsigned long long queued; /* vertices with out-edges, and their edges */
	unsigned long long passed; /* edges of the levels between, which block 0 searched alone */
	unsigned reached;          /* vertices that are not in the queue */
	unsigned levels;           /* number of levels between */
};

/* The search as kernels see it.  All pointers are to device memory. */
struct bfs_top_down {
	struct bfs_rows out;
	uint64_t m;
	uint32_t n, source;
	int32_t *dist;
	int32_t *parent;       /* or NULL */
	uint32_t narrow;       /* block 0 alone searches levels of at most as many edges */
	uint32_t *queue[2];    /* by step % 2: n vertices */
	uint64_t *before[2];   /* edges of the vertices before it in the queue */
	struct bfs_turn *turn; /* BFS_COUNTERS of them, by step % BFS_COUNTERS */
	unsigned *barrier;     /* for gpu_grid_sync() */
	unsigned long long *touched;
};

/* ---- device ---------------------------------------------------------------------------------- */

/* The owners of a tile's edges.  An owner is the vertex that an edge leaves. */
struct bfs_tile {
	uint64_t base[BFS_CSR_TILE]; /* plus an edge's number in the level: its index in column */
	uint32_t vertex[BFS_CSR_TILE];
	uint32_t first[BFS_CSR_TILE]; /* the owner's first edge, relative to the tile's first */
	uint32_t owner[2];            /* queue places of the first and the last owner */
	unsigned long long
		sum[BFS_CSR_WARPS]; /* per warp: its share of the block's addition to a counter */
	/* In narrow levels, base and first have an element per edge instead: its index in column,
	 * and its owner if parents are wanted. */
	struct bfs_narrow {
		unsigned next[2]; /* of the next level, by level % 2: vertices and edges */
		unsigned sinks;   /* of all narrow levels of the step */
	} narrow;
};

/* Vertices with out-edges and edges of a level, vertices reached up to it, and its distance. */
struct bfs_level {
	uint64_t edges, passed; /* passed: edges of the levels before it in the last step */
	uint32_t count, reached;
	int32_t distance;
};

/* A conditional, so that the arrays in the kernel's argument are indexed by constants. */
template <class T> static __device__ __forceinline__ T bfs_of_step(const T (&pair)[2], int32_t step)
{
	return step % 2 ? pair[1] : pair[0];
}

/* The last i with value[i] <= key, found by a whole warp.  value is ascending, value[0] <= key. */
static __device__ __forceinline__ uint32_t bfs_warp_search(const uint64_t *value, uint32_t count,
							   uint64_t key)
{
	uint32_t low = 0;

	while (count > 1) {
		const uint32_t step = (count - 1) / WARP + 1;
		const uint32_t i = threadIdx.x % WARP * step;
		const bool below = i < count && value[low + i] <= key;
		const uint32_t last = (uint32_t)__popc(__ballot_sync(ALL_LANES, below)) - 1;

		low += last * step;
		count = count - last * step < step ? count - last * step : step;
	}
	return low;
}

/* Less than 2^32: see bfs_top_down_create(). */
static __device__ __forceinline__ uint32_t bfs_degree(const struct bfs_top_down &s, uint32_t v)
{
	return (uint32_t)(s.out.row[v + 1] - s.out.row[v]);
}

/* A vertex's contribution to the level's counter: 0 without out-edges. */
static __device__ __forceinline__ unsigned long long bfs_item(uint32_t degree)
{
	return degree ? 1ull << BFS_EDGE_BITS | degree : 0;
}

/* Append the block's vertices, each v[k] with a non-zero degree[k], to the queue of `step` with one
 * addition to `counter`.  All threads of the block must call. */
template <int EACH>
static __device__ __forceinline__ void bfs_enqueue(const struct bfs_top_down &s,
						   struct bfs_tile *tile, int32_t step,
						   unsigned long long *counter, const uint32_t *v,
						   const uint32_t *degree)
{
	uint32_t *const queue = bfs_of_step(s.queue, step);
	uint64_t *const before = bfs_of_step(s.before, step);
	const uint32_t warp = threadIdx.x / WARP, lane = threadIdx.x % WARP;
	unsigned long long mine = 0, upto = 0, at;

	GPU_UNROLL
	for (int k = 0; k < EACH; k++)
		mine += bfs_item(degree[k]);
	if (!__syncthreads_or(mine != 0))
		return;
	if (__any_sync(ALL_LANES, mine != 0))
		upto = warp_scan(mine);
	if (lane == WARP - 1)
		tile->sum[warp] = upto;
	__syncthreads();
	if (warp == 0) {
		const unsigned long long its = lane < BFS_CSR_WARPS ? tile->sum[lane] : 0;
		const unsigned long long all = warp_scan(its);
		unsigned long long base = 0;

		if (lane == WARP - 1)
			base = atomicAdd(counter, all);
		base = __shfl_sync(ALL_LANES, base, WARP - 1);
		if (lane < BFS_CSR_WARPS)
			tile->sum[lane] = base + all - its;
	}
	__syncthreads();
	at = tile->sum[warp] + upto - mine;
	GPU_UNROLL
	for (int k = 0; k < EACH; k++) {
		if (degree[k]) {
			queue[at >> BFS_EDGE_BITS] = v[k];
			before[at >> BFS_EDGE_BITS] = at & BFS_EDGE_MASK;
			at += bfs_item(degree[k]);
		}
	}
}

/* Fill in the tile's owners and return their number.  All threads of the block must call. */
static __device__ __forceinline__ uint32_t bfs_tile_owners(const struct bfs_top_down &s,
							   struct bfs_tile *tile, int32_t step,
							   uint32_t count, uint64_t first,
							   uint64_t last)
{
	const uint32_t *const queue = bfs_of_step(s.queue, step);
	const uint64_t *const before = bfs_of_step(s.before, step);
	const unsigned warp = threadIdx.x / WARP;

	if (warp < 2) {
		const uint32_t owner = bfs_warp_search(before, count, warp ? last - 1 : first);

		if (threadIdx.x % WARP == 0)
			tile->owner[warp] = owner;
	}
	__syncthreads();

	const uint32_t start = tile->owner[0], owners = tile->owner[1] - start + 1;

	for (uint32_t i = threadIdx.x; i < owners; i += BFS_CSR_BLOCK) {
		const uint32_t u = queue[start + i];
		const uint64_t edges = before[start + i];

		tile->vertex[i] = u;
		tile->first[i] = edges < first ? 0 : (uint32_t)(edges - first);
		tile->base[i] = s.out.row[u] - edges;
	}
	__syncthreads();
	return owners;
}

/* The index of the owner of edge number `edge` of the tile. */
static __device__ __forceinline__ uint32_t bfs_tile_owner(const struct bfs_tile *tile,
							  uint32_t owners, uint32_t edge)
{
	uint32_t low = 0, high = owners;

	while (high - low > 1) {
		const uint32_t middle = (low + high) / 2;

		if (tile->first[middle] <= edge)
			low = middle;
		else
			high = middle;
	}
	return low;
}

/* Follow all edges of the level's vertices; new vertices get the next distance. */
static __device__ __forceinline__ void bfs_expand_wide(const struct bfs_top_down &s,
						       struct bfs_tile *tile, int32_t step,
						       const struct bfs_level &now)
{
	struct bfs_turn *const next = &s.turn[(uint32_t)(step + 1) % BFS_COUNTERS];

	for (uint64_t first = (uint64_t)blockIdx.x * BFS_CSR_TILE; first < now.edges;
	     first += (uint64_t)gridDim.x * BFS_CSR_TILE) {
		const uint64_t left = now.edges - first;
		const uint32_t size = left < BFS_CSR_TILE ? (uint32_t)left : (uint32_t)BFS_CSR_TILE;
		const uint32_t owners =
			bfs_tile_owners(s, tile, step, now.count, first, first + size);

		uint32_t v[BFS_CSR_EACH], degree[BFS_CSR_EACH];

		GPU_UNROLL
		for (uint32_t k = 0; k < BFS_CSR_EACH; k++) {
			const uint32_t edge = k * BFS_CSR_BLOCK + threadIdx.x;
			uint32_t owner = 0;
			bool found = false;

			v[k] = 0;
			if (edge < size) {
				owner = bfs_tile_owner(tile, owners, edge);
				v[k] = bfs_column(s.out, tile->base[owner] + first + edge);
				found = gpu_ld_relaxed(s.dist + v[k]) == BFS_UNREACHED &&
					atomicCAS(s.dist + v[k], BFS_UNREACHED, now.distance + 1) ==
						BFS_UNREACHED;
			}
			if (found && s.parent)
				s.parent[v[k]] = (int32_t)tile->vertex[owner];
			degree[k] = found ? bfs_degree(s, v[k]) : 0;
			if (found && !degree[k])
				atomicAdd(&next->reached, 1u);
		}
		/* Its barrier also protects the owners from the next tile's writes. */
		bfs_enqueue<BFS_CSR_EACH>(s, tile, step + 1, &next->queued, v, degree);
	}
}

/* ---- narrow levels: block 0 alone, one edge per thread --------------------------------------- */

/* A vertex that a thread has reached: number of its first out-edge, and of its out-edges. */
struct bfs_new {
	uint64_t row;
	uint32_t v, degree; /* degree 0: nothing to queue */
};

/* Follow the thread's edge of a narrow level.  Everything that depends on its end is read at once,
 * wanted or not: a level takes two memory latencies, for the column and for its vertex. */
static __device__ __forceinline__ struct bfs_new bfs_follow(const struct bfs_top_down &s,
							    struct bfs_tile *tile, uint32_t edges,
							    int32_t distance, bool *sink)
{
	struct bfs_new found = {};

	*sink = false;
	if (threadIdx.x >= edges)
		return found;
	found.v = bfs_column(s.out, tile->base[threadIdx.x]);
	found.row = s.out.row[found.v];

	const uint64_t end = s.out.row[found.v + 1];

	if (atomicCAS(s.dist + found.v, BFS_UNREACHED, distance) != BFS_UNREACHED)
		return found;
	if (s.parent)
		s.parent[found.v] = (int32_t)tile->first[threadIdx.x];
	found.degree = (uint32_t)(end - found.row);
	*sink = found.degree == 0;
	return found;
}

/* Enter the edges of vertex v, `degree` of them from `row` on, at place `at` of the tile. */
static __device__ __forceinline__ void bfs_put_edge(const struct bfs_top_down &s,
						    struct bfs_tile *tile, uint32_t at,
						    uint64_t edge, uint32_t v)
{
	tile->base[at] = edge;
	if (s.parent)
		tile->first[at] = v;
}

/* The lane's first edges, then the other edges of each lane by the whole warp.  All lanes of the
 * warp must call. */
static __device__ __forceinline__ void bfs_put_edges(const struct bfs_top_down &s,
						     struct bfs_tile *tile, uint32_t at,
						     const struct bfs_new &from, uint32_t degree)
{
	const uint32_t few = 4;

	GPU_UNROLL
	for (uint32_t j = 0; j < few; j++)
		if (j < degree)
			bfs_put_edge(s, tile, at + j, from.row + j, from.v);
	for (unsigned rest = __ballot_sync(ALL_LANES, degree > few); rest; rest &= rest - 1) {
		const int lane = __ffs((int)rest) - 1;
		const uint64_t row = __shfl_sync(ALL_LANES, from.row, lane);
		const uint32_t v = __shfl_sync(ALL_LANES, from.v, lane);
		const uint32_t place = __shfl_sync(ALL_LANES, at, lane);
		const uint32_t count = __shfl_sync(ALL_LANES, degree, lane);

		for (uint32_t j = few + threadIdx.x % WARP; j < count; j += WARP)
			bfs_put_edge(s, tile, place + j, row + j, v);
	}
}

/* Add the block's new vertices to the tile, and to the `count` of the next level.  If that is not
 * narrow, the tile lacks edges. */
static __device__ __forceinline__ void bfs_add_narrow(const struct bfs_top_down &s,
						      struct bfs_tile *tile, unsigned *count,
						      const struct bfs_new &found)
{
	const uint32_t most = BFS_NARROW + 1, mask = (1u << BFS_NARROW_BITS) - 1;
	const uint32_t degree = found.degree < most ? found.degree : most;
	const uint32_t mine = degree ? 1u << BFS_NARROW_BITS | degree : 0;

	if (!__any_sync(ALL_LANES, mine != 0))
		return;

	const uint32_t upto = warp_scan(mine);
	uint32_t at = 0;

	if (threadIdx.x % WARP == WARP - 1)
		at = atomicAdd(count, upto);
	at = __shfl_sync(ALL_LANES, at, WARP - 1) + upto - mine;
	if (mine)
		tile->vertex[at >> BFS_NARROW_BITS] = found.v;
	at &= mask;
	bfs_put_edges(s, tile, at, found, at + degree <= s.narrow ? degree : 0);
}

/* Load the queue of a narrow level into the tile. */
static __device__ __forceinline__ void bfs_load_narrow(const struct bfs_top_down &s,
						       struct bfs_tile *tile, int32_t step,
						       const struct bfs_level &now)
{
	const uint32_t owners = bfs_tile_owners(s, tile, step, now.count, 0, now.edges);
	const uint32_t owner = bfs_tile_owner(tile, owners, threadIdx.x);
	const uint64_t edge = tile->base[owner] + threadIdx.x;
	const uint32_t v = tile->vertex[owner];

	__syncthreads();
	bfs_put_edge(s, tile, threadIdx.x, edge, v);
	if (threadIdx.x == 0)
		tile->narrow = {};
	__syncthreads();
}

/* True for a narrow level. */
static __device__ __forceinline__ bool bfs_suits_block(const struct bfs_top_down &s, uint64_t edges,
						       uint32_t count)
{
	return edges <= s.narrow && edges <= (uint64_t)count * BFS_NARROW_DEGREE;
}

/* Search from a narrow level up to one that is not, or to the end.  Block 0 alone calls.  The last
 * level found is queued for the next step, unless the search has ended. */
static __device__ __forceinline__ void bfs_expand_narrow(const struct bfs_top_down &s,
							 struct bfs_tile *tile, int32_t step,
							 const struct bfs_level &now)
{
	struct bfs_turn *const next = &s.turn[(uint32_t)(step + 1) % BFS_COUNTERS];
	uint32_t edges = (uint32_t)now.edges, reached = now.reached, count;
	uint64_t passed = 0;
	int32_t levels = 0;
	bool ended;

	bfs_load_narrow(s, tile, step, now);
	for (;; levels++) {
		const uint32_t turn = (uint32_t)levels % 2;
		bool sink;
		const struct bfs_new found =
			bfs_follow(s, tile, edges, now.distance + levels + 1, &sink);

		__syncthreads();
		if (threadIdx.x == 0)
			tile->narrow.next[!turn] = 0;
		if (sink)
			atomicAdd(&tile->narrow.sinks, 1u);
		bfs_add_narrow(s, tile, &tile->narrow.next[turn], found);
		__syncthreads();
		count = tile->narrow.next[turn] >> BFS_NARROW_BITS;
		edges = tile->narrow.next[turn] & ((1u << BFS_NARROW_BITS) - 1);
		reached += count;
		ended = count == 0 || reached + tile->narrow.sinks == s.n;
		if (ended || !bfs_suits_block(s, edges, count))
			break;
		passed += edges;
	}
	count = ended ? 0 : count;
	if (threadIdx.x == 0) {
		next->passed = passed;
		next->levels = (unsigned)levels;
		next->reached = reached - now.reached + tile->narrow.sinks - count;
	}
	for (uint32_t first = 0; first < count; first += BFS_CSR_BLOCK) {
		const uint32_t i = first + threadIdx.x, v = i < count ? tile->vertex[i] : 0;
		const uint32_t degree = i < count ? bfs_degree(s, v) : 0;

		bfs_enqueue<1>(s, tile, step + 1, &next->queued, &v, &degree);
	}
}

/* Follow all edges of the level's vertices; new vertices get the next distance.  If the level is
 * narrow, do the same with those that follow.  All blocks must call; a grid barrier must follow. */
static __device__ __forceinline__ void bfs_expand_down(const struct bfs_top_down &s,
						       struct bfs_tile *tile, int32_t step,
						       const struct bfs_level &now)
{
	if (!bfs_suits_block(s, now.edges, now.count))
		bfs_expand_wide(s, tile, step, now);
	else if (blockIdx.x == 0)
		bfs_expand_narrow(s, tile, step, now);
}

/* Mark all vertices except the source as unreached and queue the source as level 0.  Ends with a
 * barrier.  Return the numbers before that level. */
static __device__ __forceinline__ struct bfs_level bfs_start_down(const struct bfs_top_down &s)
{
	const uint32_t first = blockIdx.x * BFS_CSR_BLOCK + threadIdx.x;
	struct bfs_level none = {};

	for (uint32_t v = first; v < s.n; v += gridDim.x * BFS_CSR_BLOCK) {
		s.dist[v] = v == s.source ? 0 : BFS_UNREACHED;
		if (s.parent)
			s.parent[v] = v == s.source ? (int32_t)v : BFS_UNREACHED;
	}
	if (first == 0) {
		const uint64_t degree = s.out.row[s.source + 1] - s.out.row[s.source];

		s.queue[0][0] = s.source;
		s.before[0][0] = 0;
		s.turn[0] = s.turn[1] = s.turn[2] = {};
		s.turn[0].queued = degree ? 1ull << BFS_EDGE_BITS | degree : 0;
		s.turn[0].reached = degree ? 0 : 1;
		*s.touched = 0;
	}
	gpu_grid_sync(s.barrier);
	none.distance = -1;
	return none;
}

/* Return the numbers of the step's level; `last` has those of the step before, which must be
 * complete.  Clears the counters of the step after the next. */
static __device__ __forceinline__ struct bfs_level bfs_next_level(const struct bfs_top_down &s,
								  int32_t step,
								  const struct bfs_level &last)
{
	const struct bfs_turn turn = s.turn[(uint32_t)step % BFS_COUNTERS];
	struct bfs_level next;

	next.edges = turn.queued & BFS_EDGE_MASK;
	next.passed = turn.passed;
	next.count = (uint32_t)(turn.queued >> BFS_EDGE_BITS);
	next.reached = last.reached + next.count + turn.reached;
	next.distance = last.distance + 1 + (int32_t)turn.levels;
	if (blockIdx.x == 0 && threadIdx.x == 0)
		s.turn[(uint32_t)(step + 2) % BFS_COUNTERS] = {};
	return next;
}

/* ---- host ------------------------------------------------------------------------------------ */

/* True if a vertex has 2^32 out-edges or more, which parallel edges make possible. */
static inline bool bfs_has_huge_row(const struct bfs_input *input)
{
	for (uint32_t v = 0; input->m > UINT32_MAX && v < input->n; v++)
		if (input->out.row[v + 1] - input->out.row[v] > UINT32_MAX)
			return true;
	return false;
}

/* Requires an initialised `search`. */
static inline enum gb_status bfs_top_down_create(struct bfs_top_down *s, struct bfs_search *search,
						 struct gb_error *err)
{
	const size_t n = search->n;

	s->n = search->n;
	s->m = search->input->m;
	s->dist = search->dist;
	s->parent = search->parent;
	s->touched = search->touched;
	s->narrow = bfs_wide_edges ? bfs_wide_edges - 1 : (uint32_t)BFS_NARROW;
	if (s->m > BFS_EDGE_MASK || n >> (64 - BFS_EDGE_BITS))
		return gb_fail(err, GB_EUNAVAILABLE,
			       "%u vertices and %" PRIu64
			       " edges: the queue is limited to 2^%d and 2^%d",
			       s->n, s->m, 64 - BFS_EDGE_BITS, (int)BFS_EDGE_BITS);
	if (bfs_has_huge_row(search->input))
		return gb_fail(err, GB_EUNAVAILABLE,
			       "a vertex has 2^32 or more out-edges: degrees have 32 bits");
	for (int i = 0; i < 2; i++) {
		(void)gpu_alloc(&s->queue[i], n, err);
		(void)gpu_alloc(&s->before[i], n, err);
	}
	(void)gpu_alloc(&s->turn, BFS_COUNTERS, err);
	(void)gpu_alloc_zeroed(&s->barrier, 1, err);
	return bfs_csr_create(&s->out, &search->input->out, search, err);
}

/* Blocks to launch: no more than there would be tiles if all edges were on one level. */
template <class K>
static inline unsigned bfs_top_down_blocks(K *kernel, const struct bfs_top_down *s)
{
	const uint64_t tiles = (s->m > s->n ? s->m : s->n) / BFS_CSR_TILE + 1;

	return gpu_resident_blocks(kernel, BFS_CSR_BLOCK, 0, tiles);
}

#endif
