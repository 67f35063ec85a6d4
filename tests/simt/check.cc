/* check.cc -- our checker: validates every memory access of a kernel.
 *
 * An access must be inside a device allocation or a shared variable, must not read unwritten bytes
 * and must not touch host memory.  Host code in a .cu file is also checked: it must not touch
 * device memory.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <map>
#include <set>
#include <tuple>

#include "tests/simt/check.h"

enum {
	MANY_ACCESSES = 4096, /* accesses before a preemption, even if the thread only spins */
	KIND_BOUNDS = 1,
	KIND_UNINITIALISED,
	KIND_HOST_MEMORY,
	KIND_HOST_CODE,
};

/* Device memory, or host memory that kernels may access. */
struct region {
	uintptr_t begin, end;
	struct cell *cells;
	bool device;
};

static std::map<uintptr_t, struct region> &regions(void)
{
	static std::map<uintptr_t, struct region> *const map =
		new std::map<uintptr_t, struct region>;

	return *map;
}

static struct region *last_found; /* most accesses hit the same region as the previous one */
static int accesses_left = MANY_ACCESSES;

bool check_is_new(uint32_t kind, uint32_t pc, uint32_t other)
{
	static std::set<std::tuple<uint32_t, uint32_t, uint32_t>> *const seen =
		new std::set<std::tuple<uint32_t, uint32_t, uint32_t>>;

	return seen->insert({ kind, pc, other }).second;
}

/* ---- regions and cells ----------------------------------------------------------------------- */

static struct cell *new_cells(size_t bytes)
{
	struct cell *const cells = (struct cell *)calloc(bytes / 4 + 2, sizeof(struct cell));

	if (!cells)
		abort();
	return cells;
}

/* Set or clear a property of each byte of [offset, offset + bytes). */
static void mark(struct cell *cells, size_t offset, size_t bytes, uint8_t cell::*property)
{
	for (size_t at = offset; at < offset + bytes;) {
		if (at % 4 == 0 && offset + bytes - at >= 4) {
			cells[at / 4].*property = 15;
			at += 4;
		} else {
			cells[at / 4].*property |= (uint8_t)(1u << at % 4);
			at++;
		}
	}
}

void check_allocated(void *at, size_t bytes, bool initialised)
{
	const uintptr_t begin = (uintptr_t)at;
	struct region r = { begin, begin + bytes, new_cells(bytes), !initialised };

	mark(r.cells, 0, bytes, &cell::valid);
	if (initialised)
		mark(r.cells, 0, bytes, &cell::initialised);
	regions()[begin] = r;
	last_found = NULL;
}

void check_freed(void *at)
{
	const auto found = regions().find((uintptr_t)at);

	last_found = NULL;
	if (found == regions().end())
		return;
	free(found->second.cells);
	regions().erase(found);
}

static struct region *find_region(uintptr_t address)
{
	if (last_found && address - last_found->begin < last_found->end - last_found->begin)
		return last_found;
	auto after = regions().upper_bound(address);

	if (after == regions().begin())
		return NULL;
	--after;
	if (address >= after->second.end)
		return NULL;
	return last_found = &after->second;
}

void check_written(void *at, size_t bytes)
{
	struct region *const r = find_region((uintptr_t)at);

	if (r)
		mark(r->cells, (uintptr_t)at - r->begin, bytes, &cell::initialised);
}

void check_forgotten(void *at, size_t bytes)
{
	struct region *const r = find_region((uintptr_t)at);
	const size_t offset = r ? (uintptr_t)at - r->begin : 0;

	for (size_t i = offset; r && i < offset + bytes; i++)
		r->cells[i / 4].initialised &= (uint8_t) ~(1u << i % 4);
}

void check_block(struct simt_block *b)
{
	struct block_check *c = b->check;

	if (!c) {
		c = b->check = (struct block_check *)calloc(1, sizeof *c);
		if (!c)
			abort();
		c->cells = new_cells(ARENA_BYTES);
	}
	c->number = (uint32_t)b->number;
	race_block(c);
}

void check_block_end(struct simt_block *b)
{
	/* Invalidate the whole arena, for the cluster's other blocks too. */
	memset(b->check->cells, 0, (b->arena_used / 4 + 1) * sizeof *b->check->cells);
}

void check_shared(struct simt_block *b, void *at, size_t bytes)
{
	mark(b->check->cells, (size_t)((char *)at - b->arena), bytes, &cell::valid);
}

