/* launch.cc -- runs a kernel: workers load clusters of blocks and step their warps until none is
 * left.
 *
 * Workers are OS threads; the first one is the thread that waits for the kernel.  Each holds
 * several clusters at once (a single block is a cluster of one), and its whole share of a
 * cooperative launch.
 */
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#include <algorithm>

#include "tests/ptx/machine.h"

enum { MAX_WORKERS = 64, SLOTS = 8192, BUDGET = 256, PASSES = 16 };
enum : uint32_t { LAST_TIME = 0xf0000000u };
enum { SHARED_POISON = 0xA5, REGISTER_POISON = 0xCC, LOCAL_POISON = 0xB7 };

struct launch ptx_running;
__thread struct worker *ptx_worker;
uint8_t *ptx_arena;
size_t ptx_arena_bytes;

static struct worker *workers[MAX_WORKERS];
static int worker_count;
static size_t slots_used;

/* ---- blocks ------------------------------------------------------------------------------ */

static void *taken(void *memory)
{
	if (!memory) {
		fprintf(stderr, "ptx: out of memory\n");
		abort();
	}
	return memory;
}

/* Called by one worker at a time.  Arena slots are never freed. */
static struct block *block_create(struct worker *w)
{
	struct block *const b = (struct block *)taken(calloc(1, sizeof *b));

	b->worker = w;
	b->warp = (struct warp *)taken(calloc(MAX_WARPS, sizeof *b->warp));
	const size_t slot = __atomic_fetch_add(&slots_used, 1, __ATOMIC_RELAXED);

	if (slot >= SLOTS) {
		fprintf(stderr, "ptx: more than %d blocks at once\n", SLOTS);
		abort();
	}
	b->shared = ptx_arena + slot * SHARED_SLOT;
	return b;
}

/* Ensure room for `bytes`, aligned to 64. */
static void grow(uint8_t **memory, size_t *room, size_t bytes)
{
	if (bytes <= *room)
		return;
	free(*memory);
	*room = (bytes + 4095) / 4096 * 4096;
	*memory = (uint8_t *)taken(aligned_alloc(4096, *room));
}

static void load_memory(struct block *b)
{
	const struct kernel *const k = ptx_running.kernel;
	const size_t registers = (size_t)k->register_bytes * b->warps;
	const size_t local = (size_t)k->local_bytes * b->warps * LANES;

	grow(&b->registers, &b->registers_room, registers);
	grow(&b->local, &b->local_room, local);
	memset(b->registers, REGISTER_POISON, registers);
	memset(b->local, LOCAL_POISON, local);
	b->shared_bytes = k->shared_bytes + ptx_running.call->dynamic_bytes;
	memset(b->shared, SHARED_POISON, b->shared_bytes);
	if (!ptx_running.counting)
		return;
	const size_t depth = registers / 4 * sizeof *b->depth;

	grow((uint8_t **)&b->depth, &b->depth_room, depth);
	memset(b->depth, 0, depth);
}

static void block_load(struct block *b, uint3 index)
{
	const struct kernel *const k = ptx_running.kernel;
	const dim3 size = ptx_running.call->block;

	b->index = index;
	b->threads = b->live = size.x * size.y * size.z;
	b->warps = (b->threads + LANES - 1) / LANES;
	b->exited_early = false;
	memset(b->barrier, 0, sizeof b->barrier);
	load_memory(b);
	if (ptx_running.weak)
		weak_block(b);
	for (unsigned n = 0; n < b->warps; n++) {
		struct warp *const w = &b->warp[n];
		const unsigned there = std::min(b->threads - n * LANES, (unsigned)LANES);

		w->base[REGISTER] = b->registers + (size_t)n * k->register_bytes;
		w->base[CONSTANT] = (uint8_t *)k->constants.data();
		w->block = b;
		w->kernel = k;
		w->local = b->local + (size_t)n * LANES * k->local_bytes;
		w->depth = b->depth + (size_t)n * k->register_bytes / 4;
		w->chain = w->barrier_chain = w->round = 0;
		w->waits = false;
		w->live = there == LANES ? ~0u : (1u << there) - 1;
		w->phase = 0;
		w->begun = ptx_running.call->overlapped ? 0 : ~0u;
		w->number = n;
		w->count = 1;
		w->current = 0;
		memset(w->groups, 0, sizeof w->groups);
		if (w->copies)
			w->copies->clear();
		w->patience = 1;
		w->split[0] = { w->live, 0, READY };
	}
	if (ptx_running.checking)
		check_block(b);
}

