/* morton_link.c -- cpu/morton: sort the bodies of a cell, make and link its nodes.
 *
 * The sort works on words: the first 50 bits of a body's key below the cell, then its place among
 * the records.  Bodies that are equal in those bits are sorted again by the others.  If the cell
 * has few finest cells for its bodies, these are counted and moved instead.
 *
 * One walk over the sorted keys follows.  Two neighbours share as many cells as their keys share
 * digits.  A cell that body j does not share with j - 1, but shares with j + bucket, begins with j
 * and has more than `bucket` bodies: it is a node.  The nodes that contain body j form a stack:
 * those that j - 1 and j do not share are popped, those that begin with j are pushed.  If j - 1 is
 * in another octant of the topmost node, j is the first body of a leaf; otherwise it follows j - 1
 * in one.
 *
 * A part is divided in place by its digit if it has more bodies than are sorted at once, which the
 * sample did not predict; its octants are parts again.
 */
#include "cpu/octree/shared/morton.h"

#include <string.h>

enum {
	COUNTED_LEVELS = 4, /* height of the highest cell whose finest cells are counted */
	CELLS_PER_BODY = 2, /* most finest cells per body that are, as a power of two */
};

/* ---- sorting ------------------------------------------------------------------------------- */

void octree_sort_words(const struct octree_morton *m, const struct octree_worker *w, int from,
		       size_t begin, size_t end)
{
	const struct radix_vector_ops *vectors =
		radix_vectors(sizeof(uint64_t), false, m->cpu.simd);
	uint64_t *const word = w->word[1] + begin, *const spare = w->word[0] + begin;
	const size_t n = end - begin;

	if (!vectors) {
		radix_sort_digits(word, spare, from == 0, n, sizeof *word, 0, 64);
		return;
	}
	if (from == 0)
		memcpy(word, spare, n * sizeof *word);
	vectors->sort(word, n, radix_medians_for(n), n);
}

/* Sort the bodies that are equal in the bits of a word, all but the lowest `low` of a key, by the
 * others. */
static void settle(const struct octree_morton *m, const struct octree_worker *w,
		   const struct octree_record *record, size_t n, int low)
{
	uint64_t *word = w->word[1];

	for (size_t j = 0, end; j < n; j = end) {
		for (end = j + 1; end < n && (word[j] ^ word[end]) < OCTREE_CELL_MAX; end++)
			;
		if (end - j == 1)
			continue;
		for (size_t i = j; i < end; i++) {
			word[i] &= OCTREE_CELL_MAX - 1;
			word[i] |= record[word[i]].key << (64 - low);
		}
		octree_sort_words(m, w, 1, j, end);
	}
}

/* Sort the bodies of a cell by their finest cells, 8^height of them. */
static void count_cells(const struct octree_worker *w, const struct octree_record *record, size_t n,
			int height, int32_t *order)
{
	const size_t cells = (size_t)1 << 3 * height;
	uint32_t *place = w->count, sum = 0;

	memset(place, 0, cells * sizeof *place);
	for (size_t j = 0; j < n; j++)
		place[record[j].key & (cells - 1)]++;
	for (size_t c = 0; c < cells; c++) {
		const uint32_t count = place[c];

		place[c] = sum;
		sum += count;
	}
	for (size_t j = 0; j < n; j++) {
		const uint32_t to = place[record[j].key & (cells - 1)]++;

		w->word[1][to] = record[j].key;
		order[to] = (int32_t)record[j].body;
	}
}

/* Sort the keys of a part into w->word[1] and store its bodies in `order`. */
static void sort_part(const struct octree_morton *m, const struct octree_worker *w,
		      const struct octree_part *part, int32_t *order)
{
	const struct octree_record *record = m->record + part->begin;
	const int above = 3 * part->level + 1; /* the cell's bits, and the unused top one */
	const int height = OCTREE_LEVELS - part->level;
	const size_t n = part->count;
	uint64_t *word = w->word[1];

	if (height <= COUNTED_LEVELS && n >= (size_t)1 << 3 * height >> CELLS_PER_BODY) {
		count_cells(w, record, n, height, order);
		return;
	}
	for (size_t j = 0; j < n; j++)
		w->word[0][j] = (record[j].key << above & ~(uint64_t)(OCTREE_CELL_MAX - 1)) | j;
	octree_sort_words(m, w, 0, 0, n);
	if (above < OCTREE_CELL_BITS)
		settle(m, w, record, n, OCTREE_CELL_BITS - above);
	for (size_t j = 0; j < n; j++) {
		const struct octree_record *r = record + (word[j] & (OCTREE_CELL_MAX - 1));

		word[j] = r->key;
		order[j] = (int32_t)r->body;
	}
}

/* ---- linking ------------------------------------------------------------------------------- */

