/* repro.c -- `gpubench repro PAPER:TABLE...`: published beside measured here.
 *
 * Everything comes from the paper's file (results/papers/FORMAT.md): its key columns are
 * parameters, its measured columns name the variants that stand for them here, and the variants
 * of `beside` are measured in the same run; --set changes parameters.  What does not fit or is not in
 * this build is left empty, with the reason below the table.  With --from nothing is measured: the
 * cells' keys are looked up in stored records.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/commands/benchmarks.h"
#include "cli/commands/commands.h"
#include "cli/commands/inputs.h"
#include "cli/commands/options.h"
#include "cli/records/json.h"
#include "cli/reports/finish.h"
#include "cli/reports/page.h"
#include "cli/reports/repro/repro.h"
#include "cli/workloads/registry.h"
#include "common/suggest.h"
#include "common/text.h"

/* results/papers.S: JSON documents, each NUL terminated, an empty one at the end. */
extern const char gb_papers[];

/* The benchmark's paper, for cJSON_Delete(); NULL if it has none, or memory ran out. */
static cJSON *paper_of(const struct gb_workload *workload, struct gb_error *err)
{
	for (const char *text = gb_papers; *text; text += strlen(text) + 1) {
		cJSON *paper = cJSON_Parse(text);

		if (!paper) { /* it is part of the program: it is valid */
			gb_out_of_memory(err, "the papers' tables");
			return NULL;
		}
		if (gb_equal(gb_json_text(paper, "paper"), workload->name))
			return paper;
		cJSON_Delete(paper);
	}
	return NULL;
}

enum format { TABLE, MARKDOWN, LATEX, JSON, FORMATS };

/* Where the tables go. */
struct output {
	enum format format;
	enum gb_format markup;
	bool silent;     /* records only */
	FILE *page;      /* HTML besides; NULL: none */
	cJSON *document; /* JSON: {"tables": [...]} */
	struct gb_repro_sum sum;
};

static bool is_text(const struct output *out)
{
	return !out->silent && out->format != JSON;
}

static enum gb_status put_json(struct output *out, const struct gb_repro *repro,
			       struct gb_error *err)
{
	cJSON *list;

	if (!out->document)
		out->document = cJSON_CreateObject();
	list = cJSON_GetObjectItemCaseSensitive(out->document, "tables");
	if (!list)
		list = cJSON_AddArrayToObject(out->document, "tables");
	if (!gb_json_append(list, gb_repro_json(repro)))
		return gb_out_of_memory(err, "a table");
	return GB_OK;
}

static enum gb_status put_table(struct output *out, const struct gb_repro *repro,
				struct gb_error *err)
{
	if (gb_repro_add(&out->sum, repro, err) ||
	    (out->page && gb_repro_print(out->page, repro, GB_FORMAT_HTML, err)) || out->silent)
		return err->code;
	return out->format == JSON ? put_json(out, repro, err)
				   : gb_repro_print(stdout, repro, out->markup, err);
}

/* The sum of several tables, or the document. */
static enum gb_status put_end(struct output *out, struct gb_error *err)
{
	if (out->page && out->sum.tables > 1)
		gb_repro_print_sum(out->page, &out->sum, GB_FORMAT_HTML);
	if (is_text(out) && out->sum.tables > 1)
		gb_repro_print_sum(stdout, &out->sum, out->markup);
	if (out->document && (!gb_json_put(out->document, "sum", gb_repro_sum_json(&out->sum)) ||
			      !gb_json_print(stdout, out->document)))
		return gb_out_of_memory(err, "the tables");
	if (fflush(stdout) || ferror(stdout))
		return gb_fail(err, GB_EIO, "cannot write the tables: %s", strerror(errno));
	return GB_OK;
}

/* ---- the command -------------------------------------------------------------------------- */

struct request {
	struct gb_request measure; /* first: see gb_options_parse() */
	int64_t list, format;      /* an enum format */
	const char *set;           /* see gb_repro_set() */
	const char *from;          /* a file of stored records */
	const char *meshes;        /* a folder */
};

