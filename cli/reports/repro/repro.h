/* repro.h -- a paper's table from results/papers/<paper>.json, filled with what was measured here.
 *
 * table.c holds it, set.c changes what is measured, measure.c measures or finds, fill.c fills, claims.c tests what the paper
 * concludes, sum.c counts, print.c and json.c print.
 */
#ifndef GPUBENCH_CLI_REPORTS_REPRO_REPRO_H
#define GPUBENCH_CLI_REPORTS_REPRO_REPRO_H

#include <stdio.h>

#include "cli/measuring/session.h"
#include "cli/records/json.h"
#include "cli/reports/grid/grid.h"
#include "common/status.h"

/* The 95 % interval in the cell's unit, NAN if there is none. */
struct gb_spread {
	double low, high;
};

/* Where the measured values come from. */
struct gb_repro_source {
	struct gb_session *session;      /* measures; NULL: nothing is measured */
	const struct gb_records *stored; /* then these are searched */
	enum gb_preset preset;           /* the rows to take */
	const char *meshes;              /* a folder of scripts/download-meshes.sh; NULL: none */
};

/* A published table and the same measured here.  Cells are row * columns + column. */
struct gb_repro {
	const cJSON *paper, *table;
	size_t rows, columns, besides;
	const struct gb_record **record;        /* cells; NULL: nothing was measured */
	const struct gb_record **beside_record; /* rows * besides */
	double *here;             /* cells, in the column's own unit; NAN: not measured */
	struct gb_spread *spread; /* cells */
	double *beside_here;      /* in the unit of gb_repro_beside_terms() */
	struct gb_spread *beside_spread;
	const char **reason; /* cells; NULL if here is a number */
	bool *taken;         /* rows: the preset takes it */
	bool stored;         /* nothing was measured: from stored records */
	const char *meshes;  /* as of gb_repro_source */
};

/* Give parameters of all points of a table another value than the table does: "NAME=VALUE", more of
 * them separated by commas.  GB_EUSAGE for what is no parameter of the workload, no value of it, or
 * what differs from row to row. */
enum gb_status gb_repro_set(cJSON *table, const struct gb_workload *workload, const char *words,
			    struct gb_error *err);

/* Set up for a table of the paper.  Release it also after a failure. */
enum gb_status gb_repro_init(struct gb_repro *repro, const cJSON *paper, const cJSON *table,
			     struct gb_error *err);
void gb_repro_release(struct gb_repro *repro);

/* Whether the preset takes the row. */
bool gb_repro_takes(const struct gb_repro *t, size_t row, enum gb_preset preset);

/* Measure every row that the preset takes, or find its records among the stored ones, and fill the
 * cells. */
enum gb_status gb_repro_measure(struct gb_repro *repro, const struct gb_repro_source *source,
				struct gb_error *err);
/* Fill the cells from the records. */
void gb_repro_fill(struct gb_repro *t);

/* The column's description; the cell as it is in the file. */
const cJSON *gb_repro_column_at(const struct gb_repro *t, size_t column);
const cJSON *gb_repro_cell_at(const struct gb_repro *t, size_t row, size_t column);

/* Row `row`, column `column` as published; NAN if no number is. */
double gb_repro_published(const struct gb_repro *repro, size_t row, size_t column);
/* The same of a column of type text; NULL if it is another, or none is. */
const char *gb_repro_text(const struct gb_repro *repro, size_t row, size_t column);
/* The cell with the digits it has in print, text or number; NULL if it is empty.  Returns `number` or
 * a string that belongs to the paper. */
const char *gb_repro_printed(const struct gb_repro *repro, size_t row, size_t column,
			     char number[40]);

/* The index of the column called name; repro->columns if there is none. */
size_t gb_repro_column(const struct gb_repro *repro, const char *name);

/* The name of variant `index` measured beside the paper's. */
const char *gb_repro_beside(const struct gb_repro *repro, size_t index);

/* The column whose value and unit those variants have: "beside_as" of the table, else the first that is
 * measured; NULL if none. */
const cJSON *gb_repro_beside_terms(const struct gb_repro *t);

/* Why the variant beside has no time in that row; NULL if it has one. */
const char *gb_repro_beside_reason(const struct gb_repro *repro, size_t row, size_t index);

/* ---- claims ------------------------------------------------------------------------------- */

enum gb_claim_verdict {
	GB_CLAIM_HELD,
	GB_CLAIM_NOT_HELD,
	GB_CLAIM_UNTESTABLE,
	GB_CLAIM_VERDICTS,
};
extern const char *const gb_claim_words[];

struct gb_claim {
	const char *id, *text; /* point into the paper */
	enum gb_claim_verdict verdict;
	size_t tested, missing; /* rows */
	char why[256];          /* "" if there is nothing to add */
};

/* Test a claim of the paper; false if it is about another table. */
bool gb_repro_claim(const struct gb_repro *repro, const cJSON *claim, struct gb_claim *result);

/* ---- what came of several tables ---------------------------------------------------------- */

/* Cells are those that a variant stands for. */
struct gb_repro_sum {
	size_t tables, cells, measured, verdicts[GB_CLAIM_VERDICTS];
	char *ids[GB_CLAIM_VERDICTS]; /* "a, b": which those are; owned */
	size_t reasons, room;
	struct {
		char *text; /* owned */
		size_t count;
	} * reason; /* why cells were left out */
};

enum gb_status gb_repro_add(struct gb_repro_sum *sum, const struct gb_repro *repro,
			    struct gb_error *err);
void gb_repro_sum_release(struct gb_repro_sum *sum);

/* ---- output ------------------------------------------------------------------------------- */

/* The table, and what stands below it; for HTML a part of a page, for LaTeX of a document. */
enum gb_status gb_repro_print(FILE *file, const struct gb_repro *t, enum gb_format markup,
			      struct gb_error *err);
void gb_repro_notes(FILE *file, const struct gb_repro *t, enum gb_format markup);

/* Before a paper's tables, in Markdown and HTML: what is cited, and where it was measured. */
void gb_repro_print_head(FILE *file, const cJSON *paper, enum gb_format markup);
/* After them: what the paper leaves unsaid. */
void gb_repro_print_end(FILE *file, const cJSON *paper, enum gb_format markup);
void gb_repro_print_sum(FILE *file, const struct gb_repro_sum *sum, enum gb_format markup);

/* The claims alone. */
void gb_repro_claims(FILE *file, const struct gb_repro *repro, enum gb_format markup);

/* The same as an object; NULL if memory ran out. */
cJSON *gb_repro_json(const struct gb_repro *t);
cJSON *gb_repro_sum_json(const struct gb_repro_sum *sum);

#endif
