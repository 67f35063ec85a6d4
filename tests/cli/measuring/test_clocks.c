/* test_clocks.c -- locked clocks are restored however the process ends, with a fake NVML. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <dlfcn.h>
#include <libgen.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/measuring/clocks.h"
#include "common/text.h"

static char path[] = "/tmp/gpubench-clocks-XXXXXX";

/* Load the library next to this program, under the name that nvml.c asks for. */
static void load(void)
{
	char program[4096], name[4200];
	const ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);

	cr_assert(gt(long, length, 0));
	program[length] = '\0';
	(void)snprintf(name, sizeof name, "%s/nvml.so", dirname(program));
	cr_assert(ne(ptr, dlopen(name, RTLD_NOW | RTLD_LOCAL), NULL), "%s", dlerror());
	(void)close(mkstemp(path));
	(void)setenv("NVML_LOG", path, 1);
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
	if (gb_clocks_lock(&clocks, "0000:01:00.0"))
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
	load();
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
		cr_expect(eq(str, (char *)said(), "lock ffff0001 ffff0001\nreset\n"), "way %d",
			  (int)way);
	}
}

Test(clocks, say_why_they_are_not_locked, .fini = clean_up)
{
	struct gb_clocks clocks;

	load();
	(void)setenv("NVML_REFUSES", "1", 1);
	gb_clocks_start(&clocks);
	cr_expect(eq(str, (char *)gb_clocks_lock(&clocks, "0000:01:00.0"),
		     "NVML: Insufficient Permissions"));
	gb_clocks_end(&clocks);
	(void)unsetenv("NVML_REFUSES");
	gb_clocks_start(&clocks);
	cr_expect(eq(str, (char *)gb_clocks_lock(&clocks, "0000:02:00.0"),
		     "NVML does not know this GPU"));
	gb_clocks_end(&clocks);
	gb_clocks_start(&clocks); /* nothing was to be locked */
	gb_clocks_end(&clocks);
	cr_expect(eq(str, (char *)said(), ""));
}
