/* section.c -- the records of one benchmark, sorted by point.
 *
 * Points are in order of first appearance; records of a point keep the order of the file, so
 * records of several runs at one point are adjacent.
 */
#include "cli/report/section.h"

#include <math.h>
#include <stdlib.h>

#include "cli/report/compare/gate.h"
#include "cli/report/keys.h"
#include "common/text.h"

double gb_row_time(const struct gb_row *row)
{
	return row->record->has_time ? row->record->time.median : (double)NAN;
}

bool gb_row_span(const struct gb_row *row, struct gb_span *span)
{
	const struct gb_times *measured = &row->record->time;
	const double time = gb_row_time(row);

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
		    (best == section->row_count || gb_row_time(&row[i]) < gb_row_time(&row[best])))
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
	*by = decided ? gb_row_time(&row[next]) / gb_row_time(&row[*best]) : (double)NAN;
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
		section->record[section->count++] = record;
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
	section->unit = units ? NULL : section->unit;
	gb_axes_find(&section->axes, section->record, section->count);
	return GB_OK;
}

/* Number the points in order of first appearance, and sort the rows by them. */
static enum gb_status sort_rows(struct gb_section *section, struct gb_error *err)
{
	struct gb_keys keys = { 0 };
	size_t count = 0;

	for (size_t i = 0; i < section->row_count && !err->code; i++) {
		const struct gb_record *record = section->row[i].record;
		char *point = gb_point_text(&section->axes, record);

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
