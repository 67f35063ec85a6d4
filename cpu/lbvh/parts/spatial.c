/* spatial.c -- top-down build with spatial splits (Stich, Friedrich, Dietrich 2009: "Spatial splits
 * in bounding volume hierarchies").
 *
 * A reference is a primitive, or a part of one, with the box of that part.  The planes of split.c
 * divide a range of references between their centres.  Here, a range may also be divided in space:
 * a reference on both sides of a plane is cut in two.  The boxes of long triangles then no longer
 * overlap, at the price of more references.
 *
 * As in the paper, planes in space are tried where the sides of the best other plane overlap by
 * more than OVERLAP of the scene's surface.  The parts of a reference between the planes of a grid
 * fill its bins ("chopped binning"), and a reference stays whole on one side if that costs less
 * ("unsplitting").  The part that a cut leaves is the polygon of the triangle within the
 * reference's box, computed in double precision.  Its box is rounded outwards.
 *
 * A range owns places in the arrays, lbvh_references_max() of them at the root, and divides the
 * free ones between its halves in proportion.  It is not divided in space if they do not suffice.
 * So neither memory nor the tree depends on the number of threads.  Node numbers do not, either: a
 * leaf has twice its first place, and an inner node twice the first place of its right half, minus
 * 1.  In the end, nodes are numbered depth first and the gaps between references closed.
 *
 * All threads fill the bins of a large range, one with more than a thread's share of references.
 * Other ranges of FEW references or more are OpenMP tasks.
 *
 * Bound: instructions, most of them for the bins in space (split_space.h).
 */
#include <math.h>
#include <string.h>

#include "common/memory.h"
#include "cpu/lbvh/parts/clip.h"
#include "cpu/lbvh/parts/cut.h"
#include "cpu/lbvh/parts/frame.h"
#include "cpu/lbvh/parts/lanes.h"
#include "cpu/lbvh/parts/split_ways.h"

#define OVERLAP 1e-5F /* the paper's alpha */

enum {
	FEW = 512,     /* ranges of fewer references are no tasks */
	FEWEST = 4096, /* a large range has more references than this */
	RANGES = 256,  /* from so many ranges on, none is large */
};

/* A range, and the end of its places. */
struct room {
	struct lbvh_range range;
	uint32_t end;
};

/* The search for planes.  The bins in space may be unused. */
struct search {
	struct lbvh_split_grid grid;
	struct lbvh_bins bins;
	struct lbvh_plane plane; /* between centres */
	struct lbvh_space space;
};

/* The size of a subtree. */
struct size {
	uint32_t leaves, references;
};

/* A range without a subtree yet, and the place for the number of its root. */
struct pending {
	struct room room;
	uint32_t *link;
	struct size size;
	uint32_t root, to, at; /* in the end: its root, and places of nodes and references */
};

/* A thread's part of a large range. */
struct share {
	struct lbvh_extent extent;
	struct search search;
	char apart[64];
};

struct lbvh_spatial {
	struct pending pending[RANGES]; /* those before `at` are not large */
	uint32_t at, count;
	float least; /* an overlap of more than this is too much */
	bool any;    /* a large range is left, pending[at] */
	bool plain;  /* the large range needs no planes in space */
	bool in_space;
	struct share share[];
};

/* ---- ranges ------------------------------------------------------------------------------- */

static struct lbvh_box *records(const struct lbvh_cpu *cpu, uint32_t level)
{
	return level % 2 ? cpu->box_spare : cpu->box;
}

/* The first place of the right half: each half gets a share of the free places. */
static uint32_t middle_of(const struct room *r, uint32_t left, uint32_t right)
{
	const uint64_t all = (uint64_t)left + right, free = r->end - r->range.first - all;

	return r->range.first + left + (all ? (uint32_t)(free * left / all) : 0);
}

/* Divide a range in space; returns the halves. */
static void part_in_space(struct lbvh_cpu *cpu, const struct room *r, struct cut *cut,
			  struct room half[2])
{
	const uint32_t below = r->range.level + 1, first = r->range.first;
	struct lbvh_box *from = records(cpu, r->range.level) + first;
	struct lbvh_box *to = records(cpu, below), part[2];
	/* At most i + 1 on the right: none is overwritten before it is read. */
	struct lbvh_box *const side[2] = { to + first, from };
	uint32_t count[2] = { 0, 0 }, middle;

	for (uint32_t i = 0; i < r->range.count; i++) {
		int32_t low[4], high[4];
		unsigned above;

		bins_of(&cut->grid, from + i, low, high);
		above = low[cut->axis] >= cut->bin;
		if (above == (high[cut->axis] >= cut->bin)) {
			side[above][count[above]++] = from[i];
			continue;
		}
		above = divide(cut, cpu->input, from + i, part);
		for (unsigned k = 0; k < 2; k++)
			if (above >> k & 1)
				side[k][count[k]++] = part[k];
	}
	middle = middle_of(r, count[0], count[1]);
	memcpy(to + middle, from, count[1] * sizeof *to);
	half[0] = (struct room){ { first, count[0], below }, middle };
	half[1] = (struct room){ { middle, count[1], below }, r->end };
}

