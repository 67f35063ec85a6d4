/* check_order.cc -- what happened before what: barriers, release and acquire, fences.
 *
 * A release adds what its thread knows to the clock of its location, and an acquire adds that clock
 * to what its thread knows.  A relaxed store or atomic after a fence releases what the thread knew
 * at the fence, and a fence acquires what earlier relaxed loads have read.  A membar is a
 * sequentially consistent fence, and those synchronise with each other.
 */
#include <algorithm>
#include <memory>
#include <mutex>

#include "tests/ptx/check.h"

/* Everything that `who`, a thread, a warp or a block, did up to the time `until` is known. */
struct known {
	uint32_t who, until;
};

/* Everything up to the time `all`, and of some threads more.  Immutable: clocks are shared. */
struct clock {
	uint32_t all = 0;
	std::vector<struct known> known; /* ascending by who */
};
typedef std::shared_ptr<const struct clock> clock_ref; /* null: nothing is known */

enum {
	WHO_BITS = 11, /* numbers in a block: threads, then warps, then the whole block */
	FIRST_WARP = MAX_THREADS,
	WHOLE_BLOCK = (1 << WHO_BITS) - 1,
	MOST_KNOWN = 128,
	SHELVES = 64,
};

struct thread_order {
	clock_ref acquired; /* since the last barrier */
	clock_ref latest;   /* the last clock that was acquired */
	clock_ref pending;  /* loaded, but not yet acquired by a fence */
	clock_ref fenced;   /* known at the last fence */
};

/* The order of a block in which a thread has acquired or released something. */
struct block_order {
	clock_ref acquired; /* by all threads */
	std::vector<struct thread_order> thread;
};

/* Clocks of locations, by address / GRANULE. */
static struct shelf {
	std::mutex mutex;
	std::unordered_map<uint64_t, clock_ref> released;
} shelves[SHELVES];
static bool released; /* some location has a clock */

static std::mutex fence_mutex;
static clock_ref sequential; /* known at the last membar */

/* ---- clocks ------------------------------------------------------------------------------ */

static uint32_t who_of(const struct block *b, unsigned in_block)
{
	return (uint32_t)b->mark << WHO_BITS | in_block;
}

/* Keep one time per block, or, if that is still too long, one for all. */
static void shorten(struct clock *c)
{
	std::vector<struct known> blocks;

	if (c->known.size() <= MOST_KNOWN)
		return;
	for (const struct known &k : c->known) {
		const uint32_t who = k.who | WHOLE_BLOCK;

		if (blocks.empty() || blocks.back().who != who)
			blocks.push_back({ who, 0 });
		blocks.back().until = std::max(blocks.back().until, k.until);
	}
	c->known.swap(blocks);
	if (c->known.size() <= MOST_KNOWN / 2)
		return;
	for (const struct known &k : c->known)
		c->all = std::max(c->all, k.until);
	c->known.clear();
}

/* The union of what both know. */
static clock_ref join(const clock_ref &x, const clock_ref &y)
{
	if (!x || !y || x == y)
		return x ? x : y;
	auto sum = std::make_shared<struct clock>();
	auto a = x->known.begin(), b = y->known.begin();

	sum->all = std::max(x->all, y->all);
	while (a != x->known.end() || b != y->known.end()) {
		struct known k;

		if (b == y->known.end() || (a != x->known.end() && a->who <= b->who))
			k = *a++;
		else
			k = *b++;
		if (k.until <= sum->all)
			continue;
		if (!sum->known.empty() && sum->known.back().who == k.who)
			sum->known.back().until = std::max(sum->known.back().until, k.until);
		else
			sum->known.push_back(k);
	}
	shorten(sum.get());
	return sum;
}

static bool knows(const clock_ref &c, uint32_t who, uint32_t time)
{
	const auto found =
		std::lower_bound(c->known.begin(), c->known.end(), who,
				 [](const struct known &k, uint32_t w) { return k.who < w; });

	return found != c->known.end() && found->who == who && time <= found->until;
}

static bool knows_access(const clock_ref &c, struct stamp s)
{
	const uint32_t block = (uint32_t)s.block() << WHO_BITS;

	return c && (s.time() <= c->all || knows(c, block | s.thread(), s.time()) ||
		     knows(c, block | (FIRST_WARP + s.thread() / LANES), s.time()) ||
		     knows(c, block | WHOLE_BLOCK, s.time()));
}

/* ---- threads ----------------------------------------------------------------------------- */

static struct thread_order *order_of(struct warp &w, unsigned lane)
{
	struct block *const b = w.block;

	if (!b->order)
		b->order = new struct block_order;
	if (b->order->thread.size() < b->threads)
		b->order->thread.resize(b->threads);
	return &b->order->thread[w.number * LANES + lane];
}

/* All that the lane knows now. */
static clock_ref knowledge(struct warp &w, unsigned lane)
{
	const struct block *const b = w.block;
	const struct thread_order *const t = order_of(w, lane);
	auto own = std::make_shared<struct clock>();

	for (unsigned r = 0; b->cluster->size > 1 && r < b->cluster->size; r++)
		if (b->cluster->block[r] != b)
			own->known.push_back(
				{ who_of(b->cluster->block[r], WHOLE_BLOCK), b->cluster->settled });
	own->known.push_back({ who_of(b, w.number * LANES + lane), b->worker->time });
	own->known.push_back({ who_of(b, FIRST_WARP + w.number), w.met[lane] });
	own->known.push_back({ who_of(b, WHOLE_BLOCK), w.settled });
	std::sort(own->known.begin(), own->known.end(),
		  [](const struct known &x, const struct known &y) { return x.who < y.who; });
	return join(join(own, b->order->acquired), t->acquired);
}

