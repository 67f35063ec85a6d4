/* vary.c -- variations of a graph: the same graph with some vertices renamed.
 *
 * A variation exchanges the names of disjoint pairs of vertices that have the same out-degree and
 * the same in-degree.  The new graph is isomorphic, so each search has the same work and the same
 * numbers of levels and of reached vertices.  The row pointers stay as they are.  Rows ascend, so a
 * graph has only one representation, and the same exchanges restore the original byte for byte.
 *
 * The pairs are chosen to change the distances of every search, as far as degrees allow.  A search
 * has other distances if its source is exchanged, or a neighbour of its source with a vertex that
 * is none.  In dense graphs a random pair seldom does that, because nearly all distances are 2, and
 * renaming a vertex costs a change in each row that has it.  Therefore, the pair of several that
 * changes the most searches per row is taken, until all are changed.  Random pairs follow.  The
 * rows to change are limited to a small part of the edges.
 *
 * Graphs in which no two vertices have the same degrees have no variations, nor have those whose
 * sources are unlike all other vertices and whose other vertices of the same degrees have the same
 * neighbours (a star from its centre).
 */
#include "cli/workloads/bfs/vary.h"

#include <stdlib.h>
#include <string.h>

#include "common/memory.h"
#include "common/rng.h"

enum {
	POOL = 65536,      /* most vertices in the pool */
	SEARCHES = 64,     /* most searches that are looked at: bits of a word */
	CANDIDATES = 8,    /* pairs of which the best is taken */
	ROWS_SHARE = 256,  /* rows to change: at most this part of the edges, */
	LEAST_ROWS = 8192, /* or this many to change all searches, */
	LEAST_NAMES = 4,   /* or those of two pairs */
	SHARED_ROWS = 256, /* fewer are not worth waking threads for */
};

static uint64_t degree(const struct bfs_csr *csr, uint32_t v)
{
	return csr->row[v + 1] - csr->row[v];
}

static bool have_equal_degrees(const struct bfs_input *in, uint32_t u, uint32_t v)
{
	return degree(&in->out, u) == degree(&in->out, v) &&
	       degree(&in->in, u) == degree(&in->in, v);
}

