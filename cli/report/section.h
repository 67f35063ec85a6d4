/* section.h -- the records of one benchmark, sorted by point, for a table, and the parameters that
 * vary over them. */
#ifndef GPUBENCH_CLI_REPORT_SECTION_H
#define GPUBENCH_CLI_REPORT_SECTION_H

#include "cli/report/document.h"
#include "cli/report/names.h"

enum { GB_MAX_AXES = 64, GB_VALUE_MAX = 64 };

struct gb_axis_seen {
	const char *name;
	struct gb_field_value value; /* in the first record that has it */
	size_t count;                /* number of records that have it */
	bool varies; /* several values, or given in only some records of a variant */
};

/* The parameters of records. */
struct gb_axes {
	size_t count; /* in order of first appearance */
	struct gb_axis_seen axis[GB_MAX_AXES];
	size_t record_count;
};

/* Everything that is printed. */
struct gb_report {
	struct gb_document *document;
	const struct gb_records *list;
	unsigned columns;              /* asked for: gb_columns_read() */
	struct gb_context_names names; /* of the runs */
};

/* A record that is not skipped. */
struct gb_row {
	const struct gb_record *record;
	size_t point;
};

struct gb_section {
	const struct gb_report *report;
	const char *bench;
	size_t count, row_count;
	const struct gb_record **record; /* `count` records, in list order */
	struct gb_row *row;              /* `row_count` rows, by point, then in list order */
	struct gb_axes axes;
	const char *unit;  /* unit of the items; NULL if there are several */
	bool mixed_caches; /* cold and hot caches both occur */
	bool hot_caches;   /* the measurements had hot caches, none cold ones */
	bool mixed_runs;   /* several runs occur */
};

/* Collect the records of the benchmark of record `first`, and mark them in `done` (one per record).
 * Must be released also after a failure. */
enum gb_status gb_section_init(struct gb_section *section, const struct gb_report *report,
			       size_t first, bool *done, struct gb_error *err);
void gb_section_release(struct gb_section *section);

/* True if the parameter distinguishes points: it varies and all records have it.  (threads does
 * not, since records of GPU variants lack it.) */
bool gb_axis_is_point(const struct gb_axes *axes, size_t axis);

/* Put a table column for each parameter that varies, and return their number. */
size_t gb_axes_columns(const struct gb_axes *axes, struct gb_column *column);

/* The parameter's value in the record; GB_VALUE_ABSENT if it has none. */
struct gb_field_value gb_axis_value(const struct gb_axes *axes, size_t axis,
				    const struct gb_record *record);

/* A parameter's value in readable form: 1000000 is "1M", true is "yes".  Returns text, or a string
 * that belongs to the value. */
const char *gb_axis_text(char text[GB_VALUE_MAX], struct gb_field_value value);

/* The time with the interval of the median.  False if there is no interval: low and high are then
 * the time. */
struct gb_span {
	double low, at, high;
};
bool gb_row_span(const struct gb_row *row, struct gb_span *span);

/* ---- what is printed of a section --------------------------------------------------------- */

/* Read the words of --columns, separated by commas; NULL: none.  GB_EUSAGE for an unknown one. */
enum gb_status gb_columns_read(const char *list, unsigned *set, struct gb_error *err);

/* Print the table of times.  True if a row is marked as the fastest at its point. */
bool gb_section_print_rows(const struct gb_section *section);

/* Print the table of exact counts if there are any: a row for each record and, if it ran several
 * kernels, a row for each kernel, similar to the summary page of a profiler. */
void gb_section_print_counts(const struct gb_section *section);

/* The kernel's name without return type, namespaces and parameters, abridged.  Returns text. */
enum { GB_KERNEL_TEXT = 54 };
char *gb_kernel_text(const char *kernel, char text[GB_KERNEL_TEXT]);

#endif
