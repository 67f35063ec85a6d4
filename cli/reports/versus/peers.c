/* peers.c -- see peers.h. */
#include "cli/reports/versus/peers.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/reports/grid/sheet.h"
#include "cli/reports/launch.h"
#include "cli/reports/page.h"
#include "cli/reports/section.h"
#include "common/text.h"

/* The fastest row of either side, among a point's rows with one number of threads; NULL if none. */
struct place {
	const struct gb_row *ours, *peer;
};

/* The places of a benchmark, counted by which side is faster, and the speedup of ours over the peer
 * at the places where ours is. */
struct sum {
	size_t places, alone, behind, ties, first;
	double log_sum, least, most;
	size_t larger;    /* places where ours takes more memory than the peer */
	double larger_by; /* the largest quotient there */
	/* Our bytes at the place where they are most, and the bytes per item there. */
	double most_bytes, ours_bytes, peer_bytes;
	size_t failed, unverified;
};

static double time_of(const struct gb_row *row)
{
	return gb_is_untrusted(row->record) ? (double)NAN : gb_row_time(row);
}

/* Pages of the process that are not the variant's may be some 100 KiB. */
static const double LEAST_BYTES = 0x1p20, LARGER = 1.1;

/* The bytes that a run adds to the process, per item; NAN if unknown or too few. */
static double bytes_of(const struct gb_row *row)
{
	const double bytes = row->record->memory.resident_bytes;

	return bytes >= LEAST_BYTES ? bytes / row->record->work.items : (double)NAN;
}

static bool is_peer(const struct gb_row *row)
{
	return row->record->peer;
}

/* 1 for a serial variant, 0 on a GPU. */
static double threads_of(const struct gb_row *row)
{
	return row->record->threads;
}

static void take(const struct gb_row **best, const struct gb_row *row)
{
	if (isfinite(time_of(row)) && (!*best || time_of(row) < time_of(*best)))
		*best = row;
}

/* Find the place of row `first` among the rows begin .. end; false if an earlier row has the same
 * place. */
static bool find_place(const struct gb_section *section, size_t begin, size_t first, size_t end,
		       struct place *place)
{
	const struct gb_row *row = section->row;

	*place = (struct place){ 0 };
	for (size_t i = begin; i < end; i++) {
		if (!gb_equal(row[i].record->backend, row[first].record->backend) ||
		    fabs(threads_of(&row[i]) - threads_of(&row[first])) > 0)
			continue;
		if (i < first && isfinite(time_of(&row[i])))
			return false;
		take(is_peer(&row[i]) ? &place->peer : &place->ours, &row[i]);
	}
	return place->ours || place->peer;
}

/* ---- the table ---------------------------------------------------------------------------- */

enum fixed {
	BENCH,
	POINT,
	THREADS,
	PEER,
	PEER_TIME,
	PEER_BYTES,
	OURS,
	OURS_TIME,
	OURS_BYTES,
	RATIO,
	INTERVAL,
	LOW,
	HIGH,
	FIXED
};

static const struct gb_column fixed_columns[FIXED] = {
	[BENCH] = { NULL, "bench", true },
	[POINT] = { NULL, "point", true },
	[THREADS] = { "threads", "threads", false },
	[PEER] = { "peer", "peer", true },
	[PEER_TIME] = { "time", "peer_ns", false },
	[PEER_BYTES] = { "B/item", "peer_bytes_per_item", false },
	[OURS] = { "ours", "ours", true },
	[OURS_TIME] = { "time", "ours_ns", false },
	[OURS_BYTES] = { "B/item", "ours_bytes_per_item", false },
	[RATIO] = { "ours is slower", "ratio", false },
	[INTERVAL] = { "95 %", NULL, false },
	[LOW] = { NULL, "low", false },
	[HIGH] = { NULL, "high", false },
};

/* The parameters that distinguish points, for people, then the fixed columns. */
struct columns {
	size_t axis_count, axis[GB_MAX_AXES];
	struct gb_column column[GB_MAX_AXES + FIXED];
};

static void choose_columns(struct columns *c, const struct gb_axes *axes)
{
	c->axis_count = 0;
	for (size_t a = 0; a < axes->count; a++)
		if (gb_axis_is_point(axes, a) && !gb_equal(axes->axis[a].name, "threads")) {
			c->column[c->axis_count] = gb_axis_column(axes, a);
			c->axis[c->axis_count++] = a;
		}
	memcpy(&c->column[c->axis_count], fixed_columns, sizeof fixed_columns);
}