static void part_by_centre(struct lbvh_cpu *cpu, const struct room *r,
			   const struct lbvh_split_grid *grid, const struct lbvh_plane *plane,
			   struct room half[2])
{
	const uint32_t below = r->range.level + 1, first = r->range.first, count = r->range.count;
	const uint32_t middle = middle_of(r, plane->left, count - plane->left);
	const struct lbvh_box *from = records(cpu, r->range.level) + first;
	struct lbvh_box *to = records(cpu, below);

	if (plane->axis < 3) {
		cpu->ways->partition(from, to + first, count, grid, plane, 0, middle - first);
	} else {
		memcpy(to + first, from, plane->left * sizeof *to);
		memcpy(to + middle, from + plane->left, (count - plane->left) * sizeof *to);
	}
	half[0] = (struct room){ { first, plane->left, below }, middle };
	half[1] = (struct room){ { middle, count - plane->left, below }, r->end };
}

/* ---- the tree ----------------------------------------------------------------------------- */

/* Make a subtree without planes in space; returns its root. */
static uint32_t make_plain(struct lbvh_cpu *cpu, const struct lbvh_range *r, struct size *size)
{
	const uint32_t root = 2 * r->first;
	const uint32_t used = cpu->ways->subtree(cpu, *r, cpu->spare + root);

	for (uint32_t i = root; i < root + used; i++)
		if (!(cpu->spare[i].left & LBVH_LEAF)) {
			cpu->spare[i].left += root;
			cpu->spare[i].right += root;
		}
	size->leaves += (used + 1) / 2;
	size->references += r->count;
	return root;
}

static uint32_t make_leaf(struct lbvh_cpu *cpu, const struct lbvh_range *r,
			  const struct lbvh_box *around, struct size *size)
{
	const struct lbvh_box *from = records(cpu, r->level) + r->first;
	const uint32_t root = 2 * r->first;

	lanes_store_node(cpu->spare + root, lanes_load(around->lo), -0.0F - lanes_load(around->hi),
			 LBVH_LEAF | r->first, r->count);
	for (uint32_t i = 0; i < r->count; i++)
		cpu->index[r->first + i] = number_of(from + i);
	size->leaves++;
	size->references += r->count;
	return root;
}

/* Find the best plane between centres; true if planes in space are tried, too. */
static bool find_plane(const struct lbvh_cpu *cpu, struct search *s, uint32_t count)
{
	struct lbvh_box side[2];

	s->plane = cpu->ways->plane(&s->bins, &s->grid, count, side);
	return s->plane.axis == 3 || overlap(&side[0], &side[1]) > cpu->spatial->least;
}

/* Divide a range by the cheaper of the best planes; false if it is cheaper as a leaf. */
static bool divide_range(struct lbvh_cpu *cpu, const struct room *r, float surface,
			 const struct search *s, bool in_space, struct room half[2])
{
	const uint32_t count = r->range.count, free = r->end - r->range.first - count;
	const float whole = surface * (float)count;
	struct cut cut = { .cost = INFINITY };

	if (in_space)
		cut = find_cut(&s->space);
	if (!(cut.cost < lbvh_min(s->plane.cost, whole)) ||
	    cut.count[0] + cut.count[1] - count > free)
		cut.cost = INFINITY;
	if (count <= LBVH_SPLIT_LEAF && !(surface + lbvh_min(cut.cost, s->plane.cost) < whole))
		return false;
	if (cut.cost < INFINITY)
		part_in_space(cpu, r, &cut, half);
	else
		part_by_centre(cpu, r, &s->grid, &s->plane, half);
	return true;
}

/* The same by one thread, from the start. */
static bool search_range(struct lbvh_cpu *cpu, const struct room *r,
			 const struct lbvh_extent *extent, struct room half[2])
{
	const struct lbvh_box *from = records(cpu, r->range.level) + r->range.first;
	const uint32_t count = r->range.count;
	struct search s;
	bool in_space;

	cpu->ways->grid(&s.grid, extent, count);
	cpu->ways->bins(&s.bins, &s.grid, from, count);
	in_space = find_plane(cpu, &s, count);
	if (in_space) {
		clear_space(&s.space, count, &extent->box);
		cpu->ways->space(&s.space, cpu->input, from, count);
	}
	return divide_range(cpu, r, area(&extent->box), &s, in_space, half);
}

