/* field.h -- what the members of a record hold (values, series of times, and lists of numbers, of
 * texts and of named values), and tables that map the members of a JSON object to the members of a C
 * struct.
 *
 * One table reads an object, prints it, and finds a member by the path that a paper's table or a
 * CSV column names.  The paths in the table mirror the struct: "tool.commit" is run->tool.commit.
 *
 * An absent or null member leaves the empty value of its type: NULL, NAN, GB_UNKNOWN or an empty
 * list.  Writing omits such members.
 */
#ifndef GPUBENCH_CLI_RECORDS_FIELD_H
#define GPUBENCH_CLI_RECORDS_FIELD_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include <cjson/cJSON.h>

#include "common/stats.h"
#include "common/status.h"

/* ---- values, lists and series --------------------------------------------------------------- */

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
	enum gb_value_kind kind;
	double number; /* 0 or 1 for a flag */
	const char *text;
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

static inline struct gb_field_value gb_member_value(const struct gb_member *member)
{
	return (struct gb_field_value){ member->kind, member->number, member->text };
}

const struct gb_member *gb_member_find(const struct gb_members *members, const char *name);
/* NAN if there is no number of that name. */
double gb_member_number(const struct gb_members *members, const char *name);
bool gb_member_equal(const struct gb_member *a, const struct gb_member *b);
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

/* Append a series of that name; NULL if memory ran out. */
struct gb_times *gb_phases_append(struct gb_phases *phases, const char *name);

/* Set the clock, the median and its interval, which is at least as wide as the clock's
 * resolution. */
enum gb_status gb_times_settle(struct gb_times *times, const char *clock, double resolution_ns,
			       struct gb_error *err);
enum gb_status gb_phases_settle(struct gb_phases *phases, const char *clock, double resolution_ns,
				struct gb_error *err);
void gb_phases_clear(struct gb_phases *phases);

/* Statistics that cannot be computed are NAN. */
struct gb_summary gb_times_summary(const struct gb_times *times);

/* ---- tables --------------------------------------------------------------------------------- */

enum gb_field_type {
	GB_FIELD_TEXT,   /* const char * */
	GB_FIELD_NUMBER, /* double */
	GB_FIELD_BOOL,   /* bool; written only if true */
	GB_FIELD_FLAG,   /* enum gb_flag */
	GB_FIELD_WORD,   /* an enum; written as one of the field's words */
	GB_FIELD_TIMES,  /* struct gb_times */
	GB_FIELD_OBJECT, /* a struct with fields of its own; absent if all of these are */
	/* Lists; absent if there is no array, unless they are required. */
	GB_FIELD_NUMBERS,   /* struct gb_numbers */
	GB_FIELD_TEXTS,     /* struct gb_texts */
	GB_FIELD_OBJECTS,   /* struct gb_objects, of structs with fields of their own */
	GB_FIELD_MEMBERS,   /* struct gb_members */
	GB_FIELD_PHASES,    /* struct gb_phases */
	GB_FIELD_STATISTIC, /* no member: its path leads into a series */
};

/* The records that have a member: all; those with a measured result; those of one repetition, not
 * those that several repetitions were pooled into. */
enum gb_stays { GB_ALWAYS, GB_IF_MEASURED, GB_OF_REPETITION };

struct gb_field {
	const char *path;
	enum gb_field_type type;
	size_t offset;
	bool required;
	bool negative; /* numbers may be below 0 */
	bool derived;  /* computed from other members; neither read nor written */
	enum gb_stays stays;
	/* NULL terminated.  GB_FIELD_WORD: indexed by value.  GB_FIELD_TEXT: all that it may be. */
	const char *const *words;
	const struct gb_fields *fields; /* of GB_FIELD_OBJECT and GB_FIELD_OBJECTS ... */
	size_t size;                    /* ... and that of the struct */
	const char *unit;  /* of a number, by its name in the schema: "ns", "count"; or NULL */
	const char *csv;   /* title of the column; NULL: none */
	const char *about; /* the schema's description; NULL if the name says it */
};

struct gb_fields {
	const struct gb_field *field;
	size_t count;
};

/* A list of structs, and what all lists have: a count and a pointer to the elements. */
struct gb_objects {
	size_t count;
	void *item; /* owned; NULL if the list is absent */
};

/* Free what the fields own, and set to the empty value of their type those that stay no longer than
 * `stays`.  The struct may be all zeros. */
void gb_fields_clear(const struct gb_fields *fields, void *of, enum gb_stays stays);

/* Read the object.  Texts point into it, so it must outlive the struct.  Samples are removed from
 * it.  A number must be 0 or have a magnitude of 1e-18 to 1e18, a sample one of 0.001 to 1e18 ns, a
 * member of a list one of 1e-300 to 1e300.  None must be negative unless the field says so.
 * GB_EUSAGE, with what is wrong with which member; GB_EMEMORY. */
enum gb_status gb_fields_read(const struct gb_fields *fields, cJSON *object, void *to,
			      struct gb_error *err);

/* Print the fields as members of a JSON object that has begun and has `count` members so far; fields
 * of one inner object stand together in the table.  Return 0 if the object still has none. */
size_t gb_fields_print(FILE *file, const struct gb_fields *fields, const void *from, size_t count);

/* True if no field has a value to write. */
bool gb_fields_are_absent(const struct gb_fields *fields, const void *of);

/* The value at a path: a field ("tool.commit"), a member of a list ("metrics.depth") or a statistic
 * of a series ("time.median", "phases.scan.mean").  GB_VALUE_ABSENT if there is none. */
struct gb_field_value gb_fields_value(const struct gb_fields *fields, const void *of,
				      const char *path);

/* The series that a path such as "time.median" or "phases.scan.mean" leads into; NULL if there is
 * none. */
const struct gb_times *gb_fields_times(const struct gb_fields *fields, const void *of,
				       const char *path);

#endif
