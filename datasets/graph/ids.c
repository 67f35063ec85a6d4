/* ids.c -- numbers the vertices of an edge list without gaps, in the order of their ids.
 *
 * Ids below SPREAD times the number of all ids are marked in a bitmap, and the rank of one is the
 * number of marks before it.  Larger ids are copied, group by group of those with the same highest
 * bits; a group is sorted in a cache, and each copy is replaced by its rank.  A second walk over the
 * ids meets those of a group in the order of their copies.  Large ids have many digits, so memory is
 * bounded by a multiple of the text's size.
 */
#include <inttypes.h>
#include <omp.h>

#include "common/memory.h"
#include "common/text.h"
#include "datasets/graph/lines.h"
#include "datasets/graph/partition.h"

enum { SPREAD = 2, DIGIT_BITS = 13, DIGITS = 1 << DIGIT_BITS };

/* 64 ids, and the marks before them. */
struct word {
	uint64_t marks, before;
};

struct numbering {
	struct graph_edges *edges;
	struct word *word;
	uint64_t words;               /* ids from 64 times this on are large */
	struct graph_partition *p;    /* of the large ids, if there are any */
	uint64_t *key;                /* their copies, then their ranks in their groups */
	uint64_t first[GRAPH_GROUPS]; /* number of the first vertex of a group */
};

/* ---- small ids --------------------------------------------------------------------------- */

static void set_mark(uint64_t *marks, uint64_t bit)
{
	uint64_t marked;

#pragma omp atomic read
	marked = *marks;
	if (marked & bit)
		return;
#pragma omp atomic
	*marks |= bit;
}

/* Mark the small ids.  Returns the number of the others. */
static uint64_t mark(const struct numbering *a)
{
	const struct graph_edges edges = *a->edges;
	struct word *const word = a->word;
	const uint64_t words = a->words;
	uint64_t others = 0;

#pragma omp parallel for schedule(static) reduction(+ : others)
	for (uint64_t i = 0; i < 2 * edges.count; i++) {
		const uint64_t id = graph_id(&edges, i);

		if (id / 64 < words)
			set_mark(&word[id / 64].marks, UINT64_C(1) << id % 64);
		else
			others++;
	}
	return others;
}

/* Count the marks before each word.  Returns the number of all. */
static uint64_t count_marks(struct word *word, uint64_t words)
{
	uint64_t marks = 0;

	for (uint64_t i = 0; i < words; i++) {
		word[i].before = marks;
		marks += (unsigned)__builtin_popcountll(word[i].marks);
	}
	return marks;
}

static uint64_t rank(const struct word *word, uint64_t id)
{
	const uint64_t below = (UINT64_C(1) << id % 64) - 1;

	word += id / 64;
	return word->before + (unsigned)__builtin_popcountll(word->marks & below);
}

/* ---- large ids --------------------------------------------------------------------------- */

static size_t list_large(const void *numbering, uint64_t first, uint64_t end, uint64_t *key)
{
	const struct numbering *a = numbering;
	const struct graph_edges edges = *a->edges;
	const uint64_t words = a->words;
	size_t count = 0;

	for (uint64_t i = first; i < end; i++) {
		key[count] = graph_id(&edges, i);
		count += key[count] / 64 >= words;
	}
	return count;
}

/* Sort the places of the keys stably by the digit of that shift. */
static void sort_digit(const uint64_t *key, const uint64_t *from, uint64_t *to, uint64_t count,
		       unsigned shift)
{
	uint64_t next[DIGITS + 1] = { 0 };

	for (uint64_t i = 0; i < count; i++)
		next[(key[i] >> shift) % DIGITS + 1]++;
	for (size_t d = 1; d < DIGITS; d++)
		next[d] += next[d - 1];
	for (uint64_t i = 0; i < count; i++)
		to[next[(key[from[i]] >> shift) % DIGITS]++] = from[i];
}

/* Replace each key by its rank among the different ones.  Returns how many different ones there are.
 * `place` and `other` have room for `count` numbers. */
static uint64_t rank_keys(uint64_t *key, uint64_t count, uint64_t *place, uint64_t *other)
{
	uint64_t differing = 0, different = 0, before = 0;

	for (uint64_t i = 0; i < count; i++) {
		place[i] = i;
		differing |= key[i] ^ key[0];
	}
	for (unsigned shift = 0; shift < 64; shift += DIGIT_BITS)
		if ((differing >> shift) % DIGITS) {
			uint64_t *const sorted = other;

			sort_digit(key, place, sorted, count, shift);
			other = place;
			place = sorted;
		}
	for (uint64_t i = 0; i < count; i++) {
		uint64_t *const k = &key[place[i]];

		different += i == 0 || *k != before;
		before = *k;
		*k = different - 1;
	}
	return different;
}

static uint64_t largest_group(const struct graph_partition *p)
{
	uint64_t most = 0;

	for (unsigned group = 0; group < GRAPH_GROUPS; group++) {
		const uint64_t size = graph_group_end(p, group) - graph_group_begin(p, group);

		most = size > most ? size : most;
	}
	return most;
}

