/* advance.h -- a wide level of a top-down search, by all blocks: the edge-balanced advance of
 * Gunrock (Wang et al., PPoPP 2016), with the load balancing search of Merrill, Garland and
 * Grimshaw ("Scalable GPU graph traversal", PPoPP 2012).
 *
 * Edges, not vertices, are cut into tiles, and each thread takes as many edges of a tile as every
 * other one, whatever the degrees.  A block searches the frontier's offsets for the vertices of its
 * tile; a thread then searches those for the vertex that its edge leaves:
 *
 *	frontier vertex    a               b       c                               d
 *	offset             0               4       6                              14
 *	edges of level     0   1   2   3   4   5   6   7   8   9  10  11  12  13  14  15
 *	tile                               |<- first edge of the tile         last ->|
 */
#ifndef GPUBENCH_CUDA_BFS_SHARED_ADVANCE_H
#define GPUBENCH_CUDA_BFS_SHARED_ADVANCE_H

#include "cuda/bfs/shared/frontier.h"

/* The last i with offset[i] <= edge, found by a whole warp.  offset ascends, offset[0] <= edge. */
static __device__ __forceinline__ uint32_t bfs_warp_search(const uint64_t *offset, uint32_t count,
							   uint64_t edge)
{
	uint32_t low = 0;

	while (count > 1) {
		const uint32_t stride = (count - 1) / WARP + 1;
		const uint32_t i = threadIdx.x % WARP * stride;
		const bool below = i < count && offset[low + i] <= edge;
		const uint32_t last = (uint32_t)__popc(__ballot_sync(ALL_LANES, below)) - 1;

		low += last * stride;
		count = count - last * stride < stride ? count - last * stride : stride;
	}
	return low;
}

/* Load the frontier vertices that the level's edges first ... last - 1 leave; return their number.
 * All threads of the block must call. */
static __device__ __forceinline__ uint32_t bfs_load_tile(const bfs_top_down &s, bfs_tile *tile,
							 int32_t iteration, uint32_t vertices,
							 uint64_t first, uint64_t last)
{
	const uint32_t *const frontier = bfs_of_iteration(s.frontier, iteration);
	const uint64_t *const offset = bfs_of_iteration(s.offset, iteration);
	const unsigned warp = threadIdx.x / WARP;

	if (warp < 2) {
		const uint32_t end = bfs_warp_search(offset, vertices, warp ? last - 1 : first);

		if (threadIdx.x % WARP == 0)
			tile->ends[warp] = end;
	}
	__syncthreads(); // ends

	const uint32_t start = tile->ends[0], count = tile->ends[1] - start + 1;

	for (uint32_t i = threadIdx.x; i < count; i += BFS_CSR_BLOCK) {
		const uint32_t u = frontier[start + i];
		const uint64_t before = offset[start + i];

		tile->vertex[i] = u;
		tile->first[i] = before < first ? 0 : (uint32_t)(before - first);
		tile->base[i] = s.out.row[u] - before;
	}
	__syncthreads(); // vertices of the tile
	return count;
}

/* Load balancing search: the index of the tile's vertex that its edge number `edge` leaves. */
static __device__ __forceinline__ uint32_t bfs_vertex_of(const bfs_tile *tile, uint32_t count,
							 uint32_t edge)
{
	uint32_t low = 0, high = count;

	while (high - low > 1) {
		const uint32_t middle = (low + high) / 2;

		if (tile->first[middle] <= edge)
			low = middle;
		else
			high = middle;
	}
	return low;
}

/* Follow all edges of the level; new vertices get the next distance.  All blocks must call; a grid
 * barrier must follow. */
static __device__ __forceinline__ void bfs_advance(const bfs_top_down &s, bfs_tile *tile,
						   int32_t iteration, const bfs_level &level)
{
	constexpr uint32_t ITEMS = BFS_TILE_EDGES / BFS_CSR_BLOCK; /* edges per thread */
	bfs_counters *const next = &s.counters[(uint32_t)(iteration + 1) % BFS_COUNTERS];

	for (uint64_t first = (uint64_t)blockIdx.x * BFS_TILE_EDGES; first < level.edges;
	     first += (uint64_t)gridDim.x * BFS_TILE_EDGES) {
		const uint64_t left = level.edges - first;
		const uint32_t edges =
			left < BFS_TILE_EDGES ? (uint32_t)left : (uint32_t)BFS_TILE_EDGES;

		/* 1. Load the tile's part of the frontier. */
		const uint32_t count =
			bfs_load_tile(s, tile, iteration, level.vertices, first, first + edges);

		uint32_t v[ITEMS], degree[ITEMS];

#pragma unroll
		for (uint32_t k = 0; k < ITEMS; k++) {
			const uint32_t edge = k * BFS_CSR_BLOCK + threadIdx.x;
			uint32_t u = 0;
			bool found = false;

			v[k] = 0;
			if (edge < edges) {
				/* 2. Find the vertex that the edge leaves, and read its end. */
				u = bfs_vertex_of(tile, count, edge);
				v[k] = bfs_column(s.out, tile->base[u] + first + edge);

				/* 3. Claim the end if it is unreached. */
				found = gpu_ld_relaxed(s.dist + v[k]) == BFS_UNREACHED &&
					atomicCAS(s.dist + v[k], BFS_UNREACHED,
						  level.distance + 1) == BFS_UNREACHED;
			}
			if (found && s.parent)
				s.parent[v[k]] = (int32_t)tile->vertex[u];
			degree[k] = found ? bfs_degree(s, v[k]) : 0;
			if (found && !degree[k])
				atomicAdd(&next->unqueued, 1u);
		}

		/* 4. Append the new vertices to the next frontier.  A barrier in there also
		 * protects this tile from the writes of the next one. */
		bfs_append<ITEMS>(s, tile, iteration + 1, &next->frontier, v, degree);
	}
}

#endif
