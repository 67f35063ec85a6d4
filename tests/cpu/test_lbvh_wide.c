/* test_lbvh_wide.c -- traversals of the deepest wide trees, and leaves of the collapse. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/benchmark.h"
#include "common/lbvh_types.h"
#include "common/memory.h"
#include "common/text.h"
#include "cpu/lbvh/shared/kernels.h"
#include "cpu/lbvh/shared/trace.h"
#include "cpu/lbvh/shared/wide.h"
#include "tests/lbvh_scene.h"

/* A scene, and memory for trees over it. */
struct work {
	struct scene s;
	struct lbvh_cpu cpu;
	struct lbvh_wide wide;
	struct gb_error err;
};

static void set_up(struct work *w, struct scene s, int threads)
{
	*w = (struct work){ .s = s };
	w->s.params.threads = threads;
	gb_memory_own(w);
	cr_assert_eq(lbvh_wide_init(&w->wide, s.in->count, threads, &w->err), GB_OK);
}

static void tear_down(struct work *w)
{
	gb_memory_free_owned(w);
	gb_memory_own(NULL);
	drop(&w->s);
}

/* Build the binary tree that traversals use. */
static void make_best(struct work *w)
{
	unsigned depth;

	w->cpu = (struct lbvh_cpu){ 0 };
	cr_assert_eq(lbvh_tracer_tree(&w->cpu, &w->s.params, w->s.in, &depth, &w->err), GB_OK);
}

static void collapse(struct work *w)
{
	lbvh_wide_collapse(&w->wide, &w->cpu, NULL);
}

/* The cost of a subtree that plans minimise. */
static double cost_below(const struct lbvh_wide *wide, uint32_t at)
{
	const struct lbvh_wide_node *node = wide->node + at;
	double cost = 0;

	for (int i = 0; i < LBVH_WIDTH; i++) {
		double size[3];

		for (int k = 0; k < 3; k++)
			size[k] = (double)node->bound[k][1][i] - (double)node->bound[k][0][i];
		if (size[0] < 0)
			continue;
		cost += size[0] * size[1] + size[1] * size[2] + size[2] * size[0];
		if (!(node->child[i] & LBVH_LEAF))
			cost += cost_below(wide, node->child[i]);
	}
	return cost;
}

/* A planned tree costs no more than one whose largest boxes were opened first. */
Test(lbvh_wide, planned)
{
	static const size_t sizes[] = { 9, 100, 4097 };

	for (size_t i = 0; i < GB_COUNT(sizes); i++) {
		struct work w;
		struct lbvh_plan *plan;
		double greedy;

		set_up(&w, prepare("city", sizes[i], 8), 2);
		plan = calloc(2 * w.s.in->count, sizeof *plan);
		make_best(&w);
		collapse(&w);
		greedy = cost_below(&w.wide, 0);
		cr_assert_leq(lbvh_plan_make(w.cpu.node, plan), w.wide.node_limit);
		lbvh_wide_collapse(&w.wide, &w.cpu, plan);
		cr_assert_leq(cost_below(&w.wide, 0), greedy * 1.00001, "%zu", w.s.in->count);
		free(plan);
		tear_down(&w);
	}
}

/* A subtree with as many primitives as a block has lanes is a leaf; a larger one is not. */
Test(lbvh_wide, full_leaf)
{
	for (size_t size = LBVH_WIDTH - 1; size <= LBVH_WIDTH + 1; size++) {
		struct work w;

		set_up(&w, prepare("terrain", size, 8), 1);
		make_best(&w);
		collapse(&w);
		cr_assert_eq(w.wide.node[0].bound[0][0][1] > w.wide.node[0].bound[0][1][1],
			     w.s.in->count <= LBVH_WIDTH, "%zu", w.s.in->count);
		tear_down(&w);
	}
}

/* A tree of maximal depth: each inner node has a leaf and the rest, nodes 2 i + 1 and 2 i + 2. */
static struct lbvh_node *make_chain(const struct lbvh_input *in)
{
	struct lbvh_node *node = calloc(2 * in->count, sizeof *node);

	for (size_t i = in->count; i-- > 0;) {
		const struct lbvh_box b = lbvh_primitive_box(in->vertex, in->triangle, i);
		const bool last = i + 1 == in->count;
		struct lbvh_node *inner = node + 2 * i, *leaf = last ? inner : inner + 1;

		memcpy(leaf->lo, b.lo, sizeof leaf->lo);
		memcpy(leaf->hi, b.hi, sizeof leaf->hi);
		leaf->left = LBVH_LEAF | (uint32_t)i;
		leaf->right = 1;
		if (last)
			continue;
		inner->left = (uint32_t)(2 * i + 1);
		inner->right = (uint32_t)(2 * i + 2);
		for (int k = 0; k < 3; k++) {
			inner->lo[k] = lbvh_min(b.lo[k], node[2 * i + 2].lo[k]);
			inner->hi[k] = lbvh_max(b.hi[k], node[2 * i + 2].hi[k]);
		}
	}
	return node;
}

