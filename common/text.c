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

/* The length and the code point of the UTF-8 character at text; 0 if there is none.  Text is
 * NUL-terminated, so reading ahead stops at its end. */
static size_t decode(const char *text, uint32_t *code)
{
	static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 }; /* by length */
	const unsigned char *s = (const unsigned char *)text;
	const size_t length = s[0] < 0x80             ? 1
			      : (s[0] & 0xe0) == 0xc0 ? 2
			      : (s[0] & 0xf0) == 0xe0 ? 3
			      : (s[0] & 0xf8) == 0xf0 ? 4
						      : 0;

	*code = length < 2 ? s[0] : s[0] & (0x7fu >> length);
	for (size_t i = 1; i < length; i++) {
		if ((s[i] & 0xc0) != 0x80)
			return 0;
		*code = *code << 6 | (s[i] & 0x3f);
	}
	return *code < least[length] || *code > 0x10ffff || (*code >= 0xd800 && *code < 0xe000)
		       ? 0
		       : length;
}

size_t gb_utf8_length(const char *text)
{
	uint32_t code;

	return decode(text, &code);
}

size_t gb_text_control(const char *text)
{
	static const uint32_t control[][2] = {
		{ 0x01, 0x1f },     { 0x7f, 0x9f },     /* C0, DEL and C1 */
		{ 0x61c, 0x61c },   { 0x200e, 0x200f }, /* text direction, here and below */
		{ 0x2028, 0x202e }, { 0x2066, 0x2069 },
	};
	uint32_t code;
	const size_t length = decode(text, &code);

	for (size_t i = 0; i < GB_COUNT(control) && length; i++)
		if (code >= control[i][0] && code <= control[i][1])
			return length;
	return length == 0;
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
