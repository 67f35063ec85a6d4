/* ccam.cu -- step 3 of 3 (ccam): a block ORs the frontier's rows in its own columns.
 *
 * The search is one launch.  The next frontier is the OR of the frontier's rows, minus the visited
 * vertices.  A block owns a contiguous range of columns, that is, of vertices.  For each level, it
 *	lists      the frontier's vertices, from its own copy of the frontier bitmap
 *	pushes     reads its columns of their rows, 16 bytes per thread and a few hundred rows per
 *	           round, and ORs them into the partition's next bitmap in shared memory
 *	stops      as soon as every vertex of the partition has been visited: with edge probability
 *	           p, after about ln(n) / -ln(1 - p) rows, 190 at p = .05 and 25 at p = .32 for
 *	           n = 16384
 *	pulls      once so few vertices are unvisited that it is cheaper to read their rows of
 *	           in-edges than the rest of the frontier's rows.  Otherwise, a vertex without
 *	           in-edges would keep its partition open until every row had been read.
 *	publishes  the partition's part of the next frontier to all blocks.
 * Every block counts the bits of the new frontier, so all blocks stop at the same level: when the
 * frontier is empty or all vertices have been visited.
 *
 * The parent of a vertex is the row whose thread set the vertex's bit with its atomic OR.
 *
 * On devices with thread-block clusters (sm_90 and later), the blocks form one cluster of up to 16
 * (shared/ccam_cluster.h).  On other devices, and when a test asks for it, they form a cooperative
 * grid (shared/ccam_grid.h).  A level is the same in both (shared/ccam_level.h).
 *
 * Unlike ccam-pull, it reads the rows of a few frontier vertices instead of the columns of all
 * remaining ones, and a cluster needs no grid barrier.  The lower bound is latency: the launch and,
 * for each level, a load from memory, a list, a few block barriers and a cluster barrier.
 */
#include "cuda/bfs/shared/ccam_cluster.h"
#include "cuda/bfs/shared/ccam_grid.h"
#include "cuda/bfs/shared/path.h"
#include "cuda/bfs/shared/transpose.h"

enum {
	MAX_CLUSTER = 16,
	PORTABLE_CLUSTER = 8,  /* supported by every device with clusters */
	CLUSTER_PARTITION = 8, /* words: a partition is a multiple of 32 bytes of a row */
	GRID_PARTITION = 32,   /* words: 128 bytes */
};

enum bfs_ccam_path bfs_ccam_path;

struct state {
	bfs_matrices matrices; /* first: shared operations cast a state to it */
	ccam_arrays arrays;
	void (*kernel)(ccam_arrays);
	bool cluster;
	unsigned blocks;
	size_t shared; /* bytes of dynamic shared memory */
};

/* Partition the columns for at most `most` blocks, each a multiple of `unit` words. */
static void partition_columns(ccam_arrays *a, uint32_t most, uint32_t unit)
{
	a->partition = (uint32_t)gpu_blocks(gpu_blocks(a->pitch, most), unit) * unit;
	a->words = (uint32_t)gpu_blocks(a->pitch, a->partition) * a->partition;
}

/* Allow the kernel its dynamic shared memory; false if the device has too little. */
static bool allow_shared(const state *s)
{
	return s->shared + sizeof(level_memory) <=
		       (size_t)gpu_attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin) &&
	       cudaFuncSetAttribute(s->kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
				    (int)s->shared) == cudaSuccess;
}

/* Plan the largest cluster that the device supports and the columns fill.  Return false if there is
 * none. */
static bool plan_cluster(state *s)
{
	ccam_arrays *const a = &s->arrays;

	s->cluster = true;
	s->kernel = a->parent ? cluster_kernel<true> : cluster_kernel<false>;
	a->shares = 1;
	for (unsigned blocks = MAX_CLUSTER; blocks >= 1; blocks /= 2) {
		if (blocks > 1 && blocks * CLUSTER_PARTITION > a->pitch)
			continue;
		partition_columns(a, blocks, CLUSTER_PARTITION);
		a->words = a->partition * blocks;
		s->blocks = blocks;
		s->shared = cluster_bytes(a);
		if (gb_memory_is_dry())
			return true;
		if (!gpu_attribute(cudaDevAttrClusterLaunch) || !allow_shared(s))
			continue;
		if (blocks > PORTABLE_CLUSTER &&
		    cudaFuncSetAttribute(s->kernel, cudaFuncAttributeNonPortableClusterSizeAllowed,
					 1) != cudaSuccess)
			continue;
		if (gpu_cluster_fits(s->kernel, blocks, BLOCK, s->shared))
			return true;
	}
	return false;
}

/* Plan at most one block per multiprocessor, with the same number of blocks for each partition. */
static bool plan_grid(state *s)
{
	ccam_arrays *const a = &s->arrays;
	const uint32_t most = (uint32_t)gpu_sm_count();

	s->cluster = false;
	s->kernel = a->parent ? grid_kernel<true> : grid_kernel<false>;
	partition_columns(a, most, GRID_PARTITION);
	a->shares = most / (a->words / a->partition);
	s->blocks = a->words / a->partition * a->shares;
	s->shared = grid_bytes(a);
	return gb_memory_is_dry() || allow_shared(s);
}

static enum gb_status create(state *s, const void *params, const void *input, struct gb_error *err)
{
	ccam_arrays *const a = &s->arrays;
	bool planned;

	if (bfs_search_create(&s->matrices.search, params, input, false, err) != GB_OK ||
	    bfs_matrices_create(&s->matrices, err) != GB_OK)
		return err->code;
	bfs_matrices_arrays(&s->matrices, a);
	a->parent = s->matrices.search.parent;
	planned = bfs_ccam_path != BFS_CCAM_GRID && plan_cluster(s);
	planned = planned || (bfs_ccam_path != BFS_CCAM_CLUSTER && plan_grid(s));
	(void)cudaGetLastError(); /* an unsupported cluster is not an error */
	if (!planned)
		return gb_fail(err, GB_EUNAVAILABLE,
			       "a block needs %zu bytes of shared memory, more than the device has",
			       s->shared + sizeof(level_memory));
	if (s->cluster)
		return GB_OK;
	(void)gpu_alloc(&a->next, (size_t)3 * a->words, err);
	return gpu_alloc_zeroed(&a->barrier, 1, err);
}

static enum gb_status run(state *s, struct gb_timer *timer, struct gb_error *err)
{
	s->arrays.source = s->matrices.search.source;
	if (s->cluster)
		return CUDA_TRY(err, gpu_launch_cluster(s->kernel, s->blocks, BLOCK, s->shared,
							gpu_stream(), s->arrays));
	return CUDA_TRY(err, gpu_launch_cooperative(s->kernel, s->blocks, BLOCK, s->shared,
						    gpu_stream(), s->arrays));
}

extern "C" const struct gb_variant_ops bfs_cuda_ccam =
	bfs_ops<state, create, bfs_matrices_upload, run>();
