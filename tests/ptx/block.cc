/* block.cc -- barriers of blocks and clusters. */
#include "tests/ptx/machine.h"

static unsigned barrier_number(const struct warp *w, const struct instruction *i, uint32_t mask)
{
	const unsigned lane = (unsigned)__builtin_ctz(mask);
	const uint32_t number = lanes<uint32_t>(*w, i->in[0])[lane];

	if (number >= BARRIERS)
		fault(*w, *i, lane, "there is no barrier %u", number);
	return number;
}

/* Give the result to one warp's lanes and let them continue. */
static void release_warp(struct warp *w, struct split *s, const struct barrier *r)
{
	const struct instruction &i = w->kernel->code[s->pc];

	if (i.detail == BARRIER_COUNT)
		each(s->mask, lanes<uint32_t>(*w, i.out[0]), [=](unsigned) { return r->count; });
	else if (i.detail == BARRIER_OR)
		set_predicate(*w, i.out[0], r->count ? ~0u : 0, s->mask);
	else if (i.detail == BARRIER_AND)
		set_predicate(*w, i.out[0], r->count == r->arrived ? ~0u : 0, s->mask);
	s->state = READY;
	s->pc++;
}

/* CUDA lets threads wait at one __syncthreads() only; PTX has barriers of some of the warps. */
static void check_place(const struct warp *w, const struct split *s, uint32_t *place)
{
	const struct instruction &i = w->kernel->code[s->pc];

	if (*place != ~0u && *place != s->pc && i.ins - (i.detail != 0) < 2 &&
	    runtime_options.strict)
		fault(*w, i, (unsigned)__builtin_ctz(s->mask),
		      "the other warps of the block wait at another barrier, at %s",
		      instruction_place(w->kernel, w->kernel->code[*place]).c_str());
	*place = s->pc;
}

static void open_barrier(struct block *b, unsigned number)
{
	const struct barrier result = b->barrier[number];
	uint32_t waiting[MAX_WARPS] = {}, place = ~0u;

	b->barrier[number] = {};
	b->worker->progress++;
	for (unsigned n = 0; n < b->warps; n++) {
		struct warp *const w = &b->warp[n];

		for (unsigned k = 0; k < w->count; k++) {
			struct split *const s = &w->split[k];

			if (s->state == AT_BARRIER &&
			    barrier_number(w, &w->kernel->code[s->pc], s->mask) == number) {
				waiting[n] |= s->mask;
				check_place(w, s, &place);
				release_warp(w, s, &result);
			}
		}
	}
	if (ptx_running.weak)
		weak_barrier(b, waiting);
	if (ptx_running.checking)
		check_barrier(b, waiting);
	uint32_t longest = 0;

	for (int twice = 0; ptx_running.counting && ptx_running.call->cooperative && twice < 2;
	     twice++)
		for (unsigned n = 0; n < b->warps; n++)
			if (waiting[n])
				count_meeting(b->warp[n], &longest);
}

static void check(struct block *b, unsigned number)
{
	const struct barrier *const r = &b->barrier[number];
	const unsigned expected = r->expected ? r->expected : b->live;

	if (r->arrived && r->arrived >= expected)
		open_barrier(b, number);
}

void barriers_check(struct block *b)
{
	for (unsigned n = 0; n < BARRIERS; n++)
		check(b, n);
}

void barrier_arrive(struct warp *w, const struct instruction *i, uint32_t mask)
{
	const unsigned number = barrier_number(w, i, mask);
	const unsigned lane = (unsigned)__builtin_ctz(mask);
	struct block *const b = w->block;
	struct barrier *const r = &b->barrier[number];

	if (b->exited_early && runtime_options.strict && i->ins < 2)
		fault(*w, *i, lane, "%u of %u threads of the block have returned",
		      b->threads - b->live, b->threads);
	if (i->detail)
		r->count += (unsigned)__builtin_popcount(predicate(*w, i->in[1]) & mask);
	else if (i->ins > 1)
		r->expected = lanes<uint32_t>(*w, i->in[1])[lane];
	r->arrived += (unsigned)__builtin_popcount(mask);
	w->split[w->current].state = AT_BARRIER;
	check(b, number);
}

void cluster_check(struct cluster *c)
{
	if (!c->arrived || c->arrived < c->live)
		return;
	c->arrived = 0;
	c->phase++;
	c->block[0]->worker->progress++;
	if (ptx_running.weak)
		weak_cluster(c);
	if (ptx_running.checking)
		check_cluster(c);
	uint32_t longest = 0;

	for (int twice = 0; ptx_running.counting && ptx_running.call->cooperative && twice < 2;
	     twice++)
		for (unsigned r = 0; r < c->size; r++)
			for (unsigned n = 0; n < c->block[r]->warps; n++)
				if (c->block[r]->warp[n].live)
					count_meeting(c->block[r]->warp[n], &longest);
	for (unsigned r = 0; r < c->size; r++)
		for (unsigned n = 0; n < c->block[r]->warps; n++) {
			struct warp *const w = &c->block[r]->warp[n];

			for (unsigned k = 0; k < w->count; k++)
				if (w->split[k].state == AT_CLUSTER)
					w->split[k].state = READY;
		}
}
