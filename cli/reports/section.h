/* section.h -- the records of one benchmark, as a table shows them: sorted by point. */
#ifndef GPUBENCH_CLI_REPORTS_SECTION_H
#define GPUBENCH_CLI_REPORTS_SECTION_H

#include "cli/reports/axes.h"
#include "cli/reports/grid/sheet.h"
#include "cli/reports/names.h"

/* The whole that is printed. */
struct gb_table {
	struct gb_sheet *sheet;
	const struct gb_records *list;
	bool counts; /* tables of exact counts below those of times; a page always has them */
	struct gb_run_names runs;
};

/* A record that was run: all but the skipped ones. */
struct gb_row {
	const struct gb_record *record;
	size_t point, order;
};

struct gb_section {
	const struct gb_table *table;
	const char *bench;
	size_t count, row_count;
	const struct gb_record **record; /* count, as they come */
	struct gb_row *row;              /* row_count, by point and then as they come */
	struct gb_axes axes;
	const char *unit;  /* of the items; NULL: several */
	bool mixed_caches; /* some were measured with cold caches and some with hot ones */
	bool mixed_runs;   /* some are of one run and some of another */
};

/* Collect the records of the bench of line `first`, and mark them in done (one per line).
 * Release it also after a failure. */
enum gb_status gb_section_init(struct gb_section *section, const struct gb_table *table,
			       size_t first, bool *done, struct gb_error *err);
void gb_section_release(struct gb_section *section);

/* The time of a row, ns: the median, if it is one of real hardware; else NAN. */
double gb_row_time(const struct gb_row *row);

/* The time with the interval of the median; false if it has none: low and high are the time. */
bool gb_row_span(const struct gb_row *row, struct gb_span *span);

/* The rows from `first` on that are of its point: how many; *best is the one that is faster than each
 * other one by the interval of their ratio (launch.h), by the factor *by over the next one; row_count
 * if there is none. */
size_t gb_section_point(const struct gb_section *section, size_t first, size_t *best, double *by);

#endif
