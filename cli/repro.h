/* repro.h -- a paper's table from results/papers/<paper>.json, filled with what was measured here.
 *
 * cmd_repro.c measures and prints, repro_claims.c tests what the paper concludes.
 */
#ifndef GPUBENCH_CLI_REPRO_H
#define GPUBENCH_CLI_REPRO_H

#include <stdio.h>

#include "cli/json.h"
#include "common/status.h"

enum { GB_MAX_BESIDE = 8 };

/* A published table and the same measured here.  here[row * columns + column] is in the column's
 * own unit; NAN: not measured (why, in reason). */
struct gb_repro {
	const cJSON *paper, *table;
	size_t rows, columns;
	double *here;
	const char **reason; /* rows * columns; NULL if here is a number */
};

/* Row `row`, column `column` as published; NAN if none is. */
double gb_repro_published(const struct gb_repro *repro, size_t row, size_t column);

/* The index of the column called name; repro->columns if there is none. */
size_t gb_repro_column(const struct gb_repro *repro, const char *name);

/* Print each claim of the table with "held", "not held" or "cannot be tested here" and why. */
void gb_repro_claims(FILE *file, const struct gb_repro *repro);

#endif
