/* notes.c -- what stands below a paper's table: what the columns are, why cells are empty, the claims
 * and the notes; then what is said of the paper as a whole, and of all tables.
 */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/reports/repro/repro.h"
#include "common/text.h"

/* ---- lists -------------------------------------------------------------------------------- */

/* A list with its heading, neither of which is printed before the first item. */
struct list {
	FILE *file;
	enum gb_format markup;
	const char *heading;
	bool open;
};

static void open_list(struct list *list)
{
	static const char *const before[] = { "", "\n", "<p>", "\\noindent " };
	static const char *const after[] = { "\n", "\n\n", "</p>\n<ul>\n", "\n\\begin{itemize}\n" };

	if (list->open)
		return;
	list->open = true;
	(void)fputs(before[list->markup], list->file);
	gb_grid_print_text(list->file, list->heading, list->markup);
	(void)fputs(after[list->markup], list->file);
}

static void close_list(struct list *list)
{
	static const char *const after[] = { "", "", "</ul>\n", "\\end{itemize}\n" };

	if (list->open)
		(void)fputs(after[list->markup], list->file);
	list->open = false;
}

static void begin_item(struct list *list)
{
	static const char *const bullet[] = { "  ", "- ", "<li>", "\\item " };

	open_list(list);
	(void)fputs(bullet[list->markup], list->file);
}

static void end_item(const struct list *list)
{
	(void)fputs(list->markup == GB_FORMAT_HTML ? "</li>\n" : "\n", list->file);
}

__attribute__((format(printf, 2, 3))) static void put_item(struct list *list, const char *format,
							   ...)
{
	char *text = NULL;
	va_list args;

	va_start(args, format);
	if (vasprintf(&text, format, args) >= 0) {
		begin_item(list);
		gb_grid_print_text(list->file, text, list->markup);
		end_item(list);
		free(text);
	}
	va_end(args);
}

static void put_strings(struct list list, const cJSON *strings, const char *member)
{
	const cJSON *item;

	cJSON_ArrayForEach(item, strings)
	{
		const char *text = member ? gb_json_text(item, member) : item->valuestring;

		put_item(&list, "%s", text ? text : "");
	}
	close_list(&list);
}

static void put_strong(const struct list *list, const char *text)
{
	static const char *const before[] = { "", "**", "<b>", "\\textbf{" };
	static const char *const after[] = { "", "**", "</b>", "}" };

	(void)fprintf(list->file, "%s%s%s", before[list->markup], text, after[list->markup]);
}

/* ---- what the columns are ----------------------------------------------------------------- */

/* " --op=update --frames=1" of the table's and the column's parameters. */
static void add_set(char *text, size_t size, const cJSON *set)
{
	const cJSON *value;

	cJSON_ArrayForEach(value, set)
	{
		const size_t length = strlen(text);

		if (cJSON_IsString(value))
			(void)snprintf(text + length, size - length, " --%s=%s", value->string,
				       value->valuestring);
		else
			(void)snprintf(text + length, size - length, " --%s=%.10g", value->string,
				       value->valuedouble);
	}
}

static void put_column(struct list *list, const struct gb_repro *t, const cJSON *column)
{
	const char *variant = gb_json_text(column, "variant");
	const char *value = gb_json_text(column, "value"), *unit = gb_json_text(column, "unit");
	char text[200] = "";

	add_set(text, sizeof text, gb_json_at(t->table, "set"));
	add_set(text, sizeof text, gb_json_at(column, "set"));
	if (variant)
		put_item(list, "%s: %s%s, %s%s%s", gb_json_text(column, "name"), variant, text,
			 value ? value : "time.median", unit ? " in " : "", unit ? unit : "");
}

static void put_columns(struct list list, const struct gb_repro *t)
{
	char text[200] = "";

	for (size_t c = 0; c < t->columns; c++)
		put_column(&list, t, gb_repro_column_at(t, c));
	add_set(text, sizeof text, gb_json_at(t->table, "set"));
	add_set(text, sizeof text, gb_json_at(t->table, "beside_set"));
	if (t->besides)
		put_item(
			&list,
			"%s and the columns to the right of it, which the paper does not have: the "
			"value and unit of %s,%s",
			gb_repro_beside(t, 0), gb_json_text(gb_repro_beside_terms(t), "name"),
			text[0] ? text : " no options");
	close_list(&list);
}

