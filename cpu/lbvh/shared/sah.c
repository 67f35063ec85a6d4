/* sah.c -- the tree that traversals walk: binned surface area heuristic, from the root down (Wald
 * 2007, "On fast construction of SAH-based bounding volume hierarchies").
 *
 * A range of primitives is divided where the sum of both halves' surface times primitives is least.
 * Candidates lie between BINS equal bins of the boxes' centres, along each axis.  The fourth axis is
 * the size of a primitive: a few long ones would enlarge the boxes of all the small ones between
 * them, in a city and in an interior.
 *
 * The subtree over `count` primitives has the 2 count - 1 nodes from its root on, the left child
 * first, so threads need not know how many nodes the others make.  Nodes below a leaf stay unused.
 */
#include "cpu/lbvh/shared/frame.h"

#include <float.h>

#include "cpu/lbvh/shared/lanes.h"

enum {
	AXES = 4,
	BINS = 32,   /* or one for each primitive of a smaller range */
	LEAF = 8,    /* primitives of a leaf, at most */
	TASK = 4096, /* smaller ranges are divided by the thread that found them */
};

struct bin {
	LANES lo, hi;
	uint32_t count;
};

static const struct bin nothing = { { FLT_MAX, FLT_MAX, FLT_MAX, FLT_MAX },
				    { -FLT_MAX, -FLT_MAX, -FLT_MAX, -FLT_MAX },
				    0 };

/* The place to divide a range: primitives whose bin along `axis` is at most `last` come first. */
struct cut {
	LANES origin, scale; /* bin = (place - origin) * scale */
	int axis, last;
	float cost; /* INFINITY: all primitives are in one bin */
};

static void join(struct bin *a, LANES lo, LANES hi, uint32_t count)
{
	a->lo = lanes_min(a->lo, lo);
	a->hi = lanes_max(a->hi, hi);
	a->count += count;
}

static float cost_of(const struct bin *a)
{
	float lo[4], hi[4];

	lanes_store(lo, a->lo);
	lanes_store(hi, a->hi);
	return a->count ? lanes_area(lo, hi) * (float)a->count : INFINITY;
}

/* Twice the centre of a box, and the square of the sum of its edges. */
static LANES place_of(const struct lbvh_box *box)
{
	const LANES lo = lanes_load(box->lo), hi = lanes_load(box->hi), edge = hi - lo;
	const float sum = edge[0] + edge[1] + edge[2];
	LANES place = lo + hi;

	place[3] = sum * sum;
	return place;
}

static lanes_int bins_of(const struct cut *cut, const struct lbvh_box *box)
{
	return __builtin_convertvector((place_of(box) - cut->origin) * cut->scale, lanes_int);
}

/* Improve the cut by those along one axis. */
static void try_axis(const struct bin bin[BINS], int bins, int axis, struct cut *best)
{
	struct bin left = nothing, right = nothing;
	float cost[BINS];

	for (int b = bins; --b > 0;) {
		join(&right, bin[b].lo, bin[b].hi, bin[b].count);
		cost[b] = cost_of(&right);
	}
	for (int b = 0; b < bins - 1; b++) {
		join(&left, bin[b].lo, bin[b].hi, bin[b].count);
		cost[b + 1] += cost_of(&left);
		if (cost[b + 1] < best->cost) {
			best->cost = cost[b + 1];
			best->axis = axis;
			best->last = b;
		}
	}
}

/* Find the best cut of a range, and *all, its box.  Not inlined: the bins would be on the stack at
 * each level of the recursion. */
static __attribute__((noinline)) struct cut find_cut(const struct lbvh_cpu *cpu,
						     const uint32_t *index, uint32_t count,
						     struct bin *all)
{
	const int bins = count < BINS ? (int)count : BINS;
	struct bin bin[AXES][BINS], places = nothing;
	struct cut cut = { .cost = INFINITY };

	*all = nothing;
	for (uint32_t i = 0; i < count; i++) {
		const struct lbvh_box *box = cpu->box + index[i];
		const LANES place = place_of(box);

		join(all, lanes_load(box->lo), lanes_load(box->hi), 1);
		join(&places, place, place, 1);
	}
	cut.origin = places.lo;
	cut.scale = lanes_all((float)bins * (1 - 0x1p-20F)) /
		    lanes_max(places.hi - places.lo, lanes_all(0x1p-100F));
	for (int b = 0; b < AXES * bins; b++)
		bin[b / bins][b % bins] = nothing;
	for (uint32_t i = 0; i < count; i++) {
		const struct lbvh_box *box = cpu->box + index[i];
		const lanes_int b = bins_of(&cut, box);

		for (int k = 0; k < AXES; k++)
			join(&bin[k][b[k]], lanes_load(box->lo), lanes_load(box->hi), 1);
	}
	for (int k = 0; k < AXES; k++)
		try_axis(bin[k], bins, k, &cut);
	return cut;
}

/* Move the primitives of the first half to the front; return how many. */
static uint32_t divide(const struct lbvh_cpu *cpu, uint32_t *index, uint32_t count,
		       const struct cut *cut)
{
	uint32_t middle = 0;

	if (cut->cost == INFINITY)
		return count / 2;
	for (uint32_t i = 0; i < count; i++) {
		const uint32_t p = index[i];

		if (bins_of(cut, cpu->box + p)[cut->axis] <= cut->last) {
			index[i] = index[middle];
			index[middle++] = p;
		}
	}
	return middle;
}

/* Make the subtree over index[first .. first + count) with root `at`. */
static void make_subtree(struct lbvh_cpu *cpu, uint32_t at, uint32_t first, uint32_t count)
{
	struct bin all;
	const struct cut cut = find_cut(cpu, cpu->index + first, count, &all);
	uint32_t middle;

	if (count == 1 ||
	    (count <= LEAF && !(cut.cost < cost_of(&all) * (float)(count - 1) / (float)count))) {
		lanes_store_node(cpu->node + at, all.lo, all.hi, LBVH_LEAF | first, count);
		return;
	}
	middle = divide(cpu, cpu->index + first, count, &cut);
	lanes_store_node(cpu->node + at, all.lo, all.hi, at + 1, at + 2 * middle);
#pragma omp task if (count > TASK)
	make_subtree(cpu, at + 1, first, middle);
	make_subtree(cpu, at + 2 * middle, first + middle, count - middle);
}

void lbvh_cpu_sah(struct lbvh_cpu *cpu, struct gb_timer *timer)
{
	lbvh_cpu_phase(timer, "hierarchy");
#pragma omp for schedule(static)
	for (size_t i = 0; i < cpu->count; i++)
		cpu->index[i] = (uint32_t)i;
#pragma omp single
	{
		cpu->leaves = cpu->count;
		make_subtree(cpu, 0, 0, (uint32_t)cpu->count);
	}
}
