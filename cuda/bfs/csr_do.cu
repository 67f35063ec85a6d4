/* csr_do.cu -- direction-optimising BFS on compressed rows (Beamer, Asanovic and Patterson,
 * "Direction-optimizing breadth-first search", SC 2012), in one cooperative launch.
 *
 * When the frontier has more than 1 / ALPHA of the unexplored edges, the search goes bottom-up: one
 * thread per unreached vertex scans its in-edges until one comes from the frontier, which is then a
 * bitmap.  Another bitmap has the open vertices: those that are left to be scanned, none of them
 * without in-edges after the first such level.  A warp skips 32 vertices of which none is open.
 *
 * When the frontier shrinks below n / BETA vertices, the search returns to top-down as in csr
 * (parts/csr.h).  Bottom-up levels only count the vertices they find.  A change of direction builds
 * the bitmaps or the queue from the distances.  A level that block 0 searches alone is never worth
 * a change.
 *
 * A thread scans at most PROBES in-edges by itself, each of which waits for two loads.  If it has
 * found nothing and has edges left, the whole warp finishes the vertex, one vertex after the other.
 * These two classes take the place of the four that Enterprise makes by degree (Liu and Huang, SC
 * 2015).
 *
 * It is faster than csr by reading fewer edges.  The bound is latency: a level costs a grid barrier
 * and dependent probes.
 */
#include "cuda/bfs/parts/csr.h"

enum {
	ALPHA = 14,
	BETA = 24,
	PROBES = 8,
};

struct two_way_arrays {
	struct bfs_top_down down;
	struct bfs_rows in;
	uint32_t *frontier[2];    /* by step % 2: one bit per vertex */
	uint32_t *open[2];        /* the same for the open vertices */
	unsigned long long *made; /* counter of make_queue(), 0 at other times */
};

struct state {
	struct bfs_search search;
	struct two_way_arrays arrays;
	unsigned blocks;
};

/* ---- kernel ---------------------------------------------------------------------------------- */

static __device__ __forceinline__ bool has_bit(const uint32_t *bits, uint32_t i)
{
	return bits[i / 32] >> i % 32 & 1;
}

/* Build the level's bitmaps from the distances, one warp per word.  Ends with a barrier. */
static __device__ __forceinline__ void make_frontier(const struct two_way_arrays &a, int32_t step,
						     int32_t distance)
{
	const uint32_t n = a.down.n, warps = gridDim.x * (BFS_CSR_BLOCK / WARP);
	const uint32_t warp = blockIdx.x * (BFS_CSR_BLOCK / WARP) + threadIdx.x / WARP;
	const uint32_t lane = threadIdx.x % WARP;

	for (uint32_t w = warp; w < (n - 1) / WARP + 1; w += warps) {
		const uint32_t v = w * WARP + lane;
		const int32_t its = v < n ? a.down.dist[v] : 0;
		const unsigned word = __ballot_sync(ALL_LANES, v < n && its == distance);
		const unsigned open = __ballot_sync(ALL_LANES, its == BFS_UNREACHED);

		if (lane == 0) {
			bfs_of_step(a.frontier, step)[w] = word;
			bfs_of_step(a.open, step)[w] = open;
		}
	}
	gpu_grid_sync(a.down.barrier);
}

/* Scan at most `most` in-edges from *edge to end for one from the frontier, and store its source in
 * *u.  *edge advances past the last edge scanned. */
static __device__ __forceinline__ bool probe(const struct two_way_arrays &a,
					     const uint32_t *frontier, uint64_t *edge, uint64_t end,
					     uint32_t most, uint32_t *u)
{
	for (uint32_t k = 0; k < most && *edge < end; k++) {
		*u = bfs_column(a.in, (*edge)++);
		if (has_bit(frontier, *u))
			return true;
	}
	return false;
}

