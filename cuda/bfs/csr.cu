/* csr.cu -- top-down BFS on compressed rows: each level has a queue of vertices whose edges are
 * divided evenly among threads (parts/csr.h), all levels in one cooperative launch.
 *
 * Unlike csr-paper, it looks at the frontier only, keeps lanes busy whatever the degrees, and needs
 * no decision by the host.  Each edge is read once, except those of the last level: 2 or 4 bytes
 * (bfs_column()), plus a look-up of its end vertex, a 32-byte sector in L2.  Deep graphs with
 * narrow frontiers are bound by two dependent accesses to memory a level.
 */
#include "cuda/bfs/parts/csr.h"

uint32_t bfs_wide_edges;

struct state {
	struct bfs_search search;
	struct bfs_top_down down;
	unsigned blocks;
};

/* Launched with as many blocks as fit on the device at once. */
static __global__ void __launch_bounds__(BFS_CSR_BLOCK, 1) search_kernel(struct bfs_top_down s)
{
	__shared__ struct bfs_tile tile;
	struct bfs_level now = bfs_start_down(s);
	uint64_t edges = 0;

	for (int32_t step = 0;; step++) {
		now = bfs_next_level(s, step, now);
		edges += now.passed;
		if (now.count == 0 || now.reached == s.n)
			break;
		edges += now.edges;
		bfs_expand_down(s, &tile, step, now);
		gpu_grid_sync(s.barrier);
	}
	if (blockIdx.x == 0 && threadIdx.x == 0)
		*s.touched = edges * bfs_column_bytes(s.out);
}

static enum gb_status create(struct state *s, const void *params, const void *input,
			     struct gb_error *err)
{
	if (bfs_search_create(&s->search, params, input, true, err) != GB_OK ||
	    bfs_top_down_create(&s->down, &s->search, err) != GB_OK)
		return err->code;
	s->blocks = bfs_top_down_blocks(search_kernel, &s->down);
	return GB_OK;
}

static enum gb_status run(struct state *s, struct gb_timer *timer, struct gb_error *err)
{
	s->down.source = s->search.source;
	return GPU_RUN_COOPERATIVE(err, search_kernel, s->blocks, BFS_CSR_BLOCK, s->down);
}

extern "C" const struct gb_variant_ops bfs_cuda_csr =
	bfs_ops<struct state, create, bfs_search_upload, run>();
