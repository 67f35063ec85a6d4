/* collapse.c -- parallel collapse of a binary tree into one of eight children a node.
 *
 * A serial collapse would take longer than the build before it.  One thread makes the upper nodes,
 * breadth first, until there are enough subtrees for all threads; each subtree is then made by one
 * thread, depth first.  Nodes and blocks come from the thread's arena, which takes them from the
 * common arrays a chunk at a time.
 *
 * Upper bounds, for n references in leaves of up to 8: a node that is not full has only leaves
 * below it, and more than 8 references, else it would be a leaf.  So there are at most n / 9 nodes
 * without inner children, fewer with two or more, and at most n / 7 with one, which has seven
 * leaves beside it.  Two blocks in a row hold more than 8 triangles.
 *
 * The bound is memory: binary nodes and triangles are read once, wide nodes and blocks are written
 * once.
 */
#include <omp.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>

#include "common/memory.h"
#include "cpu/lbvh/parts/frame.h"
#include "cpu/lbvh/parts/lanes.h"
#include "cpu/lbvh/parts/wide.h"

enum {
	CHUNK = 64,            /* nodes or blocks that an arena takes at a time */
	LARGE = 8,             /* leaves of more blocks take them from the common array */
	TASKS_PER_THREAD = 32, /* subtrees per thread, for load balance */
	SMALL_TREE = 2048,     /* one thread collapses trees of fewer primitives */
	FEW_LEAVES = 32,       /* children of a node with these may fit in a leaf */
	AHEAD = 16,            /* prefetch distance of vertices, in primitives */
	FAR_AHEAD = 32,        /* prefetch distance of vertex numbers */
};

/* LBVH_DEPTH_FIRST as a value of work.leaves. */
#define DEPTH_FIRST UINT32_MAX

struct lbvh_arena {
	size_t node, node_end; /* taken, not in use yet */
	size_t block, block_end;
	size_t open;    /* the block begun last, if lanes < LBVH_WIDTH */
	unsigned lanes; /* lanes in use in that block */
	unsigned depth; /* levels of the deepest subtree made */
	char apart[64];
};

/* A binary subtree.  If it becomes a leaf or nodes are numbered depth first, its primitives are
 * index[first .. first + count).  In Karras' numbering, an inner node has leaves first .. first +
 * count - 1.  In other trees, count only shows whether a leaf can hold the primitives. */
struct below {
	uint32_t node, first, count;
};

/* A subtree to become wide node `to`, `level` nodes below the root. */
struct lbvh_top {
	struct below from;
	uint32_t to, level;
};

/* The state of one collapse. */
struct work {
	struct lbvh_wide *wide;
	const struct lbvh_input *input;
	const struct lbvh_node *node;
	const uint32_t *index;
	size_t references;            /* numbers in index */
	uint32_t leaves;              /* leaves in Karras' numbering, or DEPTH_FIRST; else 0 */
	const struct lbvh_plan *plan; /* NULL: the largest box is opened first */
	atomic_size_t node_next, block_next;
};

/* A candidate for a child of a wide node. */
struct kid {
	struct below below;
	bool leaf;
	float area;
};

static bool is_leaf(const struct lbvh_node *node)
{
	return node->left & LBVH_LEAF;
}

/* Primitives below a node; LBVH_WIDTH + 1 if an inner node has more than LBVH_WIDTH. */
static uint32_t count_below(const struct work *w, uint32_t root)
{
	const unsigned most = LBVH_WIDTH;
	uint32_t stack[LBVH_WIDTH + 1];
	unsigned waiting = 0, count = 0;

	if (is_leaf(w->node + root))
		return w->node[root].right;
	for (;;) {
		const struct lbvh_node *node = w->node + root;

		if (!is_leaf(node)) {
			stack[waiting++] = node->right;
			root = node->left;
		} else {
			count += node->right <= most ? node->right : most + 1;
			root = waiting ? stack[--waiting] : UINT32_MAX;
		}
		if (root == UINT32_MAX)
			return count <= most ? count : most + 1;
		if (count + waiting + 1 > most)
			return most + 1;
	}
}

