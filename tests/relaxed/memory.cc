/* memory.cc -- the memory model: histories of atomic locations, clocks, races.
 *
 * Each location has the last stores in their order.  A load may return any of them that is not
 * older than one that happened before, or that a read which happened before returned.  A release
 * stores the thread's clock with the value, updates pass on the one they replace, and an acquire
 * that reads the value joins it.  Earlier events are known from these clocks, and from forks,
 * joins, barriers and locks.  Memory itself holds the newest value.
 *
 * This is stronger than C11 in two ways: a store is always the newest one (2+2W), and no load sees
 * a store that is made later (load buffering).  Fences are not used by the sources, nor modelled.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <memory>
#include <unordered_map>

#include "tests/relaxed/relaxed.h"

enum { DEPTH = 8, PAGE = 4096, NOBODY = MOST_THREADS };
enum kind { PLAIN_READ, PLAIN_WRITE, ATOMIC_READ, ATOMIC_WRITE, KINDS };

struct message {
	uint64_t value;
	unsigned writer; /* NOBODY: an initial value, which all threads have seen */
	uint32_t time;
	struct clock release; /* zeros: none */
	struct clock read;    /* when each thread read it last */
};

struct history {
	unsigned count;
	struct message message[DEPTH];
};

/* The last accesses to a byte: times of each thread. */
struct shadow {
	uint32_t last[KINDS][MOST_THREADS];
};

struct relaxed relaxed;
static std::unordered_map<uintptr_t, struct history> histories;
static std::unordered_map<uintptr_t, std::unique_ptr<struct shadow[]>> shadows;

void relaxed_start(uint64_t seed, enum fault fault)
{
	relaxed = {};
	relaxed.fault = fault;
	relaxed.random = seed * 0x9e3779b97f4a7c15 | 1;
	for (unsigned t = 0; t < MOST_THREADS; t++)
		relaxed.now[t].at[t] = 1;
	histories.clear();
	shadows.clear();
}

unsigned relaxed_below(unsigned n)
{
	relaxed.random ^= relaxed.random << 13;
	relaxed.random ^= relaxed.random >> 7;
	relaxed.random ^= relaxed.random << 17;
	return (unsigned)(relaxed.random >> 32) % n;
}

/* ---- clocks ------------------------------------------------------------------------------ */

static struct clock *mine(void)
{
	return &relaxed.now[relaxed.thread];
}

void clock_join(struct clock *to, const struct clock *from)
{
	for (unsigned t = 0; t < MOST_THREADS; t++)
		to->at[t] = to->at[t] > from->at[t] ? to->at[t] : from->at[t];
}

void clock_tick(void)
{
	mine()->at[relaxed.thread]++;
}

static bool acquires(int order)
{
	return relaxed.fault != FAULT_ACQUIRE &&
	       (order == __ATOMIC_ACQUIRE || order == __ATOMIC_CONSUME ||
		order == __ATOMIC_ACQ_REL || order == __ATOMIC_SEQ_CST);
}

static bool releases(int order)
{
	return relaxed.fault != FAULT_RELEASE &&
	       (order == __ATOMIC_RELEASE || order == __ATOMIC_ACQ_REL ||
		order == __ATOMIC_SEQ_CST);
}

/* ---- races ------------------------------------------------------------------------------- */

static struct shadow *shadow_of(uintptr_t at)
{
	static uintptr_t last_page;
	static struct shadow *last;

	if (at / PAGE != last_page || shadows.empty()) {
		std::unique_ptr<struct shadow[]> &page = shadows[at / PAGE];

		if (!page)
			page.reset(new struct shadow[PAGE]());
		last_page = at / PAGE;
		last = page.get();
	}
	return &last[at % PAGE];
}

static void access(const volatile void *at, size_t bytes, enum kind kind, const void *pc)
{
	static const bool conflicts[KINDS][KINDS] = {
		{ false, true, false, true }, /* a plain read, with a plain or atomic write */
		{ true, true, true, true },
		{ false, true, false, false },
		{ true, true, false, false },
	};

	for (uintptr_t byte = (uintptr_t)at; byte < (uintptr_t)at + bytes; byte++) {
		struct shadow *const s = shadow_of(byte);

		for (unsigned k = 0; k < KINDS; k++)
			for (unsigned t = 0; t < MOST_THREADS && conflicts[kind][k]; t++)
				if (t != relaxed.thread && s->last[k][t] > mine()->at[t]) {
					fprintf(stderr,
						"relaxed: race of threads %u and %u, the second "
						"one at %p\n",
						t, relaxed.thread, pc);
					_exit(FOUND_RACE);
				}
		s->last[kind][relaxed.thread] = mine()->at[relaxed.thread];
	}
}