void check_begin(const struct gpu_call *call)
{
	const dim3 g = call->grid;

	race_launch((uint64_t)g.x * g.y * g.z);
	accesses_left = MANY_ACCESSES;
}

void check_end(void)
{
	/* A kernel that was abandoned leaves shared memory allocated. */
	for (unsigned i = 0; simt_running.failed && i < simt_workers[0]->clusters; i++)
		for (unsigned r = 0; r < simt_running.cluster_size; r++) {
			struct simt_block *const b = simt_workers[0]->cluster[i].block[r];

			if (b && b->check)
				memset(b->check->cells, 0,
				       ARENA_BYTES / 4 * sizeof *b->check->cells);
		}
}

/* ---- an access --------------------------------------------------------------------------- */

static const char *verb(const struct touch *t)
{
	return t->direction == DIRECTION_READ ? "read" : "write";
}

static void out_of_bounds(const struct touch *t)
{
	if (check_is_new(KIND_BOUNDS, t->pc, t->shared))
		report_error("%s of %u bytes out of bounds of %s at %s", verb(t), t->size,
			     t->shared ? "shared memory" : "device memory", symbol_line(t->pc));
}

static void uninitialised(const struct touch *t)
{
	if (check_is_new(KIND_UNINITIALISED, t->pc, t->shared))
		report_error("read of uninitialised %s memory at %s",
			     t->shared ? "shared" : "device", symbol_line(t->pc));
}

/* Check the cells that the access covers; offset is the position of the access within them. */
static void touch_cells(const struct touch *t, struct cell *cells, size_t offset)
{
	const bool reads = t->direction != DIRECTION_WRITE;

	for (size_t at = offset; at < offset + t->size;) {
		struct cell *const cell = &cells[at / 4];
		const size_t next = min(at / 4 * 4 + 4, offset + t->size);
		const unsigned bytes = ((1u << (next - at)) - 1) << at % 4;

		if (bytes & ~(unsigned)cell->valid) {
			out_of_bounds(t);
			return;
		}
		if (reads && bytes & ~(unsigned)cell->initialised)
			uninitialised(t);
		cell->initialised |= (uint8_t)bytes;
		race_touch(t, cell, bytes);
		at = next;
	}
}

/* The block of this cluster whose arena contains the address, or NULL. */
static struct simt_block *arena_of(uintptr_t address)
{
	struct simt_block *const mine = simt_current->block;
	const struct cluster *const c = mine->cluster;

	if (address - (uintptr_t)mine->arena < ARENA_BYTES)
		return mine;
	for (unsigned i = 0; c->size > 1 && i < c->size; i++)
		if (address - (uintptr_t)c->block[i]->arena < ARENA_BYTES)
			return c->block[i];
	return NULL;
}

/* True for memory of a running thread that is not CUDA memory: its stack, the program's constants
 * and variables, thread-local variables, tables of the block, kernel arguments. */
static bool is_own(uintptr_t address)
{
	const struct simt_carrier *const c = simt_worker->running;
	const struct simt_block *const b = simt_current->block;
	const struct simt_call *const call = simt_running.call;
	const size_t tables = sizeof *b + 64 + MAX_THREADS * sizeof *b->thread;

	return address - (uintptr_t)c->stack < c->size ||
	       symbol_module((const void *)address) >= 0 ||
	       address - ((uintptr_t)&simt_current - 8192) < 16384 ||
	       address - (uintptr_t)b < tables || address - (uintptr_t)call < call->bytes;
}

static void give_others_a_turn(void)
{
	const unsigned preempt = runtime_options.preempt;

	if (preempt && sched_random() % preempt == 0) {
		simt_yield(NULL, 0);
	} else if (--accesses_left <= 0) {
		accesses_left = MANY_ACCESSES;
		simt_yield(NULL, 0);
	}
}

static void kernel_access(struct touch *t)
{
	const uintptr_t a = t->address;
	struct simt_block *const shared = arena_of(a);

	if (shared) {
		t->shared = true;
		touch_cells(t, shared->check->cells, a - (uintptr_t)shared->arena);
	} else if (struct region *const r = find_region(a)) {
		touch_cells(t, r->cells, a - r->begin);
	} else {
		if (check_is_new(KIND_HOST_MEMORY, t->pc, 0))
			report_error("%s of %u bytes at %p, which is not device memory, at %s",
				     verb(t), t->size, (void *)a, symbol_line(t->pc));
		return;
	}
	give_others_a_turn();
}

