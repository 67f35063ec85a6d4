/* test_clocks.c -- locked clocks are restored however the process ends, with a fake NVML. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <dlfcn.h>
#include <libgen.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/measure/clocks.h"
#include "common/nvml.h"
#include "common/text.h"
#include "tests/planted/nvml.h"

static char path[] = "/tmp/gpubench-clocks-XXXXXX";

/* Load the library next to this program, under the name that nvml.c asks for. */
static struct nvml_planted *load(void)
{
	char program[4096], name[4200];
	const ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
	void *library;

	cr_assert(gt(long, length, 0));
	program[length] = '\0';
	(void)snprintf(name, sizeof name, "%s/nvml.so", dirname(program));
	library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
	cr_assert(ne(ptr, library, NULL), "%s", dlerror());
	(void)close(mkstemp(path));
	(void)setenv("NVML_LOG", path, 1);
	return dlsym(library, "nvml_planted");
}

static const char *said(void)
{
	static char text[256];
	FILE *file = fopen(path, "r");
	size_t length = 0;

	if (file) {
		length = fread(text, 1, sizeof text - 1, file);
		(void)fclose(file);
	}
	text[length] = '\0';
	return text;
}

static void clean_up(void)
{
	(void)remove(path);
}

/* A forked process does not call exit(): LeakSanitizer looks for the threads of its parent then. */
enum way { END, NO_CLEAN_UP, KILLED, TERMINATED, ABORTED };

/* Lock the clocks and end; a byte to `locked` says that they are locked. */
static _Noreturn void lock_and_end(enum way way, int locked)
{
	struct gb_clocks clocks;

	gb_clocks_start(&clocks);
	if (gb_clocks_lock(&clocks, "0000:01:00.0", GB_BASE_CLOCK))
		_exit(9);
	(void)!write(locked, "x", 1);
	switch (way) {
	case END:
		gb_clocks_end(&clocks);
		break;
	case NO_CLEAN_UP:
		_exit(0);
	case KILLED:
		(void)raise(SIGKILL);
		break;
	case TERMINATED:
		(void)kill(0, SIGTERM);
		break; /* the whole group */
	case ABORTED:
		(void)signal(SIGABRT, SIG_DFL);
		(void)raise(SIGABRT);
		break;
	}
	_exit(0);
}

Test(clocks, are_restored_on_every_end, .fini = clean_up)
{
	(void)load();
	for (enum way way = END; way <= ABORTED; way++) {
		int locked[2];
		char byte;
		pid_t child;

		(void)truncate(path, 0);
		cr_assert(zero(int, pipe(locked)));
		child = fork();
		if (child == 0) {
			(void)setpgid(0, 0);
			(void)close(locked[0]);
			lock_and_end(way, locked[1]);
		}
		(void)close(locked[1]);
		cr_expect(eq(long, read(locked[0], &byte, 1), 1), "way %d", (int)way);
		(void)close(locked[0]);
		(void)waitpid(child, NULL, 0);
		/* Only after gb_clocks_end() has the guard ended by now. */
		for (int i = 0; way != END && i < 500 && !strstr(said(), "reset"); i++)
			(void)usleep(10000);
		cr_expect(eq(str, (char *)said(), "lock ffffff01 ffffff01\nreset\n"), "way %d",
			  (int)way);
	}
}

Test(clocks, say_why_they_are_not_locked, .fini = clean_up)
{
	struct gb_clocks clocks;

	(void)load();
	(void)setenv("NVML_REFUSES", "1", 1);
	gb_clocks_start(&clocks);
	cr_expect(eq(str, (char *)gb_clocks_lock(&clocks, "0000:01:00.0", GB_BASE_CLOCK),
		     "NVML: Insufficient Permissions"));
	gb_clocks_end(&clocks);
	(void)unsetenv("NVML_REFUSES");
	gb_clocks_start(&clocks);
	cr_expect(eq(str, (char *)gb_clocks_lock(&clocks, "0000:02:00.0", 1500),
		     "NVML does not know this GPU"));
	gb_clocks_end(&clocks);
	(void)setenv("NVML_OLD", "1", 1);
	gb_clocks_start(&clocks);
	cr_expect(eq(str, (char *)gb_clocks_lock(&clocks, "0000:01:00.0", GB_MAX_CLOCK),
		     "NVML: Unknown Error"));
	(void)unsetenv("NVML_OLD");
	gb_clocks_end(&clocks);
	gb_clocks_start(&clocks); /* nothing was to be locked */
	gb_clocks_end(&clocks);
	cr_expect(eq(str, (char *)said(), ""));
}

/* The highest clock is a number for NVML, which would take its own word for it as a release. */
Test(clocks, are_those_asked_for, .fini = clean_up)
{
	static const unsigned mhz[] = { GB_BASE_CLOCK, GB_MAX_CLOCK, 1500 };
	struct gb_clocks clocks;

	(void)load();
	for (size_t i = 0; i < GB_COUNT(mhz); i++) {
		gb_clocks_start(&clocks);
		cr_expect(eq(ptr, (void *)gb_clocks_lock(&clocks, "0000:01:00.0", mhz[i]), NULL));
		gb_clocks_end(&clocks);
	}
	cr_expect(eq(str, (char *)said(),
		     "lock ffffff01 ffffff01\nreset\nlock 1980 1980\nreset\nlock 1500 1500\n"
		     "reset\n"));
}

