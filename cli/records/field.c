#include "cli/records/field.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/records/json.h"
#include "common/text.h"

static const struct gb_times no_times = { .median = NAN, .ci_low = NAN, .ci_high = NAN };

/* The member of a struct that a field describes. */
static void *at(const struct gb_field *field, void *of)
{
	return (char *)of + field->offset;
}

static const void *in(const struct gb_field *field, const void *of)
{
	return (const char *)of + field->offset;
}

/* ---- reading ------------------------------------------------------------------------------ */

static const char *fault_of(char fault[GB_FAULT_MAX], const char *path, const char *what)
{
	(void)snprintf(fault, GB_FAULT_MAX, "\"%.60s\" %s", path, what);
	return fault;
}

static size_t children(const cJSON *item)
{
	return (size_t)cJSON_GetArraySize(item);
}

static bool is_number(const cJSON *item)
{
	return cJSON_IsNumber(item) && isfinite(item->valuedouble);
}

/* The numbers of an array; null, where it is allowed, is NAN.  NULL without a fault if memory ran out. */
static double *read_array(const cJSON *item, bool null_allowed, size_t *count, const char **wrong)
{
	double *value = malloc((children(item) + 1) * sizeof *value);
	const cJSON *element;

	*count = 0;
	*wrong = cJSON_IsArray(item) ? NULL : "is not an array of numbers";
	cJSON_ArrayForEach(element, item)
	{
		const bool is_null = null_allowed && cJSON_IsNull(element);

		if (!is_number(element) && !is_null)
			*wrong = "is not an array of numbers";
		else if (value)
			value[(*count)++] = is_null ? (double)NAN : element->valuedouble;
	}
	return value;
}

static double end_of(const cJSON *interval, int end)
{
	const cJSON *item = cJSON_GetArrayItem(interval, end);

	return cJSON_IsArray(interval) && is_number(item) ? item->valuedouble : (double)NAN;
}

static const char *read_times(cJSON *series, struct gb_times *times)
{
	cJSON *samples = cJSON_GetObjectItemCaseSensitive(series, "samples");
	const cJSON *interval = gb_json_at(series, "ci95");
	const char *wrong;

	times->clock = gb_json_text(series, "clock");
	if (!is_number(gb_json_at(series, "median")))
		return "lacks its \"median\"";
	times->sample = read_array(samples, false, &times->count, &wrong);
	if (!wrong && times->sample && !times->count)
		wrong = "";
	if (wrong)
		return "lacks its \"samples\", an array of numbers";
	if (!times->sample)
		return "";
	times->median = gb_json_number(series, "median");
	times->ci_low = end_of(interval, 0);
	times->ci_high = end_of(interval, 1);
	cJSON_Delete(cJSON_DetachItemViaPointer(series, samples));
	return NULL;
}

static const char *read_phases(cJSON *item, struct gb_phases *phases)
{
	cJSON *phase;

	phases->item = calloc(children(item) + 1, sizeof *phases->item);
	if (!phases->item)
		return "";
	cJSON_ArrayForEach(phase, item)
	{
		struct gb_named_times *to = &phases->item[phases->count++];
		const char *wrong = read_times(phase, &to->time);

		to->name = phase->string ? phase->string : "";
		if (wrong)
			return wrong;
	}
	return NULL;
}

static const char *read_texts(const cJSON *item, struct gb_texts *texts)
{
	const cJSON *element;

	texts->text = calloc(children(item) + 1, sizeof *texts->text);
	if (!texts->text)
		return "";
	cJSON_ArrayForEach(element, item)
	{
		if (!cJSON_IsString(element))
			return "is not an array of texts";
		texts->text[texts->count++] = element->valuestring;
	}
	return cJSON_IsArray(item) ? NULL : "is not an array of texts";
}

static const char *read_members(const cJSON *item, struct gb_members *members)
{
	const cJSON *member;

	if (!cJSON_IsObject(item))
		return "is not an object";
	cJSON_ArrayForEach(member, item)
	{
		struct gb_member m = { .name = member->string ? member->string : "" };

		if (cJSON_IsNull(member))
			continue;
		if (!cJSON_IsNumber(member) && !cJSON_IsString(member) && !cJSON_IsBool(member))
			return "has a value that is neither a number nor a word";
		m.kind = cJSON_IsNumber(member)   ? GB_MEMBER_NUMBER
			 : cJSON_IsString(member) ? GB_MEMBER_TEXT
						  : GB_MEMBER_FLAG;
		m.number =
			cJSON_IsNumber(member) ? member->valuedouble : (double)cJSON_IsTrue(member);
		m.text = m.kind == GB_MEMBER_TEXT ? member->valuestring : NULL;
		if (!gb_members_add(members, m))
			return "";
	}
	return NULL;
}

