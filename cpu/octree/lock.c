/* lock.c -- cpu/lock: Burtscher & Pingali's tree build, one lock per leaf.
 *
 * "An Efficient CUDA Implementation of the Tree-Based Barnes Hut n-Body Algorithm" (2011), kernel
 * 2; Cordeiro & Zola's Algorithm 1.  A free octant takes a body by one compare-and-swap.  An
 * octant that is taken is locked, by a compare-and-swap of its value for OCTREE_LOCKED; the owner
 * of the lock divides the space, in nodes that no other thread sees yet, until the bodies are
 * apart, and publishes the topmost by the store that unlocks.  A thread that meets a lock tries
 * again.  The GPU's barrier, which keeps waiting threads from flooding memory, is a pause here,
 * and after a while the thread yields, so that an owner that was preempted gets on.
 *
 * Invariants: a value only goes from FREE to bodies to LOCKED to a node; nodes and lists behind a
 * value are written before it is stored with release, and read after it was loaded with acquire.
 * Octants of level 21 are never locked: an exchange puts a body in front of what is there.
 * Buckets above one: a body joins a leaf by one compare-and-swap of its head.
 *
 * Against seq: threads.  The bound is the same: latency of main memory, now with as many misses
 * in flight as there are threads.
 */
#include <omp.h>
#include <sched.h>

#include "common/variants.h"
#include "cpu/octree/parts/common.h"

struct state {
	struct octree_cpu cpu; /* first: common.h takes a state as one of these */
	uint64_t spins; /* looks at a lock, and locks that another thread was faster to take */
};

struct thread {
	struct octree_rows rows;
	uint64_t spins;
};

static enum gb_status create(void *state, const void *params, const void *input,
			     struct gb_error *err)
{
	return octree_cpu_init(state, params, input, OCTREE_WANTS_KEYS | OCTREE_WANTS_RANKS, err);
}

static inline void wait_a_little(struct thread *t)
{
	t->spins++;
#if defined(__x86_64__)
	__builtin_ia32_pause();
#endif
	if (t->spins % 64 == 0)
		(void)sched_yield();
}

/* Divide the space of a full leaf, whose octant the caller has locked, until body i finds room.
 * Returns what to publish; OCTREE_FREE, and the tree is lost, if the pool is exhausted. */
static int32_t divide(struct octree_cpu *cpu, struct thread *t, int32_t leaf, int32_t i, int shift,
		      int bucket)
{
	int32_t top = OCTREE_FREE;
	int32_t *slot = &top;

	*slot = leaf;
	for (;;) {
		const int32_t node = octree_cpu_node(cpu, &t->rows);

		if (!node)
			return OCTREE_FREE;
		shift -= 3;
		octree_list_scatter(cpu, octree_body(*slot), node, shift, bucket);
		*slot = node;
		slot = &cpu->child[node][cpu->key[i] >> shift & 7];
		if (*slot == OCTREE_FREE || shift == 0 ||
		    !octree_list_full(cpu, octree_body(*slot), bucket))
			break;
	}
	*slot = octree_list_push(cpu, *slot, i, bucket);
	return top;
}

/* False if the pool is exhausted. */
static inline bool insert(struct octree_cpu *cpu, struct thread *t, int32_t i, int bucket)
{
	const uint64_t key = cpu->key[i];
	int32_t *slot = &cpu->child[0][key >> 3 * OCTREE_DEEPEST & 7];
	int shift = 3 * OCTREE_DEEPEST;

	for (;;) {
		int32_t value = __atomic_load_n(slot, __ATOMIC_ACQUIRE);

		if (value > 0) {
			shift -= 3;
			slot = &cpu->child[value][key >> shift & 7];
		} else if (value == OCTREE_LOCKED) {
			wait_a_little(t);
		} else if (shift == 0) {
			octree_list_chain(cpu, slot, i);
			return true;
		} else if (value == OCTREE_FREE ||
			   !octree_list_full(cpu, octree_body(value), bucket)) {
			const int32_t mine = octree_list_push(cpu, value, i, bucket);

			if (__atomic_compare_exchange_n(slot, &value, mine, false, __ATOMIC_ACQ_REL,
							__ATOMIC_RELAXED))
				return true;
			t->spins++;
		} else if (__atomic_compare_exchange_n(slot, &value, OCTREE_LOCKED, false,
						       __ATOMIC_ACQ_REL, __ATOMIC_RELAXED)) {
			const int32_t made = divide(cpu, t, value, i, shift, bucket);

			__atomic_store_n(slot, made, __ATOMIC_RELEASE);
			return made != OCTREE_FREE;
		} else {
			t->spins++;
		}
	}
}

static void insert_part(struct state *s, struct octree_range r)
{
	struct octree_cpu *cpu = &s->cpu;
	struct thread t = { .spins = 0 };
	bool room = true;

	if (cpu->bucket == 1)
		for (size_t i = r.begin; i < r.end && room; i++)
			room = insert(cpu, &t, (int32_t)i, 1);
	else
		for (size_t i = r.begin; i < r.end && room; i++)
			room = insert(cpu, &t, (int32_t)i, cpu->bucket);
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