static pid_t stopped;

static void go_on(int number)
{
	(void)number;
	(void)kill(stopped, SIGCONT);
}

/* Stop the guard until a signal interrupts the wait for it. */
static void stop(pid_t guard)
{
	const struct itimerval soon = { .it_value = { .tv_usec = 30000 } };
	struct sigaction action = { .sa_handler = go_on };
	int status;

	stopped = guard;
	(void)kill(guard, SIGSTOP);
	(void)waitpid(guard, &status, WUNTRACED);
	(void)sigaction(SIGALRM, &action, NULL);
	(void)setitimer(ITIMER_REAL, &soon, NULL);
}

Test(clocks, are_awaited_in_spite_of_signals, .fini = clean_up)
{
	struct gb_clocks clocks;

	(void)load();
	gb_clocks_start(&clocks);
	stop(clocks.guard);
	cr_expect(eq(ptr, (void *)gb_clocks_lock(&clocks, "0000:01:00.0", GB_BASE_CLOCK), NULL));
	(void)usleep(30000);
	cr_expect(eq(str, (char *)said(), "lock ffffff01 ffffff01\n"), "they stay locked");
	stop(clocks.guard);
	gb_clocks_end(&clocks);
	cr_expect(eq(str, (char *)said(), "lock ffffff01 ffffff01\nreset\n"));
	cr_expect(zero(int, clocks.guard));
}

Test(clocks, are_left_alone_without_a_guard)
{
	static const char refusal[] = "no process could be started that restores them";
	struct rlimit files, none = { 0 };
	struct gb_clocks clocks = { .guard = 7 };

	(void)getrlimit(RLIMIT_NOFILE, &files);
	none.rlim_max = files.rlim_max;
	cr_assert(zero(int, setrlimit(RLIMIT_NOFILE, &none)));
	gb_clocks_start(&clocks);
	(void)setrlimit(RLIMIT_NOFILE, &files);
	cr_expect(zero(int, clocks.guard));
	cr_expect(eq(str, (char *)gb_clocks_lock(&clocks, "0000:01:00.0", GB_BASE_CLOCK),
		     (char *)refusal));
	gb_clocks_end(&clocks);
	gb_clocks_start(&clocks);
	(void)kill(clocks.guard, SIGKILL);
	cr_expect(eq(str, (char *)gb_clocks_lock(&clocks, "0000:01:00.0", GB_BASE_CLOCK),
		     (char *)refusal));
	gb_clocks_end(&clocks);
}

/* A value that the library does not know is NAN, -1 or "". */
Test(clocks, a_gpu_that_no_library_knows)
{
	cr_expect(isnan(gb_nvml_throttled_ns("0000:99:00.0")));
}

Test(clocks, state_of_a_gpu, .fini = clean_up)
{
	struct nvml_planted *planted = load();

	planted->lowered_ns = 30;
	for (int k = 0; k < 3; k++) {
		const char *pci = k ? "0000:01:00.0" : "0000:02:00.0";
		const bool all = k == 2;
		struct gb_gpu_info info = { .ecc = false, .mig = 7, .power_limit_w = 7 };
		struct gb_gpu_state state;
		char version[32] = "x", small[5] = "x";

		planted->knows_all = all;
		gb_nvml_driver(version, sizeof version);
		cr_expect(eq(str, version, all ? "580.95.05" : ""));
		gb_nvml_driver(small, sizeof small);
		cr_expect(eq(str, small, ""));
		gb_nvml_settings(pci, &info);
		cr_expect(info.ecc == all && info.mig == (all ? 0 : -1));
		cr_expect(info.persistence == (all ? 1 : -1));
		cr_expect(epsilon_eq(dbl, info.power_limit_w, all ? 700 : 0, 1e-9));
		gb_nvml_state(pci, &state);
		cr_expect(k ? state.temperature_c == 50 && state.sm_clock_hz == 1980e6
			    : isnan(state.temperature_c) && isnan(state.sm_clock_hz));
		cr_expect(all ? fabs(state.power_w - 123.456) < 1e-9 : isnan(state.power_w));
		cr_expect(k ? fabs(state.energy_j - 4.75 - 0.25 * k) < 1e-9
			    : isnan(state.energy_j));
		cr_expect(eq(int, state.throttle_known, all));
		cr_expect(eq(u64, state.throttle, all ? 0x84 : 0));
		cr_expect(k ? state.throttled_ns == 37 : isnan(state.throttled_ns));
		cr_expect(k ? gb_nvml_throttled_ns(pci) == 37 : isnan(gb_nvml_throttled_ns(pci)));
	}
	cr_expect(isnan(gb_nvml_throttled_ns("")));
}
