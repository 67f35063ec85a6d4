/* field.h -- tables that map the members of a JSON object to the members of a C struct.
 *
 * One table reads an object, prints it, and finds a member by the path that a paper's table or a
 * CSV column names.  The paths in the table mirror the struct: "tool.commit" is run->tool.commit.
 *
 * An absent or null member leaves the empty value of its type (lists.h).  Writing omits such
 * members.
 */
#ifndef GPUBENCH_CLI_RECORDS_FIELD_H
#define GPUBENCH_CLI_RECORDS_FIELD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include <cjson/cJSON.h>

#include "cli/records/lists.h"
#include "common/status.h"

enum gb_field_type {
	GB_FIELD_TEXT,   /* const char * */
	GB_FIELD_NUMBER, /* double */
	GB_FIELD_BOOL,   /* bool; written only if true */
	GB_FIELD_FLAG,   /* enum gb_flag */
	GB_FIELD_WORD,   /* an enum; written as one of the field's words */
	GB_FIELD_VALUE,  /* struct gb_field_value */
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
	bool negative;   /* numbers may be below 0 */
	bool derived;    /* computed from other members; neither read nor written */
	bool is_element; /* of a list; not in a table */
	enum gb_stays stays;
	/* NULL terminated.  GB_FIELD_WORD: indexed by value.  GB_FIELD_TEXT: all that it may be. */
	const char *const *words;
	const struct gb_fields *fields; /* of GB_FIELD_OBJECT and GB_FIELD_OBJECTS ... */
	size_t size;                    /* ... and that of the struct */
	const char *csv;                /* title of the column; NULL: none */
	const char *setup; /* --resume calls it so, and it must not differ; NULL: it may */
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
 * named value one of 1e-300 to 1e300.  None must be negative unless the field says so.
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
