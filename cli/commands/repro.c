/* repro.c -- `gpubench repro PAPER:TABLE`: published beside measured here.
 *
 * Everything comes from the paper's file (results/papers/FORMAT.md): its key columns are
 * parameters, its measured columns name the variants that stand for them here, and the variants
 * of `beside` are measured in the same run; --set changes parameters.  What does not fit or is not in
 * this build is left empty, with the reason below the table.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/commands/benchmarks.h"
#include "cli/commands/commands.h"
#include "cli/commands/options.h"
#include "cli/records/json.h"
#include "cli/reports/finish.h"
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

/* Where the tables go. */
struct output {
	enum gb_repro_format format;
	enum gb_markup markup;
	bool silent;     /* records only */
	cJSON *document; /* GB_REPRO_JSON: {"tables": [...]} */
	struct gb_repro_sum sum;
};

static enum gb_status put_table(struct output *out, const struct gb_repro *repro,
				struct gb_error *err)
{
	cJSON *list;

	if (out->silent)
		return GB_OK;
	if (gb_repro_add(&out->sum, repro, err))
		return err->code;
	if (out->format != GB_REPRO_JSON)
		return gb_repro_print(stdout, repro, out->markup, err);
	if (!out->document)
		out->document = cJSON_CreateObject();
	list = cJSON_GetObjectItemCaseSensitive(out->document, "tables");
	if (!list)
		list = cJSON_AddArrayToObject(out->document, "tables");
	if (!gb_json_append(list, gb_repro_json(repro)))
		return gb_out_of_memory(err, "a table");
	return GB_OK;
}

/* The sum of several tables, or the document. */
static enum gb_status put_end(struct output *out, struct gb_error *err)
{
	if (out->format != GB_REPRO_JSON) {
		if (out->sum.tables > 1)
			gb_repro_print_sum(stdout, &out->sum, out->markup);
	} else if (out->document) {
		if (!gb_json_put(out->document, "sum", gb_repro_sum_json(&out->sum)) ||
		    !gb_json_print(stdout, out->document))
			return gb_out_of_memory(err, "the tables");
	}
	if (fflush(stdout) || ferror(stdout))
		return gb_fail(err, GB_EIO, "cannot write the tables: %s", strerror(errno));
	return GB_OK;
}

static enum gb_status reproduce(struct gb_session *session, struct output *out, const cJSON *paper,
				const cJSON *table, enum gb_preset preset, struct gb_error *err)
{
	struct gb_repro repro;

	if (!gb_repro_init(&repro, paper, table, err) &&
	    !gb_repro_measure(&repro, session, preset, err))
		(void)put_table(out, &repro, err);
	gb_repro_release(&repro);
	return err->code;
}

/* ---- the command -------------------------------------------------------------------------- */

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

/* Do it with every table that the word means; returns how many they are. */
static size_t each_table(const char *word, const char *set, enum action action,
			 struct gb_session *session, struct output *out, enum gb_preset preset,
			 struct gb_error *err)
{
	size_t count = 0;

	for (size_t i = 0; i < gb_workload_count && !err->code; i++) {
		const char *name = gb_workloads[i]->name;
		cJSON *paper = paper_of(gb_workloads[i], err);
		cJSON *table;

		cJSON_ArrayForEach(table, gb_json_at(paper, "tables"))
		{
			const char *id = gb_json_text(table, "id");

			if (err->code || !meant(word, name, id))
				continue;
			count++;
			if (set && gb_repro_set(table, gb_workloads[i], set, err))
				continue;
			if (action == REPRODUCE)
				(void)reproduce(session, out, paper, table, preset, err);
			else if (action == LIST)
				(void)printf("%s:%s  %s\n", name, id, gb_json_text(table, "title"));
		}
		cJSON_Delete(paper);
	}
	return count;
}

/* A table has few rows, some of them slow (the paper's 210M keys take minutes on a CPU): fewer
 * samples than a benchmark takes, and time for at least one of them unless --timeout was given. */
static void fewer_samples(struct gb_settings *how, enum gb_preset preset)
{
	static const double limit_s[GB_PRESETS] = { 10, 60, 300 };
	const double usual_s = 60;

	how->warmup = 1;
	how->min_samples = how->min_samples < 3 ? how->min_samples : 3;
	how->min_time_s = how->min_time_s < 0.2 ? how->min_time_s : 0.2;
	if (how->timeout_s >= usual_s && how->timeout_s <= usual_s)
		how->timeout_s = limit_s[preset];
}

static enum gb_status check_request(const struct gb_request *request, struct gb_error *err)
{
	if (request->threads && strpbrk(request->threads, ",:"))
		return gb_fail(err, GB_EUSAGE, "--threads=%.80s: repro takes one number",
			       request->threads);
	if (gb_check_threads(request, err) || request->list)
		return err->code;
	if (request->glob_count != 1)
		return gb_fail(err, GB_EUSAGE,
			       "repro needs one PAPER:TABLE (see gpubench repro --list)");
	if (each_table(request->glob[0], request->set, CHECK, NULL, NULL, GB_PAPER, err) == 0)
		return no_table(request->glob[0], err);
	return err->code;
}

enum gb_status gb_cmd_repro(int argc, char **argv, struct gb_error *err)
{
	static struct gb_request request;
	static struct gb_session session;
	struct output out = { 0 };
	enum gb_preset preset = GB_PAPER;
	enum gb_status status;

	if (gb_options_parse(&request, NULL, NULL, "PAPER:TABLE|PAPER|all",
			     "A paper's table: published, measured here, and its claims tested.",
			     argc, argv, err) ||
	    request.done || check_request(&request, err) ||
	    gb_preset_of(&request, GB_PAPER, &preset, err))
		return err->code;
	if (request.list) {
		(void)each_table("all", NULL, LIST, NULL, NULL, preset, err);
		return err->code;
	}
	fewer_samples(&request.how, preset);
	out.format = (enum gb_repro_format)request.format;
	out.markup = out.format == GB_REPRO_MARKDOWN ? GB_MARKUP_MARKDOWN : GB_MARKUP_NONE;
	out.silent = request.quiet || (request.output && gb_equal(request.output, "-"));
	if (!gb_session_open(&session, &request, argc, argv, err)) {
		(void)each_table(request.glob[0], request.set, REPRODUCE, &session, &out, preset,
				 err);
		if (!err->code)
			(void)put_end(&out, err);
	}
	cJSON_Delete(out.document);
	gb_repro_sum_release(&out.sum);
	status = gb_finish(&session, false, err);
	return err->code ? err->code : status;
}
