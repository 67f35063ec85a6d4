/* fastest.c -- prints which variants win the most points of a benchmark. */
#include "cli/reports/fastest.h"

#include <math.h>
#include <stdlib.h>

#include "cli/reports/pooled.h"
#include "common/stats.h"
#include "common/text.h"

enum { MOST = 4 }; /* variants named in a line */

/* The points that one variant wins; with several machines or builds, the variant on one. */
struct winner {
	const struct gb_record *record; /* at its first such point */
	size_t points;
	double low, high; /* speedup over the next variant */
};

/* The name of the record's machine and build; "" if there is one. */
static const char *where(const struct gb_section *section, const struct gb_record *record)
{
	return gb_run_name(&section->table->builds, record->run_id);
}

static bool is_same(const struct gb_section *section, const struct gb_record *a,
		    const struct gb_record *b)
{
	return gb_equal(a->backend, b->backend) && gb_equal(a->variant, b->variant) &&
	       gb_equal(where(section, a), where(section, b));
}

static void add(const struct gb_section *section, struct winner *winner, size_t *count,
		const struct gb_record *record, double by)
{
	size_t i = 0;

	while (i < *count && !is_same(section, winner[i].record, record))
		i++;
	if (i == *count)
		winner[(*count)++] = (struct winner){ record, 0, by, by };
	winner[i].points++;
	winner[i].low = fmin(winner[i].low, by);
	winner[i].high = fmax(winner[i].high, by);
}

static int by_points(const void *a, const void *b)
{
	const struct winner *x = a, *y = b;
	const int order = GB_ORDER(y->points, x->points);

	return order ? order : GB_ORDER(y->high, x->high);
}

/* "cpu/best on NAME at 5 of 6 points, 1.2 to 1.9 times as fast as the next" */
static void print_winner(const struct gb_section *section, const struct winner *winner, size_t all)
{
	const struct gb_table *table = section->table;
	const char *run = where(section, winner->record);
	char low[16], high[16];

	(void)snprintf(low, sizeof low, "%.3g", winner->low);
	(void)snprintf(high, sizeof high, "%.3g", winner->high);
	gb_sheet_text(table->sheet,
		      "%s/%s%s%s at %zu of %zu point%s, %s%s%s times as fast as the next",
		      winner->record->backend, winner->record->variant, run[0] ? " on " : "", run,
		      winner->points, all, all == 1 ? "" : "s", low,
		      gb_equal(low, high) ? "" : " to ", gb_equal(low, high) ? "" : high);
}

/* Rows of a section and the names of their machines and builds. */
struct rows {
	const struct gb_row *row;
	const char **name;
};

static bool is_launch_of(const struct rows *rows, size_t i, size_t k)
{
	const struct gb_record *a = rows->row[i].record, *b = rows->row[k].record;

	return gb_equal(rows->name[i], rows->name[k]) && gb_equal(a->backend, b->backend) &&
	       gb_equal(a->variant, b->variant) && gb_is_launch_of(a, b);
}

/* Fill `record` with the row's record, and `value` with the medians of its launches if there are
 * several.  Returns the number of launches; 0 if an earlier row has them. */
static size_t pool_row(const struct gb_section *section, const struct rows *rows, size_t i,
		       struct gb_record *record, double *value, struct gb_error *err)
{
	const struct gb_row *row = section->row;
	struct gb_summary all;
	size_t count = 0;

	for (size_t k = i; k-- > 0 && row[k].point == row[i].point;)
		if (is_launch_of(rows, k, i))
			return 0;
	for (size_t k = i; k < section->row_count && row[k].point == row[i].point; k++)
		if (is_launch_of(rows, i, k))
			value[count++] = gb_row_time(&row[k]);
	*record = *row[i].record;
	if (count > 1 && record->has_time && !gb_summarize(value, count, &all, err)) {
		record->launches = count;
		record->time = (struct gb_times){ .count = count,
						  .sample = value,
						  .median = all.median,
						  .ci_low = all.ci_low,
						  .ci_high = all.ci_high };
	}
	return count ? count : 1;
}

