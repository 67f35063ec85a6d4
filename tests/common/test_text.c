/* test_text.c -- the formatters of common/text.h. */
#include "common/text.h"

#include <criterion/criterion.h>
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static char text[GB_TEXT_MAX];

Test(text, numbers_have_three_digits_and_a_fitting_unit)
{
	static const struct {
		char *(*format)(char text[GB_TEXT_MAX], double value);
		double value;
		const char *text;
	} row[] = {
		{ gb_text_time, 0, "0.00 ns" },
		{ gb_text_time, 0.5, "0.50 ns" },
		{ gb_text_time, 873, "873 ns" },
		{ gb_text_time, 12345, "12.3 us" },
		{ gb_text_time, 1240000, "1.24 ms" },
		{ gb_text_time, 1.24e9, "1.24 s" },
		{ gb_text_time, 1.2345e12, "1234 s" },
		{ gb_text_time, -12345, "-12.3 us" },
		{ gb_text_time, 999.4, "999 ns" },
		{ gb_text_time, 999.6, "1.00 us" },
		{ gb_text_time, 999.96e3, "1.00 ms" },
		{ gb_text_time, 9.996e3, "10.0 us" },
		{ gb_text_time, 9.994, "9.99 ns" },
		{ gb_text_time, 999.5, "1.00 us" },
		{ gb_text_time, 999999e9, "999999 s" },
		{ gb_text_time, 1e15, "1e+06 s" },
		{ gb_text_scaled, 999999, "1.00 M" },
		{ gb_text_bytes, 1048575, "1.00 MiB" },
		{ gb_text_bytes, 0, "0 B" },
		{ gb_text_bytes, 1023.4, "1023 B" },
		{ gb_text_bytes, 1023.5, "1.00 KiB" },
		{ gb_text_bytes, -7, "-7 B" },
		{ gb_text_bytes, 0x1p40, "1.00 TiB" },
		{ gb_text_bytes, 0x1p61, "2048 PiB" },
		{ gb_text_bytes, 1.5 * 0x1p30, "1.50 GiB" },
		{ gb_text_bytes, 1000.0 * 0x1p20, "1000 MiB" },
		{ gb_text_scaled, 0, "0" },
		{ gb_text_scaled, 0.05, "0.05" },
		{ gb_text_scaled, 999.5, "1.00 k" },
		{ gb_text_scaled, 2e15, "2.00 P" },
		{ gb_text_scaled, 12345, "12.3 k" },
		{ gb_text_scaled, 1.24e9, "1.24 G" },
		{ gb_text_scaled, -81.2e6, "-81.2 M" },
		{ gb_text_time, NAN, "-" },
		{ gb_text_bytes, INFINITY, "-" },
		{ gb_text_scaled, -INFINITY, "-" },
		{ gb_text_time, 1e300, "1e+291 s" },
		{ gb_text_wait, 0.0312, "0.031 s" },
		{ gb_text_wait, 3.24, "3.2 s" },
		{ gb_text_wait, 99, "99 s" },
		{ gb_text_wait, 100, "2 min" },
		{ gb_text_wait, 5999, "100 min" },
		{ gb_text_wait, 6000, "1.7 h" },
		{ gb_text_wait, 18360, "5.1 h" },
		{ gb_text_real, -2, "-2" },
		{ gb_text_real, 0x1p53, "9007199254740992" },
		{ gb_text_real, 0x1p54, "18014398509481984" },
		{ gb_text_real, 0x1p60, "1.152921504606847e+18" },
		{ gb_text_real, 1.0 / 3, "0.3333333333333333" },
		{ gb_text_real, 0.1 + 0.2, "0.30000000000000004" },
		{ gb_text_real, 1e300, "1e+300" },
		{ gb_text_real, INFINITY, "inf" },
	};

	for (size_t i = 0; i < GB_COUNT(row); i++)
		cr_expect_str_eq(row[i].format(text, row[i].value), row[i].text);
	cr_assert_lt(strlen(gb_text_time(text, -1.7e308)), GB_TEXT_MAX - 1);
	cr_assert_lt(strlen(gb_text_bytes(text, -1.7e308)), GB_TEXT_MAX - 1);
	cr_assert_lt(strlen(gb_text_scaled(text, -1.7e308)), GB_TEXT_MAX - 1);
}