static void set_side(struct gb_grid *grid, size_t column, const struct gb_row *row)
{
	struct gb_span span;
	char text[256], time[GB_TEXT_MAX];

	(void)gb_row_span(row, &span);
	(void)snprintf(text, sizeof text, "%.100s/%.100s", row->record->backend,
		       row->record->variant);
	gb_grid_set(grid, column, text, GB_PLAIN);
	(void)snprintf(text, sizeof text, "%s%s", gb_text_time(time, span.at),
		       gb_width_mark((span.high - span.low) / 2 / span.at));
	gb_grid_set_number(grid, column + 1, span.at, text, GB_PLAIN);
	(void)snprintf(text, sizeof text, "%.1f", bytes_of(row));
	gb_grid_set_number(grid, column + 2, bytes_of(row), isnan(bytes_of(row)) ? NULL : text,
			   GB_PLAIN);
}

static void set_ratio(struct gb_grid *grid, size_t at, const struct gb_ratio *ratio)
{
	char text[GB_VALUE_MAX];

	(void)snprintf(text, sizeof text, "%.2f times", ratio->estimate);
	gb_grid_set_number(grid, at + RATIO, ratio->estimate, text, GB_PLAIN);
	(void)snprintf(text, sizeof text, "%.2f to %.2f", ratio->interval.low,
		       ratio->interval.high);
	gb_grid_set(grid, at + INTERVAL, isnan(ratio->interval.low) ? NULL : text, GB_PLAIN);
	gb_grid_set_number(grid, at + LOW, ratio->interval.low, NULL, GB_PLAIN);
	gb_grid_set_number(grid, at + HIGH, ratio->interval.high, NULL, GB_PLAIN);
}

static void add_row(struct gb_grid *grid, const struct columns *c, const struct gb_section *section,
		    const struct place *place)
{
	char text[GB_VALUE_MAX], point[512] = "";
	const size_t at = c->axis_count;
	const struct gb_ratio ratio = gb_time_ratio(place->peer->record, place->ours->record);
	const double threads = threads_of(place->ours);

	gb_grid_row(grid, false);
	for (size_t i = 0; i < at; i++) {
		const char *value = gb_axis_text(
			text, gb_axis_value(&section->axes, c->axis[i], place->ours->record));

		gb_grid_set(grid, i, value, GB_PLAIN);
		gb_text_append(point, sizeof point, "%s%s=%s", i ? " " : "", c->column[i].title,
			       value);
	}
	gb_grid_set(grid, at + BENCH, section->bench, GB_PLAIN);
	gb_grid_set(grid, at + POINT, point, GB_PLAIN);
	if (threads > 0)
		gb_grid_set_number(grid, at + THREADS, threads, gb_text_int(text, (int64_t)threads),
				   GB_PLAIN);
	set_side(grid, at + PEER, place->peer);
	set_side(grid, at + OURS, place->ours);
	set_ratio(grid, at, &ratio);
}

/* ---- a benchmark -------------------------------------------------------------------------- */

static void count_memory(struct sum *sum, const struct place *place)
{
	const double ours = bytes_of(place->ours), peer = bytes_of(place->peer);
	const double bytes = place->ours->record->memory.resident_bytes, ratio = ours / peer;

	if (!isnan(ratio) && bytes > sum->most_bytes) {
		sum->most_bytes = bytes;
		sum->ours_bytes = ours;
		sum->peer_bytes = peer;
	}
	if (ratio > LARGER) {
		sum->larger++;
		sum->larger_by = fmax(sum->larger_by, ratio);
	}
}

/* Count a place with both sides; true if it belongs in the table. */
static bool count_place(struct sum *sum, const struct place *place)
{
	double by;

	sum->places++;
	count_memory(sum, place);
	by = time_of(place->peer) / time_of(place->ours);
	if (gb_is_faster(place->peer->record, place->ours->record)) {
		sum->behind++;
		return true;
	}
	if (!gb_is_faster(place->ours->record, place->peer->record)) {
		sum->ties++;
		return false;
	}
	sum->least = sum->first ? fmin(sum->least, by) : by;
	sum->most = sum->first ? fmax(sum->most, by) : by;
	sum->log_sum += log(by);
	sum->first++;
	return false;
}

static void count_failures(struct sum *sum, const struct gb_section *section)
{
	for (size_t i = 0; i < section->row_count; i++) {
		const struct gb_record *record = section->row[i].record;

		sum->unverified += gb_is_untrusted(record);
		sum->failed += record->status == GB_STATUS_FAILED;
	}
}

