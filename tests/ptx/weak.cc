/* weak.cc -- memory that is as weak as PTX's model allows (the option WEAK).
 *
 * Method: views, as in operational models of C11 (Kang et al. 2017, without promises).  A location
 * has a history of messages in coherence order: the writer, the time and the released view of each
 * store.  Memory itself holds the newest value.  A load may return any message that is not older
 * than the newest one in the thread's view.  A store may be inserted before messages that the
 * thread has not seen.  Stores thus appear late, early or out of order to other threads: this gives
 * store buffering, message passing and coherent reads of one location without any buffers.
 *
 * A view has three times.  Up to them, the thread sees the actions of threads of its warp, of its
 * block and of other blocks.  Its own stores are in its view, and so is everything that a thread of
 * its block has read.
 *
 * release: the message carries its time and the thread's view; an update also passes on what the
 * replaced message carried.
 *
 * acquire: the reader's view joins the carried view, if each thread is in the scope of the other.
 *
 * fence: makes later strong stores releases and earlier strong loads acquires.  A sequentially
 * consistent fence also sees everything before the last such fence.
 *
 * barrier: joins the views of its participants.
 *
 * Each simplification makes memory stronger than PTX allows, never weaker: one time stands for the
 * threads of all other blocks, histories are short and can be evicted, block numbers in `seen`
 * collide.  One exception: a release to the thread's own block is lost when another block updates
 * the location.
 */
#include <stdlib.h>
#include <string.h>

#include <algorithm>

#include "tests/ptx/machine.h"

enum { DEPTH = 8, TABLE = 1 << 16, GRANULE = 8, MOST_LAZY = 8 };
enum distance { SAME_THREAD, SAME_WARP, SAME_BLOCK, ELSEWHERE };
enum reach { TO_BLOCK, TO_ALL, REACHES };

/* Actions of others are seen up to a time: until[d - 1] for those at distance d. */
struct view {
	uint64_t until[ELSEWHERE];
};

/* at 0: no release. */
struct release {
	uint64_t at;
	struct view view;
};

struct message {
	uint64_t value; /* the whole granule after this store */
	uint64_t at;
	uint64_t seen; /* by which blocks; a bit per slot */
	struct release release[REACHES];
	uint32_t block; /* the writer; 0: the initial value */
	uint16_t thread;
	uint8_t bytes; /* mask of the bytes of the granule that were written */
	bool update;   /* by an atomic: no store may be inserted before it */
};

/* The first message stands for all earlier ones of every byte. */
struct history {
	uint64_t place, epoch;
	uint64_t lost; /* time of the last release that a dropped message may have carried */
	unsigned count;
	struct message message[DEPTH];
};

struct weak_warp {
	struct view view[LANES];
	struct view pending[LANES][REACHES]; /* views loaded but not yet acquired */
	struct release fence[LANES][REACHES];
};

static struct history *table; /* hashed by location */
static uint64_t now;          /* counts stores, updates, fences and barriers */
static uint64_t forgotten;    /* time of the last release in an evicted history */
static uint64_t sequential;   /* time of the last fence.sc of GPU scope or wider */
static uint32_t blocks;       /* number of blocks loaded so far */
static uint64_t launches;

/* ---- views ------------------------------------------------------------------------------- */

static void join(struct view *v, const struct view *more)
{
	for (unsigned d = 0; d < ELSEWHERE; d++)
		v->until[d] = std::max(v->until[d], more->until[d]);
}

/* A view of everything before a time. */
static struct view all_until(uint64_t at)
{
	return { { at, at, at } };
}

static struct view *view_of(const struct warp &w, unsigned lane)
{
	return &w.block->weak[w.number].view[lane];
}

static enum distance distance_of(const struct message *m, const struct warp &w, unsigned lane)
{
	if (m->block != w.block->instance)
		return ELSEWHERE;
	if (m->thread / LANES != w.number)
		return SAME_BLOCK;
	return m->thread % LANES == lane ? SAME_THREAD : SAME_WARP;
}

/* The view that a release gives a thread at this distance from the writer. */
static struct view carried(const struct release *r, enum distance d)
{
	struct view v = r->view;

	for (unsigned n = 0; n < std::max<unsigned>(d, SAME_WARP); n++)
		v.until[n] = r->at;
	return v;
}

static uint64_t bit_of(const struct block *b)
{
	return 1ull << ((size_t)(b->shared - ptx_arena) / SHARED_SLOT) % 64;
}

