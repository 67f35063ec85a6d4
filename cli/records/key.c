/* key.c -- builds the key of a measurement, and adds parameters that older records lack. */
#include "cli/records/key.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/workloads/value.h"
#include "common/text.h"

/* True if variants of the back end read the parameter. */
static bool is_read_by(const struct gb_param *param, enum gb_backend backend)
{
	return !param->backends || param->backends >> backend & 1;
}

bool gb_param_applies(const struct gb_param *param, const struct gb_variant *variant)
{
	const bool serial = variant->ops && variant->ops->flags & GB_SERIAL;

	return is_read_by(param, variant->backend) && !(serial && gb_equal(param->name, "threads"));
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

char *gb_record_key(const struct gb_workload *workload, const struct gb_variant *variant,
		    const void *params, struct gb_error *err)
{
	char *key = NULL;
	size_t size;
	FILE *stream = open_memstream(&key, &size);

	if (stream)
		(void)fprintf(stream, "%s/%s/%s", workload->name,
			      gb_backends[variant->backend]->name, variant->name);
	for (size_t i = 0; i < workload->param_count && stream; i++) {
		const struct gb_param *param = &workload->params[i];
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

struct gb_member gb_param_member(const struct gb_param *param, union gb_value value,
				 char digits[32])
{
	const int64_t exact = INT64_C(1) << 52;
	struct gb_member member = { .name = param->name, .kind = GB_VALUE_NUMBER };

	switch (param->type) {
	case GB_INT:
		member.number = (double)value.i;
		if (value.i > exact || value.i < -exact) {
			(void)snprintf(digits, 32, "%" PRId64, value.i);
			member.kind = GB_VALUE_TEXT;
			member.text = digits;
		}
		break;
	case GB_FLOAT:
		member.number = value.f;
		break;
	case GB_CHOICE:
		member.kind = GB_VALUE_TEXT;
		member.text = param->choices[value.i];
		break;
	case GB_FLAG:
		member.kind = GB_VALUE_FLAG;
		member.number = value.i != 0;
		break;
	case GB_PATH:
		member.kind = value.s ? GB_VALUE_TEXT : GB_VALUE_ABSENT;
		member.text = value.s;
		break;
	}
	return member;
}

/* Store the value of a record's parameter; false if this version does not know it. */
static bool store_member(const struct gb_workload *workload, const struct gb_member *member,
			 void *params)
{
	const struct gb_param *row =
		gb_param_find(workload->params, workload->param_count, member->name);
	struct gb_error ignored = { 0 };
	char number[GB_TEXT_MAX];
	union gb_value value;

	if (!row || member->kind == GB_VALUE_FLAG ||
	    gb_value_parse(row,
			   member->kind == GB_VALUE_TEXT ? member->text
							 : gb_text_real(number, member->number),
			   &value, &ignored))
		return false;
	gb_value_store(row, params, value);
	return true;
}

bool gb_key_agrees(const struct gb_workload *workload, const struct gb_record *record,
		   struct gb_error *err)
{
	const struct gb_variant variant = { .name = record->variant,
					    .backend = gb_backend_named(record->backend) };
	const bool is_named = workload && variant.backend != GB_BACKENDS;
	void *params = is_named ? calloc(1, workload->params_size) : NULL;
	bool agrees, known = true;
	char *key;

	if (is_named && !params)
		gb_out_of_memory(err, "the key of a record");
	for (size_t i = 0; params && i < workload->param_count; i++) {
		const struct gb_param *row = &workload->params[i];
		const char *left_out = row->keyed ? row->keyed : row->initial;
		union gb_value value;

		if (left_out && !gb_value_parse(row, left_out, &value, err))
			gb_value_store(row, params, value);
	}
	for (size_t i = 0; params && known && i < record->params.count; i++)
		known = store_member(workload, &record->params.item[i], params);
	key = params && !err->code ? gb_record_key(workload, &variant, params, err) : NULL;
	/* The variant, if other versions have other parameters. */
	if (key && !known)
		key[strcspn(key, " ")] = '\0';
	agrees = !key || (strncmp(key, record->key, strlen(key)) == 0 &&
			  strchr(known ? "" : " ", record->key[strlen(key)]));
	free(key);
	free(params);
	return agrees && !err->code;
}

enum gb_status gb_renew_params(const struct gb_workload *workload, struct gb_record *record,
			       struct gb_error *err)
{
	const enum gb_backend backend = gb_backend_named(record->backend);

	for (size_t i = 0; workload && record->params.count && i < workload->param_count; i++) {
		const struct gb_param *row = &workload->params[i];
		union gb_value value = { 0 };
		struct gb_member member;
		char digits[32];

		if (!row->keyed || gb_member_find(&record->params, row->name) ||
		    backend == GB_BACKENDS || !is_read_by(row, backend))
			continue;
		if (gb_value_parse(row, row->keyed, &value, err))
			return err->code;
		member = gb_param_member(row, value, digits);
		if (member.text != digits && !gb_members_add(&record->params, member))
			return gb_out_of_memory(err, "a record");
	}
	return GB_OK;
}
