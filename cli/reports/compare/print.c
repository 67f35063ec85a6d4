#include "cli/reports/compare/print.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "cli/records/json.h"
#include "cli/reports/counts.h"
#include "cli/reports/grid/print.h"
#include "cli/reports/style.h"
#include "common/text.h"

const char *gb_change_text(const struct gb_change *change, char *text, size_t size)
{
	const struct gb_ratio *r = &change->ratio;
	char interval[48] = "";

	if (!isnan(r->interval.low))
		(void)snprintf(interval, sizeof interval, " (%.3f to %.3f)", r->interval.low,
			       r->interval.high);
	if (isnan(r->estimate))
		(void)snprintf(text, size, "%s", change->why);
	else
		(void)snprintf(text, size, "%.4g times the time of base%s%s%s", r->estimate,
			       interval, change->why[0] ? "; " : "", change->why);
	return text;
}

static void set_number(struct gb_grid *grid, size_t column, double value, const char *unit)
{
	char text[40];

	if (isnan(value))
		return;
	(void)snprintf(text, sizeof text, "%.4g%s", value, unit);
	gb_grid_set(grid, column, text, GB_PLAIN);
}

static void add_row(struct gb_grid *grid, const struct gb_change *change)
{
	char text[64];

	gb_grid_row(grid, false);
	gb_grid_set(grid, 0, gb_verdict_text(change->verdict), gb_verdict_tint(change->verdict));
	gb_grid_set(grid, 1, change->key, GB_PLAIN);
	set_number(grid, 2, change->base * 1e-3, change->in_cycles ? " Mcycles" : "");
	set_number(grid, 3, change->new_ * 1e-3, change->in_cycles ? " Mcycles" : "");
	set_number(grid, 4, change->ratio.estimate, "");
	if (!isnan(change->ratio.interval.low)) {
		(void)snprintf(text, sizeof text, "%.3f to %.3f", change->ratio.interval.low,
			       change->ratio.interval.high);
		gb_grid_set(grid, 5, text, GB_PLAIN);
	}
	(void)snprintf(text, sizeof text, "%zu, %zu", change->base_launches, change->new_launches);
	gb_grid_set(grid, 6, text, GB_PLAIN);
	if (change->why[0])
		gb_grid_set(grid, 7, change->why, GB_PLAIN);
}

/* A line for each thing in which the sides differ. */
static void print_setups(FILE *file, const struct gb_comparison *c, enum gb_markup markup)
{
	bool any = false;
	char text[512];

	for (size_t i = 0; i < c->setups.count; i++) {
		const struct gb_setup_part *part = &c->setups.part[i];

		if (!part->differs)
			continue;
		(void)fprintf(file, "%snot the same %s: base ", any && markup ? "\n" : "",
			      part->name);
		gb_grid_print_text(file, gb_setup_values_text(part, false, text, sizeof text),
				   markup);
		(void)fputs("; new ", file);
		gb_grid_print_text(file, gb_setup_values_text(part, true, text, sizeof text),
				   markup);
		(void)fputc('\n', file);
		any = true;
	}
	if (any)
		(void)fputc('\n', file);
}

/* What the columns hold; the verdict rests on the ratio and its interval. */
static void print_legend(FILE *file)
{
	(void)fputs("\nbase, new: median over the launches of the median of each; new/base: their "
		    "Hodges-Lehmann ratio\n",
		    file);
}

static void print_sums(FILE *file, const struct gb_comparison *c)
{
	char why[GB_WHY];
	const enum gb_status status = gb_comparison_status(c, why);

	(void)fprintf(file, "%zu keys:", c->count);
	for (size_t v = 0; v < GB_VERDICT_WORDS; v++)
		if (c->verdicts[v])
			(void)fprintf(file, " %zu %s", c->verdicts[v],
				      gb_verdict_text((enum gb_verdict_word)v));
	(void)fputc('\n', file);
	if (status == GB_EUNDECIDED)
		(void)fprintf(file, "undecided: %s\n", why);
}

static enum gb_status print_table(FILE *file, const struct gb_comparison *c, bool all,
				  enum gb_markup markup, struct gb_error *err)
{
	char level[32];
	const char *const title[] = { "verdict",  "key", "base us",  "new us",
				      "new/base", level, "launches", "why" };
	static const bool left[] = { true, true, false, false, false, true, true, true };
	const struct gb_style style = gb_style_for(file, GB_FORMAT_TABLE);
	const struct gb_grid_style grid_style = { .markup = markup, .color = style.color };
	struct gb_grid grid;
	size_t rows = 0, ratios = 0;

