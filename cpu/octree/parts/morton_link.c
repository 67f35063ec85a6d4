/* morton_link.c -- cpu/morton: sort the bodies of a cell, make and link its nodes.
 *
 * The sort works on words: the first 50 bits of a body's key below the cell, then its place among
 * the records.  Bodies that are equal in those bits are then ordered by their whole keys.
 *
 * One walk over the sorted keys follows.  Two neighbours share as many cells as their keys share
 * digits.  A cell that body j does not share with j - 1, but shares with j + bucket, begins with j
 * and has more than `bucket` bodies: it is a node.  The nodes that contain body j form a stack:
 * those that j - 1 and j do not share are popped, those that begin with j are pushed.  If j - 1 is
 * in another octant of the topmost node, j is the first body of a leaf; otherwise it follows j - 1
 * in one.
 *
 * A part is divided in place by its digit if it has more bodies than are sorted at once, which the
 * sample did not predict, or many with equal words; its octants are parts again.
 */
#include "cpu/octree/parts/morton.h"

#include <string.h>

enum { TIES = 32 }; /* at least OCTREE_MAX_BUCKET */

/* ---- sorting ------------------------------------------------------------------------------- */

void octree_sort_words(const struct octree_morton *m, const struct octree_worker *worker, size_t n)
{
	const struct radix_leaf leaf = { .record = worker->word[1],
					 .spare = worker->word[0],
					 .count = n,
					 .width = 8,
					 .top = 64,
					 .in_spare = true };

	if (m->cpu.simd >= CPU_AVX2)
		radix_leaf_pivots(&leaf, m->cpu.simd);
	else
		radix_leaf_stable(&leaf);
}

/* Turn sorted words into sorted keys, in place, and store their bodies in `order`. */
static void gather(const struct octree_record *record, uint64_t *word, size_t n, int32_t *order)
{
	for (size_t j = 0; j < n; j++) {
		const struct octree_record *r = record + (word[j] & (OCTREE_CELL_MAX - 1));

		word[j] = r->key;
		order[j] = (int32_t)r->body;
	}
}

/* Insertion sort by whole keys: only the few bodies that share the bits of a word are out of
 * order. */
static void settle(uint64_t *key, size_t n, int32_t *order)
{
	for (size_t j = 1; j < n; j++) {
		const uint64_t k = key[j];
		const int32_t body = order[j];
		size_t i = j;

		for (; i && key[i - 1] > k; i--) {
			key[i] = key[i - 1];
			order[i] = order[i - 1];
		}
		key[i] = k;
		order[i] = body;
	}
}

/* True if more than a few bodies of a sorted part have equal words. */
static bool has_many_ties(const uint64_t *word, size_t n)
{
	size_t run = 0;

	for (size_t j = 1; j < n && run < TIES; j++)
		run = word[j] >> OCTREE_CELL_BITS == word[j - 1] >> OCTREE_CELL_BITS ? run + 1 : 0;
	return run >= TIES;
}

/* Sort the keys of a part and store its bodies in `order`.  Returns the keys; NULL if the part
 * should be divided first. */
static const uint64_t *sort_part(const struct octree_morton *m, const struct octree_worker *w,
				 const struct octree_part *part, int32_t *order)
{
	const struct octree_record *record = m->record + part->begin;
	const int above = 3 * part->level + 1; /* the cell's bits, and the unused top one */
	const bool cut = above < OCTREE_CELL_BITS;
	const size_t n = part->count;

	for (size_t j = 0; j < n; j++)
		w->word[0][j] = (record[j].key << above & ~(uint64_t)(OCTREE_CELL_MAX - 1)) | j;
	octree_sort_words(m, w, n);
	if (cut && has_many_ties(w->word[1], n))
		return NULL;
	gather(record, w->word[1], n, order);
	if (cut)
		settle(w->word[1], n, order);
	return w->word[1];
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

/* Make a leaf of bodies with equal keys. */
static void link_equal(struct octree_morton *m, const struct octree_part *part)
{
	const struct octree_record *record = m->record + part->begin;
	const int digit = octree_digit(record->key, part->node_level);

	m->cpu.child[part->node][digit] = octree_body((int32_t)part->begin);
	for (size_t j = 0; j < part->count; j++)
		m->cpu.next[part->begin + j] = (int32_t)record[j].body;
}

/* Make the node of a part; 0 if that is the root, or the pool is exhausted. */
static int32_t node_of(struct octree_morton *m, struct octree_worker *worker,
		       const struct octree_part *part)
{
	const uint64_t key = m->record[part->begin].key;
	const int32_t row = part->level ? octree_cpu_node(&m->cpu, &worker->rows) : 0;

	if (row)
		m->cpu.child[part->node][octree_digit(key, part->node_level)] = row;
	return row;
}

bool octree_link(struct octree_morton *m, struct octree_worker *worker, struct octree_part part)
{
	const uint64_t *key = NULL;
	size_t first[9];
	int32_t node;

	if (!part.count)
		return true;
	if (part.level == OCTREE_LEVELS) {
		link_equal(m, &part);
		return true;
	}
	if (part.count <= OCTREE_CELL_MAX)
		key = sort_part(m, worker, &part, m->cpu.next + part.begin);
	if (key && m->cpu.bucket == 1)
		return link_keys(&m->cpu, &worker->rows, &part, key, 1);
	if (key)
		return link_keys(&m->cpu, &worker->rows, &part, key, (size_t)m->cpu.bucket);
	node = node_of(m, worker, &part);
	if (part.level && !node)
		return false;
	divide(m->record + part.begin, part.count, part.level, first);
	for (int d = 0; d < 8; d++) {
		const struct octree_part octant = { .begin = part.begin + first[d],
						    .count = first[d + 1] - first[d],
						    .node = node,
						    .node_level = part.level,
						    .level = part.level + 1 };

		if (!octree_link(m, worker, octant))
			return false;
	}
	return true;
}
