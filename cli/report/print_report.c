/* print_report.c -- prints the parts around the rows: runs, the head of each benchmark, skipped
 * variants. */
#include "cli/report/print_report.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/benchmarks/registry.h"
#include "cli/benchmarks/value.h"
#include "cli/records/csv.h"
#include "cli/report/keys.h"
#include "cli/report/page.h"
#include "cli/report/section.h"
#include "common/text.h"

/* ---- the runs ---------------------------------------------------------------------------- */

static void print_part(struct gb_document *document, const char **between, const char *before,
		       const char *text)
{
	if (!text)
		return;
	gb_document_text(document, "%s%s%s", *between, before, text);
	*between = ", ";
}

/* The fields that run `i` and those like it share. */
static void print_run(struct gb_document *document, const struct gb_records *list, size_t i)
{
	const struct gb_context *context = list->context[i];
	const char *from, *to, *between = "";
	const size_t repetitions = gb_contexts_like(list, i, &from, &to);
	char count[GB_TEXT_MAX];

	(void)snprintf(count, sizeof count, "%zu repetitions", repetitions);
	print_part(document, &between, "gpubench ", context->tool.version);
	print_part(document, &between, "commit ", context->tool.commit);
	if (context->tool.commit && context->tool.dirty == GB_YES)
		gb_document_text(document, " with changes");
	print_part(document, &between, "on ", context->host.hostname);
	print_part(document, &between, "", repetitions > 1 ? count : NULL);
	print_part(document, &between, "", from);
	if (from && !gb_equal(from, to))
		gb_document_text(document, " to %s", to);
	between = between[0] ? ": " : "";
	print_part(document, &between, "", context->host.cpu);
	if (isfinite(context->host.cores))
		gb_document_text(document, "%s%g cores", between, context->host.cores);
	between = between[0] ? "; " : "";
	for (size_t k = 0; k < context->gpu_count; k++, between = "; ")
		print_part(document, &between, "", context->gpu[k].name);
}

/* "; peers: CUB 3.0.1": of the records of the run and of those like it. */
static void print_libraries(const struct gb_report *report, const struct gb_context *context)
{
	const char *names[16], *between = "; ";
	size_t count = 0;

	for (size_t i = 0; i < report->list->count; i++) {
		const struct gb_record *record = report->list->record[i];
		size_t k = 0;

		if (!gb_contexts_alike(record->context, context))
			continue;
		while (record->library && k < count && !gb_equal(names[k], record->library))
			k++;
		if (!record->library || k < count || count == GB_COUNT(names))
			continue;
		print_part(report->document, &between, count ? "" : "peers: ", record->library);
		names[count++] = record->library;
	}
}

/* One line for the repetitions of a machine and build, with their name if there are several. */
static void print_runs(const struct gb_report *report)
{
	const struct gb_records *list = report->list;
	const char *from, *to;
	size_t first = 0;

	for (size_t i = 0; i < list->context_count; i++) {
		const struct gb_context *context = list->context[i];
		const size_t repetitions = gb_contexts_like(list, i, &from, &to);
		const char *name = gb_context_name(&report->names, context->run_id);

		if (repetitions == 0)
			continue;
		first = first ? first : repetitions;
		gb_document_begin(report->document,
				  first < list->context_count ? GB_ITEM : GB_LINE);
		gb_document_text(report->document, "%s%s", name, name[0] ? ": " : "");
		print_run(report->document, list, i);
		print_libraries(report, context);
		gb_document_end(report->document);
	}
}

/* ---- skipped variants -------------------------------------------------------------------- */

static bool same_variant(const struct gb_record *a, const struct gb_record *b)
{
	return gb_equal(a->variant, b->variant) && gb_equal(a->backend, b->backend);
}

/* "cuda/split"; if it ran at other points, " at 3 of 5 points" follows. */
static void print_skipped_variant(const struct gb_section *section, const struct gb_record *record)
{
	struct gb_document *document = section->report->document;
	size_t all = 0, skipped = 0;

	for (size_t i = 0; i < section->count; i++) {
		if (!same_variant(section->record[i], record))
			continue;
		all++;
		skipped += section->record[i]->status == GB_STATUS_SKIPPED &&
			   gb_same(section->record[i]->reason, record->reason);
	}
	gb_document_text(document, "%s/%s", record->backend, record->variant);
	if (skipped < all)
		gb_document_text(document, " at %zu of %zu points", skipped, all);
}

