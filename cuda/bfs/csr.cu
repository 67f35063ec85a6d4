/* csr.cu -- step 2 of 3 (csr): the edges of a level are divided evenly among threads.
 *
 * A level is a queue of vertices, and all levels are one cooperative launch (shared/frontier.h,
 * shared/advance.h).  Unlike csr-paper, it looks at the frontier only, keeps lanes busy whatever the
 * degrees, and needs no decision by the host.  Each edge is read once, except those of the last
 * level: 2 or 4 bytes (bfs_column()), plus a look-up of its end vertex, a 32-byte sector in L2.
 * Deep graphs with narrow frontiers are bound by two dependent accesses to memory a level.
 */
#include "cuda/bfs/shared/narrow.h"

uint32_t bfs_wide_edges;

struct state {
	bfs_search search;
	bfs_top_down down;
	unsigned blocks;
};

/* Launched with as many blocks as fit on the device at once. */
static __global__ void __launch_bounds__(BFS_CSR_BLOCK, 1) search_kernel(bfs_top_down s)
{
	__shared__ bfs_tile tile;
	__shared__ bfs_narrow narrow[2];
	bfs_level level = bfs_start(s);
	uint64_t edges = 0;

	for (int32_t iteration = 0;; iteration++) {
		level = bfs_next_level(s, iteration, level);
		edges += level.narrow_edges;
		if (level.vertices == 0 || level.reached == s.n)
			break;
		edges += level.edges;
		if (!bfs_is_narrow(s, level))
			bfs_advance(s, &tile, iteration, level);
		else if (blockIdx.x == 0)
			bfs_advance_narrow(s, &tile, narrow, iteration, level);
		gpu_grid_sync(s.barrier);
	}
	if (blockIdx.x == 0 && threadIdx.x == 0)
		*s.touched = edges * bfs_column_bytes(s.out);
}

static enum gb_status create(state *s, const void *params, const void *input, struct gb_error *err)
{
	if (bfs_search_create(&s->search, params, input, true, err) != GB_OK ||
	    bfs_top_down_create(&s->down, &s->search, err) != GB_OK)
		return err->code;
	s->blocks = bfs_top_down_blocks(search_kernel, &s->down);
	return GB_OK;
}

static enum gb_status run(state *s, struct gb_timer *timer, struct gb_error *err)
{
	s->down.source = s->search.source;
	return CUDA_TRY(err, gpu_launch_cooperative(search_kernel, s->blocks, BFS_CSR_BLOCK, 0,
						    gpu_stream(), s->down));
}

extern "C" const struct gb_variant_ops bfs_cuda_csr =
	bfs_ops<state, create, bfs_search_upload, run>();
