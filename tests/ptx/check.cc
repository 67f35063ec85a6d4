/* check.cc -- shadow memory of the checks: a cell and a mask of written bytes for every 4 bytes.
 *
 * Bytes of device memory and of shared and local memory start as unwritten, at their allocation or
 * when the block is loaded.  Page-locked host memory counts as written.  After a launch without
 * checks, all device memory counts as written.
 */
#include <stdlib.h>
#include <string.h>

#include <algorithm>
#include <map>

#include "tests/ptx/check.h"

/* By the end of the allocation.  Changes only while no kernel runs.  Never destroyed: memory is
 * freed during exit. */
static std::map<uintptr_t, struct shadow> &shadows = *new std::map<uintptr_t, struct shadow>;

static size_t granules(size_t bytes)
{
	return (bytes + GRANULE - 1) / GRANULE;
}

static void *zeros(size_t count, size_t bytes)
{
	void *const memory = calloc(count + 1, bytes);

	if (!memory) {
		fprintf(stderr, "ptx: out of memory for checks; GPUBENCH_PTX_CHECK=0 needs none\n");
		abort();
	}
	return memory;
}

/* ---- device memory ----------------------------------------------------------------------- */

void check_allocated(void *at, size_t bytes, bool initialised)
{
	const uintptr_t begin = (uintptr_t)at;
	const size_t count = granules(bytes);
	const struct shadow s = { begin,
				  bytes,
				  (struct cell *)zeros(count, sizeof(struct cell)),
				  (uint8_t *)zeros(count, 1),
				  count,
				  false,
				  0 };

	if (initialised)
		memset(s.written, WHOLE, count);
	shadows[begin + bytes] = s;
}

const struct shadow *check_find(uint64_t at)
{
	const auto found = shadows.upper_bound(at);

	return found != shadows.end() && at >= found->second.begin ? &found->second : nullptr;
}

void check_freed(void *at)
{
	const struct shadow *const s = check_find((uintptr_t)at);

	if (!s)
		return;
	free(s->cells);
	free(s->written);
	shadows.erase(s->begin + s->bytes);
}

/* Set or clear the marks of [at, at + bytes). */
static void mark(void *memory, size_t bytes, bool written)
{
	const uintptr_t at = (uintptr_t)memory;
	const struct shadow *const s = check_find(at);
	const size_t begin = s ? at - s->begin : 0, end = s ? begin + bytes : 0;
	const size_t first = granules(begin), last = std::max(first, end / GRANULE);

	if (s)
		memset(s->written + first, written ? WHOLE : 0, last - first);
	for (size_t n = begin; n < end; n++) {
		const uint8_t bit = (uint8_t)(1u << n % GRANULE);

		if (n == first * GRANULE)
			n = last * GRANULE;
		if (n >= end)
			break;
		s->written[n / GRANULE] = (uint8_t)(written ? s->written[n / GRANULE] | bit
							    : s->written[n / GRANULE] & ~bit);
	}
}

void check_written(void *at, size_t bytes)
{
	mark(at, bytes, true);
}

void check_forgotten(void *at, size_t bytes)
{
	mark(at, bytes, false);
}

/* ---- blocks ------------------------------------------------------------------------------ */

/* Make room for the shadow of a block's memory; nothing in it is written. */
static void renew(struct shadow *s, const uint8_t *memory, size_t bytes, bool cells)
{
	const size_t count = granules(bytes);

	if (count > s->room) {
		free(s->cells);
		free(s->written);
		s->cells = cells ? (struct cell *)zeros(count, sizeof(struct cell)) : nullptr;
		s->written = (uint8_t *)zeros(count, 1);
		s->room = count;
	}
	s->begin = (uintptr_t)memory;
	s->bytes = bytes;
	s->shared = cells;
	s->visited = 0;
	memset(s->written, 0, count);
}

void check_block(struct block *b)
{
	const dim3 grid = ptx_running.call->grid;
	const uint32_t born = b->worker->time++;

	renew(&b->shared_shadow, b->shared, b->shared_bytes, true);
	renew(&b->local_shadow, b->local, (size_t)b->threads * ptx_running.kernel->local_bytes,
	      false);
	b->mark = (uint16_t)(b->index.x + (b->index.z * grid.y + b->index.y) * grid.x);
	b->cluster->settled = born;
	for (unsigned n = 0; n < b->warps; n++) {
		b->warp[n].settled = born;
		std::fill_n(b->warp[n].met, (unsigned)LANES, born);
	}
	order_reset(b);
}

/* ---- launches ---------------------------------------------------------------------------- */

void check_forget_times(void)
{
	for (const auto &entry : shadows)
		memset((void *)entry.second.cells, 0,
		       granules(entry.second.bytes) * sizeof(struct cell));
}

void check_skipped(void)
{
	for (const auto &entry : shadows)
		memset(entry.second.written, WHOLE, granules(entry.second.bytes));
}
