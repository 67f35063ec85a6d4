/* repro.c -- `gpubench repro PAPER:TABLE...`: prints published numbers beside those measured here.
 *
 * The paper's file (results/papers/FORMAT.md) defines a table: its key columns are parameters, its
 * measured columns name the variants that stand for them here, and the variants of `beside` are
 * measured in the same run.  A cell that does not fit in memory or is
 * not in this build stays empty; the reason is printed below the table.  With --from nothing is
 * measured: the keys of the cells are looked up in stored records.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/benchmarks/registry.h"
#include "cli/commands/commands.h"
#include "cli/commands/options.h"
#include "cli/measure/interrupt.h"
#include "cli/records/json.h"
#include "cli/records/output.h"
#include "cli/report/print_report.h"
#include "cli/report/repro/repro.h"
#include "common/suggest.h"
#include "common/text.h"

/* From cli/report/embedded.S: NUL-terminated JSON documents; an empty string ends the list. */
extern const char gb_papers[];

/* The benchmark's paper, for cJSON_Delete(); NULL if there is none or memory ran out. */
static cJSON *paper_of(const struct gb_benchmark *benchmark, struct gb_error *err)
{
	for (const char *text = gb_papers; *text; text += strlen(text) + 1) {
		cJSON *paper = cJSON_Parse(text);

		if (!paper) { /* embedded documents are valid, so memory ran out */
			gb_out_of_memory(err, "the papers' tables");
			return NULL;
		}
		if (gb_equal(gb_json_text(paper, "paper"), benchmark->name))
			return paper;
		cJSON_Delete(paper);
	}
	return NULL;
}

/* The tables, on standard output unless records are written there. */
struct output {
	struct gb_document document;
	bool open;
	struct gb_repro_sum sum;
};

/* Print the totals of all tables, unless there was an error, and close the document. */
static enum gb_status put_end(struct output *out, struct gb_error *err)
{
	struct gb_error local_err = { 0 };

	if (out->open && !err->code)
		gb_repro_print_sum(&out->document, &out->sum);
	if (out->open && gb_document_close(&out->document, &local_err) && !err->code)
		*err = local_err;
	out->open = false;
	return err->code;
}

/* ---- the command -------------------------------------------------------------------------- */

struct request {
	struct gb_request measure; /* first: see gb_options_parse() */
	int64_t format;
	const char *from; /* file of stored records */
};

static const struct gb_param rows[] = {
	{ .name = "from",
	  GB_AT(GB_PATH, struct request, from),
	  .help = "measure nothing: look the cells up in this record file and in the words that "
		  "contain a dot or a slash" },
	GB_FORMAT_ROW(offsetof(struct request, format), gb_formats),
};

/* Some rows are slow (the radix paper's 210M keys on a CPU): fewer samples than a benchmark takes,
 * and time for at least one. */
static const struct gb_default defaults[] = {
	{ .name = "warmup", .value = "1" },
	{ .name = "min-samples", .value = "3" },
	{ .name = "max-time", .value = "2" },
	{ .name = "timeout", .value = "300" },
	{ .name = NULL },
};

struct table {
	const cJSON *paper;
	cJSON *json;
	char word[80]; /* its name on the command line: "radix:table1" */
	bool asked_for;
};

/* All tables, and the state of a run. */
struct job {
	cJSON *papers; /* an array */
	size_t count;
	struct table *table; /* the tables of all papers, in the order of the benchmarks */
	size_t files;
	const char *file[GB_MAX_WORDS + 1]; /* --from and the words that are files */
	struct gb_repro_source source;
	struct output out;
};

static enum gb_status read_papers(struct job *job, struct gb_error *err)
{
	job->papers = cJSON_CreateArray();
	for (size_t i = 0; i < gb_benchmark_count && !err->code; i++) {
		cJSON *paper = paper_of(gb_benchmarks[i], err), *json;
		cJSON *tables = cJSON_GetObjectItemCaseSensitive(paper, "tables");
		const size_t all = job->count + (size_t)cJSON_GetArraySize(tables);
		struct table *grown = reallocarray(job->table, all + 1, sizeof *grown);

		job->table = grown ? grown : job->table;
		if (paper && (!cJSON_AddItemToArray(job->papers, paper) || !grown))
			return gb_out_of_memory(err, "the papers' tables");
		cJSON_ArrayForEach(json, tables)
		{
			struct table *t = &job->table[job->count++];

			*t = (struct table){ .paper = paper, .json = json };
			(void)snprintf(t->word, sizeof t->word, "%s:%s", gb_benchmarks[i]->name,
				       gb_json_text(json, "id"));
		}
	}
	return err->code;
}

