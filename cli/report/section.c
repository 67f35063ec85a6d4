/* section.c -- the records of one benchmark, sorted by point, and the table of their times: a column
 * is a row of columns[].
 *
 * Points are in order of first appearance; records of a point keep the order of the file, so
 * records of several runs at one point are adjacent.  Before the times stand the run, the cache mode
 * and the parameters that vary.  The table omits columns that are empty in all rows.
 */
#include "cli/report/section.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/report/compare/gate.h"
#include "cli/report/keys.h"
#include "common/stats.h"
#include "common/text.h"

/* ---- parameters --------------------------------------------------------------------------- */

static struct gb_axis_seen *find_axis(struct gb_axes *axes, const struct gb_member *param)
{
	struct gb_axis_seen *axis = axes->axis;

	for (; axis < axes->axis + axes->count; axis++)
		if (gb_equal(axis->name, param->name))
			return axis;
	if (axes->count == GB_MAX_AXES)
		return NULL;
	axes->count++;
	*axis = (struct gb_axis_seen){ .name = param->name, .value = param->value };
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
		const struct gb_member *param = &record->params.item[i];
		struct gb_axis_seen *axis = find_axis(axes, param);

		if (!axis)
			continue;
		axis->count++;
		axis->varies |= !gb_values_equal(axis->value, param->value);
	}
	for (size_t i = 0; i < axes->count; i++)
		axes->axis[i].varies |=
			!gb_axis_value(axes, i, record).kind != !gb_axis_value(axes, i, first).kind;
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
						    axes->axis[i].value.kind != GB_VALUE_NUMBER };
	return count;
}

struct gb_field_value gb_axis_value(const struct gb_axes *axes, size_t axis,
				    const struct gb_record *record)
{
	return gb_member_value(&record->params, axes->axis[axis].name);
}

