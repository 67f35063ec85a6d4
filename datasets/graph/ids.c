/* ids.c -- numbers the vertices of an edge list without gaps.
 *
 * The ids are marked in a bitmap of which only words with marks are stored, in a hash table.  The
 * rank of an id is the number of marks before it.  Memory grows with the edges, not with the ids.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "common/memory.h"
#include "common/text.h"
#include "datasets/graph/lines.h"

/* 64 ids: number * 64 and those after it.  No marks: a free slot. */
struct word {
	uint64_t number;
	uint64_t marks;
	uint64_t before; /* marks in words of smaller numbers */
};

struct table {
	struct word *word;
	size_t size; /* a power of two, at least twice `used` */
	size_t used;
};

static struct word *find(const struct table *t, uint64_t number)
{
	const uint64_t mixed = number * UINT64_C(0x9e3779b97f4a7c15);
	size_t i = (size_t)(mixed ^ mixed >> 32) & (t->size - 1);

	while (t->word[i].marks && t->word[i].number != number)
		i = (i + 1) & (t->size - 1);
	return &t->word[i];
}

/* Double the size of the table.  False if memory ran out. */
static bool grow(struct table *t, struct gb_error *err)
{
	struct table new = { .size = t->size ? 2 * t->size : 1024, .used = t->used };

	new.word = gb_host_zalloc(new.size, sizeof *new.word, err);
	if (!new.word)
		return false;
	for (size_t i = 0; i < t->size; i++)
		if (t->word[i].marks)
			*find(&new, t->word[i].number) = t->word[i];
	gb_host_free(t->word);
	*t = new;
	return true;
}

static bool mark(struct table *t, const uint64_t *id, uint64_t count, struct gb_error *err)
{
	if (!grow(t, err))
		return false;
	for (uint64_t i = 0; i < count; i++) {
		struct word *word = find(t, id[i] / 64);
		const bool fresh = !word->marks;

		word->number = id[i] / 64;
		word->marks |= UINT64_C(1) << id[i] % 64;
		if (fresh && 2 * ++t->used > t->size && !grow(t, err))
			return false;
	}
	return true;
}

static int by_number(const void *a, const void *b)
{
	return GB_ORDER(*(const uint64_t *)a, *(const uint64_t *)b);
}

/* Count the marks before each word.  Returns how many there are; 0 if memory ran out. */
static uint64_t count_marks(struct table *t, struct gb_error *err)
{
	uint64_t *number = gb_host_alloc(t->used, sizeof *number, err), marks = 0;
	size_t count = 0;

	if (!number)
		return 0;
	for (size_t i = 0; i < t->size; i++)
		if (t->word[i].marks)
			number[count++] = t->word[i].number;
	qsort(number, count, sizeof *number, by_number);
	for (size_t i = 0; i < count; i++) {
		struct word *word = find(t, number[i]);

		word->before = marks;
		marks += (unsigned)__builtin_popcountll(word->marks);
	}
	gb_host_free(number);
	return marks;
}

static uint32_t rank(const struct table *t, uint64_t id)
{
	const struct word *word = find(t, id / 64);
	const uint64_t below = (UINT64_C(1) << id % 64) - 1;

	return (uint32_t)(word->before + (unsigned)__builtin_popcountll(word->marks & below));
}

enum gb_status graph_number_vertices(struct gb_reader *r, struct graph_edges *edges,
				     const struct graph_found *found, uint64_t n)
{
	const uint64_t count = 2 * edges->count;
	struct table table = { 0 };
	uint64_t different = n;
	bool gaps = false;

	if (n <= found->largest) {
		if (mark(&table, edges->id, count, r->err))
			different = count_marks(&table, r->err);
		gaps = different <= found->largest;
	}
	if (!r->err->code && different > INT32_MAX)
		gb_fail(r->err, GB_EUSAGE, "%s: %" PRIu64 " vertices, more than %d", r->path,
			different, INT32_MAX);
	if (!r->err->code)
		edges->pair = gb_host_alloc(edges->count, 2 * sizeof *edges->pair, r->err);
	if (r->err->code)
		goto out;
#pragma omp parallel for schedule(static)
	for (uint64_t i = 0; i < count; i++)
		edges->pair[i] = gaps ? rank(&table, edges->id[i]) : (uint32_t)edges->id[i];
	if (gaps)
		gb_reader_note("%" PRIu64 " vertex ids renumbered (largest %" PRIu64 ")", different,
			       found->largest);
	edges->n = (uint32_t)different;
	gb_reader_count("vertices", gaps ? found->largest + 1 : different, different);
out:
	gb_host_free(table.word);
	gb_host_free(edges->id);
	edges->id = NULL;
	return r->err->code;
}
