/* check_race.cc -- checks an instruction's accesses against those before, and leaves their stamps.
 *
 * A cell is updated without locks.  Two OS threads that reach the same cell at the same time are
 * not ordered by the program under test, so a stamp that gets lost can only hide a race.
 */
#include <algorithm>

#include "tests/ptx/check.h"

/* One instruction, for all its lanes. */
struct accessor {
	struct warp &w;
	const struct instruction &i;
	enum access access;
	uint64_t stamp;   /* without thread and bytes */
	uint16_t number;  /* of the instruction */
	bool unchecked;   /* leave stamps only */
	uint32_t settled; /* in this memory, stamps up to here happened before */
};

/* ---- reports ----------------------------------------------------------------------------- */

static std::string place_of(const struct accessor &a, uint64_t at)
{
	uintptr_t begin;
	size_t bytes;

	for (unsigned r = 0; r < a.w.block->cluster->size; r++) {
		const struct block *const b = a.w.block->cluster->block[r];

		if (at - b->shared_shadow.begin < b->shared_shadow.bytes)
			return "offset " + std::to_string(at - b->shared_shadow.begin) +
			       " of shared memory" +
			       (b == a.w.block ? "" : " of block " + std::to_string(b->mark));
	}
	if (at - a.w.block->local_shadow.begin < a.w.block->local_shadow.bytes)
		return "local memory";
	if (memory_find((const void *)(uintptr_t)at, &begin, &bytes) == MEMORY_UNKNOWN)
		return "an unknown address";
	return "offset " + std::to_string(at - begin) + " of an allocation of " +
	       std::to_string(bytes) + " bytes of global memory";
}

static const char *verb(enum access access, bool past)
{
	return access == LOADS ? (past ? "read" : "reads") : past ? "written" : "writes";
}

[[noreturn]] static void report_race(const struct accessor &a, unsigned lane, uint64_t at,
				     struct stamp earlier, unsigned number, enum access was)
{
	const std::vector<struct instruction> &code = a.w.kernel->code;
	const std::string place = place_of(a, at);

	fault(a.w, a.i, lane,
	      "race: thread %u of block %u %s %s, which thread %u of block %u has %s at %s, and "
	      "nothing orders the two",
	      a.w.number * LANES + lane, a.w.block->mark, verb(a.access, false), place.c_str(),
	      earlier.thread(), earlier.block(), verb(was, true),
	      code.size() <= 1u << 16 ? instruction_place(a.w.kernel, code[number]).c_str() : "?");
}

[[noreturn]] static void report_unwritten(const struct accessor &a, unsigned lane, uint64_t at)
{
	fault(a.w, a.i, lane, "uninitialised: thread %u of block %u reads %s, which nobody wrote",
	      a.w.number * LANES + lane, a.w.block->mark, place_of(a, at).c_str());
}

/* ---- one granule ------------------------------------------------------------------------- */

/* True if the scope of both accesses, as far as they are strong, has both threads. */
static bool morally_strong(struct stamp x, struct stamp y)
{
	const enum strength least = std::min(x.strength(), y.strength());

	return least == STRONG || (least == STRONG_IN_BLOCK && x.block() == y.block());
}

static __attribute__((noinline)) void compare(const struct accessor &a, unsigned lane, uint64_t at,
					      struct stamp mine, struct stamp earlier,
					      unsigned number, enum access was)
{
	if (mine.bytes() & earlier.bytes() && !morally_strong(mine, earlier) &&
	    !happened_before(earlier, a.w, lane))
		report_race(a, lane, at, earlier, number, was);
}

/* Put the stamp in its place.  Bytes that the thread accessed a moment ago stay in it. */
static void leave(struct stamp *place, uint16_t *number, struct stamp mine,
		  const struct accessor &a)
{
	if (((place->bits ^ mine.bits) & ~(uint64_t)(WHOLE << 2)) == 0)
		mine.bits |= place->bits;
	place->bits = mine.bits;
	*number = a.number;
}

static inline void read_cell(const struct accessor &a, unsigned lane, uint64_t at,
			     struct stamp mine, struct cell *c)
{
	const struct stamp write = c->write;

	if (write.time() > a.settled)
		compare(a, lane, at, mine, write, c->write_at, STORES);
	if (c->last.bits == mine.bits)
		return;
	if (c->first.time() <= a.settled ||
	    (c->first.block() == mine.block() && c->first.time() <= a.w.settled))
		leave(&c->first, &c->first_at, mine, a);
	leave(&c->last, &c->last_at, mine, a);
}

static inline void write_cell(const struct accessor &a, unsigned lane, uint64_t at,
			      struct stamp mine, struct cell *c)
{
	const struct stamp write = c->write, first = c->first, last = c->last;

	if (!a.unchecked) {
		if (write.time() > a.settled)
			compare(a, lane, at, mine, write, c->write_at, STORES);
		if (first.time() > a.settled)
			compare(a, lane, at, mine, first, c->first_at, LOADS);
		if (last.time() > a.settled)
			compare(a, lane, at, mine, last, c->last_at, LOADS);
	}
	leave(&c->write, &c->write_at, mine, a);
}

