/* lf_amac.c -- cpu/lf-amac: lf with 32 insertions in flight in each thread.
 *
 * In random order, an insertion of lf waits for a cache miss at almost every level.  Here a thread
 * keeps IN_FLIGHT insertions and takes them in turn: each does what it can without waiting,
 * prefetches the line that it needs next, and yields (asynchronous memory access chaining,
 * Kocberber et al. 2015).  The bound moves from memory latency to the number of misses that a core
 * can have outstanding.
 *
 * In spatial order the lines are in the cache already, and interleaving only costs.  So the order
 * is checked first: if it is spatial (octree_cpu_layout()), lf's loop is used.
 *
 * Leaves have one body only, because a full block would be a second kind of wait.
 */
#include "common/workload.h"
#include "cpu/octree/parts/insert.h"

enum {
	IN_FLIGHT = 32,
	SHALLOW = 3, /* levels that are always in the cache */
};

struct state {
	struct octree_cpu cpu; /* must be first: builder.h takes a pointer to the state */
	bool interleaved;      /* the last run interleaved its insertions */
};

/* An insertion in flight. */
struct flight {
	uint64_t key;
	int32_t *slot; /* the octant that the body has reached, prefetched */
	int32_t body;
	int shift;     /* position of the octant's digit in the key */
	int32_t asked; /* the value whose body's key was prefetched */
};

static enum gb_status create(void *state, const void *params, const void *input,
			     struct gb_error *err)
{
	const struct octree_input *in = input;

	if (in->bucket > 1)
		return gb_fail(err, GB_EUNAVAILABLE,
			       "lf-amac supports only leaves of one body: use --bucket=1, not %d",
			       in->bucket);
	return octree_cpu_init(state, params, input, OCTREE_WANTS_KEYS, err);
}

/* ---- interleaved insertions ---------------------------------------------------------------- */

static void start(struct octree_cpu *cpu, struct flight *f, size_t body)
{
	f->key = cpu->key[body];
	f->body = (int32_t)body;
	f->shift = 3 * OCTREE_DEEPEST;
	f->slot = &cpu->child[0][f->key >> f->shift & 7];
	f->asked = OCTREE_FREE;
	cpu->next[body] = -1;
}

enum progress { YIELDS, DONE, EXHAUSTED };

/* Put the body that was found into the thread's own node, and the node in the body's place.  Either
 * way the insertion continues with the current value. */
static inline bool push_down(struct octree_cpu *cpu, struct octree_lf_thread *t, struct flight *f,
			     int32_t value)
{
	const uint64_t found = cpu->key[octree_body(value)];
	const int32_t node = octree_lf_own(cpu, t);
	int32_t *below = &cpu->child[node][found >> (f->shift - 3) & 7];
	int32_t expected = value;

	if (!node)
		return false;
	*below = value;
	if (__atomic_compare_exchange_n(f->slot, &expected, node, false, __ATOMIC_ACQ_REL,
					__ATOMIC_RELAXED)) {
		t->mine = 0;
		f->shift -= 3;
		f->slot = &cpu->child[node][f->key >> f->shift & 7];
	} else {
		*below = OCTREE_FREE;
	}
	return true;
}

/* Advance an insertion as far as it gets without waiting for memory. */
static inline enum progress advance(struct octree_cpu *cpu, struct octree_lf_thread *t,
				    struct flight *f)
{
	for (;;) {
		int32_t value = __atomic_load_n(f->slot, __ATOMIC_ACQUIRE);

		if (value > 0) {
			f->shift -= 3;
			f->slot = &cpu->child[value][f->key >> f->shift & 7];
			if (f->shift < 3 * (OCTREE_DEEPEST - SHALLOW)) {
				__builtin_prefetch(f->slot, 1);
				return YIELDS;
			}
		} else if (f->shift == 0) {
			octree_list_chain(cpu, f->slot, f->body);
			return DONE;
		} else if (value == OCTREE_FREE) {
			if (__atomic_compare_exchange_n(f->slot, &value, octree_body(f->body),
							false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
				return DONE;
		} else if (f->asked != value) {
			__builtin_prefetch(&cpu->key[octree_body(value)]);
			f->asked = value;
			return YIELDS;
		} else if (!push_down(cpu, t, f, value)) {
			return EXHAUSTED;
		}
	}
}

static bool insert_interleaved(void *state, struct cpu_range r)
{
	struct octree_cpu *cpu = state;
	struct octree_lf_thread t = { .mine = 0 };
	struct flight flight[IN_FLIGHT];
	size_t next = r.begin;
	int live = 0;

	while (live < IN_FLIGHT && next < r.end)
		start(cpu, &flight[live++], next++);
	while (live)
		for (int k = 0; k < live; k++) {
			const enum progress p = advance(cpu, &t, &flight[k]);

			if (p == EXHAUSTED)
				return false;
			if (p == YIELDS)
				continue;
			if (next < r.end)
				start(cpu, &flight[k], next++);
			else
				flight[k--] = flight[--live];
		}
	return true;
}

/* ---- the variant --------------------------------------------------------------------------- */

static enum gb_status run(void *state, struct gb_timer *timer, struct gb_error *err)
{
	struct state *s = state;

	octree_cpu_box(&s->cpu, timer);
	s->interleaved = octree_cpu_layout(&s->cpu) == OCTREE_SCATTERED;
	return octree_cpu_insert(
		state, timer, s->interleaved ? insert_interleaved : octree_lf_insert, false, err);
}

static void metrics(void *state, struct gb_metrics *metrics)
{
	const struct state *s = state;

	octree_cpu_metrics(state, metrics);
	gb_metric(metrics, "interleaved", s->interleaved);
}

const struct gb_variant_ops octree_cpu_lf_amac = {
	.state_size = sizeof(struct state),
	.create = create,
	.run = run,
	.download = octree_cpu_download,
	.bytes = octree_cpu_bytes,
	.metrics = metrics,
	.flags = GB_REPEATABLE,
};
