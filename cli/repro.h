/* repro.h -- a paper's table from results/papers/<paper>.json, filled with what was measured here.
 *
 * repro_measure.c measures and fills, repro_claims.c tests what the paper concludes, cmd_repro.c
 * prints.
 */
#ifndef GPUBENCH_CLI_REPRO_H
#define GPUBENCH_CLI_REPRO_H

#include <stdio.h>

#include "cli/json.h"
#include "cli/session.h"
#include "common/status.h"

/* A published table and the same measured here.  Cells are row * columns + column. */
struct gb_repro {
	const cJSON *paper, *table;
	size_t rows, columns, besides;
	const cJSON **record;        /* cells; NULL: nothing was measured */
	const cJSON **beside_record; /* rows * besides */
	double *here;                /* cells, in the column's own unit; NAN: not measured */
	const char **reason;         /* cells; NULL if here is a number */
};

/* Set up for a table of the paper.  Release it also after a failure. */
enum gb_status gb_repro_init(struct gb_repro *repro, const cJSON *paper, const cJSON *table,
			     struct gb_error *err);
void gb_repro_release(struct gb_repro *repro);

/* Measure every row that the preset takes, and fill `here` and `reason`. */
enum gb_status gb_repro_measure(struct gb_repro *repro, struct gb_session *session,
				enum gb_preset preset, struct gb_error *err);

/* Row `row`, column `column` as published; NAN if no number is. */
double gb_repro_published(const struct gb_repro *repro, size_t row, size_t column);
/* The same of a text; NULL if none is. */
const char *gb_repro_text(const struct gb_repro *repro, size_t row, size_t column);

/* The index of the column called name; repro->columns if there is none. */
size_t gb_repro_column(const struct gb_repro *repro, const char *name);

/* The name of variant `index` measured beside the paper's. */
const char *gb_repro_beside(const struct gb_repro *repro, size_t index);

/* The median time of a record in seconds; NAN if it has none, or it is an emulator's. */
double gb_repro_seconds(const cJSON *record);
/* Why there is no such time. */
const char *gb_repro_reason(const cJSON *record);

/* Print each claim of the table with "held", "not held" or "cannot be tested here" and why. */
void gb_repro_claims(FILE *file, const struct gb_repro *repro);

#endif
