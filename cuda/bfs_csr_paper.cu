/* bfs_csr_paper.cu -- top-down search on compressed rows, one thread per vertex.
 *
 * The paper's GPU_CSR, of which it gives no kernel, in the form that was usual then (Harish and
 * Narayanan 2007): for each level one thread per vertex, and those whose vertex is of the level
 * walk along its edges.  The more vertices a level has, the more lanes of a warp are busy: that is
 * how speed comes to rise with the density of the graph.  Lanes read lists that lie far apart, a
 * sector of 32 bytes for each 4; the bound is the latency of as many dependent steps as the largest
 * degree.
 */
#include "cuda/bfs_sweep.h"

enum {
	/* Instructions of a vertex's test, an edge's step and look-up, and a store. */
	VERTEX = 13,
	STEP = 11,
	STORE = 3,
};

struct state {
	struct bfs_sweep sweep;
	struct bfs_csr csr;
};

/* One thread per vertex, BFS_SWEEP_BLOCK to a block. */
template <bool COUNT>
static __global__ void __launch_bounds__(BFS_SWEEP_BLOCK)
	expand(struct bfs_csr csr, uint32_t n, int32_t level, int32_t *dist, int32_t *parent,
	       struct bfs_lanes *lanes)
{
	const uint32_t u = blockIdx.x * BFS_SWEEP_BLOCK + threadIdx.x;
	const bool mine = u < n && gpu_ld_relaxed(dist + u) == level;
	const uint64_t end = mine ? csr.row[u + 1] : 0;
	uint64_t edge = mine ? csr.row[u] : 0;
	struct bfs_tally<COUNT> tally;

	tally.add(VERTEX, true);
	for (; __any_sync(ALL_LANES, edge < end); edge++) {
		const bool more = edge < end;
		const uint32_t v = more ? csr.column[edge] : 0;
		const bool found = more && bfs_is_unreached(dist, v);

		tally.add(STEP, more);
		tally.add(STORE, found);
		if (found)
			bfs_reach(dist, parent, v, u, level);
	}
	tally.flush(lanes);
}

static void launch(const void *state, int32_t level, bool count)
{
	const struct state *s = (const struct state *)state;
	const struct bfs_search *search = &s->sweep.search;

	GPU_LAUNCH(count ? expand<true> : expand<false>, bfs_sweep_blocks(&s->sweep),
		   BFS_SWEEP_BLOCK, 0, gpu_stream(), s->csr, search->n, level, search->dist,
		   search->parent, s->sweep.lanes);
}

static void destroy(void *state)
{
	struct state *s = (struct state *)state;

	if (!s)
		return;
	bfs_sweep_release(&s->sweep);
	bfs_csr_release(&s->csr);
	free(s);
}

static enum gb_status create(void **state, const void *params, const void *input,
			     struct gb_error *err)
{
	struct state *s = (struct state *)calloc(1, sizeof *s);

	if (!s)
		return gb_fail(err, GB_EUNAVAILABLE, "out of memory");
	*state = s;
	if (bfs_sweep_create(&s->sweep, params, input, err) != GB_OK)
		return err->code;
	return bfs_csr_create(&s->csr, &s->sweep.search, err);
}

static enum gb_status upload(void *state, struct gb_error *err)
{
	struct state *s = (struct state *)state;
	const struct bfs_search *search = &s->sweep.search;

	if (bfs_csr_upload(&s->csr, &search->input->out, search, err) != GB_OK)
		return err->code;
	return CUDA_OK(err, cudaStreamSynchronize(gpu_stream())) ? GB_OK : err->code;
}

static enum gb_status run(void *state, struct gb_timer *timer, struct gb_error *err)
{
	(void)timer;
	return bfs_sweep_search((const struct bfs_sweep *)state, launch, false, err);
}

static void metrics(void *state, struct gb_metrics *metrics)
{
	bfs_sweep_metrics((const struct bfs_sweep *)state, launch, metrics);
}

/* Every edge once. */
static double bytes(const void *params, const void *input_)
{
	const struct bfs_input *input = (const struct bfs_input *)input_;

	(void)params;
	return bfs_bytes_csr32(input->n, input->m);
}

const struct gb_variant_ops bfs_cuda_csr_paper = {
	.create = create,
	.upload = upload,
	.reset = bfs_search_reset,
	.run = run,
	.download = bfs_search_download,
	.destroy = destroy,
	.bytes = bytes,
	.metrics = metrics,
	.flags = GB_REPEATABLE | GB_HOST_DECISIONS,
};
