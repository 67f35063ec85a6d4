/* narrow.h -- narrow levels of a top-down search, by block 0 alone: one edge per thread, all in
 * shared memory.
 *
 * A narrow level has few edges, in all and per vertex.  No other block would have one of them, so
 * narrow levels need no grid barrier; the other blocks wait at the next one.
 *
 * The level's edges are in groups of up to four edges of one vertex, with four threads per group.
 * The place of a vertex is then a count of lanes; edges alone would need a prefix sum of degrees.
 * A vertex with more than four edges gets further groups:
 *
 *	new vertex (edges)    a (3)       b (6)       c (1)       b again
 *	group                 0           1           2           3
 *	thread                0  1  2  -  4  5  6  7  8  -  -  -  12 13 -  -
 */
#ifndef GPUBENCH_CUDA_BFS_SHARED_NARROW_H
#define GPUBENCH_CUDA_BFS_SHARED_NARROW_H

#include "cuda/bfs/shared/advance.h"

enum {
	BFS_GROUP = 4, /* most edges of a group, one per thread */
	BFS_GROUPS = BFS_CSR_BLOCK / BFS_GROUP,
	BFS_NARROW_DEGREE = 16, /* most edges per vertex; with more, the next is hardly narrow */
	BFS_NARROW_MOST = 64,   /* most edges of one vertex, whose groups one thread writes */
	/* Low bits of a narrow level's counter, which count groups; the others count vertices.
	 * Each of BFS_CSR_BLOCK vertices adds at most BFS_GROUPS + 1. */
	BFS_GROUP_BITS = 19,
	BFS_GROUP_MASK = (1 << BFS_GROUP_BITS) - 1,
};

/* Shared memory of a narrow level. */
struct bfs_narrow {
	/* Index in column of the group's first edge; above BFS_EDGE_BITS, the number of edges. */
	uint64_t group[BFS_GROUPS];
	uint32_t vertex[BFS_GROUPS]; /* the vertex that they leave, if parents are wanted */
	unsigned count;              /* all vertices and groups that were ever added */
};

/* A vertex that a thread has reached, or BFS_NONE. */
struct bfs_new {
	uint64_t row; /* index in column of its first out-edge */
	uint32_t v, degree;
};

static constexpr uint32_t BFS_NONE = UINT32_MAX;

/* True if a level of the queue is narrow. */
static __device__ __forceinline__ bool bfs_is_narrow(const bfs_top_down &s, const bfs_level &level)
{
	return level.edges <= s.narrow &&
	       level.edges <= (uint64_t)level.vertices * BFS_NARROW_DEGREE;
}

/* Follow an edge from vertex *u.  Everything that depends on its end is read at once, wanted or
 * not: a level takes two memory latencies, for the column and for its vertex. */
static __device__ __forceinline__ bfs_new bfs_follow(const bfs_top_down &s, uint64_t edge,
						     const uint32_t *u, int32_t distance)
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

/* Follow the thread's edge of a narrow level that is in the queue, if it has one. */
static __device__ __forceinline__ bfs_new bfs_follow_queue(const bfs_top_down &s, bfs_tile *tile,
							   int32_t iteration,
							   const bfs_level &level)
{
	const uint32_t count = bfs_load_tile(s, tile, iteration, level.vertices, 0, level.edges);
	const uint32_t u = bfs_vertex_of(tile, count, threadIdx.x);

	if (threadIdx.x >= level.edges)
		return { 0, BFS_NONE, 0 };
	return bfs_follow(s, tile->base[u] + threadIdx.x, tile->vertex + u, level.distance + 1);
}

/* Follow the thread's edge of a level of so many groups, if it has one. */
static __device__ __forceinline__ bfs_new bfs_follow_group(const bfs_top_down &s,
							   const bfs_narrow &level, uint32_t groups,
							   int32_t distance, uint32_t *followed)
{
	const uint32_t place = threadIdx.x / BFS_GROUP, k = threadIdx.x % BFS_GROUP;

	if (place >= groups)
		return { 0, BFS_NONE, 0 };

	const uint64_t group = level.group[place];

	if (k >= (uint32_t)(group >> BFS_EDGE_BITS))
		return { 0, BFS_NONE, 0 };
	++*followed;
	return bfs_follow(s, (group & BFS_EDGE_MASK) + k, level.vertex + place, distance);
}

/* Write group number j of a vertex. */
static __device__ __forceinline__ void bfs_write_group(const bfs_top_down &s, bfs_narrow *level,
						       uint32_t group, const bfs_new &from,
						       uint32_t j)
{
	const uint32_t left = from.degree - j * BFS_GROUP;
	const uint64_t edges = left < BFS_GROUP ? left : (uint32_t)BFS_GROUP;

	level->group[group] = edges << BFS_EDGE_BITS | (from.row + j * BFS_GROUP);
	if (s.parent)
		level->vertex[group] = from.v;
}

