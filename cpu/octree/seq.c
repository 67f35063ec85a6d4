/* seq.c -- cpu/seq: bodies inserted one after the other, by one thread.
 *
 * Cordeiro & Zola, "Construcao da arvore": a body descends to a leaf; a free octant takes it, an
 * octant that is taken is divided - a node in its place, the bodies found there one level down -
 * until the new one finds room.  The baseline of what a lock or an atomic costs.  In random order
 * the bound is the latency of main memory: a few dependent misses per body.
 */
#include "common/variants.h"
#include "cpu/octree/parts/common.h"

static enum gb_status create(void *state, const void *params, const void *input,
			     struct gb_error *err)
{
	return octree_cpu_init(state, params, input,
			       OCTREE_WANTS_KEYS | OCTREE_WANTS_RANKS | OCTREE_ONE_THREAD, err);
}

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

static enum gb_status run(void *state, struct gb_timer *timer, struct gb_error *err)
{
	struct octree_cpu *cpu = state;
	struct octree_rows rows = { 0, 0 };
	double start_ns;
	bool room = true;

	octree_cpu_box(cpu, timer);
	octree_cpu_keys(cpu, timer);
	start_ns = octree_cpu_begin(cpu, timer, "insert");
	if (cpu->bucket == 1)
		for (size_t i = 0; i < cpu->count && room; i++)
			room = insert(cpu, &rows, (int32_t)i, 1);
	else
		for (size_t i = 0; i < cpu->count && room; i++)
			room = insert(cpu, &rows, (int32_t)i, cpu->bucket);
	return octree_cpu_end(cpu, start_ns, err);
}

const struct gb_variant_ops octree_cpu_seq = {
	.state_size = sizeof(struct octree_cpu),
	.create = create,
	.run = run,
	.download = octree_cpu_download,
	.bytes = octree_cpu_bytes,
	.metrics = octree_cpu_metrics,
	.flags = GB_SERIAL | GB_REPEATABLE,
};
