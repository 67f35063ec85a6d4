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
 * Their edges are entered by groups of up to four of a vertex, one per thread, so that the place
 * of a vertex is a count of lanes.  Edges beyond four get further groups.
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
	BFS_EDGE_BITS = 36, /* low bits of a counter; the other 28 count vertices */
	/* A narrow level's entries have up to so many edges of a vertex, one per thread. */
	BFS_ENTRY = 4,
	BFS_ENTRIES = BFS_CSR_BLOCK / BFS_ENTRY,
	BFS_NARROW_DEGREE = 16, /* most edges per vertex; with more, the next is hardly narrow */
	BFS_NARROW_MOST = 64,   /* most edges of one vertex, which one thread enters */
	/* The same for a narrow level's counter of vertices and entries: each of BFS_CSR_BLOCK
	 * vertices adds at most BFS_ENTRIES + 1. */
	BFS_NARROW_BITS = 19,
	BFS_NARROW_MASK = (1 << BFS_NARROW_BITS) - 1,
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

/* A narrow level. */
struct bfs_narrow {
	/* Index in column of the first of its edges; above BFS_EDGE_BITS, their number. */
	uint64_t entry[BFS_ENTRIES];
	uint32_t owner[BFS_ENTRIES]; /* the vertex that they leave, if parents are wanted */
	unsigned count;              /* all vertices and entries that were ever added */
};

/* The owners of a tile's edges.  An owner is the vertex that an edge leaves. */
struct bfs_tile {
	uint64_t base[BFS_CSR_TILE]; /* plus an edge's number in the level: its index in column */
	uint32_t vertex[BFS_CSR_TILE];
	uint32_t first[BFS_CSR_TILE]; /* the owner's first edge, relative to the tile's first */
	uint32_t owner[2];            /* queue places of the first and the last owner */
	unsigned long long
		sum[BFS_CSR_WARPS];  /* per warp: its share of the block's addition to a counter */
	struct bfs_narrow narrow[2]; /* by level % 2 */
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
	unsigned long long mine = 0, inclusive = 0, at;

#pragma unroll
	for (int k = 0; k < EACH; k++)
		mine += bfs_item(degree[k]);
	if (!__syncthreads_or(mine != 0))
		return;
	if (__any_sync(ALL_LANES, mine != 0))
		inclusive = warp_scan(mine);
	if (lane == WARP - 1)
		tile->sum[warp] = inclusive;
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
	at = tile->sum[warp] + inclusive - mine;
#pragma unroll
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

#pragma unroll
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

/* A vertex that a thread has reached, or BFS_NONE; number of its first out-edge, and of its
 * out-edges. */
struct bfs_new {
	uint64_t row;
	uint32_t v, degree;
};

static constexpr uint32_t BFS_NONE = UINT32_MAX;

/* Follow an edge from vertex u.  Everything that depends on its end is read at once, wanted or not:
 * a level takes two memory latencies, for the column and for its vertex. */
static __device__ __forceinline__ struct bfs_new bfs_follow(const struct bfs_top_down &s,
							    uint64_t edge, const uint32_t *u,
							    int32_t distance)
{
	const uint32_t v = bfs_column(s.out, edge);
	const uint64_t *const row = s.out.row + v;
	const uint64_t first = row[0], end = row[1];

	if (atomicCAS(s.dist + v, BFS_UNREACHED, distance) != BFS_UNREACHED)
		return { 0, BFS_NONE, 0 };
	if (s.parent)
		s.parent[v] = (int32_t)*u;
	return { first, v, (uint32_t)(end - first) };
}

/* Follow the thread's edge of a narrow level, if it has one. */
static __device__ __forceinline__ struct bfs_new bfs_follow_entry(const struct bfs_top_down &s,
								  const struct bfs_narrow &level,
								  uint32_t entries,
								  int32_t distance,
								  uint32_t *followed)
{
	const uint32_t place = threadIdx.x / BFS_ENTRY, k = threadIdx.x % BFS_ENTRY;

	if (place >= entries)
		return { 0, BFS_NONE, 0 };

	const uint64_t entry = level.entry[place];

	if (k >= (uint32_t)(entry >> BFS_EDGE_BITS))
		return { 0, BFS_NONE, 0 };
	++*followed;
	return bfs_follow(s, (entry & BFS_EDGE_MASK) + k, level.owner + place, distance);
}

/* Follow the thread's edge of a narrow level that is in the queue, if it has one. */
static __device__ __forceinline__ struct bfs_new bfs_follow_queue(const struct bfs_top_down &s,
								  struct bfs_tile *tile,
								  int32_t step,
								  const struct bfs_level &now)
{
	const uint32_t owners = bfs_tile_owners(s, tile, step, now.count, 0, now.edges);
	const uint32_t owner = bfs_tile_owner(tile, owners, threadIdx.x);

	if (threadIdx.x >= now.edges)
		return { 0, BFS_NONE, 0 };
	return bfs_follow(s, tile->base[owner] + threadIdx.x, tile->vertex + owner,
			  now.distance + 1);
}

/* Fill in entry number j of a vertex. */
static __device__ __forceinline__ void bfs_enter(const struct bfs_top_down &s,
						 struct bfs_narrow *level, uint32_t place,
						 const struct bfs_new &from, uint32_t j)
{
	const uint32_t left = from.degree - j * BFS_ENTRY;
	const uint64_t edges = left < BFS_ENTRY ? left : (uint32_t)BFS_ENTRY;

	level->entry[place] = edges << BFS_EDGE_BITS | (from.row + j * BFS_ENTRY);
	if (s.parent)
		level->owner[place] = from.v;
}

/* Enter the block's new vertices into a narrow level, whose count was `last` before.  If the level
 * has more than BFS_ENTRIES, it lacks some: a vertex with many edges counts as so many. */
static __device__ __forceinline__ void bfs_add_narrow(const struct bfs_top_down &s,
						      struct bfs_narrow *level, unsigned last,
						      const struct bfs_new &found)
{
	const unsigned who = __ballot_sync(ALL_LANES, found.v != BFS_NONE);
	const uint32_t vertices = (uint32_t)__popc(who);
	uint32_t at = 0;

	if (!who)
		return;
	if (threadIdx.x % WARP == 0)
		at = atomicAdd(&level->count, vertices << BFS_NARROW_BITS | vertices);
	at = __shfl_sync(ALL_LANES, at, 0) + (uint32_t)__popc(who & lanes_below());
	at = (at - last) & BFS_NARROW_MASK;
	if (found.v != BFS_NONE && at < BFS_ENTRIES)
		bfs_enter(s, level, at, found, 0);
	if (found.degree > BFS_ENTRY) {
		const uint32_t left = found.degree - BFS_ENTRY;
		const uint32_t more = found.degree > BFS_NARROW_MOST
					      ? (uint32_t)BFS_ENTRIES
					      : left / BFS_ENTRY + (left % BFS_ENTRY != 0);

		at = atomicAdd(&level->count, more);
		at = (at - last) & BFS_NARROW_MASK;
#pragma unroll 1
		for (uint32_t j = 0; more < BFS_ENTRIES && j < more && at + j < BFS_ENTRIES; j++)
			bfs_enter(s, level, at + j, found, j + 1);
	}
}

/* True for a narrow level of the queue. */
static __device__ __forceinline__ bool bfs_suits_block(const struct bfs_top_down &s, uint64_t edges,
						       uint32_t count)
{
	return edges <= s.narrow && edges <= (uint64_t)count * BFS_NARROW_DEGREE;
}

/* The same for one that follows it. */
static __device__ __forceinline__ bool bfs_stays_narrow(const struct bfs_top_down &s,
							uint32_t entries, uint32_t vertices)
{
	return entries - 1 < s.narrow / BFS_ENTRY &&
	       entries <= vertices * (BFS_NARROW_DEGREE / BFS_ENTRY);
}

/* The state of a thread that searches narrow levels. */
struct bfs_search_narrow {
	struct bfs_new found; /* of the last level */
	uint32_t reached, followed;
	unsigned last[2]; /* counts of both levels */
	int32_t distance;
};

/* Enter what was found, and follow its edges; false if this level is not narrow, or the last.  A
 * constant TURN saves address arithmetic. */
template <int TURN>
static __device__ __forceinline__ bool bfs_take_level(const struct bfs_top_down &s,
						      struct bfs_narrow *level,
						      struct bfs_search_narrow *now)
{
	bfs_add_narrow(s, level + TURN, now->last[TURN], now->found);
	__syncthreads();

