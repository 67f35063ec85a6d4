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
 * Ranges of FEW references or more are OpenMP tasks; one thread divides a range, and one numbers
 * the nodes.
 *
 * Bound: instructions, most of them for the bins in space (split_space.h).
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "cpu/lbvh/parts/clip.h"
#include "cpu/lbvh/parts/frame.h"
#include "cpu/lbvh/parts/lanes.h"
#include "cpu/lbvh/parts/split_ways.h"

#define OVERLAP 1e-5F /* the paper's alpha */

enum {
	BINS = LBVH_SPACE_BINS,
	MANY = 8192, /* references from which a range has all bins */
	FEW = 512,   /* ranges of fewer references are no tasks */
};

/* A range, and the end of its places. */
struct room {
	struct lbvh_range range;
	uint32_t end;
};

/* A plane in space, and what is on its sides. */
struct cut {
	float cost;
	int axis, bin; /* the first bin above the plane */
	float plane;
	struct lbvh_split_grid grid;
	struct lbvh_box side[2];
	uint32_t count[2];
};

/* ---- boxes -------------------------------------------------------------------------------- */

static struct lbvh_box no_record(void)
{
	const float most = FLT_MAX;

	return (struct lbvh_box){ { most, most, most, 0 }, { most, most, most, 0 } };
}

static struct lbvh_box join(struct lbvh_box a, const struct lbvh_box *b)
{
	lanes_store(a.lo, lanes_min(lanes_load(a.lo), lanes_load(b->lo)));
	lanes_store(a.hi, lanes_min(lanes_load(a.hi), lanes_load(b->hi)));
	return a;
}

/* Half the surface of a record; 0 if it is empty. */
static float area(const struct lbvh_box *record)
{
	float size[4];

	lanes_store(size,
		    lanes_max(-lanes_load(record->hi) - lanes_load(record->lo), lanes_all(0)));
	return size[0] * size[1] + size[1] * size[2] + size[2] * size[0];
}

static float overlap(const struct lbvh_box *a, const struct lbvh_box *b)
{
	struct lbvh_box both;

	lanes_store(both.lo, lanes_max(lanes_load(a->lo), lanes_load(b->lo)));
	lanes_store(both.hi, lanes_max(lanes_load(a->hi), lanes_load(b->hi)));
	return area(&both);
}

/* ---- planes in space ---------------------------------------------------------------------- */

/* Find the cheapest plane of an axis. */
static void sweep(const struct lbvh_space *s, int axis, struct cut *best)
{
	const int bins = s->grid.bins;
	struct lbvh_box right[BINS], left = no_record();
	uint32_t before = 0, after[BINS], sum = 0;

	right[bins - 1] = s->bin[axis][bins - 1];
	for (int i = bins - 1; i > 0; i--) {
		sum += s->leave[axis][i];
		after[i] = sum;
		right[i - 1] = join(right[i], &s->bin[axis][i - 1]);
	}
	for (int i = 1; i < bins; i++) {
		float cost;

		left = join(left, &s->bin[axis][i - 1]);
		before += s->enter[axis][i - 1];
		cost = area(&left) * (float)before + area(&right[i]) * (float)after[i];
		if (before && after[i] && cost < best->cost)
			*best = (struct cut){ .cost = cost,
					      .axis = axis,
					      .bin = i,
					      .plane = s->plane[axis][i],
					      .side = { left, right[i] },
					      .count = { before, after[i] } };
	}
}

static struct cut find_cut(const struct lbvh_cpu *cpu, const struct lbvh_box *from, uint32_t count,
			   const struct lbvh_box *around)
{
	/* As many bins as split.c makes; twice as many for large ranges, where a few references in
	 * more bins make cheaper trees. */
	const int bins = count < 96 ? 4 + (int)count / 8 : count < MANY ? LBVH_SPLIT_BINS : BINS;
	const LANES lo = lanes_load(around->lo), size = -lanes_load(around->hi) - lo;
	struct cut best = { .cost = INFINITY };
	struct lbvh_space s;

	s.grid.bins = bins;
	lanes_store(s.grid.origin, lo);
	lanes_store(s.grid.scale, lanes_over_length(lanes_all((float)bins), lo, lo + size));
	for (int k = 0; k < 3; k++)
		for (int i = 0; i < bins; i++) {
			s.plane[k][i] = lo[k] + size[k] * ((float)i / (float)bins);
			s.bin[k][i] = no_record();
			s.enter[k][i] = s.leave[k][i] = 0;
		}
	cpu->ways->space(&s, cpu->input, from, count);
	for (int k = 0; k < 3; k++)
		sweep(&s, k, &best);
	best.grid = s.grid;
	return best;
}

