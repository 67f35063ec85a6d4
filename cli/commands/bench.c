/* bench.c -- `gpubench WORKLOAD` and `gpubench run`: sweeps to records. */
#include <stdio.h>

#include "cli/commands/benchmarks.h"
#include "cli/commands/commands.h"
#include "cli/commands/options.h"
#include "cli/measuring/choice.h"
#include "cli/measuring/launches.h"
#include "cli/measuring/plan.h"
#include "cli/reports/finish.h"
#include "cli/workloads/registry.h"

/* --runs, --device=all: the launches, then the table of all. */
static enum gb_status launch(const struct gb_request *request, int argc, char **argv,
			     struct gb_error *err)
{
	struct gb_records records = { 0 };
	struct gb_output output;
	enum gb_status status;

	if (request->output_file)
		gb_output_inherit(&output, request->output, request->output_file,
				  gb_existing(request));
	else if (gb_output_open(&output, request->output, gb_existing(request), err))
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

enum gb_status gb_cmd_bench(const struct gb_workload *workload, int argc, char **argv,
			    struct gb_error *err)
{
	static struct gb_request request;
	static struct gb_session session;
	struct gb_sweep sweep = { 0 };
	enum gb_status status = GB_OK;

	if (gb_options_parse(&request, workload, &sweep, "[VARIANT-GLOB...]", workload->summary,
			     argc, argv, err) ||
	    request.done ||
	    gb_choice_read(&request.choice, workload, request.word, request.word_count, err))
		goto out;
	if (request.dry_run) {
		struct gb_plan plan;

		if (!gb_plan_init(&plan, &request, err) &&
		    !gb_plan_sweep(&plan, &sweep, &request.choice, err))
			gb_plan_total(&plan);
		gb_plan_release(&plan);
		goto out;
	}
	if (!gb_is_launch(&request) && gb_wants_launches(&request)) {
		status = launch(&request, argc, argv, err);
		goto out;
	}
	if (!gb_session_open(&session, &request, argc, argv, err))
		(void)gb_session_sweep(&session, &sweep, &request.choice, err);
	status = gb_finish(&session, true, err);
out:
	gb_sweep_release(&sweep);
	return err->code ? err->code : status;
}

/* All lines of a preset of one workload: measured, or planned if there is a plan. */
static enum gb_status run_preset(struct gb_session *session, struct gb_plan *plan,
				 const struct gb_request *request,
				 const struct gb_workload *workload, enum gb_preset preset,
				 struct gb_error *err)
{
	const char *const *line = workload->preset[preset];

	for (; line && *line && !err->code; line++) {
		struct gb_sweep sweep = { 0 };

		if (!gb_sweep_words(&sweep, workload, *line, err) &&
		    !gb_sweep_threads(&sweep, request->threads, err)) {
			if (plan)
				(void)gb_plan_sweep(plan, &sweep, &request->choice, err);
			else
				(void)gb_session_sweep(session, &sweep, &request->choice, err);
		}
		gb_sweep_release(&sweep);
	}
	return err->code;
}

static enum gb_status run_presets(struct gb_session *session, struct gb_plan *plan,
				  const struct gb_request *request, enum gb_preset preset,
				  struct gb_error *err)
{
	for (size_t i = 0; i < gb_workload_count && !err->code; i++)
		if (gb_chosen_any(&request->choice, gb_workloads[i]))
			(void)run_preset(session, plan, request, gb_workloads[i], preset, err);
	return err->code;
}

static enum gb_status plan_presets(const struct gb_request *request, enum gb_preset preset,
				   struct gb_error *err)
{
	struct gb_plan plan;

	if (!gb_plan_init(&plan, request, err) && !run_presets(NULL, &plan, request, preset, err))
		gb_plan_total(&plan);
	gb_plan_release(&plan);
	return err->code;
}

enum gb_status gb_cmd_run(int argc, char **argv, struct gb_error *err)
{
	static struct gb_request request;
	static struct gb_session session;
	enum gb_preset preset = GB_QUICK;
	enum gb_status status = GB_OK;

	if (gb_options_parse(&request, NULL, NULL, "[BENCHMARK|VARIANT-GLOB...]",
			     "Run the benchmarks at the sizes of a preset.", argc, argv, err) ||
	    request.done || gb_choose(&request, err) ||
	    gb_preset_of(&request, GB_QUICK, &preset, err))
		return err->code;
	if (request.dry_run)
		return plan_presets(&request, preset, err);
	if (!gb_is_launch(&request) && gb_wants_launches(&request))
		return launch(&request, argc, argv, err);
	if (!gb_session_open(&session, &request, argc, argv, err))
		(void)run_presets(&session, NULL, &request, preset, err);
	status = gb_finish(&session, true, err);
	return err->code ? err->code : status;
}
