/* cmd_repro.c -- `gpubench repro PAPER:TABLE`: published beside measured here.
 *
 * Everything comes from the paper's file (results/papers/README.md): its key columns are
 * parameters, its measured columns name the variants that stand for them here, and the variants
 * of `beside` are measured in the same run.  What does not fit or is not in this build is left
 * empty, with the reason below the table.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/commands.h"
#include "cli/grid.h"
#include "cli/json.h"
#include "cli/registry.h"
#include "cli/repro.h"
#include "cli/session.h"
#include "common/text.h"

extern const char gb_paper_radix[]; /* results/papers.S */

static const struct {
	const char *name, *text;
} papers[] = {
	{ "radix", gb_paper_radix },
};

enum {
	SLOTS = 24,             /* variants of a table */
	QUICK_ITEMS = 10000000, /* --preset quick and ci leave larger rows out */
	CI_ITEMS = 1000000,
	MAX_GRID = 3 * SLOTS + 1,
};

/* A table under reproduction. */
struct work {
	struct gb_session *session;
	const struct gb_workload *workload;
	struct gb_repro repro;
	double most_items;    /* rows with a larger first key are left out */
	size_t variant_count; /* of the columns, then those of `beside` */
	const char *variant[SLOTS];
	const cJSON **record; /* rows * SLOTS; NULL: none */
	char text[SLOTS][64];
};

/* ---- measuring ---------------------------------------------------------------------------- */

static size_t slot_of(const struct work *w, const char *variant)
{
	for (size_t i = 0; variant && i < w->variant_count; i++)
		if (gb_equal(w->variant[i], variant))
			return i;
	return SLOTS;
}

static void collect_variants(struct work *w)
{
	const cJSON *item;

	cJSON_ArrayForEach(item, gb_json_at(w->repro.table, "columns"))
	{
		const char *name = gb_json_text(item, "variant");

		if (name && slot_of(w, name) == SLOTS && w->variant_count < SLOTS)
			w->variant[w->variant_count++] = name;
	}
	cJSON_ArrayForEach(item, gb_json_at(w->repro.table, "beside"))
	{
		if (cJSON_IsString(item) && slot_of(w, item->valuestring) == SLOTS &&
		    w->variant_count < SLOTS)
			w->variant[w->variant_count++] = item->valuestring;
	}
}

/* The sweep of one row: its key columns as parameters, the rest by default. */
static enum gb_status row_sweep(const struct work *w, size_t row, struct gb_sweep *sweep,
				struct gb_error *err)
{
	const cJSON *column;
	size_t i = 0;

	if (gb_sweep_init(sweep, w->workload, err))
		return err->code;
	cJSON_ArrayForEach(column, gb_json_at(w->repro.table, "columns"))
	{
		const char *param = gb_json_text(column, "param");
		char value[40];

		(void)snprintf(value, sizeof value, "%.0f", gb_repro_published(&w->repro, row, i));
		if (param && gb_sweep_set(sweep, param, value, err))
			return err->code;
		i++;
	}
	return GB_OK;
}

/* Measure a row's variants and remember which records came of it. */
static enum gb_status measure_row(struct work *w, size_t row, struct gb_error *err)
{
	const struct gb_records *list = &w->session->records;
	const size_t before = list->count;
	struct gb_sweep sweep = { 0 };

	if (!row_sweep(w, row, &sweep, err))
		(void)gb_session_sweep(w->session, &sweep, w->variant, w->variant_count, err);
	gb_sweep_release(&sweep);
	for (size_t i = before; i < list->count; i++) {
		char name[64];
		size_t slot;

		(void)snprintf(name, sizeof name, "%s/%s", gb_json_text(list->line[i], "backend"),
			       gb_json_text(list->line[i], "variant"));
		slot = slot_of(w, name);
		if (slot < SLOTS)
			w->record[row * SLOTS + slot] = list->line[i];
	}
	return err->code;
}

/* ---- what was measured, in the table's terms ---------------------------------------------- */

/* The median time of a record in seconds, with its transfers if `whole`; NAN if it has none or
 * it is an emulator's. */
