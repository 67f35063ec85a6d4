/* cluster.c -- a tree by clustering: H-PLOC (Benthin and others 2024) on a CPU.
 *
 * The codes' tree is walked bottom-up, as in fused.c, but a finished range does not become a node:
 * it keeps a list of at most KEPT clusters, ordered along the curve.  When two ranges join, their
 * lists are concatenated, and a list longer than KEPT is reduced: each cluster looks RADIUS places
 * to both sides for the partner with the smallest common box (half its surface), and two clusters
 * that choose each other become a node.  The list of the whole scene is reduced to one cluster, the
 * root.
 *
 * The codes alone determine which clusters meet, so the tree is the same for any number of threads.
 * Threads share the leaves in runs of RUN; a run numbers its nodes from 0 in memory of its own.
 * Afterwards one thread joins the ranges that reach over the ends of a run.  Only then the number
 * of nodes before each run is known, and the runs' nodes are copied to their places.
 *
 * Progress: both clusters compute the same number for a wish to merge, and a cluster has no two
 * equal ones, because the lowest bits identify the partner.  So the two clusters of the strongest
 * wish choose each other.  If all boxes are alike, neighbours 2 k and 2 k + 1 do: the list halves.
 */
#include "cpu/lbvh/shared/frame.h"

#include <string.h>

#include "common/memory.h"

enum {
	KEPT = 16,
	MOST = 2 * KEPT,
	RADIUS = 8,
	RUN = 1 << 13,
	ROOM = MOST + RADIUS, /* entries of a list, so that every cluster has RADIUS neighbours */
	PARTNER = 63,         /* mask of the bits that identify a partner: i ^ j */
	DEPTH = 136,          /* deltas rise towards each end of a run and are below 64 */
};

/* Beyond all coordinates; the surface of a box of this size is still a finite float. */
#define FENCE 1e18f

/* Flag of a child that is a node of the same run; the other bits are its number there. */
#define LOCAL (UINT32_C(1) << 31)

/* Clusters of a range of leaves.  before, after: deltas of codes to the neighbouring leaves; -1 if
 * there is no neighbour. */
struct range {
	int before, after, count;
	uint32_t node[KEPT];
	float lo[3][KEPT], hi[3][KEPT];
};

struct run {
	struct range at[DEPTH];
	int top;
	uint32_t used;   /* nodes made */
	uint32_t offset; /* number of the first one in the tree */
};

/* A list that is being reduced. */
struct list {
	int count;
	uint32_t node[ROOM];
	float lo[3][ROOM], hi[3][ROOM];
};

typedef void choose_fn(struct list *l, int32_t strongest[ROOM]);

/* Allocates new nodes: numbers rise from `next` in a run, and fall in the tree's top. */
struct maker {
	struct lbvh_node *node;
	uint32_t next;
	int step;
	uint32_t flag;
	choose_fn *choose;
};

/* The number of runs for so many leaves. */
static size_t runs_of(size_t leaves)
{
	return (leaves + RUN - 1) / RUN;
}

void lbvh_cpu_alloc_cluster(struct lbvh_cpu *cpu, struct gb_error *err)
{
	cpu->runs = gb_host_alloc(runs_of(cpu->count), sizeof(struct run), err);
}

/* ---- merging ------------------------------------------------------------------------------ */

/* choose_body() and its callees are inlined into one copy per instruction set. */
#define INLINED static inline __attribute__((always_inline))

/* Append boxes that no cluster chooses, so that loops need not know where the list ends. */
INLINED void fence(struct list *l)
{
	for (int i = l->count; i < ROOM; i++)
		for (int k = 0; k < 3; k++) {
			l->lo[k][i] = -FENCE;
			l->hi[k][i] = FENCE;
		}
}

/* For i = 0 .. MOST - 1, the wish of clusters i and i + apart to merge; smaller is stronger.  It is
 * half the surface of their common box, as a float's bits, the lowest ones replaced by
 * i ^ (i + apart). */
