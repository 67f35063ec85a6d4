/* split.c -- a tree from the top down: each range of primitives is parted in two by the plane that
 * costs least of a few along each axis (Wald 2007: "On fast construction of SAH-based bounding
 * volume hierarchies").
 *
 * Per range: the extent of its boxes and of their centres; bins along the three axes at once, each
 * with a box and a count; the cost of all planes between bins by a sweep from either side; the
 * partition, stable and out of place, into the other of two arrays.  A plane costs what `sah_cost`
 * counts: of either side its surface times its primitives.  A range of up to LEAF primitives
 * becomes a leaf where no plane is cheaper than that.
 *
 * All boxes are there twice, a level reads one copy and writes the other, with the primitive's
 * number in the fourth component, so that nothing is gathered.  Large ranges are parted by all
 * threads together, each with a part of the primitives; the others by one thread each.  Neither
 * boxes of bins nor a stable partition depend on who does what: the tree is the same for all
 * numbers of threads.
 *
 * Bound: arithmetic, some ten instructions a primitive, axis and level in large ranges; the sweeps
 * in small ones.
 */
#include "cpu/lbvh/parts/split.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "cpu/lbvh/parts/lanes.h"

enum {
	BINS = 16,
	LEAF = 8,
	DEEP = 48,           /* levels, below which ranges are halved: the tree ends soon */
	FEWEST = 4096,       /* primitives that a large range has more than, */
	SHARES = 4,          /* and more than this part of a thread's share of them all */
	TOP_PER_THREAD = 32, /* large ranges, at most */
};

/* A primitive's number in its box: with this added it is neither subnormal nor a NaN, for sums are
 * made of all four components. */
#define NUMBER UINT32_C(0x20000000)

/* Primitives first .. first + count of the array of its level. */
struct range {
	uint32_t first, count, level;
};

/* Around boxes, and around twice their centres. */
struct extent {
	LANES lo, hi, centre_lo, centre_hi;
};

/* From twice a centre to its bin, per axis. */
struct grid {
	LANES origin, scale, most;
	int bins;
};

struct bins {
	LANES lo[3][BINS], hi[3][BINS];
	uint32_t count[3][BINS];
};

/* On the left is what lies before `place` on the grid's axis; axis 3: the first half. */
struct plane {
	float cost;
	int axis;
	float place;
	uint32_t left; /* primitives */
};

/* In a child's number: it is a task's. */
#define TASK (UINT32_C(1) << 31)

/* A subtree that one thread makes, and whose child it is. */
struct lbvh_task {
	struct range range;
	uint32_t parent; /* among the nodes above the tasks */
	bool right;
	uint32_t used; /* nodes */
	uint32_t to;   /* the first one's number in the tree */
};

/* What a thread knows of its part of a large range. */
struct share {
	struct extent extent;
	struct bins bins;
	uint32_t left, right; /* where its primitives go */
	char apart[64];
};

struct lbvh_splitter {
	bool any; /* large range left: */
	struct range range;
	struct grid grid;
	struct plane plane;
	struct lbvh_task *task; /* `tasks` of them; head .. tail - 1 are still to be looked at */
	size_t tasks, head, tail;
	struct lbvh_node *above; /* `top` nodes; a child is one of them or TASK | a task */
	uint32_t top;
	struct share share[];
};

/* ---- bins --------------------------------------------------------------------------------- */

static struct extent empty_extent(void)
{
	const LANES least = lanes_all(FLT_MAX), most = lanes_all(-FLT_MAX);

	return (struct extent){ least, most, least, most };
}

static struct extent join_extents(struct extent a, struct extent b)
{
	return (struct extent){ lanes_min(a.lo, b.lo), lanes_max(a.hi, b.hi),
				lanes_min(a.centre_lo, b.centre_lo),
				lanes_max(a.centre_hi, b.centre_hi) };
}

static struct extent extent_of(const struct lbvh_box *box, size_t count)
{
	struct extent e = empty_extent();

	for (size_t i = 0; i < count; i++) {
		const LANES lo = lanes_load(box[i].lo), hi = lanes_load(box[i].hi);
		const LANES centre = lanes_add(lo, hi);

		e = join_extents(e, (struct extent){ lo, hi, centre, centre });
	}
	return e;
}

/* Few bins for few primitives, where the sweeps cost more than the boxes. */
static struct grid grid_over(const struct extent *e, size_t count)
{
	const int bins = count < 96 ? 4 + (int)count / 8 : BINS;
	float lo[4], hi[4], scale[4] = { 0 };

