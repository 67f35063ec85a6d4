/* ccam.cu -- BFS on the bit matrix in one launch: ORs the rows of the frontier, each block in its
 * own slab of columns.
 *
 * The next frontier is the OR of the frontier's rows, minus the visited vertices.  A block owns a
 * slab, a contiguous range of columns, that is, of vertices.  For each level, it
 *	lists      the frontier's vertices, from its own copy of the frontier bitmap
 *	pushes     reads its slab of their rows, 16 bytes per thread and a few hundred rows per
 *	           round, and ORs them into the slab's next bitmap in shared memory
 *	stops      as soon as every vertex of the slab has been visited: with edge probability p,
 *	           after about ln(n) / -ln(1 - p) rows, 190 at p = .05 and 25 at p = .32 for
 *	           n = 16384
 *	pulls      once so few vertices are left that it is cheaper to read their rows of in-edges
 *	           than the rest of the frontier's rows.  Otherwise, a vertex without in-edges
 *	           would keep its slab open until every row had been read.
 *	publishes  the slab's part of the next frontier to all blocks.
 * Every block counts the bits of the new frontier, so all blocks stop at the same level: when the
 * frontier is empty or all vertices have been visited.
 *
 * The parent of a vertex is the row whose thread set the vertex's bit with its atomic OR.
 *
 * On devices with thread-block clusters (sm_90 and later), the blocks form one cluster of up to 16.
 * Bitmaps, distances and parents stay in shared memory, each block stores its part of the new
 * frontier into the shared memory of all blocks, and a cluster barrier ends a level.  On other
 * devices, and when a test asks for it, the blocks form a cooperative grid: several blocks per slab
 * divide the frontier's rows among themselves, the next frontier is ORed into one of three rotating
 * bitmaps in device memory, and the block that sets a vertex's bit there writes its distance and
 * parent.
 *
 * Unlike ccam-pull, it reads the rows of a few frontier vertices instead of the columns of all
 * remaining ones, and a cluster needs no grid barrier.  The lower bound is latency: the launch and,
 * for each level, a load from memory, a list, a few block barriers and a cluster barrier.
 */
#include "cuda/bfs/parts/ccam_device.h"
#include "cuda/bfs/parts/path.h"
#include "cuda/bfs/parts/transpose.h"

/* CLUSTER: one cluster with one block per slab; otherwise, a cooperative grid with a.parts blocks
 * per slab. */
template <bool CLUSTER, bool PARENT>
static __global__ void __launch_bounds__(BLOCK, 1) search_kernel(struct slab_arrays a)
{
	extern __shared__ __align__(16) unsigned char memory[];
	const struct block b = place_block<CLUSTER>(a, memory);
	uint32_t count = 1, reached = 1;

	start_block<CLUSTER>(a, b);
	if (CLUSTER) {
		if (__clusterRelativeBlockRank() == 0 && threadIdx.x == 0)
			*a.touched = 0;
		__cluster_barrier_arrive();
		__cluster_barrier_wait();
	} else {
		start_grid(a);
	}
	for (int32_t level = 0; count > 0 && reached < a.n; level++) {
		const uint32_t *const frontier =
			CLUSTER && level % 2 ? b.frontier[1] : b.frontier[0];

		expand<PARENT>(a, b, frontier, count);
		if (CLUSTER)
			publish_cluster(a, b, level);
		else
			publish_grid(a, b, level);
		count = count_frontier(a, b,
				       CLUSTER && level % 2 == 0 ? b.frontier[1] : b.frontier[0]);
		reached += count;
	}
	if (CLUSTER)
		store_slab(a, b);
	if (threadIdx.x == 0 && *b.touched)
		atomicAdd(a.touched, *b.touched);
}

/* ---- host ------------------------------------------------------------------------------------ */

enum bfs_ccam_path bfs_ccam_path;

struct state {
	struct bfs_matrices matrices; /* first: shared operations cast a state to it */
	struct slab_arrays arrays;
	void (*kernel)(struct slab_arrays);
	bool cluster;
	unsigned blocks;
	size_t shared; /* bytes */
};

static uint32_t ceil_to(uint32_t value, uint32_t multiple)
{
	return (value + multiple - 1) / multiple * multiple;
}

/* Divide the columns into slabs for at most `most` blocks, each a multiple of `unit` words. */
static void share_columns(struct slab_arrays *a, uint32_t most, uint32_t unit)
{
	a->slab = ceil_to((a->pitch + most - 1) / most, unit);
	a->words = ceil_to(a->pitch, a->slab);
}

/* Allow the kernel its dynamic shared memory; false if the device has too little. */
static bool allow_shared(const struct state *s)
{
	return s->shared <= (size_t)gpu_attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin) &&
	       cudaFuncSetAttribute(s->kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
				    (int)s->shared) == cudaSuccess;
}

/* Plan the largest cluster that the device supports and the columns fill.  Return false if there is
 * none. */
static bool plan_cluster(struct state *s)
{
	struct slab_arrays *const a = &s->arrays;

	s->cluster = true;
	s->kernel = a->parent ? search_kernel<true, true> : search_kernel<true, false>;
	a->parts = 1;
	for (unsigned blocks = MAX_CLUSTER; blocks >= 1; blocks /= 2) {
		if (blocks > 1 && blocks * SECTOR_WORDS > a->pitch)
			continue;
		share_columns(a, blocks, SECTOR_WORDS);
		a->words = a->slab * blocks;
		s->blocks = blocks;
		s->shared = shared_bytes(a, true);
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

/* Plan at most one block per multiprocessor, with the same number of blocks for each slab. */
static bool plan_grid(struct state *s)
{
	struct slab_arrays *const a = &s->arrays;
	const uint32_t most = (uint32_t)gpu_sm_count();
	uint32_t slabs;

	s->cluster = false;
	s->kernel = a->parent ? search_kernel<false, true> : search_kernel<false, false>;
	share_columns(a, most, GRID_SLAB);
	slabs = a->words / a->slab;
	a->parts = most / slabs;
	s->blocks = slabs * a->parts;
	s->shared = shared_bytes(a, false);
	return gb_memory_is_dry() || allow_shared(s);
}

static enum gb_status create(struct state *s, const void *params, const void *input,
			     struct gb_error *err)
{
	struct slab_arrays *const a = &s->arrays;
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
			       s->shared);
	if (s->cluster)
		return GB_OK;
	(void)gpu_alloc(&a->next, (size_t)TURNS * a->words, err);
	return gpu_alloc_zeroed(&a->barrier, 1, err);
}

static enum gb_status run(struct state *s, struct gb_timer *timer, struct gb_error *err)
{
	s->arrays.source = s->matrices.search.source;
	if (s->cluster)
		return CUDA_TRY(err, gpu_launch_cluster(s->kernel, s->blocks, BLOCK, s->shared,
							gpu_stream(), s->arrays));
	return CUDA_TRY(err, gpu_launch_cooperative(s->kernel, s->blocks, BLOCK, s->shared,
						    gpu_stream(), s->arrays));
}

extern "C" const struct gb_variant_ops bfs_cuda_ccam =
	bfs_ops<struct state, create, bfs_matrices_upload, run>();
