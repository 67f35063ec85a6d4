/* report.cc -- errors of the program under test.
 *
 * An error is printed to stderr with kernel, block and thread.  It becomes the text of the launch
 * failure and makes the process exit with status 86, so a test fails even if it ignores results of
 * its calls.
 */
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "tests/cudart/runtime.h"

enum { MAX_REPORTS = 25 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int count;
static char first[512];

double now_s(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- errors ------------------------------------------------------------------------------ */

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
		fprintf(stderr, "ptx: ERROR: %s\n", text);
		executor_say_where();
	}
	pthread_mutex_unlock(&mutex);
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

static __attribute__((destructor)) void at_exit(void)
{
	memory_report_leaks();
	if (count) {
		fprintf(stderr, "ptx: %d error%s reported\n", count, count == 1 ? "" : "s");
		fflush(NULL);
		_exit(EXIT_ERRORS);
	}
}

/* ---- addresses --------------------------------------------------------------------------- */

static struct sigaction previous;

/* Print what is known, then let the fault take its default action. */
static void on_fault(int number, siginfo_t *info, void *context)
{
	uintptr_t begin;
	size_t bytes;

	(void)context;
	if (memory_find(info->si_addr, &begin, &bytes) == MEMORY_DEVICE) {
		report_error("host code touches device memory: address %p", info->si_addr);
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

	if (caught)
		return;
	caught = true;
	sigaltstack(&alternative, NULL);
	action.sa_sigaction = on_fault;
	action.sa_flags = SA_SIGINFO | SA_ONSTACK;
	sigaction(SIGSEGV, &action, &previous);
}
