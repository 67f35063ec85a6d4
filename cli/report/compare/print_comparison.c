/* print.c -- prints a comparison. */
#include "cli/report/compare/compare_records.h"

#include <math.h>

#include "cli/report/document.h"
#include "common/text.h"

/* Print the differences between the setups of the two sides. */
static void print_setups(struct gb_document *document, const struct gb_comparison *c)
{
	static const struct gb_column column[] = { { "not the same", "part", true },
						   { "base", "base", true },
						   { "new", "new", true } };
	struct gb_table table;

	gb_table_init(&table, GB_COUNT(column), column);
	for (size_t i = 0; i < c->setups.count; i++) {
		const struct gb_setup_part *part = &c->setups.part[i];

		if (!part->differs)
			continue;
		gb_table_row(&table, false);
		gb_table_set(&table, 0, part->name, GB_PLAIN);
		gb_table_set(&table, 1, part->base[0] ? part->base : "unknown", GB_PLAIN);
		gb_table_set(&table, 2, part->new_[0] ? part->new_ : "unknown", GB_PLAIN);
	}
	gb_document_table(document, "differs", &table);
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
	REPETITIONS,
	BASE_REPETITIONS,
	NEW_REPETITIONS,
	REASON
};

/* A time in us; people read counts in the reason. */
static void set_value(struct gb_table *table, size_t column, const struct gb_change *change,
		      double value)
{
	char text[40];

	(void)snprintf(text, sizeof text, "%.4g", value * 1e-3);
	gb_table_set_number(table, column, value, change->counted ? NULL : text, GB_PLAIN);
}

static void set_ratio(struct gb_table *table, const struct gb_ratio *ratio)
{
	char text[64];

	(void)snprintf(text, sizeof text, "%.4g", ratio->estimate);
	gb_table_set_number(table, RATIO, ratio->estimate, text, GB_PLAIN);
	if (isnan(ratio->interval.low))
		return;
	(void)snprintf(text, sizeof text, "%.3f to %.3f", ratio->interval.low,
		       ratio->interval.high);
	gb_table_set(table, INTERVAL, text, GB_PLAIN);
	gb_table_set_number(table, LOW, ratio->interval.low, NULL, GB_PLAIN);
	gb_table_set_number(table, HIGH, ratio->interval.high, NULL, GB_PLAIN);
}

static void add_change(struct gb_table *table, const struct gb_change *change)
{
	char text[64];

	gb_table_row(table, false);
	gb_table_set(table, VERDICT, gb_verdict_text(change->verdict),
		     gb_verdict_style(change->verdict));
	gb_table_set(table, KEY, change->key, GB_PLAIN);
	gb_table_set(table, UNIT, change->counted ? "count" : "ns", GB_PLAIN);
	set_value(table, BASE, change, change->base);
	set_value(table, NEW, change, change->new_);
	set_ratio(table, &change->ratio);
	(void)snprintf(text, sizeof text, "%zu, %zu", change->base_repetitions,
		       change->new_repetitions);
	gb_table_set(table, REPETITIONS, change->counted ? "" : text, GB_PLAIN);
	gb_table_set_count(table, BASE_REPETITIONS, change->base_repetitions, GB_PLAIN);
	gb_table_set_count(table, NEW_REPETITIONS, change->new_repetitions, GB_PLAIN);
	gb_table_set(table, REASON, change->reason, GB_PLAIN);
}

/* True if the formats for people show the key without --all. */
static bool is_news(const struct gb_change *change)
{
	return change->verdict != GB_SAME && change->verdict != GB_UNCHANGED &&
	       !(change->verdict == GB_ABSENT && !change->in_base && !change->in_new);
}

static void print_keys(struct gb_document *document, const struct gb_comparison *c, bool all)
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
		[REPETITIONS] = { "repetitions", NULL, true },
		[BASE_REPETITIONS] = { NULL, "base_repetitions", false },
		[NEW_REPETITIONS] = { NULL, "new_repetitions", false },
		[REASON] = { "why", "why", true },
	};
	struct gb_table table;
	bool ratios = false;

	gb_table_init(&table, GB_COUNT(column), column);
	for (size_t i = 0; i < c->count; i++) {
		if (!all && !gb_document_is_data(document) && !is_news(&c->change[i]))
			continue;
		add_change(&table, &c->change[i]);
		ratios |= !c->change[i].counted && !isnan(c->change[i].ratio.estimate);
	}
	gb_document_table(document, "keys", &table);
	if (ratios)
		gb_document_put(
			document, GB_LINE,
			"base, new: median over the repetitions of the median of each; new/base: "
			"their ratio by log-rank scores");
}

static void print_sums(struct gb_document *document, const struct gb_comparison *c)
{
	char reason[GB_REASON_MAX];
	const enum gb_status status = gb_comparison_status(c, reason);

	gb_document_begin(document, GB_LINE);
	gb_document_text(document, "%zu keys:", c->count);
	for (size_t v = 0; v < GB_VERDICT_WORDS; v++) {
		const char *word = gb_verdict_text((enum gb_verdict_word)v);

		if (c->verdicts[v])
			gb_document_text(document, " %zu %s", c->verdicts[v], word);
		gb_document_field(document, word, (double)c->verdicts[v]);
	}
	gb_document_end(document);
	gb_document_put(document, GB_LINE, "%s: %s",
			status == GB_EUNDECIDED ? "undecided"
			: status                ? "red"
						: "green",
			reason);
	gb_document_field(document, "exit_status", (double)status);
	gb_document_field_text(document, "why", reason);
}

enum gb_status gb_comparison_print(FILE *file, const struct gb_comparison *comparison, bool all,
				   enum gb_format format, struct gb_error *err)
{
	const struct gb_comparison *c = comparison;
	struct gb_document document;

	gb_document_open(&document, file, format,
			 (struct gb_document_kind){ "comparison", "keys", "comparison" });
	gb_document_field(&document, "level", GB_LEVEL);
	gb_document_field(&document, "error", c->gate.error);
	gb_document_field(&document, "threshold", c->gate.threshold);
	gb_document_field(&document, "floor_ns", GB_FLOOR_NS);
	print_setups(&document, c);
	print_keys(&document, c, all);
	print_sums(&document, c);
	return gb_document_close(&document, err);
}
