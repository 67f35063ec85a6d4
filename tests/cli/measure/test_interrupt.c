/* test_interrupt.c -- work that does not come back is abandoned: after a signal, or when it
 * hangs. */
#include "cli/measure/interrupt.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <omp.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static volatile int goes_on = 1;
static int work, self;

/* The exit status shows the arguments of the abandonment. */
static enum gb_status abandon(void *given, void *abandoned, struct gb_error *err)
{
	if (given != &self || abandoned != &work ||
	    !strstr(err->message, "hang") == (err->code != 130))
		_exit(99);
	return err->code;
}

/* Work for ever on two threads; thread `signalled`, if it is one, interrupts the program. */
static void spin(int signalled)
{
#pragma omp parallel num_threads(2)
	{
		if (omp_get_thread_num() == signalled)
			gb_interrupt();
		while (goes_on)
			;
	}
}

static int status_of(void (*child)(void))
{
	const pid_t pid = fork();
	int status = 0;

	if (pid == 0) {
		gb_on_abandon(abandon, &self);
		child();
		_exit(0);
	}
	(void)waitpid(pid, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + status;
}

static void interrupted_by_itself(void)
{
	gb_watch_begin(&work, 0);
	spin(0);
}

static void interrupted_by_another_thread(void)
{
	gb_watch_begin(&work, 600);
	spin(1);
}

static void interrupted_before(void)
{
	gb_interrupt();
	gb_watch_begin(&work, 0);
	spin(-1);
}

static void hangs(void)
{
	gb_watch_begin(&work, 0.1);
	gb_watch_run(true);
	spin(-1);
}

/* Between its runs nothing hangs, and a later measurement may have another limit. */
static void hangs_later(void)
{
	for (int i = 0; i < 1000; i++) {
		gb_watch_begin(&self, 1000);
		gb_watch_run(true);
		gb_watch_run(false);
		gb_watch_end();
	}
	gb_watch_run(true);
	gb_watch_begin(&work, 0.2);
	gb_watch_run(true);
	spin(-1);
}

static void ends(void)
{
	gb_watch_begin(&work, 1000);
	gb_watch_run(true);
	gb_watch_run(false);
	gb_watch_end();
}

/* A signal outside of work that is watched only sets the flag. */
static void interrupted_without_work(void)
{
	const struct timespec more_than_patience = { .tv_nsec = 700000000 };

	ends();
	gb_interrupt();
	(void)nanosleep(&more_than_patience, NULL);
	_exit(gb_interrupted ? 7 : 8);
}

Test(interrupt, abandons_work, .timeout = 600)
{
	static const struct {
		void (*child)(void);
		int status;
	} row[] = {
		{ interrupted_by_itself, GB_EINTERRUPTED },
		{ interrupted_by_another_thread, GB_EINTERRUPTED },
		{ interrupted_before, GB_EINTERRUPTED },
		{ hangs, GB_ERUNTIME },
		{ hangs_later, GB_ERUNTIME },
		{ ends, 0 },
		{ interrupted_without_work, 7 },
	};

	for (size_t i = 0; i < sizeof row / sizeof *row; i++)
		cr_expect(eq(int, status_of(row[i].child), row[i].status), "row %zu", i);
}

/* Abandoned work does not go on while its record is written. */
static enum gb_status slow(void *given, void *abandoned, struct gb_error *err)
{
	const struct timespec time = { .tv_nsec = 300000000 };

	goes_on = 0;
	(void)nanosleep(&time, NULL);
	return err->code;
}

static void comes_back_late(void)
{
	gb_on_abandon(slow, NULL);
	gb_watch_begin(&work, 0.1);
	gb_watch_run(true);
	spin(-1);
	gb_watch_run(false);
	_exit(9);
}

Test(interrupt, abandoned_work_does_not_come_back, .timeout = 600)
{
	cr_expect(eq(int, status_of(comes_back_late), GB_ERUNTIME));
}