/* Move a reference on both sides of a cut: to the left, to the right, or a part to each.  Returns a
 * bit per side. */
static unsigned unsplit(struct cut *cut, const struct lbvh_box *whole)
{
	const struct lbvh_box left = join(cut->side[0], whole), right = join(cut->side[1], whole);
	const float a = area(&cut->side[0]), b = area(&cut->side[1]);
	const float m = (float)cut->count[0], n = (float)cut->count[1];
	const float both = a * m + b * n;
	const float only_left = area(&left) * m + b * (n - 1);
	const float only_right = a * (m - 1) + area(&right) * n;

	if (both <= only_left && both <= only_right)
		return 3;
	if (only_left <= only_right && cut->count[1] > 1) {
		cut->side[0] = left;
		cut->count[1]--;
		return 1;
	}
	if (cut->count[0] > 1) {
		cut->side[1] = right;
		cut->count[0]--;
		return 2;
	}
	return 3;
}

/* The sides of a reference, one bit each, and its records there. */
static unsigned divide(struct cut *cut, const struct lbvh_input *in, const struct lbvh_box *whole,
		       struct lbvh_box part[2])
{
	struct polygon all, side[2];
	int32_t first[4], last[4];
	unsigned sides;

	part[0] = part[1] = *whole;
	bins_of(&cut->grid, whole, first, last);
	if (last[cut->axis] < cut->bin)
		return 1;
	if (first[cut->axis] >= cut->bin)
		return 2;
	part_of(in, whole, &all);
	for (int i = 0; i < 2; i++)
		keep(&all, cut->axis, (double)cut->plane, i, &side[i]);
	/* The box may be on both sides by rounding alone.  Neither side may lose its last one. */
	if (!side[0].count || !side[1].count) {
		sides = side[1].count ? 2 : 1;
		if (cut->count[2 - sides] == 1)
			sides = 3 - sides;
		cut->count[2 - sides]--;
		return sides;
	}
	sides = unsplit(cut, whole);
	for (int i = 0; i < 2 && sides == 3; i++)
		part[i] = record_of(&side[i], whole);
	return sides;
}

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
	uint32_t left = 0, right = 0, middle;

	for (uint32_t i = 0; i < r->range.count; i++) {
		const unsigned sides = divide(cut, cpu->input, from + i, part);

		if (sides & 1)
			to[first + left++] = part[0];
		if (sides & 2) /* at most i + 1 of them: none is overwritten before it is read */
			from[right++] = part[1];
	}
	middle = middle_of(r, left, right);
	memcpy(to + middle, from, right * sizeof *to);
	half[0] = (struct room){ { first, left, below }, middle };
	half[1] = (struct room){ { middle, right, below }, r->end };
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
static uint32_t make_plain(struct lbvh_cpu *cpu, const struct lbvh_range *r)
{
	const uint32_t root = 2 * r->first;
	const uint32_t used = cpu->ways->subtree(cpu, *r, cpu->spare + root);

	for (uint32_t i = root; i < root + used; i++)
		if (!(cpu->spare[i].left & LBVH_LEAF)) {
			cpu->spare[i].left += root;
			cpu->spare[i].right += root;
		}
	return root;
}

static uint32_t make_leaf(struct lbvh_cpu *cpu, const struct lbvh_range *r,
			  const struct lbvh_box *around)
{
	const struct lbvh_box *from = records(cpu, r->level) + r->first;
	const uint32_t root = 2 * r->first;

	lanes_store_node(cpu->spare + root, lanes_load(around->lo), -0.0F - lanes_load(around->hi),
			 LBVH_LEAF | r->first, r->count);
	for (uint32_t i = 0; i < r->count; i++)
		cpu->index[r->first + i] = number_of(from + i);
	return root;
}

