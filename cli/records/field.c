/* field.c -- clears, prints, reads and looks up struct members by a table of JSON paths.
 *
 * Reading is the one place that checks the types and the ranges of what a file holds, so that no
 * report needs to.  Numbers that pass are finite and have a sign that the field allows.  A series
 * has samples, a median, and either no interval or one around the median.
 */
#include "cli/records/field.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/records/json.h"
#include "common/text.h"

/* ---- the values of fields ------------------------------------------------------------------ */

static const void *in(const struct gb_field *field, const void *of)
{
	return (const char *)of + field->offset;
}

static const struct gb_field_value absent = { .number = NAN };

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
	case GB_FIELD_VALUE:
		return *(const struct gb_field_value *)from;
	default:
		return absent;
	}
}

/* ---- lists --------------------------------------------------------------------------------- */

static bool is_list(const struct gb_field *field)
{
	return field->type >= GB_FIELD_NUMBERS && field->type <= GB_FIELD_PHASES;
}

/* True for a list that is a JSON object. */
static bool has_names(const struct gb_field *field)
{
	return field->type == GB_FIELD_MEMBERS || field->type == GB_FIELD_PHASES;
}

/* An element of the list as a field.  One with a name begins with it. */
static struct gb_field element_of(const struct gb_field *list)
{
	static const struct gb_field elements[] = {
		[GB_FIELD_NUMBERS] = { .type = GB_FIELD_NUMBER, .size = sizeof(double) },
		[GB_FIELD_TEXTS] = { .type = GB_FIELD_TEXT, .size = sizeof(char *) },
		[GB_FIELD_OBJECTS] = { .type = GB_FIELD_OBJECT },
		[GB_FIELD_MEMBERS] = { .type = GB_FIELD_VALUE,
				       .size = sizeof(struct gb_member),
				       .offset = offsetof(struct gb_member, value) },
		[GB_FIELD_PHASES] = { .type = GB_FIELD_TIMES,
				      .size = sizeof(struct gb_named_times),
				      .offset = offsetof(struct gb_named_times, time) },
	};
	struct gb_field element = elements[list->type];

	element.path = list->path;
	element.is_element = true;
	element.negative = list->negative;
	element.fields = list->fields;
	element.size += list->size;
	return element;
}

/* ---- clearing ------------------------------------------------------------------------------ */

static void clear(const struct gb_field *field, void *of);

static void clear_list(const struct gb_field *field, struct gb_objects *list)
{
	const struct gb_field element = element_of(field);

	for (size_t i = 0; i < list->count; i++)
		clear(&element, (char *)list->item + i * element.size);
	free(list->item);
	*list = (struct gb_objects){ 0 };
}

static void clear(const struct gb_field *field, void *of)
{
	void *to = (char *)of + field->offset;
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
	case GB_FIELD_VALUE:
		*(struct gb_field_value *)to = absent;
		break;
	case GB_FIELD_TIMES:
		free(times->sample);
		*times = gb_no_times;
		break;
	case GB_FIELD_OBJECT:
		gb_fields_clear(field->fields, to, GB_ALWAYS);
		break;
	case GB_FIELD_STATISTIC:
		break;
	default:
		clear_list(field, to);
	}
}

void gb_fields_clear(const struct gb_fields *fields, void *of, enum gb_stays stays)
{
	for (size_t i = 0; i < fields->count; i++)
		if (fields->field[i].stays >= stays)
			clear(&fields->field[i], of);
}

/* ---- writing ------------------------------------------------------------------------------ */

static void print_value(FILE *file, struct gb_field_value value)
{
	if (value.kind == GB_VALUE_TEXT)
		gb_json_write_text(file, value.text);
	else if (value.kind == GB_VALUE_FLAG)
		(void)fputs(value.number > 0 ? "true" : "false", file);
	else
		gb_json_write_number(file, value.number);
}

/* The separator before each item of a list but the first. */
static const char *comma(size_t i)
{
	return i ? "," : "";
}

