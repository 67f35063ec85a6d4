/* test_launches.c -- programs that are started, and what a launch reads from its environment. */
#include "cli/measure/launches.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <unistd.h>

#include "cli/measure/interrupt.h"
#include "common/text.h"

static void expect_contents(int file, const char *wanted)
{
	char text[64];
	const ssize_t length = pread(file, text, sizeof text - 1, 0);

	text[length < 0 ? 0 : length] = '\0';
	cr_expect(eq(str, text, (char *)wanted));
}

/* Run a command of sh; `words` is the message if it cannot be started. */
static int status_of(const char *program, char *command, int keep, const int *output,
		     const char *words)
{
	char *const argv[] = { "sh", "-c", command, NULL };
	struct gb_error err = { 0 };
	int status = -1;

	cr_expect(eq(int, (int)gb_launch(program, argv, keep, output, &status, &err),
		     words ? GB_ERUNTIME : GB_OK));
	cr_expect(eq(str, err.message, (char *)(words ? words : "")));
	return status;
}

Test(launches, programs)
{
	const int file = memfd_create("output", MFD_CLOEXEC);
	const int error = memfd_create("error", MFD_CLOEXEC);
	const int both[] = { file, error };
	char command[64];

	cr_expect(zero(int, status_of("/bin/sh", "exit 0", 0, NULL, NULL)));
	cr_expect(eq(int, status_of("/bin/sh", "exit 3", 0, NULL, NULL), 3));
	cr_expect(eq(int, status_of("/bin/sh", "kill -9 $$", 0, NULL, NULL), 128 + 9));
	cr_expect(zero(int, status_of("/nonexistent", "exit 3", 0, NULL,
				      "cannot start /nonexistent: No such file or directory")));
	cr_expect(zero(int, status_of("/bin/sh", "echo out; echo err >&2", 0, both, NULL)));
	expect_contents(file, "out\n");
	expect_contents(error, "err\n");
	/* a descriptor is closed, unless it is kept */
	(void)snprintf(command, sizeof command, "test -e /proc/self/fd/%d", file);
	cr_expect(eq(int, status_of("/bin/sh", command, 0, NULL, NULL), 1));
	cr_expect(zero(int, status_of("/bin/sh", command, file, NULL, NULL)));
}

static void note(int number)
{
	(void)number;
}

/* Run a command of sh, with its output in `file`, and interrupt this process meanwhile. */
static void interrupt(char *command, int file)
{
	const struct itimerval soon = { .it_value = { .tv_usec = 30000 } };
	const struct sigaction action = { .sa_handler = note };
	const int both[] = { file, file };
	const pid_t parent = getpid();
	sigset_t interrupt;

	(void)sigemptyset(&interrupt);
	(void)sigaddset(&interrupt, SIGINT);
	(void)sigprocmask(SIG_BLOCK, &interrupt, NULL);
	(void)sigaction(SIGALRM, &action, NULL);
	(void)setitimer(ITIMER_REAL, &soon, NULL);
	if (fork() == 0) {
		(void)usleep(90000);
		(void)kill(parent, SIGINT);
		_exit(0);
	}
	cr_expect(eq(int, status_of("/bin/sh", command, 0, both, NULL), GB_EINTERRUPTED));
	cr_expect(eq(int, gb_interrupted, 1));
}

/* An interrupt is passed on as SIGTERM.  Other signals are ignored. */
Test(launches, an_interrupt_is_passed_on)
{
	static char command[] = "trap 'echo ended; exit 3' TERM; while :; do sleep 0.01; done";
	const int file = memfd_create("output", MFD_CLOEXEC);

	interrupt(command, file);
	expect_contents(file, "ended\n");
}

/* ... then, within 7 s, as SIGKILL.  The program prints a line each 0.1 s, fewer on a busy machine,
 * and "told". */
