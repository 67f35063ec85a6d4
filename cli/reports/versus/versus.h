/* versus.h -- compares the same measurements side by side, with one column per machine.
 *
 * There is a table for each benchmark and back end, because a record's machine is the device of its
 * back end: the GPU of a GPU variant, the CPU of a CPU variant.  A row is a key with cold or with
 * hot caches.  Columns may instead stand for hosts or numbers of threads; or for commits, compilers
 * or drivers, with a table for each machine.
 *
 * All launches of a column are pooled; each gives one value per row (launch.h).  The speed-up is
 * the time of the table's first column divided by that of the cell, as the Hodges-Lehmann ratio of
 * the launches (gb_ratio()).  With fewer than GB_LAUNCHES on a side it has no interval.  Only
 * verified times of real hardware count; a cell without one states the reason.
 */
#ifndef GPUBENCH_CLI_REPORTS_VERSUS_VERSUS_H
#define GPUBENCH_CLI_REPORTS_VERSUS_VERSUS_H

#include "cli/reports/verdict.h"
#include "cli/reports/versus/mixes.h"
#include "common/stats.h"

/* The property that a column stands for. */
enum gb_versus_by {
	GB_BY_MACHINE,
	GB_BY_COMMIT,
	GB_BY_HOST,
	GB_BY_COMPILER,
	GB_BY_DRIVER,
	GB_BY_THREADS
};
enum { GB_BYS = GB_BY_THREADS + 1 };

struct gb_versus_cell {
	bool has_time, has_record; /* the column has such a record in this row */
	/* faster, slower or unsure, by the interval of the speed-up; same in the first column and
	 * if that has no time.  Without a time, the reason. */
	enum gb_verdict_word verdict;
	const char *reason; /* why there is no time; NULL if unknown.  Points into the records */
	size_t launches;    /* launches that have a value */
	double ns;          /* median over the launches; NAN if there is no time */
	double rate;        /* items per second at that time; NAN if unknown */
	struct gb_ratio speed_up; /* over the first column; NAN in it, and if either has no time */
};

struct gb_versus_row {
	const char *key;             /* points into the records */
	bool hot;                    /* with hot caches */
	struct gb_versus_cell *cell; /* one per column of the table */
};

struct gb_versus_column {
	char *name;                       /* owned */
	const struct gb_machine *machine; /* machine of its first record */
};

struct gb_versus_table {
	const char *bench, *backend; /* point into the records */
	const char *machine;         /* machine of all columns; "" if there may be several */
	const struct gb_machine *on; /* machine of the first record */
	const char *unit;            /* unit of the items; NULL if there is none or several */
	bool mixed_caches;
	size_t column_count, row_count, mix_count;
	size_t *column; /* indices into gb_versus.column, in order of first appearance */
	struct gb_versus_row *row;
	struct gb_versus_mix *mix;
};

/* Start with `by` set and the rest zero. */
struct gb_versus {
	enum gb_versus_by by;

	/* Results: */
	size_t column_count, table_count, key_count;
	struct gb_versus_column *column; /* columns of all tables */
	char **key;                      /* keys without that property, owned */
	struct gb_versus_table *table;
	size_t left_out;  /* records that do not depend on that property */
	size_t speed_ups; /* cells that have a speed-up */
};

/* The geometric mean of a column's speed-ups and the number of rows it is over; NAN for no rows. */
struct gb_versus_mean {
	double speed_up;
	size_t rows;
};

/* Fill the results.  The records must outlive them.  GB_EUSAGE if there is no record to show.  Must
 * be released also after a failure. */
enum gb_status gb_versus_init(struct gb_versus *versus, const struct gb_records *records,
			      struct gb_error *err);
void gb_versus_release(struct gb_versus *versus);

/* The names on the command line and in the JSON, indexed by enum gb_versus_by, NULL terminated. */
extern const char *const gb_versus_bys[];

/* The key without the benchmark and back end, which the table's heading shows. */
const char *gb_versus_row_name(const struct gb_versus_table *table,
			       const struct gb_versus_row *row);

/* The mean over the rows with hot, or with cold, caches. */
struct gb_versus_mean gb_versus_mean_of(const struct gb_versus_table *table, size_t column,
					bool hot);

#endif
