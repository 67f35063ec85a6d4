/* sched.cc -- chooses the thread that runs next, and implements the barriers.
 *
 * Forward order takes the next ready lane of the warp, then the next warp, then the next block of
 * the worker if a thread yields or its block has no ready thread.  The lanes of a warp thus meet
 * soon.  Reverse order goes downwards.  With a seed each choice is random and a thread is preempted
 * after 1 to 16 points; on one OS thread the same seed gives the same schedule.
 */
#include <sched.h>

#include "tests/simt/engine.h"

__thread struct simt_thread *simt_current;
__thread int simt_budget = 1 << 30;
__thread struct worker *simt_worker;

uint64_t sched_random(void)
{
	uint64_t x = simt_worker->random;

	x ^= x << 13;
	x ^= x >> 7;
	x ^= x << 17;
	return simt_worker->random = x;
}

/* Every second turn is short: some faults show only if a thread is preempted between two
 * accesses. */
int sched_budget(void)
{
	if (!runtime_options.seed)
		return ANY_BUDGET;
	return 1 + (int)(sched_random() % (sched_random() & 1 ? 4 : 16));
}

/* ---- choosing -------------------------------------------------------------------------------- */

static inline unsigned lowest(unsigned set)
{
	return (unsigned)__builtin_ctz(set);
}

static inline unsigned highest(unsigned set)
{
	return 31 - (unsigned)__builtin_clz(set);
}

static unsigned any_of(unsigned set)
{
	for (unsigned skip = (unsigned)(sched_random() % (unsigned)__builtin_popcount(set));
	     skip--;)
		set &= set - 1;
	return lowest(set);
}

static inline unsigned above(unsigned set, unsigned bit)
{
	return bit < 31 ? set & ~0u << (bit + 1) : 0;
}

static inline unsigned below(unsigned set, unsigned bit)
{
	return set & ((1u << bit) - 1);
}

static inline struct simt_thread *thread_of(struct simt_block *b, unsigned warp, unsigned lane)
{
	return &b->thread[warp * LANES + lane];
}

static __attribute__((noinline)) struct simt_thread *choose_picky(struct simt_block *b,
								  unsigned warp, unsigned lane)
{
	unsigned lanes, warps;

	if (runtime_options.seed) {
		warp = any_of(b->ready_warps);
		return thread_of(b, warp, any_of(b->warp[warp].ready));
	}
	if ((lanes = below(b->warp[warp].ready, lane)))
		return thread_of(b, warp, highest(lanes));
	if (!(warps = below(b->ready_warps, warp)))
		warps = b->ready_warps;
	warp = highest(warps);
	return thread_of(b, warp, highest(b->warp[warp].ready));
}

/* The next ready thread of the block after (warp, lane), cyclically; NULL if none is ready.  One
 * that yields may wait for another warp, so with `leave` all lanes do not meet first. */
static inline struct simt_thread *choose(struct simt_block *b, unsigned warp, unsigned lane,
					 bool leave)
{
	unsigned lanes, warps;

	if (!b->ready_warps)
		return NULL;
	if (__builtin_expect(runtime_options.picky, 0))
		return choose_picky(b, warp, lane);
	if ((lanes = above(b->warp[warp].ready, lane)))
		return thread_of(b, warp, lowest(lanes));
	if (!leave && (lanes = b->warp[warp].ready & ~b->warp[warp].fresh)) /* they meet */
		return thread_of(b, warp, lowest(lanes));
	if (!(warps = above(b->ready_warps, warp)))
		warps = b->ready_warps;
	warp = lowest(warps);
	return thread_of(b, warp, lowest(b->warp[warp].ready));
}

/* A ready thread of any block of the worker, starting with the block after the current one. */
static __attribute__((noinline)) struct simt_thread *choose_block(struct worker *w)
{
	const unsigned size = simt_running.cluster_size;
	const unsigned count = w->clusters * size;
	unsigned start = ++w->turn;

	if (runtime_options.seed)
		start = (unsigned)sched_random() % count;
	for (unsigned i = 0; i < count; i++) {
		const unsigned at = (start + i) % count;
		struct simt_block *const b = w->cluster[at / size].block[at % size];
		struct simt_thread *t = NULL;

		if (!b || !b->active)
			continue;
		t = choose(b, b->turn / LANES, b->turn % LANES, true);
		if (t) {
			w->turn = at;
			return t;
		}
	}
	return NULL;
}

struct simt_thread *sched_first(struct worker *w)
{
	return choose_block(w);
}

/* The thread that runs after `after`, possibly `after` itself if it yields; NULL if none is
 * ready. */
struct simt_thread *sched_next(struct simt_thread *after, bool yielding)
{
	struct simt_block *const b = after->block;

	if (!yielding && !runtime_options.seed && b->active) {
		struct simt_thread *const t = choose(b, after->warp, after->lane, false);

		if (t)
			return t;
	}
	b->turn = after->linear;
	return choose_block(simt_worker);
}

/* Update the fingerprint of the schedule, which shows that a seed replays. */
void sched_note(const struct simt_thread *t)
{
	const uint64_t who = t->block->number * MAX_THREADS + t->linear + 1;

	simt_worker->schedule_hash = (simt_worker->schedule_hash ^ who) * 0x9E3779B97F4A7C15ull;
}

void sched_switch(struct simt_thread *to)
{
	struct worker *const w = simt_worker;

	if (!to) {
		simt_current = NULL;
		carrier_switch(&w->own);
		return;
	}
	if (__builtin_expect(runtime_options.picky, 0))
		sched_note(to);
	if (is_fresh(to)) {
		w->next = to;
		carrier_switch(carrier_take());
	} else {
		simt_current = to;
		carrier_switch(to->carrier);
	}
}

