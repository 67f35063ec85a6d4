/* test_csv.c -- values of records as fields of CSV. */
#include "cli/records/csv.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/text.h"

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
Test(csv, fields)
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
	};

	for (size_t i = 0; i < GB_COUNT(row); i++) {
		char *field = printed(row[i].text, row[i].number);

		cr_expect_str_eq(field, row[i].field);
		free(field);
	}
}
