/* axes.c -- finds the parameters that vary over a set of records, and compares records by them. */
#include "cli/report/axes.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/text.h"

/* How often a variant occurs, and how often with each parameter.  A parameter that only some of a
 * variant's records have (a path not given) varies, even if its value is always the same. */
struct variant_seen {
	const char *backend, *variant;
	size_t count;
	size_t with[GB_MAX_AXES];
};

enum { MAX_VARIANTS = 256 };

static struct gb_axis_seen *find_axis(struct gb_axes *axes, const struct gb_member *value)
{
	struct gb_axis_seen *axis = axes->axis;

	for (; axis < axes->axis + axes->count; axis++)
		if (gb_equal(axis->name, value->name))
			return axis;
	if (axes->count == GB_MAX_AXES)
		return NULL;
	axes->count++;
	*axis = (struct gb_axis_seen){ .name = value->name, .value = value };
	return axis;
}

static struct variant_seen *find_variant(struct variant_seen *seen, size_t *count,
					 const struct gb_record *record)
{
	for (size_t i = 0; i < *count; i++)
		if (gb_equal(seen[i].variant, record->variant) &&
		    gb_equal(seen[i].backend, record->backend))
			return &seen[i];
	if (*count == MAX_VARIANTS)
		return NULL;
	seen[*count] =
		(struct variant_seen){ .backend = record->backend, .variant = record->variant };
	return &seen[(*count)++];
}

void gb_axes_find(struct gb_axes *axes, const struct gb_record *const *record, size_t count)
{
	struct variant_seen *seen = calloc(MAX_VARIANTS, sizeof *seen);
	size_t seen_count = 0;

	*axes = (struct gb_axes){ .record_count = count };
	for (size_t i = 0; i < count; i++) {
		struct variant_seen *v = seen ? find_variant(seen, &seen_count, record[i]) : NULL;

		if (v)
			v->count++;
		for (size_t k = 0; k < record[i]->params.count; k++) {
			const struct gb_member *value = &record[i]->params.item[k];
			struct gb_axis_seen *axis = find_axis(axes, value);

			if (!axis)
				continue;
			axis->count++;
			axis->varies |= !gb_member_equal(axis->value, value);
			if (v)
				v->with[axis - axes->axis]++;
		}
	}
	for (size_t i = 0; i < seen_count; i++)
		for (size_t k = 0; k < axes->count; k++)
			if (seen[i].with[k] && seen[i].with[k] < seen[i].count)
				axes->axis[k].varies = true;
	free(seen);
}

bool gb_axis_is_point(const struct gb_axes *axes, size_t axis)
{
	return axes->axis[axis].varies && axes->axis[axis].count == axes->record_count;
}

size_t gb_axes_columns(const struct gb_axes *axes, struct gb_column *column)
{
	size_t count = 0;

	for (size_t i = 0; i < axes->count; i++)
		if (axes->axis[i].varies)
			column[count++] =
				(struct gb_column){ axes->axis[i].name, NULL,
						    axes->axis[i].value->kind != GB_VALUE_NUMBER };
	return count;
}

const struct gb_member *gb_axis_value(const struct gb_axes *axes, size_t axis,
				      const struct gb_record *record)
{
	return gb_member_find(&record->params, axes->axis[axis].name);
}

char *gb_point_text(const struct gb_axes *axes, const struct gb_record *record)
{
	char *text = NULL, value[GB_VALUE_MAX];
	size_t size;
	FILE *file = open_memstream(&text, &size);

	if (!file)
		return NULL;
	(void)fputs(gb_record_is_cold(record) ? "cold" : "hot", file);
	for (size_t i = 0; i < axes->count; i++)
		if (gb_axis_is_point(axes, i))
			(void)fprintf(file, "\n%s",
				      gb_axis_text(value, gb_axis_value(axes, i, record)));
	if (!(ferror(file) | fclose(file)))
		return text;
	free(text);
	return NULL;
}

const char *gb_axis_text(char text[GB_VALUE_MAX], const struct gb_member *value)
{
	if (!value)
		return "";
	if (value->kind == GB_VALUE_TEXT)
		return value->text;
	if (value->kind == GB_VALUE_FLAG)
		return value->number > 0 ? "yes" : "no";
	if (fabs(value->number) <= 0x1p53 && !(fabs(fmod(value->number, 1)) > 0))
		return gb_text_int(text, (int64_t)value->number);
	return gb_text_real(text, value->number);
}
