/* lbvh_cluster.c -- a tree by clustering: H-PLOC (Benthin and others 2024) on a CPU.
 *
 * The codes' tree is walked bottom up, as in lbvh_fused.c, but a finished range does not become a
 * node.  It keeps a list of at most KEPT clusters, ordered along the curve.  Where two ranges join,
 * their lists are strung together, and if that makes more than KEPT, clusters are merged: each one
 * looks RADIUS places to both sides for the partner with the smallest common box (half its
 * surface), and those that chose each other become a node.  The whole scene's list is merged down
 * to one, the root.
 *
 * Which clusters meet depends on the codes alone: the tree is the same for any number of threads.
 * Leaves are taken in runs of RUN, shared among threads; a run numbers its nodes from 0 in memory
 * of its own.  What reaches over the ends of a run is joined by one thread afterwards; only then it
 * is known how many nodes come before a run's, and they are copied to their place.
 *
 * Progress: of the pairs of globally least area take the closest, of these the last; its two are
 * each other's choice, because ties prefer closer partners, and of equally close ones the right.
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "cpu/lbvh_common.h"

enum {
	KEPT = 16,
	MOST = 2 * KEPT,
	RADIUS = 8,
	RUN = 1 << 13,
	DEPTH = 136, /* deltas rise towards each end of a run, and are less than 64 */
};

/* A child that is a node of the same run: its number there. */
#define LOCAL (UINT32_C(1) << 31)

/* Clusters of a range of leaves, whose codes' deltas to its neighbours are given; -1 where there is
 * no neighbour. */
struct range {
	int before, after, count;
	uint32_t node[KEPT];
	float lo[3][KEPT], hi[3][KEPT];
};

struct run {
	struct range at[DEPTH];
	int top;
	uint32_t used;   /* nodes made */
	uint32_t offset; /* of the first of them in the tree */
};

/* A list under work. */
struct list {
	int count;
	uint32_t node[MOST];
	float lo[3][MOST], hi[3][MOST];
};

/* Where new nodes go: numbers rise from `next` in a run, and fall in the tree's top. */
struct maker {
	struct lbvh_node *node;
	uint32_t next;
	int step;
	uint32_t flag;
};

size_t lbvh_cpu_cluster_runs(size_t count)
{
	return (count + RUN - 1) / RUN;
}

size_t lbvh_cpu_cluster_bytes(void)
{
	return sizeof(struct run);
}

/* ---- merging ------------------------------------------------------------------------------ */

/* Half the surface of the common box of clusters i and i + apart, for i = 0 .. n - 1. */
static void common_areas(const struct list *l, int n, int apart, float *area)
{
	for (int i = 0; i < n; i++) {
		float extent[3];

		for (int k = 0; k < 3; k++)
			extent[k] = lbvh_max(l->hi[k][i], l->hi[k][i + apart]) -
				    lbvh_min(l->lo[k][i], l->lo[k][i + apart]);
		area[i] = extent[0] * extent[1] + extent[1] * extent[2] + extent[2] * extent[0];
	}
}

/* partner[i]: whom cluster i would merge with. */
static void choose(const struct list *l, int *partner)
{
	float area[MOST], least[MOST];

	for (int i = 0; i < MOST; i++) {
		least[i] = INFINITY;
		partner[i] = -1;
	}
	for (int apart = 1; apart <= RADIUS && apart < l->count; apart++) {
		const int n = l->count - apart;

		common_areas(l, n, apart, area);
		for (int i = 0; i < n; i++) {
			const bool better = area[i] < least[i];

			least[i] = better ? area[i] : least[i];
			partner[i] = better ? i + apart : partner[i];
		}
		for (int i = 0; i < n; i++) {
			const bool better = area[i] < least[i + apart];

			least[i + apart] = better ? area[i] : least[i + apart];
			partner[i + apart] = better ? i : partner[i + apart];
		}
	}
}

/* Clusters i and j become a node, cluster `to`. */
static void merge(struct list *l, int i, int j, int to, struct maker *maker)
{
	struct lbvh_node *node = &maker->node[maker->next];

	node->left = l->node[i];
	node->right = l->node[j];
	for (int k = 0; k < 3; k++) {
		node->lo[k] = lbvh_min(l->lo[k][i], l->lo[k][j]);
		node->hi[k] = lbvh_max(l->hi[k][i], l->hi[k][j]);
		l->lo[k][to] = node->lo[k];
		l->hi[k][to] = node->hi[k];
	}
	l->node[to] = maker->next | maker->flag;
	maker->next += (uint32_t)maker->step;
}

static void move(struct list *l, int from, int to)
{
	l->node[to] = l->node[from];
	for (int k = 0; k < 3; k++) {
		l->lo[k][to] = l->lo[k][from];
		l->hi[k][to] = l->hi[k][from];
	}
}

/* Merge until at most `most` clusters are left. */
static void reduce(struct list *l, int most, struct maker *maker)
{
	int partner[MOST];

	while (l->count > most) {
		int to = 0;

		choose(l, partner);
		for (int i = 0; i < l->count; i++) {
			const int j = partner[i];

			if (partner[j] != i)
				move(l, i, to++);
			else if (i < j)
				merge(l, i, j, to++, maker);
		}
		l->count = to;
	}
}