/* Load the next cluster of the grid.  If there is none, make c inactive and return false. */
static bool cluster_load(struct worker *w, struct cluster *c)
{
	struct launch *const l = &ptx_running;
	const dim3 size = l->call->cluster;
	uint3 first;

	if (c->active)
		w->active--;
	c->active = grid_next(l, l->call, &first);
	if (!c->active)
		return false;
	c->size = l->cluster_size;
	c->live = c->arrived = 0;
	c->phase = 0;
	for (unsigned r = 0; r < c->size; r++) {
		struct block *const b = c->block[r];

		b->cluster = c;
		b->rank = r;
		block_load(b, grid_block(first, size, r));
		c->live += b->threads;
		w->counts.blocks++;
		w->counts.threads += b->threads;
	}
	w->active++;
	return true;
}

/* ---- workers ----------------------------------------------------------------------------- */

static void make_room(struct worker *w)
{
	const unsigned wanted = ptx_running.resident;

	if (w->room < wanted) {
		w->cluster = (struct cluster *)taken(
			realloc((void *)w->cluster, wanted * sizeof *w->cluster));
		for (; w->room < wanted; w->room++)
			w->cluster[w->room] = {};
	}
	w->clusters = wanted;
	for (unsigned n = 0; n < wanted; n++) {
		w->cluster[n].active = false;
		for (unsigned r = 0; r < ptx_running.cluster_size; r++)
			if (!w->cluster[n].block[r])
				w->cluster[n].block[r] = block_create(w);
	}
}

static void worker_begin(struct worker *w)
{
	ptx_worker = w;
	w->failed = false;
	w->active = 0;
	w->warp = NULL;
	memset((void *)w->range, 0, sizeof w->range);
	w->random = grid_random(&ptx_running, w->id);
	make_room(w);
	for (unsigned n = 0; n < w->clusters; n++)
		if (!cluster_load(w, &w->cluster[n]))
			break;
}

static int turn_of(struct worker *w)
{
	return runtime_options.seed ? 1 + (int)(ptx_random(w) % BUDGET) : (int)BUDGET;
}

/* The n-th of `count` blocks in the selected order. */
static unsigned nth(unsigned n, unsigned count, unsigned start)
{
	const unsigned k = (n + start) % count;

	return runtime_options.order == ORDER_REVERSE ? count - 1 - k : k;
}

static bool run_block(struct worker *w, struct block *b)
{
	const unsigned start = runtime_options.seed ? (unsigned)ptx_random(w) % b->warps : 0;
	bool moved = false;

	for (unsigned n = 0; n < b->warps; n++)
		moved |= warp_run(&b->warp[nth(n, b->warps, start)], turn_of(w));
	return moved;
}

/* Step every warp once.  False: none could run. */
static bool run_clusters(struct worker *w)
{
	const unsigned start = runtime_options.seed ? (unsigned)ptx_random(w) % w->clusters : 0;
	bool moved = false;

	for (unsigned n = 0; n < w->clusters; n++) {
		struct cluster *const c = &w->cluster[nth(n, w->clusters, start)];

		for (unsigned r = 0; c->active && r < c->size; r++)
			if (c->block[r]->live)
				moved |= run_block(w, c->block[r]);
		if (c->active && !c->live)
			cluster_load(w, c);
	}
	return moved;
}

static uint64_t all_progress(void)
{
	uint64_t sum = 0;

	for (int n = 0; n < worker_count; n++)
		sum += __atomic_load_n(&workers[n]->progress, __ATOMIC_RELAXED);
	return sum;
}