static const char *read_word(const struct gb_field *field, const cJSON *item, int *to)
{
	for (int i = 0; cJSON_IsString(item) && field->words[i]; i++)
		if (gb_equal(field->words[i], item->valuestring)) {
			*to = i;
			return NULL;
		}
	return "is unknown";
}

/* NULL, "" if memory ran out, or what is wrong with the item. */
static const char *read_field(const struct gb_field *field, cJSON *item, void *of)
{
	void *to = at(field, of);
	struct gb_numbers *numbers = to;
	const char *wrong;

	switch (field->type) {
	case GB_FIELD_TEXT:
		*(const char **)to = cJSON_IsString(item) ? item->valuestring : NULL;
		return cJSON_IsString(item) ? NULL : "is not a text";
	case GB_FIELD_NUMBER:
		*(double *)to = is_number(item) ? item->valuedouble : (double)NAN;
		return is_number(item) ? NULL : "is not a number";
	case GB_FIELD_BOOL:
		*(bool *)to = cJSON_IsTrue(item);
		return cJSON_IsBool(item) ? NULL : "is neither true nor false";
	case GB_FIELD_FLAG:
		*(enum gb_flag *)to = cJSON_IsTrue(item) ? GB_YES : GB_NO;
		return cJSON_IsBool(item) ? NULL : "is neither true nor false";
	case GB_FIELD_WORD:
		return read_word(field, item, to);
	case GB_FIELD_NUMBERS:
		numbers->value = read_array(item, true, &numbers->count, &wrong);
		return wrong ? wrong : numbers->value ? NULL : "";
	case GB_FIELD_TEXTS:
		return read_texts(item, to);
	case GB_FIELD_MEMBERS:
		return read_members(item, to);
	case GB_FIELD_TIMES:
		return read_times(item, to);
	case GB_FIELD_PHASES:
		return read_phases(item, to);
	}
	return NULL;
}

void gb_fields_clear(const struct gb_field *field, size_t count, void *to)
{
	for (size_t i = 0; i < count; i++) {
		if (field[i].type == GB_FIELD_NUMBER)
			*(double *)at(&field[i], to) = NAN;
		if (field[i].type == GB_FIELD_TIMES)
			*(struct gb_times *)at(&field[i], to) = no_times;
	}
}

/* A table being read.  Members mostly come in the order of the table; of two of one name the first
 * counts. */
struct reading {
	const struct gb_field *field;
	size_t count, next;
	void *to;
	char *fault;
	uint64_t seen[2]; /* fields, by bits */
};

/* The field of the member `name` of the object at `before` ("host."), or the first of those within
 * it; count if there is none. */
static size_t find_field(const struct reading *r, const char *before, size_t length,
			 const char *name)
{
	const size_t size = strlen(name);

	for (size_t i = 0; i < r->count; i++) {
		const size_t at = (r->next + i) % r->count;
		const char *path = r->field[at].path;

		if (strncmp(path, before, length) == 0 && strncmp(path + length, name, size) == 0 &&
		    (path[length + size] == '\0' || path[length + size] == '.'))
			return at;
	}
	return r->count;
}

static const char *read_object(struct reading *r, const char *before, size_t length, cJSON *object)
{
	cJSON *item = object->child, *next;
	const char *wrong = NULL;

	for (; item && !wrong; item = next) {
		const size_t at = find_field(r, before, length, item->string ? item->string : "");
		const size_t end = length + strlen(item->string ? item->string : "");

		next = item->next;
		if (at == r->count || cJSON_IsNull(item))
			continue;
		r->next = at;
		if (r->field[at].path[end] == '.') {
			wrong = cJSON_IsObject(item)
					? read_object(r, r->field[at].path, end + 1, item)
					: NULL;
			continue;
		}
		if (r->seen[at / 64] >> at % 64 & 1)
			continue;
		r->seen[at / 64] |= UINT64_C(1) << at % 64;
		wrong = read_field(&r->field[at], item, r->to);
		if (wrong && wrong[0])
			wrong = fault_of(r->fault, r->field[at].path, wrong);
	}
	return wrong;
}

