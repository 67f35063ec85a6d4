/* print.c -- a paper's table for people: as text or Markdown.
 *
 * Beside each published column stands what was measured here and their quotient; below the table
 * why cells are empty, the claims, and what the paper leaves unsaid.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/reports/grid_print.h"
#include "cli/reports/repro/repro.h"
#include "cli/reports/style.h"
#include "common/text.h"

/* ---- the grid ----------------------------------------------------------------------------- */

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
	bool exact; /* a count: compared by the difference */
};

static struct shape shape_of(const struct gb_repro *t, const cJSON *column, size_t c)
{
	const char *role = gb_json_text(column, "role");
	struct shape s = {
		.key = gb_equal(role, "key"),
		.ratio = gb_equal(role, "ratio"),
		.measured = gb_json_text(column, "variant") || gb_json_at(column, "of"),
		.is_time = gb_equal(role, "time"),
		.exact =
			gb_equal(role, "size") && gb_equal(gb_json_text(column, "type"), "integer"),
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
		if (s.exact)
			title[n++] = "here-paper";
		else if (!s.ratio)
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
	char number[40];
	const char *printed = gb_repro_printed(t, row, c, number);

	if (s->key || s->published)
		gb_grid_set(grid, n, printed ? printed : "", GB_PLAIN);
	else
		set_number(grid, n, here, s->exact ? 0 : 4);
	n++;
	if (s->key || !s->published || !s->measured)
		return n;
	set_number(grid, n++, here, s->exact ? 0 : 4);
	if (s->exact)
		set_number(grid, n++, here - published, 0);
	else if (!s->ratio)
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

/* ---- below it ----------------------------------------------------------------------------- */

/* "210000000", "teapot": what the row is about, by its first key. */
static const char *row_name(const struct gb_repro *t, size_t row, char text[40])
{
	const char *key = gb_repro_text(t, row, 0);

	if (key)
		return key;
	(void)snprintf(text, 40, "%.10g", gb_repro_published(t, row, 0));
	return text;
}

static const char *bullet_of(enum gb_markup markup)
{
	return markup == GB_MARKUP_MARKDOWN ? "- " : "  ";
}

static void print_heading(FILE *file, const char *text, enum gb_markup markup)
{
	(void)fprintf(file, markup == GB_MARKUP_MARKDOWN ? "\n%s\n\n" : "%s\n", text);
}

/* A reason, unless the row before had the same. */
static void print_reason(FILE *file, const struct gb_repro *t, const char *name, size_t row,
			 const char *reason, const char *last, enum gb_markup markup)
{
	char text[40];

	if (reason && !(last && gb_equal(reason, last)))
		(void)fprintf(file, "%s%s, %s on: %s\n", bullet_of(markup), name,
			      row_name(t, row, text), reason);
}

/* Each reason once, with the first row that it holds for. */
static void print_reasons(FILE *file, const struct gb_repro *t, enum gb_markup markup)
{
	const cJSON *column;
	size_t c = 0;

	cJSON_ArrayForEach(column, gb_json_at(t->table, "columns"))
	{
		const struct shape s = shape_of(t, column, c++);
		const char *last = NULL;

		for (size_t r = 0; r < t->rows && !s.key && !s.ratio; r++) {
			const char *reason = t->reason[r * t->columns + c - 1];

			print_reason(file, t, gb_json_text(column, "name"), r, reason, last,
				     markup);
			last = reason;
		}
	}
	for (size_t i = 0; i < t->besides; i++) {
		const char *last = NULL;

		for (size_t r = 0; r < t->rows; r++) {
			const char *reason = gb_repro_beside_reason(t, r, i);

			print_reason(file, t, gb_repro_beside(t, i), r, reason, last, markup);
			last = reason;
		}
	}
}

void gb_repro_claims(FILE *file, const struct gb_repro *repro, enum gb_markup markup)
{
	const bool markdown = markup == GB_MARKUP_MARKDOWN;
	const cJSON *claim;
	bool first = true;

	cJSON_ArrayForEach(claim, gb_json_at(repro->paper, "claims"))
	{
		struct gb_claim c;

		if (!gb_repro_claim(repro, claim, &c))
			continue;
		if (first)
			print_heading(file, "Claims, tested on the columns measured here:", markup);
		first = false;
		(void)fprintf(file,
			      markdown ? "- %s: **%s**%s%s%s; %s\n" : "  %s: %s%s%s%s\n    %s\n",
			      c.id, gb_claim_words[c.verdict], c.why[0] ? " (" : "", c.why,
			      c.why[0] ? ")" : "", c.text);
	}
}

static void print_list(FILE *file, const cJSON *list, const char *heading, const char *member,
		       enum gb_markup markup)
{
	const cJSON *item;

