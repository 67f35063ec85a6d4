/* fused.c -- leaves, hierarchy and boxes in one bottom-up sweep over the sorted codes (Apetrei
 * 2014: "Fast and simple agglomerative LBVH construction").
 *
 * A subtree over leaves a .. b joins the neighbour whose codes share more bits with its own: it
 * compares delta(a - 1, a) with delta(b, b + 1), which never tie for different codes.  On a GPU
 * each leaf is a thread, and the second of two threads that meet at a node goes on.  Here a thread
 * takes a run of leaves in order, and subtrees that wait for a neighbour form a stack.  Inside the
 * run nothing is atomic, and boxes come from the top of the stack instead of memory.  The codes of
 * the true neighbours decide whether a subtree at an end of the run may join.  One thread joins the
 * few that wait for another thread's subtree at the end.
 *
 * Any other order would make the same joins, and a node's number depends only on its range
 * (common/lbvh_types.h), so the tree is that of Karras' construction, byte for byte.
 *
 * Bound: memory.  Each primitive's box is gathered once (prefetched, in curve order), and each node
 * is written once (prefetched, too).
 */
#include "cpu/lbvh/shared/frame.h"

#include <float.h>

#include "common/memory.h"
#include "cpu/lbvh/shared/lanes.h"

enum {
	PREFETCH = 24,    /* prefetch distance of boxes, whose order in memory is random */
	INNER_AHEAD = 32, /* prefetch distance of nodes: most inner ones are numbered nearby */
	LEAVES_AHEAD = 16,
	DEPTH = 192, /* deltas rise towards each end of a run and are below 64 */
};

/* A finished subtree over leaves a .. b.  before, after: deltas of codes to its neighbours; -1 if
 * there is no neighbour. */
struct subtree {
	LANES lo, hi;
	uint32_t a, b;
	uint32_t node;
	int before, after;
};

struct stack {
	struct subtree at[DEPTH];
	int top;
};

void lbvh_cpu_alloc_fused(struct lbvh_cpu *cpu, struct gb_error *err)
{
	cpu->stacks = gb_host_alloc((size_t)cpu->threads, sizeof(struct stack), err);
}

/* The number of the inner node over a .. b: the end towards the sibling that it will join. */
static uint32_t inner_number(const struct subtree *s)
{
	if (s->before < 0 && s->after < 0)
		return 0;
	return s->after > s->before ? s->b : s->a;
}

/* Join the top two subtrees while each is the other's nearest. */
static void join_top(struct lbvh_cpu *cpu, struct stack *stack)
{
	while (stack->top >= 2) {
		struct subtree *l = &stack->at[stack->top - 2], *r = l + 1;
		const uint32_t left = l->node, right = r->node;

		if (r->before < r->after || r->before < l->before)
			return;
		l->lo = lanes_min(l->lo, r->lo);
		l->hi = lanes_max(l->hi, r->hi);
		l->b = r->b;
		l->after = r->after;
		l->node = inner_number(l);
		lanes_store_node(&cpu->node[l->node], l->lo, l->hi, left, right);
		stack->top--;
	}
}

/* Prefetch nodes that are written soon.  They form two streams in one array; that of the inner
 * nodes moves back and forth a little, which the hardware does not predict. */
static void prefetch_nodes(const struct lbvh_cpu *cpu, uint32_t leaf)
{
	if (leaf + LEAVES_AHEAD < cpu->leaves)
		__builtin_prefetch(&cpu->node[cpu->leaves - 1 + leaf + LEAVES_AHEAD], 1);
	if (leaf + INNER_AHEAD < cpu->leaves)
		__builtin_prefetch(&cpu->node[leaf + INNER_AHEAD], 1);
}

/* Make the leaf at sorted positions i .. *end - 1 as a subtree; write its node and indices. */
static void make_leaf(struct lbvh_cpu *cpu, size_t i, uint32_t leaf, int before, size_t *end,
		      struct subtree *out)
{
	const uint64_t code = cpu->pair[i] >> 32;
	LANES lo = lanes_all(FLT_MAX), hi = lanes_all(-FLT_MAX);
	size_t k = i;

	do {
		const uint32_t p = (uint32_t)cpu->pair[k];

		if (k + PREFETCH < cpu->count)
			__builtin_prefetch(&cpu->box[(uint32_t)cpu->pair[k + PREFETCH]]);
		cpu->index[k] = p;
		lo = lanes_min(lo, lanes_load(cpu->box[p].lo));
		hi = lanes_max(hi, lanes_load(cpu->box[p].hi));
		k++;
	} while (k < cpu->count && cpu->pair[k] >> 32 == code);
	out->lo = lo;
	out->hi = hi;
	out->a = out->b = leaf;
	out->node = (uint32_t)cpu->leaves - 1 + leaf;
	prefetch_nodes(cpu, leaf);
	out->before = before;
	out->after = k < cpu->count ? lbvh_delta(code, cpu->pair[k] >> 32) : -1;
	lanes_store_node(&cpu->node[out->node], lo, hi, LBVH_LEAF | (uint32_t)i, (uint32_t)(k - i));
	*end = k;
}

/* Process the leaves that start in this thread's part. */
static void sweep(struct lbvh_cpu *cpu, size_t thread, size_t threads, struct stack *stack)
{
	const size_t end = cpu->count * (thread + 1) / threads;
	size_t i = cpu->count * thread / threads;
	uint32_t leaf = (uint32_t)cpu->share[thread];
	int before = -1;

	if (i > 0) {
		while (i < end && cpu->pair[i] >> 32 == cpu->pair[i - 1] >> 32)
			i++;
		if (i < end)
			before = lbvh_delta(cpu->pair[i - 1] >> 32, cpu->pair[i] >> 32);
	}
	while (i < end) {
		struct subtree *s = &stack->at[stack->top];

		make_leaf(cpu, i, leaf++, before, &i, s);
		before = s->after;
		stack->top++;
		join_top(cpu, stack);
	}
}

/* Join the subtrees that the threads left, in order. */
static void join_stacks(struct lbvh_cpu *cpu, int threads)
{
	const struct stack *stacks = cpu->stacks;
	struct stack whole;

	whole.top = 0;
	for (int t = 0; t < threads; t++)
		for (int k = 0; k < stacks[t].top; k++) {
			whole.at[whole.top++] = stacks[t].at[k];
			join_top(cpu, &whole);
		}
}

void lbvh_cpu_fused(struct lbvh_cpu *cpu, struct gb_timer *timer)
{
	struct stack *stacks = cpu->stacks;
	const int t = omp_get_thread_num(), threads = omp_get_num_threads();

	lbvh_cpu_phase(timer, "hierarchy");
	stacks[t].top = 0;
	sweep(cpu, (size_t)t, (size_t)threads, &stacks[t]);
#pragma omp barrier
#pragma omp single
	join_stacks(cpu, threads);
}
