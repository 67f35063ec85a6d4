/* section.c -- the records of one benchmark, sorted by point.
 *
 * Points are in order of first appearance; records of a point keep the order of the file, so
 * records of several runs at one point are adjacent.
 */
#include "cli/reports/section.h"

#include <math.h>
#include <stdlib.h>

#include "cli/reports/launch.h"
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

static enum gb_status collect(struct gb_section *section, const struct gb_table *table,
			      size_t first, bool *done, struct gb_error *err)
{
	const struct gb_records *list = table->list;
	const struct gb_record *before = NULL;
	bool hot = false, cold = false, units = false;

	*section = (struct gb_section){ .table = table };
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
		section->row[section->row_count].record = record;
		section->row[section->row_count].order = section->row_count;
		section->row_count++;
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

static int by_point(const void *a, const void *b)
{
	const struct gb_row *x = a, *y = b;
	const int order = GB_ORDER(x->point, y->point);

	return order ? order : GB_ORDER(x->order, y->order);
}

/* A point seen so far, represented by its first record. */
struct example {
	const struct gb_record *record;
	uint64_t hash;
};

/* Number the points in order of first appearance, and sort the rows by them.  Records of one point
 * are usually adjacent, so the search for a point starts at the last one found and wraps around. */
static enum gb_status sort_rows(struct gb_section *section, struct gb_error *err)
{
	struct example *example = calloc(section->row_count + 1, sizeof *example);
	const struct gb_axes *axes = &section->axes;
	size_t count = 0, last = 0;

	if (!example)
		return gb_out_of_memory(err, "a table");
	for (size_t i = 0; i < section->row_count; i++) {
		struct gb_row *row = &section->row[i];
		const uint64_t hash = gb_point_hash(axes, row->record);
		size_t tried = 0;

		while (tried < count && !(example[last].hash == hash &&
					  gb_same_point(axes, example[last].record, row->record))) {
			last = last + 1 < count ? last + 1 : 0;
			tried++;
		}
		if (tried == count) {
			last = count++;
			example[last] = (struct example){ row->record, hash };
		}
		row->point = last;
	}
	free(example);
	qsort(section->row, section->row_count, sizeof *section->row, by_point);
	return GB_OK;
}

enum gb_status gb_section_init(struct gb_section *section, const struct gb_table *table,
			       size_t first, bool *done, struct gb_error *err)
{
	return collect(section, table, first, done, err) ? err->code : sort_rows(section, err);
}
