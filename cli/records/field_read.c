/* field_read.c -- reads struct members by a table of JSON paths.
 *
 * This is the one place that checks the types and the ranges of what a file holds, so that no
 * report needs to.  Numbers that pass are finite and have a sign that the field allows.  A series
 * has samples, a median, and either no interval or one around the median.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/records/field.h"
#include "cli/records/json.h"
#include "common/text.h"

static const struct gb_field_value absent = { .number = NAN };

/* False for infinities and for other magnitudes than 0 and those of the range. */
static bool is_near(double number, double least, double most)
{
	return !(fabs(number) > 0) || (fabs(number) >= least && fabs(number) <= most);
}

/* Samples are written in thousandths of a ns, and none takes 30 years. */
static bool is_time(double ns)
{
	return is_near(ns, 1e-3, 1e18);
}

/* Absent if the number is out of range.  -0 becomes 0. */
static struct gb_field_value value_of_item(const cJSON *item)
{
	if (cJSON_IsNumber(item))
		return is_near(item->valuedouble, 1e-300, 1e300)
			       ? (struct gb_field_value){ GB_VALUE_NUMBER, item->valuedouble + 0.0,
							  NULL }
			       : absent;
	if (cJSON_IsBool(item))
		return (struct gb_field_value){ GB_VALUE_FLAG, cJSON_IsTrue(item), NULL };
	return cJSON_IsString(item) ? (struct gb_field_value){ GB_VALUE_TEXT, 0, item->valuestring }
				    : absent;
}

static const char *fault_of(char fault[GB_FAULT_MAX], const char *path, const char *what)
{
	(void)snprintf(fault, GB_FAULT_MAX, "\"%.60s\" %s", path, what);
	return fault;
}

/* null becomes NAN if it is allowed. */
static const char *read_numbers(const cJSON *item, bool null_allowed, bool negative,
				struct gb_numbers *numbers)
{
	const cJSON *element;

	cJSON_ArrayForEach(element, item)
	{
		const struct gb_field_value value = value_of_item(element);
		const bool is_number = value.kind == GB_VALUE_NUMBER;

		if (!is_number && !(null_allowed && cJSON_IsNull(element)))
			return "is not an array of numbers";
		if (is_number && !negative && value.number < 0)
			return "has a negative number";
		if (!gb_numbers_append(numbers, is_number ? value.number : (double)NAN))
			return "";
	}
	return cJSON_IsArray(item) ? NULL : "is not an array of numbers";
}

/* The interval of the median; absent or null if it is unknown. */
static const char *read_interval(const cJSON *interval, struct gb_times *times)
{
	if (!interval || cJSON_IsNull(interval))
		return NULL;
	times->ci_low = value_of_item(cJSON_GetArrayItem(interval, 0)).number;
	times->ci_high = value_of_item(cJSON_GetArrayItem(interval, 1)).number;
	if (!cJSON_IsArray(interval) || cJSON_GetArraySize(interval) != 2 ||
	    !(times->ci_low <= times->median && times->median <= times->ci_high) ||
	    !is_time(times->ci_low) || !is_time(times->ci_high))
		return "has a \"ci95\" that is not an interval of the median";
	return NULL;
}

static const char *read_times(cJSON *series, struct gb_times *times)
{
	const struct gb_field_value median = value_of_item(gb_json_at(series, "median"));
	struct gb_numbers samples = { 0 };
	const char *wrong;

	if (!cJSON_IsObject(series) || median.kind != GB_VALUE_NUMBER)
		return "lacks \"median\"";
	if (median.number < 0)
		return "has a negative \"median\"";
	if (!is_time(median.number))
		return "has a \"median\" that no time is";
	wrong = read_numbers(gb_json_at(series, "samples"), false, false, &samples);
	times->count = samples.count;
	times->sample = samples.value;
	if (wrong || !samples.count)
		return wrong && !wrong[0]
			       ? ""
			       : "lacks \"samples\", an array of numbers that are not negative";
	for (size_t i = 0; i < samples.count; i++)
		if (!is_time(samples.value[i]))
			return "has a sample that no time is";
	times->clock = gb_json_text(series, "clock");
	times->median = median.number;
	wrong = read_interval(gb_json_at(series, "ci95"), times);
	if (!wrong)
		cJSON_DeleteItemFromObjectCaseSensitive(series, "samples");
	return wrong;
}

static const char *read_phases(cJSON *item, struct gb_phases *phases)
{
	cJSON *phase;
	const char *wrong = NULL;

	if (!cJSON_IsObject(item))
		return "is not an object";
	cJSON_ArrayForEach(phase, item)
	{
		struct gb_times *time = gb_phases_append(phases, phase->string);

		if (!wrong)
			wrong = time ? read_times(phase, time) : "";
	}
	return wrong;
}

static const char *read_texts(const cJSON *item, struct gb_texts *texts)
{
	const cJSON *element;

	cJSON_ArrayForEach(element, item)
	{
		if (!cJSON_IsString(element))
			return "is not an array of strings";
		if (!gb_texts_add(texts, element->valuestring))
			return "";
	}
	return cJSON_IsArray(item) ? NULL : "is not an array of strings";
}

