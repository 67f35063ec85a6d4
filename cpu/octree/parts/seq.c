/* seq.c -- see seq.h. */
#include "cpu/octree/parts/seq.h"

/* False if the pool is exhausted.  The way down is a loop of its own, with one branch to be foreseen a
 * level. */
static inline bool insert(struct octree_cpu *cpu, struct octree_rows *rows, int32_t i, int bucket)
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

bool octree_seq_insert(void *state, struct octree_range range)
{
	struct octree_cpu *cpu = state;
	struct octree_rows rows = { 0, 0 };
	bool room = true;

	if (cpu->bucket == 1)
		for (size_t i = range.begin; i < range.end && room; i++)
			room = insert(cpu, &rows, (int32_t)i, 1);
	else
		for (size_t i = range.begin; i < range.end && room; i++)
			room = insert(cpu, &rows, (int32_t)i, cpu->bucket);
	return room;
}
