/* lock.c -- see lock.h. */
#include "cpu/octree/parts/lock.h"

#include <sched.h>

static inline void wait_a_little(struct octree_lock_thread *t)
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
static int32_t divide(struct octree_cpu *cpu, struct octree_lock_thread *t, int32_t leaf, int32_t i,
		      int shift, int bucket)
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
static inline bool insert(struct octree_cpu *cpu, struct octree_lock_thread *t, int32_t i,
			  int bucket)
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

bool octree_lock_insert_range(struct octree_cpu *cpu, struct octree_lock_thread *t,
			      struct octree_range range)
{
	bool room = true;

	if (cpu->bucket == 1)
		for (size_t i = range.begin; i < range.end && room; i++)
			room = insert(cpu, t, (int32_t)i, 1);
	else
		for (size_t i = range.begin; i < range.end && room; i++)
			room = insert(cpu, t, (int32_t)i, cpu->bucket);
	return room;
}