static void host_access(const struct touch *t)
{
	const struct region *const r = find_region(t->address);

	if (r && r->device && check_is_new(KIND_HOST_CODE, t->pc, 0))
		report_error("host code touches device memory (a %s of %u bytes) at %s", verb(t),
			     t->size, symbol_line(t->pc));
}

static inline __attribute__((always_inline)) void check_access(const volatile void *p,
							       unsigned size,
							       enum direction direction,
							       bool atomic, const void *code)
{
	const uintptr_t address = (uintptr_t)p;

	if (simt_current && is_own(address))
		return;
	struct touch t = { address, size, direction, atomic, false, symbol_offset(code) };

	if (simt_current)
		kernel_access(&t);
	else
		host_access(&t);
}

static void order(int memory_order)
{
	if (simt_current && memory_order != __ATOMIC_RELAXED)
		check_fence(simt_current, memory_order != __ATOMIC_RELEASE,
			    memory_order >= __ATOMIC_RELEASE);
}

/* ---- the calls that gcc inserts, as far as our kernels need them
 * ------------------------------ */

#define CODE __builtin_return_address(0)

/* An acquire is counted after its load.  A release is counted before its store, so it does not
 * cover later accesses. */
#define ATOMICS(bits, T)                                                                    \
	T __tsan_atomic##bits##_load(const volatile T *p, int order_)                       \
	{                                                                                   \
		check_access(p, sizeof *p, DIRECTION_READ, true, CODE);                     \
		order(order_);                                                              \
		return __atomic_load_n(p, __ATOMIC_SEQ_CST);                                \
	}                                                                                   \
	void __tsan_atomic##bits##_store(volatile T *p, T v, int order_)                    \
	{                                                                                   \
		check_access(p, sizeof *p, DIRECTION_WRITE, true, CODE);                    \
		order(order_);                                                              \
		__atomic_store_n(p, v, __ATOMIC_SEQ_CST);                                   \
	}                                                                                   \
	int __tsan_atomic##bits##_compare_exchange_strong(volatile T *p, T *expected, T v,  \
							  int order_, int)                  \
	{                                                                                   \
		check_access(p, sizeof *p, DIRECTION_UPDATE, true, CODE);                   \
		order(order_);                                                              \
		return __atomic_compare_exchange_n(p, expected, v, false, __ATOMIC_SEQ_CST, \
						   __ATOMIC_SEQ_CST);                       \
	}                                                                                   \
	UPDATE(bits, T, exchange, __atomic_exchange_n)                                      \
	UPDATE(bits, T, fetch_add, __atomic_fetch_add)                                      \
	UPDATE(bits, T, fetch_sub, __atomic_fetch_sub)                                      \
	UPDATE(bits, T, fetch_and, __atomic_fetch_and)                                      \
	UPDATE(bits, T, fetch_or, __atomic_fetch_or)                                        \
	UPDATE(bits, T, fetch_xor, __atomic_fetch_xor)

#define UPDATE(bits, T, name, builtin)                                    \
	T __tsan_atomic##bits##_##name(volatile T *p, T v, int order_)    \
	{                                                                 \
		check_access(p, sizeof *p, DIRECTION_UPDATE, true, CODE); \
		order(order_);                                            \
		return builtin(p, v, __ATOMIC_SEQ_CST);                   \
	}

#define ACCESSES(size)                                               \
	void __tsan_read##size(void *p)                              \
	{                                                            \
		check_access(p, size, DIRECTION_READ, false, CODE);  \
	}                                                            \
	void __tsan_write##size(void *p)                             \
	{                                                            \
		check_access(p, size, DIRECTION_WRITE, false, CODE); \
	}

extern "C" {

ACCESSES(1)
ACCESSES(2)
ACCESSES(4)
ACCESSES(8)
ACCESSES(16)

void __tsan_read_range(void *p, size_t size)
{
	check_access(p, (unsigned)size, DIRECTION_READ, false, CODE);
}

void __tsan_write_range(void *p, size_t size)
{
	check_access(p, (unsigned)size, DIRECTION_WRITE, false, CODE);
}

ATOMICS(32, uint32_t)
ATOMICS(64, uint64_t)

void __tsan_atomic_thread_fence(int order_)
{
	order(order_);
}

/* Called by the constructors of each file that is compiled for the checker. */
void __tsan_init(void)
{
	symbol_add(CODE);
	if (!runtime_checks)
		options_forget(); /* some depend on it */
	runtime_checks = true;
}

void __tsan_func_entry(void *)
{
}

void __tsan_func_exit(void)
{
}
}
