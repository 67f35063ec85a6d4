/* test_member.c -- values of records: as words, as fields of CSV, compared, and in lists. */
#include "cli/records/member.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli/records/csv.h"
#include "common/text.h"

static const struct gb_field_value none = { .number = NAN };

#define NUMBER(n) ((struct gb_field_value){ GB_VALUE_NUMBER, n, NULL })
#define FLAG(n)   ((struct gb_field_value){ GB_VALUE_FLAG, n, NULL })
#define TEXT(t)   ((struct gb_field_value){ GB_VALUE_TEXT, 0, t })

Test(member, words)
{
	const struct {
		struct gb_field_value value;
		const char *words;
	} row[] = {
		{ NUMBER(0.1), "0.1" },
		{ NUMBER(1e10), "1e+10" },
		{ NUMBER(123456789), "123456789" },
		{ FLAG(0), "false" },
		{ FLAG(1), "true" },
		{ TEXT("a b"), "a b" },
		{ none, "none" },
	};
	char text[32];

	for (size_t i = 0; i < GB_COUNT(row); i++)
		cr_expect_str_eq(gb_value_words(row[i].value, text, sizeof text), row[i].words);
}

Test(member, equality)
{
	const struct gb_field_value value[] = { NUMBER(1), NUMBER(2), FLAG(1), FLAG(0),
						TEXT("1"), TEXT("2"), none };

	for (size_t i = 0; i < GB_COUNT(value); i++)
		for (size_t k = 0; k < GB_COUNT(value); k++) {
			const struct gb_member a = { "a", value[i].kind, value[i].number,
						     value[i].text };
			const struct gb_member b = { "b", value[k].kind, value[k].number,
						     value[k].text };

			cr_expect_eq(gb_values_equal(value[i], value[k]), i == k, "%zu, %zu", i, k);
			cr_expect_eq(gb_member_equal(&a, &b), i == k, "%zu, %zu", i, k);
			cr_expect_not(gb_member_equal(&a, NULL) || gb_member_equal(NULL, &b));
		}
	cr_expect(gb_member_equal(NULL, NULL));
}

Test(member, lists)
{
	static const char *const name[] = { "a", "b", "c", "d", "e", "f", "g", "h", "i" };
	struct gb_members list = { 0 };

	for (size_t i = 0; i < GB_COUNT(name); i++) {
		cr_assert(gb_members_add(
			&list, (struct gb_member){ name[i], GB_VALUE_NUMBER, (double)i, NULL }));
		cr_assert(gb_members_add(&list, (struct gb_member){ .name = "absent" }));
	}
	cr_assert(gb_members_add(&list, (struct gb_member){ "text", GB_VALUE_TEXT, 0, "t" }));
	cr_expect_eq(list.count, GB_COUNT(name) + 1);
	for (size_t i = 0; i < GB_COUNT(name); i++)
		cr_expect_eq(gb_member_number(&list, name[i]), (double)i);
	cr_expect(isnan(gb_member_number(&list, "text")) && isnan(gb_member_number(&list, "z")));
	cr_expect_str_eq(gb_member_find(&list, "text")->text, "t");
	cr_expect_null(gb_member_find(&list, "z"));
	cr_expect_null(gb_member_find(&list, "absent"));
	free(list.item);
}

static char *printed(const char *text, double number)
{
	char *field = NULL;
	size_t size = 0;
	FILE *file = open_memstream(&field, &size);

	if (text)
		gb_csv_print_text(file, text);
	else
		gb_csv_print_number(file, number);
	(void)fclose(file);
	return field;
}

/* Integers in full, as far as a double is exact; other numbers as short as they can be. */
Test(member, fields_of_csv)
{
	static const struct {
		const char *text; /* NULL: the number */
		double number;
		const char *field;
	} row[] = {
		{ NULL, 0, "0" },
		{ NULL, -12345678, "-12345678" },
		{ NULL, 0.1, "0.1" },
		{ NULL, -1.5, "-1.5" },
		{ NULL, 0x1p53, "9007199254740992" },
		{ NULL, 0x1p54, "18014398509481984" },
		{ NULL, 1e22, "1e+22" },
		{ NULL, (double)NAN, "" },
		{ NULL, (double)-INFINITY, "" },
		{ "", 0, "" },
		{ "a b", 0, "a b" },
		{ "a,b", 0, "\"a,b\"" },
		{ "a\"b", 0, "\"a\"\"b\"" },
		{ "a\nb", 0, "\"a\nb\"" },
		{ "a\rb", 0, "\"a\rb\"" },
		{ "a\xff\xc3\xa9", 0, "a\xef\xbf\xbd\xc3\xa9" },
		/* what a spreadsheet takes for a formula */
		{ "=1+1", 0, "'=1+1" },
		{ "=", 0, "'=" },
		{ "@a", 0, "'@a" },
		{ "\ta", 0, "'\ta" },
		{ "\ra", 0, "\"'\ra\"" },
		{ "+a", 0, "'+a" },
		{ "-a", 0, "'-a" },
		{ "-1.5", 0, "-1.5" },
		{ "+1e3", 0, "+1e3" },
		{ "a=1", 0, "a=1" },
	};

	for (size_t i = 0; i < GB_COUNT(row); i++) {
		char *field = printed(row[i].text, row[i].number);

		cr_expect_str_eq(field, row[i].field);
		free(field);
	}
}