static double seconds(const cJSON *record, bool whole)
{
	static const char *const transfers[] = { "upload.median", "download.median" };
	double ns = gb_json_number(record, "time.median");

	if (!record || gb_json_true(record, "emulated"))
		return NAN;
	for (size_t i = 0; i < GB_COUNT(transfers) && whole; i++) {
		const double part = gb_json_number(record, transfers[i]);

		if (gb_equal(gb_json_text(record, "backend"), "cuda") && !isnan(part))
			ns += part;
	}
	return ns * 1e-9;
}

static const char *reason_of(const cJSON *record)
{
	const char *reason;

	if (!record)
		return "left out by --preset";
	if (gb_json_true(record, "emulated"))
		return "emulated: no time of a GPU";
	reason = gb_json_text(record, "reason");
	return reason ? reason : "no time";
}

/* Fill here and reason: measured columns from records, ratios from other columns. */
static void fill(struct work *w)
{
	struct gb_repro *t = &w->repro;
	const cJSON *column;
	size_t c = 0;

	cJSON_ArrayForEach(column, gb_json_at(t->table, "columns"))
	{
		const char *variant = gb_json_text(column, "variant");
		const char *scope = gb_json_text(column, "scope");
		const char *unit = gb_json_text(column, "unit");
		const cJSON *of = gb_json_at(column, "of");
		const double scale = unit && gb_equal(unit, "ms") ? 1e3 : 1;

		for (size_t r = 0; r < t->rows; r++) {
			const size_t at = r * t->columns + c;
			const size_t slot = slot_of(w, variant);

			t->here[at] = NAN;
			if (slot < SLOTS) {
				const cJSON *record = w->record[r * SLOTS + slot];

				t->here[at] = scale * seconds(record, scope != NULL);
				if (isnan(t->here[at]))
					t->reason[at] = reason_of(record);
			} else if (cJSON_GetArraySize(of) == 2) {
				const size_t a =
					gb_repro_column(t, cJSON_GetArrayItem(of, 0)->valuestring);
				const size_t b =
					gb_repro_column(t, cJSON_GetArrayItem(of, 1)->valuestring);

				t->here[at] =
					t->here[r * t->columns + a] / t->here[r * t->columns + b];
				t->reason[at] = t->reason[r * t->columns + a]
							? t->reason[r * t->columns + a]
							: t->reason[r * t->columns + b];
			}
		}
		c++;
	}
}

/* ---- printing ----------------------------------------------------------------------------- */

/* value with that many significant digits; 0: a whole number.  NAN leaves the cell empty. */
static void set_number(struct gb_grid *grid, size_t column, double value, int digits)
{
	char text[40];

	if (isnan(value))
		return;
	if (digits)
		(void)snprintf(text, sizeof text, "%.*g", digits, value);
	else
		(void)snprintf(text, sizeof text, "%.0f", value);
	gb_grid_set(grid, column, text, GB_PLAIN);
}

/* The titles: per measured column published, here and their ratio; then the variants beside. */
static size_t make_titles(const struct work *w, const char **title, char (*text)[64])
{
	const cJSON *column;
	size_t n = 0;

	cJSON_ArrayForEach(column, gb_json_at(w->repro.table, "columns"))
	{
		const char *name = gb_json_text(column, "name");
		const char *role = gb_json_text(column, "role");

		if (gb_equal(role, "key")) {
			title[n++] = name;
			continue;
		}
		(void)snprintf(text[n], sizeof text[n], "%.40s paper", name);
		title[n] = text[n];
		n++;
		title[n++] = "here";
		if (!gb_equal(role, "ratio"))
			title[n++] = "paper/here";
	}
	for (size_t i = 0; i < w->variant_count; i++) {
		(void)snprintf(text[n], sizeof text[n], "%.56s s", w->variant[i]);
		title[n] = text[n];
		n++;
	}
	return n;
}