/* CPU time of this OS thread, so that a busy machine does not look like a livelock. */
static double worked_s(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Detect a livelock: threads poll memory, and none changes it. */
static void watch(struct worker *w, uint64_t *last, unsigned *idle, double *since)
{
	const uint64_t now = all_progress();

	if (now != *last) {
		*last = now;
		*idle = 0;
		return;
	}
	if (++*idle % PASSES)
		return;
	sched_yield();
	if (*idle == PASSES)
		*since = worked_s();
	if (worked_s() - *since <= runtime_options.timeout_s)
		return;
	report_stuck(w);
	report_error("livelock: threads have run for %.0f s and nothing moves",
		     runtime_options.timeout_s);
	throw abandoned();
}

static void run_all(struct worker *w)
{
	uint64_t last = 0;
	unsigned idle = 0;
	double since = 0;

	while (w->active) {
		if (!run_clusters(w) && w->active) {
			report_stuck(w);
			report_error("deadlock: no warp of this worker can run");
			throw abandoned();
		}
		watch(w, &last, &idle, &since);
		if (__atomic_load_n(&ptx_running.failed, __ATOMIC_RELAXED))
			return;
	}
}

static void worker_run(int id)
{
	struct worker *const w = workers[id];

	try {
		worker_begin(w);
		run_all(w);
	} catch (const abandoned &) {
		__atomic_store_n(&ptx_running.failed, true, __ATOMIC_RELAXED);
	}
	w->warp = NULL;
}

static void map_arena(void)
{
	ptx_arena_bytes = (size_t)SLOTS * SHARED_SLOT;
	ptx_arena = (uint8_t *)mmap(NULL, ptx_arena_bytes, PROT_READ | PROT_WRITE,
				    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (ptx_arena == MAP_FAILED) {
		fprintf(stderr, "ptx: no address space for shared memory\n");
		abort();
	}
}

static void create_workers(void)
{
	if (!ptx_arena)
		map_arena();
	for (; worker_count < runtime_options.threads; worker_count++) {
		struct worker *const w = (struct worker *)taken(calloc(1, sizeof *w));

		w->id = worker_count;
		workers[worker_count] = w;
	}
}

/* ---- one kernel -------------------------------------------------------------------------- */

/* Times have become too large: start again from 0. */
static void forget_times(void)
{
	check_forget_times();
	for (int n = 0; n < worker_count; n++) {
		struct worker *const w = workers[n];

		w->time = 0;
		for (unsigned c = 0; c < w->room; c++)
			for (struct block *b : w->cluster[c].block)
				if (b)
					b->shared_shadow.room = 0;
	}
}

static void prepare_checks(struct launch *l)
{
	l->checking = runtime_options.check && !l->counting; /* counts would be slow */
	if (!l->checking) {
		if (runtime_options.check)
			check_skipped();
		return;
	}
	l->begun = 0;
	for (int n = 0; n < worker_count; n++)
		l->begun = std::max(l->begun, workers[n]->time);
	if (l->begun > LAST_TIME) {
		forget_times();
		l->begun = 0;
	}
	for (int n = 0; n < worker_count; n++)
		workers[n]->time = l->begun + 1;
	order_launch();
}

static void prepare(const struct gpu_call *call)
{
	struct launch *const l = &ptx_running;

	grid_begin(l, call);
	l->kernel = call->code;
	l->counting = call->counted;
	l->barrier = 0;
	l->round = 0;
	l->opened = l->arrived = 0;
	l->weak = runtime_options.weak && !l->counting; /* counts need one schedule */
	if (l->weak)
		weak_launch();
	for (int n = 0; n < worker_count; n++)
		workers[n]->counts = {};
	prepare_checks(l);
	l->backwards = runtime_options.order == ORDER_REVERSE ||
		       (runtime_options.seed + l->number) * (runtime_options.seed != 0) % 2;
}

cudaError_t executor_run(const struct gpu_call *call)
{
	const int errors = report_count();
	const struct options options = runtime_options;

	create_workers();
	ptx_running.lockstep = false;
	if (call->counted)
		counts_fix_schedule(call);
	prepare(call);
	memory_open(true);
	ptx_running.call = call;
	grid_run(&ptx_running, worker_run);
	ptx_running.call = NULL;
	memory_open(false);
	call->code->reached = true;
	runtime_options = options;
	if (call->counted)
		counts_collect(call->code, &workers[0]->counts);
	if (ptx_running.failed || report_count() != errors)
		device_set_sticky(cudaErrorLaunchFailure);
	return device_sticky();
}

void executor_forget(void)
{
	ptx_running.number = 0;
}