bool happened_before(struct stamp s, const struct warp &w, unsigned lane)
{
	const struct block *const b = w.block;
	const uint32_t time = s.time();

	if (time <= ptx_running.begun)
		return true;
	if (s.block() == b->mark && (s.thread() == w.number * LANES + lane || time <= w.settled ||
				     (s.thread() / LANES == w.number && time <= w.met[lane])))
		return true;
	for (unsigned r = 0; r < b->cluster->size && time <= b->cluster->settled; r++)
		if (s.block() == b->cluster->block[r]->mark)
			return true;
	return b->order && (knows_access(b->order->acquired, s) ||
			    (!b->order->thread.empty() &&
			     knows_access(b->order->thread[w.number * LANES + lane].acquired, s)));
}

/* ---- barriers ---------------------------------------------------------------------------- */

/* All threads of the block now know what each of them has acquired. */
static void share(struct block *b)
{
	if (!b->order)
		return;
	for (struct thread_order &t : b->order->thread) {
		if (t.acquired)
			b->order->acquired = join(b->order->acquired, t.acquired);
		t.acquired = nullptr;
	}
}

void check_barrier(struct block *b, const uint32_t waiting[MAX_WARPS])
{
	const uint32_t now = b->worker->time++;

	for (unsigned n = 0; n < b->warps; n++)
		if (waiting[n])
			b->warp[n].settled = now;
	share(b);
}

void check_meeting(struct warp &w, uint32_t mask)
{
	const uint32_t now = w.block->worker->time++;
	clock_ref all;

	each(mask, w.met, [=](unsigned) { return now; });
	if (!w.block->order)
		return;
	each_active(mask, [&](unsigned l) { all = join(all, order_of(w, l)->acquired); });
	if (all)
		each_active(mask, [&](unsigned l) { order_of(w, l)->acquired = all; });
}

void check_cluster(struct cluster *c)
{
	const uint32_t now = c->block[0]->worker->time++;
	clock_ref all;

	c->settled = now;
	for (unsigned r = 0; r < c->size; r++) {
		struct block *const b = c->block[r];

		for (unsigned n = 0; n < b->warps; n++)
			b->warp[n].settled = now;
		share(b);
		if (b->order)
			all = join(all, b->order->acquired);
	}
	for (unsigned r = 0; all && r < c->size; r++) {
		if (!c->block[r]->order)
			c->block[r]->order = new struct block_order;
		c->block[r]->order->acquired = all;
	}
}

/* ---- release and acquire --------------------------------------------------------------------- */

static struct shelf *shelf_of(uint64_t place)
{
	return &shelves[place % SHELVES];
}

static void publish(uint64_t at, unsigned bytes, const clock_ref &c)
{
	__atomic_store_n(&released, true, __ATOMIC_RELAXED);
	for (uint64_t place = at / GRANULE; place <= (at + bytes - 1) / GRANULE; place++) {
		struct shelf *const s = shelf_of(place);
		const std::lock_guard<std::mutex> guard(s->mutex);
		clock_ref *const clock = &s->released[place];

		*clock = join(*clock, c);
	}
}

static clock_ref published(uint64_t at, unsigned bytes)
{
	clock_ref all;

	for (uint64_t place = at / GRANULE; place <= (at + bytes - 1) / GRANULE; place++) {
		struct shelf *const s = shelf_of(place);
		const std::lock_guard<std::mutex> guard(s->mutex);
		const auto found = s->released.find(place);

		if (found != s->released.end())
			all = join(all, found->second);
	}
	return all;
}

void check_release(struct warp &w, const struct instruction &i, uint32_t mask,
		   const uint64_t at[LANES])
{
	const bool releases = i.order == RELEASE || i.order == ACQ_REL;

	if (i.order == WEAK_ORDER || (!releases && !w.kernel->fences))
		return;
	each_active(mask, [&](unsigned l) {
		const clock_ref c = releases ? knowledge(w, l) : order_of(w, l)->fenced;

		if (c)
			publish(at[l], i.bytes, c);
	});
}

void check_released(struct warp &w, const struct instruction &i)
{
	if (i.order != WEAK_ORDER)
		w.block->worker->time++;
}

void check_acquire(struct warp &w, const struct instruction &i, uint32_t mask,
		   const uint64_t at[LANES])
{
	const bool acquires = i.order == ACQUIRE || i.order == ACQ_REL;

	if (i.order == WEAK_ORDER || (!acquires && !w.kernel->fences) ||
	    !__atomic_load_n(&released, __ATOMIC_RELAXED))
		return;
	each_active(mask, [&](unsigned l) {
		const clock_ref c = published(at[l], i.bytes);

		if (!c)
			return;
		struct thread_order *const t = order_of(w, l);
		clock_ref *const to = acquires ? &t->acquired : &t->pending;

		if (!acquires || c != t->latest)
			*to = join(*to, c);
		if (acquires)
			t->latest = c;
	});
}

void check_fence(struct warp &w, const struct instruction &i, uint32_t mask)
{
	const std::lock_guard<std::mutex> guard(fence_mutex);
	const bool total = i.order != ACQ_REL; /* fence.sc */

	each_active(mask, [&](unsigned l) {
		struct thread_order *const t = order_of(w, l);

		t->acquired = join(join(t->acquired, t->pending), total ? sequential : nullptr);
		t->pending = nullptr;
		t->fenced = knowledge(w, l);
		if (total)
			sequential = t->fenced;
	});
	w.block->worker->time++;
}

/* ---- launches ---------------------------------------------------------------------------- */

void order_launch(void)
{
	sequential = nullptr;
	if (!released)
		return;
	released = false;
	for (struct shelf &s : shelves)
		s.released.clear();
}

void order_reset(struct block *b)
{
	delete b->order;
	b->order = nullptr;
}
