/* field.h -- tables that map the members of a JSON object to the members of a C struct.
 *
 * One table reads an object, writes it, and finds a member by the path that a paper's table or a CSV
 * column names.  The paths in the table mirror the struct: "tool.commit" is run->tool.commit.
 *
 * An absent member, and null, leave the zero of its type, or NAN in a number: NULL, GB_UNKNOWN, an
 * empty list.  Writing leaves such members out.
 */
#ifndef GPUBENCH_CLI_RECORDS_FIELD_H
#define GPUBENCH_CLI_RECORDS_FIELD_H

#include <stdbool.h>
#include <stddef.h>

#include <cjson/cJSON.h>

#include "common/stats.h"

enum gb_flag { GB_UNKNOWN, GB_NO, GB_YES };

/* Values of a series in ns.  The median and its interval are the stored ones, NAN if there are none;
 * gb_times_summary() has the rest. */
struct gb_times {
	const char *clock;
	size_t count;   /* of samples */
	double *sample; /* owned */
	double median, ci_low, ci_high;
};

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
	double *value; /* owned; NAN: null in the file, where only one of several is unknown */
};

struct gb_texts {
	size_t count;
	const char **text; /* the array is owned */
};

/* A value of any field in a form to print and to compare. */
enum gb_value_kind {
	GB_VALUE_ABSENT,
	GB_VALUE_NUMBER,
	GB_VALUE_TEXT,
	GB_VALUE_FLAG,
	GB_MEMBER_NUMBER = GB_VALUE_NUMBER,
	GB_MEMBER_TEXT = GB_VALUE_TEXT,
	GB_MEMBER_FLAG = GB_VALUE_FLAG,
};
struct gb_field_value {
	enum gb_value_kind kind;
	double number; /* of a flag: 0 or 1 */
	const char *text;
};

/* A parameter, a metric or a variable of the environment. */
struct gb_member {
	const char *name;
	enum gb_value_kind kind;
	double number; /* of a flag: 0 or 1 */
	const char *text;
};

struct gb_members {
	size_t count;
	struct gb_member *item; /* owned */
};

enum gb_field_type {
	GB_FIELD_TEXT,    /* const char * */
	GB_FIELD_NUMBER,  /* double */
	GB_FIELD_BOOL,    /* bool; written if it is true */
	GB_FIELD_FLAG,    /* enum gb_flag */
	GB_FIELD_WORD,    /* an enum, by the field's words; written as such */
	GB_FIELD_NUMBERS, /* struct gb_numbers */
	GB_FIELD_TEXTS,   /* struct gb_texts */
	GB_FIELD_MEMBERS, /* struct gb_members; written even if it is empty, if it is required */
	GB_FIELD_TIMES,   /* struct gb_times */
	GB_FIELD_PHASES,  /* struct gb_phases */
};

struct gb_field {
	const char *path;
	enum gb_field_type type;
	size_t offset;
	bool required;
	const char *const *words; /* GB_FIELD_WORD: by value, NULL terminated */
};

/* Free what the fields own: then nothing is known, as after a first call for a struct of zeros. */
void gb_fields_clear(const struct gb_field *field, size_t count, void *of);

/* Read the object by a table.  Texts point into it; it must outlive the struct.  Samples are removed
 * from it.  NULL, or what is wrong: a text of `fault`, or "" if memory ran out. */
enum { GB_FAULT_MAX = 160 };
const char *gb_fields_read(const struct gb_field *field, size_t count, cJSON *object, void *to,
			   char fault[GB_FAULT_MAX]);

/* Make the fields those of the object, whose other members stay.  False if memory ran out. */
bool gb_fields_write(const struct gb_field *field, size_t count, const void *from, cJSON *object);

/* The value at a path: a field's, a member's ("metrics.depth"), one of a series' summary
 * ("time.median", "phases.scan.mean"); absent if there is none. */
struct gb_field_value gb_fields_value(const struct gb_field *field, size_t count, const void *of,
				      const char *path);

/* The series at "time.median", "phases.scan.mean": without its last word; NULL if there is none. */
const struct gb_times *gb_fields_times(const struct gb_field *field, size_t count, const void *of,
				       const char *path);

/* NAN in what is unknown. */
struct gb_summary gb_times_summary(const struct gb_times *times);

/* The value in a few words, "none" if it is absent.  Returns text. */
const char *gb_value_words(struct gb_field_value value, char *text, size_t size);
bool gb_values_equal(struct gb_field_value a, struct gb_field_value b);

/* ---- members ------------------------------------------------------------------------------ */

const struct gb_member *gb_member_find(const struct gb_members *members, const char *name);
/* NAN or NULL if there is none of that name and kind. */
double gb_member_number(const struct gb_members *members, const char *name);
const char *gb_member_text(const struct gb_members *members, const char *name);
bool gb_member_equal(const struct gb_member *a, const struct gb_member *b);
/* Append a copy, if it has a value; name and text must outlive it.  False if memory ran out. */
bool gb_members_add(struct gb_members *members, struct gb_member member);

#endif
