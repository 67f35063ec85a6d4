/* peers.c -- see peers.h. */
#include "cli/reports/versus/peers.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/reports/grid/print.h"
#include "cli/reports/launch.h"
#include "cli/reports/section.h"
#include "common/text.h"

/* A point's rows of one number of threads: the fastest of either side; NULL: there is none. */
struct place {
	const struct gb_row *ours, *peer;
};

/* The places of a benchmark, by who is first; ours over the peer, of the places where it is. */
struct sum {
	size_t places, alone, behind, ties, first;
	double log_sum, least, most;
	size_t failed, unverified;
};

static double time_of(const struct gb_row *row)
{
	return (row->record->status == GB_STATUS_UNVERIFIED) ? (double)NAN : gb_row_time(row);
}

static bool is_peer(const struct gb_row *row)
{
	return row->record->peer;
}

/* 1 of a serial variant, 0 on a GPU. */
static double threads_of(const struct gb_row *row)
{
	return row->record->threads;
}

static void take(const struct gb_row **best, const struct gb_row *row)
{
	if (isfinite(time_of(row)) && (!*best || time_of(row) < time_of(*best)))
		*best = row;
}

/* The place of row `first`, among the rows from there to `end`; false if one before has had it. */
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

enum { FIXED = 7 };

struct columns {
	size_t count, axis_count;
	const char *title[GB_MAX_AXES + FIXED];
	bool left[GB_MAX_AXES + FIXED];
	size_t axis[GB_MAX_AXES];
};

static void choose_columns(struct columns *c, const struct gb_axes *axes)
{
	static const char *const fixed[FIXED] = { "threads", "peer",           "time", "ours",
						  "time",    "ours is slower", "95 %" };

	memset(c, 0, sizeof *c);
	for (size_t a = 0; a < axes->count; a++)
		if (gb_axis_is_point(axes, a) && !gb_equal(axes->axis[a].name, "threads")) {
			c->axis[c->axis_count++] = a;
			c->title[c->count] = axes->axis[a].name;
			c->left[c->count++] = axes->axis[a].value->kind != GB_MEMBER_NUMBER;
		}
	for (size_t i = 0; i < FIXED; i++) {
		c->title[c->count] = fixed[i];
		c->left[c->count++] = i == 1 || i == 3;
	}
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
	gb_grid_set(grid, column + 1, text, GB_PLAIN);
}

static void add_row(struct gb_grid *grid, const struct columns *c, const struct gb_section *section,
		    const struct place *place)
{
	char text[GB_VALUE_MAX];
	size_t at = c->axis_count;
	const struct gb_ratio ratio = gb_time_ratio(place->peer->record, place->ours->record);

	gb_grid_row(grid, false);
	for (size_t i = 0; i < c->axis_count; i++) {
		const struct gb_member *value =
			gb_axis_value(&section->axes, c->axis[i], place->ours->record);

		gb_grid_set(grid, i, gb_axis_text(text, value), GB_PLAIN);
	}
	if (threads_of(place->ours) > 0)
		gb_grid_set(grid, at, gb_text_int(text, (int64_t)threads_of(place->ours)),
			    GB_PLAIN);
	set_side(grid, at + 1, place->peer);
	set_side(grid, at + 3, place->ours);
	(void)snprintf(text, sizeof text, "%.2f times", ratio.estimate);
	gb_grid_set(grid, at + 5, text, GB_PLAIN);
	(void)snprintf(text, sizeof text, "%.2f to %.2f", ratio.interval.low, ratio.interval.high);
	gb_grid_set(grid, at + 6, isnan(ratio.interval.low) ? "" : text, GB_PLAIN);
}

/* ---- a benchmark -------------------------------------------------------------------------- */

/* Whether a row of the table is due. */
static bool count_place(struct sum *sum, const struct place *place)
{
	double by;

	sum->places++;
	if (!place->ours || !place->peer) {
		sum->alone++;
		return false;
	}
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

		sum->unverified += record->status == GB_STATUS_UNVERIFIED;
		sum->failed += record->status == GB_STATUS_FAILED;
	}
}

static void print_sum(FILE *file, const struct sum *sum)
{
	const size_t both = sum->places - sum->alone;

	(void)fprintf(file, "%zu of %zu places have a peer beside ours: ", both, sum->places);
	(void)fprintf(file, "ours is slower at %zu, unsure at %zu, faster at %zu", sum->behind,
		      sum->ties, sum->first);
	if (sum->first)
		(void)fprintf(file, ", by a geometric mean of %.2f (%.2f to %.2f)",
			      exp(sum->log_sum / (double)sum->first), sum->least, sum->most);
	if (sum->failed)
		(void)fprintf(file, "; %zu failed", sum->failed);
	if (sum->unverified)
		(void)fprintf(file, "; %zu unverified", sum->unverified);
	(void)fputs(".\n", file);
}

static enum gb_status print_section(const struct gb_section *section, struct gb_error *err)
{
	const struct gb_grid_style style = { .markup = section->table->markup };
	FILE *file = section->table->file;
	struct columns columns;
	struct sum sum = { 0 };
	struct gb_grid grid;
	size_t best, step;
	double by;

	choose_columns(&columns, &section->axes);
	gb_grid_init(&grid, columns.count, columns.title, columns.left);
	for (size_t begin = 0; begin < section->row_count; begin += step) {
		step = gb_section_point(section, begin, &best, &by);
		for (size_t i = begin; i < begin + step; i++) {
			struct place place;

			if (isfinite(time_of(&section->row[i])) &&
			    find_place(section, begin, i, begin + step, &place) &&
			    count_place(&sum, &place))
				add_row(&grid, &columns, section, &place);
		}
	}
	count_failures(&sum, section);
	(void)fprintf(file, "\n%s%s\n\n", style.markup ? "## " : "", section->bench);
	print_sum(file, &sum);
	if (sum.behind) {
		(void)fputc('\n', file);
		(void)gb_grid_print(file, &grid, &style, err);
	}
	gb_grid_release(&grid);
	return err->code;
}

enum gb_status gb_peers_print(FILE *file, const struct gb_records *list, bool markdown,
			      struct gb_error *err)
{
	const struct gb_style style = { .format = markdown ? GB_FORMAT_MARKDOWN : GB_FORMAT_TABLE };
	const struct gb_table table = {
		.file = file,
		.list = list,
		.style = &style,
		.markup = markdown ? GB_MARKUP_MARKDOWN : GB_MARKUP_NONE,
	};
	bool *done = calloc(list->count + 1, sizeof *done);

	if (!done)
		return gb_out_of_memory(err, "a table");
	for (size_t i = 0; i < list->count && !err->code; i++) {
		struct gb_section section;

		if (done[i])
			continue;
		if (!gb_section_init(&section, &table, i, done, err))
			(void)print_section(&section, err);
		gb_section_release(&section);
	}
	free(done);
	return err->code;
}
