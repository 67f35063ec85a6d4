/* main.c -- finds and runs the command: gpubench COMMAND [WORD...] [--OPTION...]
 *
 * gpubench benchmarks irregular GPU algorithms beside OpenMP baselines and verifies every result.
 * Every benchmark is a command, too.
 */
#include <errno.h>
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "build_info.h"
#include "cli/benchmarks/registry.h"
#include "cli/commands/commands.h"
#include "cli/commands/help.h"
#include "cli/commands/removed.h"
#include "cli/measure/interrupt.h"
#include "common/suggest.h"
#include "common/text.h"

static const struct {
	const char *name;
	enum gb_status (*run)(int argc, char **argv, struct gb_error *err);
	const char *summary;
	bool reads; /* only reads files and prints: a signal ends it at once */
} commands[] = {
	{ "run", gb_cmd_run, "all benchmarks at the sizes of a preset", false },
	{ "repro", gb_cmd_repro, "a paper's table: published, measured here, and its claims",
	  false },
	{ "check", gb_cmd_check, "every variant verified on small inputs, nothing timed", false },
	{ "report", gb_cmd_report, "a table, a page, csv or json from stored records", true },
	{ "compare", gb_cmd_compare, "two record files key by key, or machines side by side",
	  true },
	{ "ab", gb_cmd_ab, "two builds launched in turn, then compared", false },
	{ "list", gb_cmd_list, "benchmarks and variants", false },
	{ "env", gb_cmd_env, "this machine and build, as described in records", false },
};

static void print_usage(FILE *file)
{
	(void)fputs("usage: gpubench COMMAND [WORD...] [--OPTION...]\n\nBenchmarks:\n", file);
	for (size_t i = 0; i < gb_benchmark_count; i++)
		(void)fprintf(file, "  %-8s %s\n", gb_benchmarks[i]->name,
			      gb_benchmarks[i]->summary);
	(void)fputs("\nCommands:\n", file);
	for (size_t i = 0; i < GB_COUNT(commands); i++)
		(void)fprintf(file, "  %-8s %s\n", commands[i].name, commands[i].summary);
	(void)fputs("\n`gpubench help COMMAND` lists the options of a command or benchmark,\n"
		    "`gpubench help files` the formats of files that --file=PATH reads.\n"
		    "\nExit status: 0 all ok or skipped for a stated reason, 1 a result failed\n"
		    "verification or a comparison found something slower, 2 usage or unreadable "
		    "input,\n"
		    "3 no GPU where one was asked for, 4 a run failed, timed out or ran out of "
		    "memory,\n"
		    "5 output could not be written, 6 a comparison had too little to decide on,\n"
		    "130 interrupted.\n",
		    file);
}

static volatile sig_atomic_t only_reads;

/* True if the command measures nothing: it is one that reads, or repro --from=FILE. */
static bool is_reader(size_t command, int argc, char **argv)
{
	bool reads = commands[command].reads;

	for (int i = 1; i < argc; i++)
		reads |= strncmp(argv[i], "--from", strlen("--from")) == 0;
	return reads;
}

/* argv[0] is the command's or the benchmark's name. */
static enum gb_status run(int argc, char **argv, struct gb_error *err)
{
	const struct gb_benchmark *benchmark = gb_benchmark_find(argv[0]);
	struct gb_suggest suggestion = { .word = argv[0] };

	if (gb_equal(argv[0], "help"))
		return gb_fail(err, GB_EUSAGE, "help takes a command, a benchmark or `files`");
	if (gb_removed(argv[0], NULL, err))
		return err->code;
	if (benchmark)
		return gb_cmd_bench(benchmark, argc, argv, err);
	for (size_t i = 0; i < GB_COUNT(commands); i++) {
		if (gb_equal(argv[0], commands[i].name)) {
			only_reads = is_reader(i, argc, argv);
			return commands[i].run(argc, argv, err);
		}
		gb_suggest_offer(&suggestion, commands[i].name);
	}
	for (size_t i = 0; i < gb_benchmark_count; i++)
		gb_suggest_offer(&suggestion, gb_benchmarks[i]->name);
	gb_suggest_offer(&suggestion, "help");
	return gb_fail(err, GB_EUSAGE, "'%.80s' is not a gpubench command%s", argv[0],
		       gb_suggest_text(&suggestion, " (see gpubench --help)"));
}