	lanes_store(lo, e->centre_lo);
	lanes_store(hi, e->centre_hi);
	for (int k = 0; k < 3; k++)
		if (hi[k] > lo[k])
			scale[k] = (float)bins / (hi[k] - lo[k]);
	return (struct grid){ e->centre_lo, lanes_load(scale), lanes_all((float)(bins - 1)), bins };
}

static void clear_bins(struct bins *b, int bins)
{
	memset(b->count, 0, sizeof b->count);
	for (int k = 0; k < 3; k++)
		for (int i = 0; i < bins; i++) {
			b->lo[k][i] = lanes_all(FLT_MAX);
			b->hi[k][i] = lanes_all(-FLT_MAX);
		}
}

static void fill_bins(struct bins *b, const struct grid *g, const struct lbvh_box *box,
		      size_t count)
{
	const LANES zero = lanes_all(0);

	for (size_t i = 0; i < count; i++) {
		const LANES lo = lanes_load(box[i].lo), hi = lanes_load(box[i].hi);
		const LANES place = lanes_mul(lanes_sub(lanes_add(lo, hi), g->origin), g->scale);
		int32_t cell[4];

		/* A place that is a NaN is 0: of a centre at the origin, an extent too small for
		 * its inverse. */
		lanes_truncate(cell, lanes_min(lanes_max(place, zero), g->most));
		for (int k = 0; k < 3; k++) {
			b->lo[k][cell[k]] = lanes_min(b->lo[k][cell[k]], lo);
			b->hi[k][cell[k]] = lanes_max(b->hi[k][cell[k]], hi);
			b->count[k][cell[k]]++;
		}
	}
}

static void join_bins(struct bins *to, const struct bins *from, int bins)
{
	for (int k = 0; k < 3; k++)
		for (int i = 0; i < bins; i++) {
			to->lo[k][i] = lanes_min(to->lo[k][i], from->lo[k][i]);
			to->hi[k][i] = lanes_max(to->hi[k][i], from->hi[k][i]);
			to->count[k][i] += from->count[k][i];
		}
}

/* Half the surface of a box. */
static float area(LANES lo, LANES hi)
{
	float size[4];

	lanes_store(size, lanes_sub(hi, lo));
	return size[0] * size[1] + size[1] * size[2] + size[2] * size[0];
}

/* The planes between the bins of an axis; *best is replaced by one that is cheaper. */
static void sweep(const struct bins *b, int axis, const struct grid *g, uint32_t all,
		  struct plane *best)
{
	LANES lo = lanes_all(FLT_MAX), hi = lanes_all(-FLT_MAX);
	float right[BINS];
	uint32_t count = 0;

	for (int i = g->bins - 1; i > 0; i--) {
		lo = lanes_min(lo, b->lo[axis][i]);
		hi = lanes_max(hi, b->hi[axis][i]);
		right[i] = area(lo, hi);
	}
	lo = lanes_all(FLT_MAX);
	hi = lanes_all(-FLT_MAX);
	for (int i = 0; i + 1 < g->bins; i++) {
		float cost;

		lo = lanes_min(lo, b->lo[axis][i]);
		hi = lanes_max(hi, b->hi[axis][i]);
		count += b->count[axis][i];
		cost = area(lo, hi) * (float)count + right[i + 1] * (float)(all - count);
		if (count && count < all && cost < best->cost)
			*best = (struct plane){ cost, axis, (float)(i + 1), count };
	}
}

static struct plane best_plane(const struct bins *b, const struct grid *g, uint32_t count)
{
	struct plane best = { INFINITY, 3, 0, count / 2 };

	for (int k = 0; k < 3; k++)
		sweep(b, k, g, count, &best);
	return best;
}

/* ---- ranges ------------------------------------------------------------------------------- */

/* The primitives of a range, and where its halves go. */
static struct lbvh_box *boxes(const struct lbvh_cpu *cpu, const struct range *r)
{
	return (r->level % 2 ? cpu->box_spare : cpu->box) + r->first;
}

static struct lbvh_box *boxes_below(const struct lbvh_cpu *cpu, const struct range *r)
{
	return (r->level % 2 ? cpu->box : cpu->box_spare) + r->first;
}

/* The primitives of a range's part [begin, end) to the other array, those on the left from `left`
 * on and the others from `right` on. */