INLINED void wishes(const struct list *l, int apart, int32_t wish[MOST])
{
	float area[MOST];

	for (int i = 0; i < MOST; i++) {
		const float x = lbvh_max(l->hi[0][i], l->hi[0][i + apart]) -
				lbvh_min(l->lo[0][i], l->lo[0][i + apart]);
		const float y = lbvh_max(l->hi[1][i], l->hi[1][i + apart]) -
				lbvh_min(l->lo[1][i], l->lo[1][i + apart]);
		const float z = lbvh_max(l->hi[2][i], l->hi[2][i + apart]) -
				lbvh_min(l->lo[2][i], l->lo[2][i + apart]);

		area[i] = lbvh_add(lbvh_add(lbvh_mul(x, y), lbvh_mul(y, z)), lbvh_mul(z, x));
	}
	memcpy(wish, area, sizeof area);
	for (int i = 0; i < MOST; i++)
		wish[i] = (wish[i] & ~PARTNER) | (i ^ (i + apart));
}

/* strongest[i]: the strongest wish of cluster i. */
INLINED void choose_body(struct list *l, int32_t strongest[ROOM])
{
	int32_t wish[MOST];

	fence(l);
	for (int i = 0; i < ROOM; i++)
		strongest[i] = INT32_MAX;
	for (int apart = 1; apart <= RADIUS; apart++) {
		wishes(l, apart, wish);
		for (int i = 0; i < MOST; i++)
			strongest[i] = wish[i] < strongest[i] ? wish[i] : strongest[i];
		for (int i = 0; i < MOST; i++)
			strongest[i + apart] =
				wish[i] < strongest[i + apart] ? wish[i] : strongest[i + apart];
	}
}

static void choose_plain(struct list *l, int32_t strongest[ROOM])
{
	choose_body(l, strongest);
}

#if defined(__x86_64__)
CPU_AVX2_TARGET static void choose_avx2(struct list *l, int32_t strongest[ROOM])
{
	choose_body(l, strongest);
}
#endif

static choose_fn *best_choose(const struct lbvh_cpu *cpu)
{
#if defined(__x86_64__)
	if (cpu->simd >= CPU_AVX2)
		return choose_avx2;
#endif
	return choose_plain;
}

/* Merge clusters i and j into a node, cluster `to`. */
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

/* Merge until at most `most` clusters remain. */
static void reduce(struct list *l, int most, struct maker *maker)
{
	int32_t strongest[ROOM];

	while (l->count > most) {
		int to = 0;

		maker->choose(l, strongest);
		for (int i = 0; i < l->count; i++) {
			const int j = i ^ (strongest[i] & PARTNER);

			if (strongest[j] != strongest[i])
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

/* Join the top two ranges while each is the other's nearest. */
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
	struct maker maker = { cpu->spare + begin, 0, 1, LOCAL, best_choose(cpu) };

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

/* ---- joining runs ------------------------------------------------------------------------- */

/* A child's number in the tree. */
static uint32_t placed(const struct run *run, uint32_t child)
{
	return child & LOCAL ? run->offset + (child & ~LOCAL) : child;
}

/* Join the ranges that the runs left, in order.  The new nodes come first in the tree; number 0,
 * the root, is made last. */
static void join_runs(struct lbvh_cpu *cpu, struct run *runs, size_t count)
{
	struct maker maker = { cpu->node, 0, -1, 0, best_choose(cpu) };
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
	if (whole.top) {
		append(&list, &whole.at[0]);
		reduce(&list, 1, &maker);
	}
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
	const size_t count = runs_of(cpu->leaves);

	lbvh_cpu_phase(timer, "hierarchy");
#pragma omp for schedule(dynamic, 1)
	for (size_t i = 0; i < count; i++) {
		const size_t end = (i + 1) * RUN;

		sweep(cpu, &runs[i], i * RUN, end < cpu->leaves ? end : cpu->leaves);
	}
#pragma omp single
	join_runs(cpu, runs, count);
#pragma omp for schedule(static)
	for (size_t i = 0; i < count; i++)
		copy_run(cpu, &runs[i], cpu->spare + i * RUN);
}
