/* kernels_turns.h -- part of kernels_body.h: interleaved rays.
 *
 * If rays are followed one after the other, each step waits for the node that the previous one
 * chose, and for branches on its kind.  Here LBVH_TURNS rays are in flight, and each takes one step
 * per round, nodes first, then leaves (AMAC: Kocberber, Falsafi, Grot, "Asynchronous memory access
 * chaining", 2015).  A ray's next node or block is prefetched a round ahead, and the processor
 * overlaps the steps of several rays.  A mispredicted branch would end the overlap, so a step has
 * hardly any: the children that are entered, however many, are sorted onto the stack and the
 * nearest is popped; an array index distinguishes nodes and leaves.  Rays for which any hit will do
 * take the same path, because near hits are found sooner.
 *
 * The bound is instructions.
 */

/* The bottom entry of a stack: the end of a ray's walk. */
#define THE_END UINT32_MAX

/* A ray in flight. */
struct walker {
	_Alignas(64) struct ray ray;
	struct lbvh_entry *stack, *top;
	uint32_t at;    /* its next node or leaf */
	uint32_t index; /* the ray's number in the batch */
};

/* The walkers whose next step is a node [0] or a leaf [1]. */
struct round {
	uint32_t count[2];
	uint8_t walker[2][LBVH_TURNS];
};

struct walk {
	const struct lbvh_wide *wide;
	struct lbvh_batch *batch;
	uint32_t next; /* next ray to start */
	/* [0]: nodes, [1]: blocks. */
	const char *place[2];
	size_t size[2];
	struct walker walker[LBVH_TURNS];
};

/* Prefetch a step's node or block, unlike prefetch_child() without a branch: interleaved rays make
 * it unpredictable. */
WORDS_FN void prefetch_step(const struct walk *walk, uint32_t at)
{
	enum { LINE = 64 };
	const unsigned leaf = at >> 31;
	const char *const place = walk->place[leaf] + (at & ~LBVH_LEAF) * walk->size[leaf];

	for (size_t i = 0; i < sizeof(struct lbvh_block); i += LINE)
		__builtin_prefetch(place + i);
}

/* The next step is the nearest pending entry. */
WORDS_FN void take_nearest(struct walker *w)
{
	const uint32_t t = (union lbvh_distance){ w->ray.t }.bits;

	do
		w->at = (--w->top)->child;
	while (w->top->key > t);
}

/* Start a walker on the next ray; false if there is none.  Not inlined: its code is longer than a
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

/* Add a walker to a round.  If its ray is finished, it starts on the next one. */
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
	w->top = follow_nearest(wide->node + w->at, &w->ray, w->top);
}

/* Take a round of steps.  Walkers that continue are in the next round. */
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

/* Find the nearest hit of every ray of a batch or, with `any`, some hit. */
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