static const char *read_members(const cJSON *item, struct gb_members *members)
{
	const cJSON *element;

	if (!cJSON_IsObject(item))
		return "is not an object";
	cJSON_ArrayForEach(element, item)
	{
		const struct gb_field_value value = value_of_item(element);
		const struct gb_member member = { element->string ? element->string : "",
						  value.kind, value.number, value.text };

		if (!value.kind && !cJSON_IsNull(element))
			return "has a value that is not a number in range, boolean or string";
		if (!gb_members_add(members, member))
			return "";
	}
	return NULL;
}

static const char *read_text(const struct gb_field *field, const char *text, const char **to)
{
	const char *const *word = field->words;

	*to = text;
	if (!text)
		return "is not a string";
	while (word && *word && !gb_equal(*word, text))
		word++;
	return word && !*word ? "is unknown" : NULL;
}

static const char *read_number(const struct gb_field *field, const cJSON *item, double *to)
{
	*to = value_of_item(item).number;
	if (!cJSON_IsNumber(item))
		return "is not a number";
	if (isnan(*to) || !is_near(*to, 1e-18, 1e18))
		return "is a number out of range";
	return *to < 0 && !field->negative ? "is negative" : NULL;
}

static const char *read_word(const struct gb_field *field, const char *text, int *to)
{
	for (*to = 0; text && field->words[*to]; ++*to)
		if (gb_equal(field->words[*to], text))
			return NULL;
	*to = 0;
	return "is unknown";
}

static const char *read_objects(const struct gb_field *field, cJSON *item,
				struct gb_objects *objects, char fault[GB_FAULT_MAX])
{
	const char *wrong = cJSON_IsArray(item) ? NULL : "is not an array of objects";
	cJSON *element;

	objects->item = calloc((size_t)cJSON_GetArraySize(item) + 1, field->size);
	if (!objects->item)
		return "";
	cJSON_ArrayForEach(element, item)
	{
		if (!cJSON_IsObject(element))
			wrong = "is not an array of objects";
		if (!wrong)
			wrong = gb_fields_read(field->fields, element,
					       gb_object_of(field, objects, objects->count++),
					       fault);
	}
	return wrong;
}

/* Returns NULL, "" if memory ran out, or what is wrong with the item: fault, if that names the member
 * of an inner object. */
static const char *read_field(const struct gb_field *field, cJSON *item, void *of,
			      char fault[GB_FAULT_MAX])
{
	const struct gb_field_value value = value_of_item(item);
	void *to = (char *)of + field->offset;

	switch (field->type) {
	case GB_FIELD_TEXT:
		return read_text(field, value.text, to);
	case GB_FIELD_NUMBER:
		return read_number(field, item, to);
	case GB_FIELD_BOOL:
		*(bool *)to = value.number > 0;
		return value.kind == GB_VALUE_FLAG ? NULL : "is neither true nor false";
	case GB_FIELD_FLAG:
		*(enum gb_flag *)to = value.number > 0 ? GB_YES : GB_NO;
		return value.kind == GB_VALUE_FLAG ? NULL : "is neither true nor false";
	case GB_FIELD_WORD:
		return read_word(field, value.text, to);
	case GB_FIELD_NUMBERS:
		return read_numbers(item, true, field->negative, to);
	case GB_FIELD_TEXTS:
		return read_texts(item, to);
	case GB_FIELD_MEMBERS:
		return read_members(item, to);
	case GB_FIELD_TIMES:
		return read_times(item, to);
	case GB_FIELD_PHASES:
		return read_phases(item, to);
	case GB_FIELD_OBJECT:
		return cJSON_IsObject(item) ? gb_fields_read(field->fields, item, to, fault)
					    : "is not an object";
	case GB_FIELD_OBJECTS:
		return read_objects(field, item, to, fault);
	case GB_FIELD_STATISTIC:
		break;
	}
	return NULL;
}

/* True if the path is of two words, and the first one is there but is not an object. */
static bool lacks_parent(const cJSON *object, const char *path)
{
	const char *dot = strchr(path, '.');
	char word[64];
	const cJSON *parent;

	if (!dot)
		return false;
	(void)snprintf(word, sizeof word, "%.*s", (int)(dot - path), path);
	parent = gb_json_at(object, word);
	return parent && !cJSON_IsNull(parent) && !cJSON_IsObject(parent);
}

const char *gb_fields_read(const struct gb_fields *fields, cJSON *object, void *to,
			   char fault[GB_FAULT_MAX])
{
	const char *missing = NULL;

	gb_fields_clear(fields, to, GB_ALWAYS);
	for (size_t i = 0; i < fields->count; i++) {
		const struct gb_field *field = &fields->field[i];
		const bool is_member = !field->derived && field->type != GB_FIELD_STATISTIC;
		cJSON *item = is_member ? gb_json_at(object, field->path) : NULL;
		const char *wrong = NULL;

		if (item && !cJSON_IsNull(item))
			wrong = read_field(field, item, to, fault);
		else if (is_member && !item && lacks_parent(object, field->path))
			wrong = "is not in an object";
		else if (field->required && !missing)
			missing = field->path;
		if (wrong)
			return wrong[0] && wrong != fault ? fault_of(fault, field->path, wrong)
							  : wrong;
	}
	return missing ? fault_of(fault, missing, "is missing") : NULL;
}