void plain_access(const void *at, size_t bytes, bool writes, const void *pc)
{
	access(at, bytes, writes ? PLAIN_WRITE : PLAIN_READ, pc);
}

/* ---- atomic operations ------------------------------------------------------------------- */

static uint64_t value_at(const volatile void *at, size_t bytes)
{
	uint64_t value = 0;

	memcpy(&value, (const void *)at, bytes);
	return value;
}

/* The history of a location.  Plain writes since, by this thread or before it, begin it anew. */
static struct history *history_of(const volatile void *at, size_t bytes)
{
	struct history *const h = &histories[(uintptr_t)at];
	const uint64_t value = value_at(at, bytes);

	if (!h->count || h->message[h->count - 1].value != value) {
		h->count = 1;
		h->message[0] = { value, NOBODY, 0, {}, {} };
	}
	return h;
}

/* True if the running thread cannot see a value before this one any more. */
static bool is_seen(const struct message *m)
{
	if (m->writer == NOBODY || m->time <= mine()->at[m->writer])
		return true;
	for (unsigned t = 0; t < MOST_THREADS; t++)
		if (m->read.at[t] && m->read.at[t] <= mine()->at[t])
			return true;
	return false;
}

/* The value that a load returns: the newest one half of the time. */
static struct message *choose(struct history *h)
{
	unsigned oldest = h->count - 1, chosen = h->count - 1;

	while (oldest && !is_seen(&h->message[oldest]))
		oldest--;
	if (relaxed_below(2))
		chosen = oldest + relaxed_below(h->count - oldest);
	return &h->message[chosen];
}

static uint64_t look(struct message *m, int order)
{
	m->read.at[relaxed.thread] = mine()->at[relaxed.thread];
	if (acquires(order))
		clock_join(mine(), &m->release);
	return m->value;
}

static void append(struct history *h, volatile void *at, size_t bytes, uint64_t value, int order,
		   const struct clock *passed_on)
{
	if (h->count == DEPTH)
		memmove(h->message, h->message + 1, --h->count * sizeof *h->message);

	struct message *const m = &h->message[h->count++];

	memcpy((void *)at, &value, bytes);
	*m = { value_at(at, bytes), relaxed.thread, mine()->at[relaxed.thread], {}, {} };
	if (passed_on)
		m->release = *passed_on;
	if (releases(order))
		clock_join(&m->release, mine());
}

uint64_t atomic_read(const volatile void *at, size_t bytes, int order, const void *pc)
{
	relaxed_switch();
	access(at, bytes, ATOMIC_READ, pc);

	const uint64_t value = look(choose(history_of(at, bytes)), order);

	clock_tick();
	return value;
}

void atomic_write(volatile void *at, size_t bytes, uint64_t value, int order, const void *pc)
{
	relaxed_switch();
	access(at, bytes, ATOMIC_WRITE, pc);
	append(history_of(at, bytes), at, bytes, value, order, NULL);
	clock_tick();
}

static uint64_t updated(enum update update, uint64_t value, uint64_t operand)
{
	switch (update) {
	case UPDATE_ADD:
		return value + operand;
	case UPDATE_SUB:
		return value - operand;
	case UPDATE_AND:
		return value & operand;
	case UPDATE_OR:
		return value | operand;
	case UPDATE_XOR:
		return value ^ operand;
	default:
		return operand;
	}
}

/* Replace the newest value, which `value` is. */
static void replace(volatile void *at, size_t bytes, uint64_t value, int order)
{
	if (relaxed.fault == FAULT_UPDATE)
		relaxed_switch();

	struct history *const h = history_of(at, bytes);
	const struct clock passed_on = h->message[h->count - 1].release;

	append(h, at, bytes, value, order, &passed_on);
	clock_tick();
}

uint64_t atomic_update(volatile void *at, size_t bytes, enum update update, uint64_t operand,
		       int order, const void *pc)
{
	relaxed_switch();
	access(at, bytes, ATOMIC_WRITE, pc);

	struct history *const h = history_of(at, bytes);
	const uint64_t value = look(&h->message[h->count - 1], order);

	replace(at, bytes, updated(update, value, operand), order);
	return value;
}

bool atomic_swap(volatile void *at, size_t bytes, uint64_t *expected, uint64_t desired, int order,
		 int failure, const void *pc)
{
	relaxed_switch();
	access(at, bytes, ATOMIC_READ, pc);

	struct history *const h = history_of(at, bytes);
	struct message *m = choose(h);

	if (m->value == *expected)
		m = &h->message[h->count - 1];
	if (m->value != *expected) {
		*expected = look(m, failure);
		clock_tick();
		return false;
	}
	(void)look(m, order);
	access(at, bytes, ATOMIC_WRITE, pc);
	replace(at, bytes, desired, order);
	return true;
}