static bool is_karras(const struct work *w)
{
	return w->leaves && w->leaves != DEPTH_FIRST;
}

/* A leaf, in Karras' numbering. */
static const struct lbvh_node *leaf_at(const struct work *w, uint32_t leaf)
{
	return w->node + (w->leaves - 1) + leaf;
}

/* The number of the last leaf of the left child, which has that number, as an inner node or as a
 * leaf, in Karras' numbering. */
static uint32_t last_left(const struct work *w, const struct lbvh_node *node)
{
	return node->left < w->leaves - 1 ? node->left : node->left - (w->leaves - 1);
}

static uint32_t first_primitive(const struct work *w, uint32_t leaf)
{
	return leaf < w->leaves ? leaf_at(w, leaf)->left & ~LBVH_LEAF : (uint32_t)w->references;
}

static struct kid make_kid(const struct work *w, struct below below)
{
	const struct lbvh_node *n = w->node + below.node;
	const bool karras = is_karras(w);
	bool leaf = is_leaf(n);

	if (!leaf) { /* opened soon, unless it becomes a leaf */
		__builtin_prefetch(w->node + n->left);
		__builtin_prefetch(w->node + n->right);
		if (karras && below.count <= FEW_LEAVES)
			__builtin_prefetch(leaf_at(w, last_left(w, n) + 1));
		else if (w->leaves == DEPTH_FIRST)
			__builtin_prefetch(w->node + n->right - 1);
	}
	if (!w->leaves)
		below.count = count_below(w, below.node);
	if (karras && below.count <= LBVH_WIDTH) {
		const uint32_t first = first_primitive(w, below.first);
		const uint32_t count = first_primitive(w, below.first + below.count) - first;

		leaf = leaf || count <= LBVH_WIDTH;
		if (leaf)
			below = (struct below){ below.node, first, count };
	} else if (!karras) {
		leaf = leaf || below.count <= LBVH_WIDTH;
	}
	return (struct kid){ below, leaf, lanes_area(n->lo, n->hi) };
}

/* The two children of an inner node. */
static void part(const struct work *w, struct below parent, struct below child[2])
{
	const struct lbvh_node *node = w->node + parent.node;
	uint32_t middle;

	child[0] = (struct below){ node->left, parent.first, 0 };
	child[1] = (struct below){ node->right, 0, 0 };
	if (!w->leaves)
		return;
	if (w->leaves == DEPTH_FIRST) { /* the last leaf of the left child is the node before */
		const struct lbvh_node *leaf = w->node + node->right - 1;

		middle = (leaf->left & ~LBVH_LEAF) + leaf->right;
	} else {
		middle = last_left(w, node) + 1;
	}
	child[0].count = middle - parent.first;
	child[1].first = middle;
	child[1].count = parent.first + parent.count - middle;
}

/* Find the children of a wide node, up to eight, opening the largest first; return how many. */
static unsigned open_largest(const struct work *w, struct below root, struct kid kid[LBVH_WIDTH])
{
	unsigned count = 1;

	kid[0] = make_kid(w, root);
	while (count < LBVH_WIDTH) {
		unsigned largest = LBVH_WIDTH;
		struct below child[2];

		for (unsigned i = 0; i < count; i++)
			if (!kid[i].leaf &&
			    (largest == LBVH_WIDTH || kid[i].area > kid[largest].area))
				largest = i;
		if (largest == LBVH_WIDTH)
			break;
		part(w, kid[largest].below, child);
		kid[largest] = make_kid(w, child[0]);
		kid[count++] = make_kid(w, child[1]);
	}
	return count;
}

/* Append the children that a subtree gives to the node above, up to `slots`, by the plan.  Return
 * the new count. */
