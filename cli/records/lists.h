/* lists.h -- what the members of a record hold: values, series of times, and lists of numbers, of
 * texts and of named values.
 *
 * An absent member is the empty value of its type: NULL, NAN, GB_UNKNOWN or an empty list.
 */
#ifndef GPUBENCH_CLI_RECORDS_LISTS_H
#define GPUBENCH_CLI_RECORDS_LISTS_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>

#include "common/stats.h"
#include "common/status.h"

enum gb_flag { GB_UNKNOWN, GB_NO, GB_YES };

/* The value of any field, for printing and comparison. */
enum gb_value_kind {
	GB_VALUE_ABSENT,
	GB_VALUE_NUMBER,
	GB_VALUE_TEXT,
	GB_VALUE_FLAG,
};
struct gb_field_value {
	enum gb_value_kind kind;
	double number; /* 0 or 1 for a flag */
	const char *text;
};

/* A parameter, a metric or an environment variable. */
struct gb_member {
	const char *name;
	struct gb_field_value value;
};

struct gb_members {
	size_t count;
	struct gb_member *item; /* owned */
};

/* A series of values in ns.  The median and its interval are the stored ones, NAN if absent;
 * gb_times_summary() computes the rest. */
struct gb_times {
	const char *clock;
	size_t count;   /* samples */
	double *sample; /* owned */
	double median, ci_low, ci_high;
};

/* An empty series. */
extern const struct gb_times gb_no_times;

struct gb_named_times {
	const char *name;
	struct gb_times time;
};

struct gb_phases {
	size_t count;
	struct gb_named_times *item; /* owned */
};

struct gb_numbers {
	size_t count;
	double *value; /* owned; NAN is null in the file: only some of the values are known */
};

struct gb_texts {
	size_t count;
	const char **text; /* the array is owned */
};

/* Append an element of that size to an array of `*count`: `list` points to the pointer to it, NULL at
 * first, which then has room for 8, 16, 32 ...  Return the element, not set; NULL, with the array as
 * it was, if memory ran out. */
void *gb_add_item(void *list, size_t *count, size_t size);

/* NAN unless the value is positive: 0 stands for unknown where the values come from. */
static inline double gb_positive(double value)
{
	return value > 0 ? value : (double)NAN;
}

/* Format the value as text, "none" if it is absent.  Returns text. */
const char *gb_value_words(struct gb_field_value value, char *text, size_t size);
bool gb_values_equal(struct gb_field_value a, struct gb_field_value b);

/* The value of the member of that name; GB_VALUE_ABSENT if there is none. */
struct gb_field_value gb_member_value(const struct gb_members *members, const char *name);
/* NAN if there is no number of that name. */
double gb_member_number(const struct gb_members *members, const char *name);
/* Append a copy of the member; one without a value is ignored.  Its texts must outlive the list.
 * False if memory ran out. */
bool gb_members_add(struct gb_members *members, struct gb_member member);

/* Append a value.  GB_EMEMORY. */
enum gb_status gb_numbers_add(struct gb_numbers *numbers, double value, struct gb_error *err);
enum gb_status gb_times_add(struct gb_times *times, double ns, struct gb_error *err);
/* Append a text that outlives the list.  False if memory ran out. */
bool gb_texts_add(struct gb_texts *texts, const char *text);
/* Append a copy of the text in UTF-8, which gb_texts_free() frees; NULL if memory ran out. */
char *gb_texts_keep(struct gb_texts *texts, const char *text);
void gb_texts_free(struct gb_texts *texts);
/* The series of that name, made if it is missing; NULL if memory ran out. */
struct gb_times *gb_phases_get(struct gb_phases *phases, const char *name);

/* Set the clock, the median and its interval, which is at least as wide as the clock's
 * resolution. */
enum gb_status gb_times_settle(struct gb_times *times, const char *clock, double resolution_ns,
			       struct gb_error *err);
enum gb_status gb_phases_settle(struct gb_phases *phases, const char *clock, double resolution_ns,
				struct gb_error *err);
void gb_phases_clear(struct gb_phases *phases);

/* Statistics that cannot be computed are NAN. */
struct gb_summary gb_times_summary(const struct gb_times *times);

/* One of them by its name in paths, "median" or "ci95.low"; NAN if the series is absent. */
double gb_times_statistic(const struct gb_times *times, const char *name);

#endif