static uint32_t *count_up(size_t count)
{
	uint32_t *index = calloc(count, sizeof *index);

	for (uint32_t i = 0; i < count; i++)
		index[i] = i;
	return index;
}

/* The ways to call a traversal: all rays, one, or a group. */
enum { WAYS = 3 };

static const char *const way_names[WAYS] = { "turns", "alone", "group" };

/* The number of rays whose hits differ, through a wide tree that no builder made: the nearest hits,
 * or any hit.  The work is added to *counts. */
static size_t differing_rays(const struct scene *s, const struct lbvh_wide *wide, bool any, int way,
			     struct lbvh_counts *counts)
{
	enum { BATCH = 64 };
	const struct lbvh_kernels *kernels = lbvh_cpu_kernels();
	lbvh_kernel_fn *const kernel[WAYS] = { kernels->turns, kernels->alone, kernels->group };
	struct lbvh_entry *stack = calloc(lbvh_stack_room(wide), sizeof *stack);
	const size_t rays = lbvh_ray_count(s->in);
	struct lbvh_ray ray[BATCH];
	float t[BATCH];
	uint32_t primitive[BATCH];
	size_t count = 0;

	for (size_t first = 0; first < rays; first += BATCH) {
		uint32_t occluded[BATCH / 32] = { 0 };
		struct lbvh_batch batch = { ray, 0, any ? occluded : NULL, t, primitive };

		for (; batch.count < BATCH && first + batch.count < rays; batch.count++)
			ray[batch.count] = lbvh_trace_ray(s->in, first + batch.count);
		for (uint32_t i = 0; i < batch.count; i += LBVH_GROUP)
			kernel[way](wide, &batch, i,
				    i + LBVH_GROUP < batch.count ? i + LBVH_GROUP : batch.count,
				    stack, counts);
		for (uint32_t i = 0; i < batch.count; i++)
			count += any ? (occluded[i / 32] >> i % 32 & 1) !=
						 (s->primitive[first + i] != LBVH_MISS)
				     : t[i] != s->t[first + i] ||
						 primitive[i] != s->primitive[first + i];
	}
	free(stack);
	return count;
}

/* No tree is too deep: the stack is as large as the tree requires.  A chain also needs more nodes
 * than any other tree. */
Test(lbvh_wide, deep)
{
	struct lbvh_counts counts = { 0, 0 };
	struct work w;

	set_up(&w, make("soup", 5000, 24), 2);
	w.cpu.node = make_chain(w.s.in);
	w.cpu.index = count_up(w.s.in->count);
	w.cpu.input = w.s.in;
	w.cpu.needs = LBVH_CPU_SAH; /* it is numbered depth first */
	w.cpu.count = w.s.in->count;
	cr_assert_eq(lbvh_depth(w.cpu.node), 5000);
	collapse(&w);
	cr_assert_gt(w.wide.depth, 700);
	for (int i = 0; i < 2 * WAYS; i++)
		cr_assert_eq(differing_rays(&w.s, &w.wide, i % 2, i / 2, &counts), 0, "%s, %s",
			     way_names[i / 2], i % 2 ? "any hit" : "nearest hits");
	free(w.cpu.index);
	free(w.cpu.node);
	tear_down(&w);
}

/* A ray alone takes the steps that it takes among interleaved ones: the nearest child first. */
Test(lbvh_wide, nearest_child_first)
{
	struct work w;

	set_up(&w, make("soup", 3000, 64), 1);
	make_best(&w);
	collapse(&w);
	for (int simd = CPU_PLAIN; simd <= CPU_AVX512; simd++) {
		struct lbvh_counts turns = { 0, 0 }, alone = { 0, 0 };

		cpu_limit_simd((enum cpu_simd)simd);
		cr_assert_eq(differing_rays(&w.s, &w.wide, false, 0, &turns), 0);
		cr_assert_eq(differing_rays(&w.s, &w.wide, false, 1, &alone), 0);
		cr_assert_gt(turns.nodes, 64 * 64);
		cr_assert_eq(alone.nodes, turns.nodes);
		cr_assert_eq(alone.triangles, turns.triangles);
	}
	tear_down(&w);
}

Test(lbvh_wide, too_deep_is_detected)
{
	struct scene s = prepare("soup", LBVH_DEPTH_MAX + 10, 8);
	struct lbvh_node *node = make_chain(s.in);

	cr_assert_gt(lbvh_depth(node), LBVH_DEPTH_MAX);
	free(node);
	drop(&s);
}
