/* ccam_cluster.h -- the search by one thread-block cluster, one block per partition.  Frontiers,
 * distances and parents stay in shared memory until the end; blocks exchange the frontier through
 * distributed shared memory, and a cluster barrier ends a level.
 */
#ifndef GPUBENCH_CUDA_BFS_SHARED_CCAM_CLUSTER_H
#define GPUBENCH_CUDA_BFS_SHARED_CCAM_CLUSTER_H

#include "cuda/bfs/shared/ccam_level.h"

/* Dynamic shared memory: two frontiers, the partition's bitmaps, its distances and parents. */
static inline size_t cluster_bytes(const ccam_arrays *a)
{
	const size_t per_vertex = a->parent ? 2 : 1;

	return (2 * a->words + 2 * a->partition + per_vertex * a->partition * 32) *
	       sizeof(uint32_t);
}

template <bool PARENT>
static __global__ void __launch_bounds__(BLOCK, 1) cluster_kernel(ccam_arrays a)
{
	extern __shared__ __align__(16) uint32_t dynamic[];
	__shared__ level_memory m;
	const uint32_t blocks = __clusterSizeInBlocks(), vertices = a.partition * 32;
	uint32_t *frontier = dynamic, *next_frontier = dynamic + a.words;
	partition p = partition_of(a, __clusterRelativeBlockRank(), 0, next_frontier + a.words);
	int32_t *const dist = (int32_t *)(p.next + a.partition);
	uint32_t count = 1, reached = 1;

	/* 1. The source is the frontier of level 0. */
	p.parent = dist + vertices;
	start_partition<true>(a, p, frontier, next_frontier, dist, &m);
	if (p.first == 0 && threadIdx.x == 0)
		*a.touched = 0;
	__cluster_barrier_arrive();
	__cluster_barrier_wait();

	for (int32_t level = 0; count > 0 && reached < a.n; level++) {
		/* 2. Find the partition's vertices on the next level. */
		expand<PARENT>(a, p, frontier, count, &m);

		/* 3. Store them into the next frontier of all blocks. */
		for (uint32_t i = threadIdx.x; i < a.partition * blocks; i += BLOCK) {
			uint32_t *const remote = (uint32_t *)__cluster_map_shared_rank(
				next_frontier, i / a.partition);

			remote[p.first + i % a.partition] = p.next[i % a.partition];
		}
		__cluster_barrier_arrive();
		__cluster_barrier_wait(); // next frontiers complete

		/* 4. Mark them as visited. */
		for (uint32_t i = threadIdx.x; i < a.partition; i += BLOCK) {
			p.visited[i] |= p.next[i];
			p.next[i] = 0;
		}
		for (uint32_t i = threadIdx.x; i < vertices; i += BLOCK)
			if (next_frontier[p.first + i / 32] >> i % 32 & 1)
				dist[i] = level + 1;

		/* 5. Every block counts the whole frontier, so all stop at the same level. */
		count = count_frontier(a, next_frontier, &m);
		reached += count;

		uint32_t *const last = frontier;

		frontier = next_frontier;
		next_frontier = last;
	}

	/* 6. Copy the distances and parents to device memory. */
	const uint32_t first = p.first * 32, end = min(first + vertices, a.n);

	for (uint32_t v = first + threadIdx.x; v < end; v += BLOCK) {
		if (a.dist)
			a.dist[v] = dist[v - first];
		if (a.parent)
			a.parent[v] = p.parent[v - first];
	}
	if (threadIdx.x == 0)
		atomicAdd(a.touched, m.touched);
}

#endif
