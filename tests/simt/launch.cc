/* launch.cc -- runs a kernel: workers load clusters of blocks and run their threads until none is
 * left.
 *
 * Workers are OS threads; the first one is the thread that waits for the kernel.  Each holds
 * several clusters at once (a single block is a cluster of one), so a block can wait for an earlier
 * one that is still running.
 */
#include <stdlib.h>

#include "tests/simt/control.h"
#include "tests/simt/engine.h"

struct launch simt_running;
struct worker *simt_workers[64];
int simt_worker_count;

/* ---- blocks ------------------------------------------------------------------------------ */

/* Allocate everything that a block needs. */
static struct simt_block *block_create(struct worker *w)
{
	const size_t head = (sizeof(struct simt_block) + 63) / 64 * 64;
	const size_t threads = MAX_THREADS * sizeof(struct simt_thread);
	const size_t warps = MAX_WARPS * sizeof(struct warp);
	char *const memory = (char *)fresh_memory(head + threads + warps);
	struct simt_block *const b = (struct simt_block *)(void *)memory;

	b->worker = w;
	b->thread = (struct simt_thread *)(void *)(memory + head);
	b->warp = (struct warp *)(void *)(memory + head + threads);
	b->arena = (char *)fresh_memory(ARENA_BYTES);
	IF_LINKED(__asan_poison_memory_region, b->arena, ARENA_BYTES);
	return b;
}

static void number_threads(struct simt_block *b, dim3 size)
{
	for (unsigned i = 0; i < b->count; i++) {
		struct simt_thread *const t = &b->thread[i];

		t->linear = i;
		t->lane = i % LANES;
		t->warp = (unsigned short)(i / LANES);
		t->index = { i % size.x, i / size.x % size.y, i / (size.x * size.y) };
		t->block = b;
	}
}

static void block_load(struct simt_block *b, const struct simt_call *call, uint3 index)
{
	const dim3 size = call->block;
	const bool same = b->count == size.x * size.y * size.z && b->block.x == size.x &&
			  b->block.y == size.y;

	b->index = index;
	b->block = size;
	b->grid = call->grid;
	b->number = index.x + call->grid.x * (index.y + (uint64_t)call->grid.y * index.z);
	b->count = b->live = size.x * size.y * size.z;
	b->turn = b->count - 1;
	b->warps = (b->count + LANES - 1) / LANES;
	b->arrived = b->rounds = b->arriving_count = 0;
	b->barrier_site = NULL;
	if (!same)
		number_threads(b, size);
	for (unsigned i = 0; i < b->count; i++)
		b->thread[i].site = NULL, b->thread[i].yield_file = NULL;
	for (unsigned w = 0; w < b->warps; w++) {
		struct warp *const warp = &b->warp[w];

		warp->live = warp->fresh = warp->ready = full_mask(b, w);
		warp->at_barrier = warp->at_cluster = warp->at_warp = 0;
	}
	b->ready_warps = b->warps == 32 ? ~0u : (1u << b->warps) - 1;
	b->active = true;
	b->over = false;
	shared_reset(b);
	IF_CHECKED(check_block, b);
}

/* Load the next cluster of the grid.  If there is none, make c inactive and return false. */
bool cluster_load(struct worker *w, struct cluster *c)
{
	const struct simt_call *const call = simt_running.call;
	const dim3 size = call->cluster;
	uint3 first;

	if (c->active)
		w->active--;
	c->active = grid_next(&simt_running, call, &first);
	if (!c->active)
		return false;
	c->size = c->blocks_left = size.x * size.y * size.z;
	c->arrived = c->live = 0;
	for (unsigned r = 0; r < c->size; r++) {
		struct simt_block *const b = c->block[r];

		b->cluster = c;
		b->rank = r;
		block_load(b, call, grid_block(first, size, r));
		c->live += b->count;
	}
	w->active++;
	return true;
}

/* ---- threads ----------------------------------------------------------------------------- */

/* Report t, which returns, if another lane waits for it. */
static void check_awaited(const struct simt_thread *t)
{
	const struct warp *const w = &t->block->warp[t->warp];

	for (unsigned left = w->at_warp; left; left &= left - 1) {
		const unsigned lane = (unsigned)__builtin_ctz(left);
		const struct simt_site *const site = t->block->thread[t->warp * LANES + lane].site;

		if (!(w->request[lane].mask >> t->lane & 1))
			continue;
		report_error(
			"lane %u returned, but a warp operation at %s:%d waits for it (mask %08x)",
			t->lane, site->file, site->line, w->request[lane].mask);
		launch_fail();
	}
}

/* Report t, which returns, if other threads of its block wait at a barrier. */
static void check_barrier_awaited(const struct simt_thread *t)
{
	const struct simt_block *const b = t->block;

	if (!b->arrived || !runtime_options.strict)
		return;
	report_error("thread %u returned while %u threads of its block wait at %s:%d", t->linear,
		     b->arrived, b->barrier_site->file, b->barrier_site->line);
	launch_fail();
}

/* The block's last thread has returned: return the thread that runs instead, or NULL. */
static struct simt_thread *block_end(struct simt_block *b)
{
	struct cluster *const c = b->cluster;

	IF_CHECKED(check_block_end, b);
	b->active = false;
	b->over = true;
	if (--c->blocks_left == 0) {
		cluster_load(b->worker, c);
	} else {
		shared_forbid(b);
		sched_check_barriers(b);
	}
	return sched_first(b->worker);
}