static unsigned take_planned(const struct work *w, uint32_t root, unsigned slots,
			     struct kid kid[LBVH_WIDTH], unsigned count)
{
	const uint8_t *share = w->plan[root].left;
	const struct lbvh_node *n = w->node + root;

	if (slots == 1 || !share[slots - 1]) {
		kid[count] = make_kid(w, (struct below){ root, 0, 0 });
		return count + 1;
	}
	count = take_planned(w, n->left, share[slots - 1], kid, count);
	return take_planned(w, n->right, slots - share[slots - 1], kid, count);
}

/* Find the children of a wide node by the plan; return their number. */
static unsigned open_planned(const struct work *w, struct below root, struct kid kid[LBVH_WIDTH])
{
	const unsigned share = w->plan[root.node].left[0];
	const struct lbvh_node *n = w->node + root.node;
	unsigned count;

	if (share == LBVH_PLAN_LEAF)
		return take_planned(w, root.node, 1, kid, 0);
	count = take_planned(w, n->left, share, kid, 0);
	return take_planned(w, n->right, LBVH_WIDTH - share, kid, count);
}

/* ---- triangles ---------------------------------------------------------------------------- */

/* Take `count` blocks in a row. */
static size_t take_blocks(struct work *w, struct lbvh_arena *arena, size_t count)
{
	size_t at;

	if (count > LARGE)
		return atomic_fetch_add_explicit(&w->block_next, count, memory_order_relaxed);
	if (arena->block_end - arena->block < count) {
		arena->block =
			atomic_fetch_add_explicit(&w->block_next, CHUNK, memory_order_relaxed);
		arena->block_end = arena->block + CHUNK;
	}
	at = arena->block;
	arena->block += count;
	return at;
}

static void set_lane(struct lbvh_block *block, unsigned lane, const struct lbvh_input *input,
		     uint32_t primitive)
{
	const uint32_t *triangle = input->triangle + 3 * (size_t)primitive;
	const float *a = input->vertex + 3 * (size_t)triangle[0];
	const float *b = input->vertex + 3 * (size_t)triangle[1];
	const float *c = input->vertex + 3 * (size_t)triangle[2];

	for (int k = 0; k < 3; k++) {
		block->corner[k][lane] = a[k];
		block->edge1[k][lane] = b[k] - a[k];
		block->edge2[k][lane] = c[k] - a[k];
	}
	block->primitive[lane] = primitive;
}

/* The place of the next triangle. */
struct writer {
	struct lbvh_block *block;
	unsigned lane;
};

/* Prefetch the vertices of a primitive that is written soon and, earlier, their numbers: the order
 * of `index` is random in the mesh.  Inlined by force: GCC drops calls of functions that only
 * prefetch. */
static inline __attribute__((always_inline)) void fetch_ahead(const struct work *w, size_t i)
{
	const struct lbvh_input *in = w->input;
	const uint32_t *triangle;

	if (i + FAR_AHEAD < w->references)
		__builtin_prefetch(in->triangle + 3 * (size_t)w->index[i + FAR_AHEAD]);
	if (i + AHEAD >= w->references)
		return;
	triangle = in->triangle + 3 * (size_t)w->index[i + AHEAD];
	for (int k = 0; k < 3; k++)
		__builtin_prefetch(in->vertex + 3 * (size_t)triangle[k]);
}

static void write_run(const struct work *w, struct writer *to, uint32_t first, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		fetch_ahead(w, (size_t)first + i);
		if (to->lane == LBVH_WIDTH) {
			to->block++;
			to->lane = 0;
		}
		if (to->lane == 0)
			memset(to->block, 0xff, sizeof *to->block); /* NaN, LBVH_MISS */
		set_lane(to->block, to->lane++, w->input, w->index[first + i]);
	}
}

