/* fastest.c -- prints which variants win the most points of a benchmark. */
#include "cli/reports/fastest.h"

#include <math.h>
#include <stdlib.h>

#include "common/text.h"

enum { MOST = 4 }; /* variants named in a line */

/* The points that one variant wins; if there are several runs, the variant of one run. */
struct winner {
	const struct gb_record *record; /* at its first such point */
	size_t points;
	double low, high; /* speedup over the next variant */
};

static bool is_same(const struct gb_section *section, const struct gb_record *a,
		    const struct gb_record *b)
{
	return gb_equal(a->backend, b->backend) && gb_equal(a->variant, b->variant) &&
	       (!section->mixed_runs || gb_equal(a->run_id, b->run_id));
}

static void add(const struct gb_section *section, struct winner *winner, size_t *count,
		const struct gb_record *record, double by)
{
	size_t i = 0;

	while (i < *count && !is_same(section, winner[i].record, record))
		i++;
	if (i == *count)
		winner[(*count)++] = (struct winner){ record, 0, INFINITY, 0 };
	winner[i].points++;
	winner[i].low = fmin(winner[i].low, by);
	winner[i].high = fmax(winner[i].high, by);
}

static int by_points(const void *a, const void *b)
{
	const struct winner *x = a, *y = b;

	if (x->points != y->points)
		return x->points > y->points ? -1 : 1;
	return (x->high < y->high) - (x->high > y->high);
}

/* "cpu/best on NAME at 5 of 6 points, 1.2 to 1.9 times as fast as the next" */
static void print_winner(const struct gb_section *section, const struct winner *winner, size_t all)
{
	const struct gb_table *table = section->table;
	const char *run =
		section->mixed_runs ? gb_run_name(&table->runs, winner->record->run_id) : "";
	char low[16], high[16];

	(void)snprintf(low, sizeof low, "%.3g", winner->low);
	(void)snprintf(high, sizeof high, "%.3g", winner->high);
	gb_sheet_text(table->sheet,
		      "%s/%s%s%s at %zu of %zu point%s, %s%s%s times as fast as the next",
		      winner->record->backend, winner->record->variant, run[0] ? " on " : "", run,
		      winner->points, all, all == 1 ? "" : "s", low,
		      gb_equal(low, high) ? "" : " to ", gb_equal(low, high) ? "" : high);
}

/* *begun is set once a line was printed. */
static enum gb_status print_line(const struct gb_section *section, bool *begun,
				 struct gb_error *err)
{
	struct winner *winner = calloc(section->row_count + 1, sizeof *winner);
	struct gb_sheet *sheet = section->table->sheet;
	size_t count = 0, all = 0, best, step;
	double by;

	if (!winner)
		return gb_out_of_memory(err, "a table");
	for (size_t i = 0; i < section->row_count; i += step) {
		step = gb_section_point(section, i, &best, &by);
		if (best == section->row_count)
			continue;
		add(section, winner, &count, section->row[best].record, by);
		all++;
	}
	qsort(winner, count, sizeof *winner, by_points);
	if (count && !*begun)
		gb_sheet_put(sheet, GB_HEAD, "Fastest");
	if (count) {
		*begun = true;
		gb_sheet_begin(sheet, GB_ITEM);
		gb_sheet_strong(sheet, section->bench);
		for (size_t i = 0; i < count && i < MOST; i++) {
			gb_sheet_text(sheet, i ? "; " : ": ");
			print_winner(section, &winner[i], all);
		}
		if (count > MOST)
			gb_sheet_text(sheet, "; %zu other variants at the remaining points",
				      count - MOST);
		gb_sheet_end(sheet);
	}
	free(winner);
	return GB_OK;
}

enum gb_status gb_print_fastest(const struct gb_section *section, size_t count,
				struct gb_error *err)
{
	bool begun = false;

	for (size_t i = 0; i < count && !err->code; i++)
		(void)print_line(&section[i], &begun, err);
	if (begun)
		gb_sheet_put(section->table->sheet, GB_LINE,
			     "In the tables below, the fastest at its point is bold and green.");
	return err->code;
}