	(void)snprintf(level, sizeof level, "%.4g %%", 100 * c->level);
	gb_grid_init(&grid, GB_COUNT(title), title, left);
	for (size_t i = 0; i < c->count; i++) {
		const struct gb_change *change = &c->change[i];
		const bool nowhere =
			change->verdict == GB_ABSENT && !change->in_base && !change->in_new;

		if (!all && (change->verdict == GB_SAME || nowhere))
			continue;
		add_row(&grid, &c->change[i]);
		ratios += isnan(c->change[i].ratio.estimate) ? 0 : 1;
		rows++;
	}
	print_setups(file, c, markup);
	if (rows && !gb_grid_print(file, &grid, &grid_style, err) && ratios)
		print_legend(file);
	gb_grid_release(&grid);
	if (rows)
		(void)fputc('\n', file);
	print_sums(file, c);
	return err->code;
}

/* ---- counts ------------------------------------------------------------------------------ */

struct counts_rows {
	struct gb_grid *grid;
	const char *key;
};

/* There is no better or worse in how the work is cut up. */
static enum gb_verdict_word count_verdict(const struct gb_count_change *change)
{
	return !change->cost ? GB_UNSURE : change->new_ > change->base ? GB_SLOWER : GB_FASTER;
}

static bool add_count(const struct gb_count_change *change, void *closure)
{
	const struct counts_rows *rows = closure;
	const enum gb_verdict_word verdict = count_verdict(change);
	char text[40];

	gb_grid_row(rows->grid, false);
	gb_grid_set(rows->grid, 0, gb_verdict_text(verdict), gb_verdict_tint(verdict));
	gb_grid_set(rows->grid, 1, rows->key, GB_PLAIN);
	gb_grid_set(rows->grid, 2, change->name, GB_PLAIN);
	(void)snprintf(text, sizeof text, "%.0f", change->base);
	gb_grid_set(rows->grid, 3, text, GB_PLAIN);
	(void)snprintf(text, sizeof text, "%.0f", change->new_);
	gb_grid_set(rows->grid, 4, text, GB_PLAIN);
	if (change->base > 0)
		set_number(rows->grid, 5, change->new_ / change->base, "");
	return true;
}

/* A line per changed count, and how many there are; nothing if neither file has counts. */
static enum gb_status print_counts(FILE *file, const struct gb_comparison *c, enum gb_markup markup,
				   struct gb_error *err)
{
	const char *const title[] = { "verdict", "key", "count", "base", "new", "new/base" };
	static const bool left[] = { true, true, true, false, false, false };
	const struct gb_style style = gb_style_for(file, GB_FORMAT_TABLE);
	const struct gb_grid_style grid_style = { .markup = markup, .color = style.color };
	struct gb_grid grid;

	if (!c->counted)
		return GB_OK;
	gb_grid_init(&grid, GB_COUNT(title), title, left);
	for (size_t i = 0; i < c->count; i++) {
		struct counts_rows rows = { &grid, c->change[i].key };

		if (c->change[i].base_counts && c->change[i].new_counts)
			(void)gb_counts_differ(&c->change[i].base_counts->counts,
					       &c->change[i].new_counts->counts, add_count, &rows);
	}
	(void)fputc('\n', file);
	if (grid.rows && gb_grid_print(file, &grid, &grid_style, err) == GB_OK)
		(void)fputc('\n', file);
	gb_grid_release(&grid);
	(void)fprintf(file, "counts of %zu keys: %zu slower, %zu faster, %zu unsure\n", c->counted,
		      c->counts_worse, c->counts_better, c->counts_changed);
	return err->code;
}

/* ---- as JSON ----------------------------------------------------------------------------- */

static bool put_count(const struct gb_count_change *change, void *closure)
{
	cJSON *item = cJSON_CreateObject();

	return gb_json_append(closure, item) && gb_json_put_text(item, "count", change->name) &&
	       gb_json_put_text(item, "verdict", gb_verdict_text(count_verdict(change))) &&
	       gb_json_put_number(item, "base", change->base) &&
	       gb_json_put_number(item, "new", change->new_);
}

/* Absent if one side has no counts. */
static bool put_counts(cJSON *item, const struct gb_change *change)
{
	cJSON *list;

	if (!change->base_counts || !change->new_counts)
		return true;
	list = cJSON_AddArrayToObject(item, "counts");
	return list && gb_counts_differ(&change->base_counts->counts, &change->new_counts->counts,
					put_count, list);
}

