/* test_interrupt.c -- a signal ends work that does not look at it. */
#include "cli/measure/interrupt.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <omp.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cli/measure/making.h"
#include "common/status.h"
#include "common/timer.h"

static volatile int turns[4];

/* Works for ever, on two threads, and is interrupted by thread *self. */
static void work(void *self)
{
#pragma omp parallel num_threads(2)
	{
		const int thread = omp_get_thread_num();

		if (self && thread == *(int *)self)
			gb_interrupt();
		while (self)
			turns[2 * thread]++;
	}
}

static double seconds(void)
{
	return gb_now_ns() * 1e-9;
}

static void wait_s(double s)
{
	const struct timespec time = { .tv_nsec = (long)(s * 1e9) };

	(void)nanosleep(&time, NULL);
}

/* The work ends half a second after the signal, on whichever thread that comes; its other thread
 * stops; no other work begins. */
Test(leave, work_is_left_and_its_threads_stop, .timeout = 60)
{
	for (int thread = 0; thread < 2; thread++) {
		const pid_t child = fork();
		const double start_s = seconds();
		int status = 0, before;

		if (child) {
			(void)waitpid(child, &status, 0);
			cr_expect(eq(int, status, 0), "%d: %#x", thread, status);
			continue;
		}
		if (!gb_ends(work, NULL) || gb_was_left())
			_exit(1);
		if (gb_ends(work, &thread) || !gb_was_left() || seconds() - start_s < 0.45)
			_exit(2);
		before = turns[2];
		wait_s(0.05);
		if (turns[2] != before || before == 0)
			_exit(3);
		_exit(gb_ends(work, NULL) ? 4 : 0);
	}
}

/* The next steps have .3 s. */
Test(leave, the_next_steps_do_not_end_either, .exit_code = GB_EINTERRUPTED, .timeout = 60)
{
	static int thread;

	(void)gb_ends(work, &thread);
	for (;;)
		wait_s(0.1);
}

/* An alarm without work changes nothing; an earlier signal lets no work begin. */
Test(leave, a_signal_before_the_work, .timeout = 60)
{
	const double start_s = seconds();

	gb_interrupt();
	cr_expect(not(gb_ends(work, NULL)));
	while (seconds() - start_s < 0.6)
		wait_s(0.1);
	cr_expect(not(gb_was_left()));
	cr_expect(eq(int, gb_interrupted, 1));
}

static int made;

/* Parameter 0: an input; 1: none; else half of one, which takes for ever. */
static enum gb_status prepare(const void *params, void **input, struct gb_error *err)
{
	static int thread;
	const int *kind = params;

	*input = *kind == 1 ? NULL : &made;
	if (*kind > 1)
		work(&thread);
	return *kind ? gb_fail(err, GB_EUSAGE, "no such file") : GB_OK;
}

Test(leave, inputs, .timeout = 60)
{
	static const struct gb_workload workload = { .params_size = sizeof(int),
						     .prepare = prepare };
	static const enum gb_status status[] = { GB_OK, GB_EUSAGE, GB_EINTERRUPTED };
	static char *const words[] = { "", "no such file", "interrupted" };

	for (int kind = 0; kind < 3; kind++) {
		struct gb_error err = { 0 };
		void *input = &input;

		cr_expect(eq(int, (int)gb_make_input(&workload, &kind, &input, &err),
			     (int)status[kind]));
		cr_expect(eq(str, err.message, words[kind]));
		cr_expect(eq(ptr, input, kind ? NULL : &made));
		cr_expect(eq(int, gb_was_left(), kind == 2));
	}
}
