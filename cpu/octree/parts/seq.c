/* seq.c -- see seq.h. */
#include "cpu/octree/parts/seq.h"

/* False if the pool is exhausted. */
static inline bool insert(struct octree_cpu *cpu, struct octree_rows *rows, int32_t i, int bucket)
{
	const uint64_t key = cpu->key[i];
	int32_t node = 0;

	for (int shift = 3 * OCTREE_DEEPEST;; shift -= 3) {
		int32_t *slot = &cpu->child[node][key >> shift & 7];

		if (*slot > 0) {
			node = *slot;
			continue;
		}
		if (*slot == OCTREE_FREE || shift == 0 ||
		    !octree_list_full(cpu, octree_body(*slot), bucket)) {
			*slot = octree_list_push(cpu, *slot, i, bucket);
			return true;
		}
		node = octree_cpu_node(cpu, rows);
		if (!node)
			return false;
		octree_list_scatter(cpu, octree_body(*slot), node, shift - 3, bucket);
		*slot = node;
	}
}

bool octree_seq_insert_all(struct octree_cpu *cpu)
{
	struct octree_rows rows = { 0, 0 };
	bool room = true;

	if (cpu->bucket == 1)
		for (size_t i = 0; i < cpu->count && room; i++)
			room = insert(cpu, &rows, (int32_t)i, 1);
	else
		for (size_t i = 0; i < cpu->count && room; i++)
			room = insert(cpu, &rows, (int32_t)i, cpu->bucket);
	return room;
}
