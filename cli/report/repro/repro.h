/* repro.h -- a paper's table from results/papers/<paper>.json, filled with values measured here.
 *
 * published.c reads the table, measure_cells.c measures or finds records, fill.c fills the cells,
 * claims.c tests the paper's conclusions, and print_table.c and notes.c print.
 */
#ifndef GPUBENCH_CLI_REPORT_REPRO_REPRO_H
#define GPUBENCH_CLI_REPORT_REPRO_REPRO_H

#include <stdio.h>

#include "cli/measure/session.h"
#include "cli/records/json.h"
#include "cli/report/document.h"
#include "common/status.h"

/* The source of the measured values. */
struct gb_repro_source {
	struct gb_session *session;      /* NULL if nothing is measured */
	const struct gb_records *stored; /* searched if session is NULL */
	enum gb_preset preset;           /* selects the rows */
	const char *threads;             /* of the CPU's variants; NULL: each point's own */
	unsigned backends;               /* of --backend; 0: all */
};

/* A column of the paper, or of a variant that is measured beside it (results/papers/FORMAT.md).
 * Texts that the file omits are NULL. */
struct gb_repro_column {
	const char *name, *role, *unit, *param, *variant, *reason, *scope;
	bool is_key, is_text, is_count; /* is_count: integers, compared by their difference */
	bool is_shown_twice;  /* a row has a published value, and the values are measured here */
	bool is_published;    /* a row has a published value */
	const char *compared; /* title of the comparison: "paper/here"; NULL: ratios have none */
	const char *value;    /* path in a record */
	bool is_time;         /* the value is in ns */
	double scale;         /* factor from the value to the column's unit */
	const char *of[2];    /* dividend and divisor of a ratio */
	const cJSON *set;     /* parameters that override the table's; NULL if none */
};

struct gb_repro_cell {
	const char *text;               /* as printed, in a text column; NULL if none */
	double published;               /* as printed; NAN if not a number */
	char number[40];                /* its digits as printed; "" if none */
	const struct gb_record *record; /* NULL if nothing was measured */
	double here;                    /* in the column's unit; NAN if not measured */
	double low, high;               /* 95 % interval; NAN if none */
	const char *reason;             /* NULL if `here` is a number */
};

/* A published table and the values measured here.  The first `paper_columns` columns are the
 * paper's; the rest are the variants of `beside`, with value and unit of the column `beside_as`.
 * Cells are indexed by row * columns + column. */
struct gb_repro {
	const cJSON *paper, *table;
	size_t rows, columns, paper_columns;
	struct gb_repro_column *column;
	struct gb_repro_cell *cell;
	bool *taken;         /* per row: the preset includes it */
	bool stored;         /* values are from stored records */
	const char *threads; /* see gb_repro_source */
	unsigned backends;
};

/* Set up for a table of the paper.  Must be released also after a failure. */
enum gb_status gb_repro_init(struct gb_repro *repro, const cJSON *paper, const cJSON *table,
			     struct gb_error *err);
void gb_repro_release(struct gb_repro *repro);

/* True if the preset includes the row. */
bool gb_repro_takes(const struct gb_repro *t, size_t row, enum gb_preset preset);

/* Measure every row that the preset includes, or find its records among the stored ones, and fill
 * the cells. */
enum gb_status gb_repro_measure(struct gb_repro *repro, const struct gb_repro_source *source,
				struct gb_error *err);

/* Fill the cells from the records. */
void gb_repro_fill(struct gb_repro *t);

/* The cell as printed in the paper, text or number; NULL if it is empty. */
const char *gb_repro_printed(const struct gb_repro_cell *cell);

/* True if the list of numbers and texts contains the cell's published value. */
bool gb_repro_lists(const cJSON *list, const struct gb_repro_cell *cell);

/* The index of the column with the name, which may be NULL; repro->columns if there is none. */
size_t gb_repro_column(const struct gb_repro *repro, const char *name);

/* The row's cell in that column; NULL if there is none. */
struct gb_repro_cell *gb_repro_cell_of(const struct gb_repro *repro, size_t row, const char *name);

/* ---- claims ------------------------------------------------------------------------------- */

enum gb_claim_verdict {
	GB_CLAIM_HELD,
	GB_CLAIM_NOT_HELD,
	GB_CLAIM_UNDECIDED, /* the intervals do not tell */
	GB_CLAIM_UNTESTABLE,
	GB_CLAIM_VERDICTS,
};
extern const char *const gb_claim_words[];

struct gb_claim {
	const char *id, *text; /* point into the paper */
	enum gb_claim_verdict verdict;
	size_t tested, missing; /* rows */
	char reason[400];       /* "" if there is nothing to add */
};

/* Test a claim of the paper; false if it is about another table. */
bool gb_repro_claim(const struct gb_repro *repro, const cJSON *claim, struct gb_claim *result);

/* ---- totals over several tables ----------------------------------------------------------- */

/* Counts only cells of columns with a variant. */
struct gb_repro_sum {
	size_t tables, cells, measured, verdicts[GB_CLAIM_VERDICTS];
};

void gb_repro_add(struct gb_repro_sum *sum, const struct gb_repro *repro);

/* ---- output ------------------------------------------------------------------------------- */

/* Print the table and the notes below it; programs get its cells and claims. */
void gb_repro_print(struct gb_document *document, const struct gb_repro *t);
void gb_repro_notes(struct gb_document *document, const struct gb_repro *t);

/* Print only the claims, for people. */
void gb_repro_claims(struct gb_document *document, const struct gb_repro *repro);

/* Print the head of a paper, before its tables: the citation and the machines it used. */
void gb_repro_print_head(struct gb_document *document, const cJSON *paper);
/* Print the end of a paper, after its tables: notes, and fields that the paper does not state. */
void gb_repro_print_end(struct gb_document *document, const cJSON *paper);
/* Print the totals, after all papers; for people only if there are several tables. */
void gb_repro_print_sum(struct gb_document *document, const struct gb_repro_sum *sum);

#endif
