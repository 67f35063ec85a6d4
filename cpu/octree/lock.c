/* lock.c -- cpu/lock: Burtscher & Pingali's tree build, one lock per leaf (parts/lock.h says how).
 *
 * Against seq: threads.  The bound is the same: latency of main memory, now with as many misses
 * in flight as there are threads.
 */
#include <omp.h>

#include "common/workload.h"
#include "cpu/octree/parts/lock.h"

struct state {
	struct octree_cpu cpu; /* first: builder.h takes a state as one of these */
	uint64_t spins;        /* of all threads */
};

static enum gb_status create(void *state, const void *params, const void *input,
			     struct gb_error *err)
{
	return octree_cpu_init(state, params, input, OCTREE_WANTS_KEYS | OCTREE_WANTS_RANKS, err);
}

static void insert_part(struct state *s, struct octree_range r)
{
	struct octree_lock_thread t = { .spins = 0 };

	(void)octree_lock_insert_range(&s->cpu, &t, r);
	(void)__atomic_fetch_add(&s->spins, t.spins, __ATOMIC_RELAXED);
}

static enum gb_status run(void *state, struct gb_timer *timer, struct gb_error *err)
{
	struct state *s = state;
	double start_ns;

	octree_cpu_box(&s->cpu, timer);
	octree_cpu_keys(&s->cpu, timer);
	s->spins = 0;
	start_ns = octree_cpu_begin(&s->cpu, timer, "insert");
#pragma omp parallel num_threads(s->cpu.threads)
	insert_part(s, octree_cpu_range(s->cpu.count, omp_get_thread_num(), omp_get_num_threads()));
	return octree_cpu_end(&s->cpu, start_ns, err);
}

static void metrics(void *state, struct gb_metrics *metrics)
{
	const struct state *s = state;

	octree_cpu_metrics(state, metrics);
	gb_metric(metrics, "lock_spins", (double)s->spins);
}

const struct gb_variant_ops octree_cpu_lock = {
	.state_size = sizeof(struct state),
	.create = create,
	.run = run,
	.download = octree_cpu_download,
	.bytes = octree_cpu_bytes,
	.metrics = metrics,
	.flags = GB_REPEATABLE,
};
