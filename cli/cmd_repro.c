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

/* results/papers.S */
extern const char gb_paper_radix[], gb_paper_bfs[], gb_paper_cbt[], gb_paper_octree[],
	gb_paper_lbvh[];

static const struct {
	const char *name, *text;
} papers[] = {
	{ "radix", gb_paper_radix },   { "bfs", gb_paper_bfs },   { "cbt", gb_paper_cbt },
	{ "octree", gb_paper_octree }, { "lbvh", gb_paper_lbvh },
};

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

/* What a column of the paper's becomes here. */
struct shape {
	bool key, ratio;
	bool published; /* some row has a number in print */
	bool measured;  /* a variant stands for it, or it is a ratio of such */
	bool is_time;
};

static struct shape shape_of(const struct gb_repro *t, const cJSON *column, size_t c)
{
	const char *role = gb_json_text(column, "role");
	struct shape s = {
		.key = gb_equal(role, "key"),
		.ratio = gb_equal(role, "ratio"),
		.measured = gb_json_text(column, "variant") || gb_json_at(column, "of"),
		.is_time = gb_equal(role, "time"),
	};

	for (size_t r = 0; r < t->rows; r++)
		s.published = s.published || !isnan(gb_repro_published(t, r, c)) ||
			      gb_repro_text(t, r, c);
	return s;
}

/* The titles: per measured column published, here and their ratio; then the variants beside. */
static size_t make_titles(const struct gb_repro *t, const char **title, char (*text)[64])
{
	const cJSON *column;
	size_t n = 0, c = 0;

	cJSON_ArrayForEach(column, gb_json_at(t->table, "columns"))
	{
		const struct shape s = shape_of(t, column, c++);
		const char *name = gb_json_text(column, "name");

		(void)snprintf(text[n], sizeof text[n], "%.40s%s", name,
			       s.key          ? ""
			       : !s.published ? " here"
					      : " paper");
		title[n] = text[n];
		n++;
		if (s.key || !s.published || !s.measured)
			continue;
		title[n++] = "here";
		if (!s.ratio)
			title[n++] = s.is_time ? "paper/here" : "here/paper";
	}
	for (size_t i = 0; i < t->besides; i++) {
		(void)snprintf(text[n], sizeof text[n], "%.56s s", gb_repro_beside(t, i));
		title[n] = text[n];
		n++;
	}
	return n;
}

static size_t add_cells(const struct gb_repro *t, struct gb_grid *grid, size_t row, size_t c,
			const struct shape *s, size_t n)
{
	const double published = gb_repro_published(t, row, c);
	const double here = t->here[row * t->columns + c];

	if (gb_repro_text(t, row, c))
		gb_grid_set(grid, n, gb_repro_text(t, row, c), GB_PLAIN);
	else if (s->key)
		set_number(grid, n, published, published < 1 ? 3 : 0);
	else
		set_number(grid, n, s->published ? published : here, 4);
	n++;
	if (s->key || !s->published || !s->measured)
		return n;
	set_number(grid, n++, here, 4);
	if (!s->ratio)
		set_number(grid, n++, s->is_time ? published / here : here / published, 3);
	return n;
}

static void add_row(const struct gb_repro *t, struct gb_grid *grid, size_t row)
{
	const cJSON *column;
	size_t n = 0, c = 0;

	gb_grid_row(grid, false);
	cJSON_ArrayForEach(column, gb_json_at(t->table, "columns"))
	{
		const struct shape s = shape_of(t, column, c);

		n = add_cells(t, grid, row, c++, &s, n);
	}
	for (size_t i = 0; i < t->besides; i++)
		set_number(grid, n++, gb_repro_seconds(t->beside_record[row * t->besides + i]), 4);
}

/* "210000000", "teapot": what the row is about, by its first key. */
static const char *row_name(const struct gb_repro *t, size_t row, char text[40])
{
	const char *key = gb_repro_text(t, row, 0);

	if (key)
		return key;
	(void)snprintf(text, 40, "%.10g", gb_repro_published(t, row, 0));
	return text;
}

