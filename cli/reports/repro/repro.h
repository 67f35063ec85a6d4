/* repro.h -- a paper's table from results/papers/<paper>.json, filled with what was measured here.
 *
 * table.c holds it, set.c changes what is measured, measure.c measures or finds, fill.c fills, claims.c tests what the paper
 * concludes, sum.c counts, print.c and notes.c print.
 */
#ifndef GPUBENCH_CLI_REPORTS_REPRO_REPRO_H
#define GPUBENCH_CLI_REPORTS_REPRO_REPRO_H

#include <stdio.h>

#include "cli/measuring/session.h"
#include "cli/records/json.h"
#include "cli/reports/grid/sheet.h"
#include "common/status.h"

/* Where the measured values come from. */
struct gb_repro_source {
	struct gb_session *session;      /* measures; NULL: nothing is measured */
	const struct gb_records *stored; /* then these are searched */
	enum gb_preset preset;           /* the rows to take */
	const char *meshes;              /* a folder of scripts/download-meshes.sh; NULL: none */
};

/* A column of the paper's, or of a variant that is measured beside it (results/papers/FORMAT.md); texts
 * that the file leaves out are NULL. */
struct gb_repro_column {
	const char *name, *role, *unit, *param, *variant, *reason, *scope;
	bool is_text, is_count; /* whole numbers: compared by their difference */
	const char *value;      /* a path in a record */
	bool is_time;           /* nanoseconds stand there */
	double scale;           /* of that value, to the column's unit */
	const char *of[2];      /* a ratio: dividend and divisor */
	const cJSON *set;       /* parameters over the table's; NULL: none */
};

struct gb_repro_cell {
	const char *text; /* as printed, of a column of type text; NULL: it has none */
	double published; /* as printed; NAN: no number is */
	char number[40];  /* its digits; "": it has none */
	const struct gb_record *record; /* NULL: nothing was measured */
	double here;                    /* in the column's unit; NAN: not measured */
	double low, high;               /* its 95 % interval; NAN: it has none */
	const char *reason;             /* NULL if here is a number */
};

/* A published table and the same measured here.  The `paper_columns` are the paper's, those after them
 * the variants' of `beside`, with value and unit of the column beside_as.  Cells are row * columns +
 * column. */
struct gb_repro {
	const cJSON *paper, *table;
	size_t rows, columns, paper_columns;
	struct gb_repro_column *column;
	const char *beside_as;
	struct gb_repro_cell *cell;
	bool *taken;        /* rows: the preset takes it */
	bool stored;        /* nothing was measured: from stored records */
	const char *meshes; /* as of gb_repro_source */
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

/* The cell as it is in print, text or number; NULL if it is empty. */
const char *gb_repro_printed(const struct gb_repro_cell *cell);

/* True if the list of numbers and texts has what is printed in the cell. */
bool gb_repro_lists(const cJSON *list, const struct gb_repro_cell *cell);

/* The index of the column called name, which may be NULL; repro->columns if there is none. */
size_t gb_repro_column(const struct gb_repro *repro, const char *name);

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
	size_t reasons;
	struct {
		char *text; /* owned */
		size_t count;
	} * reason; /* why cells were left out */
};

enum gb_status gb_repro_add(struct gb_repro_sum *sum, const struct gb_repro *repro,
			    struct gb_error *err);
void gb_repro_sum_release(struct gb_repro_sum *sum);

/* ---- output ------------------------------------------------------------------------------- */

/* The table, and what stands below it; programs get its cells and claims. */
void gb_repro_print(struct gb_sheet *sheet, const struct gb_repro *t);
void gb_repro_notes(struct gb_sheet *sheet, const struct gb_repro *t);

/* The claims alone, for people. */
void gb_repro_claims(struct gb_sheet *sheet, const struct gb_repro *repro);

/* Before a paper's tables: what is cited, and where it was measured. */
void gb_repro_print_head(struct gb_sheet *sheet, const cJSON *paper);
/* After them: what the paper leaves unsaid. */
void gb_repro_print_end(struct gb_sheet *sheet, const cJSON *paper);
/* After all: people see it if there are several tables. */
void gb_repro_print_sum(struct gb_sheet *sheet, const struct gb_repro_sum *sum);

#endif
