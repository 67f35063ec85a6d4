/* build.c -- CSR from edges in any order.
 *
 * Edges are grouped by the highest bits of their sources: the counters and edges of a group fit in a
 * cache, and one thread has them alone.  A counting sort of a group's sources gives its rows, which
 * are then sorted.  The same reverses the edges, whose rows are sorted then, since it is stable.
 */
#include "datasets/graph/build.h"

#include <string.h>

#include "common/memory.h"
#include "common/rng.h"

/* Insertion sorts rows of at most FEW columns, a sort by digits longer ones. */
enum { FEW = 32, DIGIT_BITS = 8, DIGITS = 1 << DIGIT_BITS };

enum gb_status graph_csr_alloc(struct bfs_csr *csr, uint32_t n, uint64_t m, struct gb_error *err)
{
	csr->row = gb_host_alloc((size_t)n + 1, sizeof *csr->row, err);
	csr->column = gb_host_alloc(m, sizeof *csr->column, err);
	return csr->column ? GB_OK : err->code;
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

/* ---- rows of a CSR ----------------------------------------------------------------------- */

/* Set the rows and columns of one group of sources.  row[u + 1] is at first the number of u's edges,
 * then the place of its next edge, and finally the end of its edges. */
static void fill_group(const struct graph_partition *p, unsigned group, const uint64_t *key,
		       uint32_t n, const struct bfs_csr *csr)
{
	const uint64_t begin = graph_group(p, group), end = graph_group(p, group + 1);
	const uint64_t first = (uint64_t)group << p->shift >> 32,
		       last = (uint64_t)(group + 1) << p->shift >> 32;
	uint64_t *next = csr->row + 1, sum = begin;

	for (uint64_t u = first; u < last && u < n; u++)
		next[u] = 0;
	/* Fetching the columns of the group in order takes less time than at random in the last loop. */
	for (uint64_t i = begin; i < end; i++) {
		next[key[i] >> 32]++;
		__builtin_prefetch(csr->column + i, 1);
	}
	for (uint64_t u = first; u < last && u < n; u++) {
		const uint64_t count = next[u];

		next[u] = sum;
		sum += count;
	}
	for (uint64_t i = begin; i < end; i++)
		csr->column[next[key[i] >> 32]++] = (uint32_t)key[i];
}

/* Store the keys by group in `room` and set a CSR from them.  The edges of a vertex keep their order.
 * Without `keep`, the keys are freed.  Returns the number of edges. */
static uint64_t fill_rows(struct graph_partition *p, uint64_t **key, uint64_t count, bool keep,
			  uint64_t *room, uint32_t n, struct bfs_csr *csr, struct gb_error *err)
{
	const unsigned bits =
		n > GRAPH_GROUPS ? 32 - (unsigned)__builtin_clz(n - 1) : GRAPH_GROUP_BITS;

	if (err->code)
		return 0;
	p->shift = 32 + bits - GRAPH_GROUP_BITS;
	count = graph_partition(p, *key, count, room);
	if (!keep) {
		gb_host_free(*key);
		*key = NULL;
	}
	if (graph_csr_alloc(csr, n, count, err))
		return 0;
	csr->row[0] = 0;
#pragma omp parallel for schedule(dynamic)
	for (unsigned group = 0; group < GRAPH_GROUPS; group++)
		fill_group(p, group, room, n, csr);
	return count;
}

/* Set `to` to the reversed edges; those of each vertex ascend. */
static void reverse(const struct bfs_csr *from, uint32_t n, uint64_t m, uint64_t **key,
		    uint64_t *room, struct bfs_csr *to, struct gb_error *err)
{
	struct graph_partition p = { .both = false };

#pragma omp parallel for schedule(dynamic, 1024)
	for (uint32_t u = 0; u < (err->code ? 0 : n); u++)
		for (uint64_t e = from->row[u]; e < from->row[u + 1]; e++)
			(*key)[e] = graph_key(from->column[e], u);
	(void)fill_rows(&p, key, m, false, room, n, to, err);
}

enum gb_status graph_reverse(const struct bfs_csr *from, uint32_t n, uint64_t m, struct bfs_csr *to,
			     struct gb_error *err)
{
	uint64_t *room = gb_host_alloc(m, sizeof *room, err);
	uint64_t *key = gb_host_alloc(m, sizeof *key, err);

	reverse(from, n, m, &key, room, to, err);
	gb_host_free(room);
	gb_host_free(key);
	return err->code;
}

/* Sort the numbers stably by their digit of that shift. */
static void sort_digit(const uint32_t *from, uint32_t *to, uint64_t count, unsigned shift)
{
	uint64_t next[DIGITS + 1] = { 0 };

	for (uint64_t i = 0; i < count; i++)
		next[(from[i] >> shift) % DIGITS + 1]++;
	for (unsigned d = 1; d < DIGITS; d++)
		next[d] += next[d - 1];
	for (uint64_t i = 0; i < count; i++)
		to[next[(from[i] >> shift) % DIGITS]++] = from[i];
}

/* Sort a row.  There is room for as many columns. */
static void sort_row(uint32_t *row, uint64_t count, uint32_t *room)
{
	uint64_t sorted = 1;
	uint32_t *from = row, *to = room, *swap;

	while (sorted < count && row[sorted - 1] <= row[sorted])
		sorted++;
	for (; count <= FEW && sorted < count; sorted++) {
		uint32_t column = row[sorted];

		/* Branches would be predicted badly. */
		for (uint64_t i = 0; i < sorted; i++) {
			const uint32_t other = row[i];

			row[i] = column < other ? column : other;
			column = column < other ? other : column;
		}
		row[sorted] = column;
	}
	if (sorted >= count)
		return;
	for (unsigned shift = 0; shift < 32; shift += DIGIT_BITS) {
		sort_digit(from, to, count, shift);
		swap = from;
		from = to;
		to = swap;
	}
}

void graph_sort_rows(const struct bfs_csr *csr, uint32_t n, uint32_t *room)
{
#pragma omp parallel for schedule(dynamic, 1024)
	for (uint32_t u = 0; u < n; u++)
		sort_row(csr->column + csr->row[u], csr->row[u + 1] - csr->row[u],
			 room + csr->row[u]);
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
	struct graph_partition p = { .both = both };
	uint64_t *room = edges->id;

	in->n = n;
	in->symmetric = both;
	if (!room)
		room = gb_host_alloc(edges->count, (both ? 2 : 1) * sizeof *room, err);
	in->m = fill_rows(&p, &edges->key, edges->count, !both, room, n, &in->out, err);
	if (!err->code)
		graph_sort_rows(&in->out, n, (uint32_t *)room);
	if (!both)
		reverse(&in->out, n, in->m, &edges->key, room, &in->in, err);
	gb_host_free(room);
	gb_host_free(edges->key);
	if (both && !err->code) {
		in->m = edges->simple ? simplify(&in->out, n) : in->m;
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
