/* value.c -- parse, check, store and format the values of parameters. */
#include "cli/benchmarks/value.h"

#include <ctype.h>
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/suggest.h"
#include "common/text.h"

static enum gb_status bad(const struct gb_param *param, const char *text, const char *wanted,
			  struct gb_error *err)
{
	return gb_fail(err, GB_EUSAGE, "--%s=%.80s: %s", param->name, text, wanted);
}

/* ---- numbers ------------------------------------------------------------------------------ */

struct unit {
	const char *suffix;
	long double factor;
};

/* The unit of a suffix; NULL if it is unknown. */
static const struct unit *unit_of(const char *suffix)
{
	static const struct unit units[] = {
		{ "", 1 },         { "%", 0.01L },    { "k", 1e3L },     { "M", 1e6L },
		{ "G", 1e9L },     { "T", 1e12L },    { "Ki", 0x1p10L }, { "Mi", 0x1p20L },
		{ "Gi", 0x1p30L }, { "Ti", 0x1p40L },
	};

	for (size_t i = 0; i < GB_COUNT(units); i++)
		if (gb_equal(suffix, units[i].suffix))
			return &units[i];
	return NULL;
}

/* The value of [+-] digits [. digits] [e exponent] [unit]; NAN for any other text. */
static long double number_of(const char *text, bool *percent)
{
	const char *at = text + (text[0] == '+' || text[0] == '-');
	const bool decimal = (isdigit((unsigned char)at[0]) || at[0] == '.') && at[1] != 'x';
	char *end;
	const long double number = strtold(text, &end);
	const struct unit *unit = unit_of(end);

	*percent = *end == '%';
	return decimal && unit ? number * unit->factor : (long double)NAN;
}

/* The value of BASE^EXPONENT; NAN if the text has another form. */
static long double power(const char *text)
{
	const char *digits = strchr(text, '^') + 1;
	long double value = 1;
	char *end, *exponent_end;
	const long exponent = strtol(digits, &exponent_end, 10);
	const long long base = strtoll(text, &end, 10);

	if (!isdigit((unsigned char)*digits) || *exponent_end || *end != '^' ||
	    !isdigit((unsigned char)text[text[0] == '+' || text[0] == '-']))
		return NAN;
	for (long i = 0; i < exponent && i < 64; i++)
		value *= (long double)base;
	return exponent < 64 ? value : INFINITY;
}

static enum gb_status parse_int(const struct gb_param *param, const char *text, int64_t *value,
				struct gb_error *err)
{
	bool percent = false;
	const long double x = strchr(text, '^') ? power(text) : number_of(text, &percent);
	/* 1.1M is whole, though 1.1 has no exact value. */
	const bool whole = fabsl(x - roundl(x)) <= fabsl(x) * 0x1p-60L;

	_Static_assert(LDBL_MANT_DIG >= 64, "a long double holds an int64_t");
	if (!percent && (roundl(x) < -0x1p63L || roundl(x) >= 0x1p63L))
		return bad(param, text, "does not fit in 64 bits", err);
	if (percent || !whole)
		return bad(param, text, "not an integer such as 4096, 10k, 16Mi or 2^20", err);
	*value = (int64_t)roundl(x);
	return GB_OK;
}

/* 5% is 0.05 for a parameter without a unit and 5 for one in percent. */
static enum gb_status parse_float(const struct gb_param *param, const char *text, double *value,
				  struct gb_error *err)
{
	bool percent;
	const long double x = number_of(text, &percent);
	const bool in_percent = param->unit && gb_equal(param->unit, "percent");

	*value = (double)(percent && in_percent ? 100 * x : x);
	if (!isfinite(*value) || (percent && param->unit && !in_percent))
		return bad(param, text, "not a number", err);
	return GB_OK;
}

static enum gb_status parse_choice(const struct gb_param *param, const char *text, int64_t *value,
				   struct gb_error *err)
{
	struct gb_suggest near = { .word = text };
	char all[256];

	for (*value = 0; param->choices[*value]; ++*value) {
		if (gb_equal(param->choices[*value], text))
			return GB_OK;
		gb_suggest_offer(&near, param->choices[*value]);
	}
	gb_param_domain(param, all, sizeof all);
	return gb_fail(err, GB_EUSAGE, "--%s=%.80s: not one of %s%s", param->name, text, all,
		       gb_suggest_text(&near, ""));
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

void gb_value_text(const struct gb_param *param, union gb_value value, char *text, size_t size)
{
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

void gb_param_text(const struct gb_param *param, const void *params, char *text, size_t size)
{
	gb_value_text(param, gb_value_load(param, params), text, size);
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

const char *gb_param_needs(const struct gb_param *param, const char *other)
{
	const size_t length = strlen(other);

	return param->only && !strncmp(param->only, other, length) && param->only[length] == '='
		       ? param->only + length + 1
		       : NULL;
}

bool gb_param_yields(const struct gb_param *param, const char *other)
{
	return param->only && param->only[0] == '!' && gb_equal(param->only + 1, other);
}

const struct gb_param *gb_param_find(const struct gb_param *rows, size_t count, const char *name)
{
	for (size_t i = 0; i < count; i++)
		if (gb_equal(rows[i].name, name))
			return &rows[i];
	return NULL;
}

int gb_threads_of(const struct gb_benchmark *benchmark, const struct gb_variant *variant,
		  const void *params)
{
	const struct gb_param *row =
		gb_param_find(benchmark->params, benchmark->param_count, "threads");

	if (variant->backend != GB_CPU)
		return 0;
	if (!row || (variant->ops && variant->ops->flags & GB_SERIAL))
		return 1;
	return (int)gb_value_load(row, params).i;
}