static void partition(const struct lbvh_cpu *cpu, const struct range *r, const struct grid *g,
		      const struct plane *plane, uint32_t begin, uint32_t end, uint32_t left,
		      uint32_t right)
{
	const struct lbvh_box *from = boxes(cpu, r);
	struct lbvh_box *to = boxes_below(cpu, r);
	const int k = plane->axis;
	float origin[4], scale[4];

	if (k == 3) {
		memcpy(to + begin, from + begin, (size_t)(end - begin) * sizeof *to);
		return;
	}
	lanes_store(origin, g->origin);
	lanes_store(scale, g->scale);
	for (uint32_t i = begin; i < end; i++) {
		const float place = (from[i].lo[k] + from[i].hi[k] - origin[k]) * scale[k];
		const bool is_right = place >= plane->place;
		const uint32_t at = is_right ? right : left;

		lanes_store(to[at].lo, lanes_load(from[i].lo));
		lanes_store(to[at].hi, lanes_load(from[i].hi));
		right += is_right;
		left += !is_right;
	}
}

static void set_boxes(struct lbvh_node *node, const struct extent *e)
{
	lanes_store_node(node, e->lo, e->hi, 0, 0);
}

static void make_leaf(struct lbvh_cpu *cpu, const struct range *r, struct lbvh_node *node)
{
	const struct lbvh_box *box = boxes(cpu, r);

	node->left = LBVH_LEAF | r->first;
	node->right = r->count;
	for (uint32_t i = 0; i < r->count; i++) {
		uint32_t number;

		memcpy(&number, &box[i].lo[3], sizeof number);
		cpu->index[r->first + i] = number - NUMBER;
	}
}

/* The plane to part a range by. */
static struct plane plane_of(const struct range *r, const struct extent *e,
			     const struct lbvh_box *box, struct grid *g)
{
	struct plane halves = { INFINITY, 3, 0, r->count / 2 };
	struct bins b;

	if (r->count == 2)
		halves.cost = area(lanes_load(box[0].lo), lanes_load(box[0].hi)) +
			      area(lanes_load(box[1].lo), lanes_load(box[1].hi));
	if (r->count <= 2 || r->level >= DEEP)
		return halves;
	*g = grid_over(e, r->count);
	clear_bins(&b, g->bins);
	fill_bins(&b, g, box, r->count);
	return best_plane(&b, g, r->count);
}

static bool should_be_leaf(const struct range *r, const struct extent *e, const struct plane *plane)
{
	const float surface = area(e->lo, e->hi);

	return r->count <= LEAF && !(surface + plane->cost < surface * (float)r->count);
}

/* The subtree over a range into node[to ..]; returns the number after its last. */
static uint32_t make_subtree(struct lbvh_cpu *cpu, struct range r, struct lbvh_node *node,
			     uint32_t to)
{
	const struct extent e = extent_of(boxes(cpu, &r), r.count);
	struct grid g = { .bins = 0 };
	const struct plane plane = plane_of(&r, &e, boxes(cpu, &r), &g);
	uint32_t right;

	set_boxes(node + to, &e);
	if (should_be_leaf(&r, &e, &plane)) {
		make_leaf(cpu, &r, node + to);
		return to + 1;
	}
	partition(cpu, &r, &g, &plane, 0, r.count, 0, plane.left);
	node[to].left = to + 1;
	right = make_subtree(cpu, (struct range){ r.first, plane.left, r.level + 1 }, node, to + 1);
	node[to].right = right;
	return make_subtree(
		cpu, (struct range){ r.first + plane.left, r.count - plane.left, r.level + 1 },
		node, right);
}

/* ---- large ranges, by all threads --------------------------------------------------------- */

size_t lbvh_cpu_splitter_bytes(int threads)
{
	return sizeof(struct lbvh_splitter) + (size_t)threads * sizeof(struct share);
}

size_t lbvh_cpu_above(int threads)
{
	return (size_t)threads * TOP_PER_THREAD;
}

size_t lbvh_cpu_tasks(int threads)
{
	return 1 + 2 * lbvh_cpu_above(threads);
}

size_t lbvh_cpu_task_bytes(void)
{
	return sizeof(struct lbvh_task);
}

/* Let the parent of a range know what became of it. */
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

/* Whether there is a large range left: s->range.  What is not large is a task. */
static bool next_large(const struct lbvh_cpu *cpu, struct lbvh_splitter *s)
{
	const size_t part = cpu->count / ((size_t)cpu->threads * SHARES);
	const size_t least = part > FEWEST ? part : FEWEST;

	while (s->head < s->tail) {
		const struct lbvh_task next = s->task[s->head++];

		if (cpu->threads > 1 && next.range.count > least && next.range.level < DEEP &&
		    s->tail + 2 <= lbvh_cpu_tasks(cpu->threads)) {
			set_child(s, &next, s->top);
			s->range = next.range;
			return true;
		}
		set_child(s, &next, TASK | (uint32_t)s->tasks);
		s->task[s->tasks++] = next;
	}
	return false;
}