const char *gb_fields_read(const struct gb_field *field, size_t count, cJSON *object, void *to,
			   char fault[GB_FAULT_MAX])
{
	struct reading r = { field, count, 0, to, fault, { 0 } };
	const char *wrong;

	gb_fields_clear(field, count, to);
	wrong = read_object(&r, "", 0, object);
	for (size_t i = 0; i < count && !wrong; i++) {
		const cJSON *item = field[i].required ? gb_json_at(object, field[i].path) : object;

		if (!item || cJSON_IsNull(item))
			wrong = fault_of(fault, field[i].path, "is missing");
	}
	return wrong;
}

void gb_fields_release(const struct gb_field *field, size_t count, void *of)
{
	for (size_t i = 0; i < count; i++) {
		void *to = at(&field[i], of);
		struct gb_phases *phases = to;

		switch (field[i].type) {
		case GB_FIELD_TIMES:
			gb_times_release(to);
			break;
		case GB_FIELD_NUMBERS:
			free(((struct gb_numbers *)to)->value);
			break;
		case GB_FIELD_TEXTS:
			free(((struct gb_texts *)to)->text);
			break;
		case GB_FIELD_MEMBERS:
			free(((struct gb_members *)to)->item);
			break;
		case GB_FIELD_PHASES:
			for (size_t k = 0; k < phases->count; k++)
				gb_times_release(&phases->item[k].time);
			free(phases->item);
			break;
		default:
			break;
		}
	}
}

/* ---- writing ------------------------------------------------------------------------------ */

/* Values in ns are rounded to 1/1000 ns, far below any clock's resolution, which halves the size of a
 * file full of samples. */
static double rounded(double ns)
{
	return round(ns * 1e3) / 1e3;
}

static cJSON *array_of(const double *value, size_t count, bool ns)
{
	cJSON *array = cJSON_CreateArray();

	for (size_t i = 0; i < count; i++)
		if (!gb_json_append_number(array, ns ? rounded(value[i]) : value[i])) {
			cJSON_Delete(array);
			return NULL;
		}
	return array;
}

static cJSON *object_of_times(const struct gb_times *times)
{
	const double interval[] = { times->ci_low, times->ci_high };
	cJSON *object = cJSON_CreateObject();

	if (object && (!times->clock || gb_json_put_text(object, "clock", times->clock)) &&
	    gb_json_put_number(object, "median", rounded(times->median)) &&
	    (isnan(interval[0]) || gb_json_put(object, "ci95", array_of(interval, 2, true))) &&
	    (!times->count ||
	     gb_json_put(object, "samples", array_of(times->sample, times->count, true))))
		return object;
	cJSON_Delete(object);
	return NULL;
}

static cJSON *object_of_phases(const struct gb_phases *phases)
{
	cJSON *object = cJSON_CreateObject();

	for (size_t i = 0; i < phases->count; i++)
		if (!gb_json_put(object, phases->item[i].name,
				 object_of_times(&phases->item[i].time))) {
			cJSON_Delete(object);
			return NULL;
		}
	return object;
}

static cJSON *array_of_texts(const struct gb_texts *texts)
{
	cJSON *array = cJSON_CreateArray();

	for (size_t i = 0; i < texts->count; i++)
		if (!gb_json_append_text(array, texts->text[i])) {
			cJSON_Delete(array);
			return NULL;
		}
	return array;
}

static cJSON *object_of_members(const struct gb_members *members)
{
	cJSON *object = cJSON_CreateObject();

	for (size_t i = 0; i < members->count; i++) {
		const struct gb_member *m = &members->item[i];
		const bool ok = m->kind == GB_MEMBER_TEXT
					? gb_json_put_text(object, m->name, m->text)
				: m->kind == GB_MEMBER_FLAG
					? gb_json_put_bool(object, m->name, m->number > 0)
					: !isfinite(m->number) ||
						  gb_json_put_number(object, m->name, m->number);

		if (!ok) {
			cJSON_Delete(object);
			return NULL;
		}
	}
	return object;
}

