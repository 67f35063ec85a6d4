/* ccam_pull.cu -- step 2 of 3 (ccam): each unreached vertex ANDs its row with the frontier.
 *
 * The search is bottom-up, on the transposed matrix, in one cooperative launch.  The frontier of a
 * level is a bitmap.  A warp takes an unreached vertex and ANDs its row of in-edges with the
 * frontier, 128 bytes at a time, until the result is non-zero.  Level 1 needs no search: it is the
 * source's row of the matrix, which all blocks read.  The same warp handles a vertex for the whole
 * search, so distances need no atomics.  The bitmaps of three levels rotate (one is read, one
 * written, one cleared), with one grid barrier per level.
 *
 * Unlike ccam-paper, a request covers 1024 potential edges, and a vertex stops at its first hit.
 * The remaining bound is latency: the launch, and in each level a grid barrier and two to four
 * dependent loads.
 */
#include "cuda/bfs/shared/transpose.h"

enum {
	BLOCK = 512,
	WARPS = BLOCK / WARP,
	TURNS = 3,
};

struct pull_arrays {
	const uint32_t *out, *in; /* the matrix and its transpose */
	size_t pitch;
	uint32_t n, words, source; /* words: size of a bitmap */
	int32_t *dist, *parent;    /* parent may be NULL */
	uint32_t *frontier;        /* TURNS bitmaps, by level % TURNS */
	unsigned *found;           /* TURNS counts of vertices, by level % TURNS */
	unsigned *barrier;         /* for gpu_grid_sync() */
	unsigned long long *touched;
};

struct state {
	bfs_matrices matrices; /* first: shared operations cast a state to it */
	pull_arrays arrays;
	unsigned blocks;
};

/* ---- kernel ---------------------------------------------------------------------------------- */

/* This warp's number in the grid.  Warp v % all_warps() handles vertex v. */
static __device__ __forceinline__ uint32_t my_warp(void)
{
	return blockIdx.x * WARPS + threadIdx.x / WARP;
}

static __device__ __forceinline__ uint32_t all_warps(void)
{
	return gridDim.x * WARPS;
}

static __device__ __forceinline__ uint32_t *bitmap(const pull_arrays &a, int32_t level)
{
	return a.frontier + (size_t)((uint32_t)level % TURNS) * a.words;
}

/* Word w of the source's row, without the source itself. */
static __device__ __forceinline__ uint32_t first_word(const pull_arrays &a, uint32_t w)
{
	const uint32_t self = w == a.source / 32 ? 1u << a.source % 32 : 0;

	return a.out[a.source * a.pitch + w] & ~self;
}

/* Set up levels 0 and 1; return the number of level-1 vertices, in all threads.  Ends with a
 * barrier. */
static __device__ __forceinline__ uint32_t start(const pull_arrays &a)
{
	const uint32_t thread = blockIdx.x * BLOCK + threadIdx.x, threads = gridDim.x * BLOCK;
	uint32_t count = 0;

	for (uint32_t w = thread; w < a.words; w += threads) {
		bitmap(a, 1)[w] = first_word(a, w);
		bitmap(a, 2)[w] = 0;
	}
	for (uint32_t k = threadIdx.x % WARP;; k += WARP) {
		const uint64_t v = (uint64_t)k * all_warps() + my_warp();
		bool first;

		if (v >= a.n)
			break;
		first = first_word(a, (uint32_t)v / 32) >> v % 32 & 1;
		a.dist[v] = v == a.source ? 0 : first ? 1 : BFS_UNREACHED;
		if (a.parent)
			a.parent[v] = v == a.source || first ? (int32_t)a.source : BFS_UNREACHED;
	}
	for (uint32_t w = threadIdx.x % WARP; w < a.words; w += WARP)
		count += (uint32_t)__popc(first_word(a, w));
	if (thread == 0) {
		a.found[2] = 0;
		*a.touched = 0;
	}
	gpu_grid_sync(a.barrier);
	return warp_sum(count);
}

/* True if vertex v has an in-edge from the frontier.  *u is where one comes from; *read grows by
 * the words read.  A whole warp must call; all lanes get the result. */
