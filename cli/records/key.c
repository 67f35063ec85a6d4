/* key.c -- builds the key of a measurement, and gives older records the parameters of today. */
#include "cli/records/key.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/benchmarks/value.h"
#include "common/text.h"

/* True if the variant of this back end and name reads the parameter. */
static bool is_read_by(const struct gb_param *param, enum gb_backend backend, const char *name)
{
	return (!param->backends || param->backends >> backend & 1) &&
	       (!param->variant || gb_equal(param->variant, name));
}

bool gb_param_applies(const struct gb_param *param, const struct gb_variant *variant)
{
	const bool serial = variant->ops && variant->ops->flags & GB_SERIAL;

	return is_read_by(param, variant->backend, variant->name) &&
	       !(serial && gb_equal(param->name, "threads"));
}

/* The longest spelled value, except for paths, which have no limit. */
enum { VALUE_TEXT = 256 };

/* True if keys omit the value. */
static bool is_left_out(const struct gb_param *param, const char *value)
{
	const char *left_out = param->keyed ? param->keyed : param->initial;
	struct gb_error ignored = { 0 };
	char text[VALUE_TEXT];
	union gb_value parsed = { 0 };

	if (param->type == GB_PATH)
		return left_out && gb_equal(left_out, value);
	if (left_out && gb_value_parse(param, left_out, &parsed, &ignored))
		return false;
	gb_value_text(param, parsed, text, sizeof text);
	return gb_equal(text, value);
}

char *gb_record_key(const struct gb_benchmark *benchmark, const struct gb_variant *variant,
		    const void *params, struct gb_error *err)
{
	char *key = NULL;
	size_t size;
	FILE *stream = open_memstream(&key, &size);

	if (stream)
		(void)fprintf(stream, "%s/%s/%s", benchmark->name,
			      gb_backends[variant->backend]->name, variant->name);
	for (size_t i = 0; i < benchmark->param_count && stream; i++) {
		const struct gb_param *param = &benchmark->params[i];
		char text[VALUE_TEXT];
		const char *value = text;

		if (!gb_param_applies(param, variant))
			continue;
		if (param->type == GB_PATH)
			value = gb_value_load(param, params).s;
		else
			gb_param_text(param, params, text, sizeof text);
		if (value && !is_left_out(param, value))
			(void)fprintf(stream, " %s=%s", param->name, value);
	}
	if (stream && !(ferror(stream) | fclose(stream)))
		return key;
	free(key);
	gb_out_of_memory(err, "the key of a record");
	return NULL;
}

/* ---- parameters --------------------------------------------------------------------------- */

struct gb_field_value gb_param_value(const struct gb_param *param, union gb_value value,
				     char digits[32])
{
	const int64_t exact = INT64_C(1) << 52;

	if (param->type == GB_CHOICE)
		value.s = param->choices[value.i];
	if (param->type == GB_INT && (value.i > exact || value.i < -exact)) {
		(void)snprintf(digits, 32, "%" PRId64, value.i);
		value.s = digits;
	} else if (param->type == GB_INT) {
		return (struct gb_field_value){ GB_VALUE_NUMBER, (double)value.i, NULL };
	} else if (param->type == GB_FLOAT) {
		return (struct gb_field_value){ GB_VALUE_NUMBER, value.f, NULL };
	} else if (param->type == GB_FLAG) {
		return (struct gb_field_value){ GB_VALUE_FLAG, value.i != 0, NULL };
	}
	return (struct gb_field_value){ value.s ? GB_VALUE_TEXT : GB_VALUE_ABSENT, 0, value.s };
}

static bool is_in_key(const char *key, const char *name)
{
	char word[VALUE_TEXT];

	(void)snprintf(word, sizeof word, " %s=", name);
	return strstr(key, word);
}

/* Drop the parameters that the benchmark has lost.  The key omits them: they had the value that
 * every measurement has now. */
static void drop_params(const struct gb_benchmark *benchmark, struct gb_record *record)
{
	struct gb_members *params = &record->params;
	size_t kept = 0;

	for (size_t i = 0; i < params->count; i++) {
		const char *name = params->item[i].name;

		if (gb_param_find(benchmark->params, benchmark->param_count, name) ||
		    is_in_key(record->key, name))
			params->item[kept++] = params->item[i];
	}
	params->count = kept;
}

enum gb_status gb_renew_params(const struct gb_benchmark *benchmark, struct gb_record *record,
			       struct gb_error *err)
{
	const enum gb_backend backend = gb_backend_named(record->backend);

	drop_params(benchmark, record);
	for (size_t i = 0; record->params.count && i < benchmark->param_count; i++) {
		const struct gb_param *row = &benchmark->params[i];
		union gb_value value = { 0 };
		struct gb_member member;
		char digits[32];

		if (!row->keyed || gb_member_value(&record->params, row->name).kind ||
		    backend == GB_BACKENDS || !is_read_by(row, backend, record->variant))
			continue;
		if (gb_value_parse(row, row->keyed, &value, err))
			return err->code;
		member = (struct gb_member){ row->name, gb_param_value(row, value, digits) };
		if (member.value.text != digits && !gb_members_add(&record->params, member))
			return gb_out_of_memory(err, "a record");
	}
	return GB_OK;
}
