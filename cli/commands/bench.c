/* bench.c -- `gpubench WORKLOAD` and `gpubench run`: measure sweeps and write records. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/commands/commands.h"
#include "cli/commands/options.h"
#include "cli/commands/suite.h"
#include "cli/measuring/choice.h"
#include "cli/measuring/launches.h"
#include "cli/measuring/plan.h"
#include "cli/reports/finish.h"
#include "cli/workloads/registry.h"
#include "common/text.h"

struct sweeps {
	struct gb_request request; /* first: see gb_options_parse() */
	const char *suite;         /* of `run` */
};

static const struct gb_param rows[] = {
	GB_DRY_RUN_ROW,
	/* Rows of `run` alone follow. */
	{ .name = "suite",
	  GB_AT(GB_PATH, struct sweeps, suite),
	  .help = "measure the command lines in FILE, one a line: a benchmark or `run`, words, "
		  "parameters, --backend, --preset and --threads" },
};
enum { BENCH_ROWS = 1 };

/* --runs, --device=all: start the launches, then print one table of all records. */
static enum gb_status launch(const struct gb_request *request, int argc, char **argv,
			     struct gb_error *err)
{
	struct gb_records records = { 0 };
	struct gb_output output;
	enum gb_status status;

	if (request->target.file)
		gb_output_inherit(&output, request->target.path, request->target.file,
				  gb_existing(&request->target));
	else if (gb_output_open(&output, request->target.path, gb_existing(&request->target), err))
		return err->code;
	status = gb_launches(request, &output, argc, argv, &records, err);
	if (records.count && !err->code) {
		(void)gb_replay(request, &output, &records, err);
	} else {
		(void)gb_output_close(&output, false, err);
		gb_records_release(&records);
	}
	return err->code ? err->code : status;
}

/* The sweeps that a command line names: one of a benchmark or, for `run`, those of a preset. */
struct task {
	const struct gb_request *request;
	const struct gb_sweep *sweep; /* NULL: of the preset */
	enum gb_preset preset;
};

/* The receiver of sweeps: measures them, or plans them if `plan` is set. */
struct goal {
	const struct gb_choice *choice;
	struct gb_session *session;
	struct gb_plan *plan;
};

static enum gb_status go_through(void *self, const struct gb_sweep *sweep, struct gb_error *err)
{
	const struct goal *goal = self;

	return goal->plan ? gb_plan_sweep(goal->plan, sweep, goal->choice, err)
			  : gb_session_sweep(goal->session, sweep, goal->choice, err);
}

static enum gb_status go_through_task(struct goal *goal, const struct task *task,
				      struct gb_error *err)
{
	goal->choice = &task->request->choice;
	return task->sweep ? go_through(goal, task->sweep, err)
			   : gb_each_sweep(task->request, task->preset, go_through, goal, err);
}

/* ---- suites ------------------------------------------------------------------------------- */

/* A line of a suite. */
struct line {
	struct task task;
	struct gb_request request;
	struct gb_arguments arguments;
	struct gb_sweep sweep;
};

struct lines {
	struct gb_suite suite;
	struct line *line; /* suite.count */
};

/* GB_EUSAGE for an option that holds for the whole suite. */
static enum gb_status check_option(const char *word, struct gb_error *err)
{
	static const struct gb_rows *const whole[] = { &gb_rows_how,    &gb_rows_plugin,
						       &gb_rows_gpu,    &gb_rows_repeats,
						       &gb_rows_target, &gb_rows_progress };
	const char *name = word + strspn(word, "-");
	const size_t length = strcspn(name, "=");

	if (gb_equal(word, "-h") || gb_equal(word, "-V") || gb_equal(word, "--help") ||
	    gb_equal(word, "--version"))
		return gb_fail(err, GB_EUSAGE, "%s measures nothing", word);
	for (size_t g = 0; g < GB_COUNT(whole) && name > word; g++)
		for (size_t i = 0; i < whole[g]->count; i++) {
			const struct gb_param *row = &whole[g]->row[i];

			if (name == word + 1 ? *name == row->letter
					     : strlen(row->name) == length &&
						       !strncmp(row->name, name, length))
				return gb_fail(err, GB_EUSAGE,
					       "--%s is for the whole suite: give it beside "
					       "--suite",
					       row->name);
		}
	return GB_OK;
}

