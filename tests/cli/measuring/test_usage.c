/* test_usage.c -- CPU time of processes and threads, their waits, and threads that spin. */
#include "cli/measuring/usage.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <omp.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/text.h"
#include "common/timer.h"
#include "tests/cli/measuring/virtual_machine.h"
#include "tests/file_of.h"

/* A thread is busy if it has worked for more than half a millisecond, and for more than a twentieth
 * of the CPU time. */
Test(usage, busy_threads)
{
	static const struct {
		double before[3], after[3], cpu_ns;
		size_t busy;
	} row[] = {
		{ { 0, 0, 0 }, { 0.5e6, 0.5e6, 0.5e6 }, 0, 0 },
		{ { 0, 0, 0 }, { 0.51e6, 0.5e6, 0.51e6 }, 0, 2 },
		{ { 7e6, 7e6, 7e6 }, { 7.5e6, 8e6, 7.5e6 }, 0, 1 },
		{ { 0, 0, 0 }, { 0.99e6, 1e6, 1.01e6 }, 20e6, 1 },
		{ { 5e6, 6e6, 0 }, { 6.01e6, 7e6, 1.01e6 }, 20e6, 2 },
	};

	for (size_t i = 0; i < GB_COUNT(row); i++) {
		/* The first thread is not yet there, the others change places. */
		struct gb_usage before = { .count = 3 }, after = { .count = 3 };

		for (size_t k = 0; k < 3; k++) {
			before.of[2 - k].thread = row[i].before[k] > 0 ? 70 + (long)k : 60;
			before.of[2 - k].ns = row[i].before[k];
			after.of[k].thread = 70 + (long)k;
			after.of[k].ns = row[i].after[k];
		}
		cr_expect(eq(sz, gb_busy_threads(&before, &after, row[i].cpu_ns), row[i].busy),
			  "row %zu", i);
	}
}

/* ---- threads ------------------------------------------------------------------------------- */

static volatile bool spins;
static volatile long thread_id;

static void *wait_or_spin(void *ignored)
{
	thread_id = gettid();
	while (spins)
		;
	(void)pause();
	return ignored;
}

static void start_thread(void)
{
	pthread_t thread;

	cr_assert(zero(int, pthread_create(&thread, NULL, wait_or_spin, NULL)));
	while (!thread_id)
		(void)usleep(1000);
	(void)usleep(20000);
}

static const char *of_main, *of_thread; /* the text of their files; Criterion's has none */

static FILE *open_schedstat(const char *path)
{
	const long threads[] = { getpid(), thread_id };
	const char *const texts[] = { of_main, of_thread };
	FILE *file = NULL;
	char name[64];

	for (size_t i = 0; i < GB_COUNT(threads); i++) {
		(void)snprintf(name, sizeof name, "/task/%ld/schedstat", threads[i]);
		if (texts[i] && strstr(path, name))
			file = fmemopen((void *)(uintptr_t)texts[i], strlen(texts[i]), "r");
	}
	return file;
}

/* A file that cannot be read is left out. */
Test(usage, threads)
{
	static const struct {
		const char *of_main, *of_thread;
		size_t count;
		double ns, delay_ns; /* sums */
	} row[] = {
		{ "1000 200 7\n", "30000 4000 1\n", 2, 31000, 4200 },
		{ "1000 200 7\n", "30000\n", 1, 1000, 200 },
		{ NULL, "30000 4000 1\n", 1, 30000, 4000 },
		{ NULL, NULL, 0, 0, 0 },
	};
	static struct gb_usage usage;

	start_thread();
	for (size_t i = 0; i < GB_COUNT(row); i++) {
		const size_t files = open_files();
		double ns = 0, delay_ns, reading_ns;

		of_main = row[i].of_main;
		of_thread = row[i].of_thread;
		virtual_open = open_schedstat;
		reading_ns = gb_read_usage(&usage, i % 2 ? (int)getpid() : 0);
		cr_expect(reading_ns > 0 && reading_ns < 1e9);
		delay_ns = gb_delay_ns(0, &reading_ns);
		cr_expect(reading_ns > 0 && reading_ns < 1e9);
		virtual_open = NULL;
		cr_expect(eq(sz, open_files(), files));
		cr_expect(eq(sz, usage.count, row[i].count), "row %zu", i);
		for (size_t k = 0; k < usage.count; k++) {
			const bool is_main = usage.of[k].thread == getpid();

			cr_expect(is_main || usage.of[k].thread == thread_id);
			cr_expect(eq(dbl, usage.of[k].ns, is_main ? 1000 : 30000));
			ns += usage.of[k].ns;
		}
		cr_expect(eq(dbl, ns, row[i].ns));
		cr_expect(eq(dbl, delay_ns, row[i].delay_ns));
	}
}

