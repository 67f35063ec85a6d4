/* help.h -- prints the help of a command: usage, summary, options, notes. */
#ifndef GPUBENCH_CLI_COMMANDS_HELP_H
#define GPUBENCH_CLI_COMMANDS_HELP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* An option, or the heading of those that follow. */
struct gb_help_option {
	const char *name;     /* NULL: a heading */
	char letter;          /* 0: none */
	const char *argument; /* NULL: takes no value */
	bool may_lack;        /* the value is optional */
	bool hidden;
	const char *text;
	int key; /* the caller's */
};

struct gb_help {
	const char *command, *words; /* "gpubench run", "[BENCHMARK...]" */
	const char *summary;
	struct gb_help_option *option; /* printing sorts those between two headings */
	size_t option_count;
	const char *end; /* lines after the options; NULL: none */
};

void gb_help_print(FILE *file, const struct gb_help *help);

/* Print the table of the file formats that the benchmarks read. */
void gb_help_files(FILE *file);

#endif
