/* lock.c -- see lock.h. */
#include "cpu/octree/parts/lock.h"

#include <sched.h>

struct thread {
	struct octree_rows rows;
	uint64_t spins; /* looks at a lock */
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
		} else if (__atomic_compare_exchange_n(slot, &value, OCTREE_LOCKED, false,
						       __ATOMIC_ACQ_REL, __ATOMIC_RELAXED)) {
			const int32_t made =
				octree_leaf_divide(cpu, &t->rows, value, i, shift, bucket);

			__atomic_store_n(slot, made, __ATOMIC_RELEASE);
			return made != OCTREE_FREE;
		}
	}
}

bool octree_lock_insert(void *state, struct octree_range range)
{
	struct octree_cpu *cpu = state;
	struct thread t = { .spins = 0 };
	bool room = true;

	if (cpu->bucket == 1)
		for (size_t i = range.begin; i < range.end && room; i++)
			room = insert(cpu, &t, (int32_t)i, 1);
	else
		for (size_t i = range.begin; i < range.end && room; i++)
			room = insert(cpu, &t, (int32_t)i, cpu->bucket);
	return room;
}