static const char *const formats[] = { "table", "markdown", "latex", "json", NULL };
_Static_assert(GB_COUNT(formats) == FORMATS + 1, "a word for each enum format");

#define OF(member) offsetof(struct request, member)
static const struct gb_param rows[] = {
	{ .name = "list", .type = GB_FLAG, .offset = OF(list), .help = "list the tables" },
	{ .name = "set",
	  .type = GB_PATH,
	  .offset = OF(set),
	  .unit = "NAME=VALUE,...",
	  .help = "parameters over those of the table, as --set=tree=best" },
	{ .name = "from",
	  .type = GB_PATH,
	  .offset = OF(from),
	  .help = "measure nothing: look the cells up in this file of records, and in those of the "
		  "words that have a dot or a slash" },
	{ .name = "meshes",
	  .type = GB_PATH,
	  .offset = OF(meshes),
	  .unit = "FOLDER",
	  .help = "public meshes (scripts/download-meshes.sh) take the rows of their names, in "
		  "place of generated scenes" },
	GB_FORMAT_ROW(OF(format), formats),
};
#undef OF

/* "there is no table 'radix:tabel1' (did you mean radix:table1?)" */
static enum gb_status no_table(const char *word, struct gb_error *err)
{
	struct gb_suggest near = { .word = word };
	char(*name)[40] = NULL;
	size_t count = 0;

	for (size_t i = 0; i < gb_workload_count && !err->code; i++) {
		cJSON *paper = paper_of(gb_workloads[i], err);
		const cJSON *tables = gb_json_at(paper, "tables"), *table;
		void *more = reallocarray(name, count + (size_t)cJSON_GetArraySize(tables) + 1,
					  sizeof *name);

		name = more ? more : name;
		cJSON_ArrayForEach(table, tables)
		{
			if (more)
				(void)snprintf(name[count++], sizeof *name, "%s:%s",
					       gb_workloads[i]->name, gb_json_text(table, "id"));
		}
		cJSON_Delete(paper);
	}
	for (size_t i = 0; i < count; i++)
		gb_suggest_offer(&near, name[i]);
	for (size_t i = 0; i < gb_workload_count; i++)
		gb_suggest_offer(&near, gb_workloads[i]->name);
	if (!err->code)
		gb_fail(err, GB_EUSAGE, "there is no table '%.80s'%s", word,
			gb_suggest_text(&near, " (see gpubench repro --list)"));
	free(name);
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

/* What to do with a table. */
enum action { CHECK, LIST, REPRODUCE };

/* With which tables, and how. */
struct job {
	enum action action;
	size_t words;
	const char *word[GB_MAX_WORDS]; /* "radix:table1" */
	size_t files;
	const char *file[GB_MAX_WORDS + 1]; /* --from, and the words that are files */
	const char *set;
	struct gb_repro_source source;
	struct output out;
};

static bool is_asked_for(const struct job *job, const char *paper, const char *table)
{
	for (size_t i = 0; i < job->words; i++)
		if (meant(job->word[i], paper, table))
			return true;
	return false;
}

static enum gb_status reproduce(struct job *job, const cJSON *paper, const cJSON *table,
				struct gb_error *err)
{
	struct gb_repro repro;

