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

/* ---- the text of a key -------------------------------------------------------------------- */

/* Spelled values but paths, which may be longer than any buffer. */
enum { VALUE_TEXT = 256 };

/* A key being written. */
struct writer {
	FILE *stream;
	char *key;
	size_t size;
};

static bool begin(struct writer *w, const char *bench, const char *backend, const char *variant)
{
	*w = (struct writer){ 0 };
	w->stream = open_memstream(&w->key, &w->size);
	return w->stream && fprintf(w->stream, "%s/%s/%s", bench, backend, variant) > 0;
}

/* The finished key; NULL if memory ran out. */
static char *end(struct writer *w, struct gb_error *err)
{
	const bool failed = !w->stream || (ferror(w->stream) | fclose(w->stream));

	if (!failed)
		return w->key;
	free(w->key);
	gb_out_of_memory(err, "the key of a record");
	return NULL;
}

/* Whether keys leave the value out. */
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

static void put(const struct writer *w, const struct gb_param *param, const char *value)
{
	if (w->stream && !is_left_out(param, value))
		(void)fprintf(w->stream, " %s=%s", param->name, value);
}

/* ---- of a measurement --------------------------------------------------------------------- */

char *gb_record_key(const struct gb_workload *workload, const struct gb_variant *variant,
		    const void *params, struct gb_error *err)
{
	struct writer w;

	(void)begin(&w, workload->name, gb_backends[variant->backend]->name, variant->name);
	for (size_t i = 0; i < workload->param_count; i++) {
		const struct gb_param *param = &workload->params[i];
		const char *path = NULL;
		char text[VALUE_TEXT];

		if (!gb_param_applies(param, variant))
			continue;
		if (param->type == GB_PATH)
			path = gb_value_load(param, params).s;
		else
			gb_param_text(param, params, text, sizeof text);
		if (path || param->type != GB_PATH)
			put(&w, param, path ? path : text);
	}
	return end(&w, err);
}

/* ---- a record as of now ------------------------------------------------------------------- */

struct gb_member gb_param_member(const struct gb_param *param, union gb_value value,
				 char digits[32])
{
	const int64_t exact = INT64_C(1) << 52;
	struct gb_member member = { .name = param->name };

	switch (param->type) {
	case GB_INT:
		member.number = (double)value.i;
		if (value.i > exact || value.i < -exact) {
			(void)snprintf(digits, 32, "%" PRId64, value.i);
			member.kind = GB_MEMBER_TEXT;
			member.text = digits;
		}
		break;
	case GB_FLOAT:
		member.number = value.f;
		break;
	case GB_CHOICE:
		member.kind = GB_MEMBER_TEXT;
		member.text = param->choices[value.i];
		break;
	case GB_FLAG:
		member.kind = GB_MEMBER_FLAG;
		member.number = value.i != 0;
		break;
	case GB_PATH:
		member.kind = GB_MEMBER_TEXT;
		member.text = value.s;
		member.name = value.s ? param->name : NULL;
		break;
	}
	return member;
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
		if (member.name && member.text != digits &&
		    !gb_members_add(&record->params, member))
			return gb_out_of_memory(err, "a record");
	}
	return GB_OK;
}
