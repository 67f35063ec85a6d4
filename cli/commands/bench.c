/* bench.c -- `gpubench WORKLOAD` and `gpubench run`: measure sweeps and write records. */
#include <stdio.h>

#include "cli/commands/commands.h"
#include "cli/commands/options.h"
#include "cli/measuring/choice.h"
#include "cli/measuring/launches.h"
#include "cli/measuring/plan.h"
#include "cli/reports/finish.h"
#include "cli/workloads/registry.h"
#include "common/text.h"

struct sweeps {
	struct gb_request request; /* first: see gb_options_parse() */
	int64_t dry_run;
};

static const struct gb_param rows[] = {
	{ .name = "dry-run",
	  GB_AT(GB_FLAG, struct sweeps, dry_run),
	  .help = "list each measurement with the memory and time it would need; run nothing" },
};

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

/* The receiver of sweeps: measures them, or plans them if `plan` is set. */
struct goal {
	const struct gb_request *request;
	struct gb_session *session;
	struct gb_plan *plan;
};

static enum gb_status go_through(void *self, const struct gb_sweep *sweep, struct gb_error *err)
{
	const struct goal *goal = self;
	const struct gb_choice *choice = &goal->request->choice;

	return goal->plan ? gb_plan_sweep(goal->plan, sweep, choice, err)
			  : gb_session_sweep(goal->session, sweep, choice, err);
}

/* Handle the one sweep or, if it is NULL, the preset's sweeps of all chosen benchmarks. */
static enum gb_status go_through_all(struct goal *goal, const struct gb_sweep *one,
				     enum gb_preset preset, struct gb_error *err)
{
	return one ? go_through(goal, one, err)
		   : gb_each_sweep(goal->request, preset, go_through, goal, err);
}

/* Plan, launch or measure. */
static enum gb_status act(struct sweeps *sweeps, const struct gb_sweep *one, enum gb_preset preset,
			  int argc, char **argv, struct gb_error *err)
{
	static struct gb_session session;
	static struct gb_plan plan;
	struct gb_request *request = &sweeps->request;
	struct goal goal = { request, &session, sweeps->dry_run ? &plan : NULL };

	if (sweeps->dry_run) {
		if (!gb_session_plan(&plan.session, request, err) &&
		    !go_through_all(&goal, one, preset, err))
			gb_plan_total(&plan);
		gb_session_abandon(&plan.session);
		return err->code;
	}
	if (!gb_is_launch(request) && gb_wants_launches(request))
		return launch(request, argc, argv, err);
	if (!gb_session_open(&session, request, argc, argv, err))
		(void)go_through_all(&goal, one, preset, err);
	return gb_finish(&session, true, err);
}

/* ---- the commands ------------------------------------------------------------------------- */

enum gb_status gb_cmd_bench(const struct gb_workload *workload, int argc, char **argv,
			    struct gb_error *err)
{
	static const struct gb_rows *const shared[] = {
		&gb_rows_how,    &gb_rows_backend, &gb_rows_plugin,  &gb_rows_gpu, &gb_rows_repeats,
		&gb_rows_target, &gb_rows_progress, NULL
	};
	static struct sweeps sweeps;
	struct gb_sweep sweep = { 0 };
	struct gb_arguments a = {
		.words = "[VARIANT-GLOB...]",
		.summary = workload->summary,
		.shared = shared,
		.row = rows,
		.row_count = GB_COUNT(rows),
		.target = &sweeps,
		.target_size = sizeof sweeps,
		.workload = workload,
		.sweep = &sweep,
	};
	enum gb_status status = GB_OK;

	if (!gb_options_parse(&a, argc, argv, err) && !a.done &&
	    !gb_choice_read(&sweeps.request.choice, workload, a.word, a.word_count, err))
		status = act(&sweeps, &sweep, GB_QUICK, argc, argv, err);
	gb_sweep_release(&sweep);
	gb_arguments_release(&a);
	return err->code ? err->code : status;
}

enum gb_status gb_cmd_run(int argc, char **argv, struct gb_error *err)
{
	static const struct gb_rows *const shared[] = {
		&gb_rows_how,    &gb_rows_backend, &gb_rows_plugin,  &gb_rows_threads,
		&gb_rows_gpu,    &gb_rows_repeats,  &gb_rows_preset,
		&gb_rows_target, &gb_rows_progress, NULL
	};
	static struct sweeps sweeps;
	struct gb_arguments a = {
		.words = "[BENCHMARK|VARIANT-GLOB...]",
		.summary = "Run the benchmarks at the sizes of a preset.",
		.shared = shared,
		.row = rows,
		.row_count = GB_COUNT(rows),
		.target = &sweeps,
		.target_size = sizeof sweeps,
	};
	enum gb_preset preset = GB_QUICK;
	enum gb_status status = GB_OK;

	if (!gb_options_parse(&a, argc, argv, err) && !a.done &&
	    !gb_choose(&sweeps.request, &a, err) &&
	    !gb_preset_of(&sweeps.request, GB_QUICK, &preset, err))
		status = act(&sweeps, NULL, preset, argc, argv, err);
	gb_arguments_release(&a);
	return err->code ? err->code : status;
}
