/* partition.c -- one pass counts the keys of each group, a second one moves them. */
#include "datasets/graph/build.h"

#include <string.h>

/* Count a key by its group in next[], or store it at the place there. */
static inline void take(uint64_t key, unsigned shift, uint64_t *next, uint64_t *to)
{
	const uint64_t place = next[key >> shift]++;

	if (to) {
		to[place] = key;
		__builtin_prefetch(to + place + GRAPH_AHEAD, 1);
	}
}

static inline void take_part(struct graph_partition *p, unsigned part, const uint64_t *key,
			     uint64_t count, uint64_t *to)
{
	const uint64_t end = graph_part(count, part + 1), least = p->least;
	const unsigned shift = p->shift;
	const bool both = p->both;

	for (uint64_t i = graph_part(count, part); i < end; i++) {
		const uint64_t swapped = key[i] << 32 | key[i] >> 32;

		if (key[i] >= least)
			take(key[i], shift, p->end[part], to);
		if (both && key[i] != swapped)
			take(swapped, shift, p->end[part], to);
	}
}

uint64_t graph_partition(struct graph_partition *p, const uint64_t *key, uint64_t count,
			 uint64_t *to)
{
	uint64_t sum = 0;

	memset(p->end, 0, sizeof p->end);
#pragma omp parallel for schedule(static)
	for (unsigned part = 0; part < GRAPH_PARTS; part++)
		take_part(p, part, key, count, NULL);
	for (unsigned group = 0; group < GRAPH_GROUPS; group++)
		for (unsigned part = 0; part < GRAPH_PARTS; part++) {
			const uint64_t keys = p->end[part][group];

			p->end[part][group] = sum;
			sum += keys;
		}
#pragma omp parallel for schedule(static)
	for (unsigned part = 0; part < GRAPH_PARTS; part++)
		take_part(p, part, key, count, to);
	return sum;
}