/* Each reason once, with the first row that it holds for. */
static void print_reasons(const struct gb_repro *t)
{
	const cJSON *column;
	char text[40];
	size_t c = 0;

	cJSON_ArrayForEach(column, gb_json_at(t->table, "columns"))
	{
		const struct shape s = shape_of(t, column, c++);
		const char *last = NULL;

		for (size_t r = 0; r < t->rows && !s.key && !s.ratio; r++) {
			const char *reason = t->reason[r * t->columns + c - 1];

			if (reason && (!last || !gb_equal(reason, last)))
				(void)printf("  %s, %s on: %s\n", gb_json_text(column, "name"),
					     row_name(t, r, text), reason);
			last = reason;
		}
	}
	for (size_t i = 0; i < t->besides; i++) {
		const char *last = NULL;

		for (size_t r = 0; r < t->rows; r++) {
			const cJSON *record = t->beside_record[r * t->besides + i];
			const char *reason =
				isnan(gb_repro_seconds(record)) ? gb_repro_reason(record) : NULL;

			if (reason && (!last || !gb_equal(reason, last)))
				(void)printf("  %s, %s on: %s\n", gb_repro_beside(t, i),
					     row_name(t, r, text), reason);
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

static enum gb_status print_table(const struct gb_repro *t, struct gb_error *err)
{
	const struct gb_style style = gb_style_for(stdout, GB_FORMAT_TABLE);
	const struct gb_grid_style grid_style = { .color = style.color };
	const size_t most = 3 * t->columns + t->besides + 1;
	const char **title = calloc(most, sizeof *title);
	char(*text)[64] = calloc(most, sizeof *text);
	struct gb_grid grid;

	if (!title || !text) {
		free(title);
		free(text);
		return gb_fail(err, GB_ERUNTIME, "out of memory for a table");
	}
	gb_grid_init(&grid, make_titles(t, title, text), title, NULL);
	for (size_t r = 0; r < t->rows; r++)
		add_row(t, &grid, r);
	(void)printf("%s:%s  %s\n%s\n\n", gb_json_text(t->paper, "paper"),
		     gb_json_text(t->table, "id"), gb_json_text(t->table, "title"),
		     gb_json_text(t->paper, "citation.english"));
	(void)gb_grid_print(stdout, &grid, &grid_style, err);
	gb_grid_release(&grid);
	free(title);
	free(text);
	(void)printf("\n\"here\" is the median on this machine; a column of GPU times that include "
		     "transfers in the paper\nincludes them here, columns of variants are the "
		     "algorithm alone.\n");
	print_reasons(t);
	(void)printf("\n");
	gb_repro_claims(stdout, t);
	print_list(gb_json_at(t->table, "notes"), "Notes on the table:", "text");
	print_list(gb_json_at(t->paper, "notes"), "Notes on the paper:", NULL);
	print_list(gb_json_at(t->paper, "unstated"), "The paper does not state:", NULL);
	(void)printf("\n");
	return err->code;
}

/* ---- the command -------------------------------------------------------------------------- */

static enum gb_status reproduce(struct gb_session *session, const cJSON *paper, const cJSON *table,
				enum gb_preset preset, struct gb_error *err)
{
	struct gb_repro repro;

	if (!gb_repro_init(&repro, paper, table, err) &&
	    !gb_repro_measure(&repro, session, preset, err))
		(void)print_table(&repro, err);
	gb_repro_release(&repro);
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
static enum gb_status each_table(struct gb_session *session, const char *word,
				 enum gb_preset preset, size_t *count, struct gb_error *err)
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
				(void)reproduce(session, paper, table, preset, err);
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

/* A cell has room for one measurement. */
static enum gb_status check_threads(const struct gb_request *request, struct gb_error *err)
{
	if (request->threads && strpbrk(request->threads, ",:"))
		return gb_fail(err, GB_EUSAGE, "--threads=%.80s: repro takes one number",
			       request->threads);
	return gb_check_threads(request, err);
}

enum gb_status gb_cmd_repro(int argc, char **argv, struct gb_error *err)
{
	static struct gb_request request;
	static struct gb_session session;
	enum gb_preset preset = GB_PAPER;
	enum gb_status status;
	size_t count = 0;

	if (gb_options_parse(&request, NULL, NULL, "PAPER:TABLE|PAPER|all",
			     "A paper's table: published, measured here, and its claims tested.",
			     argc, argv, err) ||
	    request.done || gb_refuse_parts(&request, "repro", err) ||
	    check_threads(&request, err) || gb_preset_of(&request, GB_PAPER, &preset, err))
		return err->code;
	if (request.list)
		return each_table(NULL, "all", preset, &count, err);
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
		(void)each_table(&session, request.glob[0], preset, &count, err);
	}
	status = gb_session_close(&session, err);
	return err->code ? err->code : status;
}
