/* member.h -- values of a record in a form to print and to compare, and lists of named ones: parameters,
 * metrics, variables of the environment.
 */
#ifndef GPUBENCH_CLI_RECORDS_MEMBER_H
#define GPUBENCH_CLI_RECORDS_MEMBER_H

#include <stdbool.h>
#include <stddef.h>

/* A value of any field in a form to print and to compare. */
enum gb_value_kind {
	GB_VALUE_ABSENT,
	GB_VALUE_NUMBER,
	GB_VALUE_TEXT,
	GB_VALUE_FLAG,
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

/* The value in a few words, "none" if it is absent.  Returns text. */
const char *gb_value_words(struct gb_field_value value, char *text, size_t size);
bool gb_values_equal(struct gb_field_value a, struct gb_field_value b);

static inline struct gb_field_value gb_member_value(const struct gb_member *member)
{
	return (struct gb_field_value){ member->kind, member->number, member->text };
}

const struct gb_member *gb_member_find(const struct gb_members *members, const char *name);
/* NAN or NULL if there is none of that name and kind. */
double gb_member_number(const struct gb_members *members, const char *name);
const char *gb_member_text(const struct gb_members *members, const char *name);
bool gb_member_equal(const struct gb_member *a, const struct gb_member *b);
/* Append a copy, if it has a value; name and text must outlive it.  False if memory ran out. */
bool gb_members_add(struct gb_members *members, struct gb_member member);

#endif
