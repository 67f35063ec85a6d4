/* check_race.cc -- finds races: two unordered accesses to the same bytes, at least one of them a
 * write and at least one of them not atomic.
 *
 * Inside a block, two accesses of different threads are ordered by a block barrier between them, by
 * a __syncwarp() if they share a warp, or by a release of the first thread and a later acquire of
 * the second.  Between blocks, they are ordered by a release of the first block and a later acquire
 * of the second thread.  A lane also releases for the lanes that it met at a __syncwarp() before,
 * and acquires for those that it meets at a later __syncwarp() or barrier.  The checker does not
 * test that the acquire read the released value, so it misses some races but never reports a false
 * one; the PTX executor with weak memory finds more.  Launches are ordered.
 *
 * Only the last write and the last read of a word are remembered.
 */
#include <algorithm>
#include <vector>

#include "tests/simt/check.h"

enum { KIND_RACE = 16 };

static uint32_t now = 1; /* counts acquires and releases */
/* times of release, indexed by block number */
static std::vector<std::vector<uint32_t>> released;

void race_launch(uint64_t blocks)
{
	released.clear();
	released.resize(blocks);
}

void race_block(struct block_check *c)
{
	c->barriers = 0;
	c->acquired = c->all_acquired = 0;
	quiet_fill(c->warp_syncs, 0, sizeof c->warp_syncs);
	quiet_fill(c->thread_released, 0, sizeof c->thread_released);
	quiet_fill(c->syncs_released, 0, sizeof c->syncs_released);
	quiet_fill(c->thread_acquired, 0, sizeof c->thread_acquired);
}

/* ---- ordering events ------------------------------------------------------------------------- */

void check_barrier(struct simt_block *b)
{
	b->check->barriers++;
	b->check->all_acquired = b->check->acquired;
}

void check_syncwarp(struct simt_thread *t, unsigned mask)
{
	uint32_t *const syncs = &t->block->check->warp_syncs[t->warp * LANES];
	uint32_t *const acquired = &t->block->check->thread_acquired[t->warp * LANES];
	uint32_t most = 0, latest = 0;

	for (unsigned lane = 0; lane < LANES; lane++) {
		if (!(mask >> lane & 1))
			continue;
		most = max(most, syncs[lane]);
		latest = max(latest, acquired[lane]);
	}
	for (unsigned lane = 0; lane < LANES; lane++) {
		if (!(mask >> lane & 1))
			continue;
		syncs[lane] = most + 1;
		acquired[lane] = latest;
	}
}

void check_fence(struct simt_thread *t, bool acquire, bool release)
{
	struct block_check *const c = t->block->check;

	now++;
	if (acquire)
		c->acquired = c->thread_acquired[t->linear] = now;
	if (release) {
		c->thread_released[t->linear] = now;
		c->syncs_released[t->linear] = c->warp_syncs[t->linear];
		released[c->number].push_back(now);
	}
}

/* All blocks release, then all acquire. */
void check_cluster_barrier(struct cluster *cluster)
{
	now++;
	for (unsigned i = 0; i < cluster->size; i++) {
		struct block_check *const c = cluster->block[i]->check;

		if (!c || cluster->block[i]->over)
			continue;
		c->barriers++;
		c->acquired = c->all_acquired = now + 1;
		released[c->number].push_back(now);
	}
	now++;
}

/* ---- is an access ordered before this one?
 * ---------------------------------------------------- */

/* The last time at which the thread acquired, itself or through others. */
static uint32_t acquired_by(const struct simt_thread *t)
{
	const struct block_check *const c = t->block->check;

	return max(c->all_acquired, c->thread_acquired[t->linear]);
}

/* True if the thread of `before` has released since that access, itself or through a lane that it
 * met at a __syncwarp(). */
static bool released_since(const struct access *before, const struct block_check *c)
{
	const unsigned first = before->thread / LANES * LANES;

	if (c->thread_released[before->thread] > before->time)
		return true;
	for (unsigned t = first; t < first + LANES; t++)
		if (c->thread_released[t] > before->time &&
		    c->syncs_released[t] > before->warp_syncs)
			return true;
	return false;
}

static bool ordered_in_block(const struct access *before, const struct simt_thread *t)
{
	const struct block_check *const c = t->block->check;

	if (before->thread == t->linear || before->barriers != c->barriers)
		return true;
	if (before->thread / LANES == t->warp && before->warp_syncs < c->warp_syncs[t->linear])
		return true;
	return acquired_by(t) > before->time && released_since(before, c);
}

static bool ordered_between_blocks(const struct access *before, const struct simt_thread *t)
{
	const std::vector<uint32_t> &times = released[before->block];
	const auto first = std::upper_bound(times.begin(), times.end(), before->time);

	return first != times.end() && acquired_by(t) > *first;
}

static bool ordered(const struct access *before, const struct simt_thread *t)
{
	if (before->launch != (uint32_t)simt_running.number)
		return true;
	if (before->block == t->block->check->number)
		return ordered_in_block(before, t);
	return ordered_between_blocks(before, t);
}

/* True if other threads read as well, and t, the remembered reader, has not synchronised since. */
static bool read_by_others(const struct access *read, const struct simt_thread *t)
{
	return read->several && read->launch == (uint32_t)simt_running.number &&
	       read->block == t->block->check->number &&
	       read->barriers == t->block->check->barriers && read->thread == t->linear &&
	       read->warp_syncs == t->block->check->warp_syncs[t->linear];
}

static void report(const struct touch *t, const struct access *before, const char *what)
{
	if (!check_is_new(KIND_RACE, t->pc, before->pc))
		return;
	report_error("race, %s of %s memory at %s; the other was thread %u of block %u at %s", what,
		     t->shared ? "shared" : "global", symbol_line(t->pc), before->thread,
		     before->block, symbol_line(before->pc));
}

/* True if remembering t drops a reader that is not ordered before t; `several` then records that
 * there was one.  Atomic reads do not count. */
static bool adds_reader(const struct access *read, const struct simt_thread *t, unsigned bytes)
{
	if (read->launch != (uint32_t)simt_running.number || read->atomic || !(read->bytes & bytes))
		return false;
	return read_by_others(read, t) || !ordered(read, t);
}

static void remember(struct access *slot, const struct touch *t, unsigned bytes, bool is_read)
{
	const struct simt_thread *const thread = simt_current;
	const struct block_check *const c = thread->block->check;
	struct access a = {};

	a.launch = (uint32_t)simt_running.number;
	a.block = c->number;
	a.pc = t->pc;
	a.barriers = c->barriers;
	a.warp_syncs = c->warp_syncs[thread->linear];
	a.time = now;
	a.thread = (uint16_t)thread->linear;
	a.bytes = (uint8_t)bytes;
	a.atomic = t->atomic;
	if (is_read)
		a.several = adds_reader(slot, thread, bytes);
	*slot = a;
}

void race_touch(const struct touch *t, struct cell *cell, unsigned bytes)
{
	const struct simt_thread *const thread = simt_current;
	const bool writes = t->direction != DIRECTION_READ;
	const struct access *const w = &cell->write, *const r = &cell->read;

	if (w->bytes & bytes && !(t->atomic && w->atomic) && !ordered(w, thread))
		report(t, w, writes ? "write after write" : "read after write");
	else if (writes && r->bytes & bytes && !(t->atomic && r->atomic) &&
		 (!ordered(r, thread) || read_by_others(r, thread)))
		report(t, r, "write after read");
	if (writes)
		remember(&cell->write, t, bytes, false);
	else
		remember(&cell->read, t, bytes, true);
}
