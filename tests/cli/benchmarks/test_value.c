/* test_value.c -- the text form of values: units, percentages, and where they are refused. */
#include <criterion/criterion.h>
#include <criterion/parameterized.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli/benchmarks/value.h"
#include "common/text.h"

enum row { INTEGER, SHARE, PERCENT, SECONDS };
static const struct gb_param rows[] = {
	[INTEGER] = { .name = "n", .type = GB_INT, .min = INT64_MIN, .max = INT64_MAX },
	[SHARE] = { .name = "x", .type = GB_FLOAT, .low = -INFINITY, .high = INFINITY },
	[PERCENT] = { .name = "x", .type = GB_FLOAT, .high = 1000, .unit = "percent" },
	[SECONDS] = { .name = "x", .type = GB_FLOAT, .high = 1000, .unit = "seconds" },
};

struct spelled {
	enum row row;
	char text[40];
	char wanted[96]; /* the canonical spelling, or the error */
};

ParameterizedTestParameters(value, spelled)
{
	static struct spelled cases[] = {
		{ INTEGER, "-9223372036854775808", "-9223372036854775808" },
		{ INTEGER, "9.223372036854775807e18", "9223372036854775807" },
		{ INTEGER, "-1.5k", "-1500" },
		{ INTEGER, "-2^3", "-8" },
		{ INTEGER, "1.000", "1" },
		{ INTEGER, "1.1M", "1100000" },
		{ INTEGER, "0.0009765625Ki", "1" },
		{ INTEGER, "9223372036854775808",
		  "--n=9223372036854775808: does not fit in 64 bits" },
		{ INTEGER, "2^62", "4611686018427387904" },
		{ INTEGER, "-2^63", "-9223372036854775808" },
		{ INTEGER, "+2^3", "8" },
		{ INTEGER, "3^0", "1" },
		{ INTEGER, "1^63", "1" },
		{ INTEGER, "1e3", "1000" },
		{ INTEGER, "1E+3", "1000" },
		{ INTEGER, "5000e-3", "5" },
		{ INTEGER, "1Ti", "1099511627776" },
		{ INTEGER, "7T", "7000000000000" },
		{ INTEGER, "2^63", "--n=2^63: does not fit in 64 bits" },
		{ INTEGER, "2^64", "--n=2^64: does not fit in 64 bits" },
		{ INTEGER, "-9223372036854775809",
		  "--n=-9223372036854775809: does not fit in 64 bits" },
		{ INTEGER, "1e99999", "--n=1e99999: does not fit in 64 bits" },
		{ INTEGER, "2^", "--n=2^: not an integer such as 4096, 10k, 16Mi or 2^20" },
		{ INTEGER, "^3", "--n=^3: not an integer such as 4096, 10k, 16Mi or 2^20" },
		{ INTEGER, "x^3", "--n=x^3: not an integer such as 4096, 10k, 16Mi or 2^20" },
		{ INTEGER, "2^3 ", "--n=2^3 : not an integer such as 4096, 10k, 16Mi or 2^20" },
		{ INTEGER, "2^-1", "--n=2^-1: not an integer such as 4096, 10k, 16Mi or 2^20" },
		{ INTEGER, "1e", "--n=1e: not an integer such as 4096, 10k, 16Mi or 2^20" },
		{ INTEGER, "1e-1", "--n=1e-1: not an integer such as 4096, 10k, 16Mi or 2^20" },
		{ INTEGER, "5%", "--n=5%: not an integer such as 4096, 10k, 16Mi or 2^20" },
		{ INTEGER, "10kk", "--n=10kk: not an integer such as 4096, 10k, 16Mi or 2^20" },
		{ INTEGER, ".", "--n=.: not an integer such as 4096, 10k, 16Mi or 2^20" },
		{ INTEGER, "1.5^2", "--n=1.5^2: not an integer such as 4096, 10k, 16Mi or 2^20" },
		{ INTEGER, "0x10", "--n=0x10: not an integer such as 4096, 10k, 16Mi or 2^20" },
		{ INTEGER, " 1", "--n= 1: not an integer such as 4096, 10k, 16Mi or 2^20" },
		{ INTEGER, "9e18T", "--n=9e18T: does not fit in 64 bits" },
		{ INTEGER, "k", "--n=k: not an integer such as 4096, 10k, 16Mi or 2^20" },
		{ SHARE, "5%", "0.05" },
		{ SHARE, "0.7%", "0.007" },
		{ SHARE, "-1e2%", "-1" },
		{ SHARE, "1.1k", "1100" },
		{ SHARE, "2.3M", "2300000" },
		{ SHARE, "0.5Ki", "512" },
		{ SHARE, "1e6", "1000000" },
		{ SHARE, "123456789", "123456789" },
		{ SHARE, "1e22", "1e+22" },
		{ SHARE, "0.1e1", "1" },
		{ SHARE, "+.5", "0.5" },
		{ SHARE, "", "--x=: not a number" },
		{ SHARE, "-", "--x=-: not a number" },
		{ SHARE, "5%k", "--x=5%k: not a number" },
		{ SHARE, "1e400", "--x=1e400: not a number" },
		{ SHARE, "nan", "--x=nan: not a number" },
		{ SHARE, "inf", "--x=inf: not a number" },
		{ SHARE, "0x1", "--x=0x1: not a number" },
		{ SHARE, "1%%", "--x=1%%: not a number" },
		{ PERCENT, "5%", "5" },
		{ PERCENT, "5", "5" },
		{ PERCENT, "1000", "1000" },
		{ PERCENT, "0", "0" },
		{ PERCENT, "1000.1", "--x=1000.1 is outside 0..1000" },
		{ PERCENT, "-0.1", "--x=-0.1 is outside 0..1000" },
		{ SECONDS, "5%", "--x=5%: not a number" },
		{ SECONDS, "0.5k", "500" },
	};

	return cr_make_param_array(struct spelled, cases, GB_COUNT(cases));
}

