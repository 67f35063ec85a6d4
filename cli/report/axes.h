/* axes.h -- finds the parameters that vary over a set of records, and the records of one point.
 *
 * Uses only `record` lines, so a report of a stored file shows the same as the run did.
 */
#ifndef GPUBENCH_CLI_REPORT_AXES_H
#define GPUBENCH_CLI_REPORT_AXES_H

#include "cli/records/record.h"
#include "cli/report/table.h"

enum { GB_MAX_AXES = 64, GB_VALUE_MAX = 64 };

struct gb_axis_seen {
	const char *name;
	const struct gb_member *value; /* in the first record that has it */
	size_t count;                  /* number of records that have it */
	bool varies; /* several values, or given in only some records of a variant */
};

struct gb_axes {
	size_t count; /* in order of first appearance */
	struct gb_axis_seen axis[GB_MAX_AXES];
	size_t record_count;
};

/* Find the parameters of the records; those beyond GB_MAX_AXES are ignored. */
void gb_axes_find(struct gb_axes *axes, const struct gb_record *const *record, size_t count);

/* True if the parameter distinguishes points: it varies and all records have it.  (threads does
 * not, since records of GPU variants lack it.) */
bool gb_axis_is_point(const struct gb_axes *axes, size_t axis);

/* The record's point, for free(): the same text if records agree in every parameter that
 * distinguishes points, and in the cache mode.  NULL if memory ran out. */
char *gb_point_text(const struct gb_axes *axes, const struct gb_record *record);

/* Put a table column for each parameter that varies, and return their number. */
size_t gb_axes_columns(const struct gb_axes *axes, struct gb_column *column);

/* The parameter's value in the record; NULL if it has none. */
const struct gb_member *gb_axis_value(const struct gb_axes *axes, size_t axis,
				      const struct gb_record *record);

/* A parameter's value in readable form: 1000000 is "1M", true is "yes".  Returns text, or a string
 * that belongs to the value. */
const char *gb_axis_text(char text[GB_VALUE_MAX], const struct gb_member *value);

#endif
