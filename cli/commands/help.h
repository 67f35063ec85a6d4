/* help.h -- prints the help of a command: usage, summary, options, notes. */
#ifndef GPUBENCH_CLI_COMMANDS_HELP_H
#define GPUBENCH_CLI_COMMANDS_HELP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "common/benchmark.h"

/* The first groups of options: parameters of any benchmark, and those of the command's. */
enum { GB_HIDDEN, GB_SWEPT };

/* An option of a command. */
struct gb_option {
	const struct gb_param *row;
	const char *heading; /* of its group; NULL: none */
	const char *initial; /* the default; NULL: none */
	int group;           /* groups are printed in this order */
	bool given;
};

/* Sort options into the order of the help. */
void gb_help_sort(struct gb_option *option, size_t count);
void gb_help_print(FILE *file, const char *command, const char *words, const char *summary,
		   const struct gb_option *option, size_t count);

/* Print the table of the file formats that the benchmarks read. */
void gb_help_files(FILE *file);

#endif