/* Add the groups of the block's new vertices to a narrow level, whose count was `last` before.  If
 * it has more than BFS_GROUPS then, it lacks some: a vertex with many edges counts as so many. */
static __device__ __forceinline__ void bfs_add_groups(const bfs_top_down &s, bfs_narrow *level,
						      unsigned last, const bfs_new &found)
{
	const unsigned who = __ballot_sync(ALL_LANES, found.v != BFS_NONE);
	const uint32_t vertices = (uint32_t)__popc(who);
	uint32_t group = 0;

	if (!who)
		return;

	/* The first group of each vertex: one addition per warp. */
	if (threadIdx.x % WARP == 0)
		group = atomicAdd(&level->count, vertices << BFS_GROUP_BITS | vertices);
	group = __shfl_sync(ALL_LANES, group, 0) + (uint32_t)__popc(who & lanes_below());
	group = (group - last) & BFS_GROUP_MASK;
	if (found.v != BFS_NONE && group < BFS_GROUPS)
		bfs_write_group(s, level, group, found, 0);

	/* Further ones: an addition per vertex. */
	if (found.degree > BFS_GROUP) {
		const uint32_t left = found.degree - BFS_GROUP;
		const uint32_t more = found.degree > BFS_NARROW_MOST
					      ? (uint32_t)BFS_GROUPS
					      : left / BFS_GROUP + (left % BFS_GROUP != 0);

		group = atomicAdd(&level->count, more);
		group = (group - last) & BFS_GROUP_MASK;
#pragma unroll 1
		for (uint32_t j = 0; more < BFS_GROUPS && j < more && group + j < BFS_GROUPS; j++)
			bfs_write_group(s, level, group + j, found, j + 1);
	}
}

/* Search from a narrow level up to one that is not, or to the end.  Block 0 alone calls.  The last
 * level found is the frontier of the next iteration. */
static __device__ __forceinline__ void bfs_advance_narrow(const bfs_top_down &s, bfs_tile *tile,
							  bfs_narrow *narrow, int32_t iteration,
							  const bfs_level &from)
{
	bfs_counters *const next = &s.counters[(uint32_t)(iteration + 1) % BFS_COUNTERS];
	unsigned last[2] = { 0, 0 }; /* counts of both levels before */
	uint32_t reached = from.reached, followed = 0;
	int32_t distance = from.distance + 1;

	/* 1. Follow the edges of the level that is in the queue. */
	if (threadIdx.x < 2)
		narrow[threadIdx.x].count = 0;

	bfs_new found = bfs_follow_queue(s, tile, iteration, from);

	const auto advance = [&](bfs_narrow *level, unsigned *last_count) {
		/* 2. Add the groups of the new vertices. */
		bfs_add_groups(s, level, *last_count, found);
		__syncthreads(); // groups complete

		const unsigned all = level->count, added = all - *last_count;
		const uint32_t vertices = added >> BFS_GROUP_BITS;
		const uint32_t groups = added & BFS_GROUP_MASK;

		/* 3. Stop if this level is not narrow, or the last. */
		*last_count = all;
		reached += vertices;
		if (groups - 1 >= s.narrow / BFS_GROUP ||
		    groups > vertices * (BFS_NARROW_DEGREE / BFS_GROUP) || reached == s.n)
			return false;

		/* 4. Follow its edges. */
		found = bfs_follow_group(s, *level, groups, ++distance, &followed);
		return true;
	};

	/* Two levels of shared memory alternate, so that one barrier per level is enough: before
	 * it, the block fills one; after it, the block reads that one and fills the other.  A count
	 * is never reset, since a slow thread may still read it. */
	while (advance(&narrow[0], &last[0]) && advance(&narrow[1], &last[1]))
		;

	/* 5. Append the last level to the frontier, and count the others. */
	const int queued = __syncthreads_count(found.degree != 0);
	const unsigned long long narrow_edges = warp_sum((unsigned long long)followed);

	if (threadIdx.x % WARP == 0)
		atomicAdd(&next->narrow_edges, narrow_edges);
	if (threadIdx.x == 0) {
		next->narrow_levels = (unsigned)(distance - from.distance - 1);
		next->unqueued = reached - from.reached - (unsigned)queued;
	}
	bfs_append<1>(s, tile, iteration + 1, &next->frontier, &found.v, &found.degree);
}

#endif
