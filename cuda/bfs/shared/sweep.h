/* sweep.h -- the search that the paper's GPU programs have in common.  For each level, one kernel
 * sweeps over all vertices and expands those on the level; a second kernel decides whether to
 * continue, and the host waits for it.
 *
 * The paper's isCompleted() looks for changes in the distances; without any, the search is over.
 * It has no earlier state to compare with, so the second kernel here counts the vertices found on
 * the level.  The search ends when there are none.  It thus continues after every vertex has been
 * visited, which on dense graphs adds one level, the one that reads most.  With EARLY, the kernel
 * also counts the vertices left, and the search ends when either count is 0.
 *
 * Several threads may find a vertex on the same level.  They store the same distance and valid
 * parents.  The stores are relaxed atomics because they race.
 */
#ifndef GPUBENCH_CUDA_BFS_SHARED_SWEEP_H
#define GPUBENCH_CUDA_BFS_SHARED_SWEEP_H

#include <stdlib.h>

#include "cuda/bfs/shared/search.h"

enum { BFS_SWEEP_BLOCK = 256 };

/* Vertices found on a level, and vertices still unreached, which are counted with EARLY only. */
struct bfs_progress {
	unsigned found, left;
};

/* Launch the kernel of one level. */
typedef enum gb_status bfs_level_launcher(const void *state, int32_t level, struct gb_error *err);

/* Bytes of the graph read to expand vertex u. */
typedef size_t bfs_row_bytes(const bfs_search *search, uint32_t u);

/* The first member of a sweep's state. */
struct bfs_sweep {
	bfs_search search;
	bfs_level_launcher *launch;
	bfs_row_bytes *row_bytes;
	bfs_progress *progress; /* on the device */
	int32_t levels;         /* expanded by the last search */
};

/* ---- device ---------------------------------------------------------------------------------- */

static __device__ __forceinline__ bool bfs_is_unreached(const int32_t *dist, uint32_t v)
{
	return gpu_ld_stale(dist + v) == BFS_UNREACHED;
}

/* Record that v is reached from u; parent may be NULL. */
static __device__ __forceinline__ void bfs_reach(int32_t *dist, int32_t *parent, uint32_t v,
						 uint32_t u, int32_t level)
{
	gpu_st_relaxed(dist + v, level + 1);
	if (parent)
		gpu_st_relaxed(parent + v, (int32_t)u);
}

/* One thread per vertex. */
static __global__ void bfs_sweep_start(uint32_t n, uint32_t source, int32_t *dist, int32_t *parent)
{
	const uint32_t v = blockIdx.x * blockDim.x + threadIdx.x;

	if (v >= n)
		return;
	dist[v] = v == source ? 0 : BFS_UNREACHED;
	if (parent)
		parent[v] = v == source ? (int32_t)v : BFS_UNREACHED;
}

/* One thread per vertex. */
template <bool EARLY>
static __global__ void bfs_sweep_look(uint32_t n, const int32_t *dist, int32_t level,
				      bfs_progress *progress)
{
	const uint32_t v = blockIdx.x * blockDim.x + threadIdx.x;
	const int32_t d = v < n ? dist[v] : 0;
	const int found = __syncthreads_count(v < n && d == level + 1);
	const int left = EARLY ? __syncthreads_count(v < n && d == BFS_UNREACHED) : 0;

	if (threadIdx.x == 0 && found)
		atomicAdd(&progress->found, (unsigned)found);
	if (threadIdx.x == 0 && left)
		atomicAdd(&progress->left, (unsigned)left);
}

/* ---- host ------------------------------------------------------------------------------------ */

static inline enum gb_status bfs_sweep_create(bfs_sweep *s, bfs_level_launcher *launch,
					      bfs_row_bytes *row_bytes, const void *params,
					      const void *input, struct gb_error *err)
{
	s->launch = launch;
	s->row_bytes = row_bytes;
	(void)bfs_search_create(&s->search, params, input, true, err);
	return gpu_alloc(&s->progress, 1, err);
}

/* Blocks of BFS_SWEEP_BLOCK threads, at one thread per vertex. */
static inline unsigned bfs_sweep_blocks(const bfs_sweep *s)
{
	return (s->search.n - 1) / BFS_SWEEP_BLOCK + 1;
}

/* Copy the level's progress to the host. */
template <bool EARLY>
static inline enum gb_status bfs_sweep_progress(const bfs_sweep *s, int32_t level,
						bfs_progress *progress, struct gb_error *err)
{
	if (gpu_zero(s->progress, 1, err) != GB_OK)
		return err->code;
	bfs_sweep_look<EARLY><<<bfs_sweep_blocks(s), BFS_SWEEP_BLOCK, 0, gpu_stream()>>>(
		s->search.n, s->search.dist, level, s->progress);
	if (CUDA_TRY(err, cudaGetLastError()))
		return err->code;
	return gpu_download(progress, s->progress, sizeof *progress, err);
}

/* The run() of every sweep. */
template <bool EARLY>
static inline enum gb_status bfs_sweep_run(bfs_sweep *s, struct gb_timer *timer,
					   struct gb_error *err)
{
	const bfs_search *const search = &s->search;
	bfs_progress progress = { 1, 1 };
	int32_t level = 0;

	bfs_sweep_start<<<bfs_sweep_blocks(s), BFS_SWEEP_BLOCK, 0, gpu_stream()>>>(
		search->n, search->source, search->dist, search->parent);
	if (CUDA_TRY(err, cudaGetLastError()))
		return err->code;
	for (; progress.found && (progress.left || !EARLY); level++)
		if (s->launch(s, level, err) || bfs_sweep_progress<EARLY>(s, level, &progress, err))
			return err->code;
	s->levels = level;
	return GB_OK;
}

/* The metrics() of every sweep.  The last run read the rows of the vertices that it expanded. */
static inline void bfs_sweep_metrics(bfs_sweep *s, struct gb_metrics *metrics)
{
	const uint32_t n = s->search.n;
	struct gb_error ignored = {};
	int32_t *const dist = (int32_t *)malloc(n * sizeof *dist);

	bfs_graph_metrics(&s->search, metrics);
	if (dist && gpu_download(dist, s->search.dist, n * sizeof *dist, &ignored) == GB_OK) {
		double bytes = 0;

		for (uint32_t v = 0; v < n; v++)
			if (dist[v] != BFS_UNREACHED && dist[v] < s->levels)
				bytes += (double)s->row_bytes(&s->search, v);
		gb_metric(metrics, "touched_bytes", bytes);
	}
	free(dist);
}

/* The operations of a sweep. */
template <class STATE, auto CREATE, bool EARLY>
static constexpr struct gb_variant_ops bfs_sweep_ops(void)
{
	return bfs_ops<STATE, CREATE, bfs_search_upload, bfs_sweep_run<EARLY>, bfs_sweep_metrics,
		       GB_REPEATABLE | GB_HOST_DECISIONS>();
}

#endif