/* Mark the tables that a word selects: "all", a paper's name, or a table's name.  GB_EUSAGE if
 * there is none: "there is no table 'radix:tabel1' (did you mean radix:table1?)" */
static enum gb_status ask_for(struct job *job, const char *word, struct gb_error *err)
{
	struct gb_suggest suggestion = { .word = word };
	bool found = false;

	for (size_t i = 0; i < job->count; i++) {
		struct table *t = &job->table[i];
		const bool meant = gb_equal(word, "all") || gb_equal(word, t->word) ||
				   gb_equal(word, gb_json_text(t->paper, "paper"));

		found |= meant;
		t->asked_for |= meant;
		gb_suggest_offer(&suggestion, t->word);
		gb_suggest_offer(&suggestion, gb_json_text(t->paper, "paper"));
	}
	return found ? GB_OK
		     : gb_fail(err, GB_EUSAGE, "there is no table '%.80s'%s", word,
			       gb_suggest_text(&suggestion, " (gpubench repro lists the tables)"));
}

static enum gb_status reproduce(struct job *job, const struct table *table, struct gb_error *err)
{
	const struct gb_session *session = job->source.session;
	struct gb_repro repro;

	if (!gb_repro_init(&repro, table->paper, table->json, err) &&
	    !gb_repro_measure(&repro, &job->source, err) && !(session && session->request->dry)) {
		gb_repro_add(&job->out.sum, &repro);
		if (job->out.open)
			gb_repro_print(&job->out.document, &repro);
	}
	gb_repro_release(&repro);
	return err->code;
}

static enum gb_status reproduce_all(struct job *job, struct gb_error *err)
{
	struct gb_document *document = job->out.open ? &job->out.document : NULL;
	const cJSON *paper = NULL;

	for (size_t i = 0; i < job->count; i++) {
		const struct table *t = &job->table[i];

		if (!t->asked_for)
			continue;
		if (document && t->paper != paper) {
			if (paper)
				gb_repro_print_end(document, paper);
			gb_repro_print_head(document, t->paper);
		}
		paper = t->paper;
		if (reproduce(job, t, err))
			return err->code;
	}
	if (document && paper)
		gb_repro_print_end(document, paper);
	return GB_OK;
}

/* Read the words: tables and, with --from, more files, whose names contain a dot or a slash. */
static enum gb_status read_words(struct job *job, const struct request *request,
				 const struct gb_arguments *a, struct gb_error *err)
{
	bool any = false;

	if (a->word_count > GB_MAX_WORDS)
		return gb_fail(err, GB_EUSAGE, "more than %d words", GB_MAX_WORDS);
	if (request->from)
		job->file[job->files++] = request->from;
	for (size_t i = 0; i < a->word_count; i++) {
		if (request->from && strpbrk(a->word[i], "./")) {
			job->file[job->files++] = a->word[i];
			continue;
		}
		any = true;
		if (ask_for(job, a->word[i], err))
			return err->code;
	}
	if (!any)
		return gb_fail(err, GB_EUSAGE,
			       "repro --from needs a PAPER:TABLE (gpubench repro lists the "
			       "tables)");
	return GB_OK;
}

static void list_tables(const struct job *job)
{
	for (size_t i = 0; i < job->count; i++)
		(void)printf("%s  %s\n", job->table[i].word,
			     gb_json_text(job->table[i].json, "title"));
}

/* Without words and without --from, repro lists the tables. */
static bool lists(const struct request *request, const struct gb_arguments *a)
{
	return !request->from && a->word_count == 0;
}

/* GB_EUSAGE if an option has no effect beside the others. */
static enum gb_status check_given(const struct request *request, const struct gb_arguments *a,
				  struct gb_error *err)
{
	static const char of_stored[] = " from format preset backend threads quiet ";

