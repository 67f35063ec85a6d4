/* member.h -- values of record members, and lists of named values: parameters, metrics, environment
 * variables. */
#ifndef GPUBENCH_CLI_RECORDS_MEMBER_H
#define GPUBENCH_CLI_RECORDS_MEMBER_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>

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

/* The array of `count` elements of that size, moved if it is full: one that grows by single
 * elements from NULL has room for 8, 16, 32 ...  NULL, with the array as it was, if memory ran
 * out. */
void *gb_room_for_one(void *array, size_t count, size_t size);

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

#endif
