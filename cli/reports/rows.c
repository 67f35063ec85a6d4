/* rows.c -- the columns and cells of a benchmark's table.
 *
 * Columns: run, cache mode, the parameters that vary, then the fixed ones.  The grid omits columns
 * that are empty in all rows.
 */
#include <math.h>
#include <string.h>

#include "cli/reports/section.h"
#include "common/stats.h"
#include "common/text.h"

/* ---- cells ------------------------------------------------------------------------------- */

enum fixed { VARIANT, TIME, INTERVAL, ITEMS, BYTES, COPY, UPLOAD, DOWNLOAD, STATUS, FIXED };

/* A time with its unit; empty if it is unknown. */
static const char *time_text(char text[GB_TEXT_MAX], double ns)
{
	return isfinite(ns) ? gb_text_time(text, ns) : "";
}

/* Half the width of the median's interval, in percent of the median: "±0.4 %". */
static void set_interval(struct gb_grid *grid, size_t column, const struct gb_section *section,
			 const struct gb_row *row)
{
	char text[GB_TEXT_MAX + 8];
	struct gb_span span;
	const char *mark;
	double percent;

	if (!gb_row_span(row, &span))
		return;
	percent = 100 * (span.high - span.low) / 2 / span.at;
	mark = gb_width_mark(percent / 100);
	(void)snprintf(text, sizeof text, "%s%.*f %%%s",
		       section->table->sheet->utf8 ? "\u00b1" : "+-", percent < 0.095 ? 2 : 1,
		       percent, mark);
	gb_grid_set(grid, column, text, mark[0] ? GB_WARN : GB_PLAIN);
}

static void set_time(struct gb_grid *grid, size_t column, const struct gb_record *record, bool best)
{
	char text[GB_TEXT_MAX];

	if (record->emulated)
		gb_grid_set(grid, column, "emulated", GB_PLAIN);
	else
		gb_grid_set(grid, column, time_text(text, record->time.median),
			    best ? GB_BEST : GB_PLAIN);
}

/* "81.2 M", followed by the unit if the column's title does not name it. */
static void set_rates(struct gb_grid *grid, size_t first, const struct gb_section *section,
		      const struct gb_record *record)
{
	const double items = record->rates.items_per_s;
	const double bytes = record->rates.bytes_per_s;
	const double share = record->rates.copy_share;
	const char *unit = record->work.unit;
	char number[GB_TEXT_MAX], text[128];

	if (record->emulated)
		return;
	if (isfinite(items)) {
		gb_text_scaled(number, items);
		if (section->unit || !unit)
			(void)snprintf(text, sizeof text, "%s", number);
		else
			(void)snprintf(text, sizeof text, "%s %.64s/s", number, unit);
		gb_grid_set(grid, first + ITEMS, text, GB_PLAIN);
	}
	if (isfinite(bytes))
		gb_grid_set(grid, first + BYTES, gb_text_scaled(number, bytes), GB_PLAIN);
	if (isfinite(share)) {
		(void)snprintf(text, sizeof text, "%.*f %%", share < 0.0995 ? 1 : 0, 100 * share);
		gb_grid_set(grid, first + COPY, text, GB_PLAIN);
	}
}