/* Rank the `count` large ids; the first one has the number `first`.  Returns how many different ones
 * there are; 0 if memory ran out. */
static uint64_t rank_large(struct numbering *a, uint64_t largest, uint64_t count, uint64_t first,
			   struct gb_error *err)
{
	const unsigned bits = 64 - (unsigned)__builtin_clzll(largest);
	const struct graph_keys keys = { a, 2 * a->edges->count, list_large, list_large };
	uint64_t sum = first, each, most, *room;

	a->p = gb_host_alloc(1, sizeof *a->p, err);
	a->key = gb_host_alloc(count, sizeof *a->key, err);
	if (!a->key)
		return 0;
	(void)graph_partition(a->p, bits > GRAPH_GROUP_BITS ? bits - GRAPH_GROUP_BITS : 0, &keys,
			      a->key);
	/* Each thread has room for the largest group, or each group has room of its own. */
	each = largest_group(a->p);
	most = each * (uint64_t)omp_get_max_threads();
	room = gb_host_alloc(most < count ? most : count, 2 * sizeof *room, err);
	if (!room)
		return 0;
#pragma omp parallel for schedule(dynamic)
	for (unsigned group = 0; group < GRAPH_GROUPS; group++) {
		const uint64_t begin = graph_group_begin(a->p, group),
			       size = graph_group_end(a->p, group) - begin,
			       own = most < count ? each * (uint64_t)omp_get_thread_num() : begin;

		a->first[group] =
			rank_keys(a->key + begin, size, room + 2 * own, room + 2 * own + size);
	}
	gb_host_free(room);
	for (unsigned group = 0; group < GRAPH_GROUPS; group++) {
		const uint64_t different = a->first[group];

		a->first[group] = sum;
		sum += different;
	}
	return sum - first;
}

/* ---- all --------------------------------------------------------------------------------- */

/* Number the vertices of a part of the edges. */
static void number_part(const struct numbering *a, unsigned part)
{
	const struct graph_edges edges = *a->edges;
	const uint64_t words = a->words, count = 2 * edges.count;
	uint64_t next[GRAPH_GROUPS];

	for (unsigned group = 0; a->p && group < GRAPH_GROUPS; group++)
		next[group] = part ? a->p->end[part - 1][group] : graph_group_begin(a->p, group);
	for (uint64_t i = graph_part(count, part); i < graph_part(count, part + 1); i++) {
		const uint64_t id = graph_id(&edges, i);

		if (id / 64 < words) {
			edges.pair[i] = (uint32_t)rank(a->word, id);
		} else {
			const uint64_t group = id >> a->p->shift;

			const uint64_t *key = a->key + next[group]++;

			edges.pair[i] = (uint32_t)(a->first[group] + *key);
			__builtin_prefetch(key + GRAPH_AHEAD);
		}
	}
}

/* Set edges->pair to the ranks of the ids.  Returns how many different ids there are. */
static uint64_t number_all(struct graph_edges *edges, uint64_t largest, struct gb_error *err)
{
	const uint64_t most = 2 * edges->count * SPREAD / 64;
	struct numbering a = { .edges = edges,
			       .words = 1 + (largest / 64 < most ? largest / 64 : most) };
	uint64_t others, different = 0;

	a.word = gb_host_zalloc(a.words, sizeof *a.word, err);
	if (edges->id)
		edges->pair = gb_host_alloc(edges->count, 2 * sizeof *edges->pair, err);
	if (err->code)
		goto out;
	others = mark(&a);
	if (others > edges->count) { /* most ids are large: treat all alike */
		a.words = 0;
		others = 2 * edges->count;
	}
	different = count_marks(a.word, a.words);
	if (others)
		different += rank_large(&a, largest, others, different, err);
	if (!err->code && different <= largest)
#pragma omp parallel for schedule(static)
		for (unsigned part = 0; part < GRAPH_PARTS; part++)
			number_part(&a, part);
out:
	gb_host_free(a.word);
	gb_host_free(a.p);
	gb_host_free(a.key);
	return different;
}

enum gb_status graph_number_vertices(struct gb_reader *r, struct graph_edges *edges,
				     const struct graph_found *found, uint64_t n)
{
	const uint64_t different =
		n <= found->largest ? number_all(edges, found->largest, r->err) : n;

	if (!r->err->code && different > INT32_MAX)
		gb_fail(r->err, GB_EUSAGE, "%s: %" PRIu64 " vertices, more than %d", r->path,
			different, INT32_MAX);
	if (different <= found->largest)
		gb_reader_note("%" PRIu64 " vertex ids renumbered (largest %" PRIu64 ")", different,
			       found->largest);
	edges->n = (uint32_t)different;
	gb_reader_count("vertices", "vertex",
			different <= found->largest ? found->largest + 1 : different, different);
	gb_host_free(edges->id);
	edges->id = NULL;
	return r->err->code;
}
