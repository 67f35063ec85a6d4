/* lock.c -- cpu/lock: Burtscher & Pingali's tree build with one lock per leaf (see shared/insert.h).
 *
 * Unlike seq it is parallel.  The bound is the same, the latency of main memory, but with as many
 * misses in flight as there are threads.
 */
#include "cpu/octree/shared/insert.h"

static enum gb_status create(void *state, const void *params, const void *input,
			     struct gb_error *err)
{
	return octree_cpu_init(state, params, input, OCTREE_WANTS_KEYS | OCTREE_WANTS_RANKS, err);
}

static enum gb_status run(void *state, struct gb_timer *timer, struct gb_error *err)
{
	octree_cpu_box(state, timer);
	return octree_cpu_insert(state, timer, octree_lock_insert, false, err);
}

const struct gb_variant_ops octree_cpu_lock = {
	.state_size = sizeof(struct octree_cpu),
	.create = create,
	.run = run,
	.download = octree_cpu_download,
	.metrics = octree_cpu_metrics,
	.flags = GB_REPEATABLE,
};