/* Write the triangles below a binary node. */
static void write_below(const struct work *w, struct writer *to, const struct below *below)
{
	uint32_t stack[LBVH_WIDTH + 1], root = below->node;
	unsigned waiting = 0;

	if (w->leaves) {
		write_run(w, to, below->first, below->count);
		return;
	}
	for (;;) {
		const struct lbvh_node *node = w->node + root;

		if (!is_leaf(node)) {
			stack[waiting++] = node->right;
			root = node->left;
			continue;
		}
		write_run(w, to, node->left & ~LBVH_LEAF, node->right);
		if (!waiting)
			return;
		root = stack[--waiting];
	}
}

/* Make a leaf of a child.  Its triangles go to the open block if they fit. */
static void make_leaf(struct work *w, struct lbvh_arena *arena, const struct kid *kid,
		      struct lbvh_wide_node *node, unsigned slot)
{
	const size_t count = kid->below.count;
	struct writer to = { w->wide->block + arena->open, arena->lanes };

	if (count > LBVH_WIDTH - arena->lanes) {
		arena->open = take_blocks(w, arena, (count + LBVH_WIDTH - 1) / LBVH_WIDTH);
		to = (struct writer){ w->wide->block + arena->open, 0 };
	}
	node->child[slot] = LBVH_LEAF | (uint32_t)arena->open;
	write_below(w, &to, &kid->below);
	for (size_t i = arena->open; w->wide->block + i < to.block; i++)
		w->wide->block[i].primitive[0] |= LBVH_MORE;
	arena->open = (size_t)(to.block - w->wide->block);
	arena->lanes = to.lane;
}

/* ---- nodes -------------------------------------------------------------------------------- */

static size_t take_nodes(struct work *w, struct lbvh_arena *arena, size_t count)
{
	size_t at;

	if (arena->node_end - arena->node < count) {
		arena->node = atomic_fetch_add_explicit(&w->node_next, CHUNK, memory_order_relaxed);
		arena->node_end = arena->node + CHUNK;
	}
	at = arena->node;
	arena->node += count;
	return at;
}

static void set_bounds(struct lbvh_wide_node *to, unsigned slot, const struct lbvh_node *from)
{
	for (int k = 0; k < 3; k++) {
		to->bound[k][0][slot] = from ? from->lo[k] : INFINITY;
		to->bound[k][1][slot] = from ? from->hi[k] : -INFINITY;
	}
}

/* Make one wide node and its leaves.  The children that are nodes get consecutive numbers and go to
 * inner[0 ..); returns how many. */
static unsigned make_node(struct work *w, struct lbvh_arena *arena, const struct lbvh_top *top,
			  struct lbvh_top inner[LBVH_WIDTH])
{
	struct lbvh_wide_node *node = w->wide->node + top->to;
	struct kid kid[LBVH_WIDTH];
	const unsigned count = (w->plan ? open_planned : open_largest)(w, top->from, kid);
	unsigned nodes = 0;
	size_t next = 0;

	if (top->level + 1 > arena->depth)
		arena->depth = top->level + 1;
	for (unsigned i = 0; i < count; i++)
		nodes += !kid[i].leaf;
	if (nodes)
		next = take_nodes(w, arena, nodes);
	nodes = 0;
	for (unsigned i = 0; i < LBVH_WIDTH; i++) {
		set_bounds(node, i, i < count ? w->node + kid[i].below.node : NULL);
		node->child[i] = 0;
		if (i < count && kid[i].leaf) {
			make_leaf(w, arena, &kid[i], node, i);
		} else if (i < count) {
			node->child[i] = (uint32_t)next;
			inner[nodes++] =
				(struct lbvh_top){ kid[i].below, (uint32_t)next++, top->level + 1 };
		}
	}
	return nodes;
}