/* One line for each reason, with the variants that it applies to. */
static enum gb_status print_skipped(const struct gb_section *section, struct gb_error *err)
{
	struct gb_document *document = section->report->document;
	bool *done = calloc(section->count + 1, sizeof *done);

	if (!done)
		return gb_out_of_memory(err, "a table");
	for (size_t i = 0; i < section->count; i++) {
		const struct gb_record *record = section->record[i];
		const char *comma = "skipped: ";

		if (done[i] || record->status != GB_STATUS_SKIPPED)
			continue;
		gb_document_begin(document, GB_ITEM);
		for (size_t k = i; k < section->count; k++) {
			const struct gb_record *other = section->record[k];

			if (done[k] || other->status != GB_STATUS_SKIPPED ||
			    !gb_same(record->reason, other->reason))
				continue;
			gb_document_text(document, "%s", comma);
			print_skipped_variant(section, other);
			comma = ", ";
			for (size_t m = k; m < section->count; m++)
				done[m] |= section->record[m]->status == GB_STATUS_SKIPPED &&
					   same_variant(other, section->record[m]) &&
					   gb_same(record->reason, section->record[m]->reason);
		}
		gb_document_text(document, ": %s",
				 record->reason ? record->reason : "no reason given");
		gb_document_end(document);
	}
	free(done);
	return GB_OK;
}

/* True if no point of the section uses the parameter. */
static bool is_idle(const struct gb_section *section, const char *name)
{
	const struct gb_benchmark *benchmark = gb_benchmark_find(section->bench);
	const struct gb_param *row =
		benchmark ? gb_param_find(benchmark->params, benchmark->param_count, name) : NULL;
	bool used = !row || !row->only || row->only[0] == '!';

	for (size_t i = 0; row && i < section->axes.count; i++) {
		const struct gb_axis_seen *axis = &section->axes.axis[i];
		const char *word = gb_param_needs(row, axis->name);

		if (gb_param_yields(row, axis->name))
			return true;
		used = used || (word && (axis->varies || gb_equal(axis->value.text, word)));
	}
	return !used;
}

/* "radix: type=u32 seed=1": the name and the parameters that do not vary; in a table, on one
 * line. */
static void print_head(const struct gb_section *section)
{
	struct gb_document *document = section->report->document;
	const bool one_line = document->format == GB_FORMAT_TABLE;
	bool first = true;

	gb_document_begin(document, GB_HEAD);
	gb_document_text(document, "%s", section->bench);
	if (!one_line)
		gb_document_end(document);
	for (size_t i = 0; i < section->axes.count; i++) {
		const struct gb_axis_seen *axis = &section->axes.axis[i];
		char text[GB_VALUE_MAX];

		if (axis->varies || is_idle(section, axis->name))
			continue;
		if (first && !one_line)
			gb_document_begin(document, GB_LINE);
		gb_document_text(document, "%s%s=%s",
				 !first     ? " "
				 : one_line ? ": "
					    : "",
				 axis->name, gb_axis_text(text, axis->value));
		first = false;
	}
	if (section->hot_caches) {
		if (first && !one_line)
			gb_document_begin(document, GB_LINE);
		gb_document_text(document, "%shot caches", !first ? ", " : one_line ? ": " : "");
		first = false;
	}
	if (!first || one_line)
		gb_document_end(document);
}

/* One line for each input that was read from a file: what it holds and what was not taken. */
static void print_files(const struct gb_section *section)
{
	for (size_t i = 0; i < section->count; i++) {
		const struct gb_record *record = section->record[i];
		char name[GB_VALUE_MAX];
		size_t k = 0;

		while (k < i && !gb_same(section->record[k]->file.notes, record->file.notes))
			k++;
		if (!record->file.notes || k < i)
			continue;
		gb_document_put(section->report->document, GB_LINE, "%s: %s",
				gb_axis_text(name, gb_member_value(&record->params, "file")),
				record->file.notes);
	}
}

static enum gb_status print_section(const struct gb_section *section, bool *marked,
				    struct gb_error *err)
{
	struct gb_document *document = section->report->document;

