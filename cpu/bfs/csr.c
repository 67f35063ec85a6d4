/* csr.c -- cpu/csr: level by level along the out-edges, with the frontier as a list, OpenMP.
 *
 * Against basic, it reads only the edges that exist: all m of the reached part, 4 bytes each.  In a
 * dense graph nearly all of them lead to vertices already reached; the bound is m probes of `mark`.
 */
#include "common/benchmark.h"
#include "cpu/bfs/shared/search.h"
#include "cpu/bfs/shared/topdown.h"

struct state {
	struct bfs_cpu cpu; /* first member: search.h casts a state to it */
	struct bfs_topdown td;
};

static enum gb_status create(void *state, const void *params, const void *input,
			     struct gb_error *err)
{
	struct state *s = state;

	(void)bfs_cpu_init(&s->cpu, params, input, 0, err);
	return bfs_topdown_init(&s->td, &s->cpu, err);
}

static enum gb_status run(void *state, struct gb_timer *timer, struct gb_error *err)
{
	struct state *s = state;
	int32_t level = 0;

	bfs_cpu_clear(&s->cpu);
	bfs_topdown_start(&s->td, &s->cpu);
	while (s->td.count)
		bfs_topdown_step(&s->td, &s->cpu, ++level);
	return GB_OK;
}

const struct gb_variant_ops bfs_cpu_csr = {
	.state_size = sizeof(struct state),
	.create = create,
	.reset = bfs_cpu_reset,
	.run = run,
	.download = bfs_cpu_download,
	.metrics = bfs_cpu_metrics,
	.flags = GB_REPEATABLE,
};