/* ---- why cells are empty ------------------------------------------------------------------ */

/* A reason, unless the row before had the same: "cpu_s, 210000000 on: ..." */
static void put_reason(struct list *list, const struct gb_repro *t, const char *name, size_t row,
		       const char *reason, const char *last)
{
	char number[40];
	const char *key = gb_repro_printed(t, row, 0, number);

	if (reason && !(last && gb_equal(reason, last)))
		put_item(list, "%s, %s on: %s", name, key ? key : "", reason);
}

/* Each reason once, with the first row that it holds for. */
static void put_reasons(struct list list, const struct gb_repro *t)
{
	for (size_t c = 0; c < t->columns; c++) {
		const cJSON *column = gb_repro_column_at(t, c);
		const char *role = gb_json_text(column, "role"), *last = NULL;

		for (size_t r = 0;
		     r < t->rows && !gb_equal(role, "key") && !gb_equal(role, "ratio"); r++) {
			const char *reason = t->reason[r * t->columns + c];

			put_reason(&list, t, gb_json_text(column, "name"), r, reason, last);
			last = reason;
		}
	}
	for (size_t i = 0; i < t->besides; i++) {
		const char *last = NULL;

		for (size_t r = 0; r < t->rows; r++) {
			const char *reason = gb_repro_beside_reason(t, r, i);

			put_reason(&list, t, gb_repro_beside(t, i), r, reason, last);
			last = reason;
		}
	}
	close_list(&list);
}

/* ---- where stored records are from -------------------------------------------------------- */

enum { MAX_SEEN = 4096 };

/* The machine and build of a record with a time, unless `seen` has them. */
static void put_run(struct list *list, const struct gb_record *record, char seen[MAX_SEEN])
{
	const char *commit, *on;
	char text[300];

	if (!record || record->run == &gb_no_run || isnan(record->time.median))
		return;
	commit = record->run->tool.commit;
	on = record->run->started;
	(void)snprintf(text, sizeof text, "%.120s, commit %.40s, %.10s, %s caches",
		       gb_record_machine(record)->name, commit ? commit : "unknown", on ? on : "",
		       gb_record_is_cold(record) ? "cold" : "hot");
	if (strstr(seen, text))
		return;
	(void)snprintf(seen + strlen(seen), MAX_SEEN - strlen(seen), "%s\n", text);
	put_item(list, "%s", text);
}

static void put_runs(struct list list, const struct gb_repro *t)
{
	char seen[MAX_SEEN] = "";

	for (size_t i = 0; i < t->rows * t->columns; i++)
		put_run(&list, t->record[i], seen);
	for (size_t i = 0; i < t->rows * t->besides; i++)
		put_run(&list, t->beside_record[i], seen);
	close_list(&list);
}

/* Rows that a mesh from a file took, by the first record of each that is of one. */
static void put_meshes(struct list list, const struct gb_repro *t)
{
	for (size_t r = 0; r < t->rows; r++) {
		const struct gb_record *record = NULL;
		const char *scene = NULL;

		for (size_t c = 0; c < t->columns && !scene; c++) {
			record = t->record[r * t->columns + c];
			scene = record ? gb_member_text(&record->params, "scene") : NULL;
			scene = scene && strchr(scene, '.') ? scene : NULL;
		}
		if (scene)
			put_item(&list, "row %zu: %s, %.0f %s", r + 1, scene, record->work.items,
				 record->work.unit);
	}
	close_list(&list);
}

/* ---- claims ------------------------------------------------------------------------------- */

void gb_repro_claims(FILE *file, const struct gb_repro *repro, enum gb_format markup)
{
	struct list list = { file, markup, "Claims, tested on the columns measured here:", false };
	const cJSON *claim;

	cJSON_ArrayForEach(claim, gb_json_at(repro->paper, "claims"))
	{
		struct gb_claim c;

		if (!gb_repro_claim(repro, claim, &c))
			continue;
		begin_item(&list);
		gb_grid_print_text(file, c.id, markup);
		(void)fputs(": ", file);
		put_strong(&list, gb_claim_words[c.verdict]);
		if (c.why[0]) {
			(void)fputs(" (", file);
			gb_grid_print_text(file, c.why, markup);
			(void)fputs(")", file);
		}
		(void)fputs(markup == GB_FORMAT_TABLE ? "\n    " : "; ", file);
		gb_grid_print_text(file, c.text, markup);
		end_item(&list);
	}
	close_list(&list);
}