/* Make the node of a divided range, whose children are not known yet. */
static struct lbvh_node *make_inner(struct lbvh_cpu *cpu, const struct lbvh_box *around,
				    const struct room half[2], uint32_t *link)
{
	*link = 2 * half[1].range.first - 1;
	lanes_store_node(cpu->spare + *link, lanes_load(around->lo), -0.0F - lanes_load(around->hi),
			 0, 0);
	return cpu->spare + *link;
}

static void make_by_task(struct lbvh_cpu *cpu, struct room r, uint32_t *link, struct pending *of);

/* Make the subtree of a range in cpu->spare, write its root to *link and add its size.  No thread
 * waits for a task: libgomp would run only tasks of the same parent meanwhile.  of: the pending
 * range that this one is a part of. */
static void make(struct lbvh_cpu *cpu, struct room r, uint32_t *link, struct pending *of,
		 struct size *size)
{
	struct lbvh_extent extent;
	struct room half[2];
	struct lbvh_node *node;

	for (;; r = half[1], link = &node->right) {
		const uint32_t count = r.range.count;

		cpu->ways->extent(&extent, records(cpu, r.range.level) + r.range.first, count);
		/* The sides of a plane cannot overlap by more than all. */
		if (count == 1 || r.range.level >= LBVH_SPLIT_DEEP ||
		    area(&extent.box) <= cpu->spatial->least) {
			*link = make_plain(cpu, &r.range, size);
			return;
		}
		if (!search_range(cpu, &r, &extent, half)) {
			*link = make_leaf(cpu, &r.range, &extent.box, size);
			return;
		}
		node = make_inner(cpu, &extent.box, half, link);
		if (cpu->threads > 1 && count >= FEW) {
			const struct room left = half[0];

#pragma omp task
			make_by_task(cpu, left, &node->left, of);
		} else {
			make(cpu, half[0], &node->left, of, size);
		}
	}
}

static void make_by_task(struct lbvh_cpu *cpu, struct room r, uint32_t *link, struct pending *of)
{
	struct size size = { 0, 0 };

	make(cpu, r, link, of, &size);
#pragma omp atomic
	of->size.leaves += size.leaves;
#pragma omp atomic
	of->size.references += size.references;
}

/* ---- large ranges, by all threads --------------------------------------------------------- */

void lbvh_cpu_alloc_spatial(struct lbvh_cpu *cpu, struct gb_error *err)
{
	cpu->spatial = gb_host_alloc(
		1, sizeof *cpu->spatial + (size_t)cpu->threads * sizeof *cpu->spatial->share, err);
}

/* Find the next large range. */
static bool next_large(const struct lbvh_cpu *cpu, struct lbvh_spatial *s)
{
	const size_t least = cpu->count / (size_t)cpu->threads;

	for (; cpu->threads > 1 && s->at < s->count && s->count < RANGES; s->at++) {
		const struct lbvh_range *r = &s->pending[s->at].room.range;

		if (r->count > least && r->count > FEWEST && r->level < LBVH_SPLIT_DEEP)
			return true;
	}
	return false;
}

/* Divide the current range and put its halves on the list instead. */
static void replace(struct lbvh_cpu *cpu, struct lbvh_spatial *s)
{
	const struct lbvh_box *around = &s->share[0].extent.box;
	struct pending *p = s->pending + s->at;
	struct room half[2] = { 0 };
	struct lbvh_node *node;

	/* A range of more than LBVH_SPLIT_LEAF references is always divided. */
	(void)divide_range(cpu, &p->room, area(around), &s->share[0].search, s->in_space, half);
	node = make_inner(cpu, around, half, p->link);
	*p = (struct pending){ .room = half[0], .link = &node->left };
	s->pending[s->count++] = (struct pending){ .room = half[1], .link = &node->right };
}

/* Divide the current range by all threads, each with a part of the references, unless it needs no
 * planes in space. */
static void divide_large(struct lbvh_cpu *cpu, struct lbvh_spatial *s)
{
	const size_t t = (size_t)omp_get_thread_num(), threads = (size_t)omp_get_num_threads();
	const struct lbvh_range r = s->pending[s->at].room.range;
	const uint32_t begin = (uint32_t)(r.count * t / threads);
	const uint32_t count = (uint32_t)(r.count * (t + 1) / threads) - begin;
	const struct lbvh_box *from = records(cpu, r.level) + r.first + begin;
	struct share *own = s->share + t, *all = s->share;

	cpu->ways->extent(&own->extent, from, count);
#pragma omp barrier
#pragma omp single
	{
		for (size_t i = 1; i < threads; i++)
			cpu->ways->join_extents(&all->extent, &s->share[i].extent);
		s->plain = area(&all->extent.box) <= s->least;
		s->at += s->plain;
		cpu->ways->grid(&all->search.grid, &all->extent, r.count);
	}
	if (s->plain)
		return;
	cpu->ways->bins(&own->search.bins, &all->search.grid, from, count);
#pragma omp barrier
#pragma omp single
	{
		for (size_t i = 1; i < threads; i++)
			cpu->ways->join_bins(&all->search.bins, &s->share[i].search.bins,
					     all->search.grid.bins);
		s->in_space = find_plane(cpu, &all->search, r.count);
	}
	if (s->in_space) {
		clear_space(&own->search.space, r.count, &all->extent.box);
		cpu->ways->space(&own->search.space, cpu->input, from, count);
	}
#pragma omp barrier
#pragma omp single
	{
		for (size_t i = 1; i < threads && s->in_space; i++)
			join_space(&all->search.space, &s->share[i].search.space);
		replace(cpu, s);
	}
}