/* Do the same with a whole warp, up to `end`, for the arguments of lane `owner`. */
static __device__ __forceinline__ bool probe_warp(const struct two_way_arrays &a,
						  const uint32_t *frontier, uint64_t edge,
						  uint64_t end, int owner, uint32_t *u)
{
	const uint64_t stop = __shfl_sync(ALL_LANES, end, owner);
	unsigned hits = 0;

	for (edge = __shfl_sync(ALL_LANES, edge, owner); edge < stop && !hits; edge += WARP) {
		const uint64_t mine = edge + threadIdx.x % WARP;
		const uint32_t from = mine < stop ? bfs_column(a.in, mine) : 0;

		hits = __ballot_sync(ALL_LANES, mine < stop && has_bit(frontier, from));
		if (hits)
			*u = __shfl_sync(ALL_LANES, from, __ffs((int)hits) - 1);
	}
	return hits;
}

/* Build the level's queue from the distances.  Ends with a barrier. */
static __device__ __forceinline__ void make_queue(const struct two_way_arrays &a,
						  struct bfs_tile *tile, int32_t step,
						  int32_t distance)
{
	for (uint32_t first = blockIdx.x * BFS_CSR_BLOCK; first < a.down.n;
	     first += gridDim.x * BFS_CSR_BLOCK) {
		const uint32_t v = first + threadIdx.x;
		const bool mine = v < a.down.n && a.down.dist[v] == distance;
		const uint32_t degree = mine ? bfs_degree(a.down, v) : 0;

		bfs_enqueue<1>(a.down, tile, step, a.made, &v, &degree);
	}
	gpu_grid_sync(a.down.barrier);
	if (blockIdx.x == 0 && threadIdx.x == 0)
		*a.made = 0;
}

/* Add the sums over a block's threads to the counters of the next step.  All threads must call. */
static __device__ __forceinline__ void add_found(const struct two_way_arrays &a,
						 struct bfs_tile *tile, struct bfs_turn *next,
						 unsigned long long items, unsigned sinks)
{
	const uint32_t warp = threadIdx.x / WARP, lane = threadIdx.x % WARP;

	if (!__syncthreads_or(items != 0 || sinks != 0))
		return;
	items = warp_sum(items);
	sinks = warp_sum(sinks);
	if (lane == 0)
		tile->sum[warp] = items;
	if (lane == 0 && sinks)
		atomicAdd(&next->reached, sinks);
	__syncthreads();
	if (warp > 0)
		return;
	items = warp_sum(lane < BFS_CSR_WARPS ? tile->sum[lane] : 0ull);
	if (lane == 0 && items)
		atomicAdd(&next->queued, items);
}

/* Each open vertex that has an in-edge from the frontier gets `distance`.  One thread per vertex, a
 * warp per word of the next frontier; a barrier must follow. */
static __device__ __forceinline__ void expand_up(const struct two_way_arrays &a,
						 struct bfs_tile *tile, int32_t step,
						 int32_t distance, unsigned long long *probes)
{
	const uint32_t *const frontier = bfs_of_step(a.frontier, step);
	uint32_t *const next = bfs_of_step(a.frontier, step + 1);
	uint32_t *const still_open = bfs_of_step(a.open, step + 1);
	const uint32_t n = a.down.n, warps = gridDim.x * (BFS_CSR_BLOCK / WARP);
	const uint32_t warp = blockIdx.x * (BFS_CSR_BLOCK / WARP) + threadIdx.x / WARP;
	const uint32_t lane = threadIdx.x % WARP;
	unsigned long long items = 0;
	unsigned sinks = 0;

	for (uint32_t w = warp; w < (n - 1) / WARP + 1; w += warps) {
		const uint32_t v = w * WARP + lane, all = bfs_of_step(a.open, step)[w];
		const bool open = all >> lane & 1;

		if (!all) {
			if (lane == 0)
				next[w] = still_open[w] = 0;
			continue;
		}

		const uint64_t first = open ? a.in.row[v] : 0, end = open ? a.in.row[v + 1] : 0;
		uint64_t edge = first;
		uint32_t u = 0;
		bool found = probe(a, frontier, &edge, end, PROBES, &u);
		unsigned rest = __ballot_sync(ALL_LANES, !found && edge < end);

		*probes += edge - first;
		for (; rest; rest &= rest - 1) {
			const int owner = __ffs((int)rest) - 1;
			uint32_t from = 0;
			const bool hit = probe_warp(a, frontier, edge, end, owner, &from);

			if (lane == (uint32_t)owner) {
				*probes += end - edge;
				found = hit;
				u = from;
			}
		}
		if (found) {
			const uint32_t degree = bfs_degree(a.down, v);

			a.down.dist[v] = distance;
			if (a.down.parent)
				a.down.parent[v] = (int32_t)u;
			items += bfs_item(degree);
			sinks += degree == 0;
		}

		const unsigned word = __ballot_sync(ALL_LANES, found);
		const unsigned left = __ballot_sync(ALL_LANES, first < end && !found);

		if (lane == 0) {
			next[w] = word;
			still_open[w] = left;
		}
	}
	add_found(a, tile, &a.down.turn[(uint32_t)(step + 1) % BFS_COUNTERS], items, sinks);
}