uint64_t bfs_first_edge(const struct bfs_csr *csr, uint32_t u, uint32_t v)
{
	uint64_t low = csr->row[u], high = csr->row[u + 1];

	while (low < high) {
		const uint64_t middle = low + (high - low) / 2;

		if (csr->column[middle] < v)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

bool bfs_has_edge(const struct bfs_input *in, uint32_t u, uint32_t v)
{
	uint64_t e;

	if (in->matrix)
		return in->matrix[u * in->pitch + v / 32] >> v % 32 & 1;
	e = bfs_first_edge(&in->out, u, v);
	return e < in->out.row[u + 1] && in->out.column[e] == v;
}

/* ---- the pool ---------------------------------------------------------------------------- */

/* A hash of v's degrees, in the upper half. */
static uint64_t hash_of(const struct bfs_input *in, uint32_t v)
{
	const uint64_t x = (degree(&in->out, v) * UINT64_C(0x9e3779b97f4a7c15)) ^
			   (degree(&in->in, v) * UINT64_C(0xd6e8feb86659fd93));

	return (x ^ x >> 29) * UINT64_C(0xbf58476d1ce4e5b9) & ~(uint64_t)UINT32_MAX;
}

static int compare(const void *a_, const void *b_)
{
	const uint64_t *a = a_, *b = b_;

	return (*a > *b) - (*a < *b);
}

/* Keep only the vertices whose hash occurs more than once. */
static uint32_t keep_mates(uint64_t *pool, uint32_t count)
{
	uint64_t before = UINT64_MAX; /* no hash has more than 32 bits */
	uint32_t kept = 0;

	for (uint32_t i = 0; i < count; i++) {
		const uint64_t hash = pool[i] >> 32;

		if (hash == before || (i + 1 < count && pool[i + 1] >> 32 == hash))
			pool[kept++] = pool[i];
		before = hash;
	}
	return kept;
}

enum gb_status bfs_variation_create(struct bfs_input *in, struct gb_error *err)
{
	const uint32_t count = in->n < POOL ? in->n : POOL;
	struct bfs_variation *v = gb_host_alloc(1, sizeof *v + count * sizeof *v->pool, err);

	in->variation = v;
	if (!v)
		return err->code;
	v->key = 0;
	v->names = v->pooled = 0;
	if (gb_memory_is_dry())
		return GB_OK;
	for (uint32_t i = 0; i < count; i++) {
		const uint32_t vertex = (uint32_t)((uint64_t)i * in->n / count);

		v->pool[i] = hash_of(in, vertex) | vertex;
	}
	qsort(v->pool, count, sizeof *v->pool, compare);
	v->pooled = keep_mates(v->pool, count);
	return GB_OK;
}

/* The first place in the pool whose entry is not below `entry`. */
static uint32_t place_in_pool(const struct bfs_variation *v, uint64_t entry)
{
	uint32_t low = 0, high = v->pooled;

	while (low < high) {
		const uint32_t middle = low + (high - low) / 2;

		if (v->pool[middle] < entry)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* ---- names ------------------------------------------------------------------------------- */

/* The place of `vertex` in the names, or where it belongs. */
static uint32_t place_of(const struct bfs_variation *v, uint32_t vertex)
{
	uint32_t low = 0, high = v->names;

	while (low < high) {
		const uint32_t middle = low + (high - low) / 2;

		if (v->name[middle].from < vertex)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static bool is_named(const struct bfs_variation *v, uint32_t vertex)
{
	const uint32_t at = place_of(v, vertex);

	return at < v->names && v->name[at].from == vertex;
}

uint32_t bfs_renamed(const struct bfs_input *in, uint32_t v)
{
	const struct bfs_variation *variation = in->variation;

	return variation && is_named(variation, v) ? variation->name[place_of(variation, v)].to : v;
}

static void add_name(struct bfs_variation *v, uint32_t from, uint32_t to)
{
	const uint32_t at = place_of(v, from);

	memmove(v->name + at + 1, v->name + at, (v->names - at) * sizeof *v->name);
	v->name[at] = (struct bfs_name){ from, to };
	v->names++;
}

/* ---- the choice of pairs ----------------------------------------------------------------- */

struct pair {
	uint32_t u, v;
};

/* The state of a choice. */
struct choice {
	const struct bfs_input *in;
	struct bfs_variation *variation;
	uint64_t key, drawn;       /* of random numbers */
	uint64_t rows;             /* that may still be changed */
	uint32_t source[SEARCHES]; /* searches that are looked at */
	uint32_t sources;
	uint64_t same; /* a bit for each of them whose distances no pair has changed so far */
};

/* A uniform number below limit. */
static uint32_t draw(struct choice *c, uint32_t limit)
{
	return (uint32_t)((gb_random64(c->key, c->drawn++) >> 32) * limit >> 32);
}

/* Draw a vertex with the degrees of u; u if there is none. */
static uint32_t draw_mate(struct choice *c, uint32_t u)
{
	const struct bfs_variation *v = c->variation;
	const uint64_t hash = hash_of(c->in, u);
	const uint32_t first = place_in_pool(v, hash);
	const uint32_t last =
		hash >> 32 == UINT32_MAX ? v->pooled : place_in_pool(v, hash + (UINT64_C(1) << 32));
	uint32_t at, mate;

	if (first == last)
		return u;
	at = draw(c, last - first);
	mate = (uint32_t)v->pool[first + at];
	if (mate == u)
		mate = (uint32_t)v->pool[first + at + 1 < last ? first + at + 1 : first];
	return have_equal_degrees(c->in, u, mate) ? mate : u;
}

/* Rows that have u or v, in both directions; those of a symmetric graph count twice. */
static uint64_t rows_of(const struct bfs_input *in, struct pair p)
{
	return 2 * (degree(&in->out, p.u) + degree(&in->in, p.u));
}

static bool may_add(const struct choice *c, struct pair p)
{
	return p.u != p.v && !is_named(c->variation, p.u) && !is_named(c->variation, p.v) &&
	       (c->variation->names < LEAST_NAMES || rows_of(c->in, p) <= c->rows);
}

static void add_pair(struct choice *c, struct pair p)
{
	const uint64_t rows = rows_of(c->in, p);

	add_name(c->variation, p.u, p.v);
	add_name(c->variation, p.v, p.u);
	c->rows -= rows < c->rows ? rows : c->rows;
}

/* The searches whose distances the pair changes for certain. */
static uint64_t changed_by(const struct choice *c, struct pair p)
{
	uint64_t changed = 0;

	for (uint32_t i = 0; i < c->sources; i++) {
		const uint32_t s = c->source[i];
		const bool differs = s == p.u || s == p.v ||
				     bfs_has_edge(c->in, s, p.u) != bfs_has_edge(c->in, s, p.v);

		changed |= (uint64_t)differs << i;
	}
	return changed;
}

/* Add a pair that changes search i and, for the rows that it has, as many others as possible.  If
 * none is found, leave the search as it is. */
static void change_search(struct choice *c, uint32_t i)
{
	const struct bfs_csr *out = &c->in->out;
	const uint32_t s = c->source[i];
	struct pair best = { 0, 0 };
	uint64_t best_changed = 0;
	double best_score = 0;

	for (int k = 0; k < CANDIDATES; k++) {
		const uint64_t edges = degree(out, s) < UINT32_MAX ? degree(out, s) : UINT32_MAX;
		struct pair p = { s, s };
		uint64_t changed;
		double score;

		if (k % 2 && edges)
			p.u = out->column[out->row[s] + draw(c, (uint32_t)edges)];
		p.v = draw_mate(c, p.u);
		if (!may_add(c, p))
			continue;
		changed = changed_by(c, p) & c->same;
		score = __builtin_popcountll(changed) / (double)(rows_of(c->in, p) + 1);
		if (score > best_score) {
			best_score = score;
			best_changed = changed;
			best = p;
		}
	}
	if (best_changed)
		add_pair(c, best);
	c->same &= ~(best_changed | UINT64_C(1) << i);
}

/* True if u and v have the same edges, apart from those between them. */
static bool are_twins(const struct bfs_csr *csr, struct pair p)
{
	uint64_t i = csr->row[p.u], j = csr->row[p.v];
	const uint64_t i_end = csr->row[p.u + 1], j_end = csr->row[p.v + 1];
	const uint32_t *column = csr->column;

	for (;; i++, j++) {
		while (i < i_end && (column[i] == p.u || column[i] == p.v))
			i++;
		while (j < j_end && (column[j] == p.u || column[j] == p.v))
			j++;
		if (i == i_end || j == j_end)
			return i == i_end && j == j_end;
		if (column[i] != column[j])
			return false;
	}
}

static void add_random_pair(struct choice *c)
{
	struct pair p;

	p.u = (uint32_t)c->variation->pool[draw(c, c->variation->pooled)];
	p.v = draw_mate(c, p.u);
	if (may_add(c, p) && !(are_twins(&c->in->out, p) && are_twins(&c->in->in, p)))
		add_pair(c, p);
}

static uint32_t at_most(size_t count, uint32_t limit)
{
	return count < limit ? (uint32_t)count : limit;
}

/* Choose the pairs of a variation of the original graph. */
static void choose(const struct bfs_input *in, uint64_t key)
{
	struct choice c = { .in = in, .variation = in->variation, .key = key };
	const uint32_t pairs = at_most(in->n / 64 + 8, BFS_PAIRS);
	const uint64_t share = in->m / ROWS_SHARE, most = share > LEAST_ROWS ? share : LEAST_ROWS;
	uint64_t first;

	if (!c.variation->pooled)
		return;
	c.rows = most;
	c.sources = at_most(in->source_count, SEARCHES);
	first = gb_random64(key, UINT64_MAX) % in->source_count;
	for (uint32_t i = 0; i < c.sources; i++) {
		c.source[i] = in->source[(first + i) % in->source_count];
		c.same |= UINT64_C(1) << i;
	}
	while (c.same && c.variation->names < 2 * pairs)
		change_search(&c, (uint32_t)__builtin_ctzll(c.same));
	c.rows = share > most - c.rows ? share - (most - c.rows) : 0;
	for (uint32_t k = 0; k < 2 * pairs && c.variation->names < 2 * pairs; k++)
		add_random_pair(&c);
}

/* ---- the exchange ------------------------------------------------------------------------ */

/* One direction of the graph: rows, and the rows that say in which of them a vertex occurs. */
struct side {
	const struct bfs_csr *rows, *reverse;
	uint32_t *matrix; /* or NULL */
	size_t pitch;
};

/* Exchange the columns p.u < p.v of row x, which stays ascending. */
static void exchange_columns(const struct bfs_csr *csr, uint32_t x, struct pair p)
{
	uint32_t *const column = csr->column;
	const uint64_t end = csr->row[x + 1];
	const uint64_t u = bfs_first_edge(csr, x, p.u), v = bfs_first_edge(csr, x, p.v);
	uint64_t us = 0, vs = 0; /* edges to either: several if they are parallel */

	while (u + us < end && column[u + us] == p.u)
		us++;
	while (v + vs < end && column[v + vs] == p.v)
		vs++;
	if (us == vs)
		return;
	memmove(column + u + vs, column + u + us, (v - u - us) * sizeof *column);
	for (uint64_t i = 0; i < vs; i++)
		column[u + i] = p.u;
	for (uint64_t i = 0; i < us; i++)
		column[v + vs - us + i] = p.v;
}

static void exchange_bits(uint32_t *row, struct pair p)
{
	const uint32_t differs = (row[p.u / 32] >> p.u % 32 ^ row[p.v / 32] >> p.v % 32) & 1;

	row[p.u / 32] ^= differs << p.u % 32;
	row[p.v / 32] ^= differs << p.v % 32;
}

void bfs_rename_bits(const struct bfs_input *in, uint32_t *row)
{
	const struct bfs_variation *v = in->variation;

	for (uint32_t i = 0; v && i < v->names; i++)
		if (v->name[i].from < v->name[i].to)
			exchange_bits(row, (struct pair){ v->name[i].from, v->name[i].to });
}

static void exchange_words(uint32_t *a, uint32_t *b, uint64_t count)
{
	for (uint64_t i = 0; i < count; i++) {
		const uint32_t swap = a[i];

		a[i] = b[i];
		b[i] = swap;
	}
}

static void rename_in_row(const struct side *s, uint32_t x, struct pair p)
{
	exchange_columns(s->rows, x, p);
	if (s->matrix)
		exchange_bits(s->matrix + x * s->pitch, p);
}

static bool occurs(const struct bfs_csr *csr, uint32_t u, uint32_t x)
{
	const uint64_t e = bfs_first_edge(csr, u, x);

	return e < csr->row[u + 1] && csr->column[e] == x;
}

/* Rename p in the rows other than its own that have p.u or, if `other`, p.v but not p.u.  No row
 * is changed that is read to find them: a symmetric graph has only one set of rows. */
static void rename_in_rows(const struct side *s, struct pair p, bool other)
{
	const struct bfs_csr *reverse = s->reverse;
	const uint32_t vertex = other ? p.v : p.u;
	const uint64_t begin = reverse->row[vertex], end = reverse->row[vertex + 1];

#pragma omp parallel for schedule(dynamic, 32) if (end - begin >= SHARED_ROWS)
	for (uint64_t e = begin; e < end; e++) {
		const uint32_t x = reverse->column[e];

		if (x == p.u || x == p.v || (e > begin && reverse->column[e - 1] == x) ||
		    (other && occurs(reverse, p.u, x)))
			continue;
		rename_in_row(s, x, p);
	}
}

static void exchange_on_side(const struct side *s, struct pair p)
{
	const struct bfs_csr *rows = s->rows;

	rename_in_rows(s, p, false);
	rename_in_rows(s, p, true);
	rename_in_row(s, p.u, p);
	rename_in_row(s, p.v, p);
	exchange_words(rows->column + rows->row[p.u], rows->column + rows->row[p.v],
		       degree(rows, p.u));
	if (s->matrix)
		exchange_words(s->matrix + p.u * s->pitch, s->matrix + p.v * s->pitch, s->pitch);
}

/* Exchange all pairs; a second call restores the graph.  After the first side has changed, its rows
 * p.u and p.v still have the same vertices together, apart from p.u and p.v. */
static void exchange(struct bfs_input *in)
{
	const struct side out = { &in->out, &in->in, in->matrix, in->pitch };
	const struct side reverse = { &in->in, &in->out, in->matrix_in, in->pitch };
	const struct bfs_variation *v = in->variation;

	for (uint32_t i = 0; i < v->names; i++) {
		const struct pair p = { v->name[i].from, v->name[i].to };

		if (p.u > p.v)
			continue;
		exchange_on_side(&out, p);
		if (in->in.row != in->out.row)
			exchange_on_side(&reverse, p);
	}
	for (size_t i = 0; i < in->source_count; i++)
		in->source[i] = bfs_renamed(in, in->source[i]);
}

bool bfs_vary(struct bfs_input *in, uint64_t key)
{
	struct bfs_variation *v = in->variation;

	if (!v || !v->pooled)
		return false;
	if (key == v->key)
		return !key || v->names > 0;
	if (v->names)
		exchange(in);
	v->key = key;
	v->names = 0;
	if (!key)
		return true;
	choose(in, key);
	if (v->names)
		exchange(in);
	return v->names > 0;
}