/* Divide a range; false if it is cheaper as a leaf. */
static bool divide_range(struct lbvh_cpu *cpu, const struct room *r,
			 const struct lbvh_extent *extent, float least, struct room half[2])
{
	const struct lbvh_box *from = records(cpu, r->range.level) + r->range.first;
	const uint32_t count = r->range.count, free = r->end - r->range.first - count;
	const float surface = area(&extent->box), whole = surface * (float)count;
	struct cut cut = { .cost = INFINITY };
	struct lbvh_split_grid grid;
	struct lbvh_plane plane;
	struct lbvh_box side[2];
	struct lbvh_bins bins;

	cpu->ways->grid(&grid, extent, count);
	cpu->ways->bins(&bins, &grid, from, count);
	plane = cpu->ways->plane(&bins, &grid, count, side);
	if (plane.axis == 3 || overlap(&side[0], &side[1]) > least)
		cut = find_cut(cpu, from, count, &extent->box);
	if (!(cut.cost < lbvh_min(plane.cost, whole)) || cut.count[0] + cut.count[1] - count > free)
		cut.cost = INFINITY;
	if (count <= LBVH_SPLIT_LEAF && !(surface + lbvh_min(cut.cost, plane.cost) < whole))
		return false;
	if (cut.cost < INFINITY)
		part_in_space(cpu, r, &cut, half);
	else
		part_by_centre(cpu, r, &grid, &plane, half);
	return true;
}

/* Make the subtree of a range in cpu->spare and write its root to *link.  least: an overlap of more
 * than this is too much.  No thread waits for a task: libgomp would run only tasks of the same
 * parent meanwhile. */
static void make(struct lbvh_cpu *cpu, struct room r, float least, uint32_t *link)
{
	struct lbvh_extent extent;
	struct room half[2];
	struct lbvh_node *node;

	for (;; r = half[1], link = &node->right) {
		const uint32_t count = r.range.count;

		cpu->ways->extent(&extent, records(cpu, r.range.level) + r.range.first, count);
		/* The sides of a plane cannot overlap by more than all. */
		if (count == 1 || r.range.level >= LBVH_SPLIT_DEEP || area(&extent.box) <= least) {
			*link = make_plain(cpu, &r.range);
			return;
		}
		if (!divide_range(cpu, &r, &extent, least, half)) {
			*link = make_leaf(cpu, &r.range, &extent.box);
			return;
		}
		*link = 2 * half[1].range.first - 1;
		node = cpu->spare + *link;
		lanes_store_node(node, lanes_load(extent.box.lo), -0.0F - lanes_load(extent.box.hi),
				 0, 0);
		if (cpu->threads > 1 && count >= FEW) {
			const struct room left = half[0];

#pragma omp task
			make(cpu, left, least, &node->left);
		} else {
			make(cpu, half[0], least, &node->left);
		}
	}
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
		memcpy(cpu->index_spare + *at, cpu->index + first,
		       from->right * sizeof *cpu->index);
		*at += from->right;
		return to + 1;
	}
	node->left = to + 1;
	node->right = place(cpu, from->left, to + 1, at);
	return place(cpu, from->right, node->right, at);
}

void lbvh_cpu_spatial(struct lbvh_cpu *cpu, struct gb_timer *timer)
{
	const size_t t = (size_t)omp_get_thread_num(), threads = (size_t)omp_get_num_threads();

	lbvh_cpu_phase(timer, "hierarchy");
#pragma omp single
	cpu->ways = lbvh_split_ways_of(cpu->simd);
	cpu->ways->number(cpu->box, cpu->count * t / threads, cpu->count * (t + 1) / threads);
#pragma omp barrier
#pragma omp single
	{
		const struct room all = { { 0, (uint32_t)cpu->count, 0 }, (uint32_t)cpu->room };

		make(cpu, all, lanes_area(cpu->lo, cpu->hi) * OVERLAP, &cpu->root);
	}
#pragma omp single
	{
		uint32_t *index = cpu->index, at = 0;

		cpu->leaves = (place(cpu, cpu->root, 0, &at) + 1) / 2;
		cpu->references = at;
		cpu->index = cpu->index_spare;
		cpu->index_spare = index;
	}
}
