/* hierarchy.c -- leaves, inner nodes and their boxes as in the paper (section 4.1, steps 3 to 5),
 * one phase after the other. */
#include "cpu/lbvh/shared/frame.h"

#include <float.h>

#include "cpu/lbvh/shared/lanes.h"

enum { PREFETCH = 24 }; /* prefetch distance of boxes, whose order in memory is random */

/* The primitive at position i of the sorted order. */
static uint32_t primitive_at(const struct lbvh_cpu *cpu, size_t i)
{
	return cpu->needs & LBVH_CPU_CODES_63 ? cpu->index[i] : (uint32_t)cpu->pair[i];
}

/* True if a new code starts at position i. */
static bool starts_leaf(const struct lbvh_cpu *cpu, size_t i)
{
	return i == 0 || lbvh_cpu_code(cpu, i) != lbvh_cpu_code(cpu, i - 1);
}

/* ---- leaves ------------------------------------------------------------------------------- */

void lbvh_cpu_count_leaves(struct lbvh_cpu *cpu, struct gb_timer *timer)
{
	const size_t t = (size_t)omp_get_thread_num(), threads = (size_t)omp_get_num_threads();
	const size_t end = cpu->count * (t + 1) / threads;
	size_t leaves = 0;

	lbvh_cpu_phase(timer, "leaves");
	for (size_t i = cpu->count * t / threads; i < end; i++)
		leaves += starts_leaf(cpu, i);
	cpu->share[t + 1] = leaves;
#pragma omp barrier
#pragma omp single
	{
		cpu->share[0] = 0;
		for (size_t k = 0; k < threads; k++)
			cpu->share[k + 1] += cpu->share[k];
		cpu->leaves = cpu->share[threads];
	}
}

/* Append the leaves that start in this thread's part. */
static void append_leaves(struct lbvh_cpu *cpu)
{
	const size_t t = (size_t)omp_get_thread_num(), threads = (size_t)omp_get_num_threads();
	const size_t end = cpu->count * (t + 1) / threads;
	size_t leaf = cpu->share[t];

	for (size_t i = cpu->count * t / threads; i < end; i++) {
		if (starts_leaf(cpu, i)) {
			cpu->first[leaf] = (uint32_t)i;
			cpu->code[leaf++] = lbvh_cpu_code(cpu, i);
		}
		cpu->index[i] = primitive_at(cpu, i);
	}
}

static void fill_leaf(struct lbvh_cpu *cpu, size_t leaf)
{
	const size_t begin = cpu->first[leaf], end = cpu->first[leaf + 1];
	LANES lo = lanes_all(FLT_MAX), hi = lanes_all(-FLT_MAX);

	for (size_t i = begin; i < end; i++) {
		const struct lbvh_box *box = &cpu->box[cpu->index[i]];

		if (i + PREFETCH < cpu->count)
			__builtin_prefetch(&cpu->box[cpu->index[i + PREFETCH]]);
		lo = lanes_min(lo, lanes_load(box->lo));
		hi = lanes_max(hi, lanes_load(box->hi));
	}
	lanes_store_node(&cpu->node[cpu->leaves - 1 + leaf], lo, hi, LBVH_LEAF | (uint32_t)begin,
			 (uint32_t)(end - begin));
}

void lbvh_cpu_leaves(struct lbvh_cpu *cpu, struct gb_timer *timer)
{
	lbvh_cpu_count_leaves(cpu, timer);
	append_leaves(cpu);
#pragma omp single
	cpu->first[cpu->leaves] = (uint32_t)cpu->count;
#pragma omp for schedule(static)
	for (size_t leaf = 0; leaf < cpu->leaves; leaf++)
		fill_leaf(cpu, leaf);
}

/* ---- Karras' hierarchy -------------------------------------------------------------------- */

/* Common leading bits of the codes of leaves i and j; -1 if there is no leaf j. */
static int delta(const struct lbvh_cpu *cpu, int64_t i, int64_t j)
{
	if (j < 0 || j >= (int64_t)cpu->leaves)
		return -1;
	return lbvh_delta(cpu->code[i], cpu->code[j]);
}

/* Inner node i: leaf i is one end of its range; binary searches find the other end and the
 * split. */