/* True if there is nothing to write. */
static bool is_absent(const struct gb_field *field, const void *of)
{
	const void *from = in(field, of);

	switch (field->type) {
	case GB_FIELD_TEXT:
		return !*(const char *const *)from;
	case GB_FIELD_NUMBER:
		return !isfinite(*(const double *)from);
	case GB_FIELD_BOOL:
		return !*(const bool *)from;
	case GB_FIELD_FLAG:
		return *(const enum gb_flag *)from == GB_UNKNOWN;
	case GB_FIELD_NUMBERS:
		return !((const struct gb_numbers *)from)->count;
	case GB_FIELD_TEXTS:
		return !((const struct gb_texts *)from)->count;
	case GB_FIELD_TIMES:
		return isnan(((const struct gb_times *)from)->median);
	case GB_FIELD_PHASES:
		return !((const struct gb_phases *)from)->count;
	case GB_FIELD_MEMBERS:
		return !field->required && !((const struct gb_members *)from)->count;
	case GB_FIELD_WORD:
		return !field->words[*(const int *)from][0];
	}
	return true;
}

/* NULL if memory ran out. */
static cJSON *item_of(const struct gb_field *field, const void *of)
{
	const void *from = in(field, of);
	const struct gb_numbers *numbers = from;

	switch (field->type) {
	case GB_FIELD_TEXT:
		return gb_json_string(*(const char *const *)from);
	case GB_FIELD_NUMBER:
		return cJSON_CreateNumber(*(const double *)from);
	case GB_FIELD_BOOL:
		return cJSON_CreateTrue();
	case GB_FIELD_FLAG:
		return cJSON_CreateBool(*(const enum gb_flag *)from == GB_YES);
	case GB_FIELD_WORD:
		return cJSON_CreateString(field->words[*(const int *)from]);
	case GB_FIELD_NUMBERS:
		return array_of(numbers->value, numbers->count, false);
	case GB_FIELD_TEXTS:
		return array_of_texts(from);
	case GB_FIELD_MEMBERS:
		return object_of_members(from);
	case GB_FIELD_TIMES:
		return object_of_times(from);
	case GB_FIELD_PHASES:
		return object_of_phases(from);
	}
	return NULL;
}

/* The object that a path's last word is a member of, which is made if it is not there. */
static cJSON *parent_of(cJSON *object, const char *path, const char **name)
{
	const char *dot = strchr(path, '.');
	char word[64];
	cJSON *inner;

	*name = path;
	if (!dot || !object)
		return object;
	(void)snprintf(word, sizeof word, "%.*s", (int)(dot - path), path);
	inner = cJSON_GetObjectItemCaseSensitive(object, word);
	if (!inner)
		inner = cJSON_AddObjectToObject(object, word);
	return parent_of(inner, dot + 1, name);
}

bool gb_fields_write(const struct gb_field *field, size_t count, const void *from, cJSON *object)
{
	for (size_t i = 0; i < count; i++) {
		const char *name;
		cJSON *parent;

		if (is_absent(&field[i], from))
			continue;
		parent = parent_of(object, field[i].path, &name);
		if (!gb_json_put(parent, name, item_of(&field[i], from)))
			return false;
	}
	return true;
}

/* How the table knows a path: not at all, as a field, or as an object of fields. */
enum known { UNKNOWN, FIELD, OBJECT };

static enum known known(const struct gb_field *field, size_t count, const char *path)
{
	const size_t length = strlen(path);

	for (size_t i = 0; i < count; i++)
		if (strncmp(field[i].path, path, length) == 0) {
			if (field[i].path[length] == '\0')
				return FIELD;
			if (field[i].path[length] == '.')
				return OBJECT;
		}
	return UNKNOWN;
}

static bool keep(cJSON *object, const cJSON *member)
{
	const bool empty = (cJSON_IsArray(member) || cJSON_IsObject(member)) && !member->child;

	return empty || cJSON_GetObjectItemCaseSensitive(object, member->string) ||
	       gb_json_put(object, member->string, cJSON_Duplicate(member, 1));
}