void sched_wait(struct simt_thread *t)
{
	if (__builtin_expect(!t->block->ready_warps, 0))
		sched_check_stuck(t->block);
	sched_switch(sched_next(t, false));
	simt_current = t;
}

void simt_yield(const char *file, int line)
{
	struct simt_thread *const t = simt_current;

	if (!t) { /* a memory word used by host code */
		simt_budget = 1 << 30;
		return;
	}
	struct worker *const w = simt_worker;

	if (file) {
		t->yield_file = file;
		t->yield_line = line;
	}
	simt_budget = sched_budget();
	if ((++w->yields & 0xfff) == 0)
		watchdog_check(w);
	if (w->progress != w->last_progress) {
		w->last_progress = w->progress;
		w->yields_since_progress = 0;
	} else if ((++w->yields_since_progress & 255) == 0 && simt_worker_count > 1) {
		sched_yield(); /* all threads here spin: only another OS thread can make progress */
	}
	struct simt_thread *const next = sched_next(t, true);

	if (!next || next == t) {
		if (simt_worker_count > 1)
			sched_yield();
		return;
	}
	sched_switch(next);
	simt_current = t;
}

/* ---- the block barrier --------------------------------------------------------------------- */

static void release_barrier(struct simt_block *b)
{
	const unsigned round = b->rounds & 1;

	b->result_count[round] = b->arriving_count;
	b->rounds++;
	b->arrived = b->arriving_count = 0;
	b->barrier_site = NULL;
	simt_worker->progress++;
	IF_CHECKED(check_barrier, b);
	for (unsigned w = 0; w < b->warps; w++) {
		const unsigned lanes = b->warp[w].at_barrier;

		b->warp[w].at_barrier = 0;
		if (lanes)
			set_ready(b, w, lanes);
	}
}

/* One source line has several sites if its function was copied, as by inlining. */
static bool same_site(const struct simt_site *a, const struct simt_site *b)
{
	return a == b || (a->line == b->line && __builtin_strcmp(a->file, b->file) == 0);
}

static void check_same_barrier(struct simt_block *b, enum simt_barrier_kind kind,
			       const struct simt_site *site)
{
	const struct simt_site *const first = b->barrier_site;

	if (!first) {
		b->barrier_site = site;
		b->barrier_kind = kind;
	} else if (!same_site(first, site) || kind != b->barrier_kind) {
		report_error(
			"divergent __syncthreads: threads of one block wait at %s:%d and %s:%d",
			first->file, first->line, site->file, site->line);
		launch_fail();
	}
	if (b->live != b->count && runtime_options.strict) {
		report_error("__syncthreads at %s:%d after %u threads of the block have returned",
			     site->file, site->line, b->count - b->live);
		launch_fail();
	}
}

int simt_barrier(enum simt_barrier_kind kind, int predicate, const struct simt_site *site)
{
	struct simt_thread *const t = simt_current;
	struct simt_block *const b = t->block;
	const unsigned round = b->rounds & 1, lane = 1u << t->lane;

	t->site = site;
	check_same_barrier(b, kind, site);
	b->arriving_count += predicate != 0;
	b->warp[t->warp].at_barrier |= lane;
	clear_ready(b, t->warp, lane);
	if (++b->arrived == b->live) {
		release_barrier(b);
		if (runtime_options.seed)
			simt_yield(site->file, site->line);
	} else {
		sched_wait(t);
	}
	simt_budget = sched_budget();
	switch (kind) {
	case SIMT_COUNT:
		return (int)b->result_count[round];
	case SIMT_OR:
		return b->result_count[round] != 0;
	default:
		return 0;
	}
}

/* ---- the cluster barrier --------------------------------------------------------------------- */

static void release_cluster(struct cluster *c)
{
	c->arrived = 0;
	simt_worker->progress++;
	IF_CHECKED(check_cluster_barrier, c);
	for (unsigned i = 0; i < c->size; i++) {
		struct simt_block *const b = c->block[i];

		for (unsigned w = 0; w < b->warps; w++) {
			const unsigned lanes = b->warp[w].at_cluster;

			b->warp[w].at_cluster = 0;
			if (lanes)
				set_ready(b, w, lanes);
		}
	}
}

void simt_cluster_barrier(const struct simt_site *site)
{
	struct simt_thread *const t = simt_current;
	struct simt_block *const b = t->block;
	struct cluster *const c = b->cluster;
	const unsigned lane = 1u << t->lane;

	t->site = site;
	b->warp[t->warp].at_cluster |= lane;
	clear_ready(b, t->warp, lane);
	if (++c->arrived == c->live) {
		release_cluster(c);
		if (runtime_options.seed)
			simt_yield(site->file, site->line);
	} else {
		sched_wait(t);
	}
	simt_budget = sched_budget();
}

void sched_check_barriers(struct simt_block *b)
{
	if (b->live && b->arrived == b->live)
		release_barrier(b);
	if (b->cluster->live && b->cluster->arrived == b->cluster->live)
		release_cluster(b->cluster);
}

/* No thread of this block can run.  That is a deadlock unless another block of the cluster can run
 * and a thread here waits for the cluster. */
void sched_check_stuck(struct simt_block *b)
{
	struct cluster *const c = b->cluster;
	bool waits_for_others = false;

	if (!b->live || b->ready_warps)
		return;
	for (unsigned w = 0; w < b->warps; w++)
		waits_for_others |= b->warp[w].at_cluster != 0;
	for (unsigned i = 0; waits_for_others && i < c->size; i++)
		if (c->block[i]->active && c->block[i]->ready_warps)
			return;
	report_block(b);
	report_error("deadlock: no thread of the block can run");
	launch_fail();
}