static void print_name(FILE *file, size_t i, const char *name)
{
	(void)fputs(comma(i), file);
	gb_json_write_text(file, name);
	(void)fputc(':', file);
}

/* Times are rounded to 1/1000 ns, far below any clock's resolution, to keep files with many samples
 * small. */
static void print_times(FILE *file, const double *ns, size_t count)
{
	(void)fputc('[', file);
	for (size_t i = 0; i < count; i++) {
		(void)fputs(comma(i), file);
		gb_json_write_number(file, round(ns[i] * 1e3) / 1e3);
	}
	(void)fputc(']', file);
}

static void print_series(FILE *file, const struct gb_times *times)
{
	(void)fputc('{', file);
	if (times->clock) {
		print_name(file, 0, "clock");
		gb_json_write_text(file, times->clock);
	}
	print_name(file, times->clock != NULL, "median");
	gb_json_write_number(file, round(times->median * 1e3) / 1e3);
	if (!isnan(times->ci_low)) {
		print_name(file, 1, "ci95");
		print_times(file, (const double[]){ times->ci_low, times->ci_high }, 2);
	}
	print_name(file, 1, "samples");
	print_times(file, times->sample, times->count);
	(void)fputc('}', file);
}

static void print_object(FILE *file, const struct gb_fields *fields, const void *object)
{
	(void)fputc('{', file);
	(void)gb_fields_print(file, fields, object, 0);
	(void)fputc('}', file);
}

static void print_field(FILE *file, const struct gb_field *field, const void *of);

static void print_list(FILE *file, const struct gb_field *field, const struct gb_objects *list)
{
	const struct gb_field element = element_of(field);
	const bool named = has_names(field);

	(void)fputc(named ? '{' : '[', file);
	for (size_t i = 0; i < list->count; i++) {
		const void *at = (const char *)list->item + i * element.size;

		if (named)
			print_name(file, i, *(const char *const *)at);
		else
			(void)fputs(comma(i), file);
		print_field(file, &element, at);
	}
	(void)fputc(named ? '}' : ']', file);
}

static void print_field(FILE *file, const struct gb_field *field, const void *of)
{
	const void *from = in(field, of);

	if (is_list(field))
		print_list(file, field, from);
	else if (field->type == GB_FIELD_TIMES)
		print_series(file, from);
	else if (field->type == GB_FIELD_OBJECT)
		print_object(file, field->fields, from);
	else
		print_value(file, scalar_value(field, of));
}

/* True if the field has no value to write. */
static bool is_absent(const struct gb_field *field, const void *of)
{
	const void *from = in(field, of);

	if (is_list(field))
		return !field->required && !((const struct gb_objects *)from)->item;
	if (field->type == GB_FIELD_TIMES)
		return isnan(((const struct gb_times *)from)->median);
	if (field->type == GB_FIELD_OBJECT)
		return gb_fields_are_absent(field->fields, from);
	if (field->type == GB_FIELD_BOOL)
		return !*(const bool *)from;
	return field->derived || !scalar_value(field, of).kind;
}

bool gb_fields_are_absent(const struct gb_fields *fields, const void *of)
{
	for (size_t i = 0; i < fields->count; i++)
		if (!is_absent(&fields->field[i], of))
			return false;
	return true;
}

size_t gb_fields_print(FILE *file, const struct gb_fields *fields, const void *from, size_t count)
{
	const char *outer = NULL; /* the path whose first word is the object that is open */
	size_t length = 0;        /* of that word; 0: none is open */

	for (size_t i = 0; i < fields->count; i++) {
		const struct gb_field *field = &fields->field[i];
		const char *dot = strchr(field->path, '.');
		const size_t inner = dot ? (size_t)(dot - field->path) : 0;

		if (is_absent(field, from))
			continue;
		if (inner != length || (length && strncmp(field->path, outer, length) != 0)) {
			(void)fputs(length ? "}" : "", file);
			if (inner)
				(void)fprintf(file, "%s\"%.*s\":{", comma(count), (int)inner,
					      field->path);
			count = inner ? 0 : count;
			outer = field->path;
			length = inner;
		}
		print_name(file, count++, dot ? dot + 1 : field->path);
		print_field(file, field, from);
		count = 1;
	}
	(void)fputs(length ? "}" : "", file);
	return count;
}

