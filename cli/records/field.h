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

#include "cli/records/member.h"
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

#endif