/* Read a line: `run` or a benchmark, and what it measures. */
static enum gb_status read_line(struct line *line, int argc, char **argv, struct gb_error *err)
{
	static const struct gb_rows *const shared[] = { &gb_rows_backend, &gb_rows_threads,
							&gb_rows_preset, NULL };
	static const struct gb_rows *const benchmark[] = { &gb_rows_backend, NULL };
	struct gb_arguments *a = &line->arguments;
	struct gb_request *request = &line->request;

	*a = (struct gb_arguments){ .workload = gb_workload_find(argv[0]),
				    .target = request,
				    .target_size = sizeof *request };
	a->shared = a->workload ? benchmark : shared;
	a->sweep = a->workload ? &line->sweep : NULL;
	a->overrides = a->workload ? NULL : &request->overrides;
	line->task = (struct task){ request, a->sweep, GB_QUICK };
	if (!a->workload && !gb_equal(argv[0], "run"))
		return gb_fail(err, GB_EUSAGE, "'%.80s' is neither a benchmark nor run", argv[0]);
	for (int i = 1; i < argc; i++)
		if (check_option(argv[i], err))
			return err->code;
	if (gb_options_parse(a, argc, argv, err))
		return err->code;
	if (a->workload)
		return gb_choice_read(&request->choice, a->workload, a->word, a->word_count, err);
	return gb_choose(request, a, err)
		       ? err->code
		       : gb_preset_of(request, GB_QUICK, &line->task.preset, err);
}

static enum gb_status at_line(const struct lines *lines, size_t i, const struct gb_error *own,
			      struct gb_error *err)
{
	return gb_fail(err, own->code, "%.200s:%zu: %s", lines->suite.path,
		       lines->suite.line[i].number, own->message);
}

/* Read the suite that the command names and link the lines' choices with the command's. */
static enum gb_status read_suite(struct lines *lines, struct sweeps *sweeps,
				 const struct gb_arguments *a, struct gb_error *err)
{
	struct gb_request *request = &sweeps->request;
	struct gb_choice *last = &request->choice;

	if (a->word_count || request->preset || request->threads || request->overrides.count)
		return gb_fail(err, GB_EUSAGE,
			       "--suite excludes words, --preset, --threads and parameters: its "
			       "lines have them");
	if (gb_suite_read(&lines->suite, sweeps->suite, err))
		return err->code;
	lines->line = calloc(lines->suite.count, sizeof *lines->line);
	if (!lines->line)
		return gb_out_of_memory(err, "the suite");
	for (size_t i = 0; i < lines->suite.count; i++) {
		const struct gb_suite_line *text = &lines->suite.line[i];
		struct gb_choice *choice = &lines->line[i].request.choice;
		struct gb_error own = { 0 };

		if (read_line(&lines->line[i], text->argc, text->argv, &own))
			return at_line(lines, i, &own, err);
		choice->within = &request->choice;
		last->next = choice;
		last = choice;
	}
	return GB_OK;
}

static void release_lines(struct lines *lines)
{
	for (size_t i = 0; i < lines->suite.count && lines->line; i++) {
		gb_sweep_release(&lines->line[i].sweep);
		gb_arguments_release(&lines->line[i].arguments);
	}
	free(lines->line);
	gb_suite_release(&lines->suite);
}

/* Handle the lines of the suite; an error names its line. */
static enum gb_status go_through_suite(struct goal *goal, const struct lines *lines,
				       struct gb_error *err)
{
	for (size_t i = 0; i < lines->suite.count && !err->code; i++) {
		struct gb_error own = { 0 };

		if (go_through_task(goal, &lines->line[i].task, &own))
			(void)at_line(lines, i, &own, err);
	}
	return err->code;
}