static void set_large(struct lbvh_splitter *s, int threads)
{
	struct extent all = s->share[0].extent;

	for (int t = 1; t < threads; t++)
		all = join_extents(all, s->share[t].extent);
	s->grid = grid_over(&all, s->range.count);
	set_boxes(s->above + s->top, &all);
}

/* One of the two ranges that the one under work is parted in. */
static void add_half(struct lbvh_splitter *s, uint32_t first, uint32_t count, bool right)
{
	s->task[s->tail++] = (struct lbvh_task){ .range = { first, count, s->range.level + 1 },
						 .parent = s->top,
						 .right = right };
}

/* The plane, from the bins of all threads; where each thread's primitives go; the two new ranges. */
static void choose(struct lbvh_splitter *s, int threads)
{
	const struct range *r = &s->range;
	uint32_t left = 0, right;
	struct bins all = s->share[0].bins;

	for (int t = 1; t < threads; t++)
		join_bins(&all, &s->share[t].bins, s->grid.bins);
	s->plane = best_plane(&all, &s->grid, r->count);
	right = s->plane.left;
	for (int t = 0; t < threads && s->plane.axis < 3; t++) {
		struct share *share = &s->share[t];
		const uint32_t *count = share->bins.count[s->plane.axis];

		share->left = left;
		share->right = right;
		for (int i = 0; i < s->grid.bins; i++)
			*((float)i < s->plane.place ? &left : &right) += count[i];
	}
	add_half(s, r->first, s->plane.left, false);
	add_half(s, r->first + s->plane.left, r->count - s->plane.left, true);
	s->top++;
}

static void split_large(struct lbvh_cpu *cpu, struct lbvh_splitter *s)
{
	const uint32_t t = (uint32_t)omp_get_thread_num();
	const uint32_t threads = (uint32_t)omp_get_num_threads();
	const struct range r = s->range;
	const uint32_t begin = (uint32_t)((uint64_t)r.count * t / threads);
	const uint32_t end = (uint32_t)((uint64_t)r.count * (t + 1) / threads);
	struct share *own = &s->share[t];

	own->extent = extent_of(boxes(cpu, &r) + begin, end - begin);
#pragma omp barrier
#pragma omp single
	set_large(s, (int)threads);
	clear_bins(&own->bins, s->grid.bins);
	fill_bins(&own->bins, &s->grid, boxes(cpu, &r) + begin, end - begin);
#pragma omp barrier
#pragma omp single
	choose(s, (int)threads);
	partition(cpu, &r, &s->grid, &s->plane, begin, end, own->left, own->right);
#pragma omp barrier
}

/* ---- the tree ----------------------------------------------------------------------------- */

/* Write the primitives' numbers into their boxes. */
static void number_boxes(struct lbvh_cpu *cpu)
{
#pragma omp for schedule(static)
	for (size_t i = 0; i < cpu->count; i++) {
		const uint32_t number = NUMBER + (uint32_t)i;

		memcpy(&cpu->box[i].lo[3], &number, sizeof number);
		cpu->box[i].hi[3] = 0;
	}
}

/* Where the nodes of a subtree go, those of its tasks and those above them, which are written: depth
 * first, as one thread numbers them.  Returns the number after its last. */
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

static void copy_task(struct lbvh_cpu *cpu, const struct lbvh_task *task)
{
	const struct lbvh_node *from = cpu->spare + 2 * (size_t)task->range.first;

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
	struct lbvh_splitter *s = cpu->splitter;

	lbvh_cpu_phase(timer, "hierarchy");
	number_boxes(cpu);
#pragma omp single
	{
		s->task = cpu->task;
		s->above = cpu->above;
		s->task[0] = (struct lbvh_task){ .range = { 0, (uint32_t)cpu->count, 0 } };
		s->tasks = s->head = 0;
		s->tail = 1;
		s->top = 0;
		s->any = next_large(cpu, s);
	}
	while (s->any) {
		split_large(cpu, s);
#pragma omp single
		s->any = next_large(cpu, s);
	}
#pragma omp for schedule(dynamic, 1)
	for (size_t i = 0; i < s->tasks; i++) {
		struct lbvh_task *task = s->task + i;

		task->used = make_subtree(cpu, task->range,
					  cpu->spare + 2 * (size_t)task->range.first, 0);
	}
#pragma omp single
	cpu->leaves = (place(cpu, s, s->top ? 0 : TASK, 0) + 1) / 2;
#pragma omp for schedule(dynamic, 1)
	for (size_t i = 0; i < s->tasks; i++)
		copy_task(cpu, s->task + i);
}
