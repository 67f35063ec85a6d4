/* bench.c -- `gpubench WORKLOAD` and `gpubench run`: sweeps to records. */
#include <stdio.h>

#include "cli/commands/commands.h"
#include "cli/measuring/launches.h"
#include "cli/measuring/plan.h"
#include "cli/measuring/session.h"
#include "cli/workloads/registry.h"

enum gb_status gb_cmd_bench(const struct gb_workload *workload, int argc, char **argv,
			    struct gb_error *err)
{
	static struct gb_request request;
	static struct gb_session session;
	struct gb_sweep sweep = { 0 };
	enum gb_status status = GB_OK;

	if (gb_options_parse(&request, workload, &sweep, "[VARIANT-GLOB...]", workload->summary,
			     argc, argv, err) ||
	    request.done || gb_check_globs(workload, request.glob, request.glob_count, err))
		goto out;
	if (request.dry_run) {
		struct gb_plan plan;

		if (!gb_plan_init(&plan, &request, err) &&
		    !gb_plan_sweep(&plan, &sweep, request.glob, request.glob_count, err))
			gb_plan_total(&plan);
		gb_plan_release(&plan);
		goto out;
	}
	if (!gb_is_launch(&request) && request.runs > 1) {
		status = gb_launches(&request, argc, argv, err);
		goto out;
	}
	if (!gb_session_open(&session, &request, argc, argv, err))
		(void)gb_session_sweep(&session, &sweep, request.glob, request.glob_count, err);
	status = gb_session_close(&session, err);
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
				(void)gb_plan_sweep(plan, &sweep, NULL, 0, err);
			else
				(void)gb_session_sweep(session, &sweep, NULL, 0, err);
		}
		gb_sweep_release(&sweep);
	}
	return err->code;
}

enum gb_status gb_check_threads(const struct gb_request *request, struct gb_error *err)
{
	struct gb_sweep sweep = { 0 };

	if (!gb_sweep_init(&sweep, gb_workloads[0], err))
		(void)gb_sweep_threads(&sweep, request->threads, err);
	gb_sweep_release(&sweep);
	return err->code;
}

enum gb_status gb_check_names(const struct gb_request *request, struct gb_error *err)
{
	for (size_t i = 0; i < request->glob_count; i++)
		if (!gb_workload_find(request->glob[i]))
			return gb_fail(err, GB_EUSAGE,
				       "'%.80s' is not a benchmark (see gpubench list)",
				       request->glob[i]);
	return gb_check_threads(request, err);
}

bool gb_named(const struct gb_request *request, const struct gb_workload *workload)
{
	for (size_t i = 0; i < request->glob_count; i++)
		if (gb_workload_find(request->glob[i]) == workload)
			return true;
	return request->glob_count == 0;
}

static enum gb_status run_presets(struct gb_session *session, struct gb_plan *plan,
				  const struct gb_request *request, enum gb_preset preset,
				  struct gb_error *err)
{
	for (size_t i = 0; i < gb_workload_count && !err->code; i++)
		if (gb_named(request, gb_workloads[i]))
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

	if (gb_options_parse(&request, NULL, NULL, "[BENCHMARK...]",
			     "Run the benchmarks at the sizes of a preset.", argc, argv, err) ||
	    request.done || gb_check_names(&request, err) ||
	    gb_preset_of(&request, GB_QUICK, &preset, err))
		return err->code;
	if (request.dry_run)
		return plan_presets(&request, preset, err);
	if (!gb_is_launch(&request) && request.runs > 1)
		return gb_launches(&request, argc, argv, err);
	if (!gb_session_open(&session, &request, argc, argv, err))
		(void)run_presets(&session, NULL, &request, preset, err);
	status = gb_session_close(&session, err);
	return err->code ? err->code : status;
}