static void add_row(const struct work *w, struct gb_grid *grid, size_t row)
{
	const struct gb_repro *t = &w->repro;
	const cJSON *column;
	size_t n = 0, c = 0;

	gb_grid_row(grid, false);
	cJSON_ArrayForEach(column, gb_json_at(t->table, "columns"))
	{
		const double published = gb_repro_published(t, row, c);
		const double here = t->here[row * t->columns + c];
		const char *role = gb_json_text(column, "role");

		if (gb_equal(role, "key")) {
			set_number(grid, n++, published, 0);
		} else {
			set_number(grid, n++, published, 4);
			set_number(grid, n++, here, 4);
			if (!gb_equal(role, "ratio"))
				set_number(grid, n++, published / here, 3);
		}
		c++;
	}
	for (size_t i = 0; i < w->variant_count; i++)
		set_number(grid, n++, seconds(w->record[row * SLOTS + i], false), 4);
}

/* Each reason once, with the rows and variants it holds for. */
static void print_reasons(const struct work *w)
{
	for (size_t i = 0; i < w->variant_count; i++) {
		const char *last = NULL;

		for (size_t r = 0; r < w->repro.rows; r++) {
			const cJSON *record = w->record[r * SLOTS + i];
			const char *reason =
				isnan(seconds(record, false)) ? reason_of(record) : NULL;

			if (reason && (!last || !gb_equal(reason, last)))
				(void)printf("  %s, from row %zu on: %s\n", w->variant[i], r + 1,
					     reason);
			last = reason;
		}
	}
}

static void print_list(const cJSON *list, const char *heading, const char *member)
{
	const cJSON *item;

	if (cJSON_GetArraySize(list) > 0)
		(void)printf("%s\n", heading);
	cJSON_ArrayForEach(item, list)
	{
		const char *text = member ? gb_json_text(item, member) : item->valuestring;

		(void)printf("  %s\n", text ? text : "");
	}
}

static enum gb_status print_table(const struct work *w, struct gb_error *err)
{
	const struct gb_repro *t = &w->repro;
	const struct gb_style style = gb_style_for(stdout, GB_FORMAT_TABLE);
	const struct gb_grid_style grid_style = { .color = style.color };
	const char *title[MAX_GRID];
	char text[MAX_GRID][64];
	struct gb_grid grid;
	const size_t columns = make_titles(w, title, text);

	gb_grid_init(&grid, columns, title, NULL);
	for (size_t r = 0; r < t->rows; r++)
		add_row(w, &grid, r);
	(void)printf("%s:%s  %s\n%s\n\n", gb_json_text(t->paper, "paper"),
		     gb_json_text(t->table, "id"), gb_json_text(t->table, "title"),
		     gb_json_text(t->paper, "citation.english"));
	(void)gb_grid_print(stdout, &grid, &grid_style, err);
	gb_grid_release(&grid);
	(void)printf("\n\"here\" is the median on this machine; a column of GPU times that include "
		     "transfers in the paper\nincludes them here, the last columns are the "
		     "algorithm alone.\n");
	print_reasons(w);
	(void)printf("\n");
	gb_repro_claims(stdout, t);
	print_list(gb_json_at(t->table, "notes"), "Notes on the table:", "text");
	print_list(gb_json_at(t->paper, "notes"), "Notes on the paper:", NULL);
	print_list(gb_json_at(t->paper, "unstated"), "The paper does not state:", NULL);
	return err->code;
}

/* ---- the command -------------------------------------------------------------------------- */

static enum gb_status reproduce(struct gb_session *session, const cJSON *paper, const cJSON *table,
				double most_items, struct gb_error *err)
{
	struct work w = {
		.session = session,
		.workload = gb_workload_find(gb_json_text(paper, "workload")),
		.repro = { .paper = paper,
			   .table = table,
			   .rows = (size_t)cJSON_GetArraySize(gb_json_at(table, "rows")),
			   .columns = (size_t)cJSON_GetArraySize(gb_json_at(table, "columns")) },
		.most_items = most_items,
	};
	const size_t cells = w.repro.rows * w.repro.columns;

	w.repro.here = calloc(cells + 1, sizeof *w.repro.here);
	w.repro.reason = calloc(cells + 1, sizeof *w.repro.reason);
	w.record = calloc(w.repro.rows * SLOTS + 1, sizeof(cJSON *));
	if (!w.repro.here || !w.repro.reason || !w.record) {
		gb_fail(err, GB_ERUNTIME, "out of memory");
		goto out;
	}
	collect_variants(&w);
	for (size_t r = 0; r < w.repro.rows && !err->code; r++)
		if (gb_repro_published(&w.repro, r, 0) <= w.most_items)
			(void)measure_row(&w, r, err);
	if (!err->code) {
		fill(&w);
		(void)print_table(&w, err);
	}
out:
	free(w.repro.here);
	free(w.repro.reason);
	free(w.record);
	return err->code;
}