static inline void touch(const struct accessor &a, unsigned lane, uint64_t at, unsigned bytes,
			 const struct shadow &s)
{
	const size_t n = (at - s.begin) / GRANULE;
	const uint8_t missing = (uint8_t)(bytes & ~s.written[n]);
	const struct stamp mine = { a.stamp | (a.w.number * LANES + lane) << 6 | bytes << 2 };

	if (missing && a.access != STORES)
		report_unwritten(a, lane, at);
	if (missing)
		__atomic_fetch_or(&s.written[n], (uint8_t)bytes, __ATOMIC_RELAXED);
	if (!s.cells || a.i.stale)
		return;
	if (a.access == LOADS)
		read_cell(a, lane, at, mine, &s.cells[n]);
	else
		write_cell(a, lane, at, mine, &s.cells[n]);
}

/* ---- one instruction --------------------------------------------------------------------- */

/* Another block's shared memory: that block must not end before the next barrier. */
static const struct shadow *visit(const struct warp &w, const struct instruction &i, unsigned lane,
				  struct block *other)
{
	if (!other->live)
		fault(w, i, lane, "shared memory of block %u, which has ended", other->mark);
	other->shared_shadow.visited = w.block->worker->time;
	return &other->shared_shadow;
}

void check_end(struct warp &w, const struct instruction &i, unsigned lane)
{
	if (w.block->shared_shadow.visited > w.block->cluster->settled)
		fault(w, i, lane, "block %u ends, and another one may still use its shared memory",
		      w.block->mark);
}

/* The shadow of a generic address, or of a global one that the instruction's cache does not have.
 * The address was checked to be valid. */
static const struct shadow *shadow_of(const struct warp &w, const struct instruction &i,
				      unsigned lane, uint64_t at)
{
	const struct block *const b = w.block;

	for (unsigned r = 0; r < b->cluster->size; r++) {
		struct block *const other = b->cluster->block[r];

		if (at - other->shared_shadow.begin < other->shared_shadow.bytes)
			return other == b ? &b->shared_shadow : visit(w, i, lane, other);
	}
	return at - b->local_shadow.begin < b->local_shadow.bytes ? &b->local_shadow
								  : check_find(at);
}

static void touch_lanes(struct accessor &a, const struct shadow *usual, uint32_t mask,
			const uint64_t at[LANES], unsigned bytes)
{
	const struct cluster *const c = a.w.block->cluster;
	const uint32_t shared = c->size == 1 ? a.w.settled : c->settled;

	each_active(mask, [&](unsigned l) {
		const struct shadow *const s = usual && at[l] - usual->begin < usual->bytes
						       ? usual
						       : shadow_of(a.w, a.i, l, at[l]);

		if (!s)
			return;
		a.settled = s->shared ? shared : ptx_running.begun;
		if (bytes < GRANULE)
			touch(a, l, at[l], ((1u << bytes) - 1) << at[l] % GRANULE, *s);
		for (unsigned n = 0; n < bytes / GRANULE; n++)
			touch(a, l, at[l] + n * GRANULE, WHOLE, *s);
	});
}

static const struct shadow *usual_shadow(const struct warp &w, const struct instruction &i)
{
	const size_t number = (size_t)(&i - w.kernel->code.data());

	return i.space == SHARED  ? &w.block->shared_shadow
	       : i.space == LOCAL ? &w.block->local_shadow
				  : w.block->worker->range[number % RANGES].shadow;
}

static struct accessor accessor_of(struct warp &w, const struct instruction &i, enum access access)
{
	const uint64_t strength = i.order == WEAK_ORDER  ? PLAIN_ACCESS
				  : i.scope == SCOPE_CTA ? STRONG_IN_BLOCK
							 : STRONG;

	return { w,
		 i,
		 access,
		 (uint64_t)w.block->worker->time << 32 | (uint64_t)w.block->mark << 16 | strength,
		 (uint16_t)(&i - w.kernel->code.data()),
		 false,
		 0 };
}

void check_access(struct warp &w, const struct instruction &i, enum access access, uint32_t mask,
		  const uint64_t at[LANES], unsigned bytes)
{
	struct accessor a = accessor_of(w, i, access);

	touch_lanes(a, usual_shadow(w, i), mask, at, bytes);
}

void check_exchanged(struct warp &w, const struct instruction &i, uint32_t mask,
		     const uint64_t at[LANES])
{
	struct accessor a = accessor_of(w, i, STORES);

	a.unchecked = runtime_options.threads > 1 && i.space != SHARED;
	touch_lanes(a, usual_shadow(w, i), mask, at, i.bytes);
}

void check_copy(struct warp &w, const struct instruction &i, enum access access, unsigned lane,
		uint64_t at, unsigned bytes, bool done)
{
	uint64_t each[LANES];

	each[lane] = at;
	check_access(w, i, access, 1u << lane, each, bytes);
	if (const struct shadow *const s = shadow_of(w, i, lane, at);
	    access == STORES && !done && s)
		std::fill_n(s->written + (at - s->begin) / GRANULE, bytes / GRANULE, 0);
}
