/* ccam_paper.cu -- the paper's search on its bit matrix (CCAM).
 *
 * For each level a grid of up to 1024 blocks of 1024 threads; block i takes the vertices i, i +
 * 1024, ... that are of the level.  A warp takes one 32-bit word of the vertex's row, each lane one
 * bit of it: where the bit is set and the neighbour has no distance yet, the lane stores one.
 *
 * The printed kernel cannot be compiled or run as it is; what is mended, the method being kept:
 *   - a row has ceil(N / 32) words, not N / 32, and they are read as the 32-bit words that they
 *     are, not as unsigned long, of 64 bits on most systems;
 *   - the level is a number, not a pointer that the host increments;
 *   - completion: see parts/sweep.h.  Blocks without a vertex are not launched.
 * Every word of a frontier's rows is read although most lanes find nothing new: all n rows of n / 8
 * bytes, but those of the last level, 32 MB at n = 16384.  A warp reads 4 bytes at a time, so that
 * it is instructions, not memory, that bound it.
 */
#include "cuda/bfs/parts/sweep.h"

enum {
	BLOCK = 1024,
	WARPS = BLOCK / WARP,
	MAX_BLOCKS = 1024,
	/* Instructions of a vertex's test, a word's test, a neighbour's look-up, and a store. */
	VERTEX = 7,
	TEST = 10,
	LOOK = 7,
	STORE = 3,
};

struct state {
	struct bfs_sweep sweep;
	uint32_t *matrix;
};

/* A block per vertex and step, a warp per word of its row; words: in a row, of pitch words. */
template <bool COUNT>
static __global__ void __launch_bounds__(BLOCK)
	expand(const uint32_t *matrix, size_t pitch, uint32_t words, uint32_t n, int32_t level,
	       int32_t *dist, int32_t *parent, struct bfs_lanes *lanes)
{
	const uint32_t lane = threadIdx.x % WARP;
	struct bfs_tally<COUNT> tally;

	for (uint32_t u = blockIdx.x; u < n; u += gridDim.x) {
		const uint32_t *const row = matrix + u * pitch;

		tally.add(VERTEX, true);
		if (gpu_ld_stale(dist + u) != level)
			continue;
		for (uint32_t w = threadIdx.x / WARP; w < words; w += WARPS) {
			const uint32_t v = w * 32 + lane;
			const bool edge = row[w] >> lane & 1;
			const bool found = edge && bfs_is_unreached(dist, v);

			tally.add(TEST, true);
			tally.add(LOOK, edge);
			tally.add(STORE, found);
			if (found)
				bfs_reach(dist, parent, v, u, level);
		}
	}
	tally.flush(lanes);
}

static enum gb_status launch(const void *state, int32_t level, bool count, struct gb_error *err)
{
	const struct state *s = (const struct state *)state;
	const struct bfs_search *search = &s->sweep.search;
	const uint32_t n = search->n;
	const unsigned blocks = n < MAX_BLOCKS ? n : (unsigned)MAX_BLOCKS;

	return GPU_RUN(err, count ? expand<true> : expand<false>, blocks, BLOCK, s->matrix,
		       search->input->pitch, (n - 1) / 32 + 1, n, level, search->dist,
		       search->parent, s->sweep.lanes);
}

/* Its row, without the padding. */
static size_t row_bytes(const struct bfs_search *search, uint32_t u)
{
	return ((size_t)search->n - 1) / 32 * sizeof(uint32_t) + sizeof(uint32_t);
}

static enum gb_status create(struct state *s, const void *params, const void *input,
			     struct gb_error *err)
{
	struct bfs_search *const search = &s->sweep.search;

	(void)bfs_sweep_create(&s->sweep, launch, row_bytes, params, input, err);
	(void)bfs_matrix_create(&s->matrix, search, err);
	bfs_plan_copy(search, s->matrix, search->input->matrix,
		      (size_t)search->n * search->input->pitch);
	return err->code;
}

extern "C" const struct gb_variant_ops bfs_cuda_ccam_paper =
	bfs_ops<struct state, create, bfs_search_upload, bfs_sweep_run, bfs_sweep_metrics,
		GB_REPEATABLE | GB_HOST_DECISIONS>();
