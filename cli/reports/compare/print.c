/* print.c -- prints a comparison. */
#include "cli/reports/compare/compare.h"

#include <math.h>

#include "cli/reports/grid/sheet.h"
#include "common/text.h"

/* Print the differences between the setups of the two sides. */
static void print_setups(struct gb_sheet *sheet, const struct gb_comparison *c)
{
	static const struct gb_column column[] = { { "not the same", "part", true },
						   { "base", "base", true },
						   { "new", "new", true } };
	struct gb_grid grid;

	gb_grid_init(&grid, GB_COUNT(column), column);
	for (size_t i = 0; i < c->setups.count; i++) {
		const struct gb_setup_part *part = &c->setups.part[i];

		if (!part->differs)
			continue;
		gb_grid_row(&grid, false);
		gb_grid_set(&grid, 0, part->name, GB_PLAIN);
		gb_grid_set(&grid, 1, part->base[0] ? part->base : "unknown", GB_PLAIN);
		gb_grid_set(&grid, 2, part->new_[0] ? part->new_ : "unknown", GB_PLAIN);
	}
	gb_sheet_grid(sheet, "differs", &grid);
}

/* ---- keys -------------------------------------------------------------------------------- */

enum {
	VERDICT,
	KEY,
	UNIT,
	BASE,
	NEW,
	RATIO,
	INTERVAL,
	LOW,
	HIGH,
	LAUNCHES,
	BASE_LAUNCHES,
	NEW_LAUNCHES,
	WHY
};

/* A time in us; people read counts in the reason. */
static void set_value(struct gb_grid *grid, size_t column, const struct gb_change *change,
		      double value)
{
	char text[40];

	(void)snprintf(text, sizeof text, "%.4g", value * 1e-3);
	gb_grid_set_number(grid, column, value, change->counted ? NULL : text, GB_PLAIN);
}

static void set_ratio(struct gb_grid *grid, const struct gb_ratio *ratio)
{
	char text[64];

	(void)snprintf(text, sizeof text, "%.4g", ratio->estimate);
	gb_grid_set_number(grid, RATIO, ratio->estimate, text, GB_PLAIN);
	if (isnan(ratio->interval.low))
		return;
	(void)snprintf(text, sizeof text, "%.3f to %.3f", ratio->interval.low,
		       ratio->interval.high);
	gb_grid_set(grid, INTERVAL, text, GB_PLAIN);
	gb_grid_set_number(grid, LOW, ratio->interval.low, NULL, GB_PLAIN);
	gb_grid_set_number(grid, HIGH, ratio->interval.high, NULL, GB_PLAIN);
}

static void add_change(struct gb_grid *grid, const struct gb_change *change)
{
	char text[64];

	gb_grid_row(grid, false);
	gb_grid_set(grid, VERDICT, gb_verdict_text(change->verdict),
		    gb_verdict_tint(change->verdict));
	gb_grid_set(grid, KEY, change->key, GB_PLAIN);
	gb_grid_set(grid, UNIT, change->counted ? "count" : "ns", GB_PLAIN);
	set_value(grid, BASE, change, change->base);
	set_value(grid, NEW, change, change->new_);
	set_ratio(grid, &change->ratio);
	(void)snprintf(text, sizeof text, "%zu, %zu", change->base_launches, change->new_launches);
	gb_grid_set(grid, LAUNCHES, change->counted ? "" : text, GB_PLAIN);
	gb_grid_set_count(grid, BASE_LAUNCHES, change->base_launches, GB_PLAIN);
	gb_grid_set_count(grid, NEW_LAUNCHES, change->new_launches, GB_PLAIN);
	gb_grid_set(grid, WHY, change->why, GB_PLAIN);
}

/* True if the formats for people show the key without --all. */
static bool is_news(const struct gb_change *change)
{
	return change->verdict != GB_SAME &&
	       !(change->verdict == GB_ABSENT && !change->in_base && !change->in_new);
}

static void print_keys(struct gb_sheet *sheet, const struct gb_comparison *c, bool all)
{
	const struct gb_column column[] = {
		[VERDICT] = { "verdict", "verdict", true },
		[KEY] = { "key", "key", true },
		[UNIT] = { NULL, "unit", true },
		[BASE] = { "base us", "base", false },
		[NEW] = { "new us", "new", false },
		[RATIO] = { "new/base", "ratio", false },
		[INTERVAL] = { "95 %", NULL, true },
		[LOW] = { NULL, "low", false },
		[HIGH] = { NULL, "high", false },
		[LAUNCHES] = { "launches", NULL, true },
		[BASE_LAUNCHES] = { NULL, "base_launches", false },
		[NEW_LAUNCHES] = { NULL, "new_launches", false },
		[WHY] = { "why", "why", true },
	};
	struct gb_grid grid;
	bool ratios = false;

	gb_grid_init(&grid, GB_COUNT(column), column);
	for (size_t i = 0; i < c->count; i++) {
		if (!all && !gb_sheet_is_data(sheet) && !is_news(&c->change[i]))
			continue;
		add_change(&grid, &c->change[i]);
		ratios |= !c->change[i].counted && !isnan(c->change[i].ratio.estimate);
	}
	gb_sheet_grid(sheet, "keys", &grid);
	if (ratios)
		gb_sheet_put(sheet, GB_LINE,
			     "base, new: median over the launches of the median of each; new/base: "
			     "their ratio by log-rank scores");
}

static void print_sums(struct gb_sheet *sheet, const struct gb_comparison *c)
{
	char why[GB_WHY];
	const enum gb_status status = gb_comparison_status(c, why);

	gb_sheet_begin(sheet, GB_LINE);
	gb_sheet_text(sheet, "%zu keys:", c->count);
	for (size_t v = 0; v < GB_VERDICT_WORDS; v++) {
		const char *word = gb_verdict_text((enum gb_verdict_word)v);

		if (c->verdicts[v])
			gb_sheet_text(sheet, " %zu %s", c->verdicts[v], word);
		gb_sheet_fact(sheet, word, (double)c->verdicts[v]);
	}
	gb_sheet_end(sheet);
	gb_sheet_put(sheet, GB_LINE, "%s: %s",
		     status == GB_EUNDECIDED ? "undecided"
		     : status                ? "red"
					     : "green",
		     why);
	gb_sheet_fact(sheet, "exit_status", (double)status);
	gb_sheet_fact_text(sheet, "why", why);
}

enum gb_status gb_comparison_print(FILE *file, const struct gb_comparison *comparison, bool all,
				   enum gb_format format, struct gb_error *err)
{
	const struct gb_comparison *c = comparison;
	struct gb_sheet sheet;

	gb_sheet_open(&sheet, file, format,
		      (struct gb_sheet_kind){ "comparison", "keys", "comparison" });
	gb_sheet_fact(&sheet, "level", GB_LEVEL);
	gb_sheet_fact(&sheet, "error", c->gate.error);
	gb_sheet_fact(&sheet, "threshold", c->gate.threshold);
	gb_sheet_fact(&sheet, "floor_ns", GB_FLOOR_NS);
	print_setups(&sheet, c);
	print_keys(&sheet, c, all);
	print_sums(&sheet, c);
	return gb_sheet_close(&sheet, err);
}