static void print_sum(struct gb_sheet *sheet, const struct sum *sum)
{
	gb_sheet_begin(sheet, GB_LINE);
	gb_sheet_text(sheet, "%zu place%s: ours is slower at %zu, unsure at %zu, faster at %zu",
		      sum->places, sum->places == 1 ? "" : "s", sum->behind, sum->ties, sum->first);
	if (sum->first)
		gb_sheet_text(sheet, ", by a geometric mean of %.2f (%.2f to %.2f)",
			      exp(sum->log_sum / (double)sum->first), sum->least, sum->most);
	if (sum->most_bytes > 0)
		gb_sheet_text(sheet, "; %.1f B/item at the largest, the peer %.1f", sum->ours_bytes,
			      sum->peer_bytes);
	if (sum->larger)
		gb_sheet_text(sheet, "; it takes more memory at %zu, up to %.2f times as much",
			      sum->larger, sum->larger_by);
	if (sum->failed)
		gb_sheet_text(sheet, "; %zu failed", sum->failed);
	if (sum->unverified)
		gb_sheet_text(sheet, "; %zu unverified", sum->unverified);
	gb_sheet_text(sheet, ".");
	gb_sheet_end(sheet);
}

/* The same, for programs. */
static void put_sum(struct gb_sheet *sheet, const char *bench, const struct sum *sum)
{
	static const struct gb_column column[] = {
		{ NULL, "bench", true },   { NULL, "places", false },     { NULL, "alone", false },
		{ NULL, "slower", false }, { NULL, "unsure", false },     { NULL, "faster", false },
		{ NULL, "failed", false }, { NULL, "unverified", false }, { NULL, "mean", false },
	};
	const size_t count[] = { sum->places, sum->alone,  sum->behind,    sum->ties,
				 sum->first,  sum->failed, sum->unverified };
	struct gb_grid grid;

	gb_grid_init(&grid, GB_COUNT(column), column);
	gb_grid_row(&grid, false);
	gb_grid_set(&grid, 0, bench, GB_PLAIN);
	for (size_t i = 0; i < GB_COUNT(count); i++)
		gb_grid_set_count(&grid, 1 + i, count[i], GB_PLAIN);
	if (sum->first)
		gb_grid_set_number(&grid, 1 + GB_COUNT(count),
				   exp(sum->log_sum / (double)sum->first), NULL, GB_PLAIN);
	gb_sheet_grid(sheet, "benchmarks", &grid);
}

static void print_section(const struct gb_section *section)
{
	struct gb_sheet *sheet = section->table->sheet;
	struct columns columns;
	struct sum sum = { 0 };
	struct gb_grid grid;
	size_t best, step;
	double by;

	choose_columns(&columns, &section->axes);
	gb_grid_init(&grid, columns.axis_count + FIXED, columns.column);
	for (size_t begin = 0; begin < section->row_count; begin += step) {
		step = gb_section_point(section, begin, &best, &by);
		for (size_t i = begin; i < begin + step; i++) {
			struct place place;

			if (!isfinite(time_of(&section->row[i])) ||
			    !find_place(section, begin, i, begin + step, &place))
				continue;
			if (!place.ours || !place.peer)
				sum.alone++;
			else if (count_place(&sum, &place))
				add_row(&grid, &columns, section, &place);
		}
	}
	count_failures(&sum, section);
	gb_sheet_put(sheet, GB_HEAD, "%s", section->bench);
	print_sum(sheet, &sum);
	gb_sheet_grid(sheet, "places", &grid);
	if (gb_sheet_is_data(sheet))
		put_sum(sheet, section->bench, &sum);
}

enum gb_status gb_peers_print(FILE *file, const struct gb_records *list, enum gb_format format,
			      struct gb_error *err)
{
	struct gb_sheet sheet;
	const struct gb_table table = { .sheet = &sheet, .list = list };
	bool *done = calloc(list->count + 1, sizeof *done);
	char title[GB_PAGE_TITLE];

	if (!done)
		return gb_out_of_memory(err, "a table");
	gb_sheet_open(&sheet, file, format,
		      (struct gb_sheet_kind){ "peers", "places", gb_page_title(title, list) });
	for (size_t i = 0; i < list->count && !err->code; i++) {
		struct gb_section section;

		if (done[i])
			continue;
		if (!gb_section_init(&section, &table, i, done, err))
			print_section(&section);
		gb_section_release(&section);
	}
	if (format == GB_FORMAT_HTML)
		gb_page_print_runs(file, list);
	free(done);
	return gb_sheet_close(&sheet, err);
}
