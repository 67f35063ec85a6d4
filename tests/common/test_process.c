/* test_process.c -- programs that are started, end, and are interrupted. */
#include "common/process.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "common/status.h"

static volatile sig_atomic_t interrupted;

/* Run a command of sh; `words` is the message if it cannot be started. */
static int status_of(const char *program, char *command, int keep, const char *words)
{
	char *const argv[] = { "sh", "-c", command, NULL };
	struct gb_error err = { 0 };
	int status = -1;

	cr_expect(eq(int, (int)gb_process_run(program, argv, keep, 0, &interrupted, &status, &err),
		     words ? GB_ERUNTIME : GB_OK));
	cr_expect(eq(str, err.message, (char *)(words ? words : "")));
	return status;
}

Test(process, statuses_and_descriptors)
{
	const int file = memfd_create("kept", MFD_CLOEXEC);
	char command[64];

	cr_expect(zero(int, status_of("/bin/sh", "exit 0", 0, NULL)));
	cr_expect(eq(int, status_of("/bin/sh", "exit 3", 0, NULL), 3));
	cr_expect(eq(int, status_of("/bin/sh", "kill -9 $$", 0, NULL), 128 + 9));
	cr_expect(zero(int, status_of("/nonexistent", "exit 3", 0,
				      "cannot start /nonexistent: No such file or directory")));
	/* a descriptor is closed, unless it is kept */
	(void)snprintf(command, sizeof command, "test -e /proc/self/fd/%d", file);
	cr_expect(eq(int, status_of("/bin/sh", command, 0, NULL), 1));
	cr_expect(zero(int, status_of("/bin/sh", command, file, NULL)));
	cr_expect(zero(int, interrupted));
}

/* Run a command of sh that writes to `file` and never ends.  It sends SIGINT to this process. */
static void interrupt(const char *command, int file, char *text, size_t size)
{
	char all[256];
	ssize_t length;
	sigset_t set;

	(void)sigemptyset(&set);
	(void)sigaddset(&set, SIGINT);
	(void)sigprocmask(SIG_BLOCK, &set, NULL);
	(void)snprintf(all, sizeof all,
		       "exec >/proc/self/fd/%d; %s; kill -INT $PPID; while :; do sleep 0.05; done",
		       file, command);
	cr_expect(eq(int, status_of("/bin/sh", all, file, NULL), GB_EINTERRUPTED));
	cr_expect(eq(int, interrupted, 1));
	length = pread(file, text, size - 1, 0);
	text[length < 0 ? 0 : length] = '\0';
}

/* An interrupt is passed on as SIGTERM ... */
Test(process, an_interrupt_is_passed_on, .timeout = 600)
{
	char text[64];

	interrupt("trap 'echo ended; exit 3' TERM", memfd_create("output", MFD_CLOEXEC), text,
		  sizeof text);
	cr_expect(eq(str, text, "ended\n"));
}

/* ... then as SIGKILL. */
Test(process, a_program_that_goes_on_is_killed, .timeout = 600)
{
	char text[64];

	interrupt("trap 'echo told' TERM", memfd_create("output", MFD_CLOEXEC), text, sizeof text);
	cr_expect(eq(str, text, "told\n"));
}
