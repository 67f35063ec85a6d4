/* table.c -- everything around the rows: the runs, each benchmark's head, what was skipped. */
#include "cli/reports/table.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/records/csv.h"
#include "cli/reports/counts.h"
#include "cli/reports/fastest.h"
#include "cli/reports/figures.h"
#include "cli/reports/page.h"
#include "cli/reports/rows.h"
#include "cli/reports/section.h"
#include "common/text.h"

/* An item of a list: a line, "- " in Markdown, <li> on a page. */
static void begin_item(const struct gb_table *table)
{
	static const char *const mark[] = { "", "- ", "<li>" };

	(void)fputs(mark[table->markup], table->file);
}

static void end_item(const struct gb_table *table)
{
	(void)fputs(table->markup == GB_MARKUP_HTML ? "</li>\n" : "\n", table->file);
}

static void begin_list(const struct gb_table *table)
{
	(void)fputs(table->markup == GB_MARKUP_HTML ? "<ul>\n" : "", table->file);
}

static void end_list(const struct gb_table *table)
{
	(void)fputs(table->markup == GB_MARKUP_HTML ? "</ul>\n" : "", table->file);
}

static void print_text(const struct gb_table *table, const char *text)
{
	gb_grid_print_text(table->file, text, table->markup);
}

/* ---- the runs ---------------------------------------------------------------------------- */

static void print_part(const struct gb_table *table, const char *before, const char *text)
{
	if (!text)
		return;
	(void)fputs(before, table->file);
	print_text(table, text);
}

static void print_run(const struct gb_table *table, const struct gb_run *run)
{
	print_part(table, "gpubench ", run->tool.version);
	print_part(table, ", commit ", run->tool.commit);
	if (run->tool.commit && run->tool.dirty == GB_YES)
		(void)fputs(" with changes", table->file);
	print_part(table, ", on ", run->host.hostname);
	print_part(table, ", ", run->started);
	print_part(table, ": ", run->host.cpu);
	if (isfinite(run->host.cores))
		(void)fprintf(table->file, ", %g cores", run->host.cores);
	for (size_t i = 0; i < run->gpu_count; i++)
		print_part(table, "; ", run->gpu[i].name);
}

static bool is_among(const char *text, const char *const *list, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (gb_equal(list[i], text))
			return true;
	return false;
}

/* The libraries that the run's records name, each once. */
static void print_libraries(const struct gb_table *table, const char *run_id)
{
	const char *seen[16];
	size_t count = 0;

	for (size_t i = 0; i < table->list->count && count < GB_COUNT(seen); i++) {
		const struct gb_record *record = table->list->record[i];

		if (!record->library || is_among(record->library, seen, count) ||
		    !gb_equal(record->run_id, run_id))
			continue;
		print_part(table, count ? ", " : "; peers: ", record->library);
		seen[count++] = record->library;
	}
}

/* One line for each run, with its name if there are several. */
static void print_runs(const struct gb_table *table)
{
	begin_list(table);
	for (size_t i = 0; i < table->list->run_count; i++) {
		const struct gb_run *run = table->list->run[i];
		const char *name = gb_run_name(&table->runs, run->run_id);

		if (name[0] || table->markup == GB_MARKUP_HTML)
			begin_item(table);
		print_text(table, name);
		(void)fputs(name[0] ? ": " : "", table->file);
		print_run(table, run);
		print_libraries(table, run->run_id);
		end_item(table);
	}
	end_list(table);
}

/* ---- what was skipped -------------------------------------------------------------------- */

/* Both NULL, or equal. */
static bool same_reason(const char *a, const char *b)
{
	return a && b ? gb_equal(a, b) : a == b;
}

static bool same_variant(const struct gb_record *a, const struct gb_record *b)
{
	return gb_equal(a->variant, b->variant) && gb_equal(a->backend, b->backend);
}