/* ---- all of it ---------------------------------------------------------------------------- */

void gb_repro_notes(FILE *file, const struct gb_repro *t, enum gb_format markup)
{
	const char *precision = gb_json_text(t->table, "precision");
	struct list about = { file, markup, "Measured here:", false };

	put_item(&about,
		 "\"here\" is the median%s and half of its 95 %% interval; a column of GPU times "
		 "that "
		 "include transfers in the paper includes them here, columns of variants are the "
		 "algorithm alone",
		 t->stored ? " of stored records" : " on this machine");
	if (precision && gb_equal(precision, "shape"))
		put_item(&about, "the paper has a chart without printed values; none are read off "
				 "it, and its claims are tested on what is measured");
	close_list(&about);
	if (t->stored)
		put_runs((struct list){ file, markup, "Stored records of:", false }, t);
	put_meshes((struct list){ file, markup, "Meshes in place of generated scenes:", false }, t);
	put_columns((struct list){ file, markup, "The columns:", false }, t);
	put_reasons((struct list){ file, markup, "Empty cells:", false }, t);
	gb_repro_claims(file, t, markup);
	put_strings((struct list){ file, markup, "Notes on the table:", false },
		    gb_json_at(t->table, "notes"), "text");
}

void gb_repro_print_end(FILE *file, const cJSON *paper, enum gb_format markup)
{
	const char *name = gb_json_text(paper, "paper");
	char heading[80];

	(void)snprintf(heading, sizeof heading, "Notes on the paper (%s):", name);
	put_strings((struct list){ file, markup, heading, false }, gb_json_at(paper, "notes"),
		    NULL);
	(void)snprintf(heading, sizeof heading, "The paper (%s) does not state:", name);
	put_strings((struct list){ file, markup, heading, false }, gb_json_at(paper, "unstated"),
		    NULL);
	(void)fputs("\n", file);
}

void gb_repro_print_head(FILE *file, const cJSON *paper, enum gb_format markup)
{
	const char *original = gb_json_text(paper, "citation.original");
	const char *doi = gb_json_text(paper, "citation.doi");
	struct list list = { file, markup, gb_json_text(paper, "citation.english"), false };
	const cJSON *machine;

	if (markup != GB_FORMAT_MARKDOWN && markup != GB_FORMAT_HTML)
		return;
	(void)fprintf(file, markup == GB_FORMAT_HTML ? "<h1>%s</h1>\n" : "# %s\n",
		      gb_json_text(paper, "paper"));
	if (original)
		put_item(&list, "in the original: %s", original);
	if (doi)
		put_item(&list, "doi %s", doi);
	cJSON_ArrayForEach(machine, gb_json_at(paper, "hardware"))
	{
		put_item(&list, "measured there on: CPU %s; GPU %s; %s",
			 gb_json_text(machine, "cpu"), gb_json_text(machine, "gpu"),
			 gb_json_text(machine, "software"));
	}
	close_list(&list);
	(void)fputs("\n", file);
}

/* "21 tables: 150 of 400 cells measured" and what became of the rest. */
void gb_repro_print_sum(FILE *file, const struct gb_repro_sum *sum, enum gb_format markup)
{
	struct list list = { file, markup, "All tables:", false };

	put_item(&list, "%zu tables; %zu of %zu cells that a variant stands for measured",
		 sum->tables, sum->measured, sum->cells);
	for (int v = 0; v < GB_CLAIM_VERDICTS; v++)
		if (sum->verdicts[v])
			put_item(&list, "claims: %zu %s: %s", sum->verdicts[v], gb_claim_words[v],
				 sum->ids[v]);
	for (size_t i = 0; i < sum->reasons; i++)
		put_item(&list, "%zu left out: %s", sum->reason[i].count, sum->reason[i].text);
	close_list(&list);
	(void)fputs("\n", file);
}