/* ---- ranges ------------------------------------------------------------------------------- */

static void append(struct list *l, const struct range *r)
{
	const size_t bytes = (size_t)r->count * 4;

	memcpy(l->node + l->count, r->node, bytes);
	for (int k = 0; k < 3; k++) {
		memcpy(l->lo[k] + l->count, r->lo[k], bytes);
		memcpy(l->hi[k] + l->count, r->hi[k], bytes);
	}
	l->count += r->count;
}

static void keep(const struct list *l, struct range *r)
{
	const size_t bytes = (size_t)l->count * 4;

	r->count = l->count;
	memcpy(r->node, l->node, bytes);
	for (int k = 0; k < 3; k++) {
		memcpy(r->lo[k], l->lo[k], bytes);
		memcpy(r->hi[k], l->hi[k], bytes);
	}
}

/* Join the upper two ranges for as long as they are each other's nearest. */
static void join_top(struct run *run, struct maker *maker)
{
	while (run->top >= 2) {
		struct range *l = &run->at[run->top - 2], *r = l + 1;
		struct list list;

		if (r->before < r->after || r->before < l->before)
			return;
		list.count = 0;
		append(&list, l);
		append(&list, r);
		l->after = r->after;
		reduce(&list, KEPT, maker);
		keep(&list, l);
		run->top--;
	}
}

static int delta_before(const struct lbvh_cpu *cpu, size_t leaf)
{
	return leaf > 0 && leaf < cpu->leaves ? lbvh_delta(cpu->code[leaf - 1], cpu->code[leaf])
					      : -1;
}

static void sweep(struct lbvh_cpu *cpu, struct run *run, size_t begin, size_t end)
{
	struct maker maker = { cpu->spare + begin, 0, 1, LOCAL };

	run->top = 0;
	for (size_t leaf = begin; leaf < end; leaf++) {
		struct range *r = &run->at[run->top++];
		const size_t i = cpu->leaves - 1 + leaf;

		r->before = delta_before(cpu, leaf);
		r->after = delta_before(cpu, leaf + 1);
		r->count = 1;
		r->node[0] = (uint32_t)i;
		for (int k = 0; k < 3; k++) {
			r->lo[k][0] = cpu->node[i].lo[k];
			r->hi[k][0] = cpu->node[i].hi[k];
		}
		join_top(run, &maker);
	}
	run->used = maker.next;
}

/* ---- runs together ------------------------------------------------------------------------ */

/* A child's number in the tree. */
static uint32_t placed(const struct run *run, uint32_t child)
{
	return child & LOCAL ? run->offset + (child & ~LOCAL) : child;
}

/* Join what the runs left, in order; the nodes made come first in the tree, the root's number 0
 * last. */
static void join_runs(struct lbvh_cpu *cpu, struct run *runs, size_t count)
{
	struct maker maker = { cpu->node, 0, -1, 0 };
	uint32_t top = (uint32_t)cpu->leaves - 1, offset;
	struct run whole;
	struct list list = { .count = 0 };

	for (size_t i = 0; i < count; i++)
		top -= runs[i].used;
	offset = top;
	maker.next = top - 1;
	whole.top = 0;
	for (size_t i = 0; i < count; i++) {
		runs[i].offset = offset;
		offset += runs[i].used;
		for (int k = 0; k < runs[i].top; k++) {
			struct range *r = &whole.at[whole.top++];

			*r = runs[i].at[k];
			for (int c = 0; c < r->count; c++)
				r->node[c] = placed(&runs[i], r->node[c]);
			join_top(&whole, &maker);
		}
	}
	append(&list, &whole.at[0]);
	reduce(&list, 1, &maker);
}

static void copy_run(struct lbvh_cpu *cpu, const struct run *run, const struct lbvh_node *from)
{
	for (uint32_t i = 0; i < run->used; i++) {
		struct lbvh_node node = from[i];

		node.left = placed(run, node.left);
		node.right = placed(run, node.right);
		cpu->node[run->offset + i] = node;
	}
}

void lbvh_cpu_cluster(struct lbvh_cpu *cpu, struct gb_timer *timer)
{
	struct run *runs = cpu->runs;
	const size_t count = lbvh_cpu_cluster_runs(cpu->leaves);

	lbvh_cpu_phase(timer, "hierarchy");
#pragma omp parallel for num_threads(cpu->threads) schedule(dynamic, 1)
	for (size_t i = 0; i < count; i++) {
		const size_t end = (i + 1) * RUN;

		sweep(cpu, &runs[i], i * RUN, end < cpu->leaves ? end : cpu->leaves);
	}
	join_runs(cpu, runs, count);
#pragma omp parallel for num_threads(cpu->threads) schedule(static)
	for (size_t i = 0; i < count; i++)
		copy_run(cpu, &runs[i], cpu->spare + i * RUN);
}