static bool keep_unknown(const struct gb_field *field, size_t count, const cJSON *from,
			 const char *before, cJSON *object)
{
	const cJSON *member;

	cJSON_ArrayForEach(member, from)
	{
		const char *name;
		char path[128];
		enum known how;

		if (!member->string)
			continue;
		(void)snprintf(path, sizeof path, "%s%.60s", before, member->string);
		how = known(field, count, path);
		if (how == OBJECT) {
			(void)strncat(path, ".", sizeof path - strlen(path) - 1);
			if (cJSON_IsObject(member) &&
			    !keep_unknown(field, count, member, path, object))
				return false;
		} else if (how == UNKNOWN && !keep(parent_of(object, path, &name), member)) {
			return false;
		}
	}
	return true;
}

bool gb_fields_keep_unknown(const struct gb_field *field, size_t count, const cJSON *from,
			    cJSON *object)
{
	return keep_unknown(field, count, from, "", object);
}

struct gb_summary gb_times_summary(const struct gb_times *times)
{
	struct gb_error err = { 0 };
	struct gb_summary sum;

	(void)gb_summarize(times->sample, times->count, &sum, &err);
	sum.median = times->median;
	sum.ci_low = times->ci_low;
	sum.ci_high = times->ci_high;
	return sum;
}

void gb_times_release(struct gb_times *times)
{
	free(times->sample);
	*times = no_times;
}

/* ---- by path ------------------------------------------------------------------------------ */

static struct gb_field_value number_value(double number)
{
	return (struct gb_field_value){ isnan(number) ? GB_VALUE_ABSENT : GB_VALUE_NUMBER, number,
					NULL };
}

static struct gb_field_value text_value(const char *text)
{
	return (struct gb_field_value){ text ? GB_VALUE_TEXT : GB_VALUE_ABSENT, 0, text };
}

static struct gb_field_value summary_value(const struct gb_times *times, const char *stat)
{
	static const struct {
		const char *name;
		size_t offset;
	} stats[] = {
		{ "ci95.low", offsetof(struct gb_summary, ci_low) },
		{ "ci95.high", offsetof(struct gb_summary, ci_high) },
		{ "min", offsetof(struct gb_summary, min) },
		{ "q1", offsetof(struct gb_summary, q1) },
		{ "q3", offsetof(struct gb_summary, q3) },
		{ "max", offsetof(struct gb_summary, max) },
		{ "mean", offsetof(struct gb_summary, mean) },
		{ "mean_ci95.low", offsetof(struct gb_summary, mean_ci_low) },
		{ "mean_ci95.high", offsetof(struct gb_summary, mean_ci_high) },
		{ "stddev", offsetof(struct gb_summary, stddev) },
		{ "mad", offsetof(struct gb_summary, mad) },
	};

	struct gb_summary sum;

	if (isnan(times->median) || gb_equal(stat, "median"))
		return number_value(times->median);
	sum = gb_times_summary(times);
	if (gb_equal(stat, "n"))
		return number_value((double)sum.count);
	if (gb_equal(stat, "outliers"))
		return number_value((double)sum.outliers);
	for (size_t i = 0; i < GB_COUNT(stats); i++)
		if (gb_equal(stats[i].name, stat))
			return number_value(
				*(const double *)((const char *)&sum + stats[i].offset));
	return (struct gb_field_value){ 0 };
}

static struct gb_field_value member_value(const struct gb_member *member)
{
	static const enum gb_value_kind kinds[] = { [GB_MEMBER_NUMBER] = GB_VALUE_NUMBER,
						    [GB_MEMBER_TEXT] = GB_VALUE_TEXT,
						    [GB_MEMBER_FLAG] = GB_VALUE_FLAG };

	return member ? (struct gb_field_value){ kinds[member->kind], member->number, member->text }
		      : (struct gb_field_value){ 0 };
}

