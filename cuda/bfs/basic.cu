/* basic.cu -- BFS on the plain adjacency matrix, one byte per ordered pair of vertices.
 *
 * This is the paper's GPU_BASIC, for which the paper gives no kernel.  Each level has one thread
 * per vertex; the threads whose vertex is on the level walk along its row.  Neighbouring threads
 * read rows that are n bytes apart, and lanes whose vertex is on another level wait: a warp loads
 * 32 sectors for at most 32 bytes.  The search reads n bytes for every vertex: n * n bytes, eight
 * times the size of the bit matrix.  The bound is the latency of n dependent steps.  basic-early
 * stops once all vertices are reached (shared/sweep.h).
 */
#include "cuda/bfs/shared/sweep.h"

struct state {
	bfs_sweep sweep;
	uint8_t *matrix, *host_matrix; /* n * n bytes */
};

/* One thread per vertex, BFS_SWEEP_BLOCK to a block. */
static __global__ void __launch_bounds__(BFS_SWEEP_BLOCK)
	expand(const uint8_t *matrix, uint32_t n, int32_t level, int32_t *dist, int32_t *parent)
{
	const uint32_t u = blockIdx.x * BFS_SWEEP_BLOCK + threadIdx.x;
	const bool mine = u < n && gpu_ld_stale(dist + u) == level;
	const uint8_t *const row = matrix + (size_t)u * n;

	if (!__any_sync(ALL_LANES, mine))
		return;
	for (uint32_t v = 0; v < n; v++)
		if (mine && row[v] && bfs_is_unreached(dist, v))
			bfs_reach(dist, parent, v, u, level);
}

static enum gb_status launch(const void *state, int32_t level, struct gb_error *err)
{
	const struct state *s = (const struct state *)state;
	const bfs_search *search = &s->sweep.search;

	expand<<<bfs_sweep_blocks(&s->sweep), BFS_SWEEP_BLOCK, 0, gpu_stream()>>>(
		s->matrix, search->n, level, search->dist, search->parent);
	return CUDA_TRY(err, cudaGetLastError());
}

static size_t row_bytes(const bfs_search *search, uint32_t u)
{
	return search->n;
}

static enum gb_status create(state *s, const void *params, const bfs_input *input,
			     struct gb_error *err)
{
	const size_t bytes = (size_t)input->n * input->n;

	if (input->n > BFS_MATRIX_VERTICES)
		return gb_fail(err, GB_EUNAVAILABLE, "%u vertices: a byte matrix holds at most %d",
			       input->n, (int)BFS_MATRIX_VERTICES);
	(void)bfs_sweep_create(&s->sweep, launch, row_bytes, params, input, err);
	(void)gpu_alloc(&s->matrix, bytes, err);
	s->host_matrix = (uint8_t *)gb_host_alloc(bytes, 1, err);
	s->sweep.search.graph_bytes = bytes;
	bfs_plan_copy(&s->sweep.search, s->matrix, s->host_matrix, bytes);
	return err->code;
}

static enum gb_status upload(state *s, struct gb_error *err)
{
	bfs_expand_bytes(s->sweep.search.input, s->host_matrix);
	return bfs_search_upload(&s->sweep.search, err);
}

static const char *excluded(const void *params)
{
	return "expansion of bits to bytes";
}

template <bool EARLY> static constexpr struct gb_variant_ops operations(void)
{
	struct gb_variant_ops ops = bfs_sweep_ops<state, create, EARLY>();

	ops.upload = op<upload>;
	ops.excluded = excluded;
	return ops;
}

extern "C" const struct gb_variant_ops bfs_cuda_basic = operations<false>();
extern "C" const struct gb_variant_ops bfs_cuda_basic_early = operations<true>();