static __device__ __forceinline__ bool pull(const pull_arrays &a, const uint32_t *frontier,
					    uint32_t v, uint32_t *u, unsigned long long *read)
{
	const uint32_t *const row = a.in + v * a.pitch;

	for (uint32_t w = 0; w < a.words; w += WARP) {
		const uint32_t mine = w + threadIdx.x % WARP;
		const uint32_t hits = mine < a.words ? row[mine] & frontier[mine] : 0;
		const unsigned lanes = __ballot_sync(ALL_LANES, hits);

		*read += WARP;
		if (lanes) {
			const int first = __ffs((int)lanes) - 1;
			const uint32_t word = __shfl_sync(ALL_LANES, hits, first);

			*u = (w + (uint32_t)first) * 32 + (uint32_t)__ffs((int)word) - 1;
			return true;
		}
	}
	return false;
}

/* Find the warp's vertices on level + 1.  A barrier must follow. */
static __device__ __forceinline__ void expand(const pull_arrays &a, int32_t level,
					      unsigned long long *read)
{
	const uint32_t *const frontier = bitmap(a, level);
	uint32_t *const next = bitmap(a, level + 1);
	unsigned found = 0;

	for (uint64_t base = my_warp(); base < a.n; base += (uint64_t)WARP * all_warps()) {
		const uint64_t mine = base + (uint64_t)(threadIdx.x % WARP) * all_warps();
		const bool open = mine < a.n && a.dist[mine] == BFS_UNREACHED;
		const unsigned lanes = __ballot_sync(ALL_LANES, open);

		__syncwarp(); /* all distances are read before one is written */
		for (uint32_t rest = lanes; rest; rest &= rest - 1) {
			const uint32_t lane = (uint32_t)__ffs((int)rest) - 1;
			const uint32_t v = (uint32_t)(base + (uint64_t)lane * all_warps());
			uint32_t u = 0;

			if (!pull(a, frontier, v, &u, read))
				continue;
			found++;
			if (threadIdx.x % WARP != 0)
				continue;
			a.dist[v] = level + 1;
			if (a.parent)
				a.parent[v] = (int32_t)u;
			atomicOr(&next[v / 32], 1u << v % 32);
		}
	}
	if (threadIdx.x % WARP == 0 && found)
		atomicAdd(&a.found[(uint32_t)(level + 1) % TURNS], found);
}

/* Launched with as many blocks as fit on the device at once; a warp takes one unreached vertex at a
 * time. */
static __global__ void __launch_bounds__(BLOCK, 2) search_kernel(pull_arrays a)
{
	const uint32_t thread = blockIdx.x * BLOCK + threadIdx.x, threads = gridDim.x * BLOCK;
	unsigned long long read = 0;
	uint32_t count = start(a), reached = 1 + count;

	for (int32_t level = 1; count > 0 && reached < a.n; level++) {
		for (uint32_t w = thread; w < a.words; w += threads)
			bitmap(a, level + 2)[w] = 0;
		if (thread == 0)
			a.found[(uint32_t)(level + 2) % TURNS] = 0;
		expand(a, level, &read);
		gpu_grid_sync(a.barrier);
		count = a.found[(uint32_t)(level + 1) % TURNS];
		reached += count;
	}
	if (thread == 0)
		read += a.words;
	if (threadIdx.x % WARP == 0 && read)
		atomicAdd(a.touched, read * sizeof *a.in);
}

/* ---- host ------------------------------------------------------------------------------------ */

static enum gb_status create(state *s, const void *params, const void *input, struct gb_error *err)
{
	pull_arrays *const a = &s->arrays;

	if (bfs_search_create(&s->matrices.search, params, input, true, err) != GB_OK ||
	    bfs_matrices_create(&s->matrices, err) != GB_OK)
		return err->code;
	bfs_matrices_arrays(&s->matrices, a);
	a->words = (a->n - 1) / 32 + 1;
	a->parent = s->matrices.search.parent;
	s->blocks = gpu_resident_blocks(search_kernel, BLOCK, 0, (a->n - 1) / WARPS + 1);
	(void)gpu_alloc(&a->frontier, (size_t)TURNS * a->words, err);
	(void)gpu_alloc(&a->found, TURNS, err);
	return gpu_alloc_zeroed(&a->barrier, 1, err);
}

static enum gb_status run(state *s, struct gb_timer *timer, struct gb_error *err)
{
	s->arrays.source = s->matrices.search.source;
	return CUDA_TRY(err, gpu_launch_cooperative(search_kernel, s->blocks, BLOCK, 0,
						    gpu_stream(), s->arrays));
}

extern "C" const struct gb_variant_ops bfs_cuda_ccam_pull =
	bfs_ops<state, create, bfs_matrices_upload, run>();