	if (cJSON_GetArraySize(list) > 0)
		print_heading(file, heading, markup);
	cJSON_ArrayForEach(item, list)
	{
		const char *text = member ? gb_json_text(item, member) : item->valuestring;

		(void)fprintf(file, "%s%s\n", bullet_of(markup), text ? text : "");
	}
}

/* ---- all of it ---------------------------------------------------------------------------- */

static enum gb_status print_grid(FILE *file, const struct gb_repro *t, enum gb_markup markup,
				 struct gb_error *err)
{
	const struct gb_style style = gb_style_for(file, GB_FORMAT_TABLE);
	const struct gb_grid_style grid_style = { .markup = markup, .color = style.color };
	const size_t most = 3 * t->columns + t->besides + 1;
	const char **title = calloc(most, sizeof *title);
	char(*text)[64] = calloc(most, sizeof *text);
	struct gb_grid grid;

	if (!title || !text) {
		gb_out_of_memory(err, "a table");
		goto out;
	}
	gb_grid_init(&grid, make_titles(t, title, text), title, NULL);
	for (size_t r = 0; r < t->rows; r++)
		add_row(t, &grid, r);
	(void)gb_grid_print(file, &grid, &grid_style, err);
	gb_grid_release(&grid);
out:
	free(title);
	free(text);
	return err->code;
}

enum gb_status gb_repro_print(FILE *file, const struct gb_repro *t, enum gb_markup markup,
			      struct gb_error *err)
{
	(void)fprintf(file, "%s%s:%s  %s\n%s%s\n\n", markup == GB_MARKUP_MARKDOWN ? "## " : "",
		      gb_json_text(t->paper, "paper"), gb_json_text(t->table, "id"),
		      gb_json_text(t->table, "title"), markup == GB_MARKUP_MARKDOWN ? "\n" : "",
		      gb_json_text(t->paper, "citation.english"));
	if (print_grid(file, t, markup, err))
		return err->code;
	(void)fprintf(file,
		      "\n\"here\" is the median on this machine; a column of GPU times that "
		      "include transfers in the paper\nincludes them here, columns of variants "
		      "are the algorithm alone.\n%s",
		      markup == GB_MARKUP_MARKDOWN ? "\n" : "");
	print_reasons(file, t, markup);
	if (markup != GB_MARKUP_MARKDOWN)
		(void)fprintf(file, "\n");
	gb_repro_claims(file, t, markup);
	print_list(file, gb_json_at(t->table, "notes"), "Notes on the table:", "text", markup);
	print_list(file, gb_json_at(t->paper, "notes"), "Notes on the paper:", NULL, markup);
	print_list(file, gb_json_at(t->paper, "unstated"), "The paper does not state:", NULL,
		   markup);
	(void)fprintf(file, "\n");
	return ferror(file) ? gb_fail(err, GB_EIO, "cannot write the table: %s", strerror(errno))
			    : GB_OK;
}

/* "21 tables: 150 of 400 cells measured" and what became of the rest. */
void gb_repro_print_sum(FILE *file, const struct gb_repro_sum *sum, enum gb_markup markup)
{
	print_heading(file, "All tables:", markup);
	(void)fprintf(file, "%s%zu tables; %zu of %zu cells that a variant stands for measured\n",
		      bullet_of(markup), sum->tables, sum->measured, sum->cells);
	(void)fprintf(file, "%sclaims: %zu held, %zu not held, %zu cannot be tested here\n",
		      bullet_of(markup), sum->verdicts[GB_CLAIM_HELD],
		      sum->verdicts[GB_CLAIM_NOT_HELD], sum->verdicts[GB_CLAIM_UNTESTABLE]);
	for (size_t i = 0; i < sum->reasons; i++)
		(void)fprintf(file, "%s%zu left out: %s\n", bullet_of(markup), sum->reason[i].count,
			      sum->reason[i].text);
}