ParameterizedTest(struct spelled *s, value, spelled)
{
	union gb_value value = { 0 };
	struct gb_error err = { 0 };
	char text[64];

	if (gb_value_parse(&rows[s->row], s->text, &value, &err)) {
		cr_expect_str_eq(err.message, s->wanted);
		return;
	}
	gb_value_text(&rows[s->row], value, text, sizeof text);
	cr_expect_str_eq(text, s->wanted, "%s: %s", s->text, text);
}

static const char *const choices[] = { "one", "two", "three", NULL };
static const struct gb_param kinds[] = {
	{ .name = "n", .type = GB_INT, .initial = "7", .min = -2, .max = 9, .offset = 0 },
	{ .name = "x", .type = GB_FLOAT, .initial = "0.5", .low = -1, .high = 2, .offset = 8 },
	{ .name = "c", .type = GB_CHOICE, .initial = "two", .choices = choices, .offset = 16 },
	{ .name = "file", .type = GB_PATH, .offset = 24 },
	{ .name = "part", .type = GB_PATH, .unit = "I/N", .initial = "1/2", .offset = 32 },
	{ .name = "f", .type = GB_FLAG, .offset = 40, .only = "c=two" },
};

Test(value, bounds)
{
	static const struct {
		size_t kind;
		const char *text, *message; /* NULL: it is inside */
	} row[] = {
		{ 0, "-2", NULL },
		{ 0, "9", NULL },
		{ 0, "-3", "--n=-3 is outside -2..9" },
		{ 0, "10", "--n=10 is outside -2..9" },
		{ 1, "-1", NULL },
		{ 1, "2", NULL },
		{ 1, "2.5", "--x=2.5 is outside -1..2" },
		{ 1, "-1.5", "--x=-1.5 is outside -1..2" },
		{ 2, "three", NULL },
		{ 2, "four", "--c=four: not one of one|two|three" },
		{ 3, "", "--file=: is empty" },
		{ 5, "", NULL },
	};

	for (size_t i = 0; i < GB_COUNT(row); i++) {
		union gb_value value = { 0 };
		struct gb_error err = { 0 };

		cr_expect_eq(gb_value_parse(&kinds[row[i].kind], row[i].text, &value, &err),
			     row[i].message ? GB_EUSAGE : GB_OK, "%s", row[i].text);
		cr_expect_str_eq(err.message, row[i].message ? row[i].message : "");
	}
}
