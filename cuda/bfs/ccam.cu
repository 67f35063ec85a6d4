/* ccam.cu -- search on the bit matrix in one launch: the rows of the frontier are ORed in slabs
 * of columns.
 *
 * The next frontier is the OR of the frontier's rows, less what has been visited.  A block owns a
 * slab of the columns, that is of vertices; for each level it
 *	lists      the vertices of the frontier, from a bitmap that it has a copy of
 *	pushes     reads its slab of their rows, 16 bytes per thread, some hundred rows in a round,
 *	           and ORs them into the slab's next bitmap in shared memory
 *	leaves     as soon as every vertex of the slab has been visited: at p = .05 some 190 rows
 *	           of 15 500 do that, at p = .32 some 25
 *	pulls      when there are so few vertices left that it costs less to read their rows of
 *	           in-edges, to the end if need be: vertices that nothing leads to would
 *	           otherwise keep a slab open and have every row read
 *	publishes  the slab's part of the next frontier to all blocks.
 * Every block counts the bits of the new frontier, so that all stop together when it is empty or
 * when all vertices have been visited.
 *
 * A parent is the row of the thread whose atomic OR has set the vertex's bit.
 *
 * On devices with thread-block clusters (sm_90 on) the blocks are one cluster, of up to 16:
 * bitmaps, distances and parents stay in shared memory, the new frontier is stored into all blocks'
 * shared memory, and a level ends with a barrier of the cluster.  Elsewhere, and where tests
 * choose so, the blocks are a cooperative grid: each slab has several blocks, which share out the
 * frontier's rows, the next frontier is ORed into one of three bitmaps in device memory that take
 * turns, and the block that sets a vertex's bit there writes its distance and parent.
 *
 * Beside ccam-pull it reads rows, not columns, of few frontier vertices instead of all that are
 * left, and has no barrier over the grid.  The floor is latency: the launch, and for each level a load
 * from memory, a list, a few block barriers and a cluster barrier.
 */
#include "cuda/bfs/parts/ccam_device.h"
#include "cuda/bfs/parts/path.h"
#include "cuda/bfs/parts/transpose.h"

/* CLUSTER: one cluster, a block per slab; else a cooperative grid, a.parts blocks per slab. */
template <bool CLUSTER, bool PARENT>
static __global__ void __launch_bounds__(BLOCK, 1) search_kernel(struct slab_arrays a)
{
	DYN_SHARED(unsigned char, memory);
	const struct block b = place_block<CLUSTER>(a, memory);
	uint32_t count = 1, reached = 1;

	start_block<CLUSTER>(a, b);
	if (CLUSTER) {
		if (gpu_cluster_rank() == 0 && threadIdx.x == 0)
			*a.touched = 0;
		gpu_cluster_sync();
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
	struct bfs_matrices matrices; /* first: shared operations take a state as these */
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

/* Slabs for at most `most` blocks; each is a multiple of `unit` words. */
static void share_columns(struct slab_arrays *a, uint32_t most, uint32_t unit)
{
	a->slab = ceil_to((a->pitch + most - 1) / most, unit);
	a->words = ceil_to(a->pitch, a->slab);
}

/* Let the kernel have its shared memory. */
static bool allow_shared(const struct state *s)
{
	return s->shared <= (size_t)gpu_attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin) &&
	       cudaFuncSetAttribute(s->kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
				    (int)s->shared) == cudaSuccess;
}

/* One cluster, the largest that the device holds and the columns fill; false if there is none. */
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

/* A block per multiprocessor, as many to a slab as there are for all slabs alike. */
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
	(void)cudaGetLastError(); /* a cluster that does not fit is no failure */
	if (!planned)
		return gb_fail(err, GB_EUNAVAILABLE,
			       "the device has no room for a block's %zu bytes of shared memory",
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
		GPU_LAUNCH_CLUSTER(s->kernel, s->blocks, BLOCK, s->blocks, s->shared, gpu_stream(),
				   s->arrays);
	else
		GPU_LAUNCH_COOPERATIVE(s->kernel, s->blocks, BLOCK, s->shared, gpu_stream(),
				       s->arrays);
	return CUDA_TRY(err, cudaGetLastError());
}

extern "C" const struct gb_variant_ops bfs_cuda_ccam =
	bfs_ops<struct state, create, bfs_matrices_upload, run>();
