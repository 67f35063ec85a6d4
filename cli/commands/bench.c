/* bench.c -- `gpubench BENCHMARK` and `gpubench run`: measure sweeps and write records. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/benchmarks/registry.h"
#include "cli/commands/commands.h"
#include "cli/commands/options.h"
#include "cli/measure/interrupt.h"
#include "cli/measure/repetitions.h"
#include "cli/report/print_report.h"
#include "common/text.h"

/* --repetitions, --device=all: start the repetitions, then print one table of all records. */
static enum gb_status launch(const struct gb_request *request, int argc, char **argv,
			     struct gb_error *err)
{
	struct gb_records records = { 0 };
	struct gb_output output;
	enum gb_status status;

	if (request->target.file)
		gb_output_inherit(&output, request->target.path, request->target.file, false,
				  gb_existing(&request->target));
	else if (gb_output_open(&output, request->target.path, gb_existing(&request->target), err))
		return err->code;
	status = gb_repetitions(request, &output, argc, argv, &records, err);
	if (records.count && !err->code) {
		(void)gb_replay(request, &output, &records, err);
	} else {
		(void)gb_output_close(&output, err);
		gb_records_release(&records);
	}
	return err->code ? err->code : status;
}

/* The sweeps that a command line names: one of a benchmark or, for `run`, those of a preset. */
struct task {
	const struct gb_sweep *sweep; /* NULL: of the preset */
	enum gb_preset preset;
};

static enum gb_status go_through(void *session, const struct gb_sweep *sweep, struct gb_error *err)
{
	struct gb_session *s = session;

	return gb_session_sweep(s, sweep, &s->request->choice, err);
}

/* Count the measurements of a sweep, for --budget. */
static enum gb_status count(void *session, const struct gb_sweep *sweep, struct gb_error *err)
{
	struct gb_session *s = session;

	s->planned += gb_count_runs(sweep, &s->request->choice);
	return err->code;
}

/* Write the record of a run that hangs, and end the session as usual. */
static enum gb_status abandon(void *session, void *result, struct gb_error *err)
{
	if (result && err->code != GB_EINTERRUPTED)
		gb_session_hung(session, result, err);
	return gb_finish(session, true, err);
}

static enum gb_status for_each_sweep(struct gb_session *session, const struct task *task,
				     gb_take_sweep *take, struct gb_error *err)
{
	return task->sweep ? take(session, task->sweep, err)
			   : gb_each_sweep(session->request, task->preset, take, session, err);
}

/* Launch, or plan or measure the task. */
static enum gb_status act(struct gb_request *request, const struct task *task, int argc,
			  char **argv, struct gb_error *err)
{
	static struct gb_session session;

	if (!request->dry && !gb_is_repetition(request) &&
	    (request->repeats.runs > 1 || request->repeats.devices))
		return launch(request, argc, argv, err);
	gb_on_abandon(abandon, &session);
	if (!gb_session_open(&session, request, argc, argv, err) &&
	    !for_each_sweep(&session, task, count, err))
		(void)for_each_sweep(&session, task, go_through, err);
	return gb_finish(&session, true, err);
}

enum gb_status gb_cmd_bench(const struct gb_benchmark *benchmark, int argc, char **argv,
			    struct gb_error *err)
{
	static struct gb_request request;
	struct gb_sweep sweep = { 0 };
	struct gb_arguments a = {
		.words = "[VARIANT-GLOB...]",
		.summary = benchmark->summary,
		.command = GB_OF_BENCHMARK,
		.target = &request,
		.target_size = sizeof request,
		.benchmark = benchmark,
		.sweep = &sweep,
	};
	const struct task task = { .sweep = &sweep };
	enum gb_status status = GB_OK;

	if (!gb_options_parse(&a, argc, argv, err) && !a.done && !gb_choose(&request, &a, err))
		status = act(&request, &task, argc, argv, err);
	gb_sweep_release(&sweep);
	gb_arguments_release(&a);
	return err->code ? err->code : status;
}

enum gb_status gb_cmd_run(int argc, char **argv, struct gb_error *err)
{
	static struct gb_request request;
	struct gb_arguments a = {
		.words = "[BENCHMARK|VARIANT-GLOB...]",
		.summary = "Run the benchmarks at the sizes of a preset.  A parameter, as in "
			   "--count=1M, replaces that of the preset in each benchmark that has it.",
		.command = GB_OF_RUN,
		.target = &request,
		.target_size = sizeof request,
		.overrides = &request.overrides,
	};
	struct task task = { .preset = GB_QUICK };
	enum gb_status status = GB_OK;

	if (!gb_options_parse(&a, argc, argv, err) && !a.done && !gb_choose(&request, &a, err) &&
	    !gb_preset_of(&request, GB_QUICK, &task.preset, err)) {
		request.once = true;
		status = act(&request, &task, argc, argv, err);
	}
	gb_arguments_release(&a);
	return err->code ? err->code : status;
}