	for (size_t i = 0; i < a->given_count && !err->code; i++) {
		const char *name = a->given[i]->name, *reason = NULL;
		char word[32];

		(void)snprintf(word, sizeof word, " %s ", name);
		if (lists(request, a))
			reason = "repro without a PAPER:TABLE lists the tables";
		else if (request->from && !strstr(of_stored, word))
			reason = "--from measures nothing";
		else if (request->measure.dry && gb_equal(name, "format"))
			reason = "--dry-run prints text only";
		if (reason)
			gb_fail(err, GB_EUSAGE, "%s, so --%s has no effect", reason, name);
	}
	return err->code;
}

static enum gb_status check_request(const struct request *request, struct gb_error *err)
{
	const char *threads = request->measure.threads, *path = request->measure.target.path;

	if (threads && strpbrk(threads, ",:"))
		return gb_fail(err, GB_EUSAGE, "--threads=%.80s: repro takes one number", threads);
	(void)(gb_check_threads(&request->measure, err) || gb_output_check(path, err));
	return err->code;
}

static enum gb_status print_tables(struct job *job, const struct request *request,
				   struct gb_error *err)
{
	const char *path = request->measure.target.path;
	const struct gb_document_kind kind = { "repro", "cells", "papers" };

	job->out.open =
		!request->measure.quiet && !request->measure.dry && !(path && gb_equal(path, "-"));
	if (job->out.open)
		gb_document_open(&job->out.document, stdout, (enum gb_format)request->format, kind);
	return reproduce_all(job, err);
}

/* --from: fill the tables from stored records. */
static enum gb_status print_stored(struct job *job, const struct request *request,
				   struct gb_error *err)
{
	struct gb_records records = { 0 };

	if (!gb_read_files(&records, job->file, job->files, false, err)) {
		job->source.stored = &records;
		(void)print_tables(job, request, err);
		(void)put_end(&job->out, err);
		job->source.stored = NULL;
	}
	gb_records_release(&records);
	return err->code;
}

/* End the tables and the session as usual. */
static enum gb_status close_all(struct job *job, struct gb_session *session, struct gb_error *err)
{
	(void)put_end(&job->out, err);
	return gb_finish(session, false, err);
}

static enum gb_status abandon(void *self, void *result, struct gb_error *err)
{
	struct job *job = self;
	struct gb_session *session = job->source.session;

	if (result && err->code != GB_EINTERRUPTED)
		gb_session_hung(session, result, err);
	return close_all(job, session, err);
}

static enum gb_status measure(struct job *job, const struct request *request, int argc, char **argv,
			      struct gb_error *err)
{
	static struct gb_session session;
	enum gb_status status;

	job->source.session = &session;
	gb_on_abandon(abandon, job);
	if (!gb_session_open(&session, &request->measure, argc, argv, err))
		(void)print_tables(job, request, err);
	status = close_all(job, &session, err);
	return err->code ? err->code : status;
}

static enum gb_status run(struct job *job, struct request *request, int argc, char **argv,
			  struct gb_error *err)
{
	request->measure.how.for_paper = true; /* phases are measured as often as times */
	request->measure.once = true;          /* tables share points */
	job->source.threads = request->measure.threads;
	job->source.backends = request->measure.choice.backends;
	return request->from ? print_stored(job, request, err)
			     : measure(job, request, argc, argv, err);
}

enum gb_status gb_cmd_repro(int argc, char **argv, struct gb_error *err)
{
	static struct request request;
	static struct job job;
	static struct gb_arguments a = {
		.words = "[PAPER:TABLE|PAPER|all...]",
		.summary = "Papers' tables: published, measured here, and their claims tested.  "
			   "Without words, the names of all tables.",
		.command = GB_OF_REPRO,
		.row = rows,
		.row_count = GB_COUNT(rows),
		.defaults = defaults,
		.target = &request,
		.target_size = sizeof request,
	};
	enum gb_status status = GB_OK;

	if (gb_options_parse(&a, argc, argv, err) || a.done || check_request(&request, err) ||
	    check_given(&request, &a, err) ||
	    gb_preset_of(&request.measure, GB_PAPER, &job.source.preset, err) ||
	    read_papers(&job, err))
		goto out;
	if (lists(&request, &a))
		list_tables(&job);
	else if (!read_words(&job, &request, &a, err))
		status = run(&job, &request, argc, argv, err);
out:
	free(job.table);
	cJSON_Delete(job.papers);
	gb_arguments_release(&a);
	return err->code ? err->code : status;
}