	print_head(section);
	print_files(section);
	*marked |= gb_section_print_rows(section);
	if (document->format == GB_FORMAT_HTML) /* page.js draws the chart of the table before it */
		(void)fputs("<figure></figure>\n", document->file);
	gb_section_print_counts(section);
	return print_skipped(section, err);
}

/* ---- the whole --------------------------------------------------------------------------- */

static enum gb_status print_sections(const struct gb_report *report,
				     const struct gb_section *section, size_t count,
				     struct gb_error *err)
{
	const bool page = report->document->format == GB_FORMAT_HTML;
	/* A page of several runs opens with its results and ends with the runs. */
	const bool last = page && report->list->context_count > 1;
	bool marked = false;

	if (!last)
		print_runs(report);
	for (size_t i = 0; i < count && !err->code; i++)
		(void)print_section(&section[i], &marked, err);
	if (marked && report->document->format == GB_FORMAT_TABLE)
		gb_document_put(report->document, GB_LINE, "* the fastest at its point");
	if (marked && page)
		gb_document_put(report->document, GB_LINE,
				"The fastest at its point is bold and green.");
	if (last)
		print_runs(report);
	return err->code;
}

static enum gb_status print_tables(struct gb_document *document, const struct gb_records *list,
				   unsigned columns, struct gb_error *err)
{
	struct gb_report report = { .document = document, .list = list, .columns = columns };
	struct gb_section *section = NULL;
	bool *done = calloc(list->count + 1, sizeof *done);
	size_t count = 0;

	if (!done) {
		gb_out_of_memory(err, "a table");
		goto out;
	}
	if (gb_context_names_init(&report.names, list, err))
		goto out;
	for (size_t i = 0; i < list->count && !err->code; i++) {
		struct gb_section *more;

		if (done[i])
			continue;
		more = reallocarray(section, count + 1, sizeof *section);
		if (more) {
			section = more;
			(void)gb_section_init(&section[count++], &report, i, done, err);
		} else {
			gb_out_of_memory(err, "a table");
		}
	}
	if (!err->code)
		(void)print_sections(&report, section, count, err);
out:
	for (size_t i = 0; i < count; i++)
		gb_section_release(&section[i]);
	gb_context_names_release(&report.names);
	free(section);
	free(done);
	return err->code;
}

static enum gb_status print_document(FILE *file, const struct gb_records *list,
				     enum gb_format format, unsigned columns, struct gb_error *err)
{
	char title[GB_PAGE_TITLE];
	struct gb_document document;

	gb_document_open(&document, file, format,
			 (struct gb_document_kind){ .title = gb_page_title(title, list) });
	(void)print_tables(&document, list, columns, err);
	return gb_document_close(&document, err);
}

enum gb_status gb_report_print(FILE *file, const struct gb_records *list, enum gb_format format,
			       unsigned columns, struct gb_error *err)
{
	if (format != GB_FORMAT_CSV && format != GB_FORMAT_JSON)
		return print_document(file, list, format, columns, err);
	if (format == GB_FORMAT_JSON)
		gb_records_print(file, list);
	else if (gb_csv_print(file, list, err))
		return err->code;
	if (fflush(file) || ferror(file))
		return gb_fail(err, GB_EIO, "cannot write the records: %s", strerror(errno));
	return GB_OK;
}

/* ---- the end of a session ------------------------------------------------------------------ */

enum gb_status gb_finish(struct gb_session *s, bool table, struct gb_error *err)
{
	struct gb_error local_err = { 0 };

	if (table && !s->request->quiet && !s->request->dry && !s->output.to_stdout &&
	    (s->seq > 0 || s->past) &&
	    gb_report_print(stdout, &s->records, GB_FORMAT_TABLE, 0, &local_err))
		gb_fail(err, local_err.code, "%s", local_err.message);
	return gb_session_close(s, err);
}

enum gb_status gb_replay(const struct gb_request *request, const struct gb_output *output,
			 const struct gb_records *records, struct gb_error *err)
{
	struct gb_session s = {
		.request = request, .records = *records, .output = *output, .seq = 1
	};

	/* The repetitions have already written the JSON lines of a file, but not those of standard
	 * output, which are printed one by one. */
	if (!output->to_stdout)
		(void)gb_pool_repetitions(&s.records, err);
	s.records.written = output->to_lines ? s.records.count : 0;
	s.records.written_contexts = output->to_lines ? s.records.context_count : 0;
	return gb_finish(&s, true, err);
}