const char *gb_axis_text(char text[GB_VALUE_MAX], struct gb_field_value value)
{
	if (!value.kind)
		return "";
	if (value.kind == GB_VALUE_TEXT)
		return value.text;
	if (value.kind == GB_VALUE_FLAG)
		return value.number > 0 ? "yes" : "no";
	if (fabs(value.number) <= 0x1p53 && !(fabs(fmod(value.number, 1)) > 0))
		return gb_text_int(text, (int64_t)value.number);
	return gb_text_real(text, value.number);
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

/* Return the number of rows from `first` on that belong to its point.  *best is set to the row that
 * is faster than every other by the interval of their ratio (gate.h), or to row_count if there
 * is none. */
static size_t find_best(const struct gb_section *section, size_t first, size_t *best)
{
	const struct gb_row *row = section->row;
	const size_t none = section->row_count;
	size_t end = first;
	bool decided;

	while (end < none && row[end].point == row[first].point)
		end++;
	*best = shortest(section, first, end, none);
	decided = *best < none && shortest(section, first, end, *best) < none;
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

/* ---- the table of times: cells -------------------------------------------------------------- */

/* The cell that is being set. */
struct cell {
	struct gb_table *table;
	size_t at;
	const struct gb_section *section;
	const struct gb_row *row;
	const struct gb_record *record; /* of the row */
	bool best;                      /* the fastest at its point */
};

static void put(const struct cell *c, const char *text)
{
	gb_table_set(c->table, c->at, text, GB_PLAIN);
}

static void put_time(const struct cell *c, double ns, enum gb_style style)
{
	char text[GB_TEXT_MAX];

	if (isfinite(ns))
		gb_table_set(c->table, c->at, gb_text_time(text, ns), style);
}

/* ---- cells ------------------------------------------------------------------------------- */

static void put_variant(const struct cell *c)
{
	char text[256];

	(void)snprintf(text, sizeof text, "%.100s/%.100s%s", c->record->backend, c->record->variant,
		       c->best && c->section->report->document->format == GB_FORMAT_TABLE ? " *"
											  : "");
	put(c, text);
}

static void put_median(const struct cell *c)
{
	if (c->record->emulated)
		put(c, "emulated");
	else
		put_time(c, c->record->time.median, c->best ? GB_BEST : GB_PLAIN);
}

/* Half the width of the median's interval, in percent of the median: "±0.4 %". */
static void put_interval(const struct cell *c)
{
	char text[GB_TEXT_MAX + 8];
	struct gb_span span;
	const char *mark;
	double percent;

	if (!gb_row_span(c->row, &span))
		return;
	percent = 100 * (span.high - span.low) / 2 / span.at;
	mark = gb_width_mark(percent / 100);
	(void)snprintf(text, sizeof text, "%s%.*f %%%s",
		       c->section->report->document->utf8 ? "\u00b1" : "+-",
		       percent < 0.095 ? 2 : 1, percent, mark);
	gb_table_set(c->table, c->at, text, mark[0] ? GB_WARN : GB_PLAIN);
}

/* "81.2 M", followed by the unit if the column's title does not name it. */
static void put_items(const struct cell *c)
{
	const double items = c->record->rates.items_per_s;
	const char *unit = c->section->unit ? NULL : c->record->work.unit;
	char number[GB_TEXT_MAX], text[128];

	if (!isfinite(items))
		return;
	(void)snprintf(text, sizeof text, "%s%s%.64s%s", gb_text_scaled(number, items),
		       unit ? " " : "", unit ? unit : "", unit ? "/s" : "");
	put(c, text);
}

static void put_bytes(const struct cell *c)
{
	char text[GB_TEXT_MAX];

	if (isfinite(c->record->rates.bytes_per_s))
		put(c, gb_text_scaled(text, c->record->rates.bytes_per_s));
}

static void put_copy_share(const struct cell *c)
{
	const double share = c->record->rates.copy_share;
	char text[GB_TEXT_MAX];

	if (!isfinite(share))
		return;
	(void)snprintf(text, sizeof text, "%.*f %%", share < 0.0995 ? 1 : 0, 100 * share);
	put(c, text);
}

static void put_upload(const struct cell *c)
{
	if (!gb_is_cpu(c->record))
		put_time(c, c->record->upload, GB_PLAIN);
}

static void put_download(const struct cell *c)
{
	if (!gb_is_cpu(c->record))
		put_time(c, c->record->download, GB_PLAIN);
}

/* True if the GPU lowered its clocks because of power or temperature. */
static bool was_throttled(const struct gb_record *record)
{
	const struct gb_texts *throttle = &record->gpu_state.throttle;

	if (record->gpu_state.throttled_samples > 0)
		return true;
	for (size_t i = 0; i < throttle->count; i++)
		if (strstr(throttle->text[i], "power") || strstr(throttle->text[i], "thermal") ||
		    strstr(throttle->text[i], "slowdown"))
			return true;
	return false;
}

static void put_status(const struct cell *c)
{
	const struct gb_record *record = c->record;
	const bool ok = record->status == GB_STATUS_OK;
	char text[600];

	if (ok || gb_is_untrusted(record)) {
		/* The width of the interval has its own column. */
		(void)snprintf(text, sizeof text, "%s%s", gb_status_word(record->status),
			       was_throttled(record) ? ", throttled" : "");
		gb_table_set(c->table, c->at, text,
			     ok && !was_throttled(record) ? GB_PLAIN : GB_WARN);
		return;
	}
	(void)snprintf(text, sizeof text, "%s%s%s", gb_status_word(record->status),
		       record->reason ? ": " : "", record->reason ? record->reason : "");
	gb_table_set(c->table, c->at, text, GB_BAD);
}

/* ---- columns ------------------------------------------------------------------------------ */

#define LIST(member)   .list = offsetof(struct gb_record, gpu_state.member)
#define NUMBER(member) .number = offsetof(struct gb_record, gpu_state.member)

/* A column has a function that sets its cells, or a member of the record that is shown with `unit`:
 * a metric, a number, or the middle one of a list. */
static const struct column {
	const char *title;
	void (*put)(const struct cell *cell);
	bool left;
	bool real;           /* empty for records of the emulator */
	const char *metric;  /* its name */
	size_t list, number; /* offset of the member */
	const char *unit;    /* NULL: always shown; else if asked for */
	double scale,
		varies; /* shown, too, if the largest is more than `varies` times the smallest */
} columns[] = {
	{ .title = "variant", .put = put_variant, .left = true },
	{ .title = "time", .put = put_median },
	{ .title = "95 %", .put = put_interval },
	{ .title = NULL, .put = put_items, .real = true }, /* the title is the unit */
	{ .title = "B/s", .put = put_bytes, .real = true },
	{ .title = "of copy", .put = put_copy_share, .real = true },
	{ .title = "upload", .put = put_upload, .real = true },
	{ .title = "download", .put = put_download, .real = true },
	{ .title = "clock", LIST(sm_clock_hz), .unit = "MHz", .scale = 1e-6, .varies = 1.05 },
	{ .title = "temperature", LIST(temperature_c), .unit = "C", .scale = 1, .varies = 1.5 },
	{ .title = "throttled", NUMBER(throttled_s), .unit = "s", .scale = 1, .varies = 1.05 },
	{ .title = "power", LIST(power_w), .unit = "W", .scale = 1, .varies = INFINITY },
	{ .title = "energy", NUMBER(energy_j), .unit = "J", .scale = 1, .varies = INFINITY },
	{ .title = "local",
	  .metric = "local_bytes_per_thread",
	  .unit = "B",
	  .scale = 1,
	  .varies = INFINITY },
	{ .title = "status", .put = put_status, .left = true },
};
enum { COLUMNS = GB_COUNT(columns), BEFORE = 2 /* run and cache mode */ };

/* The number of a column in a record; NAN if there is none. */
static double number_of(const struct column *column, const struct gb_record *record)
{
	const char *base = (const char *)record;
	const struct gb_numbers *list = (const void *)(base + column->list);

	if (column->metric)
		return column->scale * gb_member_number(&record->metrics, column->metric);
	if (!column->list)
		return column->scale * *(const double *)(const void *)(base + column->number);
	return list->count ? column->scale * list->value[list->count / 2] : (double)NAN;
}

/* GB_EUSAGE: the list has a word that is no column with a unit. */
static enum gb_status refuse(const char *list, struct gb_error *err)
{
	char words[256] = "";

	for (size_t i = 0; i < COLUMNS; i++)
		if (columns[i].unit)
			gb_text_append(words, sizeof words, "%s%s", words[0] ? ", " : "",
				       columns[i].title);
	return gb_fail(err, GB_EUSAGE, "--columns=%.80s: must be a list of %s", list, words);
}

enum gb_status gb_columns_read(const char *list, unsigned *set, struct gb_error *err)
{
	*set = 0;
	for (const char *word = list; word && *word; word += *word == ',') {
		const size_t length = strcspn(word, ",");
		size_t i = 0;

		while (i < COLUMNS && !(columns[i].unit && strlen(columns[i].title) == length &&
					strncmp(columns[i].title, word, length) == 0))
			i++;
		if (i == COLUMNS)
			return refuse(list, err);
		*set |= 1U << i;
		word += length;
	}
	return GB_OK;
}

static bool is_shown(const struct gb_section *section, size_t index)
{
	const struct column *column = &columns[index];
	double least = INFINITY, most = -INFINITY;

	for (size_t i = 0; i < section->row_count && column->unit; i++) {
		const double number = number_of(column, section->row[i].record);

		least = fmin(least, number);
		most = fmax(most, number);
	}
	return !column->unit || section->report->columns >> index & 1 ||
	       most > column->varies * least;
}

static void fill_row(struct cell *c, const bool *shown)
{
	const struct gb_section *section = c->section;
	const struct gb_record *record = c->record;
	char text[GB_VALUE_MAX];

	if (section->mixed_runs)
		put(c, gb_context_name(&section->report->names, record->run_id));
	c->at++;
	if (record->cold != GB_UNKNOWN && section->mixed_caches)
		put(c, record->cold == GB_YES ? "cold" : "hot");
	c->at++;
	for (size_t i = 0; i < section->axes.count; i++)
		if (section->axes.axis[i].varies) {
			put(c, gb_axis_text(text, gb_axis_value(&section->axes, i, record)));
			c->at++;
		}
	for (size_t i = 0; i < COLUMNS; i++, c->at++) {
		const double number =
			shown[i] && columns[i].unit ? number_of(&columns[i], record) : (double)NAN;

		if (columns[i].put && !(columns[i].real && record->emulated))
			columns[i].put(c);
		if (!isfinite(number))
			continue;
		(void)snprintf(text, sizeof text, "%.*f %s", number < 9.95 ? 2 : 0, number,
			       columns[i].unit);
		put(c, text);
	}
}

bool gb_section_print_rows(const struct gb_section *section)
{
	struct gb_column column[BEFORE + GB_MAX_AXES + COLUMNS] = { { "run", NULL, true },
								    { "cache", NULL, true } };
	size_t count = BEFORE;
	struct gb_table table;
	bool gap = false, marked = false, shown[COLUMNS];
	char items[80];

	count += gb_axes_columns(&section->axes, column + count);
	(void)snprintf(items, sizeof items, "%.64s/s", section->unit ? section->unit : "items");
	for (size_t i = 0; i < COLUMNS; i++) {
		shown[i] = is_shown(section, i);
		column[count++] = (struct gb_column){ columns[i].title ? columns[i].title : items,
						      NULL, columns[i].left };
	}
	gb_table_init(&table, count, column);
	for (size_t i = 0; i < section->row_count;) {
		size_t best;

		count = find_best(section, i, &best);
		gap = i > 0 && (gap || count > 1); /* no gap between single rows */
		for (size_t k = i; k < i + count; k++) {
			const struct gb_row *row = &section->row[k];

			gb_table_row(&table, gap && k == i);
			fill_row(&(struct cell){ &table, 0, section, row, row->record, k == best },
				 shown);
		}
		marked |= best < section->row_count;
		gap = count > 1;
		i += count;
	}
	gb_document_table(section->report->document, "records", &table);
	return marked;
}
