/* build.c -- CSR from edges in any order.
 *
 * Edges are sorted by a stable counting sort of their targets, and reversed, until both ends are
 * sorted.  Before a sort they are grouped by the highest bits of their targets: the counters and edges
 * of a group fit in a cache, and one thread has them alone.
 */
#include "datasets/graph/build.h"

#include <string.h>

#include "common/memory.h"
#include "common/rng.h"

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error ".sg files are read without conversion: little-endian only"
#endif

enum gb_status graph_csr_alloc(struct bfs_csr *csr, uint32_t n, uint64_t m, struct gb_error *err)
{
	csr->row = gb_host_alloc((size_t)n + 1, sizeof *csr->row, err);
	if (!csr->row)
		return err->code;
	csr->column = gb_host_alloc(m, sizeof *csr->column, err);
	return csr->column ? GB_OK : err->code;
}

void graph_csr_free(struct bfs_csr *csr)
{
	gb_host_free(csr->row);
	gb_host_free(csr->column);
	*csr = (struct bfs_csr){ NULL, NULL };
}

/* ---- partition --------------------------------------------------------------------------- */

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

/* ---- sorting ----------------------------------------------------------------------------- */

enum gb_status graph_keys_alloc(struct graph_edges *edges, uint64_t count, struct gb_error *err)
{
	edges->key = gb_host_alloc(count, (edges->undirected ? 2 : 1) * sizeof *edges->key, err);
	return err->code;
}

/* The memory of a sort, and what it does. */
struct sort {
	uint64_t *room; /* for all edges */
	bool both;      /* take each edge in both directions */
	bool reverse; /* replace the keys by the sorted edges, reversed; otherwise they are freed */
	bool columns; /* set the columns */
	struct graph_partition p;
};

/* Sort the edges of one group of targets.  Store them reversed in `to`, their sources as columns, or
 * both.  row[v + 1] is at first the number of v's edges, then the place of its next edge, and finally
 * the end of its edges. */
static void sort_group(const struct sort *s, unsigned group, uint32_t n, uint64_t *to,
		       const struct bfs_csr *csr)
{
	const uint64_t begin = graph_group(&s->p, group), end = graph_group(&s->p, group + 1);
	const uint64_t first = (uint64_t)group << s->p.shift >> 32,
		       last = (uint64_t)(group + 1) << s->p.shift >> 32, *from = s->room;
	uint64_t *next = csr->row + 1, sum = begin;

	for (uint64_t v = first; v < last && v < n; v++)
		next[v] = 0;
	/* Fetching the places of the group in order takes less time than at random in the last loop. */
	for (uint64_t i = begin; i < end; i++) {
		next[from[i] >> 32]++;
		if (to)
			__builtin_prefetch(to + i, 1);
		if (csr->column)
			__builtin_prefetch(csr->column + i, 1);
	}
	for (uint64_t v = first; v < last && v < n; v++) {
		const uint64_t count = next[v];

		next[v] = sum;
		sum += count;
	}
	for (uint64_t i = begin; i < end; i++) {
		const uint64_t place = next[from[i] >> 32]++;

		if (to)
			to[place] = graph_key(from[i] >> 32, (uint32_t)from[i]);
		if (csr->column)
			csr->column[place] = (uint32_t)from[i];
	}
}

/* Sort the edges stably by their targets, and set the rows of these.  Returns their number. */
static uint64_t sort_keys(struct sort *s, uint64_t **key, uint64_t count, uint32_t n,
			  struct bfs_csr *csr, struct gb_error *err)
{
	const unsigned bits =
		n > GRAPH_GROUPS ? 32 - (unsigned)__builtin_clz(n - 1) : GRAPH_GROUP_BITS;

	if (err->code)
		return 0;
	s->p.shift = 32 + bits - GRAPH_GROUP_BITS;
	s->p.both = s->both;
	count = graph_partition(&s->p, *key, count, s->room);
	if (!s->reverse) {
		gb_host_free(*key);
		*key = NULL;
	}
	if (!csr->row)
		csr->row = gb_host_alloc((size_t)n + 1, sizeof *csr->row, err);
	if (s->columns)
		csr->column = gb_host_alloc(count, sizeof *csr->column, err);
	if (err->code)
		return 0;
	csr->row[0] = 0;
#pragma omp parallel for schedule(dynamic)
	for (unsigned group = 0; group < GRAPH_GROUPS; group++)
		sort_group(s, group, n, *key, csr);
	return count;
}

enum gb_status graph_reverse(const struct bfs_csr *from, uint32_t n, uint64_t m, struct bfs_csr *to,
			     struct gb_error *err)
{
	struct sort s = { .room = gb_host_alloc(m, sizeof *s.room, err), .columns = true };
	uint64_t *key = gb_host_alloc(m, sizeof *key, err);

#pragma omp parallel for schedule(dynamic, 1024)
	for (uint32_t u = 0; u < (key ? n : 0); u++)
		for (uint64_t e = from->row[u]; e < from->row[u + 1]; e++)
			key[e] = graph_key(u, from->column[e]);
	(void)sort_keys(&s, &key, m, n, to, err);
	gb_host_free(s.room);
	gb_host_free(key);
	return err->code;
}

/* Remove self-loops and repeated columns from sorted rows.  Returns the number of edges left. */
static uint64_t simplify(struct bfs_csr *csr, uint32_t n)
{
	uint64_t kept = 0, begin = 0;

	for (uint32_t u = 0; u < n; u++) {
		const uint64_t end = csr->row[u + 1], first = kept;

		for (uint64_t e = begin; e < end; e++) {
			const uint32_t v = csr->column[e];

			if (v != u && (kept == first || csr->column[kept - 1] != v))
				csr->column[kept++] = v;
		}
		begin = end;
		csr->row[u + 1] = kept;
	}
	return kept;
}

enum gb_status graph_from_edges(struct bfs_input *in, struct graph_edges *edges,
				struct gb_error *err)
{
	const uint32_t n = edges->n;
	const bool both = edges->undirected;
	struct sort s = { .both = both, .reverse = true };

	in->n = n;
	in->symmetric = both;
	s.room = edges->id;
	if (!s.room)
		s.room = gb_host_alloc(edges->count, (both ? 2 : 1) * sizeof *s.room, err);
	in->m = sort_keys(&s, &edges->key, edges->count, n, &in->in, err);
	s.both = false;
	s.columns = true;
	s.reverse = !both;
	(void)sort_keys(&s, &edges->key, in->m, n, &in->out, err);
	s.reverse = false;
	if (!both)
		(void)sort_keys(&s, &edges->key, in->m, n, &in->in, err);
	gb_host_free(s.room);
	gb_host_free(edges->key);
	edges->id = edges->key = NULL;
	if (both && !err->code) {
		in->m = edges->simple ? simplify(&in->out, n) : in->m;
		gb_host_free(in->in.row);
		in->in = in->out;
	}
	return err->code;
}

/* ---- random order ------------------------------------------------------------------------ */

void graph_shuffle(uint32_t *list, uint32_t count, uint32_t take, uint64_t seed, uint64_t stream)
{
	for (uint32_t i = 0; i < take; i++) {
		const uint64_t random = gb_random64_stream(seed, stream, i) >> 32;
		const uint32_t j = i + (uint32_t)(random * (count - i) >> 32);
		const uint32_t swap = list[i];

		list[i] = list[j];
		list[j] = swap;
	}
}