Test(launches, a_program_that_goes_on_is_killed)
{
	static char command[] = "trap 'echo told' TERM; while :; do sleep 0.1; echo; done";
	const int file = memfd_create("output", MFD_CLOEXEC);
	char text[200] = { 0 };
	ssize_t length;

	interrupt(command, file);
	length = pread(file, text, sizeof text - 1, 0);
	cr_expect(strstr(text, "told\n") != NULL, "%s", text);
	cr_expect(length > 5 && length < 5 + 75, "%zd", length);
}

Test(launches, role_of_a_child)
{
	static const struct {
		const char *variable;
		bool is_launch, is_known;
		int file;
		const char *path;
		int64_t launch, device;
		bool shared;
		int64_t resume, resumed, overwrite; /* resumed: if --resume was given */
	} row[] = {
		{ NULL, false, false, 0, NULL, 0, 0, false, 0, 0, 0 },
		{ "", false, false, 0, NULL, 0, 0, false, 0, 0, 0 },
		{ "0:0:0:0", false, false, 0, NULL, 0, 0, false, 0, 0, 0 },
		{ "0:0:0", false, false, 0, NULL, 0, 0, false, 0, 0, 0 },
		{ "x:0:0:4:a", false, false, 0, NULL, 0, 0, false, 0, 0, 0 },
		{ "0:0:0:4:a.jsonl", true, true, 4, "a.jsonl", 0, 0, false, GB_RESUME_NOT,
		  GB_RESUME_SAME, 1 },
		{ "3:1:0:7:/a:b", true, true, 7, "/a:b", 3, 1, false, GB_RESUME_ANY, GB_RESUME_ANY,
		  0 },
		{ "1:0:1:7:c", true, true, 7, "c", 1, 0, true, GB_RESUME_ANY, GB_RESUME_ANY, 0 },
		{ "-1:2:1:5:d", false, true, 5, "d", 0, 2, true, GB_RESUME_NOT, GB_RESUME_ANY, 0 },
	};

	for (size_t i = 0; i < 2 * GB_COUNT(row); i++) {
		const size_t k = i / 2;
		struct gb_request r = {
			.target = { .overwrite = 1,
				    .resume = i % 2 ? GB_RESUME_SAME : GB_RESUME_NOT },
			.repeats = { .runs = 9, .all_devices = true },
		};

		if (row[k].variable)
			(void)setenv("GPUBENCH_LAUNCH", row[k].variable, 1);
		else
			(void)unsetenv("GPUBENCH_LAUNCH");
		cr_expect(eq(int, gb_is_launch(&r), row[k].is_launch), "row %zu", k);
		cr_expect(eq(i64, r.repeats.runs, row[k].is_launch ? 1 : 9), "row %zu", k);
		cr_expect(eq(int, r.repeats.all_devices, !row[k].is_known), "row %zu", k);
		cr_expect(eq(i64, r.quiet, row[k].is_known), "row %zu", k);
		if (!row[k].is_known)
			continue;
		cr_expect(eq(int, r.target.file, row[k].file));
		cr_expect(eq(str, (char *)r.target.path, (char *)row[k].path));
		cr_expect(eq(i64, r.repeats.launch, row[k].launch));
		cr_expect(eq(i64, r.how.device, row[k].device));
		cr_expect(eq(int, r.target.shared, row[k].shared));
		cr_expect(eq(i64, r.target.resume, i % 2 ? row[k].resumed : row[k].resume),
			  "row %zu", k);
		cr_expect(eq(i64, r.target.overwrite, row[k].overwrite));
	}
}

Test(launches, are_wanted)
{
	static const struct {
		int64_t runs;
		bool all_devices, wanted;
	} row[] = {
		{ 0, false, false }, { 1, false, false }, { 2, false, true }, { 1, true, true }
	};

	for (size_t i = 0; i < GB_COUNT(row); i++) {
		const struct gb_request r = { .repeats = { .runs = row[i].runs,
							   .all_devices = row[i].all_devices } };

		cr_expect(eq(int, gb_wants_launches(&r), row[i].wanted));
	}
}
