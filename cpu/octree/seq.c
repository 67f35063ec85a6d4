/* seq.c -- cpu/seq: bodies inserted one after the other by one thread (see shared/insert.h).
 *
 * The baseline for the cost of a lock or an atomic operation.  In random order the bound is the
 * latency of main memory: a few dependent misses per body.
 */
#include "common/benchmark.h"
#include "cpu/octree/shared/insert.h"

static enum gb_status create(void *state, const void *params, const void *input,
			     struct gb_error *err)
{
	return octree_cpu_init(state, params, input,
			       OCTREE_WANTS_KEYS | OCTREE_WANTS_RANKS | OCTREE_ONE_THREAD, err);
}

static enum gb_status run(void *state, struct gb_timer *timer, struct gb_error *err)
{
	octree_cpu_box(state, timer);
	return octree_cpu_insert(state, timer, octree_seq_insert, true, err);
}

const struct gb_variant_ops octree_cpu_seq = {
	.state_size = sizeof(struct octree_cpu),
	.create = create,
	.run = run,
	.download = octree_cpu_download,
	.metrics = octree_cpu_metrics,
	.flags = GB_SERIAL | GB_REPEATABLE,
};
