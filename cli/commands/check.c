/* check.c -- `gpubench check`: every variant verified on small inputs, nothing timed.
 *
 * A line per variant: how many points passed, the first failure, or why it was skipped.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/commands/benchmarks.h"
#include "cli/commands/commands.h"
#include "cli/commands/options.h"
#include "cli/measuring/choice.h"
#include "cli/measuring/runner.h"
#include "cli/measuring/session.h"
#include "cli/records/key.h"
#include "cli/workloads/registry.h"
#include "common/text.h"
#include "common/variants.h"

/* What became of one variant. */
struct tally {
	size_t passed, failed, skipped;
	char reason[640]; /* the first failure, else the last skip */
};

static void count_result(struct tally *t, const struct gb_result *r)
{
	struct gb_error ignored = { 0 };
	char *key;

	if (r->outcome == GB_SKIPPED) {
		t->skipped++;
		if (!t->failed)
			(void)snprintf(t->reason, sizeof t->reason, "%s", r->reason);
	} else if (r->outcome == GB_RESULT_OK) {
		t->passed++;
	} else if (t->failed++ == 0) {
		key = gb_record_key(r->workload, r->variant, r->params, &ignored);
		(void)snprintf(t->reason, sizeof t->reason, "%.120s: %s", key ? key : "?",
			       r->reason);
		free(key);
	}
}

/* An input that does not fit is nobody's failure. */
static void skip(struct gb_result *result, const struct gb_error *no_input)
{
	result->outcome = GB_SKIPPED;
	(void)snprintf(result->reason, sizeof result->reason, "input: %.460s", no_input->message);
}

/* Run each chosen variant once at every point of the sweep. */
static enum gb_status check_sweep(const struct gb_request *request, const struct gb_sweep *sweep,
				  struct tally *tally, struct gb_error *err)
{
	const struct gb_workload *workload = sweep->workload;
	void *params = malloc(workload->params_size);

	if (!params)
		return gb_out_of_memory(err, NULL);
	for (size_t p = 0; p < sweep->count && !err->code; p++) {
		struct gb_error no_input = { 0 };
		void *input = NULL;

		gb_sweep_point(sweep, p, params);
		if (workload->prepare(params, &input, &no_input) &&
		    no_input.code != GB_EUNAVAILABLE && no_input.code != GB_EMEMORY)
			gb_fail(err, no_input.code, "%s", no_input.message);
		else
			for (size_t i = 0; i < gb_variant_count && !err->code; i++) {
				struct gb_result r = { .workload = workload,
						       .variant = &gb_variants[i],
						       .params = params };

				if (!gb_equal(gb_variants[i].workload, workload->name) ||
				    !gb_chosen(&request->choice, &gb_variants[i]) ||
				    !gb_sweep_wants(sweep, p, &gb_variants[i]))
					continue;
				if (no_input.code)
					skip(&r, &no_input);
				else
					(void)gb_run(&r, input, &request->how, false, err);
				count_result(&tally[i], &r);
				gb_result_release(&r);
			}
		workload->release(input);
	}
	free(params);
	return err->code;
}

static enum gb_status check_workload(const struct gb_request *request,
				     const struct gb_workload *workload, struct tally *tally,
				     struct gb_error *err)
{
	for (const char *const *line = workload->check; line && *line && !err->code; line++) {
		struct gb_sweep sweep = { 0 };

		if (!gb_sweep_words(&sweep, workload, *line, err) &&
		    !gb_sweep_threads(&sweep, request->threads, err))
			(void)check_sweep(request, &sweep, tally, err);
		gb_sweep_release(&sweep);
	}
	return err->code;
}

/* Returns whether the variant failed. */
static bool print_tally(const struct gb_variant *variant, const struct tally *t)
{
	char name[64];
	char counts[64];

	(void)snprintf(name, sizeof name, "%s/%s/%s", variant->workload,
		       gb_backends[variant->backend]->name, variant->name);
	(void)snprintf(counts, sizeof counts, "%zu of %zu", t->passed,
		       t->passed + t->failed + t->skipped);
	if (t->failed)
		(void)printf("%-26s FAILED   %s passed; %s\n", name, counts, t->reason);
	else if (t->passed)
		(void)printf("%-26s ok       %s passed%s%s\n", name, counts, t->skipped ? "; " : "",
			     t->reason);
	else
		(void)printf("%-26s skipped  %s\n", name, t->reason);
	return t->failed > 0;
}

/* The summary lines; GB_EVERIFY if a variant failed. */
static enum gb_status print_all(const struct tally *tally)
{
	size_t passed = 0, failed = 0, skipped = 0;

	for (size_t i = 0; i < gb_variant_count; i++) {
		const struct tally *t = &tally[i];

		if (t->passed + t->failed + t->skipped == 0)
			continue;
		if (print_tally(&gb_variants[i], t))
			failed++;
		else if (t->passed)
			passed++;
		else
			skipped++;
	}
	(void)printf("%zu variants passed, %zu failed, %zu skipped\n", passed, failed, skipped);
	return failed ? GB_EVERIFY : GB_OK;
}

enum gb_status gb_cmd_check(int argc, char **argv, struct gb_error *err)
{
	static const struct gb_rows *const shared[] = { &gb_rows_backend, &gb_rows_threads,
							&gb_rows_gpu, &gb_rows_device, NULL };
	static struct gb_request request;
	static struct gb_session session;
	struct gb_arguments a = {
		.words = "[BENCHMARK|VARIANT-GLOB...]",
		.summary = "Verify every variant on small inputs; nothing is timed.",
		.shared = shared,
		.target = &request,
		.target_size = sizeof request,
	};
	struct tally *tally = NULL;
	enum gb_status verdict = GB_OK;

	if (gb_options_parse(&a, argc, argv, err) || a.done || gb_choose(&request, &a, err))
		goto out;
	request.untimed = true;
	tally = calloc(gb_variant_count, sizeof *tally);
	if (!tally) {
		gb_out_of_memory(err, NULL);
		goto out;
	}
	if (!gb_session_open(&session, &request, argc, argv, err))
		for (size_t i = 0; i < gb_workload_count && !err->code; i++)
			if (gb_chosen_any(&request.choice, gb_workloads[i]))
				(void)check_workload(&request, gb_workloads[i], tally, err);
	if (!err->code)
		verdict = print_all(tally);
	if (gb_session_close(&session, err))
		verdict = session.verdict;
out:
	free(tally);
	gb_arguments_release(&a);
	return err->code ? err->code : verdict;
}
