/* insert.c -- see insert.h. */
#include "cpu/octree/shared/insert.h"

#include <omp.h>
#include <sched.h>

/* ---- one thread --------------------------------------------------------------------------- */

/* False if the pool is exhausted.  The descent is a loop of its own, with one branch to predict per
 * level. */
static inline bool seq_insert(struct octree_cpu *cpu, struct octree_rows *rows, int32_t i,
			      int bucket)
{
	const uint64_t key = cpu->key[i];
	int shift = 3 * OCTREE_DEEPEST;
	int32_t *slot = &cpu->child[0][key >> shift & 7], value;

	while ((value = *slot) > 0) {
		shift -= 3;
		slot = &cpu->child[value][key >> shift & 7];
	}
	if (value == OCTREE_FREE || shift == 0 ||
	    !octree_list_full(cpu, octree_body(value), bucket))
		*slot = octree_list_push(cpu, value, i, bucket);
	else
		*slot = octree_leaf_divide(cpu, rows, value, i, shift, bucket);
	return *slot != OCTREE_FREE;
}

bool octree_seq_insert(void *state, struct cpu_range range)
{
	struct octree_cpu *cpu = state;
	struct octree_rows rows = { 0, 0 };
	bool room = true;

	if (cpu->bucket == 1)
		for (size_t i = range.begin; i < range.end && room; i++)
			room = seq_insert(cpu, &rows, (int32_t)i, 1);
	else
		for (size_t i = range.begin; i < range.end && room; i++)
			room = seq_insert(cpu, &rows, (int32_t)i, cpu->bucket);
	return room;
}

/* ---- a lock per leaf ---------------------------------------------------------------------- */

struct thread {
	struct octree_rows rows;
	uint64_t spins; /* polls of a lock */
};

static inline void wait_a_little(struct thread *t)
{
	t->spins++;
#if defined(__x86_64__)
	__builtin_ia32_pause();
#endif
	if (t->spins % 64 == 0)
		(void)sched_yield();
}

/* False if the pool is exhausted. */
static inline bool lock_insert(struct octree_cpu *cpu, struct thread *t, int32_t i, int bucket)
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
		} else if (__atomic_compare_exchange_n(slot, &value, OCTREE_LOCKED, false,
						       __ATOMIC_ACQ_REL, __ATOMIC_RELAXED)) {
			const int32_t made =
				octree_leaf_divide(cpu, &t->rows, value, i, shift, bucket);

			__atomic_store_n(slot, made, __ATOMIC_RELEASE);
			return made != OCTREE_FREE;
		}
	}
}

bool octree_lock_insert(void *state, struct cpu_range range)
{
	struct octree_cpu *cpu = state;
	struct thread t = { .spins = 0 };
	bool room = true;

	if (cpu->bucket == 1)
		for (size_t i = range.begin; i < range.end && room; i++)
			room = lock_insert(cpu, &t, (int32_t)i, 1);
	else
		for (size_t i = range.begin; i < range.end && room; i++)
			room = lock_insert(cpu, &t, (int32_t)i, cpu->bucket);
	return room;
}

/* ---- a run -------------------------------------------------------------------------------- */

enum gb_status octree_cpu_insert(void *state, struct gb_timer *timer, octree_insert_fn *insert,
				 bool alone, struct gb_error *err)
{
	struct octree_cpu *cpu = state;
	double start_ns;

	octree_cpu_keys(cpu, timer);
	start_ns = octree_cpu_begin(cpu, timer, "insert");
	if (alone) {
		(void)insert(state, cpu_range_of(cpu->count, 0, 1));
	} else {
#pragma omp parallel num_threads(cpu->threads)
		(void)insert(state,
			     cpu_range_of(cpu->count, omp_get_thread_num(), omp_get_num_threads()));
	}
	return octree_cpu_end(cpu, start_ns, err);
}