/* Launched with as many blocks as fit on the device at once. */
static __global__ void __launch_bounds__(BFS_CSR_BLOCK, 1) search_kernel(struct two_way_arrays a)
{
	__shared__ struct bfs_tile tile;
	struct bfs_level now = bfs_start_down(a.down);
	uint64_t unseen = a.down.m, edges = 0;
	unsigned long long probes = 0;
	uint32_t before = 0;
	bool up = false;

	for (int32_t step = 0;; step++) {
		now = bfs_next_level(a.down, step, now);
		unseen -= now.passed;
		edges += now.passed;
		if (now.count == 0 || now.reached == a.down.n)
			break;
		if (!up && !bfs_suits_block(a.down, now.edges, now.count) &&
		    now.edges > unseen / ALPHA) {
			make_frontier(a, step, now.distance);
			up = true;
		} else if (up && now.count < before && now.count < a.down.n / BETA) {
			make_queue(a, &tile, step, now.distance);
			up = false;
		}
		before = now.count;
		unseen -= now.edges;
		if (up) {
			expand_up(a, &tile, step, now.distance + 1, &probes);
		} else {
			edges += now.edges;
			bfs_expand_down(a.down, &tile, step, now);
		}
		gpu_grid_sync(a.down.barrier);
	}
	if (__any_sync(ALL_LANES, probes != 0))
		probes = warp_sum(probes);
	if (blockIdx.x == 0 && threadIdx.x == 0)
		probes += edges;
	if (threadIdx.x % WARP == 0 && probes)
		atomicAdd(a.down.touched, probes * bfs_column_bytes(a.in));
}

/* ---- host ------------------------------------------------------------------------------------ */

static enum gb_status create(struct state *s, const void *params, const void *input,
			     struct gb_error *err)
{
	struct two_way_arrays *const a = &s->arrays;

	if (bfs_search_create(&s->search, params, input, true, err) != GB_OK ||
	    bfs_top_down_create(&a->down, &s->search, err) != GB_OK)
		return err->code;
	for (int i = 0; i < 2; i++) {
		(void)gpu_alloc(&a->frontier[i], (s->search.n - 1) / 32 + 1, err);
		(void)gpu_alloc(&a->open[i], (s->search.n - 1) / 32 + 1, err);
	}
	(void)gpu_alloc_zeroed(&a->made, 1, err);
	s->blocks = bfs_top_down_blocks(search_kernel, &a->down);
	if (s->search.input->symmetric)
		a->in = a->down.out;
	else
		(void)bfs_csr_create(&a->in, &s->search.input->in, &s->search, err);
	return err->code;
}

static enum gb_status run(struct state *s, struct gb_timer *timer, struct gb_error *err)
{
	s->arrays.down.source = s->search.source;
	return GPU_RUN_COOPERATIVE(err, search_kernel, s->blocks, BFS_CSR_BLOCK, s->arrays);
}

extern "C" const struct gb_variant_ops bfs_cuda_csr_do =
	bfs_ops<struct state, create, bfs_search_upload, run>();