/* ---- numbers depth first ------------------------------------------------------------------ */

/* Flag of a child's number: it is that of a pending range. */
#define PENDING (UINT32_C(1) << 31)

/* Copy the nodes above the pending ranges to node[to ..], and set where those go; *at: the place of
 * the next reference.  Returns the number after the last node. */
static uint32_t place_above(struct lbvh_cpu *cpu, uint32_t child, uint32_t to, uint32_t *at)
{
	const struct lbvh_node *from = cpu->spare + child;
	struct lbvh_node *node = cpu->node + to;

	if (child & PENDING) {
		struct pending *p = cpu->spatial->pending + (child & ~PENDING);

		p->to = to;
		p->at = *at;
		*at += p->size.references;
		return to + 2 * p->size.leaves - 1;
	}
	*node = *from;
	node->left = to + 1;
	node->right = place_above(cpu, from->left, to + 1, at);
	return place_above(cpu, from->right, node->right, at);
}

/* Copy a subtree to node[to ..] and its numbers to index_spare[*at ..]; returns the number after
 * its last node. */
static uint32_t place(struct lbvh_cpu *cpu, uint32_t root, uint32_t to, uint32_t *at)
{
	const struct lbvh_node *from = cpu->spare + root;
	struct lbvh_node *node = cpu->node + to;
	const uint32_t first = from->left & ~LBVH_LEAF;

	*node = *from;
	if (from->left & LBVH_LEAF) {
		node->left = LBVH_LEAF | *at;
		for (uint32_t i = 0; i < from->right; i++)
			cpu->index_spare[(*at)++] = cpu->index[first + i];
		return to + 1;
	}
	__builtin_prefetch(cpu->spare + from->right);
	node->left = to + 1;
	node->right = place(cpu, from->left, to + 1, at);
	return place(cpu, from->right, node->right, at);
}

static void place_all(struct lbvh_cpu *cpu)
{
	struct lbvh_spatial *s = cpu->spatial;

#pragma omp single
	{
		uint32_t at = 0;

		for (uint32_t i = 0; i < s->count; i++) {
			s->pending[i].root = *s->pending[i].link;
			*s->pending[i].link = PENDING | i;
		}
		cpu->leaves = (place_above(cpu, cpu->root, 0, &at) + 1) / 2;
		cpu->references = at;
	}
#pragma omp for schedule(dynamic, 1)
	for (uint32_t i = 0; i < s->count; i++)
		(void)place(cpu, s->pending[i].root, s->pending[i].to, &s->pending[i].at);
#pragma omp single
	{
		uint32_t *index = cpu->index;

		cpu->index = cpu->index_spare;
		cpu->index_spare = index;
	}
}

void lbvh_cpu_spatial(struct lbvh_cpu *cpu, struct gb_timer *timer)
{
	const size_t t = (size_t)omp_get_thread_num(), threads = (size_t)omp_get_num_threads();
	struct lbvh_spatial *s = cpu->spatial;

	lbvh_cpu_phase(timer, "hierarchy");
#pragma omp single
	{
		const struct room all = { { 0, (uint32_t)cpu->count, 0 }, (uint32_t)cpu->room };

		cpu->ways = lbvh_split_ways_of(cpu->simd);
		s->pending[0] = (struct pending){ .room = all, .link = &cpu->root };
		s->at = 0;
		s->count = 1;
		s->least = lanes_area(cpu->lo, cpu->hi) * OVERLAP;
		s->any = next_large(cpu, s);
	}
	cpu->ways->number(cpu->box, cpu->count * t / threads, cpu->count * (t + 1) / threads);
#pragma omp barrier
	while (s->any) {
		divide_large(cpu, s);
#pragma omp single
		s->any = next_large(cpu, s);
	}
#pragma omp single
	for (uint32_t i = 0; i < s->count; i++) {
#pragma omp task
		make_by_task(cpu, s->pending[i].room, s->pending[i].link, s->pending + i);
	}
	place_all(cpu);
}
