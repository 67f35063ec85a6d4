/* csr_paper.cu -- step 1 of 3 (csr): a thread per vertex walks along the vertex's edges.
 *
 * This is the paper's GPU_CSR, for which the paper gives no kernel, in the usual form of the time
 * (Harish and Narayanan 2007): each level has one thread per vertex, and the threads whose vertex
 * is on the level walk along its edges.  The more vertices a level has, the more lanes of a warp
 * are busy; therefore, speed rises with the density of the graph.  Lanes read lists that lie far
 * apart, a 32-byte sector for each 2 or 4 bytes.  The bound is the latency of as many dependent
 * steps as the largest degree.  csr-paper-early stops once all vertices are reached.
 */
#include "cuda/bfs/shared/sweep.h"

struct state {
	bfs_sweep sweep;
	bfs_rows csr;
};

/* One thread per vertex, BFS_SWEEP_BLOCK to a block. */
static __global__ void __launch_bounds__(BFS_SWEEP_BLOCK)
	expand(bfs_rows csr, uint32_t n, int32_t level, int32_t *dist, int32_t *parent)
{
	const uint32_t u = blockIdx.x * BFS_SWEEP_BLOCK + threadIdx.x;

	if (u >= n || gpu_ld_stale(dist + u) != level)
		return;
	const uint64_t end = csr.row[u + 1];

	for (uint64_t edge = csr.row[u]; edge < end; edge++) {
		const uint32_t v = bfs_column(csr, edge);

		if (bfs_is_unreached(dist, v))
			bfs_reach(dist, parent, v, u, level);
	}
}

static enum gb_status launch(const void *state, int32_t level, struct gb_error *err)
{
	const struct state *s = (const struct state *)state;
	const bfs_search *search = &s->sweep.search;

	expand<<<bfs_sweep_blocks(&s->sweep), BFS_SWEEP_BLOCK, 0, gpu_stream()>>>(
		s->csr, search->n, level, search->dist, search->parent);
	return CUDA_TRY(err, cudaGetLastError());
}

static size_t row_bytes(const bfs_search *search, uint32_t u)
{
	const uint64_t *const row = search->input->out.row;

	return (row[u + 1] - row[u]) *
	       (bfs_has_column16(&search->params, search->n) ? sizeof(uint16_t) : sizeof(uint32_t));
}

static enum gb_status create(state *s, const void *params, const void *input, struct gb_error *err)
{
	(void)bfs_sweep_create(&s->sweep, launch, row_bytes, params, input, err);
	return bfs_csr_create(&s->csr, &s->sweep.search.input->out, &s->sweep.search, err);
}

extern "C" const struct gb_variant_ops bfs_cuda_csr_paper = bfs_sweep_ops<state, create, false>();
extern "C" const struct gb_variant_ops bfs_cuda_csr_paper_early =
	bfs_sweep_ops<state, create, true>();