static void karras_node(const struct lbvh_cpu *cpu, int64_t i, uint32_t *left, uint32_t *right)
{
	const int64_t inner = (int64_t)cpu->leaves - 1;
	const int64_t way = delta(cpu, i, i + 1) > delta(cpu, i, i - 1) ? 1 : -1;
	const int least = delta(cpu, i, i - way);
	int64_t most = 2, length = 0, split = 0, from, to;
	int shared;

	while (delta(cpu, i, i + most * way) > least)
		most *= 2;
	for (int64_t step = most / 2; step > 0; step /= 2)
		if (delta(cpu, i, i + (length + step) * way) > least)
			length += step;
	shared = delta(cpu, i, i + length * way);
	for (int64_t step = (length + 1) / 2;; step = (step + 1) / 2) {
		if (delta(cpu, i, i + (split + step) * way) > shared)
			split += step;
		if (step <= 1)
			break;
	}
	from = way > 0 ? i : i - length;
	to = way > 0 ? i + length : i;
	split = way > 0 ? i + split : i - split - 1;
	*left = (uint32_t)(from == split ? inner + split : split);
	*right = (uint32_t)(to == split + 1 ? inner + split + 1 : split + 1);
}

void lbvh_cpu_karras(struct lbvh_cpu *cpu, struct gb_timer *timer)
{
	lbvh_cpu_phase(timer, "hierarchy");
#pragma omp for schedule(static)
	for (size_t i = 0; i < cpu->leaves - 1; i++) {
		struct lbvh_node *node = &cpu->node[i];

		karras_node(cpu, (int64_t)i, &node->left, &node->right);
	}
}

/* ---- boxes of inner nodes ----------------------------------------------------------------- */

static void join(struct lbvh_cpu *cpu, size_t i)
{
	struct lbvh_node *node = &cpu->node[i];
	const float *a = (const float *)(const void *)&cpu->node[node->left];
	const float *b = (const float *)(const void *)&cpu->node[node->right];

	lanes_store_node(node, lanes_min(lanes_load(a), lanes_load(b)),
			 lanes_max(lanes_load(a + 4), lanes_load(b + 4)), node->left, node->right);
}

#define DONE UINT64_MAX

/* True if node i has its box: it is a leaf or marked. */
static bool is_done(const struct lbvh_cpu *cpu, uint32_t i)
{
	return i >= cpu->leaves - 1 || __atomic_load_n(&cpu->mark[i], __ATOMIC_ACQUIRE) == DONE;
}

/* Make the box of inner node i if both children have theirs. */
static void refit_node(struct lbvh_cpu *cpu, size_t i)
{
	const uint64_t children = __atomic_load_n(&cpu->mark[i], __ATOMIC_RELAXED);

	if (children == DONE || !is_done(cpu, (uint32_t)children) ||
	    !is_done(cpu, (uint32_t)(children >> 32)))
		return;
	join(cpu, i);
	__atomic_store_n(&cpu->mark[i], DONE, __ATOMIC_RELEASE);
}

static void refit_by_passes(struct lbvh_cpu *cpu)
{
	const size_t inner = cpu->leaves - 1;
	bool done = inner == 0;

#pragma omp for schedule(static)
	for (size_t i = 0; i < inner; i++)
		cpu->mark[i] = (uint64_t)cpu->node[i].right << 32 | cpu->node[i].left;
	while (!done) {
#pragma omp for schedule(static)
		for (size_t i = 0; i < inner; i++)
			refit_node(cpu, i);
		done = is_done(cpu, 0);
		/* All threads have looked before the next pass changes the answer. */
#pragma omp barrier
	}
}

/* Climb from a leaf as long as this thread is the second one at a node. */
static void climb(struct lbvh_cpu *cpu, size_t leaf)
{
	size_t i = cpu->leaves - 1 + leaf;

	while (i != 0) {
		i = cpu->parent[i];
		if (!__atomic_exchange_n(&cpu->arrived[i], 1, __ATOMIC_ACQ_REL))
			return;
		join(cpu, i);
	}
}

static void refit_once(struct lbvh_cpu *cpu)
{
#pragma omp for schedule(static)
	for (size_t i = 0; i < cpu->leaves - 1; i++) {
		cpu->parent[cpu->node[i].left] = (uint32_t)i;
		cpu->parent[cpu->node[i].right] = (uint32_t)i;
		cpu->arrived[i] = 0;
	}
#pragma omp for schedule(static)
	for (size_t leaf = 0; leaf < cpu->leaves; leaf++)
		climb(cpu, leaf);
}

void lbvh_cpu_refit(struct lbvh_cpu *cpu, struct gb_timer *timer)
{
	lbvh_cpu_phase(timer, "refit");
	if (cpu->needs & LBVH_CPU_MARKS)
		refit_by_passes(cpu);
	else
		refit_once(cpu);
}
