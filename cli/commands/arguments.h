/* arguments.h -- a command's words and options, read by glibc's argp from a table of rows.
 *
 * The rows drive parsing, checks, help and completion alike.  A workload's own parameter rows may
 * join them; each of those takes a SPEC (sweep.h).
 */
#ifndef GPUBENCH_CLI_COMMANDS_ARGUMENTS_H
#define GPUBENCH_CLI_COMMANDS_ARGUMENTS_H

#include "cli/measuring/sweep.h"
#include "cli/workloads/value.h"

/* Rows that commands share, over a struct with which theirs begin. */
struct gb_rows {
	const char *heading; /* in the help */
	const struct gb_param *row;
	size_t count;
};

/* The row of --format, which has the same words (gb_formats) in every command that prints a report,
 * before those of the command's own. */
#define GB_FORMAT_ROW(at, words)                                                  \
	{                                                                         \
		.name = "format", .letter = 'f', .type = GB_CHOICE, .offset = at, \
		.initial = "table", .choices = words, .help = "what to print"     \
	}

struct gb_arguments {
	const char *words;   /* what the help calls the arguments: "FILE..." */
	const char *summary; /* one sentence */
	const struct gb_rows *const
		*shared; /* before the command's own; NULL terminated, or NULL */
	const struct gb_param *row;
	size_t row_count;
	void *target; /* the struct that the rows describe; zeroed, then filled */
	size_t target_size;
	const struct gb_workload *workload; /* NULL: no parameters */
	struct gb_sweep *sweep;             /* its parameters' values; initialised here */

	/* Results. */
	const char **word; /* the arguments that are no options; they point into argv */
	size_t word_count;
	bool done; /* --help or --version was answered */
};

/* Read argv; argv[0] is the command.  GB_EUSAGE with one line that names the option. */
enum gb_status gb_arguments_parse(struct gb_arguments *arguments, int argc, char **argv,
				  struct gb_error *err);
void gb_arguments_release(struct gb_arguments *arguments);

#endif
