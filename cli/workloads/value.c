#include "cli/workloads/value.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/text.h"

static enum gb_status bad(const struct gb_param *param, const char *text, const char *wanted,
			  struct gb_error *err)
{
	return gb_fail(err, GB_EUSAGE, "--%s=%.80s: %s", param->name, text, wanted);
}

/* What a number's suffix multiplies it by; 0 if it is none. */
static int64_t unit_of(const char *suffix)
{
	static const struct {
		const char *suffix;
		int64_t scale;
	} units[] = {
		{ "", 1 },
		{ "k", 1000 },
		{ "M", 1000000 },
		{ "G", 1000000000 },
		{ "T", INT64_C(1000000000000) },
		{ "Ki", INT64_C(1) << 10 },
		{ "Mi", INT64_C(1) << 20 },
		{ "Gi", INT64_C(1) << 30 },
		{ "Ti", INT64_C(1) << 40 },
	};

	for (size_t i = 0; i < GB_COUNT(units); i++)
		if (gb_equal(suffix, units[i].suffix))
			return units[i].scale;
	return 0;
}

/* base^exponent; false if it does not fit. */
static bool power(int64_t base, int64_t exponent, int64_t *value)
{
	*value = 1;
	if (exponent < 0 || exponent > 63)
		return false;
	while (exponent-- > 0)
		if (__builtin_mul_overflow(*value, base, value))
			return false;
	return true;
}

static enum gb_status parse_int(const struct gb_param *param, const char *text, int64_t *value,
				struct gb_error *err)
{
	static const char wanted[] = "not an integer such as 4096, 10k, 16Mi or 2^20";
	char *end;
	int64_t scale;

	if (!strchr("+-0123456789", text[0]) || !text[0])
		return bad(param, text, wanted, err);
	errno = 0;
	*value = strtoll(text, &end, 10);
	if (end == text)
		return bad(param, text, wanted, err);
	if (errno == ERANGE)
		return bad(param, text, "does not fit in 64 bits", err);
	if (*end == '^') {
		const char *digits = end + 1;
		const int64_t exponent = strtoll(digits, &end, 10);

		if (end == digits || *end || digits[0] == ' ')
			return bad(param, text, wanted, err);
		if (!power(*value, exponent, value))
			return bad(param, text, "does not fit in 64 bits", err);
		return GB_OK;
	}
	scale = unit_of(end);
	if (scale == 0)
		return bad(param, text, wanted, err);
	if (__builtin_mul_overflow(*value, scale, value))
		return bad(param, text, "does not fit in 64 bits", err);
	return GB_OK;
}

static enum gb_status parse_float(const struct gb_param *param, const char *text, double *value,
				  struct gb_error *err)
{
	char *end;
	int64_t scale;

	if (!text[0] || !strchr("+-.0123456789", text[0]) || strpbrk(text, "xX"))
		return bad(param, text, "not a number", err);
	*value = strtod(text, &end);
	scale = end == text ? 0 : unit_of(end);
	if (scale == 0 || !isfinite(*value))
		return bad(param, text, "not a number", err);
	*value *= (double)scale;
	return GB_OK;
}

static enum gb_status parse_choice(const struct gb_param *param, const char *text, int64_t *value,
				   struct gb_error *err)
{
	char all[256];

	for (*value = 0; param->choices[*value]; ++*value)
		if (gb_equal(param->choices[*value], text))
			return GB_OK;
	gb_param_domain(param, all, sizeof all);
	return gb_fail(err, GB_EUSAGE, "--%s=%.80s: not one of %s", param->name, text, all);
}

enum gb_status gb_value_check(const struct gb_param *param, union gb_value value,
			      struct gb_error *err)
{
	if (param->type == GB_INT && (value.i < param->min || value.i > param->max))
		return gb_fail(err, GB_EUSAGE, "--%s=%" PRId64 " is outside %" PRId64 "..%" PRId64,
			       param->name, value.i, param->min, param->max);
	if (param->type == GB_FLOAT && !(value.f >= param->low && value.f <= param->high))
		return gb_fail(err, GB_EUSAGE, "--%s=%g is outside %g..%g", param->name, value.f,
			       param->low, param->high);
	return GB_OK;
}

enum gb_status gb_value_parse(const struct gb_param *param, const char *text, union gb_value *value,
			      struct gb_error *err)
{
	switch (param->type) {
	case GB_INT:
		if (parse_int(param, text, &value->i, err))
			return err->code;
		break;
	case GB_FLOAT:
		if (parse_float(param, text, &value->f, err))
			return err->code;
		break;
	case GB_CHOICE:
		return parse_choice(param, text, &value->i, err);
	case GB_PATH:
		if (!text[0])
			return bad(param, text, "is empty", err);
		value->s = text;
		return GB_OK;
	case GB_FLAG:
		value->i = 1;
		return GB_OK;
	}
	return gb_value_check(param, *value, err);
}

static size_t size_of(const struct gb_param *param)
{
	switch (param->type) {
	case GB_FLOAT:
		return sizeof(double);
	case GB_PATH:
		return sizeof(const char *);
	default:
		return sizeof(int64_t);
	}
}

void gb_value_store(const struct gb_param *param, void *params, union gb_value value)
{
	memcpy((unsigned char *)params + param->offset, &value, size_of(param));
}

union gb_value gb_value_load(const struct gb_param *param, const void *params)
{
	union gb_value value = { 0 };

	memcpy(&value, (const unsigned char *)params + param->offset, size_of(param));
	return value;
}

void gb_param_text(const struct gb_param *param, const void *params, char *text, size_t size)
{
	const union gb_value value = gb_value_load(param, params);
	char real[GB_TEXT_MAX];

	switch (param->type) {
	case GB_CHOICE:
		(void)snprintf(text, size, "%s", param->choices[value.i]);
		break;
	case GB_FLOAT:
		(void)snprintf(text, size, "%s", gb_text_real(real, value.f));
		break;
	case GB_PATH:
		(void)snprintf(text, size, "%s", value.s ? value.s : "");
		break;
	case GB_INT:
	case GB_FLAG:
		(void)snprintf(text, size, "%" PRId64, value.i);
		break;
	}
}

void gb_param_domain(const struct gb_param *param, char *text, size_t size)
{
	size_t length = 0;

	switch (param->type) {
	case GB_CHOICE:
		text[0] = '\0';
		for (size_t i = 0; param->choices[i] && length < size; i++) {
			const int n = snprintf(text + length, size - length, "%s%s", i ? "|" : "",
					       param->choices[i]);

			length += n > 0 ? (size_t)n : 0;
		}
		break;
	case GB_INT:
		(void)snprintf(text, size, "N");
		break;
	case GB_FLOAT:
		(void)snprintf(text, size, "X");
		break;
	case GB_PATH:
		(void)snprintf(text, size, "%s", param->unit ? param->unit : "FILE");
		break;
	case GB_FLAG:
		text[0] = '\0';
		break;
	}
}

enum gb_status gb_params_init(const struct gb_param *rows, size_t count, void *params,
			      size_t params_size, struct gb_error *err)
{
	memset(params, 0, params_size);
	for (size_t i = 0; i < count; i++) {
		union gb_value value = { 0 };

		if (!rows[i].initial)
			continue;
		if (gb_value_parse(&rows[i], rows[i].initial, &value, err))
			return err->code;
		gb_value_store(&rows[i], params, value);
	}
	return GB_OK;
}

const struct gb_param *gb_param_find(const struct gb_param *rows, size_t count, const char *name)
{
	for (size_t i = 0; i < count; i++)
		if (gb_equal(rows[i].name, name))
			return &rows[i];
	return NULL;
}