	if (!gb_repro_init(&repro, paper, table, err) &&
	    !gb_repro_measure(&repro, &job->source, err))
		(void)put_table(&job->out, &repro, err);
	gb_repro_release(&repro);
	return err->code;
}

static enum gb_status do_table(struct job *job, const struct gb_workload *workload, cJSON *paper,
			       cJSON *table, struct gb_error *err)
{
	if (job->set && gb_repro_set(table, workload, job->set, err))
		return err->code;
	if (job->action == REPRODUCE)
		return reproduce(job, paper, table, err);
	if (job->action == LIST)
		(void)printf("%s:%s  %s\n", workload->name, gb_json_text(table, "id"),
			     gb_json_text(table, "title"));
	return GB_OK;
}

/* What stands before (end: after) the tables of a paper. */
static void put_paper(const struct output *out, const cJSON *paper, bool end)
{
	if (out->page)
		(end ? gb_repro_print_end : gb_repro_print_head)(out->page, paper, GB_FORMAT_HTML);
	if (is_text(out))
		(end ? gb_repro_print_end : gb_repro_print_head)(stdout, paper, out->markup);
}

/* Do it with every table that is asked for. */
static enum gb_status each_table(struct job *job, struct gb_error *err)
{
	for (size_t i = 0; i < gb_workload_count && !err->code; i++) {
		cJSON *paper = paper_of(gb_workloads[i], err);
		cJSON *table;
		size_t count = 0;

		cJSON_ArrayForEach(table, gb_json_at(paper, "tables"))
		{
			if (err->code ||
			    !is_asked_for(job, gb_workloads[i]->name, gb_json_text(table, "id")))
				continue;
			if (count++ == 0 && job->action == REPRODUCE)
				put_paper(&job->out, paper, false);
			(void)do_table(job, gb_workloads[i], paper, table, err);
		}
		if (count && !err->code && job->action == REPRODUCE)
			put_paper(&job->out, paper, true);
		cJSON_Delete(paper);
	}
	return err->code;
}

/* GB_EUSAGE for a word that means no table. */
static enum gb_status check_words(const struct job *job, struct gb_error *err)
{
	for (size_t w = 0; w < job->words && !err->code; w++) {
		bool found = false;

		for (size_t i = 0; i < gb_workload_count && !err->code; i++) {
			cJSON *paper = paper_of(gb_workloads[i], err);
			const cJSON *table;

			cJSON_ArrayForEach(table, gb_json_at(paper, "tables")) found =
				found || meant(job->word[w], gb_workloads[i]->name,
					       gb_json_text(table, "id"));
			cJSON_Delete(paper);
		}
		if (!found && !err->code)
			(void)no_table(job->word[w], err);
	}
	return err->code;
}

/* A table has few rows, some of them slow (the paper's 210M keys take minutes on a CPU): fewer
 * samples than a benchmark takes, and time for at least one of them unless --timeout was given. */
static void fewer_samples(struct gb_settings *how, enum gb_preset preset)
{
	static const double limit_s[GB_PRESETS] = { 10, 60, 300 };
	const double usual_s = 60;

	how->warmup = 1;
	how->min_samples = how->min_samples < 3 ? how->min_samples : 3;
	how->max_time_s = how->max_time_s < 2 ? how->max_time_s : 2;
	if (how->timeout_s >= usual_s && how->timeout_s <= usual_s)
		how->timeout_s = limit_s[preset];
}

/* The words: tables, and with --from more files, which have a dot or a slash in their names. */
static enum gb_status read_words(struct job *job, const struct request *request,
				 const struct gb_arguments *a, struct gb_error *err)
{
	if (a->word_count > GB_MAX_WORDS)
		return gb_fail(err, GB_EUSAGE, "more than %d words", GB_MAX_WORDS);
	if (request->from)
		job->file[job->files++] = request->from;
	for (size_t i = 0; i < a->word_count; i++) {
		if (request->from && strpbrk(a->word[i], "./"))
			job->file[job->files++] = a->word[i];
		else
			job->word[job->words++] = a->word[i];
	}
	job->set = request->set;
	if (job->words == 0)
		return gb_fail(err, GB_EUSAGE,
			       "repro needs a PAPER:TABLE (see gpubench repro --list)");
	return check_words(job, err);
}

static enum gb_status check_request(const struct request *request, struct gb_error *err)
{
	const char *threads = request->measure.threads, *path = request->measure.target.path;

