/* arguments.h -- parses a command's words and options from a table of rows.
 *
 * The rows drive parsing, checks, help and completion.  The parameter rows of a benchmark may be
 * added; each of them takes a SPEC (sweep.h).
 */
#ifndef GPUBENCH_CLI_COMMANDS_ARGUMENTS_H
#define GPUBENCH_CLI_COMMANDS_ARGUMENTS_H

#include "cli/benchmarks/value.h"
#include "cli/measure/sweep.h"

enum { GB_MAX_OPTIONS = 128 }; /* of a command */

/* Rows shared by several commands, for a struct that each command's own struct begins with. */
struct gb_rows {
	unsigned commands;   /* bits of the commands that have them */
	const char *heading; /* in the help */
	const struct gb_param *row;
	size_t count;
};

/* The row of --format.  Commands that print a report list gb_formats first, then their own
 * words. */
#define GB_FORMAT_ROW(at, words)                                                  \
	{                                                                         \
		.name = "format", .letter = 'f', .type = GB_CHOICE, .offset = at, \
		.initial = "table", .choices = words, .help = "output format"     \
	}

/* A command's own default of a shared row. */
struct gb_default {
	const char *name;
	const char *value;
};

struct gb_arguments {
	const char *words;            /* the arguments as the help names them: "FILE..." */
	const char *summary;          /* one sentence */
	unsigned command;             /* its bit */
	const struct gb_rows *shared; /* of all commands; a count of 0 ends them; or NULL */
	const struct gb_param *row;
	size_t row_count;
	const struct gb_default *defaults; /* end with a NULL name; or NULL */
	void *target; /* the struct that the rows describe; zeroed, then filled in */
	size_t target_size;
	const struct gb_benchmark *benchmark; /* NULL: no parameters */
	struct gb_sweep *sweep;               /* values of its parameters; initialised here */
	struct gb_overrides *overrides; /* takes the parameters of all benchmarks; NULL: none */

	/* Results. */
	const char **word; /* the arguments that are not options; they point into argv */
	size_t word_count;
	const struct gb_param *given[GB_MAX_OPTIONS]; /* rows of the options given, each once */
	size_t given_count;
	bool done; /* --help or --version was answered */
};

/* Read argv; argv[0] is the command.  GB_EUSAGE, with a line that names the option, on an error. */
enum gb_status gb_arguments_parse(struct gb_arguments *arguments, int argc, char **argv,
				  struct gb_error *err);
void gb_arguments_release(struct gb_arguments *arguments);

#endif