/* Whether word is "all", the paper's name, or "paper:table". */
static bool meant(const char *word, const char *paper, const char *table)
{
	const size_t length = strlen(paper);

	if (gb_equal(word, "all") || gb_equal(word, paper))
		return true;
	return strncmp(word, paper, length) == 0 && word[length] == ':' &&
	       gb_equal(word + length + 1, table);
}

/* Do something with every table that one of the words means; *count says how many. */
static enum gb_status each_table(struct gb_session *session, const char *word, double most_items,
				 size_t *count, struct gb_error *err)
{
	*count = 0;
	for (size_t i = 0; i < GB_COUNT(papers) && !err->code; i++) {
		cJSON *paper = cJSON_Parse(papers[i].text);
		const cJSON *table;

		cJSON_ArrayForEach(table, gb_json_at(paper, "tables"))
		{
			const char *id = gb_json_text(table, "id");

			if (err->code || !meant(word, papers[i].name, id))
				continue;
			++*count;
			if (session)
				(void)reproduce(session, paper, table, most_items, err);
			else
				(void)printf("%s:%s  %s\n", papers[i].name, id,
					     gb_json_text(table, "title"));
		}
		cJSON_Delete(paper);
	}
	return err->code;
}

/* A table's long rows are few and slow (the paper's 210M keys are minutes on a CPU): fewer samples
 * than a benchmark takes, and time for at least one of them, unless --timeout asks for less. */
static void fewer_samples(struct gb_settings *how)
{
	how->warmup = 1;
	how->min_samples = how->min_samples < 3 ? how->min_samples : 3;
	how->timeout_s = how->timeout_s < 60 ? how->timeout_s : fmax(how->timeout_s, 300);
	how->min_time_s = how->min_time_s < 0.2 ? how->min_time_s : 0.2;
}

enum gb_status gb_cmd_repro(int argc, char **argv, struct gb_error *err)
{
	static const double most[GB_PRESETS] = { QUICK_ITEMS, CI_ITEMS, INFINITY };
	static struct gb_request request;
	static struct gb_session session;
	enum gb_preset preset = GB_PAPER;
	enum gb_status status;
	size_t count = 0;

	if (gb_options_parse(&request, NULL, NULL, "PAPER:TABLE|PAPER|all",
			     "A paper's table: published, measured here, and its claims tested.",
			     argc, argv, err) ||
	    request.done || gb_preset_of(&request, GB_PAPER, &preset, err))
		return err->code;
	if (request.list)
		return each_table(NULL, "all", 0, &count, err);
	if (request.glob_count != 1)
		return gb_fail(err, GB_EUSAGE,
			       "repro needs one PAPER:TABLE (see gpubench repro --list)");
	for (size_t i = 0; i < GB_COUNT(papers); i++) {
		cJSON *paper = cJSON_Parse(papers[i].text);
		const cJSON *table;

		cJSON_ArrayForEach(table, gb_json_at(paper, "tables"))
		{
			count += meant(request.glob[0], papers[i].name, gb_json_text(table, "id"));
		}
		cJSON_Delete(paper);
	}
	if (count == 0)
		return gb_fail(err, GB_EUSAGE,
			       "there is no table '%.80s' (see gpubench repro --list)",
			       request.glob[0]);
	fewer_samples(&request.how);
	session.silent_table = true;
	if (!gb_session_open(&session, &request, argc, argv, err)) {
		session.silent_table = true;
		(void)each_table(&session, request.glob[0], most[preset], &count, err);
	}
	status = gb_session_close(&session, err);
	return err->code ? err->code : status;
}
