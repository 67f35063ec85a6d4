/* ccam_paper.cu -- step 1 of 3 (ccam): a block per frontier vertex reads its row, bit by bit.
 *
 * This is the paper's BFS on its bit matrix (CCAM).  For each level, it launches up to 1024 blocks
 * of 1024 threads.  Block i handles those of the vertices i, i + 1024, ... that are on the level.
 * A warp takes one 32-bit word of the vertex's row, each lane one bit of it.  If the bit is set and
 * the neighbour has no distance yet, the lane stores one.
 *
 * The printed kernel neither compiles nor runs as it is.  These fixes keep the method:
 *  - A row has ceil(N / 32) words, not N / 32.  They are read as the 32-bit words that they are,
 *    not as unsigned long, which has 64 bits on most systems.
 *  - The level is a number, not a pointer that the host increments.
 *  - Completion: see shared/sweep.h.  Blocks without a vertex are not launched.
 * Every word of the frontier's rows is read although most lanes find nothing new: n rows of n / 8
 * bytes, 32 MiB at n = 16384.  A warp reads 4 bytes at a time, so the bound is instructions, not
 * memory.  ccam-paper-early leaves out the rows of the last level, most of a dense graph's.
 */
#include "cuda/bfs/shared/sweep.h"

enum {
	BLOCK = 1024,
	WARPS = BLOCK / WARP,
	MAX_BLOCKS = 1024,
};

struct state {
	bfs_sweep sweep;
	uint32_t *matrix;
};

/* One block per vertex and step, one warp per word of its row.  A row has `words` words and a
 * stride of `pitch` words. */
static __global__ void __launch_bounds__(BLOCK)
	expand(const uint32_t *matrix, size_t pitch, uint32_t words, uint32_t n, int32_t level,
	       int32_t *dist, int32_t *parent)
{
	const uint32_t lane = threadIdx.x % WARP;

	for (uint32_t u = blockIdx.x; u < n; u += gridDim.x) {
		const uint32_t *const row = matrix + u * pitch;

		if (gpu_ld_stale(dist + u) != level)
			continue;
		for (uint32_t w = threadIdx.x / WARP; w < words; w += WARPS) {
			const uint32_t v = w * 32 + lane;

			if (row[w] >> lane & 1 && bfs_is_unreached(dist, v))
				bfs_reach(dist, parent, v, u, level);
		}
	}
}

static enum gb_status launch(const void *state, int32_t level, struct gb_error *err)
{
	const struct state *s = (const struct state *)state;
	const bfs_search *search = &s->sweep.search;
	const uint32_t n = search->n;
	const unsigned blocks = n < MAX_BLOCKS ? n : (unsigned)MAX_BLOCKS;

	expand<<<blocks, BLOCK, 0, gpu_stream()>>>(s->matrix, search->input->pitch,
						   (n - 1) / 32 + 1, n, level, search->dist,
						   search->parent);
	return CUDA_TRY(err, cudaGetLastError());
}

/* The row of u without its padding. */
static size_t row_bytes(const bfs_search *search, uint32_t u)
{
	return ((size_t)search->n - 1) / 32 * sizeof(uint32_t) + sizeof(uint32_t);
}

static enum gb_status create(state *s, const void *params, const void *input, struct gb_error *err)
{
	bfs_search *const search = &s->sweep.search;

	(void)bfs_sweep_create(&s->sweep, launch, row_bytes, params, input, err);
	(void)bfs_matrix_create(&s->matrix, search, err);
	bfs_plan_copy(search, s->matrix, search->input->matrix,
		      (size_t)search->n * search->input->pitch);
	return err->code;
}

extern "C" const struct gb_variant_ops bfs_cuda_ccam_paper = bfs_sweep_ops<state, create, false>();
extern "C" const struct gb_variant_ops bfs_cuda_ccam_paper_early =
	bfs_sweep_ops<state, create, true>();