static bool is_seen(const struct message *m, const struct warp &w, unsigned lane)
{
	const enum distance d = distance_of(m, w, lane);

	return d == SAME_THREAD || m->at <= view_of(w, lane)->until[d - 1] ||
	       (m->seen & bit_of(w.block));
}

/* ---- histories --------------------------------------------------------------------------- */

/* Each block that uses shared memory gets a new history for it, and each launch for all memory. */
static uint64_t epoch_of(const struct warp &w, uint64_t at)
{
	const uint64_t offset = at - (uint64_t)(uintptr_t)ptx_arena;

	if (offset >= ptx_arena_bytes)
		return launches << 32;
	for (unsigned r = 0; r < w.block->cluster->size; r++)
		if (w.block->cluster->block[r]->shared ==
		    ptx_arena + offset / SHARED_SLOT * SHARED_SLOT)
			return launches << 32 | w.block->cluster->block[r]->instance;
	return 0;
}

static struct history *place_of(uint64_t at)
{
	return &table[(at / GRANULE * 0x9E3779B97F4A7C15ull) >> 32 & (TABLE - 1)];
}

static struct history *find(const struct warp &w, uint64_t at)
{
	struct history *const h = place_of(at);

	return h->place == at / GRANULE && h->epoch == epoch_of(w, at) ? h : nullptr;
}

static uint64_t last_release(const struct message *m)
{
	return std::max(m->release[TO_BLOCK].at, m->release[TO_ALL].at);
}

static uint64_t granule_at(uint64_t at)
{
	return *(volatile uint64_t *)(uintptr_t)(at & ~(uint64_t)(GRANULE - 1));
}

static struct history *find_or_begin(const struct warp &w, uint64_t at)
{
	struct history *const h = place_of(at);
	const uint64_t epoch = epoch_of(w, at);

	if (h->place == at / GRANULE && h->epoch == epoch)
		return h;
	forgotten = std::max(forgotten, h->lost);
	for (unsigned n = 0; n < h->count; n++)
		forgotten = std::max(forgotten, last_release(&h->message[n]));
	h->place = at / GRANULE;
	h->epoch = epoch;
	h->lost = forgotten;
	h->count = 1;
	h->message[0] = {};
	h->message[0].value = granule_at(at);
	return h;
}

static uint8_t mask_of(uint64_t at, unsigned bytes)
{
	return (uint8_t)(((1u << bytes) - 1) << at % GRANULE);
}

static bool concerns(const struct history *h, unsigned n, uint8_t mask)
{
	return n == 0 || (h->message[n].bytes & mask);
}

/* The newest message at or before n that wrote one of these bytes. */
static unsigned newest(const struct history *h, unsigned n, uint8_t mask)
{
	while (!concerns(h, n, mask))
		n--;
	return n;
}

/* The newest message of these bytes in the thread's view: the thread reads nothing older. */
static unsigned oldest_readable(const struct history *h, const struct warp &w, unsigned lane,
				uint8_t mask)
{
	unsigned n = newest(h, h->count - 1, mask);

	while (n && !is_seen(&h->message[n], w, lane))
		n = newest(h, n - 1, mask);
	return n;
}

/* Make room for a message at index n. */
static struct message *insert(struct history *h, unsigned n)
{
	if (h->count == DEPTH) {
		h->lost = std::max(h->lost, last_release(&h->message[0]));
		memmove(&h->message[0], &h->message[1], (DEPTH - 1) * sizeof h->message[0]);
		h->count--;
		n--;
	}
	memmove(&h->message[n + 1], &h->message[n], (h->count - n) * sizeof h->message[0]);
	h->count++;
	h->message[n] = {};
	return &h->message[n];
}

/* ---- acquire and release --------------------------------------------------------------------- */

static bool is_acquire(const struct instruction &i)
{
	return i.order == ACQUIRE || i.order == ACQ_REL;
}

static void acquire(const struct warp &w, const struct instruction &i, unsigned lane,
		    const struct view *v, enum reach from)
{
	if (is_acquire(i))
		join(view_of(w, lane), v);
	else
		join(&w.block->weak[w.number].pending[lane][from], v);
}

/* The thread has read message n; h is NULL if the location has no history. */
static void has_read(const struct warp &w, const struct instruction &i, unsigned lane,
		     struct history *h, unsigned n)
{
	struct message *const m = h ? &h->message[n] : nullptr;
	const enum distance d = m ? distance_of(m, w, lane) : ELSEWHERE;

