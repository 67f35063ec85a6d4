/* check.h -- internals of the checks: races, and reads of memory that nobody wrote.
 *
 *	check.cc         shadow memory: which bytes are written; the entry of each access
 *	check_race.cc    stamps of accesses: is a new access ordered after the ones before?
 *	check_order.cc   what a thread knows: barriers, release and acquire, fences
 *
 * Each 4 bytes of global and shared memory have a cell with the stamps of the last write and of two
 * reads.  Two accesses race if they have a byte in common, at least one writes, they are not
 * morally strong (both relaxed or stronger, or volatile, in a scope that has both threads), and the
 * first does not happen before the second.
 *
 * Time is a number that grows at every event that can order accesses.  A thread knows
 *	settled      the time up to which it sees its block: that of the last barrier
 *	met          the time up to which it sees its warp: that of the last bar.warp.sync
 *	acquired     a clock: times up to which it sees other threads, by acquires
 * and everything of earlier launches.  Launches that overlap must wait before they touch global
 * memory, which op_memory.cc checks.  Votes and shuffles order nothing.
 *
 * A number that stands for several threads is the largest of theirs, so some races are missed
 * and none is invented:
 *	- a barrier of some warps, or a bar.warp.sync of some lanes, also orders the accesses of
 *	  those that are absent before the accesses of those that take part
 *	- a clock that has grown too long keeps one time per block, or one for all blocks
 *	- an acquire sees all releases of the location so far, not only the one that it reads
 *	- of several writes to a word, or reads, only the last write and two reads are remembered
 *	- strong accesses of different sizes do not race
 */
#ifndef GPUBENCH_TESTS_PTX_CHECK_H
#define GPUBENCH_TESTS_PTX_CHECK_H

#include "tests/ptx/machine.h"

enum { GRANULE = 4, WHOLE = 15 };

/* The stamp of an access: its time, block, thread and bytes, and how strong it is.  Block numbers
 * beyond 16 bits collide, which can only hide races. */
enum strength { PLAIN_ACCESS, STRONG_IN_BLOCK, STRONG };
struct stamp {
	uint64_t bits; /* one word, because OS threads read it while others write; 0: none */

	uint32_t time(void) const
	{
		return (uint32_t)(bits >> 32);
	}
	uint16_t block(void) const
	{
		return (uint16_t)(bits >> 16);
	}
	unsigned thread(void) const
	{
		return bits >> 6 & (MAX_THREADS - 1);
	}
	unsigned bytes(void) const
	{
		return bits >> 2 & WHOLE;
	}
	enum strength strength(void) const
	{
		return (enum strength)(bits & 3);
	}
};

struct cell {
	struct stamp write;
	struct stamp first, last; /* reads: the first since the last barrier, and the last */
	uint16_t write_at, first_at, last_at; /* instructions, modulo 2^16 */
};

/* check_order.cc: true if an earlier access happened before what the lane does now. */
bool happened_before(struct stamp earlier, const struct warp &w, unsigned lane);
void order_reset(struct block *b); /* its threads know nothing */

#endif
