/* threads.cc -- OpenMP on fibers: what libgomp defines and the linked objects call.
 *
 * A parallel region gets at most MOST_THREADS threads and is not nested.  The caller is thread 0.
 * Any thread that does not wait may run next.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>
#include <unistd.h>

#include <vector>

#include "tests/relaxed/relaxed.h"

enum { STACK = 1 << 18, MOST_STEPS = 3000000 };

struct loop {
	uint64_t next, end, step, chunk;
};

struct lock {
	bool held;
	struct clock released;
};

struct thread {
	ucontext_t context;
	char *stack;
	bool waits, over;
	size_t loops, singles; /* constructs that this thread has met */
};

static struct team {
	unsigned size; /* 0: no region */
	void (*run)(void *);
	void *data;
	struct thread thread[MOST_THREADS];
	unsigned arrived; /* at the barrier */
	std::vector<struct loop> loops;
	size_t singles;
} team;

static struct lock atomic_lock, critical_lock;

/* ---- the scheduler ----------------------------------------------------------------------- */

static void go_to(unsigned next)
{
	const unsigned before = relaxed.thread;

	if (next == before)
		return;
	relaxed.thread = next;
	swapcontext(&team.thread[before].context, &team.thread[next].context);
}

static bool can_run(unsigned t)
{
	return !team.thread[t].waits && !team.thread[t].over;
}

/* Run any thread that can; the running one may be it. */
static void run_any(void)
{
	unsigned next = relaxed_below(team.size);

	for (unsigned i = 0; i < team.size && !can_run(next); i++)
		next = (next + 1) % team.size;
	if (!can_run(next)) {
		fprintf(stderr, "relaxed: all threads wait\n");
		_exit(FOUND_HANG);
	}
	go_to(next);
}

void relaxed_switch(void)
{
	if (++relaxed.steps > MOST_STEPS) {
		fprintf(stderr, "relaxed: no end after %d steps\n", MOST_STEPS);
		_exit(FOUND_HANG);
	}
	if (team.size && relaxed_below(2))
		run_any();
}

static void thread_main(void)
{
	team.run(team.data);
	team.thread[relaxed.thread].over = true;
	run_any();
	abort();
}

static void start_thread(unsigned t)
{
	struct thread *const thread = &team.thread[t];

	if (!thread->stack)
		thread->stack = (char *)malloc(STACK);
	getcontext(&thread->context);
	thread->context.uc_stack.ss_sp = thread->stack;
	thread->context.uc_stack.ss_size = STACK;
	makecontext(&thread->context, thread_main, 0);
	clock_join(&relaxed.now[t], &relaxed.now[0]);
}

/* ---- what the compiler and the sources call ---------------------------------------------- */