/* "cuda/split", and if it ran elsewhere " at count=1G" or " at 3 of 5 points". */
static void print_skipped_variant(const struct gb_section *section, const struct gb_record *record)
{
	const struct gb_table *table = section->table;
	size_t all = 0, skipped = 0;

	for (size_t i = 0; i < section->count; i++) {
		if (!same_variant(section->record[i], record))
			continue;
		all++;
		skipped += section->record[i]->status == GB_STATUS_SKIPPED &&
			   same_reason(section->record[i]->reason, record->reason);
	}
	print_text(table, record->backend);
	(void)fputc('/', table->file);
	print_text(table, record->variant);
	if (skipped == all)
		return;
	if (skipped > 1) {
		(void)fprintf(table->file, " at %zu of %zu points", skipped, all);
		return;
	}
	(void)fputs(" at", table->file);
	for (size_t i = 0; i < section->axes.count; i++) {
		const struct gb_member *value = gb_axis_value(&section->axes, i, record);
		char text[GB_VALUE_MAX];

		if (!section->axes.axis[i].varies || !value)
			continue;
		(void)fprintf(table->file, " %s=", section->axes.axis[i].name);
		print_text(table, gb_axis_text(text, value));
	}
}

/* One line for each reason, with the variants it holds for. */
static enum gb_status print_skipped(const struct gb_section *section, struct gb_error *err)
{
	const struct gb_table *table = section->table;
	bool *done = calloc(section->count + 1, sizeof *done);

	if (!done)
		return gb_out_of_memory(err, "a table");
	begin_list(table);
	for (size_t i = 0; i < section->count; i++) {
		const struct gb_record *record = section->record[i];
		const char *comma = "skipped: ";

		if (done[i] || record->status != GB_STATUS_SKIPPED)
			continue;
		begin_item(table);
		for (size_t k = i; k < section->count; k++) {
			const struct gb_record *other = section->record[k];

			if (done[k] || other->status != GB_STATUS_SKIPPED ||
			    !same_reason(record->reason, other->reason))
				continue;
			(void)fputs(comma, table->file);
			print_skipped_variant(section, other);
			comma = ", ";
			for (size_t m = k; m < section->count; m++)
				done[m] |= section->record[m]->status == GB_STATUS_SKIPPED &&
					   same_variant(other, section->record[m]) &&
					   same_reason(record->reason, section->record[m]->reason);
		}
		(void)fputs(": ", table->file);
		print_text(table, record->reason ? record->reason : "no reason given");
		end_item(table);
	}
	end_list(table);
	free(done);
	return GB_OK;
}

/* "radix: type=u32 seed=1": the name, and the parameters that do not vary. */
static void print_head(const struct gb_section *section)
{
	static const struct {
		const char *before, *after, *colon, *end;
	} form[] = {
		[GB_MARKUP_NONE] = { "\n", "", ": ", "\n\n" },
		[GB_MARKUP_MARKDOWN] = { "\n## ", "\n\n", "", "\n\n" },
		[GB_MARKUP_HTML] = { "<h2>", "</h2>\n<p>", "", "</p>\n" },
	};
	const struct gb_table *table = section->table;
	bool first = true;

	(void)fputs(form[table->markup].before, table->file);
	print_text(table, section->bench);
	(void)fputs(form[table->markup].after, table->file);
	for (size_t i = 0; i < section->axes.count; i++) {
		const struct gb_axis_seen *axis = &section->axes.axis[i];
		char text[GB_VALUE_MAX];

		if (axis->varies)
			continue;
		(void)fputs(first ? form[table->markup].colon : " ", table->file);
		print_text(table, axis->name);
		(void)fputc('=', table->file);
		print_text(table, gb_axis_text(text, axis->value));
		first = false;
	}
	if (!first || table->markup != GB_MARKUP_MARKDOWN)
		(void)fputs(form[table->markup].end, table->file);
}

/* Exact counts, where there are any: always on a page, elsewhere if they were asked for. */
static enum gb_status print_counts(const struct gb_section *section, struct gb_error *err)
{
	static const char *const heading[] = { "\ncounts of one run\n\n",
					       "\nCounts of one run:\n\n",
					       "<p>Counts of one run</p>\n" };
	const struct gb_table *table = section->table;

