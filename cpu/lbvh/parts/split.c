/* split.c -- top-down build: each range of primitives is split by the cheapest of a few planes
 * along each axis (Wald 2007: "On fast construction of SAH-based bounding volume hierarchies").
 *
 * Steps per range: the extent of its primitives' centres; bins along the three axes at once, each
 * with a box and a count; the cost of all planes between bins by a sweep from either side, which
 * also gives the boxes of the halves; the partition, stable and out of place, into the other of two
 * arrays.  A plane costs what `sah_cost` counts: the surface times the primitives of either side.
 * A range of up to LBVH_SPLIT_LEAF primitives becomes a leaf unless a plane is cheaper.
 *
 * All boxes exist twice; a level reads one copy and writes the other, as records that include the
 * primitive's number (split_ways.h), so that nothing is gathered.  All threads split a large range
 * together, each a part of its primitives; one thread splits any other range.  The boxes of bins
 * and a stable partition depend neither on the threads nor on the instruction set, so the tree is
 * always the same.
 *
 * Bound: instructions, in large ranges mostly those for the bins (split_body.h).
 */
#include "cpu/lbvh/parts/frame.h"

#include <string.h>

#include "common/memory.h"
#include "cpu/lbvh/parts/split_ways.h"

enum {
	FEWEST = 4096,       /* a large range has more primitives than this, */
	SHARES = 4,          /* and more than a thread's share of all primitives / SHARES */
	TOP_PER_THREAD = 32, /* large ranges per thread, at most */
};

/* Flag of a child's number: it is a task's. */
#define TASK (UINT32_C(1) << 31)

/* A subtree that one thread makes, and its place in the tree. */
struct lbvh_task {
	struct lbvh_range range;
	uint32_t parent; /* number among the nodes above the tasks */
	bool right;
	uint32_t used; /* nodes made */
	uint32_t to;   /* number of the first one in the tree */
};

/* A thread's part of a large range. */
struct share {
	struct lbvh_extent extent;
	struct lbvh_bins bins;
	uint32_t left, right; /* places of its primitives */
	char apart[64];
};

struct lbvh_splitter {
	bool any; /* a large range is left, in `range` */
	struct lbvh_range range;
	struct lbvh_split_grid grid;
	struct lbvh_plane plane;
	struct lbvh_task *task; /* `tasks` of them; head .. tail - 1 are pending ranges */
	size_t tasks, head, tail;
	struct lbvh_node *above; /* `top` nodes; a child is one of them or TASK | a task */
	uint32_t top;
	struct share share[];
};

/* ---- large ranges, by all threads --------------------------------------------------------- */

/* Tasks and pending ranges, at most. */
static size_t tasks_of(int threads)
{
	return 1 + (size_t)threads * TOP_PER_THREAD * 2;
}

void lbvh_cpu_alloc_split(struct lbvh_cpu *cpu, struct gb_error *err)
{
	const size_t threads = (size_t)cpu->threads;

	cpu->splitter = gb_host_alloc(
		1, sizeof *cpu->splitter + threads * sizeof *cpu->splitter->share, err);
	cpu->above = gb_host_alloc(threads * TOP_PER_THREAD, sizeof *cpu->above, err);
	cpu->task = gb_host_alloc(tasks_of(cpu->threads), sizeof *cpu->task, err);
}

/* Store in the parent of a range what the range became. */
static void set_child(struct lbvh_splitter *s, const struct lbvh_task *task, uint32_t number)
{
	struct lbvh_node *parent = s->above + task->parent;

	if (task->range.level == 0)
		return;
	if (task->right)
		parent->right = number;
	else
		parent->left = number;
}

/* Find the next large range, s->range; other ranges become tasks.  False if there is none. */
static bool next_large(const struct lbvh_cpu *cpu, struct lbvh_splitter *s)
{
	const size_t part = cpu->count / ((size_t)cpu->threads * SHARES);
	const size_t least = part > FEWEST ? part : FEWEST;

	while (s->head < s->tail) {
		const struct lbvh_task next = s->task[s->head++];

		if (cpu->threads > 1 && next.range.count > least &&
		    next.range.level < LBVH_SPLIT_DEEP && s->tail + 2 <= tasks_of(cpu->threads)) {
			set_child(s, &next, s->top);
			s->range = next.range;
			return true;
		}
		set_child(s, &next, TASK | (uint32_t)s->tasks);
		s->task[s->tasks++] = next;
	}
	return false;
}

static void set_large(const struct lbvh_cpu *cpu, struct lbvh_splitter *s, int threads)
{
	struct lbvh_node *node = s->above + s->top;
	struct lbvh_extent all = s->share[0].extent;

	for (int t = 1; t < threads; t++)
		cpu->ways->join_extents(&all, &s->share[t].extent);
	cpu->ways->grid(&s->grid, &all, s->range.count);
	for (int k = 0; k < 3; k++) {
		node->lo[k] = all.box.lo[k];
		node->hi[k] = -all.box.hi[k];
	}
}

/* Queue one of the two halves of the current range. */
static void add_half(struct lbvh_splitter *s, uint32_t first, uint32_t count, bool right)
{
	s->task[s->tail++] = (struct lbvh_task){ .range = { first, count, s->range.level + 1 },
						 .parent = s->top,
						 .right = right };
}

/* The start of a thread's part of the current range; it ends where the next thread's part
 * begins. */
static uint32_t part_of(const struct lbvh_splitter *s, int thread, int threads)
{
	return (uint32_t)((uint64_t)s->range.count * (uint64_t)thread / (uint64_t)threads);
}