	if (m && d != SAME_THREAD)
		m->seen |= bit_of(w.block);
	if (i.order == WEAK_ORDER)
		return;
	if (!n) {
		const struct view v = all_until(h ? h->lost : forgotten);

		acquire(w, i, lane, &v, TO_BLOCK);
	}
	if (!m || d == SAME_THREAD || (d == ELSEWHERE && i.scope == SCOPE_CTA))
		return;
	const enum reach from = d == ELSEWHERE ? TO_ALL : TO_BLOCK;

	if (m->release[from].at) {
		const struct view v = carried(&m->release[from], d);

		acquire(w, i, lane, &v, from);
	}
}

static void set_release(const struct warp &w, const struct instruction &i, unsigned lane,
			struct message *m)
{
	const struct weak_warp *const weak = &w.block->weak[w.number];

	if (i.order == WEAK_ORDER)
		return;
	for (unsigned reach = TO_BLOCK; reach < REACHES; reach++) {
		if (reach == TO_ALL && i.scope == SCOPE_CTA)
			continue;
		m->release[reach] = weak->fence[lane][reach];
		if (i.order == RELEASE || i.order == ACQ_REL)
			m->release[reach] = { m->at, weak->view[lane] };
	}
}

/* An update passes on what the previous message released. */
static void hand_on(const struct warp &w, unsigned lane, const struct message *from,
		    struct message *to)
{
	const enum distance d = distance_of(from, w, lane);

	for (unsigned reach = TO_BLOCK; reach < REACHES; reach++) {
		const struct release *const r =
			&from->release[d == ELSEWHERE ? (unsigned)TO_ALL : reach];

		if (!r->at)
			continue;
		const struct view v = carried(r, d);

		join(&to->release[reach].view, &v);
		to->release[reach].at = std::max(to->release[reach].at, r->at);
	}
}

static struct message *append(const struct warp &w, const struct instruction &i, unsigned lane,
			      struct history *h, unsigned n, uint8_t mask)
{
	struct message *const m = insert(h, n);

	m->at = ++now;
	m->block = w.block->instance;
	m->thread = (uint16_t)(w.number * LANES + lane);
	m->bytes = mask;
	set_release(w, i, lane, m);
	return m;
}

/* ---- accesses ---------------------------------------------------------------------------- */

static uint64_t part_of(uint64_t granule, uint64_t at, unsigned bytes)
{
	const uint64_t value = granule >> 8 * (at % GRANULE);

	return bytes == 8 ? value : value & ((1ull << 8 * bytes) - 1);
}

static uint64_t with_part(uint64_t granule, uint64_t at, unsigned bytes, uint64_t value)
{
	const uint64_t ones = bytes == 8 ? ~0ull : (1ull << 8 * bytes) - 1;
	const unsigned shift = 8 * (unsigned)(at % GRANULE);

	return (granule & ~(ones << shift)) | (value & ones) << shift;
}

uint64_t weak_load(struct warp &w, const struct instruction &i, unsigned lane, uint64_t at,
		   unsigned bytes)
{
	struct history *const h = find(w, at);

	if (!h) {
		has_read(w, i, lane, nullptr, 0);
		return part_of(granule_at(at), at, bytes);
	}
	const uint8_t mask = mask_of(at, bytes);
	const unsigned last = newest(h, h->count - 1, mask);
	const unsigned first = oldest_readable(h, w, lane, mask);
	unsigned n = last;

	if (first < last) {
		const uint64_t random = ptx_random(w.block->worker);

		if (random % MOST_LAZY < w.block->laziness)
			n = newest(h, first + (unsigned)(random >> 32) % (last - first), mask);
	}
	const uint64_t granule = n == last ? granule_at(at) : h->message[n].value;

	has_read(w, i, lane, h, n);
	return part_of(granule, at, bytes);
}

/* The index at which to insert a store: after everything that the thread has seen, before a
 * message that covers it. */
static unsigned choose_place(const struct history *h, const struct warp &w, unsigned lane,
			     uint8_t mask)
{
	const unsigned first =
		std::max(oldest_readable(h, w, lane, mask) + 1, h->count == DEPTH ? 2u : 1u);
	const uint64_t random = ptx_random(w.block->worker);
	unsigned places = 0, chosen = h->count;

	if (first >= h->count || random % MOST_LAZY >= w.block->laziness / 2)
		return h->count;
	for (unsigned n = first; n < h->count; n++)
		if (!h->message[n].update && (h->message[n].bytes & mask) == mask &&
		    (random >> 32) % ++places == 0)
			chosen = n;
	return chosen;
}

