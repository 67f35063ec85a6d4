/* ids.c -- numbers the vertices of an edge list without gaps.
 *
 * Ids that are not much larger than the number of edges are marked in a bitmap; the rank of an id
 * is the number of marks before it.  Other ids go into a hash table of all different ones, which
 * are then sorted.  Either way memory grows with the edges, not with the ids.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/memory.h"
#include "common/text.h"
#include "datasets/graph/lines.h"

/* The ids of an edge list. */
struct ids {
	const uint32_t *narrow;
	const uint64_t *wide; /* the same, if ids have 64 bits */
	bool are_wide;
	uint64_t count;
};

static uint64_t id_at(const struct ids *ids, uint64_t i)
{
	return ids->are_wide ? ids->wide[i] : ids->narrow[i];
}

/* ---- a bitmap ---------------------------------------------------------------------------- */

struct bitmap {
	uint64_t *mark;
	uint32_t *before; /* marks before each word */
	size_t words;
};

static void mark_all(const struct ids *ids, uint64_t *mark)
{
#pragma omp parallel for schedule(static)
	for (uint64_t i = 0; i < ids->count; i++) {
		const uint64_t id = id_at(ids, i), bit = UINT64_C(1) << id % 64;
		uint64_t seen;

#pragma omp atomic read
		seen = mark[id / 64];
		if (!(seen & bit)) {
#pragma omp atomic
			mark[id / 64] |= bit;
		}
	}
}

/* Mark the ids.  Returns how many different ones there are. */
static uint64_t fill_bitmap(struct bitmap *map, const struct ids *ids, uint64_t largest,
			    struct gb_error *err)
{
	uint64_t different = 0;

	map->words = largest / 64 + 1;
	map->mark = gb_host_zalloc(map->words, sizeof *map->mark, err);
	map->before = gb_host_alloc(map->words, sizeof *map->before, err);
	if (!map->before)
		return 0;
	mark_all(ids, map->mark);
	for (size_t i = 0; i < map->words; i++) {
		map->before[i] = (uint32_t)different;
		different += (unsigned)__builtin_popcountll(map->mark[i]);
	}
	return different;
}

static void rank_by_bitmap(const struct bitmap *map, const struct ids *ids, uint32_t *rank)
{
#pragma omp parallel for schedule(static)
	for (uint64_t i = 0; i < ids->count; i++) {
		const uint64_t id = id_at(ids, i), below = (UINT64_C(1) << id % 64) - 1;

		rank[i] = map->before[id / 64] +
			  (uint32_t)__builtin_popcountll(map->mark[id / 64] & below);
	}
}

/* ---- a hash table ------------------------------------------------------------------------ */

/* `id` is 0 for a free slot, else the id + 1. */
struct slot {
	uint64_t id;
	uint64_t rank;
};

struct table {
	struct slot *slot;
	size_t size; /* a power of two, at least twice `used` */
	size_t used;
};

static struct slot *find(const struct table *t, uint64_t id)
{
	const uint64_t key = id + 1, mixed = key * UINT64_C(0x9e3779b97f4a7c15);
	size_t i = (size_t)(mixed ^ mixed >> 32) & (t->size - 1);

	while (t->slot[i].id && t->slot[i].id != key)
		i = (i + 1) & (t->size - 1);
	return &t->slot[i];
}

/* Double the size of the table.  False if memory ran out. */
static bool grow(struct table *t, struct gb_error *err)
{
	struct table new = { .size = t->size ? 2 * t->size : 1024, .used = t->used };

	new.slot = gb_host_zalloc(new.size, sizeof *new.slot, err);
	if (!new.slot)
		return false;
	for (size_t i = 0; i < t->size; i++)
		if (t->slot[i].id)
			*find(&new, t->slot[i].id - 1) = t->slot[i];
	gb_host_free(t->slot);
	*t = new;
	return true;
}

static bool fill_table(struct table *t, const struct ids *ids, struct gb_error *err)
{
	if (!grow(t, err))
		return false;
	for (uint64_t i = 0; i < ids->count; i++) {
		const uint64_t id = id_at(ids, i);
		struct slot *slot = find(t, id);

		if (slot->id)
			continue;
		slot->id = id + 1;
		if (2 * ++t->used > t->size && !grow(t, err))
			return false;
	}
	return true;
}

static int by_id(const void *a, const void *b)
{
	return GB_ORDER(*(const uint64_t *)a, *(const uint64_t *)b);
}

/* Give the ids of the table their ranks. */
static enum gb_status rank_slots(struct table *t, struct gb_error *err)
{
	uint64_t *id = gb_host_alloc(t->used, sizeof *id, err);
	size_t count = 0;

	if (!id)
		return err->code;
	for (size_t i = 0; i < t->size; i++)
		if (t->slot[i].id)
			id[count++] = t->slot[i].id - 1;
	qsort(id, count, sizeof *id, by_id);
	for (size_t i = 0; i < count; i++)
		find(t, id[i])->rank = i;
	gb_host_free(id);
	return GB_OK;
}

static void rank_by_table(const struct table *t, const struct ids *ids, uint32_t *rank)
{
#pragma omp parallel for schedule(static)
	for (uint64_t i = 0; i < ids->count; i++)
		rank[i] = (uint32_t)find(t, id_at(ids, i))->rank;
}

/* ---- both -------------------------------------------------------------------------------- */

/* Replace the ids by their ranks. */
static enum gb_status replace(struct graph_edges *edges, const struct ids *ids,
			      const struct bitmap *map, const struct table *table,
			      struct gb_error *err)
{
	uint32_t *rank = edges->pair;

	if (ids->are_wide)
		rank = gb_host_alloc(ids->count, sizeof *rank, err);
	if (!rank)
		return err->code;
	if (map->before)
		rank_by_bitmap(map, ids, rank);
	else if (table->slot)
		rank_by_table(table, ids, rank);
	if (rank != edges->pair)
		gb_host_free(edges->pair);
	edges->pair = rank;
	return GB_OK;
}

enum gb_status graph_number_vertices(struct gb_reader *r, struct graph_edges *edges,
				     const struct graph_found *found, uint64_t n)
{
	const struct ids ids = { edges->pair, (const uint64_t *)(const void *)edges->pair,
				 found->wide, 2 * edges->count };
	struct bitmap map = { 0 };
	struct table table = { 0 };
	uint64_t different = n;

	if (n > found->largest)
		goto numbered;
	if (found->largest / 64 <= edges->count / 2 + 1024)
		different = fill_bitmap(&map, &ids, found->largest, r->err);
	else if (fill_table(&table, &ids, r->err) && !rank_slots(&table, r->err))
		different = table.used;
	if (!r->err->code && different <= found->largest && different <= INT32_MAX &&
	    !replace(edges, &ids, &map, &table, r->err))
		gb_reader_note("%" PRIu64 " vertex ids renumbered (largest %" PRIu64 ")", different,
			       found->largest);
numbered:
	gb_host_free(map.mark);
	gb_host_free(map.before);
	gb_host_free(table.slot);
	if (!r->err->code && different > INT32_MAX)
		return gb_fail(r->err, GB_EUSAGE, "%s: %" PRIu64 " vertices, more than %d", r->path,
			       different, INT32_MAX);
	edges->n = (uint32_t)different;
	gb_reader_count("vertices", found->largest + 1, edges->n);
	return r->err->code;
}