Test(text, integers_have_the_shortest_spelling)
{
	static const struct {
		int64_t value;
		const char *text;
	} row[] = {
		{ 0, "0" },
		{ 1000, "1k" },
		{ 1024, "1Ki" },
		{ 10000, "10k" },
		{ 12345, "12345" },
		{ 65536, "64Ki" },
		{ 1000000, "1M" },
		{ 1500000, "1500k" },
		{ INT64_C(1) << 40, "1Ti" },
		{ -1000000, "-1M" },
		{ INT64_MAX, "9223372036854775807" },
	};

	for (size_t i = 0; i < GB_COUNT(row); i++)
		cr_expect_str_eq(gb_text_int(text, row[i].value), row[i].text);
	cr_assert_str_eq(gb_text_int(text, INT64_MIN), "-8388608Ti");
}

/* Exactly the characters that a terminal interprets. */
Test(text, control_characters)
{
	static const struct {
		const char *text;
		size_t control;
	} row[] = {
		{ "", 0 },
		{ "a", 0 },
		{ " ", 0 },
		{ "\n", 1 },
		{ "\033[31m", 1 },
		{ "\177", 1 },
		{ "\302\200", 2 }, /* U+0080 */
		{ "\302\233", 2 }, /* CSI */
		{ "\302\237", 2 }, /* U+009F */
		{ "\302\240", 0 }, /* a space */
		{ "\303\266", 0 },
		{ "\330\234", 2 },     /* U+061C */
		{ "\342\200\215", 0 }, /* U+200D joins emoji */
		{ "\342\200\216", 3 },
		{ "\342\200\217", 3 },
		{ "\342\200\220", 0 },
		{ "\342\200\250", 3 }, /* U+2028 */
		{ "\342\200\256", 3 }, /* U+202E */
		{ "\342\200\257", 0 },
		{ "\342\201\245", 0 },
		{ "\342\201\246", 3 }, /* U+2066 */
		{ "\342\201\251", 3 }, /* U+2069 */
		{ "\342\201\252", 0 },
		{ "\200", 1 }, /* malformed */
		{ "\233", 1 },
		{ "\303", 1 },
		{ "\355\240\200", 1 },
	};

	for (size_t i = 0; i < GB_COUNT(row); i++) {
		const size_t step = row[i].control ? row[i].control : gb_utf8_length(row[i].text);

		cr_expect_eq(gb_text_control(row[i].text), row[i].control, "row %zu", i);
		cr_expect(step > 0 && gb_text_step(row[i].text) == step, "row %zu", i);
	}
}

/* The shortest and longest forms, the first and last code points of each length. */
Test(text, utf8)
{
	static const struct {
		const char *text;
		size_t length;
	} row[] = {
		{ "a\200", 1 },
		{ "\177", 1 },
		{ "\200", 0 },
		{ "\301\277", 0 },
		{ "\302\200", 2 },
		{ "\302a", 0 },
		{ "\302\300", 0 },
		{ "\337\277", 2 },
		{ "\340\237\277", 0 },
		{ "\340\240\200", 3 },
		{ "\342\202", 0 },
		{ "\342\202a", 0 },
		{ "\355\237\277", 3 },
		{ "\355\240\200", 0 }, /* a surrogate */
		{ "\357\277\277", 3 },
		{ "\360\217\277\277", 0 },
		{ "\360\220\200\200", 4 },
		{ "\360\220\200", 0 },
		{ "\364\217\277\277", 4 },
		{ "\364\220\200\200", 0 },
		{ "\365\200\200\200", 0 },
	};

	for (size_t i = 0; i < GB_COUNT(row); i++)
		cr_expect_eq(gb_utf8_length(row[i].text), row[i].length, "row %zu", i);
}
