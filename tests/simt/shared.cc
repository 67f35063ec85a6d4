/* shared.cc -- shared memory.  Each variable has its own place in the block's arena, between red
 * zones, and is filled with 0xA5 at the block's first use.
 *
 * The first use anywhere assigns the variable its number (static slot).  Each block maps numbers to
 * places, so a variable of another block of the cluster is found by its number.
 */
#include <stdlib.h>

#include "tests/simt/engine.h"

enum { RED_ZONE = 64 };

static int slots = 1; /* 0 means: not assigned */

static size_t dynamic_limit(void)
{
	return (size_t)function_dynamic_limit(simt_running.call->kernel);
}

static void *take(struct simt_block *b, size_t bytes, size_t align)
{
	const size_t step = align < 16 ? 16 : align;

	b->arena_used = (b->arena_used + RED_ZONE + step - 1) / step * step;
	if (b->arena_used + bytes + 2 * RED_ZONE > ARENA_BYTES) {
		report_error("shared variables of one block exceed %d bytes", ARENA_BYTES);
		abort();
	}
	void *const place = b->arena + b->arena_used;

	b->arena_used += bytes;
	IF_LINKED(__asan_unpoison_memory_region, place, bytes);
	quiet_fill(place, 0xA5, bytes);
	IF_CHECKED(check_shared, b, place, bytes);
	return place;
}

static int slot_number(int *slot)
{
	int number = __atomic_load_n(slot, __ATOMIC_RELAXED);

	if (__builtin_expect(number != 0, 1))
		return number;
	number = __atomic_fetch_add(&slots, 1, __ATOMIC_RELAXED);
	if (number >= MAX_SLOTS) {
		report_error("more than %d shared variables in the program", MAX_SLOTS);
		abort();
	}
	int expected = 0;

	if (__atomic_compare_exchange_n(slot, &expected, number, false, __ATOMIC_RELAXED,
					__ATOMIC_RELAXED))
		return number;
	return expected;
}

static void *place_of(struct simt_block *b, int number, size_t bytes, size_t align,
		      const struct simt_site *site)
{
	struct shared_object *const object = &b->shared[number];

	if (__builtin_expect(object->at != NULL, 1))
		return object->at;
	object->at = (char *)take(b, bytes, align);
	object->bytes = bytes;
	b->static_bytes += bytes;
	if (b->static_bytes > STATIC_SHARED_LIMIT)
		report_error("%zu bytes of static shared memory, at %s:%d: 48 KiB is the limit",
			     b->static_bytes, site->file, site->line);
	return object->at;
}

void *simt_shared(int *slot, size_t bytes, size_t align, const struct simt_site *site)
{
	struct simt_block *const b = simt_current->block;

	return place_of(b, slot_number(slot), bytes, align, site);
}

static void *dynamic_of(struct simt_block *b)
{
	const size_t bytes = simt_running.call->dynamic_bytes;

	if (b->dynamic.at)
		return b->dynamic.at;
	if (bytes + b->static_bytes > SHARED_LIMIT || bytes > dynamic_limit())
		report_error("%zu bytes of shared memory: too much", bytes + b->static_bytes);
	b->dynamic.at = (char *)take(b, bytes ? bytes : 1, 16);
	b->dynamic.bytes = bytes;
	return b->dynamic.at;
}

void *simt_dynamic_shared(void)
{
	return dynamic_of(simt_current->block);
}

void shared_reset(struct simt_block *b)
{
	shared_forbid(b);
	quiet_fill(b->shared, 0,
		   sizeof *b->shared * (size_t)__atomic_load_n(&slots, __ATOMIC_RELAXED));
	b->dynamic.at = NULL;
	b->arena_used = b->static_bytes = 0;
}

void shared_forbid(struct simt_block *b)
{
	IF_LINKED(__asan_poison_memory_region, b->arena, b->arena_used + 2 * RED_ZONE);
}

/* ---- clusters ---------------------------------------------------------------------------- */

unsigned simt_cluster_rank(void)
{
	return simt_current->block->rank;
}

unsigned simt_cluster_size(void)
{
	return simt_current->block->cluster->size;
}

/* The offset of p in an object of this block, or -1 if p is outside. */
static ptrdiff_t offset_in(const struct shared_object *object, const char *p)
{
	return object->at && p >= object->at && p <= object->at + object->bytes ? p - object->at
										: -1;
}

void *simt_cluster_map(const void *shared, unsigned rank, const struct simt_site *site)
{
	struct simt_block *const mine = simt_current->block;
	const char *const p = (const char *)shared;
	ptrdiff_t offset;

	simt_current->site = site;
	if (rank >= mine->cluster->size) {
		report_error("gpu_cluster_map at %s:%d: rank %u in a cluster of %u blocks",
			     site->file, site->line, rank, mine->cluster->size);
		launch_fail();
	}
	struct simt_block *const other = mine->cluster->block[rank];

	if (other->over) {
		report_error("gpu_cluster_map at %s:%d: block %u of the cluster has ended",
			     site->file, site->line, rank);
		launch_fail();
	}
	if ((offset = offset_in(&mine->dynamic, p)) >= 0)
		return (char *)dynamic_of(other) + offset;
	for (int i = 1; i < slots; i++) {
		if ((offset = offset_in(&mine->shared[i], p)) < 0)
			continue;
		return (char *)place_of(other, i, mine->shared[i].bytes, 16, site) + offset;
	}
	report_error("gpu_cluster_map at %s:%d: %p is not this block's shared memory", site->file,
		     site->line, shared);
	launch_fail();
}
