/* field.c -- reads, writes and looks up struct members by a table of JSON paths. */
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

static bool add_number(struct gb_numbers *numbers, double value)
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
	return gb_memory_admit(err) && add_number(numbers, value)
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

/* Append a series; NULL if memory ran out. */
static struct gb_times *add_phase(struct gb_phases *phases, const char *name)
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
	return add_phase(phases, name);
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

/* ---- reading ------------------------------------------------------------------------------
 *
 * This is the one place that checks the types and the ranges of what a file holds, so that no
 * report needs to.  Numbers that pass are finite and have a sign that the field allows.  A series
 * has samples, their median, and either no interval or one around the median.
 */

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
		if (!add_number(numbers, is_number ? value.number : (double)NAN))
			return "";
	}
	return cJSON_IsArray(item) ? NULL : "is not an array of numbers";
}

/* True if more samples are outside of the interval than an interval of the median leaves out. */
static bool is_too_narrow(const struct gb_times *times)
{
	size_t low, high, below = 0, above = 0;

	(void)gb_median_ranks(times->count, GB_LEVEL, &low, &high);
	for (size_t i = 0; i < times->count; i++) {
		below += gb_side_of(times->sample[i], times->ci_low) < 0;
		above += gb_side_of(times->sample[i], times->ci_high) > 0;
	}
	return low && (below >= low || above >= low);
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
	    !is_time(times->ci_low) || !is_time(times->ci_high) || is_too_narrow(times))
		return "has a \"ci95\" that is not an interval of the median";
	return NULL;
}

/* True if at most half of the samples are below the median, and at most half above. */
static bool is_median(double median, const struct gb_numbers *samples)
{
	size_t sides[3] = { 0 };

	for (size_t i = 0; i < samples->count; i++)
		sides[1 + gb_side_of(samples->value[i], median)]++;
	return 2 * sides[0] <= samples->count && 2 * sides[2] <= samples->count;
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
	if (!is_median(median.number, &samples))
		return "has a \"median\" that is not that of its samples";
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
		struct gb_times *time = add_phase(phases, phase->string);

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

/* Returns NULL, "" if memory ran out, or what is wrong with the item. */
static const char *read_field(const struct gb_field *field, cJSON *item, void *of)
{
	const struct gb_field_value value = value_of_item(item);
	void *to = at(field, of);

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
			wrong = read_field(field, item, to);
		else if (is_member && !item && lacks_parent(object, field->path))
			wrong = "is not in an object";
		else if (field->required && !missing)
			missing = field->path;
		if (wrong)
			return wrong[0] ? fault_of(fault, field->path, wrong) : wrong;
	}
	return missing ? fault_of(fault, missing, "is missing") : NULL;
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