/* The value of a field; rest: what the path has behind the field's own. */
static struct gb_field_value value_of(const struct gb_field *field, const void *of,
				      const char *rest)
{
	const void *from = in(field, of);
	const struct gb_phases *phases = from;
	const size_t length = strcspn(rest, ".");

	switch (field->type) {
	case GB_FIELD_TEXT:
		return text_value(*(const char *const *)from);
	case GB_FIELD_NUMBER:
		return number_value(*(const double *)from);
	case GB_FIELD_BOOL:
		return (struct gb_field_value){ GB_VALUE_FLAG, *(const bool *)from, NULL };
	case GB_FIELD_FLAG:
		if (*(const enum gb_flag *)from == GB_UNKNOWN)
			break;
		return (struct gb_field_value){ GB_VALUE_FLAG,
						*(const enum gb_flag *)from == GB_YES, NULL };
	case GB_FIELD_WORD:
		if (!field->words[*(const int *)from][0])
			break;
		return text_value(field->words[*(const int *)from]);
	case GB_FIELD_MEMBERS:
		return member_value(gb_member_find(from, rest));
	case GB_FIELD_TIMES:
		return summary_value(from, rest);
	case GB_FIELD_PHASES:
		for (size_t i = 0; i < phases->count && rest[length]; i++)
			if (strncmp(phases->item[i].name, rest, length) == 0 &&
			    !phases->item[i].name[length])
				return summary_value(&phases->item[i].time, rest + length + 1);
		break;
	case GB_FIELD_NUMBERS:
	case GB_FIELD_TEXTS:
		break;
	}
	return (struct gb_field_value){ 0 };
}

/* The rest of the path behind the field's own; NULL if it is not one of the field. */
static const char *rest_of(const struct gb_field *field, const char *path)
{
	const size_t length = strlen(field->path);

	if (strncmp(path, field->path, length) != 0 || (path[length] && path[length] != '.'))
		return NULL;
	return path + length + (path[length] == '.');
}

struct gb_field_value gb_fields_value(const struct gb_field *field, size_t count, const void *of,
				      const char *path)
{
	for (size_t i = 0; i < count; i++) {
		const char *rest = rest_of(&field[i], path);

		if (rest)
			return value_of(&field[i], of, rest);
	}
	return (struct gb_field_value){ 0 };
}

const struct gb_times *gb_fields_times(const struct gb_field *field, size_t count, const void *of,
				       const char *path)
{
	for (size_t i = 0; i < count; i++) {
		const char *rest = rest_of(&field[i], path);
		const struct gb_phases *phases = in(&field[i], of);
		const size_t length = rest ? strcspn(rest, ".") : 0;

		if (rest && field[i].type == GB_FIELD_TIMES)
			return in(&field[i], of);
		for (size_t k = 0; rest && field[i].type == GB_FIELD_PHASES && k < phases->count;
		     k++)
			if (strncmp(phases->item[k].name, rest, length) == 0 &&
			    !phases->item[k].name[length])
				return &phases->item[k].time;
	}
	return NULL;
}

const char *gb_value_words(struct gb_field_value value, char *text, size_t size)
{
	if (value.kind == GB_VALUE_TEXT)
		(void)snprintf(text, size, "%.100s", value.text);
	else if (value.kind == GB_VALUE_NUMBER)
		(void)snprintf(text, size, "%.10g", value.number);
	else
		(void)snprintf(text, size, "%s",
			       value.kind == GB_VALUE_ABSENT ? "none"
			       : value.number > 0            ? "true"
							     : "false");
	return text;
}

bool gb_values_equal(struct gb_field_value a, struct gb_field_value b)
{
	if (a.kind != b.kind)
		return false;
	return a.kind == GB_VALUE_TEXT ? gb_equal(a.text, b.text)
				       : !(fabs(a.number - b.number) > 0);
}

/* ---- members ------------------------------------------------------------------------------ */

const struct gb_member *gb_member_find(const struct gb_members *members, const char *name)
{
	for (size_t i = 0; i < members->count; i++)
		if (gb_equal(members->item[i].name, name))
			return &members->item[i];
	return NULL;
}

double gb_member_number(const struct gb_members *members, const char *name)
{
	const struct gb_member *member = gb_member_find(members, name);

	return member && member->kind == GB_MEMBER_NUMBER ? member->number : (double)NAN;
}

const char *gb_member_text(const struct gb_members *members, const char *name)
{
	const struct gb_member *member = gb_member_find(members, name);

	return member ? member->text : NULL;
}

bool gb_member_equal(const struct gb_member *a, const struct gb_member *b)
{
	if (!a || !b)
		return a == b;
	return gb_values_equal(member_value(a), member_value(b));
}

bool gb_members_add(struct gb_members *members, struct gb_member member)
{
	const size_t count = members->count;
	struct gb_member *grown = members->item;

	if ((count & (count - 1)) == 0)
		grown = reallocarray(members->item, count ? 2 * count : 1, sizeof *grown);
	if (!grown)
		return false;
	members->item = grown;
	members->item[members->count++] = member;
	return true;
}