static bool put_change(cJSON *list, const struct gb_change *change)
{
	cJSON *item = cJSON_CreateObject();

	return gb_json_append(list, item) && gb_json_put_text(item, "key", change->key) &&
	       gb_json_put_text(item, "verdict", gb_verdict_text(change->verdict)) &&
	       gb_json_put_text(item, "unit", change->in_cycles ? "kcycles" : "ns") &&
	       gb_json_put_number(item, "base", change->base) &&
	       gb_json_put_number(item, "new", change->new_) &&
	       gb_json_put_number(item, "ratio", change->ratio.estimate) &&
	       gb_json_put_number(item, "low", change->ratio.interval.low) &&
	       gb_json_put_number(item, "high", change->ratio.interval.high) &&
	       gb_json_put_number(item, "coverage", change->ratio.interval.coverage) &&
	       gb_json_put_int(item, "base_launches", (int64_t)change->base_launches) &&
	       gb_json_put_int(item, "new_launches", (int64_t)change->new_launches) &&
	       gb_json_put_text(item, "why", change->why[0] ? change->why : NULL) &&
	       put_counts(item, change);
}

static bool put_setups(cJSON *list, const struct gb_setups *setups)
{
	char text[512];

	for (size_t i = 0; i < setups->count && list; i++) {
		const struct gb_setup_part *part = &setups->part[i];
		cJSON *item;

		if (!part->differs)
			continue;
		item = cJSON_CreateObject();
		if (!gb_json_append(list, item) || !gb_json_put_text(item, "part", part->name) ||
		    !gb_json_put_text(item, "base",
				      gb_setup_values_text(part, false, text, sizeof text)) ||
		    !gb_json_put_text(item, "new",
				      gb_setup_values_text(part, true, text, sizeof text)))
			return false;
	}
	return list;
}

static bool put_keys(cJSON *list, const struct gb_comparison *c)
{
	bool whole = list;

	for (size_t i = 0; i < c->count && whole; i++)
		whole = put_change(list, &c->change[i]);
	return whole;
}

static bool put_sums(cJSON *object, const struct gb_comparison *c)
{
	bool whole = object;

	for (size_t v = 0; v < GB_VERDICT_WORDS && whole; v++)
		whole = gb_json_put_int(object, gb_verdict_text((enum gb_verdict_word)v),
					(int64_t)c->verdicts[v]);
	return whole;
}

static bool put_comparison(cJSON *object, const struct gb_comparison *c)
{
	char why[GB_WHY];
	const enum gb_status status = gb_comparison_status(c, why);

	return object && gb_json_put_text(object, "type", "comparison") &&
	       gb_json_put_int(object, "schema", GB_COMPARISON_SCHEMA) &&
	       gb_json_put_int(object, "exit_status", (int64_t)status) &&
	       gb_json_put_text(object, "why", why[0] ? why : NULL) &&
	       gb_json_put_number(object, "level", c->level) &&
	       gb_json_put_number(object, "threshold", c->threshold) &&
	       gb_json_put_number(object, "floor_ns", c->floor_ns) &&
	       put_setups(cJSON_AddArrayToObject(object, "differs"), &c->setups) &&
	       put_sums(cJSON_AddObjectToObject(object, "verdicts"), c) &&
	       put_keys(cJSON_AddArrayToObject(object, "keys"), c);
}

static enum gb_status print_json(FILE *file, const struct gb_comparison *c, struct gb_error *err)
{
	cJSON *object = cJSON_CreateObject();

	if (!put_comparison(object, c) || !gb_json_print(file, object))
		gb_out_of_memory(err, "the comparison");
	cJSON_Delete(object);
	return err->code;
}

static enum gb_status finish(FILE *file, struct gb_error *err)
{
	if (!err->code && (fflush(file) || ferror(file)))
		gb_fail(err, GB_EIO, "cannot write the comparison: %s", strerror(errno));
	return err->code;
}

enum gb_status gb_comparison_print(FILE *file, const struct gb_comparison *comparison, bool all,
				   enum gb_markup markup, struct gb_error *err)
{
	if (print_table(file, comparison, all, markup, err) == GB_OK)
		(void)print_counts(file, comparison, markup, err);
	return finish(file, err);
}

enum gb_status gb_comparison_print_json(FILE *file, const struct gb_comparison *comparison,
					struct gb_error *err)
{
	(void)print_json(file, comparison, err);
	return finish(file, err);
}
