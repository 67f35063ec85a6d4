/* collapse.c -- parallel collapse of a binary tree into one of eight children a node.
 *
 * A serial collapse would take longer than the build before it.  One thread makes the upper nodes,
 * breadth first, until there are enough subtrees for all threads; each subtree is then made by one
 * thread, depth first.  Nodes and blocks come from the thread's arena, which takes them from the
 * common arrays a chunk at a time.
 *
 * Upper bounds, for n primitives in leaves of up to 8: a node that is not full has only leaves
 * below it, and more than 8 primitives, else it would be a leaf.  So there are at most n / 9 nodes
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
#include "cpu/lbvh/shared/frame.h"
#include "cpu/lbvh/shared/lanes.h"
#include "cpu/lbvh/shared/wide.h"

enum {
	CHUNK = 64,            /* nodes or blocks that an arena takes at a time */
	LARGE = 8,             /* leaves of more blocks take them from the common array */
	TASKS_PER_THREAD = 32, /* subtrees per thread, for load balance */
	SMALL_TREE = 2048,     /* one thread collapses trees of fewer primitives */
	NEAR = 32,             /* subtrees of so many leaves are prefetched as a whole */
	AHEAD = 16,            /* prefetch distance of vertices, in primitives */
	FAR_AHEAD = 32,        /* prefetch distance of vertex numbers */
};

struct lbvh_arena {
	size_t node, node_end; /* taken, not in use yet */
	size_t block, block_end;
	size_t open;    /* the block begun last; it has no more than primitives yet */
	unsigned lanes; /* lanes in use in that block; 0: there is none */
	unsigned depth; /* levels of the deepest subtree made */
	char apart[64];
};

/* A binary subtree; its primitives are index[first .. first + count). */
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
	uint32_t count; /* numbers in index */
	uint32_t inner; /* inner nodes in Karras' numbering; 0: depth first */
	const struct lbvh_plan *plan;
	atomic_size_t node_next, block_next;
};

/* A candidate for a child of a wide node. */
struct kid {
	struct below below;
	bool open; /* it is replaced by its children if there is room */
	bool leaf;
	float area;
};

static bool is_leaf(const struct lbvh_node *node)
{
	return node->left & LBVH_LEAF;
}

/* In Karras' numbering, the last leaf of an inner node's left child: the number of an inner node that
 * is a left child is that of its last leaf. */
static const struct lbvh_node *last_left(const struct work *w, const struct lbvh_node *node)
{
	return w->node + node->left + (node->left < w->inner ? w->inner : 0);
}

/* How many primitives of a subtree's `count` are below its left child. */
static uint32_t left_count(const struct work *w, const struct below *parent)
{
	const struct lbvh_node *node = w->node + parent->node, *last = last_left(w, node);

	if (!w->inner)
		return (node->right - node->left + 1) / 2;
	return (last->left & ~LBVH_LEAF) + last->right - parent->first;
}

static struct kid make_kid(const struct work *w, struct below below)
{
	const struct lbvh_node *n = w->node + below.node;
	const bool small = is_leaf(n) || below.count <= LBVH_WIDTH;
	const bool open = w->plan ? !w->plan[below.node].child : !small;

	if (open && below.count > NEAR) { /* opened soon */
		__builtin_prefetch(w->node + n->left);
		__builtin_prefetch(w->node + n->right);
		__builtin_prefetch(last_left(w, n));
	}
	return (struct kid){ below, open, small && !open, lanes_area(n->lo, n->hi) };
}

/* Prefetch the nodes of a small subtree, which are opened one after the other.  Inlined by force,
 * as fetch_ahead() is. */
static inline __attribute__((always_inline)) void fetch_below(const struct work *w,
							      const struct below *below, bool left)
{
	/* In Karras' numbering its inner nodes end or begin with its root, as its leaves do. */
	const uint32_t back = w->inner && left ? below->count - 1 : 0;
	const struct lbvh_node *inner = w->node + (below->node > back ? below->node - back : 0);
	const struct lbvh_node *leaf = inner + (w->inner ? w->inner : below->count);

	for (uint32_t i = 0; i < below->count; i += 2) { /* two in a line */
		__builtin_prefetch(inner + i);
		__builtin_prefetch(leaf + i);
	}
}

