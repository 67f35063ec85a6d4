/* versus.h -- machines side by side: the same measurements, one column for each machine.
 *
 * A table for each benchmark and back end, since a record's machine is what its back end ran on:
 * the GPU of a GPU variant, the CPU of a CPU variant.  A row is a key with cold, or with hot, caches.
 * Columns may also stand for hosts; or for commits, compilers or drivers, with a table for each
 * machine.
 *
 * All launches of a column are pooled; each gives one value per row (launch.h).  The speed-up is
 * the time of the table's first column over that of the cell, by the Hodges-Lehmann ratio of the
 * launches (gb_ratio()); with fewer than GB_LAUNCHES on a side it has no interval.  Only verified
 * times of real hardware count; a cell without one says why.
 */
#ifndef GPUBENCH_CLI_REPORTS_VERSUS_VERSUS_H
#define GPUBENCH_CLI_REPORTS_VERSUS_VERSUS_H

#include "cli/reports/verdict.h"
#include "cli/reports/versus/mixes.h"
#include "common/stats.h"

/* What a column stands for. */
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
	bool has_time, has_record; /* of the column in this row */
	/* A time beside the first column's is faster, slower or unsure by the interval of the
	 * speed-up; same in the first column and where that has none.  Else why there is no time. */
	enum gb_verdict_word verdict;
	const char *reason; /* why there is no time; NULL: not told.  Points into the records */
	size_t launches;    /* that have a value */
	double ns;          /* median over the launches; NAN: no time */
	double rate;        /* items per second at that time; NAN: unknown */
	struct gb_ratio
		speed_up; /* over the first column; NAN in it and where either has no time */
};

struct gb_versus_row {
	const char *key;             /* points into the records */
	bool hot;                    /* caches */
	struct gb_versus_cell *cell; /* one per column of the table */
};

struct gb_versus_column {
	char *name;                       /* owned */
	const struct gb_machine *machine; /* of its first record */
};

struct gb_versus_table {
	const char *bench, *backend; /* point into the records */
	const char *machine;         /* of all columns; "": they are, or may be, of several */
	const struct gb_machine *on; /* of the first record */
	const char *unit;            /* of the items; NULL: none, or several */
	bool mixed_caches;
	size_t column_count, row_count, mix_count;
	size_t *column; /* indices into the whole's columns, in the order of first appearance */
	struct gb_versus_row *row;
	struct gb_versus_mix *mix;
};

/* Start with how to compare, the rest zero. */
struct gb_versus {
	enum gb_versus_by by;

	/* Results: */
	size_t column_count, table_count, key_count;
	struct gb_versus_column *column; /* of all tables */
	char **key;                      /* keys without what columns stand for, owned */
	struct gb_versus_table *table;
	size_t left_out;  /* records that do not depend on what columns stand for */
	size_t speed_ups; /* cells that have one */
};

/* The geometric mean of a column's speed-ups, and over how many rows; NAN over none. */
struct gb_versus_mean {
	double speed_up;
	size_t rows;
};

/* Fill the results.  The records must outlive them.  GB_EUSAGE if there is no record to show;
 * release it also after a failure. */
enum gb_status gb_versus_init(struct gb_versus *versus, const struct gb_records *records,
			      struct gb_error *err);
void gb_versus_release(struct gb_versus *versus);

/* The words of the command line and of the JSON, by enum gb_versus_by; NULL terminated. */
extern const char *const gb_versus_bys[];

/* The key without benchmark and back end, which the table has in its head. */
const char *gb_versus_row_name(const struct gb_versus_table *table,
			       const struct gb_versus_row *row);

/* Over the rows with hot, or with cold, caches. */
struct gb_versus_mean gb_versus_mean_of(const struct gb_versus_table *table, size_t column,
					bool hot);

#endif