static void set_transfers(struct gb_grid *grid, size_t first, const struct gb_record *record)
{
	char text[GB_TEXT_MAX];
	double upload, download;

	if (record->emulated || gb_is_cpu(record))
		return;
	upload = record->upload;
	download = record->download;
	gb_grid_set(grid, first + UPLOAD, time_text(text, upload), GB_PLAIN);
	gb_grid_set(grid, first + DOWNLOAD, time_text(text, download), GB_PLAIN);
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

static void set_status(struct gb_grid *grid, size_t column, const struct gb_record *record)
{
	const bool ok = record->status == GB_STATUS_OK;
	char text[600];

	if (ok || gb_is_untrusted(record)) {
		/* The width of the interval has its own column. */
		(void)snprintf(text, sizeof text, "%s%s", gb_status_word(record->status),
			       was_throttled(record) ? ", throttled" : "");
		gb_grid_set(grid, column, text, ok && !was_throttled(record) ? GB_PLAIN : GB_WARN);
		return;
	}
	(void)snprintf(text, sizeof text, "%s%s%s", gb_status_word(record->status),
		       record->reason ? ": " : "", record->reason ? record->reason : "");
	gb_grid_set(grid, column, text, GB_BAD);
}

static void set_variant(struct gb_grid *grid, size_t column, const struct gb_section *section,
			const struct gb_record *record, bool best)
{
	char text[256];

	(void)snprintf(text, sizeof text, "%.100s/%.100s%s", record->backend, record->variant,
		       best && section->table->sheet->format == GB_FORMAT_TABLE ? " *" : "");
	gb_grid_set(grid, column, text, GB_PLAIN);
}

/* ---- columns ----------------------------------------------------------------------------- */

/* The columns of a section's grid: run, cache mode, the parameters that vary, the fixed ones. */
struct columns {
	struct gb_column column[2 + GB_MAX_AXES + FIXED];
	size_t axis[GB_MAX_AXES]; /* parameter of each such column */
	size_t axis_count;
	char items[80]; /* "keys/s" */
};

static void choose_columns(struct columns *columns, const struct gb_section *section)
{
	const struct gb_column fixed[FIXED] = {
		[VARIANT] = { "variant", NULL, true }, [TIME] = { "time", NULL, false },
		[INTERVAL] = { "95 %", NULL, false },  [ITEMS] = { columns->items, NULL, false },
		[BYTES] = { "B/s", NULL, false },      [COPY] = { "of copy", NULL, false },
		[UPLOAD] = { "upload", NULL, false },  [DOWNLOAD] = { "download", NULL, false },
		[STATUS] = { "status", NULL, true },
	};

	columns->axis_count = 0;
	(void)snprintf(columns->items, sizeof columns->items, "%.64s/s",
		       section->unit ? section->unit : "items");
	columns->column[0] = (struct gb_column){ "run", NULL, true };
	columns->column[1] = (struct gb_column){ "cache", NULL, true };
	for (size_t i = 0; i < section->axes.count; i++) {
		if (!section->axes.axis[i].varies)
			continue;
		columns->column[2 + columns->axis_count] = gb_axis_column(&section->axes, i);
		columns->axis[columns->axis_count++] = i;
	}
	memcpy(&columns->column[2 + columns->axis_count], fixed, sizeof fixed);
}

static void fill_row(struct gb_grid *grid, const struct columns *columns,
		     const struct gb_section *section, const struct gb_row *row, bool best)
{
	const size_t fixed = 2 + columns->axis_count;
	const struct gb_record *record = row->record;
	char text[GB_VALUE_MAX];

	if (section->mixed_runs)
		gb_grid_set(grid, 0, gb_run_name(&section->table->runs, record->run_id), GB_PLAIN);
	if (record->cold != GB_UNKNOWN && section->mixed_caches)
		gb_grid_set(grid, 1, record->cold == GB_YES ? "cold" : "hot", GB_PLAIN);
	for (size_t i = 0; i < columns->axis_count; i++) {
		const struct gb_member *value =
			gb_axis_value(&section->axes, columns->axis[i], record);

		gb_grid_set(grid, 2 + i, gb_axis_text(text, value), GB_PLAIN);
	}
	set_variant(grid, fixed + VARIANT, section, record, best);
	set_time(grid, fixed + TIME, record, best);
	set_interval(grid, fixed + INTERVAL, section, row);
	set_rates(grid, fixed, section, record);
	set_transfers(grid, fixed, record);
	set_status(grid, fixed + STATUS, record);
}

/* ---- rows --------------------------------------------------------------------------------- */

bool gb_section_print_rows(const struct gb_section *section)
{
	struct columns columns;
	struct gb_grid grid;
	bool gap = false, marked = false;

	choose_columns(&columns, section);
	gb_grid_init(&grid, 2 + columns.axis_count + FIXED, columns.column);
	for (size_t i = 0; i < section->row_count;) {
		size_t best;
		double by;
		const size_t count = gb_section_point(section, i, &best, &by);

		gap = i > 0 && (gap || count > 1); /* no gap between single rows */
		for (size_t k = i; k < i + count; k++) {
			gb_grid_row(&grid, gap && k == i);
			fill_row(&grid, &columns, section, &section->row[k], k == best);
		}
		marked |= best < section->row_count;
		gap = count > 1;
		i += count;
	}
	gb_sheet_grid(section->table->sheet, "records", &grid);
	return marked;
}