	const unsigned count = level[TURN].count, added = count - now->last[TURN];
	const uint32_t vertices = added >> BFS_NARROW_BITS, entries = added & BFS_NARROW_MASK;

	now->last[TURN] = count;
	now->reached += vertices;
	if (!bfs_stays_narrow(s, entries, vertices) || now->reached == s.n)
		return false;
	now->found = bfs_follow_entry(s, level[TURN], entries, ++now->distance, &now->followed);
	return true;
}

/* Search from a narrow level up to one that is not, or to the end.  Block 0 alone calls.  The last
 * level found is queued for the next step.
 *
 * Two narrow levels take turns, so that a level needs one barrier: before it, the block enters its
 * vertices; after it, it follows their edges and enters what it finds into the other.  A count is
 * never reset, since a slow thread may still read it. */
static __device__ __forceinline__ void bfs_expand_narrow(const struct bfs_top_down &s,
							 struct bfs_tile *tile, int32_t step,
							 const struct bfs_level &from)
{
	struct bfs_turn *const next = &s.turn[(uint32_t)(step + 1) % BFS_COUNTERS];
	struct bfs_search_narrow now = {};

	if (threadIdx.x < 2)
		tile->narrow[threadIdx.x].count = 0;
	now.found = bfs_follow_queue(s, tile, step, from);
	now.reached = from.reached;
	now.distance = from.distance + 1;
	while (bfs_take_level<0>(s, tile->narrow, &now) && bfs_take_level<1>(s, tile->narrow, &now))
		;

	const int queued = __syncthreads_count(now.found.degree != 0);
	const unsigned long long passed = warp_sum((unsigned long long)now.followed);

	if (threadIdx.x % WARP == 0)
		atomicAdd(&next->passed, passed);
	if (threadIdx.x == 0) {
		next->levels = (unsigned)(now.distance - from.distance - 1);
		next->reached = now.reached - from.reached - (unsigned)queued;
	}
	bfs_enqueue<1>(s, tile, step + 1, &next->queued, &now.found.v, &now.found.degree);
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
