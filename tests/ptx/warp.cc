/* warp.cc -- steps of a warp.
 *
 * A warp is a list of splits, sets of lanes at one instruction.  The split furthest behind in the
 * text runs until it reaches another one, and the two merge: in the compiler's order of the text,
 * this is where paths reconverge (thread frontiers, Diamos et al. 2011).  A split must not starve
 * another, which may hold the lock that it spins on: each backward branch and each strong access
 * costs patience, and when none is left another split runs.  A random schedule has little patience
 * and runs splits in random order.
 *
 * A .sync instruction waits for all live lanes of its mask.
 */
#include "tests/ptx/machine.h"

enum { PATIENCE = 4096, LITTLE_PATIENCE = 64 };

static bool is_random(void)
{
	return runtime_options.seed != 0;
}

uint64_t ptx_random(struct worker *w)
{
	w->random ^= w->random << 13;
	w->random ^= w->random >> 7;
	w->random ^= w->random << 17;
	return w->random;
}

static void restore_patience(struct warp *w)
{
	w->patience =
		is_random() ? 1 + (int)(ptx_random(w->block->worker) % LITTLE_PATIENCE) : PATIENCE;
}

/* ---- splits ------------------------------------------------------------------------------ */

static void remove_split(struct warp *w, unsigned n)
{
	w->split[n] = w->split[--w->count];
}

/* Merge splits at the same instruction into the current one. */
static void join(struct warp *w)
{
	for (unsigned n = 0; n < w->count;) {
		struct split *const here = &w->split[w->current], *const other = &w->split[n];

		if (n == w->current || other->pc != here->pc || other->state > AT_MEETING) {
			n++;
			continue;
		}
		here->mask |= other->mask;
		remove_split(w, n);
		if (w->current == w->count)
			w->current = n;
	}
}

/* The ready split furthest behind, or count if there is none. */
static unsigned furthest_behind(const struct warp *w)
{
	unsigned best = w->count;

	for (unsigned n = 0; n < w->count; n++)
		if (w->split[n].state == READY &&
		    (best == w->count || w->split[n].pc < w->split[best].pc))
			best = n;
	return best;
}

/* The next ready split after the current one. */
static unsigned next_in_turn(const struct warp *w)
{
	for (unsigned n = 1; n <= w->count; n++)
		if (w->split[(w->current + n) % w->count].state == READY)
			return (w->current + n) % w->count;
	return w->count;
}

/* Select the split that runs next.  False: all wait.  *limit: the instruction at which to select
 * again. */
static bool choose(struct warp *w, uint32_t *limit)
{
	const unsigned best = furthest_behind(w);

	if (w->count == 1 && best == 0) {
		w->current = 0;
		w->patience = PATIENCE;
		*limit = ~0u;
		return true;
	}
	if (best == w->count)
		return false;
	if (w->patience <= 0) {
		w->current = next_in_turn(w);
		restore_patience(w);
	} else if (w->current >= w->count || w->split[w->current].state != READY || !is_random()) {
		w->current = best;
	}
	join(w);
	*limit = ~0u;
	for (unsigned n = 0; n < w->count; n++)
		if (n != w->current && w->split[n].state <= AT_MEETING)
			*limit = std::min(*limit, w->split[n].pc);
	if (*limit <= w->split[w->current].pc)
		*limit = 0; /* not the furthest behind: it may reach another split anywhere */
	return true;
}

/* ---- warp synchronisation -------------------------------------------------------------------- */

static void wake_meetings(struct warp *w)
{
	for (unsigned n = 0; n < w->count; n++)
		if (w->split[n].state == AT_MEETING)
			w->split[n].state = READY;
}

/* Lanes whose masks overlap must name the same lanes. */
static void check_masks(const struct warp *w, const struct instruction &i, uint32_t mask,
			const uint32_t members[LANES])
{
	each_active(mask, [&](unsigned l) {
		each_active(members[l] & mask, [&](unsigned k) {
			if (members[k] != members[l])
				fault(*w, i, l, "mask %08x, and lane %u has mask %08x", members[l],
				      k, members[k]);
		});
	});
}

/* The lanes that the lanes in mask wait for. */
static uint32_t awaited(const struct warp *w, const struct instruction &i, uint32_t mask)
{
	const uint32_t *const members = lanes<uint32_t>(*w, i.in[i.ins - 1]);
	uint32_t all = 0;

	each_active(mask, [&](unsigned l) {
		if (!(members[l] >> l & 1))
			fault(*w, i, l, "the mask %08x does not name the lane itself", members[l]);
		all |= members[l];
	});
	if (members[__builtin_ctz(mask)] != all)
		check_masks(w, i, mask, members);
	return all & w->live;
}

/* Lanes may wait at different bar.warp.sync: release those whose mask is complete. */
static bool open_anywhere(struct warp *w, const struct instruction &i)
{
	const struct split *const here = &w->split[w->current];
	uint32_t there = here->mask;

	for (unsigned n = 0; n < w->count; n++)
		if (w->split[n].state == AT_MEETING &&
		    w->kernel->code[w->split[n].pc].action == MEET_ANY)
			there |= w->split[n].mask;
	const uint32_t needed = awaited(w, i, here->mask);

	if ((there & needed) != needed)
		return false;
	for (unsigned n = 0; n < w->count; n++)
		if (w->split[n].state == AT_MEETING && (w->split[n].mask & needed) &&
		    w->kernel->code[w->split[n].pc].action == MEET_ANY) {
			if (ptx_running.counting)
				count_instruction(*w, w->kernel->code[w->split[n].pc],
						  w->split[n].mask);
			w->split[n].state = READY;
			w->split[n].pc++;
		}
	return true;
}

