/* ids.c -- numbers the vertices of an edge list without gaps, in the order of their ids.
 *
 * Ids below SPREAD times the number of all ids are marked in a bitmap, and the rank of one is the
 * number of marks before it.  Larger ids are sorted.  They have many digits, so memory is bounded by
 * a multiple of the text's size.
 */
#include <inttypes.h>

#include "common/memory.h"
#include "common/text.h"
#include "datasets/graph/lines.h"

enum { SPREAD = 8, DIGIT_BITS = 12, DIGITS = 1 << DIGIT_BITS };

/* 64 ids, and the marks before them. */
struct word {
	uint64_t marks, before;
};

/* A large id and its index in the list. */
struct large {
	uint64_t id, index;
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

/* Mark the ids that the words have room for.  Returns the number of the others. */
static uint64_t mark(struct word *word, uint64_t words, const uint64_t *id, uint64_t count)
{
	uint64_t others = 0;

#pragma omp parallel for schedule(static) reduction(+ : others)
	for (uint64_t i = 0; i < count; i++)
		if (id[i] / 64 < words)
			set_mark(&word[id[i] / 64].marks, UINT64_C(1) << id[i] % 64);
		else
			others++;
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

/* Sort stably by the digit of that shift. */
static void sort_digit(const struct large *from, struct large *to, uint64_t count, unsigned shift)
{
	uint64_t next[DIGITS + 1] = { 0 };

	for (uint64_t i = 0; i < count; i++)
		next[(from[i].id >> shift) % DIGITS + 1]++;
	for (size_t d = 1; d < DIGITS; d++)
		next[d] += next[d - 1];
	for (uint64_t i = 0; i < count; i++)
		to[next[(from[i].id >> shift) % DIGITS]++] = from[i];
}

/* Give the `count` ids that the words have no room for the numbers from `first` on.  Returns how
 * many different ones there are; 0 if memory ran out. */
static uint64_t number_large(const struct graph_edges *edges, uint64_t words, uint64_t largest,
			     uint64_t count, uint64_t first, struct gb_error *err)
{
	struct large *from = gb_host_alloc(count, sizeof *from, err);
	struct large *to = gb_host_alloc(count, sizeof *to, err), *swap;
	uint64_t found = 0, different = 0;

	if (!to)
		goto out;
	for (uint64_t i = 0; i < 2 * edges->count; i++)
		if (edges->id[i] / 64 >= words)
			from[found++] = (struct large){ edges->id[i], i };
	for (unsigned shift = 0; shift < 64 && largest >> shift; shift += DIGIT_BITS) {
		sort_digit(from, to, count, shift);
		swap = from;
		from = to;
		to = swap;
	}
	for (uint64_t i = 0; i < count; i++) {
		different += i == 0 || from[i].id != from[i - 1].id;
		edges->pair[from[i].index] = (uint32_t)(first + different - 1);
	}
out:
	gb_host_free(from);
	gb_host_free(to);
	return different;
}

/* ---- all --------------------------------------------------------------------------------- */

/* Set edges->pair to the ranks of the ids.  Returns how many different ids there are. */
static uint64_t number_all(struct graph_edges *edges, uint64_t largest, struct gb_error *err)
{
	const uint64_t count = 2 * edges->count, most = count * SPREAD / 64;
	const uint64_t words = 1 + (largest / 64 < most ? largest / 64 : most);
	struct word *word = gb_host_zalloc(words, sizeof *word, err);
	uint64_t others, different;

	if (!word)
		return 0;
	others = mark(word, words, edges->id, count);
	different = count_marks(word, words);
#pragma omp parallel for schedule(static)
	for (uint64_t i = 0; i < count; i++)
		if (edges->id[i] / 64 < words)
			edges->pair[i] = rank(word, edges->id[i]);
	gb_host_free(word);
	if (others)
		different += number_large(edges, words, largest, others, different, err);
	return different;
}

enum gb_status graph_number_vertices(struct gb_reader *r, struct graph_edges *edges,
				     const struct graph_found *found, uint64_t n)
{
	uint64_t different = n;

	edges->pair = gb_host_alloc(edges->count, 2 * sizeof *edges->pair, r->err);
	if (!edges->pair)
		goto out;
	if (n <= found->largest)
		different = number_all(edges, found->largest, r->err);
	else
#pragma omp parallel for schedule(static)
		for (uint64_t i = 0; i < 2 * edges->count; i++)
			edges->pair[i] = (uint32_t)edges->id[i];
	if (!r->err->code && different > INT32_MAX)
		gb_fail(r->err, GB_EUSAGE, "%s: %" PRIu64 " vertices, more than %d", r->path,
			different, INT32_MAX);
	if (different <= found->largest)
		gb_reader_note("%" PRIu64 " vertex ids renumbered (largest %" PRIu64 ")", different,
			       found->largest);
	edges->n = (uint32_t)different;
	gb_reader_count("vertices", "vertex",
			different <= found->largest ? found->largest + 1 : different, different);
out:
	gb_host_free(edges->id);
	edges->id = NULL;
	return r->err->code;
}