	if (threads && strpbrk(threads, ",:"))
		return gb_fail(err, GB_EUSAGE, "--threads=%.80s: repro takes one number", threads);
	if (gb_check_threads(&request->measure, err) || gb_output_check(path, err))
		return err->code;
	if (request->from && path && !gb_is_page(path))
		return gb_fail(err, GB_EUSAGE,
			       "--output=%.80s: with --from nothing is measured, and only a page, "
			       "FILE.html, can be written",
			       path);
	return GB_OK;
}

/* The tables, and the page where there is one. */
static enum gb_status print_tables(struct job *job, FILE *page, struct gb_error *err)
{
	job->out.page = page;
	if (page)
		gb_page_open(page, "papers");
	if (!each_table(job, err))
		(void)put_end(&job->out, err);
	if (page)
		gb_page_close(page);
	return err->code;
}

/* Nothing is measured: stored records are read. */
static enum gb_status print_stored(struct job *job, const struct gb_request *request,
				   struct gb_error *err)
{
	struct gb_records records = { 0 };
	struct gb_output output = { 0 };

	if (!gb_read_files(&records, job->file, job->files, err) &&
	    !gb_output_open(&output, request->target.path, gb_existing(&request->target), err)) {
		job->source.stored = &records;
		(void)print_tables(job, output.whole.stream, err);
	}
	(void)gb_output_close(&output, !err->code, err);
	gb_records_release(&records);
	return err->code;
}

static enum gb_status measure(struct job *job, const struct gb_request *request, int argc,
			      char **argv, struct gb_error *err)
{
	static struct gb_session session;
	bool page = false;
	enum gb_status status;

	job->source.session = &session;
	if (!gb_session_open(&session, request, argc, argv, err)) {
		page = session.output.whole.stream != NULL;
		(void)print_tables(job, page ? session.output.whole.stream : NULL, err);
	}
	status = page ? gb_session_close(&session, err) : gb_finish(&session, false, err);
	return err->code ? err->code : status;
}

static enum gb_status run(struct job *job, struct request *request, int argc, char **argv,
			  struct gb_error *err)
{
	static const enum gb_format markups[FORMATS] = {
		[TABLE] = GB_FORMAT_TABLE,
		[MARKDOWN] = GB_FORMAT_MARKDOWN,
		[LATEX] = GB_FORMAT_LATEX,
		[JSON] = GB_FORMAT_TABLE,
	};
	const char *path = request->measure.target.path;
	enum gb_status status;

	fewer_samples(&request->measure.how, job->source.preset);
	job->action = REPRODUCE;
	job->source.meshes = request->meshes;
	job->out.format = (enum format)request->format;
	job->out.markup = markups[job->out.format];
	job->out.silent = request->measure.quiet || (path && gb_equal(path, "-"));
	status = request->from ? print_stored(job, &request->measure, err)
			       : measure(job, &request->measure, argc, argv, err);
	cJSON_Delete(job->out.document);
	gb_repro_sum_release(&job->out.sum);
	return status;
}

enum gb_status gb_cmd_repro(int argc, char **argv, struct gb_error *err)
{
	static const struct gb_rows *const shared[] = {
		&gb_rows_how,    &gb_rows_backend, &gb_rows_threads,  &gb_rows_gpu, &gb_rows_device,
		&gb_rows_preset, &gb_rows_target,  &gb_rows_progress, NULL
	};
	static struct request request;
	static struct job job;
	struct gb_arguments a = {
		.words = "PAPER:TABLE|PAPER|all...",
		.summary = "Papers' tables: published, measured here, and their claims tested.",
		.shared = shared,
		.row = rows,
		.row_count = GB_COUNT(rows),
		.target = &request,
		.target_size = sizeof request,
	};
	enum gb_status status = GB_OK;

	if (gb_options_parse(&a, argc, argv, err) || a.done || check_request(&request, err) ||
	    gb_preset_of(&request.measure, GB_PAPER, &job.source.preset, err))
		goto out;
	if (request.list) {
		job.action = LIST;
		job.word[job.words++] = "all";
		status = each_table(&job, err);
	} else if (!read_words(&job, &request, &a, err) && !each_table(&job, err) /* CHECK */) {
		status = run(&job, &request, argc, argv, err);
	}
out:
	gb_arguments_release(&a);
	return err->code ? err->code : status;
}