/* Return true if all lanes of the mask have arrived; else the split waits. */
static bool meet(struct warp *w, const struct instruction &i)
{
	struct split *const s = &w->split[w->current];
	const uint32_t needed = i.action == BARRIER ? w->live : awaited(w, i, s->mask);

	if ((s->mask & needed) == needed || (i.action == MEET_ANY && open_anywhere(w, i))) {
		if (ptx_running.weak && i.action == MEET_ANY)
			weak_meeting(*w, s->mask | needed);
		if (ptx_running.checking && i.action == MEET_ANY)
			check_meeting(*w, s->mask | needed);
		return true;
	}
	s->state = AT_MEETING;
	if (ptx_running.counting)
		count_postponed(*w, i, s->mask);
	return false;
}

/* Lanes whose guard is false skip the instruction. */
static void split_off(struct warp *w, uint32_t rest)
{
	struct split *const s = &w->split[w->current];

	if (!rest)
		return;
	w->split[w->count++] = { rest, s->pc + 1, READY };
	s->mask &= ~rest;
}

/* ---- control ----------------------------------------------------------------------------- */

static void branch(struct warp *w, const struct instruction &i, uint32_t taken)
{
	struct split *const s = &w->split[w->current];
	struct counts *const c = &w->block->worker->counts;

	c->branches++;
	if (i.target <= s->pc && taken)
		w->patience--;
	if (taken == s->mask) {
		s->pc = i.target;
	} else if (taken == 0) {
		s->pc++;
	} else {
		c->divergent++;
		w->split[w->count++] = { taken, i.target, READY };
		s->mask &= ~taken;
		s->pc++;
	}
}

static void leave(struct warp *w, uint32_t mask)
{
	struct block *const b = w->block;
	struct split *const s = &w->split[w->current];
	const unsigned count = (unsigned)__builtin_popcount(mask);

	w->live &= ~mask;
	b->live -= count;
	b->cluster->live -= count;
	b->exited_early = true;
	if (ptx_running.checking && !b->live)
		check_end(*w, w->kernel->code[s->pc], (unsigned)__builtin_ctz(mask));
	b->worker->progress++;
	s->mask &= ~mask;
	s->pc++;
	if (!s->mask)
		remove_split(w, w->current);
	wake_meetings(w);
	barriers_check(b);
	cluster_check(b->cluster);
}

static void cluster_arrive(struct warp *w, uint32_t mask)
{
	struct cluster *const c = w->block->cluster;

	w->phase = c->phase & 1 ? w->phase | mask : w->phase & ~mask;
	c->arrived += (unsigned)__builtin_popcount(mask);
	w->split[w->current].pc++;
	cluster_check(c);
}

static void cluster_wait(struct warp *w, const struct instruction &i, uint32_t mask)
{
	struct split *const s = &w->split[w->current];
	const uint32_t now = w->block->cluster->phase & 1 ? ~0u : 0;

	if (((w->phase ^ now) & mask) == mask) {
		s->pc++;
		return;
	}
	s->state = AT_CLUSTER;
	if (ptx_running.counting)
		count_postponed(*w, i, mask);
}

/* Execute an instruction that is not plain.  False: the warp's turn ends. */
static bool control(struct warp *w, const struct instruction &i, uint32_t mask)
{
	struct split *const s = &w->split[w->current];

	if (i.action == BRANCH) {
		branch(w, i, mask);
		return true;
	}
	if (!mask) {
		s->pc++;
		return true;
	}
	if (i.action == TRAP)
		fault(*w, i, (unsigned)__builtin_ctz(mask), "trap");
	if (i.action == EXIT) {
		leave(w, mask);
		return w->count != 0;
	}
	split_off(w, s->mask & ~mask);
	switch (i.action) {
	case CLUSTER_ARRIVE:
		cluster_arrive(w, mask);
		return true;
	case CLUSTER_WAIT:
		cluster_wait(w, i, mask);
		return true;
	case PAUSE:
		s->pc++;
		w->patience = 0;
		return false;
	case BARRIER:
		if (meet(w, i))
			barrier_arrive(w, &i, s->mask);
		return true;
	default:
		if (meet(w, i)) {
			i.run(*w, i, s->mask);
			w->split[w->current].pc++;
		}
		return true;
	}
}

/* ---- steps ------------------------------------------------------------------------------- */

static uint32_t guarded(const struct warp *w, const struct instruction &i, uint32_t mask)
{
	return i.guard.kind == ABSENT ? mask : mask & predicate(*w, i.guard);
}

bool warp_run(struct warp *w, int budget)
{
	const struct instruction *const code = w->kernel->code.data();
	struct worker *const worker = w->block->worker;
	const bool counting = ptx_running.counting, lockstep = ptx_running.lockstep;
	uint32_t limit;

	if (!w->count || !choose(w, &limit))
		return false;
	worker->warp = w;
	w->arrived_chain = lockstep ? w->chain : 0;
	while (budget-- > 0) {
		struct split *const s = &w->split[w->current];
		const struct instruction &i = code[s->pc];
		const uint32_t mask = guarded(w, i, s->mask);

		worker->at = &i;
		if (__builtin_expect(lockstep, 0) && count_stalls(*w, i, mask))
			break;
		if (__builtin_expect(counting, 0))
			count_instruction(*w, i, mask);
		if (__builtin_expect(i.action == PLAIN, 1)) {
			if (mask)
				i.run(*w, i, mask);
			s->pc++;
			if (s->pc < limit && w->patience > 0)
				continue;
		} else if (!control(w, i, mask)) {
			break;
		}
		if (!w->count || !choose(w, &limit))
			break;
	}
	worker->warp = NULL;
	return true;
}
