/* morton_plan.c -- cpu/morton: choose the cells that the bodies are divided into.
 *
 * The sample has a body at a random place of each step, so no regular order of the bodies hides
 * some.  Its keys are sorted, and its octree is made down to cells of at most cell_samples: these
 * are the parts, in ascending order of their keys.  Cells above them have more bodies than any
 * leaf, so they are nodes of the tree.  Tables that cover three levels each lead a body to its
 * part.
 *
 * The sample only affects load balance: octree_link() divides a part that is larger than planned,
 * and a lack of tables or parts only makes parts larger.
 */
#include "cpu/octree/shared/morton.h"

/* A cell to divide: samples first .. last - 1, and its entry in a table.  If the cell begins a
 * table of its own, the entry will refer to that. */
struct cell {
	size_t first, last;
	int32_t node;  /* parent */
	int32_t *slot; /* its octant in the parent; NULL for the root */
	size_t table, entry;
	int level;
};

static void set_entries(struct octree_morton *m, const struct cell *c, int32_t value)
{
	const int below =
		(OCTREE_TABLE_LEVELS - c->level % OCTREE_TABLE_LEVELS) % OCTREE_TABLE_LEVELS;
	const size_t span = (size_t)1 << 3 * below;

	for (size_t k = 0; k < span; k++)
		m->table[c->table][c->entry + k] = value;
}

static void make_part(struct octree_morton *m, const struct cell *c)
{
	const int32_t number = (int32_t)m->part_count++;

	m->part[number] = (struct octree_part){ .node = c->node,
						.node_level = c->level ? c->level - 1 : 0,
						.level = c->level };
	if (c->level)
		set_entries(m, c, number);
}

/* The end of the samples in octants 0 .. d of a cell. */
static size_t end_of(const uint64_t *sample, size_t first, size_t last, int shift, int d)
{
	while (first < last) {
		const size_t middle = first + (last - first) / 2;

		if ((int)(sample[middle] >> shift & 7) <= d)
			first = middle + 1;
		else
			last = middle;
	}
	return first;
}

/* True if a cell should become a node here, and there is room for its parts and tables. */
static bool is_divided(const struct octree_morton *m, const struct cell *c)
{
	return c->last - c->first > m->cell_samples && c->level <= OCTREE_DEEPEST &&
	       m->part_count + (size_t)8 * OCTREE_LEVELS < OCTREE_CELLS &&
	       (c->level % OCTREE_TABLE_LEVELS || m->table_count < OCTREE_TABLES);
}

/* Divide a cell into parts.  False if the pool is exhausted. */
static bool divide(struct octree_morton *m, const uint64_t *sample, struct cell c)
{
	const int within = c.level % OCTREE_TABLE_LEVELS;
	const int shift = 3 * (OCTREE_DEEPEST - c.level);
	const size_t span = (size_t)1 << 3 * (OCTREE_TABLE_LEVELS - 1 - within);
	int32_t row = 0;

	if (!is_divided(m, &c)) {
		make_part(m, &c);
		return true;
	}
	if (c.slot) {
		row = octree_cpu_node(&m->cpu, &m->worker[0].rows);
		if (!row)
			return false;
		*c.slot = row;
	}
	if (!within) {
		const size_t table = m->table_count++;

		if (c.level)
			m->table[c.table][c.entry] = -1 - (int32_t)table;
		c.table = table;
		c.entry = 0;
	}
	for (int d = 0; d < 8; d++) {
		const size_t end = end_of(sample, c.first, c.last, shift, d);
		struct cell child = { c.first,    end,
				      row,        &m->cpu.child[row][d],
				      c.table,    c.entry + span * (size_t)d,
				      c.level + 1 };

		if (!divide(m, sample, child))
			return false;
		c.first = end;
	}
	return true;
}

bool octree_plan(struct octree_morton *m)
{
	struct octree_worker *worker = &m->worker[0];
	struct cell root = { 0, m->samples, 0, NULL, 0, 0, 0 };

	m->part_count = 0;
	m->table_count = 0;
	if (m->samples <= m->cell_samples) {
		make_part(m, &root);
		return true;
	}
	for (size_t k = 0; k < m->samples; k++) {
		const size_t at = octree_mix(k) % m->sample_step;

		octree_cpu_keys_of(&m->cpu, k * m->sample_step + at, 1, worker->word[0] + k);
	}
	octree_sort_words(m, worker, 0, 0, m->samples);
	return divide(m, worker->word[1], root);
}
