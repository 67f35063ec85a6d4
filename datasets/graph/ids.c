/* ids.c -- numbers the vertices of an edge list without gaps, in the order of their ids.
 *
 * Ids below SPREAD times the number of all ids are marked in a bitmap, and the rank of one is the
 * number of marks before it.  Larger ids are copied, group by group of those with the same highest
 * bits; a group is sorted in a cache, and each copy is replaced by its rank.  A second walk over the
 * ids meets those of a group in the order of their copies.  Large ids have many digits, so memory is
 * bounded by a multiple of the text's size.
 */
#include <inttypes.h>

#include "common/memory.h"
#include "common/text.h"
#include "datasets/graph/lines.h"

enum { SPREAD = 16, AHEAD = 16, DIGIT_BITS = 13, DIGITS = 1 << DIGIT_BITS };

/* 64 ids, and the marks before them. */
struct word {
	uint64_t marks, before;
};

struct numbering {
	const uint64_t *id;
	uint64_t count;
	struct word *word;
	uint64_t words;               /* ids from 64 times this on are large */
	struct graph_partition *p;    /* of the large ids */
	uint64_t *key;                /* their copies, then their ranks in their groups */
	uint64_t first[GRAPH_GROUPS]; /* number of the first vertex of a group */
};

/* ---- small ids --------------------------------------------------------------------------- */

