/* build.c -- CSR from edges in any order.
 *
 * Edges are sorted by a stable counting sort: they are counted by target, then moved to the range
 * of their target in input order.  If the sources of the input ascend, the sources of each target
 * ascend as well, so two reversals sort both ends whatever the first order.  Before they are counted,
 * edges are grouped by the highest bits of their targets: the counters and edges of one group fit in
 * a cache, and one thread has them alone.
 */
#include "datasets/graph/build.h"

#include "common/memory.h"
#include "common/rng.h"
#include "datasets/graph/partition.h"

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

/* ---- distribution ------------------------------------------------------------------------ */

/* The key of an edge has its target above its source. */
static size_t list_pairs(const void *source, uint64_t first, uint64_t end, uint64_t *key)
{
	const struct graph_edges *edges = source;
	size_t count = 0;

	for (uint64_t i = first; i < end; i++) {
		const uint64_t u = edges->pair[2 * i], v = edges->pair[2 * i + 1];

		key[count++] = v << 32 | u;
		if (edges->undirected) {
			key[count] = u << 32 | v;
			count += u != v;
		}
	}
	return count;
}

struct rows {
	const struct bfs_csr *csr;
	uint32_t n;
};

/* The last vertex whose edges start at or before `edge`. */
static uint32_t vertex_at(const struct rows *rows, uint64_t edge)
{
	uint32_t low = 0, high = rows->n - 1;

	while (low < high) {
		uint32_t middle = high - (high - low) / 2;

		if (rows->csr->row[middle] <= edge)
			low = middle;
		else
			high = middle - 1;
	}
	return low;
}

static size_t list_targets(const void *source, uint64_t first, uint64_t end, uint64_t *key)
{
	const struct rows *rows = source;
	const uint32_t *column = rows->csr->column;

	for (uint64_t e = first; e < end; e++)
		*key++ = (uint64_t)column[e] << 32;
	return end - first;
}

static size_t list_edges(const void *source, uint64_t first, uint64_t end, uint64_t *key)
{
	const struct rows *rows = source;
	const uint64_t *row = rows->csr->row;
	const uint32_t *column = rows->csr->column;
	uint64_t e = first;

	for (uint64_t u = vertex_at(rows, first); e < end; u++) {
		const uint64_t stop = row[u + 1] < end ? row[u + 1] : end;

		for (; e < stop; e++)
			*key++ = (uint64_t)column[e] << 32 | u;
	}
	return end - first;
}

/* The first vertex of a group of targets. */
static uint32_t first_vertex(const struct graph_partition *p, unsigned group, uint32_t n)
{
	const uint64_t vertex = (uint64_t)group << p->shift >> 32;

	return vertex < n ? (uint32_t)vertex : n;
}

/* Store the edges of one group of targets, first .. last - 1.  row[v + 1] is at first the number of
 * v's edges, then the place of its next edge, and finally the end of its edges. */
static void fill_rows(struct bfs_csr *to, uint32_t first, uint32_t last, const uint64_t *key,
		      uint64_t begin, uint64_t end)
{
	uint64_t *next = to->row + 1, sum = begin;

	for (uint32_t v = first; v < last; v++)
		next[v] = 0;
	for (uint64_t i = begin; i < end; i++)
		next[key[i] >> 32]++;
	for (uint32_t v = first; v < last; v++) {
		const uint64_t count = next[v];

		next[v] = sum;
		sum += count;
	}
	for (uint64_t i = begin; i < end; i++)
		to->column[next[key[i] >> 32]++] = (uint32_t)key[i];
}

/* Store the edges by their targets; those of each target are in the order of the items.  Arrays that
 * *to has are used, others are allocated.  Returns the number of edges, for which `key` has room. */
static uint64_t distribute(const struct graph_keys *keys, struct graph_partition *p, uint64_t *key,
			   uint32_t n, struct bfs_csr *to, struct gb_error *err)
{
	const unsigned bits =
		n > GRAPH_GROUPS ? 32 - (unsigned)__builtin_clz(n - 1) : GRAPH_GROUP_BITS;
	const uint64_t count = graph_partition(p, 32 + bits - GRAPH_GROUP_BITS, keys, key);

	if (!to->row && graph_csr_alloc(to, n, count, err))
		return 0;
	to->row[0] = 0;
#pragma omp parallel for schedule(dynamic)
	for (unsigned group = 0; group < GRAPH_GROUPS; group++)
		fill_rows(to, first_vertex(p, group, n), first_vertex(p, group + 1, n), key,
			  graph_group_begin(p, group), graph_group_end(p, group));
	return count;
}

static void reverse(const struct bfs_csr *from, uint32_t n, uint64_t m, struct graph_partition *p,
		    uint64_t *key, struct bfs_csr *to, struct gb_error *err)
{
	const struct rows rows = { from, n };
	const struct graph_keys keys = { &rows, m, list_targets, list_edges };

	(void)distribute(&keys, p, key, n, to, err);
}

enum gb_status graph_reverse(const struct bfs_csr *from, uint32_t n, uint64_t m, struct bfs_csr *to,
			     struct gb_error *err)
{
	struct graph_partition *p = gb_host_alloc(1, sizeof *p, err);
	uint64_t *key = gb_host_alloc(m, sizeof *key, err);

	if (key)
		reverse(from, n, m, p, key, to, err);
	gb_host_free(p);
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
	const struct graph_keys pairs = { edges, edges->count, list_pairs, list_pairs };
	struct graph_partition *p = gb_host_alloc(1, sizeof *p, err);
	uint64_t *key = gb_host_alloc(edges->count, (edges->undirected ? 2 : 1) * sizeof *key, err);

	in->n = edges->n;
	in->symmetric = edges->undirected;
	if (key)
		in->m = distribute(&pairs, p, key, in->n, &in->in, err);
	gb_host_free(edges->pair);
	edges->pair = NULL;
	if (!err->code)
		reverse(&in->in, in->n, in->m, p, key, &in->out, err);
	if (!err->code && edges->simple)
		in->m = simplify(&in->out, in->n);
	if (!err->code && !in->symmetric)
		reverse(&in->out, in->n, in->m, p, key, &in->in, err);
	gb_host_free(p);
	gb_host_free(key);
	if (!err->code && in->symmetric) {
		graph_csr_free(&in->in);
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
