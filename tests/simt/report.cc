/* report.cc -- the emulator's own parts of a report: waiting threads, watchdogs, bad addresses. */
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "tests/simt/engine.h"

enum { POLL_MS = 250 };

const struct executor executor = {
	.name = "simt",
	.variable = "GPUBENCH_SIMT_",
	.device = "SIMT emulator",
};

int executor_capability(void)
{
	return 90;
}

/* g++ tells neither the registers nor the shared memory of a kernel. */
cudaError_t executor_facts(const void *kernel, struct kernel_facts *facts)
{
	(void)kernel;
	*facts = {};
	return cudaSuccess;
}

uint64_t simt_clock_ns(void)
{
	return (uint64_t)(now_s() * 1e9);
}

void executor_say_where(void)
{
	const struct simt_thread *const t = simt_current;

	if (!t || !simt_running.call)
		return;
	const struct simt_block *const b = t->block;

	fprintf(stderr, "simt:   in %s, block (%u,%u,%u), thread (%u,%u,%u)\n",
		simt_running.call->name, b->index.x, b->index.y, b->index.z, t->index.x, t->index.y,
		t->index.z);
}

const char *executor_explain(uintptr_t address)
{
	for (int i = 0; i < simt_worker_count; i++)
		for (const struct simt_carrier *c = simt_workers[i]->all; c; c = c->next_all)
			if (address < (uintptr_t)c->stack && address >= (uintptr_t)c->stack - 4096)
				return "a CUDA thread has used up its stack "
				       "(GPUBENCH_SIMT_STACK_KB)";
	return NULL;
}

/* ---- waiting threads ------------------------------------------------------------------------ */

enum { RUNS, AT_BARRIER, AT_CLUSTER, AT_WARP, RETURNED };

static int state_of(const struct simt_block *b, unsigned thread)
{
	const struct warp *const w = &b->warp[thread / LANES];
	const unsigned lane = 1u << thread % LANES;

	return !(w->live & lane)      ? RETURNED
	       : w->at_barrier & lane ? AT_BARRIER
	       : w->at_cluster & lane ? AT_CLUSTER
	       : w->at_warp & lane    ? AT_WARP
				      : RUNS;
}

static bool same_place(const struct simt_block *b, unsigned i, unsigned j)
{
	const struct simt_thread *const s = &b->thread[i], *const t = &b->thread[j];

	if (state_of(b, i) != state_of(b, j) || s->site != t->site)
		return false;
	return state_of(b, i) != RUNS || s->yield_line == t->yield_line;
}

/* Print one line for all threads in the same state as thread i, which is the first of them. */
static void say_group(const struct simt_block *b, unsigned i)
{
	static const char *const what[] = { "run", "wait for the block", "wait for the cluster",
					    "wait for their warp", "have returned" };
	const struct simt_thread *const t = &b->thread[i];
	const struct warp *const w = &b->warp[i / LANES];
	const int state = state_of(b, i);
	unsigned threads = 0;

	for (unsigned j = i; j < b->count; j++)
		threads += same_place(b, i, j);
	fprintf(stderr, "simt:   %u threads (first: %u) %s", threads, i, what[state]);
	if (state == RUNS && t->yield_file)
		fprintf(stderr, ", and let others run at %s:%d", t->yield_file, t->yield_line);
	if (t->site)
		fprintf(stderr,
			state == RUNS || state == RETURNED ? "; last at %s:%d" : " at %s:%d",
			t->site->file, t->site->line);
	if (state == AT_WARP)
		fprintf(stderr, " (mask %08x, there %08x, live %08x)", w->request[i % LANES].mask,
			w->at_warp, w->live);
	fputc('\n', stderr);
}

void report_block(const struct simt_block *b)
{
	fprintf(stderr, "simt: %s, block (%u,%u,%u): %u of %u threads have returned\n",
		simt_running.call ? simt_running.call->name : "?", b->index.x, b->index.y,
		b->index.z, b->count - b->live, b->count);
	for (unsigned i = 0; i < b->count; i++) {
		bool seen = false;

		for (unsigned j = 0; j < i && !seen; j++)
			seen = same_place(b, i, j);
		if (!seen)
			say_group(b, i);
	}
}

static void report_worker(const struct worker *w)
{
	for (unsigned i = 0; i < w->clusters; i++)
		for (unsigned r = 0; r < simt_running.cluster_size; r++)
			if (w->cluster[i].block[r] && w->cluster[i].block[r]->active)
				report_block(w->cluster[i].block[r]);
}

/* ---- watchdogs --------------------------------------------------------------------------- */

/* Detect a livelock: threads yield, but none passes a barrier, completes a warp operation or
 * returns. */
void watchdog_check(struct worker *w)
{
	static __thread uint64_t last;
	static __thread double since;
	const double now = now_s();
	uint64_t progress = simt_running.number << 40;

	if (__atomic_load_n(&simt_running.failed, __ATOMIC_RELAXED))
		launch_fail();
	for (int i = 0; i < simt_worker_count; i++)
		progress += simt_workers[i]->progress;
	if (progress != last) {
		last = progress;
		since = now;
	} else if (now - since > runtime_options.timeout_s) {
		report_worker(w);
		report_error("livelock: threads have spun for %.0f s and nothing moves",
			     runtime_options.timeout_s);
		launch_fail();
	}
}

/* Watch for a thread that runs without ever yielding: only another OS thread can detect it. */
static void *watch(void *unused)
{
	uint64_t last = 0;
	double since = now_s();

	(void)unused;
	for (;;) {
		const struct timespec pause = { 0, POLL_MS * 1000000L };
		uint64_t moves = simt_running.number << 40;

		nanosleep(&pause, NULL);
		for (int i = 0; i < simt_worker_count; i++)
			moves += simt_workers[i]->progress + simt_workers[i]->yields +
				 simt_workers[i]->switches;
		if (moves != last || !simt_running.call) {
			last = moves;
			since = now_s();
			continue;
		}
		if (now_s() - since <= 2 * runtime_options.timeout_s)
			continue;
		for (int i = 0; i < simt_worker_count; i++)
			report_worker(simt_workers[i]);
		report_error("livelock: a thread has run for %.0f s without any synchronisation",
			     2 * runtime_options.timeout_s);
		_exit(EXIT_ERRORS);
	}
	return NULL;
}

void watchdog_start(void)
{
	static bool started;
	pthread_t thread;

	if (started)
		return;
	started = true;
	if (pthread_create(&thread, NULL, watch, NULL) == 0)
		pthread_detach(thread);
}
