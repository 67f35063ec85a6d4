/* csr_paper.cu -- top-down BFS on compressed rows, one thread per vertex.
 *
 * This is the paper's GPU_CSR, for which the paper gives no kernel, in the usual form of the time
 * (Harish and Narayanan 2007): each level has one thread per vertex, and the threads whose vertex
 * is on the level walk along its edges.  The more vertices a level has, the more lanes of a warp
 * are busy; therefore, speed rises with the density of the graph.  Lanes read lists that lie far
 * apart, a 32-byte sector for each 2 or 4 bytes.  The bound is the latency of as many dependent
 * steps as the largest degree.  csr-paper-early stops once all vertices are reached.
 */
#include "cuda/bfs/parts/sweep.h"

enum {
	/* Instructions for testing a vertex, a step along an edge with its look-up, and a store. */
	VERTEX = 13,
	STEP = 11,
	STORE = 3,
};

struct state {
	struct bfs_sweep sweep;
	struct bfs_rows csr;
};

/* One thread per vertex, BFS_SWEEP_BLOCK to a block. */
template <bool COUNT>
static __global__ void __launch_bounds__(BFS_SWEEP_BLOCK)
	expand(struct bfs_rows csr, uint32_t n, int32_t level, int32_t *dist, int32_t *parent,
	       struct bfs_lanes *lanes)
{
	const uint32_t u = blockIdx.x * BFS_SWEEP_BLOCK + threadIdx.x;
	const bool mine = u < n && gpu_ld_stale(dist + u) == level;
	const uint64_t end = mine ? csr.row[u + 1] : 0;
	uint64_t edge = mine ? csr.row[u] : 0;
	struct bfs_tally<COUNT> tally;

	tally.add(VERTEX, true);
	for (; __any_sync(ALL_LANES, edge < end); edge++) {
		const bool more = edge < end;
		const uint32_t v = more ? bfs_column(csr, edge) : 0;
		const bool found = more && bfs_is_unreached(dist, v);

		tally.add(STEP, more);
		tally.add(STORE, found);
		if (found)
			bfs_reach(dist, parent, v, u, level);
	}
	tally.flush(lanes);
}

static enum gb_status launch(const void *state, int32_t level, bool count, struct gb_error *err)
{
	const struct state *s = (const struct state *)state;
	const struct bfs_search *search = &s->sweep.search;

	return GPU_RUN(err, count ? expand<true> : expand<false>, bfs_sweep_blocks(&s->sweep),
		       BFS_SWEEP_BLOCK, s->csr, search->n, level, search->dist, search->parent,
		       s->sweep.lanes);
}

static size_t row_bytes(const struct bfs_search *search, uint32_t u)
{
	const uint64_t *const row = search->input->out.row;

	return (row[u + 1] - row[u]) *
	       (bfs_is_narrow(&search->params, search->n) ? sizeof(uint16_t) : sizeof(uint32_t));
}

static enum gb_status create(struct state *s, const void *params, const void *input,
			     struct gb_error *err)
{
	(void)bfs_sweep_create(&s->sweep, launch, row_bytes, params, input, err);
	return bfs_csr_create(&s->csr, &s->sweep.search.input->out, &s->sweep.search, err);
}

extern "C" const struct gb_variant_ops bfs_cuda_csr_paper =
	bfs_sweep_ops<struct state, create, false>();
extern "C" const struct gb_variant_ops bfs_cuda_csr_paper_early =
	bfs_sweep_ops<struct state, create, true>();