/* Make a whole subtree, depth first. */
static void make_subtree(struct work *w, struct lbvh_arena *arena, const struct lbvh_top *top)
{
	struct lbvh_top inner[LBVH_WIDTH];
	const unsigned count = make_node(w, arena, top, inner);

	for (unsigned i = 0; i < count; i++)
		make_subtree(w, arena, inner + i);
}

/* Make the upper nodes until about `wanted` subtrees are pending or none is left.  The pending ones
 * are w->wide->top[*first .. the number returned). */
static size_t make_top(struct work *w, size_t wanted, size_t *first)
{
	struct lbvh_arena *arena = w->wide->arena;
	struct lbvh_top *queue = w->wide->top;
	const uint32_t count = is_karras(w) ? w->leaves : (uint32_t)w->references;
	size_t head = 0, tail = 1;

	queue[0] = (struct lbvh_top){ { 0, 0, count }, 0, 0 };
	while (head < tail && tail - head < wanted && tail + LBVH_WIDTH <= w->wide->top_room) {
		tail += make_node(w, arena, queue + head, queue + tail);
		head++;
	}
	*first = head;
	return tail;
}

void lbvh_wide_collapse(struct lbvh_wide *wide, const struct lbvh_cpu *cpu, size_t leaves,
			const struct lbvh_plan *plan)
{
	const int threads = cpu->count < SMALL_TREE ? 1 : wide->threads;
	struct work w = { .wide = wide,
			  .input = cpu->input,
			  .node = cpu->node,
			  .index = cpu->index,
			  .references = cpu->references,
			  .leaves = (uint32_t)leaves,
			  .plan = plan,
			  .node_next = 1 };
	size_t first, end;

	for (int t = 0; t < wide->threads; t++)
		wide->arena[t] = (struct lbvh_arena){ .lanes = LBVH_WIDTH };
	end = make_top(&w, threads > 1 ? (size_t)threads * TASKS_PER_THREAD : 1, &first);
#pragma omp parallel num_threads(threads) if (threads > 1)
	{
		struct lbvh_arena *arena = wide->arena + omp_get_thread_num();

#pragma omp for schedule(dynamic, 1)
		for (size_t i = first; i < end; i++)
			make_subtree(&w, arena, wide->top + i);
	}
	wide->node_count = w.node_next;
	wide->block_count = w.block_next;
	wide->depth = 1;
	for (int t = 0; t < wide->threads; t++)
		if (wide->arena[t].depth > wide->depth)
			wide->depth = wide->arena[t].depth;
}

bool lbvh_wide_has_room(const struct lbvh_wide *wide, size_t nodes)
{
	const size_t spare = (size_t)wide->threads * CHUNK + CHUNK;

	return nodes <= SIZE_MAX / CHUNK &&
	       nodes * CHUNK / (CHUNK - LBVH_WIDTH) + spare < wide->node_room;
}

/* ---- memory ------------------------------------------------------------------------------- */

enum gb_status lbvh_wide_init(struct lbvh_wide *wide, size_t references, int threads,
			      struct gb_error *err)
{
	const size_t spare = (size_t)threads * CHUNK + CHUNK;

	*wide = (struct lbvh_wide){ .threads = threads };
	/* The last nodes of a chunk stay unused if the next node has more inner children. */
	wide->node_room =
		1 + (2 * references / 9 + references / 7) * CHUNK / (CHUNK - LBVH_WIDTH) + spare;
	wide->block_room = (references / 4 + 1) * CHUNK / (CHUNK - LARGE) + spare;
	wide->top_room = 1 + (size_t)threads * TASKS_PER_THREAD * 2 * LBVH_WIDTH;
	wide->node = gb_host_alloc(wide->node_room, sizeof *wide->node, err);
	wide->block = gb_host_alloc(wide->block_room, sizeof *wide->block, err);
	wide->top = gb_host_alloc(wide->top_room, sizeof *wide->top, err);
	wide->arena = gb_host_alloc((size_t)threads, sizeof *wide->arena, err);
	return err->code;
}
