#include "cli/records/key.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/records/json.h"
#include "cli/workloads/value.h"
#include "common/text.h"

bool gb_param_means(const struct gb_param *param, enum gb_backend backend)
{
	return !param->backends || param->backends >> backend & 1;
}

bool gb_param_applies(const struct gb_param *param, const struct gb_variant *variant)
{
	const bool serial = variant->ops && variant->ops->flags & GB_SERIAL;

	return gb_param_means(param, variant->backend) &&
	       !(serial && gb_equal(param->name, "threads"));
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

/* ---- of a record that was read ------------------------------------------------------------ */

/* A member of "params" as keys spell it. */
static const char *member_text(const cJSON *member, char text[VALUE_TEXT])
{
	if (cJSON_IsString(member))
		return member->valuestring;
	if (cJSON_IsNumber(member))
		return gb_text_real(text, member->valuedouble);
	(void)snprintf(text, VALUE_TEXT, "%d", cJSON_IsTrue(member) ? 1 : 0);
	return text;
}

/* What follows prefix in text; NULL if text does not begin with it. */
static const char *after(const char *text, const char *prefix)
{
	const size_t length = strlen(prefix);

	return text && strncmp(text, prefix, length) == 0 ? text + length : NULL;
}

/* If the text goes on with the member's name and value, what follows them; else text.  Numbers have
 * had other spellings. */
static const char *skip_member(const char *text, const cJSON *member)
{
	const char *value = after(after(after(text, " "), member->string), "=");

	if (!value)
		return text;
	if (cJSON_IsString(member))
		return after(value, member->valuestring) ? after(value, member->valuestring) : text;
	return value + strcspn(value, " ");
}

/* Whether the key is the record's variant and some of its parameters. */
static bool is_made_of(const char *key, const cJSON *record)
{
	const cJSON *member;

	key = after(after(key, gb_json_text(record, "bench")), "/");
	key = after(after(key, gb_json_text(record, "backend")), "/");
	key = after(key, gb_json_text(record, "variant"));
	cJSON_ArrayForEach(member, gb_json_at(record, "params"))
	{
		key = key ? skip_member(key, member) : NULL;
	}
	return key && !*key;
}

/* Whether the stored key, made of the record's members, has this one. */
static bool has_member(const char *key, const cJSON *record, const cJSON *wanted)
{
	const cJSON *member;

	key = strchr(key, ' ');
	cJSON_ArrayForEach(member, gb_json_at(record, "params"))
	{
		const char *next = key ? skip_member(key, member) : NULL;

		if (member == wanted)
			return next != key;
		key = next;
	}
	return false;
}

char *gb_key_of_record(const struct gb_workload *workload, const cJSON *record,
		       struct gb_error *err)
{
	const cJSON *params = gb_json_at(record, "params"), *member;
	const char *stored = gb_json_text(record, "key");
	const size_t rows = workload ? workload->param_count : 0;
	char text[VALUE_TEXT];
	struct writer w;

	if (!is_made_of(stored, record)) {
		char *copy = strdup(stored);

		if (!copy)
			gb_out_of_memory(err, "a record");
		return copy;
	}
	(void)begin(&w, gb_json_text(record, "bench"), gb_json_text(record, "backend"),
		    gb_json_text(record, "variant"));
	for (size_t i = 0; i < rows; i++) {
		member = gb_json_at(params, workload->params[i].name);
		if (member)
			put(&w, &workload->params[i], member_text(member, text));
	}
	cJSON_ArrayForEach(member, params)
	{
		const bool known = rows && gb_param_find(workload->params, rows, member->string);

		if (!known && w.stream && has_member(stored, record, member))
			(void)fprintf(w.stream, " %s=%s", member->string,
				      member_text(member, text));
	}
	return end(&w, err);
}

/* ---- a record as of now ------------------------------------------------------------------- */

bool gb_put_param(cJSON *object, const struct gb_param *param, union gb_value value)
{
	switch (param->type) {
	case GB_INT:
		return gb_json_put_int(object, param->name, value.i);
	case GB_FLOAT:
		return gb_json_put_number(object, param->name, value.f);
	case GB_CHOICE:
		return gb_json_put_text(object, param->name, param->choices[value.i]);
	case GB_FLAG:
		return gb_json_put_bool(object, param->name, value.i != 0);
	case GB_PATH:
		return !value.s || gb_json_put_text(object, param->name, value.s);
	}
	return false;
}

static enum gb_status add_params(const struct gb_workload *workload, cJSON *record,
				 struct gb_error *err)
{
	const char *name = gb_json_text(record, "backend");
	const enum gb_backend backend = gb_backend_named(name ? name : "");
	cJSON *params = cJSON_GetObjectItemCaseSensitive(record, "params");

	for (size_t i = 0; i < workload->param_count; i++) {
		const struct gb_param *row = &workload->params[i];
		union gb_value value = { 0 };

		if (!row->keyed || gb_json_at(params, row->name) || backend == GB_BACKENDS ||
		    !gb_param_means(row, backend))
			continue;
		if (gb_value_parse(row, row->keyed, &value, err))
			return err->code;
		if (!gb_put_param(params, row, value))
			return gb_out_of_memory(err, "a record");
	}
	return GB_OK;
}

enum gb_status gb_renew_record(const struct gb_workload *workload, cJSON *record,
			       struct gb_error *err)
{
	const bool ours = is_made_of(gb_json_text(record, "key"), record);
	char *key = gb_key_of_record(workload, record, err);

	if (!key)
		return err->code;
	if (!cJSON_SetValuestring(cJSON_GetObjectItemCaseSensitive(record, "key"), key))
		gb_out_of_memory(err, "a record");
	else if (workload && ours)
		(void)add_params(workload, record, err);
	free(key);
	return err->code;
}