/* Choose the plane from the bins of all threads, the places of each thread's primitives, and the
 * two new ranges. */
static void choose(const struct lbvh_cpu *cpu, struct lbvh_splitter *s, int threads)
{
	const struct lbvh_range *r = &s->range;
	struct lbvh_bins all = s->share[0].bins;
	struct lbvh_box side[2];
	uint32_t left = 0, right;

	for (int t = 1; t < threads; t++)
		cpu->ways->join_bins(&all, &s->share[t].bins, s->grid.bins);
	s->plane = cpu->ways->plane(&all, &s->grid, r->count, side);
	right = s->plane.left;
	for (int t = 0; t < threads && s->plane.axis < 3; t++) {
		struct share *share = &s->share[t];
		const uint32_t own = part_of(s, t + 1, threads) - part_of(s, t, threads);
		const uint32_t own_left = cpu->ways->left(&share->bins, &s->plane);

		share->left = left;
		share->right = right;
		left += own_left;
		right += own - own_left;
	}
	add_half(s, r->first, s->plane.left, false);
	add_half(s, r->first + s->plane.left, r->count - s->plane.left, true);
	s->top++;
}

static void split_large(struct lbvh_cpu *cpu, struct lbvh_splitter *s)
{
	const int t = omp_get_thread_num(), threads = omp_get_num_threads();
	const uint32_t begin = part_of(s, t, threads), count = part_of(s, t + 1, threads) - begin;
	const bool odd = s->range.level % 2;
	const struct lbvh_box *from = (odd ? cpu->box_spare : cpu->box) + s->range.first;
	struct lbvh_box *to = (odd ? cpu->box : cpu->box_spare) + s->range.first;
	struct share *own = &s->share[t];

	cpu->ways->extent(&own->extent, from + begin, count);
#pragma omp barrier
#pragma omp single
	set_large(cpu, s, threads);
	cpu->ways->bins(&own->bins, &s->grid, from + begin, count);
#pragma omp barrier
#pragma omp single
	choose(cpu, s, threads);
	if (s->plane.axis < 3)
		cpu->ways->partition(from + begin, to, count, &s->grid, &s->plane, own->left,
				     own->right);
	else
		memcpy(to + begin, from + begin, (size_t)count * sizeof *to);
#pragma omp barrier
}

/* ---- the tree ----------------------------------------------------------------------------- */

/* The place for a task's nodes: in cpu->spare, with room for all that it may need, or in the tree
 * if the task is all of it. */
static struct lbvh_node *nodes_of(const struct lbvh_cpu *cpu, const struct lbvh_splitter *s,
				  const struct lbvh_task *task)
{
	return s->top ? cpu->spare + 2 * (size_t)task->range.first : cpu->node;
}

/* Number the nodes of a subtree depth first, as one thread would: write those above the tasks, and
 * set where each task's nodes go.  Returns the number after the last one. */
static uint32_t place(struct lbvh_cpu *cpu, struct lbvh_splitter *s, uint32_t child, uint32_t to)
{
	if (child & TASK) {
		struct lbvh_task *task = s->task + (child & ~TASK);

		task->to = to;
		return to + task->used;
	}
	cpu->node[to] = s->above[child];
	cpu->node[to].left = to + 1;
	cpu->node[to].right = place(cpu, s, s->above[child].left, to + 1);
	return place(cpu, s, s->above[child].right, cpu->node[to].right);
}

static void copy_task(struct lbvh_cpu *cpu, const struct lbvh_splitter *s,
		      const struct lbvh_task *task)
{
	const struct lbvh_node *from = nodes_of(cpu, s, task);

	if (!s->top)
		return;
	for (uint32_t i = 0; i < task->used; i++) {
		struct lbvh_node node = from[i];

		if (!(node.left & LBVH_LEAF)) {
			node.left += task->to;
			node.right += task->to;
		}
		cpu->node[task->to + i] = node;
	}
}

void lbvh_cpu_split(struct lbvh_cpu *cpu, struct gb_timer *timer)
{
	const size_t t = (size_t)omp_get_thread_num(), threads = (size_t)omp_get_num_threads();
	struct lbvh_splitter *s = cpu->splitter;

	lbvh_cpu_phase(timer, "hierarchy");
#pragma omp single
	{
		cpu->ways = lbvh_split_ways_of(cpu->simd);
		s->task = cpu->task;
		s->above = cpu->above;
		s->task[0] = (struct lbvh_task){ .range = { 0, (uint32_t)cpu->count, 0 } };
		s->tasks = s->head = 0;
		s->tail = 1;
		s->top = 0;
		s->any = next_large(cpu, s);
	}
	cpu->ways->number(cpu->box, cpu->count * t / threads, cpu->count * (t + 1) / threads);
#pragma omp barrier
	while (s->any) {
		split_large(cpu, s);
#pragma omp single
		s->any = next_large(cpu, s);
	}
#pragma omp for schedule(dynamic, 1)
	for (size_t i = 0; i < s->tasks; i++) {
		struct lbvh_task *task = s->task + i;

		task->used = cpu->ways->subtree(cpu, task->range, nodes_of(cpu, s, task));
	}
#pragma omp single
	cpu->leaves = (place(cpu, s, s->top ? 0 : TASK, 0) + 1) / 2;
#pragma omp for schedule(dynamic, 1)
	for (size_t i = 0; i < s->tasks; i++)
		copy_task(cpu, s, s->task + i);
}
