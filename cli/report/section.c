/* section.c -- the records of one benchmark, sorted by point.
 *
 * Points are in order of first appearance; records of a point keep the order of the file, so
 * records of several runs at one point are adjacent.
 */
#include "cli/report/section.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli/report/compare/gate.h"
#include "cli/report/keys.h"
#include "common/text.h"

/* ---- parameters --------------------------------------------------------------------------- */

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

/* The first record of the same variant. */
static const struct gb_record *first_like(const struct gb_section *section,
					  const struct gb_record *record)
{
	for (size_t i = 0; i < section->count; i++)
		if (gb_equal(section->record[i]->variant, record->variant) &&
		    gb_equal(section->record[i]->backend, record->backend))
			return section->record[i];
	return record;
}

/* Add a record and its parameters; those beyond GB_MAX_AXES are ignored. */
static void add_record(struct gb_section *section, const struct gb_record *record)
{
	const struct gb_record *first = first_like(section, record);
	struct gb_axes *axes = &section->axes;

	section->record[section->count++] = record;
	axes->record_count++;
	for (size_t i = 0; i < record->params.count; i++) {
		const struct gb_member *value = &record->params.item[i];
		struct gb_axis_seen *axis = find_axis(axes, value);

		if (!axis)
			continue;
		axis->count++;
		axis->varies |= !gb_member_equal(axis->value, value);
	}
	for (size_t i = 0; i < axes->count; i++)
		axes->axis[i].varies |=
			!gb_axis_value(axes, i, record) != !gb_axis_value(axes, i, first);
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

/* ---- rows --------------------------------------------------------------------------------- */

bool gb_row_span(const struct gb_row *row, struct gb_span *span)
{
	const struct gb_times *measured = &row->record->time;
	const double time = gb_repetition_value(row->record);

	*span = (struct gb_span){ time, time, time };
	if (!isfinite(time) || isnan(measured->ci_low) || isnan(measured->ci_high))
		return false;
	span->low = measured->ci_low;
	span->high = measured->ci_high;
	return true;
}

/* The row with the shortest verified time, except row `but`; row_count if there is none. */
static size_t shortest(const struct gb_section *section, size_t first, size_t end, size_t but)
{
	const struct gb_row *row = section->row;
	size_t best = section->row_count;

	for (size_t i = first; i < end; i++)
		if (i != but && gb_is_timed(row[i].record) &&
		    (best == section->row_count ||
		     gb_repetition_value(row[i].record) < gb_repetition_value(row[best].record)))
			best = i;
	return best;
}

size_t gb_section_point(const struct gb_section *section, size_t first, size_t *best, double *by)
{
	const struct gb_row *row = section->row;
	const size_t none = section->row_count;
	size_t end = first, next;
	bool decided;

	while (end < none && row[end].point == row[first].point)
		end++;
	*best = shortest(section, first, end, none);
	next = shortest(section, first, end, *best);
	decided = *best < none && next < none;
	*by = decided ? gb_repetition_value(row[next].record) /
				gb_repetition_value(row[*best].record)
		      : (double)NAN;
	for (size_t i = first; i < end && decided; i++)
		decided = i == *best || !gb_is_timed(row[i].record) ||
			  gb_is_faster(row[*best].record, row[i].record);
	if (!decided)
		*best = none;
	return end - first;
}

void gb_section_release(struct gb_section *section)
{
	free(section->record);
	free(section->row);
}

static enum gb_status collect(struct gb_section *section, const struct gb_report *report,
			      size_t first, bool *done, struct gb_error *err)
{
	const struct gb_records *list = report->list;
	const struct gb_record *before = NULL;
	bool hot = false, cold = false, units = false;

	*section = (struct gb_section){ .report = report };
	section->bench = list->record[first]->bench;
	section->record = calloc(list->count, sizeof(struct gb_record *));
	section->row = calloc(list->count, sizeof(struct gb_row));
	if (!section->record || !section->row)
		return gb_out_of_memory(err, "a table");
	for (size_t i = first; i < list->count; i++) {
		const struct gb_record *record = list->record[i];

		if (done[i] || !gb_equal(record->bench, section->bench))
			continue;
		done[i] = true;
		add_record(section, record);
		if (record->status == GB_STATUS_SKIPPED)
			continue;
		section->row[section->row_count++].record = record;
		hot |= record->cold == GB_NO;
		cold |= record->cold == GB_YES;
		section->mixed_runs |= before && !gb_equal(before->run_id, record->run_id);
		before = record;
		if (record->work.unit) {
			units |= section->unit && !gb_equal(section->unit, record->work.unit);
			section->unit = record->work.unit;
		}
	}
	section->mixed_caches = hot && cold;
	section->hot_caches = hot && !cold;
	section->unit = units ? NULL : section->unit;
	return GB_OK;
}

/* The record's point, for free(): the same text if records agree in every parameter that
 * distinguishes points, and in the cache mode.  NULL if memory ran out. */
static char *point_text(const struct gb_axes *axes, const struct gb_record *record)
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

/* Number the points in order of first appearance, and sort the rows by them. */
static enum gb_status sort_rows(struct gb_section *section, struct gb_error *err)
{
	struct gb_keys keys = { 0 };
	size_t count = 0;

	for (size_t i = 0; i < section->row_count && !err->code; i++) {
		const struct gb_record *record = section->row[i].record;
		char *point = point_text(&section->axes, record);

		if (!point)
			gb_out_of_memory(err, "a table");
		else
			(void)gb_keys_add(&keys, point, 0, record, err);
		free(point);
	}
	if (!err->code && !gb_keys_group(&keys, err))
		for (size_t g = 0; g < keys.group_count; g++)
			for (size_t i = 0; i < keys.group[g].count; i++)
				section->row[count++] =
					(struct gb_row){ keys.entry[keys.group[g].first + i].record,
							 g };
	gb_keys_release(&keys);
	return err->code;
}

enum gb_status gb_section_init(struct gb_section *section, const struct gb_report *report,
			       size_t first, bool *done, struct gb_error *err)
{
	return collect(section, report, first, done, err) ? err->code : sort_rows(section, err);
}
