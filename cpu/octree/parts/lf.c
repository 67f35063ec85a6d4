/* lf.c -- see lf.h. */
#include "cpu/octree/parts/lf.h"

/* False if the pool is exhausted. */
static inline bool insert(struct octree_cpu *cpu, struct octree_lf_thread *t, int32_t i)
{
	const uint64_t key = cpu->key[i];
	int32_t *slot = &cpu->child[0][key >> 3 * OCTREE_DEEPEST & 7];
	int32_t value = __atomic_load_n(slot, __ATOMIC_ACQUIRE);
	int shift = 3 * OCTREE_DEEPEST;

	cpu->next[i] = -1;
	for (;;) {
		if (value > 0) {
			shift -= 3;
			slot = &cpu->child[value][key >> shift & 7];
			value = __atomic_load_n(slot, __ATOMIC_ACQUIRE);
		} else if (shift == 0) {
			octree_list_chain(cpu, slot, i);
			return true;
		} else if (value == OCTREE_FREE) {
			if (__atomic_compare_exchange_n(slot, &value, octree_body(i), false,
							__ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
				return true;
		} else {
			const uint64_t found = cpu->key[octree_body(value)];
			const int32_t node = octree_lf_own(cpu, t);
			int32_t *below = &cpu->child[node][found >> (shift - 3) & 7];
			const int32_t body = value;

			if (!node)
				return false;
			*below = body;
			if (__atomic_compare_exchange_n(slot, &value, node, false, __ATOMIC_ACQ_REL,
							__ATOMIC_ACQUIRE)) {
				t->mine = 0;
				value = node;
			} else {
				*below = OCTREE_FREE;
			}
		}
	}
}

bool octree_lf_insert(void *state, struct octree_range range)
{
	struct octree_lf_thread t = { .mine = 0 };

	for (size_t i = range.begin; i < range.end; i++)
		if (!insert(state, &t, (int32_t)i))
			return false;
	return true;
}
