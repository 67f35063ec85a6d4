/* partition.c -- one pass over the items counts the keys of each group, a second one stores them. */
#include "datasets/graph/partition.h"

#include <string.h>

enum { BLOCK = 1024, AHEAD = 8 };

/* Count the keys of a part by their groups in next[], or store each at the place there. */
static void walk(const struct graph_partition *p, graph_list_keys *list, const void *source,
		 uint64_t first, uint64_t end, uint64_t *next, uint64_t *key)
{
	uint64_t block[2 * BLOCK];

	for (uint64_t at = first; at < end; at += BLOCK) {
		const size_t count = list(source, at, end - at < BLOCK ? end : at + BLOCK, block);

		for (size_t i = 0; i < count; i++) {
			const uint64_t to = next[block[i] >> p->shift]++;

			if (key) {
				key[to] = block[i];
				__builtin_prefetch(key + to + AHEAD, 1);
			}
		}
	}
}

uint64_t graph_partition(struct graph_partition *p, unsigned shift, graph_list_keys *list,
			 const void *source, uint64_t items, uint64_t *key)
{
	uint64_t sum = 0;

	p->shift = shift;
	memset(p->end, 0, sizeof p->end);
#pragma omp parallel for schedule(static)
	for (unsigned part = 0; part < GRAPH_PARTS; part++)
		walk(p, list, source, graph_part(items, part), graph_part(items, part + 1),
		     p->end[part], NULL);
	for (unsigned group = 0; group < GRAPH_GROUPS; group++)
		for (unsigned part = 0; part < GRAPH_PARTS; part++) {
			const uint64_t count = p->end[part][group];

			p->end[part][group] = sum;
			sum += count;
		}
#pragma omp parallel for schedule(static)
	for (unsigned part = 0; part < GRAPH_PARTS; part++)
		walk(p, list, source, graph_part(items, part), graph_part(items, part + 1),
		     p->end[part], key);
	return sum;
}