extern "C" {

int omp_get_thread_num(void)
{
	return team.size ? (int)relaxed.thread : 0;
}

int omp_get_num_threads(void)
{
	return team.size ? (int)team.size : 1;
}

int omp_get_max_threads(void)
{
	return MOST_THREADS;
}

int omp_get_num_procs(void)
{
	return MOST_THREADS;
}

void GOMP_barrier(void)
{
	struct clock all = {};

	if (!team.size)
		return;
	if (++team.arrived < team.size) {
		team.thread[relaxed.thread].waits = true;
		run_any();
		return;
	}
	team.arrived = 0;
	for (unsigned t = 0; t < team.size; t++)
		clock_join(&all, &relaxed.now[t]);
	for (unsigned t = 0; t < team.size; t++) {
		relaxed.now[t] = all;
		relaxed.now[t].at[t]++;
		team.thread[t].waits = false;
	}
	run_any();
}

void GOMP_parallel(void (*run)(void *), void *data, unsigned wanted, unsigned flags)
{
	const unsigned size = !wanted || wanted > MOST_THREADS ? (unsigned)MOST_THREADS : wanted;

	(void)flags;
	if (team.size) /* nested */
		abort();
	if (size == 1) {
		run(data);
		return;
	}
	team.run = run;
	team.data = data;
	team.size = size;
	team.loops.clear();
	team.singles = 0;
	for (unsigned t = 0; t < size; t++) {
		team.thread[t].waits = team.thread[t].over = false;
		team.thread[t].loops = team.thread[t].singles = 0;
		if (t)
			start_thread(t);
	}
	clock_tick();
	run(data);
	for (unsigned t = 1; t < size; t++)
		while (!team.thread[t].over)
			relaxed_switch();
	for (unsigned t = 1; t < size; t++)
		clock_join(&relaxed.now[0], &relaxed.now[t]);
	clock_tick();
	team.size = 0;
}

bool GOMP_single_start(void)
{
	if (!team.size)
		return true;
	if (team.thread[relaxed.thread].singles++ < team.singles)
		return false;
	team.singles++;
	return true;
}

/* ---- loops whose iterations are dealt out ------------------------------------------------- */

static struct loop serial; /* outside of a region */

static struct loop *this_loop(void)
{
	return team.size ? &team.loops[team.thread[relaxed.thread].loops - 1] : &serial;
}

bool GOMP_loop_ull_nonmonotonic_dynamic_next(unsigned long long *begin, unsigned long long *end)
{
	relaxed_switch();

	struct loop *const loop = this_loop();

	if (loop->next >= loop->end)
		return false;
	*begin = loop->next;
	loop->next += loop->chunk * loop->step;
	if (loop->next > loop->end)
		loop->next = loop->end;
	*end = loop->next;
	return true;
}

/* Only loops that count upwards. */
bool GOMP_loop_ull_nonmonotonic_dynamic_start(bool up, unsigned long long first,
					      unsigned long long last, unsigned long long step,
					      unsigned long long chunk, unsigned long long *begin,
					      unsigned long long *end)
{
	const struct loop loop = { first, last, step, chunk };

	if (!up)
		abort();
	if (!team.size)
		serial = loop;
	else if (team.thread[relaxed.thread].loops++ == team.loops.size())
		team.loops.push_back(loop);
	return GOMP_loop_ull_nonmonotonic_dynamic_next(begin, end);
}

bool GOMP_loop_nonmonotonic_dynamic_next(long *begin, long *end)
{
	unsigned long long from, to;

	if (!GOMP_loop_ull_nonmonotonic_dynamic_next(&from, &to))
		return false;
	*begin = (long)from;
	*end = (long)to;
	return true;
}

bool GOMP_loop_nonmonotonic_dynamic_start(long first, long last, long step, long chunk, long *begin,
					  long *end)
{
	unsigned long long from, to;

	if (first < 0 || step < 0)
		abort();
	if (!GOMP_loop_ull_nonmonotonic_dynamic_start(true, (uint64_t)first, (uint64_t)last,
						      (uint64_t)step, (uint64_t)chunk, &from, &to))
		return false;
	*begin = (long)from;
	*end = (long)to;
	return true;
}

void GOMP_loop_end(void)
{
	GOMP_barrier();
}

void GOMP_loop_end_nowait(void)
{
}

/* ---- locks ------------------------------------------------------------------------------- */

static void take(struct lock *lock)
{
	relaxed_switch();
	while (lock->held)
		relaxed_switch();
	lock->held = true;
	clock_join(&relaxed.now[relaxed.thread], &lock->released);
}

static void give(struct lock *lock)
{
	lock->held = false;
	lock->released = relaxed.now[relaxed.thread];
	clock_tick();
}

void GOMP_atomic_start(void)
{
	take(&atomic_lock);
}

void GOMP_atomic_end(void)
{
	give(&atomic_lock);
}

/* One lock for all names is stronger, but sections with different names share nothing here. */
void GOMP_critical_start(void)
{
	take(&critical_lock);
}

void GOMP_critical_end(void)
{
	give(&critical_lock);
}

void GOMP_critical_name_start(void **name)
{
	(void)name;
	take(&critical_lock);
}

void GOMP_critical_name_end(void **name)
{
	(void)name;
	give(&critical_lock);
}

/* Not needed by the searches and builds of main.cc. */
void GOMP_task(void)
{
	abort();
}

bool GOMP_loop_ull_ordered_dynamic_start(void)
{
	abort();
}

bool GOMP_loop_ull_ordered_dynamic_next(void)
{
	abort();
}
}
