/* partition.c -- one pass over the items counts the keys of each group, a second one stores them. */
#include "datasets/graph/partition.h"

#include <string.h>

enum { BLOCK = 1024 };

/* Count the keys of a part by their groups in next[], or store each at the place there. */
static void walk(const struct graph_keys *keys, unsigned part, unsigned shift, uint64_t *next,
		 uint64_t *key)
{
	const uint64_t end = graph_part(keys->items, part + 1);
	uint64_t block[2 * BLOCK];

	for (uint64_t at = graph_part(keys->items, part); at < end; at += BLOCK) {
		graph_list_keys *const list = key ? keys->list : keys->groups;
		const size_t count =
			list(keys->source, at, end - at < BLOCK ? end : at + BLOCK, block);

		for (size_t i = 0; i < count; i++) {
			const uint64_t to = next[block[i] >> shift]++;

			if (key) {
				key[to] = block[i];
				__builtin_prefetch(key + to + GRAPH_AHEAD, 1);
			}
		}
	}
}

uint64_t graph_partition(struct graph_partition *p, unsigned shift, const struct graph_keys *keys,
			 uint64_t *key)
{
	uint64_t sum = 0;

	p->shift = shift;
	memset(p->end, 0, sizeof p->end);
#pragma omp parallel for schedule(static)
	for (unsigned part = 0; part < GRAPH_PARTS; part++)
		walk(keys, part, shift, p->end[part], NULL);
	for (unsigned group = 0; group < GRAPH_GROUPS; group++)
		for (unsigned part = 0; part < GRAPH_PARTS; part++) {
			const uint64_t count = p->end[part][group];

			p->end[part][group] = sum;
			sum += count;
		}
#pragma omp parallel for schedule(static)
	for (unsigned part = 0; part < GRAPH_PARTS; part++)
		walk(keys, part, shift, p->end[part], key);
	return sum;
}
