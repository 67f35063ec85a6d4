/* axes.h -- which parameters of a set of records vary, and which records are of one point.
 *
 * Works on `record` lines alone, so that a report of stored files shows what the run showed.
 */
#ifndef GPUBENCH_CLI_REPORTS_AXES_H
#define GPUBENCH_CLI_REPORTS_AXES_H

#include <stdint.h>

#include "cli/records/record.h"
#include "cli/reports/grid/grid.h"

enum { GB_MAX_AXES = 64, GB_VALUE_MAX = 64 };

struct gb_axis_seen {
	const char *name;
	const struct gb_member *value; /* of the first record that has it */
	size_t count;                  /* records that have it */
	bool varies;                   /* over the records; or one variant has it only sometimes */
};

struct gb_axes {
	size_t count; /* in the order of first appearance */
	struct gb_axis_seen axis[GB_MAX_AXES];
	size_t record_count;
};

/* The parameters of the records; those beyond GB_MAX_AXES are ignored. */
void gb_axes_find(struct gb_axes *axes, const struct gb_record *const *record, size_t count);

/* Whether all records have the parameter and it varies: then it distinguishes points.  (threads
 * does not: records of GPU variants lack it.) */
bool gb_axis_is_point(const struct gb_axes *axes, size_t axis);

/* Whether both records are of one point: equal in every parameter that distinguishes points, and
 * both measured with cold caches or both with hot ones. */
bool gb_same_point(const struct gb_axes *axes, const struct gb_record *a,
		   const struct gb_record *b);

/* The same for any two records of one point. */
uint64_t gb_point_hash(const struct gb_axes *axes, const struct gb_record *record);

/* The parameter as a column for people. */
struct gb_column gb_axis_column(const struct gb_axes *axes, size_t axis);

/* The parameter's value in the record, NULL if it has none. */
const struct gb_member *gb_axis_value(const struct gb_axes *axes, size_t axis,
				      const struct gb_record *record);

/* A parameter's value for a person: 1000000 is "1M", true is "yes".  Returns text or a string
 * that belongs to the value. */
const char *gb_axis_text(char text[GB_VALUE_MAX], const struct gb_member *value);

#endif
