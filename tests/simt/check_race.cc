/* check_race.cc -- races: two accesses to the same bytes, one a write and not both atomic, that
 * nothing orders.
 *
 * Inside a block two accesses of different threads are ordered if a block barrier lies between
 * them, or (inside a warp) a __syncwarp(), or if the first one's thread has released and the
 * second one's has acquired since.  Between blocks: if the first block has released since, and the
 * second has acquired after that.  Whether the acquire read what the release wrote is not asked:
 * this never cries wolf, and leaves to ThreadSanitizer what it misses.  Launches are ordered.
 *
 * Only the last write and the last read of a word are remembered.
 */
#include <algorithm>
#include <vector>

#include "tests/simt/check.h"

enum { KIND_RACE = 16 };

static uint32_t now = 1;                            /* counts acquires and releases */
static std::vector<std::vector<uint32_t>> released; /* when, by number of the block */

void race_launch(uint64_t blocks)
{
	released.clear();
	released.resize(blocks);
}

void race_block(struct block_check *c)
{
	c->barriers = 0;
	c->acquired = 0;
	quiet_fill(c->warp_syncs, 0, sizeof c->warp_syncs);
	quiet_fill(c->thread_released, 0, sizeof c->thread_released);
	quiet_fill(c->thread_acquired, 0, sizeof c->thread_acquired);
}

/* ---- what orders
 * ---------------------------------------------------------------------------------- */

void check_barrier(struct simt_block *b)
{
	b->check->barriers++;
}

void check_syncwarp(struct simt_thread *t, unsigned mask)
{
	uint32_t *const syncs = &t->block->check->warp_syncs[t->warp * LANES];
	uint32_t most = 0;

	for (unsigned lane = 0; lane < LANES; lane++)
		if (mask >> lane & 1)
			most = max(most, syncs[lane]);
	for (unsigned lane = 0; lane < LANES; lane++)
		if (mask >> lane & 1)
			syncs[lane] = most + 1;
}

void check_fence(struct simt_thread *t, bool acquire, bool release)
{
	struct block_check *const c = t->block->check;

	now++;
	if (acquire)
		c->acquired = c->thread_acquired[t->linear] = now;
	if (release) {
		c->thread_released[t->linear] = now;
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
		c->acquired = now + 1;
		released[c->number].push_back(now);
	}
	now++;
}

/* ---- ordered?
 * ------------------------------------------------------------------------------------- */

static bool ordered_in_block(const struct access *before, const struct simt_thread *t)
{
	const struct block_check *const c = t->block->check;

	if (before->thread == t->linear || before->barriers != c->barriers)
		return true;
	if (before->thread / LANES == t->warp && before->warp_syncs < c->warp_syncs[t->linear])
		return true;
	return c->thread_released[before->thread] > before->time &&
	       c->thread_acquired[t->linear] > before->time;
}

static bool ordered_between_blocks(const struct access *before, const struct simt_thread *t)
{
	const std::vector<uint32_t> &times = released[before->block];
	const auto first = std::upper_bound(times.begin(), times.end(), before->time);

	return first != times.end() && t->block->check->acquired > *first;
}

static bool ordered(const struct access *before, const struct simt_thread *t)
{
	if (before->launch != (uint32_t)simt_running.number)
		return true;
	if (before->block == t->block->check->number)
		return ordered_in_block(before, t);
	return ordered_between_blocks(before, t);
}

/* Have others read as well, and nothing ordered them before the remembered reader, t itself? */
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

/* Forgets a reader that is not ordered before this one?  Then it has to be remembered that there
 * was one; atomic reads do not count. */
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
