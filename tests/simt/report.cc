/* report.cc -- what the emulator has to say: errors, who waits where, watchdogs, bad addresses.
 *
 * An error is one of the program under test.  It goes to stderr with the kernel, block and thread,
 * becomes the text of the launch failure, and makes the process exit with status 86 in the end,
 * lest a test that asks nobody passes.
 */
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "tests/simt/control.h"
#include "tests/simt/engine.h"

enum { EXIT_ERRORS = 86, MAX_REPORTS = 25, POLL_MS = 250 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int count;
static char first[512];

double now_s(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

uint64_t simt_clock_ns(void)
{
	return (uint64_t)(now_s() * 1e9);
}

/* ---- errors -----------------------------------------------------------------------------------
 */

static void say_where(void)
{
	const struct simt_thread *const t = simt_current;

	if (!t || !simt_running.call)
		return;
	const struct simt_block *const b = t->block;

	fprintf(stderr, "simt:   in %s, block (%u,%u,%u), thread (%u,%u,%u)\n",
		simt_running.call->name, b->index.x, b->index.y, b->index.z, t->index.x, t->index.y,
		t->index.z);
}

void report_error(const char *format, ...)
{
	char text[sizeof first];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text, sizeof text, format, arguments);
	va_end(arguments);
	pthread_mutex_lock(&mutex);
	if (count++ == 0)
		memcpy(first, text, sizeof first);
	if (count <= MAX_REPORTS) {
		fprintf(stderr, "simt: ERROR: %s\n", text);
		say_where();
	}
	pthread_mutex_unlock(&mutex);
	if (simt_options.abort)
		abort();
}

int report_count(void)
{
	return count;
}

const char *report_first(void)
{
	return count ? first : NULL;
}

void report_forget(void)
{
	count = 0;
}

int simt_error_count(void)
{
	return count;
}

const char *simt_first_error(void)
{
	return report_first();
}

void simt_forget_errors(void)
{
	report_forget();
}

static __attribute__((destructor)) void at_exit(void)
{
	memory_report_leaks();
	if (count) {
		fprintf(stderr, "simt: %d error%s reported\n", count, count == 1 ? "" : "s");
		fflush(NULL);
		_exit(EXIT_ERRORS);
	}
}

/* ---- who waits where ----------------------------------------------------------------------------
 */

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

/* One line for all threads that are where thread i is; i is the first of them. */
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

/* ---- watchdogs ----------------------------------------------------------------------------------
 */

/* Threads yield to each other, but none passes a barrier, meets a warp or returns. */
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
	} else if (now - since > simt_options.timeout_s) {
		report_worker(w);
		report_error("livelock: threads have spun for %.0f s and nothing moves",
			     simt_options.timeout_s);
		launch_fail();
	}
}

/* One thread runs and never yields: nothing can be done from inside. */
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
		if (now_s() - since <= 2 * simt_options.timeout_s)
			continue;
		for (int i = 0; i < simt_worker_count; i++)
			report_worker(simt_workers[i]);
		report_error("livelock: a thread has run for %.0f s without any synchronisation",
			     2 * simt_options.timeout_s);
		_exit(EXIT_ERRORS);
	}
	return NULL;
}

/* ---- addresses
 * ------------------------------------------------------------------------------------ */

static const char *describe_address(uintptr_t address)
{
	uintptr_t begin;
	size_t bytes;

	if (memory_find((const void *)address, &begin, &bytes) == MEMORY_DEVICE)
		return "host code touches device memory";
	for (int i = 0; i < simt_worker_count; i++)
		for (const struct simt_carrier *c = simt_workers[i]->all; c; c = c->next_all)
			if (address < (uintptr_t)c->stack && address >= (uintptr_t)c->stack - 4096)
				return "a CUDA thread has used up its stack "
				       "(GPUBENCH_SIMT_STACK_KB)";
	return NULL;
}

static struct sigaction previous;

/* Says what it knows, then lets the fault take its course. */
static void on_fault(int number, siginfo_t *info, void *context)
{
	const char *const what = describe_address((uintptr_t)info->si_addr);

	(void)context;
	if (what) {
		report_error("%s: address %p", what, info->si_addr);
		_exit(EXIT_ERRORS);
	}
	sigaction(number, &previous, NULL);
}

void catch_faults(void)
{
	static bool caught;
	static char stack[64 << 10];
	const stack_t alternative = { .ss_sp = stack, .ss_flags = 0, .ss_size = sizeof stack };
	struct sigaction action = {};

	if (caught || __asan_poison_memory_region || __tsan_create_fiber)
		return;
	caught = true;
	sigaltstack(&alternative, NULL);
	action.sa_sigaction = on_fault;
	action.sa_flags = SA_SIGINFO | SA_ONSTACK;
	sigaction(SIGSEGV, &action, &previous);
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