bool weak_store(struct warp &w, const struct instruction &i, unsigned lane, uint64_t at,
		unsigned bytes, uint64_t value)
{
	struct history *const h = find_or_begin(w, at);
	const uint8_t mask = mask_of(at, bytes);
	const unsigned n = choose_place(h, w, lane, mask);
	const bool overtaken = n < h->count;
	struct message *const m = append(w, i, lane, h, n, mask);

	if (overtaken)
		m->at = m[-1].at;
	m->value = with_part(overtaken ? m[-1].value : granule_at(at), at, bytes, value);
	return !overtaken;
}

void weak_update(struct warp &w, const struct instruction &i, unsigned lane, uint64_t at,
		 unsigned bytes, uint64_t value, bool stored)
{
	struct history *const h = stored ? find_or_begin(w, at) : find(w, at);
	const uint8_t mask = mask_of(at, bytes);
	const unsigned last = h ? newest(h, h->count - 1, mask) : 0;

	has_read(w, i, lane, h, last);
	if (!stored)
		return;
	const struct message before = h->message[last];
	struct message *const m = append(w, i, lane, h, h->count, mask);

	m->update = true;
	m->value = with_part(granule_at(at), at, bytes, value);
	hand_on(w, lane, &before, m);
}

/* ---- fences, barriers -------------------------------------------------------------------- */

void weak_fence(struct warp &w, const struct instruction &i, uint32_t mask)
{
	struct weak_warp *const weak = &w.block->weak[w.number];
	const bool wide = i.scope != SCOPE_CTA, total = i.order != ACQ_REL; /* fence.sc */

	each_active(mask, [&](unsigned l) {
		struct view *const v = &weak->view[l];
		const struct view others = all_until(wide ? sequential : 0);
		const struct view block = { { w.block->sequential, w.block->sequential, 0 } };

		join(v, &weak->pending[l][TO_BLOCK]);
		if (wide)
			join(v, &weak->pending[l][TO_ALL]);
		if (total) {
			join(v, &others);
			join(v, &block);
			w.block->sequential = now + 1;
			sequential = wide ? now + 1 : sequential;
		}
		weak->fence[l][TO_BLOCK] = { ++now, *v };
		if (wide)
			weak->fence[l][TO_ALL] = { now, *v };
	});
}

/* Lanes of a warp have met at bar.warp.sync. */
void weak_meeting(struct warp &w, uint32_t mask)
{
	struct view all = {};

	each_active(mask, [&](unsigned l) { join(&all, view_of(w, l)); });
	all.until[SAME_WARP - 1] = ++now;
	each_active(mask, [&](unsigned l) { *view_of(w, l) = all; });
}

/* A barrier of the block opens for lanes of its warps. */
void weak_barrier(struct block *b, const uint32_t waiting[MAX_WARPS])
{
	struct view all = {};

	for (unsigned n = 0; n < b->warps; n++)
		each_active(waiting[n], [&](unsigned l) { join(&all, view_of(b->warp[n], l)); });
	all.until[SAME_WARP - 1] = all.until[SAME_BLOCK - 1] = ++now;
	for (unsigned n = 0; n < b->warps; n++)
		each_active(waiting[n], [&](unsigned l) { *view_of(b->warp[n], l) = all; });
}

void weak_cluster(struct cluster *c)
{
	now++;
	for (unsigned r = 0; r < c->size; r++)
		for (unsigned n = 0; n < c->block[r]->warps; n++)
			for (unsigned l = 0; l < LANES; l++)
				*view_of(c->block[r]->warp[n], l) = all_until(now);
}

/* ---- launches ---------------------------------------------------------------------------- */

static void *taken(void *memory)
{
	if (!memory)
		abort();
	return memory;
}

void weak_block(struct block *b)
{
	b->instance = ++blocks;
	b->sequential = 0;
	b->laziness = (uint8_t)(ptx_random(b->worker) % MOST_LAZY);
	if (!b->weak)
		b->weak = (struct weak_warp *)taken(malloc(MAX_WARPS * sizeof *b->weak));
	memset((void *)b->weak, 0, b->warps * sizeof *b->weak);
}

void weak_launch(void)
{
	if (!table)
		table = (struct history *)taken(calloc(TABLE, sizeof *table));
	launches++;
	forgotten = 0;
}
