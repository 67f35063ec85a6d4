/* ccam_grid.h -- the search by a cooperative grid, several blocks per partition, which share the
 * frontier's rows.  Blocks OR the vertices that they find into one of three rotating bitmaps in
 * device memory; the one that sets a vertex's bit there writes its distance and parent.  A grid
 * barrier ends a level, after which every block copies the whole frontier.
 */
#ifndef GPUBENCH_CUDA_BFS_SHARED_CCAM_GRID_H
#define GPUBENCH_CUDA_BFS_SHARED_CCAM_GRID_H

#include "cuda/bfs/shared/ccam_level.h"

/* Dynamic shared memory: the frontier, the partition's bitmaps, its parents. */
static inline size_t grid_bytes(const ccam_arrays *a)
{
	return (a->words + 2 * a->partition + (a->parent ? a->partition * 32 : 0)) *
	       sizeof(uint32_t);
}

template <bool PARENT> static __global__ void __launch_bounds__(BLOCK, 1) grid_kernel(ccam_arrays a)
{
	extern __shared__ __align__(16) uint32_t dynamic[];
	__shared__ level_memory m;
	const uint32_t thread = blockIdx.x * BLOCK + threadIdx.x, threads = gridDim.x * BLOCK;
	uint32_t *const frontier = dynamic;
	partition p =
		partition_of(a, blockIdx.x / a.shares, blockIdx.x % a.shares, frontier + a.words);
	uint32_t count = 1, reached = 1;

	/* 1. The source is the frontier of level 0; clear the bitmap of level 1. */
	p.parent = (int32_t *)(p.next + a.partition);
	start_partition<false>(a, p, frontier, NULL, NULL, &m);
	for (uint32_t w = thread; w < a.words; w += threads)
		a.next[a.words + w] = 0;
	for (uint32_t v = thread; v < a.n; v += threads) {
		if (a.dist)
			a.dist[v] = v == a.source ? 0 : BFS_UNREACHED;
		if (a.parent)
			a.parent[v] = v == a.source ? (int32_t)v : BFS_UNREACHED;
	}
	if (thread == 0)
		*a.touched = 0;
	gpu_grid_sync(a.barrier);

	for (int32_t level = 0; count > 0 && reached < a.n; level++) {
		uint32_t *const next = a.next + (size_t)((uint32_t)(level + 1) % 3) * a.words;
		uint32_t *const after = a.next + (size_t)((uint32_t)(level + 2) % 3) * a.words;

		/* 2. Find the partition's vertices on the next level. */
		expand<PARENT>(a, p, frontier, count, &m);

		/* 3. OR them into the next frontier; write those that this block adds first. */
		for (uint32_t i = threadIdx.x; i < a.partition; i += BLOCK) {
			const uint32_t w = p.first + i, found = p.next[i];
			const uint32_t won = found ? found & ~atomicOr(&next[w], found) : 0;

			for (uint32_t rest = won; rest; rest &= rest - 1) {
				const uint32_t bit = (uint32_t)__ffs((int)rest) - 1;

				if (a.dist)
					a.dist[w * 32 + bit] = level + 1;
				if (a.parent)
					a.parent[w * 32 + bit] = p.parent[i * 32 + bit];
			}
			p.next[i] = 0;
			if (p.share == 0)
				after[w] = 0;
		}
		gpu_grid_sync(a.barrier);

		/* 4. Copy the whole frontier, and mark the partition's part as visited. */
		for (uint32_t w = threadIdx.x; w < a.words; w += BLOCK)
			frontier[w] = next[w];
		__syncthreads(); // frontier complete
		for (uint32_t i = threadIdx.x; i < a.partition; i += BLOCK)
			p.visited[i] |= frontier[p.first + i];

		/* 5. Every block counts the whole frontier, so all stop at the same level. */
		count = count_frontier(a, frontier, &m);
		reached += count;
	}
	if (threadIdx.x == 0)
		atomicAdd(a.touched, m.touched);
}

#endif
