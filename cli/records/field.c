/* field.c -- fills, clears, writes and looks up struct members by a table of JSON paths. */
#include "cli/records/field.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/records/json.h"
#include "common/memory.h"
#include "common/text.h"

static void *at(const struct gb_field *field, void *of)
{
	return (char *)of + field->offset;
}

static const void *in(const struct gb_field *field, const void *of)
{
	return (const char *)of + field->offset;
}

/* ---- values ------------------------------------------------------------------------------- */

static const struct gb_field_value absent = { .number = NAN };
static const struct gb_times no_times = { .median = NAN, .ci_low = NAN, .ci_high = NAN };

static struct gb_field_value number_value(double number)
{
	return isfinite(number) ? (struct gb_field_value){ GB_VALUE_NUMBER, number, NULL } : absent;
}

static struct gb_field_value text_value(const char *text)
{
	return text ? (struct gb_field_value){ GB_VALUE_TEXT, 0, text } : absent;
}

static struct gb_field_value flag_value(bool flag)
{
	return (struct gb_field_value){ GB_VALUE_FLAG, flag, NULL };
}

/* NULL if memory ran out. */
static cJSON *item_of_value(struct gb_field_value value)
{
	if (value.kind == GB_VALUE_NUMBER)
		return cJSON_CreateNumber(value.number);
	return value.kind == GB_VALUE_FLAG ? cJSON_CreateBool(value.number > 0)
					   : gb_json_string(value.text);
}

/* The value of a scalar field; absent for other types. */
static struct gb_field_value scalar_value(const struct gb_field *field, const void *of)
{
	const void *from = in(field, of);

	switch (field->type) {
	case GB_FIELD_TEXT:
		return text_value(*(const char *const *)from);
	case GB_FIELD_NUMBER:
		return number_value(*(const double *)from);
	case GB_FIELD_BOOL:
		return flag_value(*(const bool *)from);
	case GB_FIELD_FLAG:
		return *(const enum gb_flag *)from == GB_UNKNOWN
			       ? absent
			       : flag_value(*(const enum gb_flag *)from == GB_YES);
	case GB_FIELD_WORD:
		return text_value(field->words[*(const int *)from]);
	default:
		return absent;
	}
}

/* ---- appending ----------------------------------------------------------------------------- */

bool gb_numbers_append(struct gb_numbers *numbers, double value)
{
	double *grown = gb_room_for_one(numbers->value, numbers->count, sizeof *grown);

	if (!grown)
		return false;
	numbers->value = grown;
	numbers->value[numbers->count++] = value;
	return true;
}

enum gb_status gb_numbers_add(struct gb_numbers *numbers, double value, struct gb_error *err)
{
	return gb_memory_admit(err) && gb_numbers_append(numbers, value)
		       ? GB_OK
		       : gb_out_of_memory(err, "the samples");
}

enum gb_status gb_times_add(struct gb_times *times, double ns, struct gb_error *err)
{
	struct gb_numbers samples = { times->count, times->sample };

	(void)gb_numbers_add(&samples, ns, err);
	times->sample = samples.value;
	times->count = samples.count;
	return err->code;
}

bool gb_texts_add(struct gb_texts *texts, const char *text)
{
	const char **grown = gb_room_for_one(texts->text, texts->count, sizeof *grown);

	if (!grown)
		return false;
	texts->text = grown;
	texts->text[texts->count++] = text;
	return true;
}

char *gb_texts_keep(struct gb_texts *texts, const char *text)
{
	char *copy = gb_utf8_copy(text);

	if (copy && gb_texts_add(texts, copy))
		return copy;
	free(copy);
	return NULL;
}

void gb_texts_free(struct gb_texts *texts)
{
	for (size_t i = 0; i < texts->count; i++) {
		char *text; /* without the const of a list whose texts others own */

		memcpy(&text, &texts->text[i], sizeof text);
		free(text);
	}
	free(texts->text);
	*texts = (struct gb_texts){ 0 };
}

struct gb_times *gb_phases_append(struct gb_phases *phases, const char *name)
{
	struct gb_named_times *grown = gb_room_for_one(phases->item, phases->count, sizeof *grown);

	if (!grown)
		return NULL;
	phases->item = grown;
	phases->item[phases->count] = (struct gb_named_times){ name, no_times };
	return &phases->item[phases->count++].time;
}

struct gb_times *gb_phases_get(struct gb_phases *phases, const char *name)
{
	for (size_t i = 0; i < phases->count; i++)
		if (gb_equal(phases->item[i].name, name))
			return &phases->item[i].time;
	return gb_phases_append(phases, name);
}

enum gb_status gb_times_settle(struct gb_times *times, const char *clock, double resolution_ns,
			       struct gb_error *err)
{
	struct gb_summary sum;