/* Make *pooled the section with one row for all launches of a measurement.  Its rows, records and
 * their samples are in `row`, `record` and `value`, each with room for all rows. */
static enum gb_status pool(const struct gb_section *section, const char **name,
			   struct gb_section *pooled, struct gb_record *record, double *value,
			   struct gb_error *err)
{
	const struct rows rows = { section->row, name };
	size_t used = 0, count = 0;

	for (size_t i = 0; i < section->row_count; i++)
		name[i] = where(section, section->row[i].record);

	for (size_t i = 0; i < section->row_count && !err->code; i++) {
		const size_t launches =
			pool_row(section, &rows, i, &record[count], &value[used], err);

		if (launches == 0)
			continue;
		pooled->row[count] = section->row[i];
		pooled->row[count].record = &record[count];
		count++;
		used += launches;
	}
	pooled->row_count = count;
	return err->code;
}

/* True if two rows of a point have a time. */
static bool is_contest(const struct gb_section *section, size_t first, size_t count)
{
	size_t times = 0;

	for (size_t i = first; i < first + count; i++)
		if (!isnan(gb_row_time(&section->row[i])))
			times++;
	return times > 1;
}

/* *begun is set once a line was printed. */
static enum gb_status print_line(const struct gb_section *section, bool *begun,
				 struct gb_error *err)
{
	struct winner *winner = calloc(section->row_count + 1, sizeof *winner);
	struct gb_sheet *sheet = section->table->sheet;
	size_t count = 0, all = 0, won = 0, best, step;
	double by;

	if (!winner)
		return gb_out_of_memory(err, "a table");
	for (size_t i = 0; i < section->row_count; i += step) {
		step = gb_section_point(section, i, &best, &by);
		all += is_contest(section, i, step);
		if (best == section->row_count)
			continue;
		add(section, winner, &count, section->row[best].record, by);
		won++;
	}
	qsort(winner, count, sizeof *winner, by_points);
	if (all && !*begun)
		gb_sheet_put(sheet, GB_HEAD, "Fastest");
	if (all) {
		*begun = true;
		gb_sheet_begin(sheet, GB_ITEM);
		gb_sheet_strong(sheet, section->bench);
		for (size_t i = 0; i < count && i < MOST; i++) {
			gb_sheet_text(sheet, i ? "; " : ": ");
			print_winner(section, &winner[i], all);
		}
		if (count > MOST)
			gb_sheet_text(sheet, "; %zu other variant%s at the remaining points",
				      count - MOST, count - MOST == 1 ? "" : "s");
		if (won < all)
			gb_sheet_text(sheet, "%s unsure at %zu of %zu point%s", won ? ";" : ":",
				      all - won, all, all == 1 ? "" : "s");
		gb_sheet_end(sheet);
	}
	free(winner);
	return GB_OK;
}

static enum gb_status print_pooled(const struct gb_section *section, bool *begun,
				   struct gb_error *err)
{
	const size_t rows = section->row_count + 1;
	struct gb_section pooled = *section;
	struct gb_record *record = calloc(rows, sizeof *record);
	double *value = calloc(rows, sizeof *value);
	const char **name = calloc(rows, sizeof *name);

	pooled.row = calloc(rows, sizeof *pooled.row);
	if (!record || !value || !name || !pooled.row)
		gb_out_of_memory(err, "a table");
	else if (!pool(section, name, &pooled, record, value, err))
		(void)print_line(&pooled, begun, err);
	free(pooled.row);
	free(name);
	free(value);
	free(record);
	return err->code;
}

enum gb_status gb_print_fastest(const struct gb_section *section, size_t count,
				struct gb_error *err)
{
	bool begun = false;

	for (size_t i = 0; i < count && !err->code; i++)
		(void)print_pooled(&section[i], &begun, err);
	if (begun)
		gb_sheet_put(section->table->sheet, GB_LINE,
			     "In the tables below, the fastest at its point is bold and green.");
	return err->code;
}
