/* interrupt.c -- ends a program that does not come back from a variant or an input. */
#include "cli/measure/interrupt.h"

#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "common/text.h"
#include "common/timer.h"

static const double PATIENCE_NS = 0.5e9; /* from a signal to the end of the watched work */
static const double LONGEST_NS = 3600e9; /* between two looks */

/* Values of watch.until besides the time, in ns, at which the run under way hangs. */
enum { NOT_WATCHED = 0, ABANDONED = -1 };
static const int64_t FOR_EVER = INT64_MAX;

volatile sig_atomic_t gb_interrupted;

static struct {
	atomic_bool is_ready; /* `wake` can be used */
	sem_t wake;
	_Atomic int64_t until, hang_ns; /* hang_ns 0: never */
	void *work, *self;
	gb_abandon *abandon;
} watch;

void gb_interrupt(void)
{
	gb_interrupted = 1;
	if (watch.is_ready)
		(void)sem_post(&watch.wake);
}

void gb_on_abandon(gb_abandon *abandon, void *self)
{
	watch.abandon = abandon;
	watch.self = self;
}

int gb_say_the_end(enum gb_status status, struct gb_error *err)
{
	bool lost = ferror(stdout) != 0;

	errno = 0;
	lost = fclose(stdout) != 0 || lost;
	if (lost && gb_interrupted)
		status = GB_EINTERRUPTED;
	else if (lost && err->code == GB_OK)
		status = gb_fail(err, GB_EIO, "cannot write to standard output%s%s",
				 errno ? ": " : "", errno ? strerror(errno) : "");
	if (err->message[0]) {
		(void)fputs("gpubench: ", stderr);
		gb_text_print(stderr, err->message);
		(void)fputc('\n', stderr);
	}
	return status == GB_EMEMORY ? GB_ERUNTIME : (int)status;
}

/* Wait until then, at most LONGEST_NS, or for a signal. */
static void wait_until(double ns)
{
	const double end = fmin(ns, gb_now_ns() + LONGEST_NS);
	const struct timespec time = { .tv_sec = (time_t)(end / 1e9),
				       .tv_nsec = (long)fmod(end, 1e9) };

	(void)sem_clockwait(&watch.wake, CLOCK_MONOTONIC, &time);
}

static void abandon_work(void)
{
	struct gb_error err = { 0 };
	enum gb_status status;

	if (gb_interrupted)
		gb_fail(&err, GB_EINTERRUPTED, "interrupted");
	else
		gb_fail(&err, GB_ERUNTIME, "a run did not end within %g s (--hang)",
			(double)watch.hang_ns * 1e-9);
	status = watch.abandon ? watch.abandon(watch.self, watch.work, &err) : err.code;
	_exit(gb_say_the_end(status, &err));
}

/* The watching thread. */
static void *keep_watch(void *unused)
{
	double patience_ends = INFINITY;

	for (;;) {
		const double now = gb_now_ns(), hang_ns = (double)watch.hang_ns;
		int64_t until = watch.until;
		double end = until > NOT_WATCHED ? (double)until : (double)INFINITY;

		if (gb_interrupted)
			patience_ends = fmin(patience_ends, now + PATIENCE_NS);
		end = fmin(end, patience_ends);
		if (now >= end && until > NOT_WATCHED &&
		    atomic_compare_exchange_strong(&watch.until, &until, ABANDONED))
			abandon_work();
		/* A run that begins after this look has at least hang_ns. */
		wait_until(now >= end    ? now + PATIENCE_NS
			   : hang_ns > 0 ? fmin(end, now + hang_ns)
					 : end);
	}
	return unused;
}

/* Without the thread, for want of resources, a signal waits for the end of a run. */
static void start_watching(void)
{
	pthread_t thread;
	sigset_t all, before;

	(void)sem_init(&watch.wake, 0, 0);
	(void)sigfillset(&all);
	(void)pthread_sigmask(SIG_SETMASK, &all, &before);
	if (!pthread_create(&thread, NULL, keep_watch, NULL))
		(void)pthread_detach(thread);
	(void)pthread_sigmask(SIG_SETMASK, &before, NULL);
	watch.is_ready = true;
}

/* Set the time at which the run hangs.  Does not return if the work was abandoned. */
static void set_until(int64_t ns)
{
	if (atomic_exchange(&watch.until, ns) == ABANDONED)
		for (;;)
			(void)pause();
}

void gb_watch_begin(void *work, double hang_s)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	(void)pthread_once(&once, start_watching);
	watch.work = work;
	watch.hang_ns = (int64_t)(hang_s * 1e9);
	set_until(FOR_EVER);
	(void)sem_post(&watch.wake);
}

void gb_watch_run(bool begins)
{
	if (watch.until != NOT_WATCHED && watch.hang_ns)
		set_until(begins ? (int64_t)gb_now_ns() + watch.hang_ns : FOR_EVER);
}

void gb_watch_end(void)
{
	set_until(NOT_WATCHED);
}