/* Fetch the word of id i, if there is one, so that a branch on its mark need not wait for it. */
static inline void fetch_word(const struct numbering *a, uint64_t i)
{
	const uint64_t index = i < a->count ? a->id[i] / 64 : a->words;

	if (index < a->words)
		__builtin_prefetch(a->word + index);
}

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
static uint64_t mark(struct numbering a)
{
	uint64_t others = 0;

#pragma omp parallel for schedule(static) reduction(+ : others)
	for (uint64_t i = 0; i < a.count; i++) {
		const uint64_t index = a.id[i] / 64;

		fetch_word(&a, i + AHEAD);
		if (index < a.words)
			set_mark(&a.word[index].marks, UINT64_C(1) << a.id[i] % 64);
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

static uint32_t rank(const struct word *word, uint64_t id)
{
	const uint64_t below = (UINT64_C(1) << id % 64) - 1;

	word += id / 64;
	return (uint32_t)(word->before + (unsigned)__builtin_popcountll(word->marks & below));
}

/* ---- large ids --------------------------------------------------------------------------- */

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

/* Replace each key by its rank among the different ones.  Returns how many different ones there are;
 * 0 if memory ran out. */
static uint64_t rank_keys(uint64_t *key, uint64_t count)
{
	struct gb_error memory = { 0 };
	uint64_t *place = gb_host_alloc(count, sizeof *place, &memory);
	uint64_t *other = gb_host_alloc(count, sizeof *other, &memory), *swap;
	uint64_t differing = 0, different = 0, before = 0;

	for (uint64_t i = 0; other && i < count; i++) {
		place[i] = i;
		differing |= key[i] ^ key[0];
	}
	for (unsigned shift = 0; shift < 64; shift += DIGIT_BITS)
		if ((differing >> shift) % DIGITS) {
			sort_digit(key, place, other, count, shift);
			swap = place;
			place = other;
			other = swap;
		}
	for (uint64_t i = 0; other && i < count; i++) {
		uint64_t *const k = &key[place[i]];

		different += i == 0 || *k != before;
		before = *k;
		*k = different - 1;
	}
	gb_host_free(place);
	gb_host_free(other);
	return different;
}

/* Rank the `count` large ids; the first one has the number `first`.  Returns how many different ones
 * there are. */
static uint64_t rank_large(struct numbering *a, uint64_t largest, uint64_t count, uint64_t first,
			   struct gb_error *err)
{
	const unsigned bits = 64 - (unsigned)__builtin_clzll(largest);
	uint64_t sum = first;
	bool dry = false;

	a->key = gb_host_alloc(count, sizeof *a->key, err);
	if (!a->key)
		return 0;
	a->p->shift = bits > GRAPH_GROUP_BITS ? bits - GRAPH_GROUP_BITS : 0;
	a->p->least = 64 * a->words;
	(void)graph_partition(a->p, a->id, a->count, a->key);
#pragma omp parallel for schedule(dynamic) reduction(|| : dry)
	for (unsigned group = 0; group < GRAPH_GROUPS; group++) {
		const uint64_t begin = graph_group(a->p, group),
			       size = graph_group(a->p, group + 1) - begin;

		a->first[group] = size ? rank_keys(a->key + begin, size) : 0;
		dry = dry || (size && !a->first[group]);
	}
	for (unsigned group = 0; group < GRAPH_GROUPS; group++) {
		const uint64_t different = a->first[group];

		a->first[group] = sum;
		sum += different;
	}
	if (dry)
		(void)gb_out_of_memory(err, NULL);
	return sum - first;
}

/* ---- all --------------------------------------------------------------------------------- */

/* The number of the vertex with id i, the next one of its group. */
static inline uint64_t number(const struct numbering *a, uint64_t i, uint64_t *next)
{
	const uint64_t id = a->id[i], *key;

	fetch_word(a, i + AHEAD);
	if (id / 64 < a->words)
		return rank(a->word, id);
	key = a->key + next[id >> a->p->shift]++;
	__builtin_prefetch(key + GRAPH_AHEAD);
	return a->first[id >> a->p->shift] + *key;
}

/* Number the vertices of a part of the edges. */
static void number_part(struct numbering a, unsigned part, uint64_t *edge)
{
	uint64_t next[GRAPH_GROUPS];

	for (unsigned group = 0; group < GRAPH_GROUPS; group++)
		next[group] = part ? a.p->end[part - 1][group] : graph_group(a.p, group);
	for (uint64_t i = graph_part(a.count, part); i < graph_part(a.count, part + 1); i += 2) {
		const uint64_t u = number(&a, i, next), v = number(&a, i + 1, next);

		edge[i / 2] = graph_key(u, v);
	}
}

/* Set edges->key to the ids themselves. */
static void take_ids(struct graph_edges *edges)
{
#pragma omp parallel for schedule(static)
	for (uint64_t i = 0; i < edges->count; i++)
		edges->key[i] = graph_key(edges->id[2 * i], edges->id[2 * i + 1]);
}

/* Set edges->key to the ranks of the ids.  Returns how many different ids there are. */
static uint64_t number_all(struct graph_edges *edges, uint64_t largest, struct gb_error *err)
{
	struct graph_partition p = { .both = false };
	struct numbering a = { .id = edges->id, .count = 2 * edges->count, .p = &p };
	uint64_t most, others, different;

	most = a.count * SPREAD / 64;
	a.words = 1 + (largest / 64 < most ? largest / 64 : most);
	a.word = gb_host_zalloc(a.words, sizeof *a.word, err);
	if (!a.word)
		return 0;
	others = mark(a);
	different = count_marks(a.word, a.words);
	if (others)
		different += rank_large(&a, largest, others, different, err);
	if (different > largest)
		take_ids(edges);
	else if (!err->code)
#pragma omp parallel for schedule(static)
		for (unsigned part = 0; part < GRAPH_PARTS; part++)
			number_part(a, part, edges->key);
	gb_host_free(a.word);
	gb_host_free(a.key);
	return different;
}

enum gb_status graph_number_vertices(struct gb_reader *r, struct graph_edges *edges,
				     const struct graph_found *found, uint64_t n)
{
	uint64_t different = n;

	edges->key = gb_host_alloc(edges->count, sizeof *edges->key, r->err);
	if (!edges->key)
		return r->err->code;
	if (n <= found->largest)
		different = number_all(edges, found->largest, r->err);
	else
		take_ids(edges);
	if (!r->err->code && different > INT32_MAX)
		gb_fail(r->err, GB_EUSAGE, "%s: %" PRIu64 " vertices, more than %d", r->path,
			different, INT32_MAX);
	if (different <= found->largest)
		gb_reader_note("%" PRIu64 " vertex ids renumbered (largest %" PRIu64 ")", different,
			       found->largest);
	edges->n = (uint32_t)different;
	gb_reader_count("vertices", "vertex",
			different <= found->largest ? found->largest + 1 : different, different);
	return r->err->code;
}