/* ---- by path ------------------------------------------------------------------------------ */

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

	if (found && found->type == GB_FIELD_OBJECT)
		return gb_fields_value(found->fields, in(found, of), rest);
	if (times)
		return number_value(gb_times_statistic(times, rest));
	if (found && found->type == GB_FIELD_MEMBERS)
		return gb_member_value(in(found, of), rest);
	return found ? scalar_value(found, of) : absent;
}

const struct gb_times *gb_fields_times(const struct gb_fields *fields, const void *of,
				       const char *path)
{
	const char *rest;
	const struct gb_field *found = find_field(fields, path, &rest);

	return found ? times_of(found, of, &rest) : NULL;
}

/* ---- reading ------------------------------------------------------------------------------ */

/* False for infinities and for other magnitudes than 0 and those of the range. */
static bool is_near(double number, double least, double most)
{
	return !(fabs(number) > 0) || (fabs(number) >= least && fabs(number) <= most);
}

/* Samples are written in thousandths of a ns, and none takes 30 years. */
static bool is_time(double ns)
{
	return ns >= 0 && is_near(ns, 1e-3, 1e18);
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

static enum gb_status refuse(const struct gb_field *field, const char *what, struct gb_error *err)
{
	return gb_fail(err, GB_EUSAGE, "\"%.60s\" %s%s", field->path,
		       field->is_element ? "has an element that " : "", what);
}

static enum gb_status read_field(const struct gb_field *field, cJSON *item, void *of,
				 struct gb_error *err);

/* null in place of a named element leaves it out. */
static enum gb_status read_list(const struct gb_field *field, cJSON *item, struct gb_objects *list,
				struct gb_error *err)
{
	const struct gb_field element = element_of(field);
	const bool named = has_names(field);

	if (!(named ? cJSON_IsObject : cJSON_IsArray)(item))
		return refuse(field, named ? "is not an object" : "is not an array", err);
	list->item = malloc(element.size); /* an empty list is not absent */
	for (cJSON *at = item->child; at && list->item && !err->code; at = at->next) {
		void *to;

		if (named && cJSON_IsNull(at))
			continue;
		to = gb_add_item(&list->item, &list->count, element.size);
		if (!to)
			return gb_out_of_memory(err, "a record");
		memset(to, 0, element.size);
		if (named)
			*(const char **)to = at->string;
		(void)read_field(&element, at, to, err);
	}
	return list->item ? err->code : gb_out_of_memory(err, "a record");
}

/* The interval of the median; absent or null if it is unknown. */
static bool read_interval(const cJSON *interval, struct gb_times *times)
{
	if (!interval || cJSON_IsNull(interval))
		return true;
	times->ci_low = value_of_item(cJSON_GetArrayItem(interval, 0)).number;
	times->ci_high = value_of_item(cJSON_GetArrayItem(interval, 1)).number;
	return cJSON_IsArray(interval) && cJSON_GetArraySize(interval) == 2 &&
	       times->ci_low <= times->median && times->median <= times->ci_high &&
	       is_near(times->ci_low, 1e-3, 1e18) && is_time(times->ci_high);
}

static enum gb_status read_times(const struct gb_field *field, cJSON *series,
				 struct gb_times *times, struct gb_error *err)
{
	const struct gb_field values = { field->path, GB_FIELD_NUMBERS, .negative = true };
	const struct gb_field_value median = value_of_item(gb_json_at(series, "median"));
	cJSON *samples = gb_json_at(series, "samples");
	struct gb_objects list = { 0 };

	*times = gb_no_times;
	if (!cJSON_IsObject(series) || median.kind != GB_VALUE_NUMBER)
		return refuse(field, "lacks \"median\"", err);
	if (!cJSON_IsArray(samples) || !samples->child)
		return refuse(field, "lacks \"samples\", an array of times", err);
	(void)read_list(&values, samples, &list, err);
	times->count = list.count;
	times->sample = list.item;
	times->clock = gb_json_text(series, "clock");
	times->median = median.number;
	for (size_t i = 0; i < list.count; i++)
		if (!is_time(times->sample[i]) || !is_time(median.number))
			return refuse(field, "has a \"median\" or a sample that is no time", err);
	if (!read_interval(gb_json_at(series, "ci95"), times))
		return refuse(field, "has a \"ci95\" that is not an interval of the median", err);
	cJSON_DeleteItemFromObjectCaseSensitive(series, "samples");
	return err->code;
}

/* The number of a word; -1 if it is not among the words. */
static int word_number(const char *const *words, const char *text)
{
	for (int i = 0; text && words[i]; i++)
		if (gb_equal(words[i], text))
			return i;
	return -1;
}

/* null is an unknown element of a list. */
static enum gb_status check_number(const struct gb_field *field, const cJSON *item, double number,
				   struct gb_error *err)
{
	if (!cJSON_IsNumber(item))
		return cJSON_IsNull(item) ? GB_OK : refuse(field, "is not a number", err);
	if (isnan(number) || !is_near(number, 1e-18, 1e18))
		return refuse(field, "is a number out of range", err);
	return number < 0 && !field->negative ? refuse(field, "is negative", err) : GB_OK;
}

static enum gb_status read_field(const struct gb_field *field, cJSON *item, void *of,
				 struct gb_error *err)
{
	const struct gb_field_value value = value_of_item(item);
	const int word = field->words ? word_number(field->words, value.text) : 0;
	void *to = (char *)of + field->offset;

	if (word < 0)
		return refuse(field, "is unknown", err);
	switch (field->type) {
	case GB_FIELD_TEXT:
		*(const char **)to = value.text;
		return value.text ? GB_OK : refuse(field, "is not a string", err);
	case GB_FIELD_NUMBER:
		*(double *)to = value.number;
		return check_number(field, item, value.number, err);
	case GB_FIELD_VALUE:
		*(struct gb_field_value *)to = value;
		return value.kind
			       ? GB_OK
			       : refuse(field, "is not a number in range, boolean or string", err);
	case GB_FIELD_BOOL:
		*(bool *)to = value.number > 0;
		break;
	case GB_FIELD_FLAG:
		*(enum gb_flag *)to = value.number > 0 ? GB_YES : GB_NO;
		break;
	case GB_FIELD_WORD:
		*(int *)to = word;
		return GB_OK;
	case GB_FIELD_TIMES:
		return read_times(field, item, to, err);
	case GB_FIELD_OBJECT:
		return cJSON_IsObject(item) ? gb_fields_read(field->fields, item, to, err)
					    : refuse(field, "is not an object", err);
	default:
		return read_list(field, item, to, err);
	}
	return value.kind == GB_VALUE_FLAG ? GB_OK
					   : refuse(field, "is neither true nor false", err);
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

enum gb_status gb_fields_read(const struct gb_fields *fields, cJSON *object, void *to,
			      struct gb_error *err)
{
	const struct gb_field *missing = NULL;

	gb_fields_clear(fields, to, GB_ALWAYS);
	for (size_t i = 0; i < fields->count && !err->code; i++) {
		const struct gb_field *field = &fields->field[i];
		cJSON *item;

		if (field->derived || field->type == GB_FIELD_STATISTIC)
			continue;
		item = gb_json_at(object, field->path);
		if (item && !cJSON_IsNull(item))
			(void)read_field(field, item, to, err);
		else if (!item && lacks_parent(object, field->path))
			(void)refuse(field, "is not in an object", err);
		else if (field->required && !missing)
			missing = field;
	}
	return missing ? refuse(missing, "is missing", err) : err->code;
}