struct simt_thread *thread_exit(struct simt_thread *t)
{
	struct simt_block *const b = t->block;
	const unsigned lane = 1u << t->lane;

	b->warp[t->warp].live &= ~lane;
	clear_ready(b, t->warp, lane);
	b->live--;
	b->cluster->live--;
	b->worker->progress++;
	if (__builtin_expect(b->warp[t->warp].at_warp, 0))
		check_awaited(t);
	if (!b->live)
		return block_end(b);
	if (__builtin_expect(b->arrived || b->cluster->arrived, 0)) {
		check_barrier_awaited(t);
		sched_check_barriers(b);
	}
	if (__builtin_expect(!b->ready_warps, 0))
		sched_check_stuck(b);
	return sched_next(t, false);
}

/* The main loop of a stack: run fresh threads, one after another. */
extern "C" __attribute__((used)) void simt_carrier_main(struct simt_carrier *carrier)
{
	IF_LINKED(__sanitizer_finish_switch_fiber, carrier->asan_fake_stack, NULL, NULL);
	for (;;) {
		struct worker *const w = simt_worker;
		struct simt_thread *const t = w->next;
		const struct simt_call *const call = simt_running.call;

		t->block->warp[t->warp].fresh &= ~(1u << t->lane);
		t->carrier = carrier;
		simt_current = t;
		simt_budget = sched_budget();
		call->invoke(call);

		struct simt_thread *const next = thread_exit(t);

		if (next && is_fresh(next)) {
			w->next = next;
			if (runtime_options.picky)
				sched_note(next);
			continue;
		}
		carrier_give(carrier);
		sched_switch(next);
	}
}

void launch_fail(void)
{
	__atomic_store_n(&simt_running.failed, true, __ATOMIC_RELAXED);
	simt_worker->failed = true;
	simt_current = NULL;
	carrier_switch(&simt_worker->own);
	abort(); /* an abandoned thread is never resumed */
}

/* ---- workers ----------------------------------------------------------------------------- */

/* Allocate the clusters that this launch needs. */
static void make_room(struct worker *w)
{
	const unsigned size = simt_running.cluster_size;

	if (w->room < simt_running.resident) {
		w->cluster = (struct cluster *)realloc(w->cluster,
						       simt_running.resident * sizeof *w->cluster);
		if (!w->cluster)
			abort();
		for (; w->room < simt_running.resident; w->room++)
			w->cluster[w->room] = {};
	}
	w->clusters = simt_running.resident;
	for (unsigned i = 0; i < w->clusters; i++) {
		w->cluster[i].active = false;
		for (unsigned r = 0; r < MAX_CLUSTER; r++) {
			struct simt_block **const b = &w->cluster[i].block[r];

			if (r < size && !*b)
				*b = block_create(w);
			if (*b)
				(*b)->active = false;
		}
	}
}

static void worker_begin(struct worker *w)
{
	simt_worker = w;
	w->running = &w->own;
	w->failed = false;
	w->active = w->turn = 0;
	if (!w->own.stack)
		carrier_describe_self(&w->own);
	w->random = grid_random(&simt_running, w->id);
	make_room(w);
}

static void worker_run(int id)
{
	struct worker *const w = simt_workers[id];

	worker_begin(w);
	for (unsigned i = 0; i < w->clusters; i++)
		if (!cluster_load(w, &w->cluster[i]))
			break;
	while (w->active && !w->failed) {
		struct simt_thread *const t = sched_first(w);

		if (!t) {
			report_error("deadlock: no thread on this worker can run");
			__atomic_store_n(&simt_running.failed, true, __ATOMIC_RELAXED);
			w->failed = true;
			break;
		}
		sched_switch(t);
	}
	if (w->failed)
		carrier_reset_all();
	simt_current = NULL;
	simt_budget = 1 << 30;
}

static void create_workers(void)
{
	for (; simt_worker_count < runtime_options.threads; simt_worker_count++) {
		struct worker *const w = (struct worker *)calloc(1, sizeof *w);

		if (!w)
			abort();
		w->id = simt_worker_count;
		simt_workers[simt_worker_count] = w;
	}
	watchdog_start();
}

/* ---- one kernel -------------------------------------------------------------------------- */

cudaError_t executor_run(struct gpu_call *call)
{
	const int errors = report_count();

	reached_note(call->kernel);
	create_workers();
	grid_begin(&simt_running, call);
	memory_open(true);
	IF_CHECKED(check_begin, call);
	simt_running.call = static_cast<struct simt_call *>(call);
	grid_run(&simt_running, worker_run);
	simt_running.call = NULL;
	IF_CHECKED(check_end);
	memory_open(false);
	if (simt_running.failed || report_count() != errors)
		device_set_sticky(cudaErrorLaunchFailure);
	call->destroy(call);
	return device_sticky();
}

void executor_forget(void)
{
	simt_running.number = 0;
	for (int i = 0; i < simt_worker_count; i++)
		simt_workers[i]->schedule_hash = 0;
}

/* ---- control.h --------------------------------------------------------------------------- */

uint64_t simt_schedule_hash(void)
{
	uint64_t hash = 0;

	for (int i = 0; i < simt_worker_count; i++)
		hash ^= simt_workers[i]->schedule_hash;
	return hash;
}
