/* fastest.c -- prints which variants win the most points of a benchmark. */
#include <math.h>
#include <stdlib.h>

#include "cli/report/section.h"
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
	return gb_context_name(&section->report->names, record->run_id);
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
	const struct gb_report *report = section->report;
	const char *run = where(section, winner->record);
	char low[16], high[16];

	(void)snprintf(low, sizeof low, "%.3g", winner->low);
	(void)snprintf(high, sizeof high, "%.3g", winner->high);
	gb_document_text(report->document,
			 "%s/%s%s%s at %zu of %zu point%s, %s%s%s times as fast as the next",
			 winner->record->backend, winner->record->variant, run[0] ? " on " : "",
			 run, winner->points, all, all == 1 ? "" : "s", low,
			 gb_equal(low, high) ? "" : " to ", gb_equal(low, high) ? "" : high);
}

/* True if two rows of a point have a time. */
static bool is_contest(const struct gb_section *section, size_t first, size_t count)
{
	size_t times = 0;

	for (size_t i = first; i < first + count; i++)
		times += section->row[i].record->has_time;
	return times > 1;
}

/* *begun is set once a line was printed. */
static enum gb_status print_line(const struct gb_section *section, bool *begun,
				 struct gb_error *err)
{
	struct winner *winner = calloc(section->row_count + 1, sizeof *winner);
	struct gb_document *document = section->report->document;
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
		gb_document_put(document, GB_HEAD, "Fastest");
	if (all) {
		*begun = true;
		gb_document_begin(document, GB_ITEM);
		gb_document_strong(document, section->bench);
		for (size_t i = 0; i < count && i < MOST; i++) {
			gb_document_text(document, i ? "; " : ": ");
			print_winner(section, &winner[i], all);
		}
		if (count > MOST)
			gb_document_text(document, "; %zu other variant%s at the remaining points",
					 count - MOST, count - MOST == 1 ? "" : "s");
		if (won < all)
			gb_document_text(document, "%s unsure at %zu of %zu point%s",
					 won ? ";" : ":", all - won, all, all == 1 ? "" : "s");
		gb_document_end(document);
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
		gb_document_put(section->report->document, GB_LINE,
				"In the tables below, the fastest at its point is bold and green.");
	return err->code;
}
