/* text.c -- formats numbers for people, and prints text safely.
 *
 * Numbers have three significant digits.  The unit is chosen after rounding, so that 999.6 us is
 * "1.00 ms", not "1000 us".  Numbers that are not finite are "-".  Units are plain ASCII.
 */
#include "common/text.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

/* The number of decimals that gives value three significant digits, 0 <= value < 10000. */
static int decimals(double value)
{
	if (value < 9.995)
		return 2;
	return value < 99.95 ? 1 : 0;
}

/* Format the number with the first unit that keeps it below step after rounding, or the last
 * unit. */
static char *scaled(char text[GB_TEXT_MAX], double number, double step, const char *const *unit,
		    size_t units)
{
	double value = fabs(number);
	size_t k = 0;

	for (; k + 1 < units && value >= step - 0.5; k++)
		value /= step;
	if (!isfinite(number))
		(void)snprintf(text, GB_TEXT_MAX, "-");
	else if (value >= 1e6) /* would not fit in text */
		(void)snprintf(text, GB_TEXT_MAX, "%.3g %s", copysign(value, number), unit[k]);
	else
		(void)snprintf(text, GB_TEXT_MAX, "%s%.*f %s", number < 0 ? "-" : "",
			       decimals(value), value, unit[k]);
	return text;
}

char *gb_text_bytes(char text[GB_TEXT_MAX], double bytes)
{
	static const char *const unit[] = { "B", "KiB", "MiB", "GiB", "TiB", "PiB" };

	(void)scaled(text, bytes, 1024, unit, GB_COUNT(unit));
	if (fabs(bytes) < 1023.5) /* whole */
		(void)snprintf(text, GB_TEXT_MAX, "%.0f B", bytes);
	return text;
}

char *gb_text_time(char text[GB_TEXT_MAX], double ns)
{
	static const char *const unit[] = { "ns", "us", "ms", "s" };

	return scaled(text, ns, 1000, unit, GB_COUNT(unit));
}

char *gb_text_wait(char text[GB_TEXT_MAX], double s)
{
	if (s < 100)
		(void)snprintf(text, GB_TEXT_MAX, "%.2g s", s);
	else if (s < 6000)
		(void)snprintf(text, GB_TEXT_MAX, "%.0f min", s / 60);
	else
		(void)snprintf(text, GB_TEXT_MAX, "%.1f h", s / 3600);
	return text;
}

char *gb_text_scaled(char text[GB_TEXT_MAX], double value)
{
	static const char *const prefix[] = { "", "k", "M", "G", "T", "P" };

	(void)scaled(text, value, 1000, prefix, GB_COUNT(prefix));
	if (fabs(value) < 999.5) /* a plain count has no trailing zeros */
		(void)snprintf(text, GB_TEXT_MAX, "%.3g", value);
	return text;
}

char *gb_text_int(char text[GB_TEXT_MAX], int64_t value)
{
	static const struct {
		int64_t factor;
		const char *suffix;
	} unit[] = {
		{ 1000, "k" },
		{ 1000000, "M" },
		{ 1000000000, "G" },
		{ INT64_C(1000000000000), "T" },
		{ INT64_C(1) << 10, "Ki" },
		{ INT64_C(1) << 20, "Mi" },
		{ INT64_C(1) << 30, "Gi" },
		{ INT64_C(1) << 40, "Ti" },
	};

	(void)snprintf(text, GB_TEXT_MAX, "%" PRId64, value);
	for (size_t k = 0; value && k < GB_COUNT(unit); k++) {
		char other[GB_TEXT_MAX];

		if (value % unit[k].factor)
			continue;
		(void)snprintf(other, sizeof other, "%" PRId64 "%s", value / unit[k].factor,
			       unit[k].suffix);
		if (strlen(other) < strlen(text))
			memcpy(text, other, strlen(other) + 1);
	}
	return text;
}

char *gb_text_real(char text[GB_TEXT_MAX], double value)
{
	if (fabs(value) <= 0x1p53 && !(fabs(value - trunc(value)) > 0)) {
		(void)snprintf(text, GB_TEXT_MAX, "%" PRId64, (int64_t)value);
		return text;
	}
	for (int digits = 6; digits <= 17; digits++) {
		(void)snprintf(text, GB_TEXT_MAX, "%.*g", digits, value);
		if (!(fabs(strtod(text, NULL) - value) > 0))
			break;
	}
	return text;
}

/* text is NUL-terminated, so reading ahead stops at its end. */
size_t gb_utf8_length(const char *text)
{
	const unsigned char *s = (const unsigned char *)text;
	size_t length;

	if (s[0] < 0x80)
		return 1;
	if (s[0] >= 0xc2 && s[0] <= 0xdf)
		length = 2;
	else if ((s[0] & 0xf0) == 0xe0)
		length = 3;
	else if (s[0] >= 0xf0 && s[0] <= 0xf4)
		length = 4;
	else
		return 0;
	for (size_t i = 1; i < length; i++)
		if ((s[i] & 0xc0) != 0x80)
			return 0;
	if ((s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] > 0x9f) ||
	    (s[0] == 0xf0 && s[1] < 0x90) || (s[0] == 0xf4 && s[1] > 0x8f))
		return 0;
	return length;
}

size_t gb_text_control(const char *text)
{
	static const struct {
		const char *first, *last; /* UTF-8 sorts like its code points */
	} control[] = {
		{ "\xc2\x80", "\xc2\x9f" }, /* C1 */
		{ "\u061c", "\u061c" },     /* text direction, here and below */
		{ "\u200e", "\u200f" },     { "\u2028", "\u202e" }, { "\u2066", "\u2069" },
	};
	const unsigned char c = (unsigned char)*text;
	const size_t length = gb_utf8_length(text);

	if (c < 0x80)
		return c && (c < ' ' || c == 0x7f);
	if (length == 0)
		return 1;
	for (size_t i = 0; i < GB_COUNT(control); i++)
		if (strlen(control[i].first) == length &&
		    memcmp(text, control[i].first, length) >= 0 &&
		    memcmp(text, control[i].last, length) <= 0)
			return length;
	return 0;
}

size_t gb_text_step(const char *text)
{
	const size_t control = gb_text_control(text);

	return control ? control : gb_utf8_length(text);
}

void gb_text_append(char *text, size_t size, const char *format, ...)
{
	const size_t used = strlen(text);
	va_list args;

	va_start(args, format);
	(void)vsnprintf(text + used, size - used, format, args);
	va_end(args);
}

void gb_text_print(FILE *file, const char *text)
{
	for (; *text; text += gb_text_step(text))
		if (gb_text_control(text))
			(void)fputc('?', file);
		else
			(void)fwrite(text, 1, gb_text_step(text), file);
}