/* The two children of an inner node. */
static void part(const struct work *w, struct below parent, struct below child[2])
{
	const struct lbvh_node *node = w->node + parent.node;
	const uint32_t left = left_count(w, &parent);

	child[0] = (struct below){ node->left, parent.first, left };
	child[1] = (struct below){ node->right, parent.first + left, parent.count - left };
	for (int i = 0; i < 2; i++)
		if (parent.count > NEAR && child[i].count <= NEAR)
			fetch_below(w, &child[i], !i);
}

/* Keys order kids to open by surface, equal ones by slot; others have 0.  Surfaces are not negative,
 * so their bits order them. */
static uint64_t key_of(const struct kid *kid, unsigned slot)
{
	uint32_t bits;

	memcpy(&bits, &kid->area, sizeof bits);
	return !kid->open ? 0 : (uint64_t)bits << 32 | (LBVH_WIDTH - slot);
}

/* Find the children of a wide node, up to eight, opening the largest first; return how many. */
static unsigned open_largest(const struct work *w, struct below root, struct kid kid[LBVH_WIDTH])
{
	uint64_t key[LBVH_WIDTH] = { 0 };
	unsigned count = 1;

	kid[0] = make_kid(w, root);
	key[0] = kid[0].leaf ? 0 : LBVH_WIDTH;
	while (count < LBVH_WIDTH) {
		uint64_t largest = 0;
		struct below child[2];
		unsigned slot;

		for (unsigned i = 0; i < LBVH_WIDTH; i++)
			largest = largest < key[i] ? key[i] : largest;
		if (!largest)
			break;
		slot = LBVH_WIDTH - (uint32_t)largest;
		part(w, kid[slot].below, child);
		kid[slot] = make_kid(w, child[0]);
		kid[count] = make_kid(w, child[1]);
		key[slot] = key_of(&kid[slot], slot);
		key[count] = key_of(&kid[count], count);
		count++;
	}
	return count;
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

/* Write the triangles of the open block, four at a time; the other lanes become NaN. */
static void close_block(const struct work *w, const struct lbvh_arena *arena, unsigned lanes)
{
	static const int32_t empty[2 * LBVH_WIDTH] = {
		[LBVH_WIDTH] = -1, -1, -1, -1, -1, -1, -1, -1
	};
	const struct lbvh_input *in = w->input;
	struct lbvh_block *block = w->wide->block + arena->open;

	for (unsigned lane = 0; lanes && lane < LBVH_WIDTH; lane += 4) {
		LANES corner[4], edge1[4], edge2[4];
		lanes_int none;

		for (unsigned i = 0; i < 4; i++) {
			const unsigned from = lane + i < lanes ? lane + i : 0;
			const uint32_t *triangle =
				in->triangle + 3 * (size_t)block->primitive[from];

			corner[i] = lanes_load(in->vertex + 3 * (size_t)triangle[0]);
			edge1[i] = lanes_load(in->vertex + 3 * (size_t)triangle[1]) - corner[i];
			edge2[i] = lanes_load(in->vertex + 3 * (size_t)triangle[2]) - corner[i];
		}
		lanes_transpose(corner);
		lanes_transpose(edge1);
		lanes_transpose(edge2);
		memcpy(&none, empty + LBVH_WIDTH - lanes + lane, sizeof none);
		for (int k = 0; k < 3; k++) {
			lanes_store(block->corner[k] + lane, (LANES)((lanes_int)corner[k] | none));
			lanes_store(block->edge1[k] + lane, (LANES)((lanes_int)edge1[k] | none));
			lanes_store(block->edge2[k] + lane, (LANES)((lanes_int)edge2[k] | none));
		}
	}
}

/* Prefetch the vertices of a primitive that is written soon and, earlier, their numbers: the order
 * of `index` is random in the mesh.  Inlined by force: GCC drops calls of functions that only
 * prefetch. */
static inline __attribute__((always_inline)) void fetch_ahead(const struct work *w, size_t i)
{
	const struct lbvh_input *in = w->input;
	const uint32_t *triangle;

	if (i + FAR_AHEAD >= w->count)
		return;
	__builtin_prefetch(in->triangle + 3 * (size_t)w->index[i + FAR_AHEAD]);
	triangle = in->triangle + 3 * (size_t)w->index[i + AHEAD];
	for (int k = 0; k < 3; k++)
		__builtin_prefetch(in->vertex + 3 * (size_t)triangle[k]);
}

/* Append primitives to the open block and those after it. */
static void append_run(const struct work *w, struct lbvh_arena *arena, uint32_t first,
		       uint32_t count)
{
	struct lbvh_block *block = w->wide->block + arena->open;
	unsigned lanes = arena->lanes;

	for (uint32_t i = 0; i < count; i++) {
		fetch_ahead(w, (size_t)first + i);
		if (lanes == LBVH_WIDTH) {
			close_block(w, arena, lanes);
			block->primitive[0] |= LBVH_MORE;
			block++;
			arena->open++;
			lanes = 0;
		}
		if (lanes == 0)
			memset(block->primitive, 0xff, sizeof block->primitive); /* LBVH_MISS */
		block->primitive[lanes++] = w->index[first + i];
	}
	arena->lanes = lanes;
}

/* Make a leaf of a child.  Its triangles go to the open block if they fit. */
static void make_leaf(struct work *w, struct lbvh_arena *arena, const struct kid *kid,
		      struct lbvh_wide_node *node, unsigned slot)
{
	const size_t count = kid->below.count;

	if (!arena->lanes || count > LBVH_WIDTH - arena->lanes) {
		close_block(w, arena, arena->lanes);
		arena->open = take_blocks(w, arena, (count + LBVH_WIDTH - 1) / LBVH_WIDTH);
		arena->lanes = 0;
	}
	node->child[slot] = LBVH_LEAF | (uint32_t)arena->open;
	append_run(w, arena, kid->below.first, kid->below.count);
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
	const unsigned count = open_largest(w, top->from, kid);
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
	size_t head = 0, tail = 1;

	queue[0] = (struct lbvh_top){ { 0, 0, w->count }, 0, 0 };
	while (head < tail && tail - head < wanted && tail + LBVH_WIDTH <= w->wide->top_room) {
		tail += make_node(w, arena, queue + head, queue + tail);
		head++;
	}
	*first = head;
	return tail;
}

void lbvh_wide_collapse(struct lbvh_wide *wide, const struct lbvh_cpu *cpu,
			const struct lbvh_plan *plan)
{
	const int threads = cpu->count < SMALL_TREE ? 1 : wide->threads;
	struct work w = { .wide = wide,
			  .input = cpu->input,
			  .node = cpu->node,
			  .index = cpu->index,
			  .count = (uint32_t)cpu->count,
			  .inner = cpu->needs & LBVH_CPU_SAH ? 0 : (uint32_t)cpu->leaves - 1,
			  .plan = plan,
			  .node_next = 1 };
	size_t first, end;

	for (int t = 0; t < wide->threads; t++)
		wide->arena[t] = (struct lbvh_arena){ 0 };
	end = make_top(&w, threads > 1 ? (size_t)threads * TASKS_PER_THREAD : 1, &first);
#pragma omp parallel num_threads(threads) if (threads > 1)
	{
		struct lbvh_arena *arena = wide->arena + omp_get_thread_num();

#pragma omp for schedule(dynamic, 1)
		for (size_t i = first; i < end; i++)
			make_subtree(&w, arena, wide->top + i);
		close_block(&w, arena, arena->lanes);
	}
	wide->node_count = w.node_next;
	wide->block_count = w.block_next;
	wide->depth = 1;
	for (int t = 0; t < wide->threads; t++)
		if (wide->arena[t].depth > wide->depth)
			wide->depth = wide->arena[t].depth;
}

/* ---- memory ------------------------------------------------------------------------------- */

enum gb_status lbvh_wide_init(struct lbvh_wide *wide, size_t primitives, int threads,
			      struct gb_error *err)
{
	const size_t spare = (size_t)threads * CHUNK + CHUNK;

	*wide = (struct lbvh_wide){ .threads = threads };
	wide->node_limit = 2 * primitives / 9 + primitives / 7;
	/* The last nodes of a chunk stay unused if the next node has more inner children. */
	wide->node_room = 1 + wide->node_limit * CHUNK / (CHUNK - LBVH_WIDTH) + spare;
	wide->block_room = (primitives / 4 + 1) * CHUNK / (CHUNK - LARGE) + spare;
	wide->top_room = 1 + (size_t)threads * TASKS_PER_THREAD * 2 * LBVH_WIDTH;
	wide->node = gb_host_alloc(wide->node_room, sizeof *wide->node, err);
	wide->block = gb_host_alloc(wide->block_room, sizeof *wide->block, err);
	wide->top = gb_host_alloc(wide->top_room, sizeof *wide->top, err);
	wide->arena = gb_host_alloc((size_t)threads, sizeof *wide->arena, err);
	return err->code;
}