/* Make the nodes and leaves of the sorted keys of a part.  False if the pool is exhausted. */
static inline bool link_keys(struct octree_cpu *cpu, struct octree_rows *rows,
			     const struct octree_part *part, const uint64_t *key, size_t bucket)
{
	const size_t n = part->count;
	int32_t node[OCTREE_LEVELS]; /* nodes that contain the body, by level */
	int top = part->node_level;
	int before = top; /* levels shared with the previous body */

	node[top] = part->node;
	for (size_t j = 0; j < n; j++) {
		const int after = j + 1 < n ? octree_shared(key[j], key[j + 1]) : -1;
		int deepest = bucket == 1 ? after : -1;
		int32_t *slot;

		if (bucket > 1 && j + bucket < n)
			deepest = octree_shared(key[j], key[j + bucket]);
		deepest = deepest < OCTREE_DEEPEST ? deepest : OCTREE_DEEPEST;
		top = before < top ? before : top;
		slot = &cpu->child[node[top]][octree_digit(key[j], top)];
		while (top < deepest) {
			const int32_t row = octree_cpu_node(cpu, rows);

			if (!row)
				return false;
			*slot = row;
			node[++top] = row;
			slot = &cpu->child[row][octree_digit(key[j], top)];
		}
		if (before <= top)
			*slot = octree_body((int32_t)(part->begin + j));
		before = after;
	}
	return true;
}

/* ---- parts --------------------------------------------------------------------------------- */

/* Order records by a digit, in place: each goes to the next place of its digit.  first[d]: where
 * digit d begins. */
static void divide(struct octree_record *record, size_t n, int level, size_t first[9])
{
	size_t place[8];

	memset(first, 0, 9 * sizeof *first);
	for (size_t j = 0; j < n; j++)
		first[octree_digit(record[j].key, level) + 1]++;
	for (int d = 0; d < 8; d++) {
		place[d] = first[d];
		first[d + 1] += first[d];
	}
	for (int d = 0; d < 8; d++)
		while (place[d] < first[d + 1]) {
			const struct octree_record here = record[place[d]];
			const int there = octree_digit(here.key, level);
			const size_t to = place[there]++;

			if (there != d) {
				record[place[d]] = record[to];
				record[to] = here;
			}
		}
}

/* The levels that all bodies of a part share. */
static int shared_by_all(const struct octree_record *record, size_t n)
{
	uint64_t differ = 0;

	for (size_t j = 1; j < n; j++)
		differ |= record[j].key ^ record[0].key;
	return octree_shared(0, differ);
}

/* Make a leaf of bodies with equal keys. */
static void link_equal(struct octree_morton *m, const struct octree_part *part)
{
	const struct octree_record *record = m->record + part->begin;
	const int digit = octree_digit(record->key, part->node_level);

	m->cpu.child[part->node][digit] = octree_body((int32_t)part->begin);
	for (size_t j = 0; j < part->count; j++)
		m->cpu.next[part->begin + j] = (int32_t)record[j].body;
}

/* Make the node of a part, unless that is the root, and go one level down.  False if the pool is
 * exhausted. */
static bool enter(struct octree_morton *m, struct octree_worker *worker, struct octree_part *part)
{
	const int digit = octree_digit(m->record[part->begin].key, part->node_level);
	const int32_t row = part->level ? octree_cpu_node(&m->cpu, &worker->rows) : 0;

	if (part->level && !row)
		return false;
	if (row)
		m->cpu.child[part->node][digit] = row;
	part->node = row;
	part->node_level = part->level++;
	return true;
}

bool octree_link(struct octree_morton *m, struct octree_worker *worker, struct octree_part part)
{
	const struct octree_record *record = m->record + part.begin;
	int shared = OCTREE_LEVELS;
	size_t first[9];

	if (!part.count)
		return true;
	if (part.level < OCTREE_LEVELS && part.count <= OCTREE_CELL_MAX) {
		sort_part(m, worker, &part, m->cpu.next + part.begin);
		if (m->cpu.bucket == 1)
			return link_keys(&m->cpu, &worker->rows, &part, worker->word[1], 1);
		return link_keys(&m->cpu, &worker->rows, &part, worker->word[1],
				 (size_t)m->cpu.bucket);
	}
	if (part.level < OCTREE_LEVELS)
		shared = shared_by_all(record, part.count);
	while (part.level < OCTREE_LEVELS && part.level <= shared)
		if (!enter(m, worker, &part))
			return false;
	if (shared == OCTREE_LEVELS) {
		link_equal(m, &part);
		return true;
	}
	divide(m->record + part.begin, part.count, part.node_level, first);
	for (int d = 0; d < 8; d++) {
		const struct octree_part octant = { .begin = part.begin + first[d],
						    .count = first[d + 1] - first[d],
						    .node = part.node,
						    .node_level = part.node_level,
						    .level = part.level };

		if (!octree_link(m, worker, octant))
			return false;
	}
	return true;
}
