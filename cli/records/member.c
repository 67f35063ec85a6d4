/* member.c -- see member.h. */
#include "cli/records/member.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/text.h"

const char *gb_value_words(struct gb_field_value value, char *text, size_t size)
{
	static const char *const flag[] = { "false", "true" };

	if (value.kind == GB_VALUE_NUMBER)
		(void)snprintf(text, size, "%.10g", value.number);
	else
		(void)snprintf(text, size, "%.100s",
			       value.kind == GB_VALUE_TEXT   ? value.text
			       : value.kind == GB_VALUE_FLAG ? flag[value.number > 0]
							     : "none");
	return text;
}

bool gb_values_equal(struct gb_field_value a, struct gb_field_value b)
{
	if (a.kind != b.kind)
		return false;
	return a.kind == GB_VALUE_TEXT ? gb_equal(a.text, b.text)
				       : !(fabs(a.number - b.number) > 0);
}

const struct gb_member *gb_member_find(const struct gb_members *members, const char *name)
{
	for (size_t i = 0; i < members->count; i++)
		if (gb_equal(members->item[i].name, name))
			return &members->item[i];
	return NULL;
}

double gb_member_number(const struct gb_members *members, const char *name)
{
	const struct gb_member *member = gb_member_find(members, name);

	return member && member->kind == GB_VALUE_NUMBER ? member->number : (double)NAN;
}

bool gb_member_equal(const struct gb_member *a, const struct gb_member *b)
{
	if (!a || !b)
		return a == b;
	return gb_values_equal(gb_member_value(a), gb_member_value(b));
}

void *gb_room_for_one(void *array, size_t count, size_t size)
{
	const bool is_full = count == 0 || (count >= 8 && (count & (count - 1)) == 0);

	return is_full ? reallocarray(array, count ? 2 * count : 8, size) : array;
}

bool gb_members_add(struct gb_members *members, struct gb_member member)
{
	struct gb_member *grown;

	if (!member.kind)
		return true;
	grown = gb_room_for_one(members->item, members->count, sizeof *grown);
	if (!grown)
		return false;
	members->item = grown;
	members->item[members->count++] = member;
	return true;
}
