/* csr.cu -- top-down search on compressed rows: a queue of vertices per level, and their edges
 * shared out evenly (parts/csr.h), all levels in one cooperative launch.
 *
 * What it adds over csr-paper: only the frontier is looked at, lanes are busy whatever the degrees
 * are, and the host waits for nothing.  Each edge of all levels but the last is read once, 2 or
 * 4 bytes (bfs_column()), and its end looked up, a sector of 32 bytes in L2.  Deep graphs are bound by
 * barriers and a level's dependent loads.
 */
#include "cuda/bfs/parts/csr.h"

struct state {
	struct bfs_search search;
	struct bfs_top_down down;
	unsigned blocks;
};

/* As many blocks as are on the device at once. */
static __global__ void __launch_bounds__(BFS_CSR_BLOCK, 1) search_kernel(struct bfs_top_down s)
{
	SHARED_VAR(struct bfs_tile, tile);
	struct bfs_level now = {};
	uint64_t edges = 0;

	bfs_start_down(s);
	for (int32_t level = 0;; level++) {
		now = bfs_next_level(s, level, now);
		if (now.count == 0 || now.reached == s.n)
			break;
		edges += now.edges;
		bfs_expand_down(s, &tile, level, now);
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
