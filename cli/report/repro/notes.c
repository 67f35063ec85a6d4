/* notes.c -- prints the notes below a paper's table (claims, columns, empty cells, notes), those on
 * the whole paper, and the totals of all tables. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/report/repro/repro.h"
#include "common/text.h"

/* ---- lists -------------------------------------------------------------------------------- */

/* A list whose label is printed before the first item. */
struct list {
	struct gb_document *document;
	const char *label; /* NULL once it is printed */
};

static void begin_item(struct list *list)
{
	if (list->label)
		gb_document_put(list->document, GB_LABEL, "%s", list->label);
	list->label = NULL;
	gb_document_begin(list->document, GB_ITEM);
}

/* Print an item of a struct list, with printf()'s arguments. */
#define PUT_ITEM(list, ...)                                      \
	do {                                                     \
		begin_item(list);                                \
		gb_document_text((list)->document, __VA_ARGS__); \
		gb_document_end((list)->document);               \
	} while (0)

static void put_strings(struct list list, const cJSON *strings, const char *member)
{
	const cJSON *item;

	cJSON_ArrayForEach(item, strings)
	{
		const char *text = member ? gb_json_text(item, member) : item->valuestring;

		PUT_ITEM(&list, "%s", text ? text : "");
	}
}

/* ---- empty cells -------------------------------------------------------------------------- */

/* The reason why a cell is empty, NULL if none; of a ratio, only if its terms have none. */
static const char *own_reason(const struct gb_repro *t, size_t row, size_t c)
{
	const struct gb_repro_cell *cell = &t->cell[row * t->columns];

	for (size_t k = 0; k < 2 && t->column[c].of[0]; k++) {
		const size_t term = gb_repro_column(t, t->column[c].of[k]);

		if (term < t->columns && cell[term].reason)
			return NULL;
	}
	return t->column[c].is_key ? NULL : cell[c].reason;
}

/* Print each reason once for successive rows: "cpu_s, rows 9 to 10: ..." */
static void put_reasons(struct list list, const struct gb_repro *t)
{
	for (size_t c = 0; c < t->columns; c++) {
		for (size_t r = 0, end; r < t->rows; r = end) {
			const char *name = t->column[c].name, *reason = own_reason(t, r, c), *next;

			for (end = r + 1; end < t->rows && reason; end++) {
				next = own_reason(t, end, c);
				if (!next || !gb_equal(next, reason))
					break;
			}
			if (reason && end == r + 1)
				PUT_ITEM(&list, "%s, row %zu: %s", name, end, reason);
			else if (reason)
				PUT_ITEM(&list, "%s, rows %zu to %zu: %s", name, r + 1, end,
					 reason);
		}
	}
}

/* ---- sources of stored records ------------------------------------------------------------ */

enum { MAX_SEEN = 4096 };

/* Print the machine and build of a record with a time, unless `seen` contains them. */
static void put_run(struct list *list, const struct gb_record *record, char seen[MAX_SEEN])
{
	const char *commit, *on;
	char text[300];

	if (!record || record->context == gb_no_context || isnan(record->time.median))
		return;
	commit = record->context->tool.commit;
	on = record->context->started;
	(void)snprintf(text, sizeof text, "%.120s, commit %.40s, %.10s, %s caches",
		       gb_record_machine(record)->name, commit ? commit : "unknown", on ? on : "",
		       gb_record_is_cold(record) ? "cold" : "hot");
	if (strstr(seen, text))
		return;
	gb_text_append(seen, MAX_SEEN, "%s\n", text);
	PUT_ITEM(list, "%s", text);
}

static void put_runs(struct list list, const struct gb_repro *t)
{
	char seen[MAX_SEEN] = "";

	for (size_t i = 0; i < t->rows * t->columns; i++)
		put_run(&list, t->cell[i].record, seen);
}

/* ---- claims ------------------------------------------------------------------------------- */