/* `gpubench help [COMMAND|files]` */
static enum gb_status help(int argc, char **argv, struct gb_error *err)
{
	char option[] = "--help";
	char *words[] = { argc > 1 ? argv[1] : NULL, option, NULL };

	if (argc == 2 && gb_equal(argv[1], "files")) {
		gb_help_files(stdout);
		return GB_OK;
	}
	if (argc > 2)
		return gb_fail(err, GB_EUSAGE, "help takes one command or benchmark, not '%.80s'",
			       argv[2]);
	if (words[0] && !gb_equal(words[0], "--help") && !gb_equal(words[0], "-h"))
		return run(2, words, err);
	print_usage(stdout);
	return GB_OK;
}

static enum gb_status dispatch(int argc, char **argv, struct gb_error *err)
{
	const char *word = argc > 1 ? argv[1] : NULL;

	if (!word) {
		print_usage(stderr);
		return GB_EUSAGE;
	}
	if (gb_equal(word, "--help") || gb_equal(word, "-h") || gb_equal(word, "help"))
		return help(argc - 1, argv + 1, err);
	if (gb_equal(word, "--version") || gb_equal(word, "-V")) {
		if (argc > 2)
			return gb_fail(err, GB_EUSAGE, "%s takes no words", word);
		(void)puts("gpubench " GB_VERSION);
		return GB_OK;
	}
	return run(argc - 1, argv + 1, err);
}

/* The first Ctrl-C ends the sweep (interrupt.h); the second one ends the program.  A command that
 * only reads ends at the first one, because it leaves nothing half written. SA_RESTART is not set,
 * so that waiting for a file is interrupted. */
static void on_interrupt(int number)
{
	(void)number;
	if (only_reads)
		_exit(GB_EINTERRUPTED);
	gb_interrupt();
}

static bool finished; /* main() has returned */

/* libgomp ends the program with status 1, which means that a result was wrong, if it cannot create
 * its threads. */
static void explain_exit(void)
{
	if (finished)
		return;
	(void)fflush(stdout);
	(void)fputs("gpubench: the OpenMP library ended the program; if it cannot create its "
		    "threads, raise `ulimit -u` or lower OMP_NUM_THREADS\n",
		    stderr);
	_exit(GB_ERUNTIME);
}

static void handle_signals(void)
{
	struct sigaction action = { .sa_handler = on_interrupt, .sa_flags = (int)SA_RESETHAND };
	struct sigaction before;

	(void)sigaction(SIGINT, &action, NULL);
	(void)sigaction(SIGTERM, &action, NULL);
	/* Keep SIGHUP ignored under nohup(1). */
	if (!sigaction(SIGHUP, NULL, &before) && before.sa_handler != SIG_IGN)
		(void)sigaction(SIGHUP, &action, NULL);
	(void)signal(SIGPIPE, SIG_IGN);
	(void)signal(SIGXFSZ, SIG_IGN); /* exceeding the file size limit is a write error */
}

/* Limit how long a waiting GNU OpenMP thread spins before it sleeps.  On a machine that also runs
 * something else, spinning threads take cores from the threads they wait for, and a barrier costs a
 * time slice.  A short spin is enough for a quiet machine.  libgomp reads the variable before
 * main(), so the program executes itself once more.  Variables set by the user are left alone; the
 * record holds the variable. */
static void limit_spinning(char **argv)
{
	if (getenv("OMP_WAIT_POLICY") || getenv("GOMP_SPINCOUNT"))
		return;
	if (setenv("GOMP_SPINCOUNT", "2000", 1) == 0)
		(void)execv("/proc/self/exe", argv);
}

int main(int argc, char **argv)
{
	struct gb_error err = { 0 };
	enum gb_status status;
	int code;

	limit_spinning(argv);
	(void)setlocale(LC_CTYPE, "");
	handle_signals();
	(void)atexit(explain_exit);
	status = dispatch(argc, argv, &err);
	code = gb_say_the_end(status, &err);
	finished = true;
	return code;
}