	if (!(table->style->counts || table->markup == GB_MARKUP_HTML) ||
	    !gb_section_has_counts(section))
		return GB_OK;
	(void)fputs(heading[table->markup], table->file);
	return gb_section_print_counts(section, err);
}

static enum gb_status print_section(const struct gb_section *section, bool *marked,
				    struct gb_error *err)
{
	print_head(section);
	if (section->row_count && gb_section_print_rows(section, marked, err))
		return err->code;
	if (print_counts(section, err))
		return err->code;
	if (section->row_count && section->row_count < section->count)
		(void)fputc('\n', section->table->file);
	if (section->row_count && section->table->markup == GB_MARKUP_HTML)
		gb_section_print_figures(section);
	return print_skipped(section, err);
}

/* ---- the whole --------------------------------------------------------------------------- */

static enum gb_status print_sections(const struct gb_table *table, const struct gb_section *section,
				     size_t count, struct gb_error *err)
{
	const bool is_page = table->markup == GB_MARKUP_HTML;
	bool marked = false;

	print_runs(table);
	if (is_page)
		(void)gb_print_fastest(section, count, err);
	for (size_t i = 0; i < count && !err->code; i++)
		(void)print_section(&section[i], &marked, err);
	if (marked && table->markup == GB_MARKUP_NONE)
		(void)fputs("\n* the fastest at its point\n", table->file);
	return err->code;
}

/* How many benchmarks the records are of, at most. */
static size_t count_changes(const struct gb_records *list)
{
	const struct gb_record *last = NULL;
	size_t count = 0;

	for (size_t i = 0; i < list->count; i++) {
		count += !last || !gb_equal(last->bench, list->record[i]->bench);
		last = list->record[i];
	}
	return count;
}

static enum gb_status print_tables(FILE *file, const struct gb_records *list,
				   const struct gb_style *style, struct gb_error *err)
{
	struct gb_table table = { .file = file, .list = list, .style = style };
	struct gb_section *section = calloc(count_changes(list) + 1, sizeof *section);
	bool *done = calloc(list->count + 1, sizeof *done);
	size_t count = 0;

	table.markup = style->format == GB_FORMAT_MARKDOWN ? GB_MARKUP_MARKDOWN
		       : style->format == GB_FORMAT_HTML   ? GB_MARKUP_HTML
							   : GB_MARKUP_NONE;
	if (!section || !done) {
		gb_out_of_memory(err, "a table");
		goto out;
	}
	if (gb_run_names_init(&table.runs, list, err))
		goto out;
	for (size_t i = 0; i < list->count && !err->code; i++)
		if (!done[i])
			(void)gb_section_init(&section[count++], &table, i, done, err);
	if (err->code)
		goto out;
	if (table.markup == GB_MARKUP_HTML)
		gb_page_begin(file, list);
	(void)print_sections(&table, section, count, err);
	if (table.markup == GB_MARKUP_HTML)
		gb_page_end(file, list);
out:
	for (size_t i = 0; i < count; i++)
		gb_section_release(&section[i]);
	gb_run_names_release(&table.runs);
	free(section);
	free(done);
	return err->code;
}

enum gb_status gb_table_print(FILE *file, const struct gb_records *list,
			      const struct gb_style *style, struct gb_error *err)
{
	enum gb_status status = GB_OK;

	switch (style->format) {
	case GB_FORMAT_CSV:
		status = gb_csv_print(file, list, err);
		break;
	case GB_FORMAT_JSON:
		status = gb_records_print(file, list, true, err);
		break;
	case GB_FORMAT_TABLE:
	case GB_FORMAT_MARKDOWN:
	case GB_FORMAT_HTML:
		status = print_tables(file, list, style, err);
		break;
	}
	if (status == GB_OK && (fflush(file) || ferror(file)))
		status = gb_fail(err, GB_EIO, "cannot write the table: %s", strerror(errno));
	return status;
}
