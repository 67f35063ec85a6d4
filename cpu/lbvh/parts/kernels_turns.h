/* kernels_turns.h -- a part of kernels_body.h: rays that take turns.
 *
 * Against following one ray after the other, where each step waits for the node that the one before
 * has chosen, and for the branches on what it is (for chains of memory accesses the way is known as
 * AMAC, Kocberber, Falsafi, Grot, "Asynchronous memory access chaining", 2015): LBVH_TURNS rays are
 * on their way at a time, and each takes a step of its own in a round, nodes first, then leaves.
 * What a ray needs next is asked for a round before, and the processor works on the steps of
 * several rays at once.  For that a step has hardly a branch that is guessed wrong, each of which
 * ends all that: the children that are entered are sorted onto the stack, however many they are,
 * and the nearest is taken off again; whether a step is a node or a leaf is a place in an array.
 * Rays for which any hit will do take the same way: near hits are found sooner.
 *
 * The bound is instructions: some 115 a node or a leaf with AVX-512.
 */

/* At the bottom of a stack: the end of a way. */
#define THE_END UINT32_MAX

/* A ray on its way. */
struct walker {
	_Alignas(64) struct ray ray;
	struct lbvh_entry *stack, *top;
	uint32_t at;    /* the next step */
	uint32_t index; /* of the ray */
};

/* Whose next steps are nodes, and leaves. */
struct round {
	uint32_t count[2];
	uint8_t walker[2][LBVH_TURNS];
};

struct walk {
	const struct lbvh_wide *wide;
	struct lbvh_batch *batch;
	uint32_t next; /* ray to set out */
	/* Nodes, and blocks. */
	const char *place[2];
	size_t size[2];
	struct walker walker[LBVH_TURNS];
};

/* Ask for a step's node or block.  Against prefetch_child() without a branch, which rays in turn are
 * no help to guess. */
WORDS_FN void prefetch_step(const struct walk *walk, uint32_t at)
{
	enum { LINE = 64 };
	const unsigned leaf = at >> 31;
	const char *const place = walk->place[leaf] + (at & ~LBVH_LEAF) * walk->size[leaf];

	for (size_t i = 0; i < sizeof(struct lbvh_block); i += LINE)
		__builtin_prefetch(place + i);
}

/* The next step is the nearest that waits. */
WORDS_FN void take_nearest(struct walker *w)
{
	const uint32_t t = (union lbvh_distance){ w->ray.t }.bits;

	do
		w->at = (--w->top)->child;
	while (w->top->key > t);
}

/* Let a walker set out with the next ray; whether there is one.  Not inlined: its code is longer than a
 * round's. */
WORDS_ENTRY __attribute__((noinline)) bool set_out(struct walk *walk, struct walker *w)
{
	const struct lbvh_ray *from = walk->batch->ray + walk->next;

	if (walk->next == walk->batch->count)
		return false;
	aim_ray(&w->ray, from->origin, from->direction, from->near, from->far);
	w->index = walk->next++;
	w->at = 0;
	w->top = w->stack;
	*w->top++ = (struct lbvh_entry){ THE_END, 0 };
	return true;
}

/* A walker, or the next ray if its own has come to the end, takes part in a round. */
WORDS_FN void go_on(struct walk *walk, uint8_t i, struct round *round)
{
	struct walker *w = walk->walker + i;
	unsigned leaf;

	take_nearest(w);
	if (w->at == THE_END) {
		lbvh_batch_keep(walk->batch, w->index, w->ray.t, w->ray.primitive);
		if (!set_out(walk, w))
			return;
	}
	leaf = w->at >> 31;
	prefetch_step(walk, w->at);
	round->walker[leaf][round->count[leaf]++] = i;
}

WORDS_FN void visit_node(const struct lbvh_wide *wide, struct walker *w)
{
	const struct lbvh_wide_node *node = wide->node + w->at;
	F8 entry;
	const unsigned bits = enter8(node, &w->ray, &entry);

	f8_sort(w->top, node->child, entry, bits);
	w->top += __builtin_popcount(bits);
}

/* A round of steps; those who go on are in the next. */
WORDS_FN void take_round(struct walk *walk, const struct round *now, struct round *next, bool any,
			 struct lbvh_counts *counts)
{
	next->count[0] = next->count[1] = 0;
	for (uint32_t i = 0; i < now->count[0]; i++) {
		visit_node(walk->wide, walk->walker + now->walker[0][i]);
		go_on(walk, now->walker[0][i], next);
	}
	counts->nodes += now->count[0];
	for (uint32_t i = 0; i < now->count[1]; i++) {
		struct walker *w = walk->walker + now->walker[1][i];

		visit_leaf(walk->wide, w->at, &w->ray, counts);
		if (any && w->ray.primitive != LBVH_MISS)
			w->top = w->stack + 1;
		go_on(walk, now->walker[1][i], next);
	}
}

/* Find, for all rays of a batch, the nearest hit or, with `any`, whether there is one. */
WORDS_FN void walk_by_turns(struct walk *walk, bool any, struct lbvh_counts *counts)
{
	struct round a = { 0 }, b;

	for (uint8_t i = 0; i < LBVH_TURNS && set_out(walk, walk->walker + i); i++)
		a.walker[0][a.count[0]++] = i;
	while (a.count[0] | a.count[1]) {
		take_round(walk, &a, &b, any, counts);
		take_round(walk, &b, &a, any, counts);
	}
}

WORDS_ENTRY void trace_batch(const struct lbvh_wide *wide, struct lbvh_batch *batch,
			     struct lbvh_entry *stack, struct lbvh_counts *counts)
{
	struct walk walk = { .wide = wide,
			     .batch = batch,
			     .place = { (const char *)wide->node, (const char *)wide->block },
			     .size = { sizeof *wide->node, sizeof *wide->block } };

	for (unsigned i = 0; i < LBVH_TURNS; i++)
		walk.walker[i].stack = stack + i * lbvh_ray_room(wide);
	if (batch->occluded)
		walk_by_turns(&walk, true, counts);
	else
		walk_by_turns(&walk, false, counts);
}