	if (gb_summarize(times->sample, times->count, &sum, err))
		return err->code;
	gb_floor_interval(&sum, resolution_ns);
	times->clock = clock;
	times->median = sum.median;
	times->ci_low = sum.ci_low;
	times->ci_high = sum.ci_high;
	return GB_OK;
}

enum gb_status gb_phases_settle(struct gb_phases *phases, const char *clock, double resolution_ns,
				struct gb_error *err)
{
	for (size_t i = 0; i < phases->count && !err->code; i++)
		(void)gb_times_settle(&phases->item[i].time, clock, resolution_ns, err);
	return err->code;
}

void gb_phases_clear(struct gb_phases *phases)
{
	while (phases->count)
		free(phases->item[--phases->count].time.sample);
	free(phases->item);
	*phases = (struct gb_phases){ 0 };
}

/* ---- clearing ------------------------------------------------------------------------------ */

static void clear(const struct gb_field *field, void *of)
{
	void *to = at(field, of);
	struct gb_numbers *numbers = to;
	struct gb_texts *texts = to;
	struct gb_members *members = to;
	struct gb_times *times = to;

	switch (field->type) {
	case GB_FIELD_TEXT:
		*(const char **)to = NULL;
		break;
	case GB_FIELD_NUMBER:
		*(double *)to = NAN;
		break;
	case GB_FIELD_BOOL:
		*(bool *)to = false;
		break;
	case GB_FIELD_FLAG:
	case GB_FIELD_WORD:
		*(int *)to = 0;
		break;
	case GB_FIELD_TIMES:
		free(times->sample);
		*times = no_times;
		break;
	case GB_FIELD_NUMBERS:
		free(numbers->value);
		*numbers = (struct gb_numbers){ 0 };
		break;
	case GB_FIELD_TEXTS:
		free(texts->text);
		*texts = (struct gb_texts){ 0 };
		break;
	case GB_FIELD_MEMBERS:
		free(members->item);
		*members = (struct gb_members){ 0 };
		break;
	case GB_FIELD_PHASES:
		gb_phases_clear(to);
		break;
	case GB_FIELD_STATISTIC:
		break;
	}
}

void gb_fields_clear(const struct gb_fields *fields, void *of, enum gb_stays stays)
{
	for (size_t i = 0; i < fields->count; i++)
		if (fields->field[i].stays >= stays)
			clear(&fields->field[i], of);
}

/* ---- writing ------------------------------------------------------------------------------ */

/* Rounds to 1/1000 ns, far below any clock's resolution, to keep files with many samples small. */
static double rounded(double ns)
{
	return round(ns * 1e3) / 1e3;
}

static bool fill_array(cJSON *array, const double *value, size_t count, bool ns)
{
	bool ok = array;

	for (size_t i = 0; i < count && ok; i++)
		ok = gb_json_append_number(array, ns ? rounded(value[i]) : value[i]);
	return ok;
}

static bool fill_times(cJSON *object, const struct gb_times *times)
{
	const double interval[] = { times->ci_low, times->ci_high };

	return object && (!times->clock || gb_json_put_text(object, "clock", times->clock)) &&
	       gb_json_put_number(object, "median", rounded(times->median)) &&
	       (isnan(interval[0]) ||
		fill_array(cJSON_AddArrayToObject(object, "ci95"), interval, 2, true)) &&
	       fill_array(cJSON_AddArrayToObject(object, "samples"), times->sample, times->count,
			  true);
}

static bool fill_members(cJSON *object, const struct gb_members *members)
{
	bool ok = object;

	for (size_t i = 0; i < members->count && ok; i++) {
		const struct gb_member *member = &members->item[i];

		ok = gb_json_put(object, member->name, item_of_value(gb_member_value(member)));
	}
	return ok;
}

/* NULL if memory ran out. */
static cJSON *item_of(const struct gb_field *field, const void *of)
{
	const void *from = in(field, of);
	const struct gb_numbers *numbers = from;
	const struct gb_texts *texts = from;
	const struct gb_phases *phases = from;
	cJSON *item;
	bool ok;

	switch (field->type) {
	case GB_FIELD_NUMBERS:
		item = cJSON_CreateArray();
		ok = fill_array(item, numbers->value, numbers->count, false);
		break;
	case GB_FIELD_TEXTS:
		item = cJSON_CreateArray();
		ok = item;
		for (size_t i = 0; i < texts->count && ok; i++)
			ok = gb_json_append_text(item, texts->text[i]);
		break;
	case GB_FIELD_MEMBERS:
		item = cJSON_CreateObject();
		ok = fill_members(item, from);
		break;
	case GB_FIELD_TIMES:
		item = cJSON_CreateObject();
		ok = fill_times(item, from);
		break;
	case GB_FIELD_PHASES:
		item = cJSON_CreateObject();
		ok = item;
		for (size_t i = 0; i < phases->count && ok; i++)
			ok = fill_times(cJSON_AddObjectToObject(item, phases->item[i].name),
					&phases->item[i].time);
		break;
	default:
		return item_of_value(scalar_value(field, of));
	}
	if (ok)
		return item;
	cJSON_Delete(item);
	return NULL;
}