void gb_repro_claims(struct gb_document *document, const struct gb_repro *repro)
{
	struct list list = { document, "Claims, tested on the columns measured here:" };
	const cJSON *claim;

	cJSON_ArrayForEach(claim, gb_json_at(repro->paper, "claims"))
	{
		struct gb_claim c;

		if (!gb_repro_claim(repro, claim, &c))
			continue;
		begin_item(&list);
		gb_document_text(document, "%s: ", c.id);
		gb_document_strong(document, gb_claim_words[c.verdict]);
		if (c.reason[0])
			gb_document_text(document, " (%s)", c.reason);
		gb_document_text(document, "; %s", c.text);
		gb_document_end(document);
	}
}

/* ---- all of it ---------------------------------------------------------------------------- */

void gb_repro_notes(struct gb_document *document, const struct gb_repro *t)
{
	gb_repro_claims(document, t);
	if (t->stored)
		put_runs((struct list){ document, "Stored records of:" }, t);
	put_reasons((struct list){ document, "Empty cells:" }, t);
	put_strings((struct list){ document, "Notes on the table:" }, gb_json_at(t->table, "notes"),
		    "text");
}

void gb_repro_print_end(struct gb_document *document, const cJSON *paper)
{
	const char *name = gb_json_text(paper, "paper");
	char label[80];

	(void)snprintf(label, sizeof label, "Notes on the paper (%s):", name);
	put_strings((struct list){ document, label }, gb_json_at(paper, "notes"), NULL);
	(void)snprintf(label, sizeof label, "The paper (%s) does not state:", name);
	put_strings((struct list){ document, label }, gb_json_at(paper, "unstated"), NULL);
}

void gb_repro_print_head(struct gb_document *document, const cJSON *paper)
{
	const char *original = gb_json_text(paper, "citation.original");
	const char *doi = gb_json_text(paper, "citation.doi");
	struct list list = { document, gb_json_text(paper, "citation.english") };
	const cJSON *machine;

	gb_document_put(document, GB_TITLE, "%s", gb_json_text(paper, "paper"));
	if (original)
		PUT_ITEM(&list, "in the original: %s", original);
	if (doi)
		PUT_ITEM(&list, "doi %s", doi);
	cJSON_ArrayForEach(machine, gb_json_at(paper, "hardware"))
	{
		PUT_ITEM(&list, "measured there on: CPU %s; GPU %s; %s",
			 gb_json_text(machine, "cpu"), gb_json_text(machine, "gpu"),
			 gb_json_text(machine, "software"));
	}
}

/* ---- totals -------------------------------------------------------------------------------- */

void gb_repro_add(struct gb_repro_sum *sum, const struct gb_repro *repro)
{
	struct gb_claim result;
	const cJSON *claim;

	sum->tables++;
	for (size_t i = 0; i < repro->rows * repro->columns; i++) {
		sum->cells += repro->column[i % repro->columns].variant != NULL;
		sum->measured +=
			repro->column[i % repro->columns].variant && !repro->cell[i].reason;
	}
	cJSON_ArrayForEach(claim, gb_json_at(repro->paper, "claims"))
	{
		if (gb_repro_claim(repro, claim, &result))
			sum->verdicts[result.verdict]++;
	}
}

/* "21 tables; 150 of 400 cells ..." and the number of claims by verdict. */
void gb_repro_print_sum(struct gb_document *document, const struct gb_repro_sum *sum)
{
	static const char *const names[] = {
		[GB_CLAIM_HELD] = "held",
		[GB_CLAIM_NOT_HELD] = "not_held",
		[GB_CLAIM_UNDECIDED] = "undecided",
		[GB_CLAIM_UNTESTABLE] = "untestable",
	};
	struct list list = { document, "All tables:" };

	gb_document_field(document, "tables", (double)sum->tables);
	gb_document_field(document, "measured", (double)sum->measured);
	gb_document_field(document, "measurable", (double)sum->cells);
	for (int v = 0; v < GB_CLAIM_VERDICTS; v++)
		gb_document_field(document, names[v], (double)sum->verdicts[v]);
	if (sum->tables < 2 || gb_document_is_data(document))
		return;
	PUT_ITEM(&list, "%zu tables; %zu of %zu cells with a variant measured", sum->tables,
		 sum->measured, sum->cells);
	for (int v = 0; v < GB_CLAIM_VERDICTS; v++)
		if (sum->verdicts[v])
			PUT_ITEM(&list, "claims: %zu %s", sum->verdicts[v], gb_claim_words[v]);
}