static void *sleep_on(void *self)
{
	(void)pause();
	return self;
}

/* More threads than a reading has room for. */
Test(usage, many_threads)
{
	static struct {
		struct gb_usage usage;
		size_t behind;
	} s;
	pthread_attr_t small;

	(void)pthread_attr_init(&small);
	(void)pthread_attr_setstacksize(&small, 256 << 10);
	for (size_t i = 0; i < GB_COUNT(s.usage.of) + 9; i++) {
		pthread_t thread;

		cr_assert(zero(int, pthread_create(&thread, &small, sleep_on, NULL)));
	}
	(void)gb_read_usage(&s.usage, 0);
	cr_expect(eq(sz, s.usage.count, GB_COUNT(s.usage.of)));
	cr_expect(zero(sz, s.behind));
}

/* The answer is remembered, so each has a test. */
static void expect_spinning(bool expected)
{
	const size_t files = open_files();

	omp_set_num_threads(1);
	spins = expected;
	start_thread();
	cr_expect(eq(int, gb_threads_spin(), expected));
	cr_expect(eq(sz, open_files(), files));
}

Test(usage, a_thread_that_waits)
{
	expect_spinning(false);
}

Test(usage, a_thread_that_spins)
{
	expect_spinning(true);
}

/* ---- processes ----------------------------------------------------------------------------- */

/* Work until this process, or its thread, has used 20 ms. */
static void work(double (*used_ns)(void))
{
	const double start_ns = used_ns();

	while (used_ns() < start_ns + 20e6)
		;
}

static double own_ns(void)
{
	return gb_cpu_ns(0);
}

Test(usage, of_a_process)
{
	const double before_ns = gb_cpu_ns(0);
	static struct gb_usage usage;
	double start_ns;
	int pipes[2];
	char byte;
	pid_t child;

	cr_assert(zero(int, pipe(pipes)));
	child = fork();
	if (child == 0) {
		work(own_ns);
		work(gb_thread_ns);
		(void)!write(pipes[1], "", 1);
		for (;;)
			(void)pause();
	}
	cr_expect(eq(long, read(pipes[0], &byte, 1), 1));
	cr_expect(gb_cpu_ns((int)child) >= 40e6 && gb_cpu_ns((int)child) < 10e9);
	cr_expect(gb_cpu_ns(0) >= before_ns && gb_cpu_ns(0) < before_ns + 20e6);
	(void)gb_read_usage(&usage, (int)child);
	cr_expect(eq(sz, usage.count, 1));
	cr_expect(eq(long, usage.of[0].thread, child));
	cr_expect(usage.of[0].ns >= 40e6);
	/* a pause, in which the process sleeps */
	for (int is_peer = 0; is_peer < 2; is_peer++) {
		start_ns = gb_now_ns();
		cr_expect(lt(dbl, gb_sleep_ns((int)child, is_peer), 1e6));
		cr_expect(gb_now_ns() - start_ns >= (is_peer ? 7.5e6 : 6.3e6));
	}
	(void)kill(child, SIGKILL);
	(void)waitpid(child, NULL, 0);
}

/* The CPU time of a pause is that of threads at work. */
Test(usage, in_a_pause)
{
	double used_ns = 0;

	spins = true;
	start_thread();
	for (int i = 0; i < 1000 && used_ns < 5e6; i++)
		used_ns += gb_sleep_ns(0, false);
	cr_expect(ge(dbl, used_ns, 5e6));
	cr_expect(lt(dbl, used_ns, 1e9));
}