/* ---- the commands ------------------------------------------------------------------------- */

/* Plan, launch or measure the task or, if there is one, the suite. */
static enum gb_status act(struct sweeps *sweeps, const struct task *task, const struct lines *lines,
			  int argc, char **argv, struct gb_error *err)
{
	static struct gb_session session;
	static struct gb_plan plan;
	struct gb_request *request = &sweeps->request;
	struct goal goal = { NULL, &session, request->dry ? &plan : NULL };

	if (!request->dry && !gb_is_launch(request) && gb_wants_launches(request))
		return launch(request, argc, argv, err);
	if (!(request->dry ? gb_session_plan(&plan.session, request, err)
			   : gb_session_open(&session, request, argc, argv, err)))
		(void)(lines->suite.count ? go_through_suite(&goal, lines, err)
					  : go_through_task(&goal, task, err));
	if (!request->dry)
		return gb_finish(&session, true, err);
	if (!err->code)
		gb_plan_total(&plan);
	gb_plan_release(&plan);
	return err->code;
}

enum gb_status gb_cmd_bench(const struct gb_workload *workload, int argc, char **argv,
			    struct gb_error *err)
{
	static const struct gb_rows *const shared[] = { &gb_rows_how,      &gb_rows_backend,
							&gb_rows_plugin,   &gb_rows_gpu,
							&gb_rows_repeats,  &gb_rows_target,
							&gb_rows_progress, NULL };
	static struct sweeps sweeps;
	struct gb_sweep sweep = { 0 };
	struct gb_arguments a = {
		.words = "[VARIANT-GLOB...]",
		.summary = workload->summary,
		.shared = shared,
		.row = rows,
		.row_count = BENCH_ROWS,
		.target = &sweeps,
		.target_size = sizeof sweeps,
		.workload = workload,
		.sweep = &sweep,
	};
	const struct task task = { .request = &sweeps.request, .sweep = &sweep };
	const struct lines none = { 0 };
	enum gb_status status = GB_OK;

	if (!gb_options_parse(&a, argc, argv, err) && !a.done &&
	    !gb_choice_read(&sweeps.request.choice, workload, a.word, a.word_count, err))
		status = act(&sweeps, &task, &none, argc, argv, err);
	gb_sweep_release(&sweep);
	gb_arguments_release(&a);
	return err->code ? err->code : status;
}

enum gb_status gb_cmd_run(int argc, char **argv, struct gb_error *err)
{
	static const struct gb_rows *const shared[] = { &gb_rows_how,      &gb_rows_backend,
							&gb_rows_plugin,   &gb_rows_threads,
							&gb_rows_gpu,      &gb_rows_repeats,
							&gb_rows_preset,   &gb_rows_target,
							&gb_rows_progress, NULL };
	static struct sweeps sweeps;
	struct gb_arguments a = {
		.words = "[BENCHMARK|VARIANT-GLOB...]",
		.summary = "Run the benchmarks at the sizes of a preset.  A parameter, as in "
			   "--count=1M, replaces that of the preset in each benchmark that has it.",
		.shared = shared,
		.row = rows,
		.row_count = GB_COUNT(rows),
		.target = &sweeps,
		.target_size = sizeof sweeps,
		.overrides = &sweeps.request.overrides,
	};
	struct task task = { .request = &sweeps.request, .preset = GB_QUICK };
	struct lines lines = { 0 };
	enum gb_status status = GB_OK;

	if (gb_options_parse(&a, argc, argv, err) || a.done ||
	    (sweeps.suite && read_suite(&lines, &sweeps, &a, err)))
		goto out;
	sweeps.request.once = true;
	if (!gb_choose(&sweeps.request, &a, err) &&
	    !gb_preset_of(&sweeps.request, GB_QUICK, &task.preset, err))
		status = act(&sweeps, &task, &lines, argc, argv, err);
out:
	release_lines(&lines);
	gb_arguments_release(&a);
	return err->code ? err->code : status;
}