/* True if the field has no value to write. */
static bool is_absent(const struct gb_field *field, const void *of)
{
	const void *from = in(field, of);

	switch (field->type) {
	case GB_FIELD_BOOL:
		return !*(const bool *)from;
	case GB_FIELD_TIMES:
		return isnan(((const struct gb_times *)from)->median);
	case GB_FIELD_NUMBERS:
	case GB_FIELD_TEXTS:
	case GB_FIELD_MEMBERS:
	case GB_FIELD_PHASES: /* each begins with its count */
		return !field->required && !*(const size_t *)from;
	default:
		return !scalar_value(field, of).kind;
	}
}

/* The object that holds the last word of a path of one or two words; created if missing. */
static cJSON *parent_of(cJSON *object, const char *path, const char **name)
{
	const char *dot = strchr(path, '.');
	char word[64];
	cJSON *inner;

	*name = dot ? dot + 1 : path;
	if (!dot)
		return object;
	(void)snprintf(word, sizeof word, "%.*s", (int)(dot - path), path);
	inner = cJSON_GetObjectItemCaseSensitive(object, word);
	return inner ? inner : cJSON_AddObjectToObject(object, word);
}

bool gb_fields_write(const struct gb_fields *fields, const void *from, cJSON *object)
{
	for (size_t i = 0; i < fields->count; i++) {
		const struct gb_field *field = &fields->field[i];
		const char *name;
		cJSON *parent, *item;

		if (field->derived || field->type == GB_FIELD_STATISTIC)
			continue;
		parent = parent_of(object, field->path, &name);
		if (!parent)
			return false;
		if (is_absent(field, from)) {
			cJSON_DeleteItemFromObjectCaseSensitive(parent, name);
			if (parent != object && !parent->child)
				cJSON_DeleteItemFromObjectCaseSensitive(object, parent->string);
			continue;
		}
		item = item_of(field, from);
		if (!cJSON_ReplaceItemInObjectCaseSensitive(parent, name, item) &&
		    !gb_json_put(parent, name, item))
			return false;
	}
	return true;
}

/* ---- by path ------------------------------------------------------------------------------ */

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
	return absent;
}

/* Find the field at, or above, the path.  *rest is the rest of the path. */
static const struct gb_field *find_field(const struct gb_fields *fields, const char *path,
					 const char **rest)
{
	for (size_t i = 0; i < fields->count; i++) {
		const struct gb_field *field = &fields->field[i];
		const size_t length = strlen(field->path);

		if (strncmp(path, field->path, length) != 0 ||
		    (path[length] && path[length] != '.'))
			continue;
		*rest = path + length + (path[length] == '.');
		return field;
	}
	return NULL;
}

/* Find the series that *rest leads to, and advance *rest to the statistic. */
static const struct gb_times *times_of(const struct gb_field *field, const void *of,
				       const char **rest)
{
	const struct gb_phases *phases = in(field, of);
	const size_t length = strcspn(*rest, ".");

	if (field->type == GB_FIELD_TIMES)
		return in(field, of);
	for (size_t i = 0; field->type == GB_FIELD_PHASES && i < phases->count; i++)
		if (strncmp(phases->item[i].name, *rest, length) == 0 &&
		    !phases->item[i].name[length]) {
			*rest += length + ((*rest)[length] == '.');
			return &phases->item[i].time;
		}
	return NULL;
}

struct gb_field_value gb_fields_value(const struct gb_fields *fields, const void *of,
				      const char *path)
{
	const char *rest;
	const struct gb_field *found = find_field(fields, path, &rest);
	const struct gb_times *times = found ? times_of(found, of, &rest) : NULL;
	const struct gb_member *member = found && found->type == GB_FIELD_MEMBERS
						 ? gb_member_find(in(found, of), rest)
						 : NULL;

	if (times)
		return summary_value(times, rest);
	if (member)
		return gb_member_value(member);
	return found ? scalar_value(found, of) : absent;
}

const struct gb_times *gb_fields_times(const struct gb_fields *fields, const void *of,
				       const char *path)
{
	const char *rest;
	const struct gb_field *found = find_field(fields, path, &rest);

	return found ? times_of(found, of, &rest) : NULL;
}
