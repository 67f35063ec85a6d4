/* check.c -- `gpubench check`: verifies every variant on small inputs without timing it.
 *
 * Prints a line per variant: the number of points that passed, the first failure, or the reason why
 * the variant was skipped.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/benchmarks/registry.h"
#include "cli/commands/commands.h"
#include "cli/commands/options.h"
#include "cli/measure/interrupt.h"
#include "cli/measure/measure.h"
#include "cli/measure/session.h"
#include "common/text.h"
#include "common/variants.h"

/* The results of one variant. */
struct tally {
	size_t passed, failed, skipped;
	char reason[640]; /* the first failure, else the last skip */
};

static void count_record(struct tally *t, const struct gb_record *record)
{
	if (record->status == GB_STATUS_SKIPPED) {
		t->skipped++;
		if (!t->failed)
			(void)snprintf(t->reason, sizeof t->reason, "%s", record->reason);
	} else if (record->status == GB_STATUS_OK) {
		t->passed++;
	} else if (t->failed++ == 0) {
		(void)snprintf(t->reason, sizeof t->reason, "%.120s: %s", record->key,
			       record->reason);
	}
}

/* The receiver of the check sweeps. */
struct checker {
	struct gb_session session;
	struct tally *tally;
};

/* Run a variant once at a point. */
static void check_one(void *self, struct gb_result *r, void *input, struct gb_error *err)
{
	const struct checker *checker = self;

	if (!r->code && gb_measure(r, input, &checker->session.request->how, false, err))
		return;
	count_record(&checker->tally[r->variant - gb_variants], &r->record);
}

static enum gb_status check_sweep(void *self, const struct gb_sweep *sweep, struct gb_error *err)
{
	struct checker *checker = self;

	return gb_session_each(&checker->session, sweep, &checker->session.request->choice,
			       check_one, checker, err);
}

/* Print the line of a variant.  Return true if it failed. */
static bool print_tally(const struct gb_variant *variant, const struct tally *t)
{
	char name[64];
	char skipped[32] = "";

	(void)snprintf(name, sizeof name, "%s/%s/%s", variant->benchmark,
		       gb_backends[variant->backend]->name, variant->name);
	if (t->skipped)
		(void)snprintf(skipped, sizeof skipped, ", %zu skipped", t->skipped);
	if (t->failed)
		(void)printf("%-26s FAILED   %zu failed, %zu passed%s; %s\n", name, t->failed,
			     t->passed, skipped, t->reason);
	else if (t->passed)
		(void)printf("%-26s ok       %zu passed%s%s%s\n", name, t->passed, skipped,
			     t->skipped ? "; " : "", t->reason);
	else
		(void)printf("%-26s skipped  %s\n", name, t->reason);
	return t->failed > 0;
}

/* Print all lines and the totals.  GB_EVERIFY if a variant failed; GB_EUNDECIDED if all were
 * skipped. */
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
	(void)printf("%zu variant%s passed, %zu failed, %zu skipped\n", passed,
		     passed == 1 ? "" : "s", failed, skipped);
	if (failed)
		return GB_EVERIFY;
	return passed || !skipped ? GB_OK : GB_EUNDECIDED;
}

/* A run hangs, or a signal came: print what is known. */
static enum gb_status abandon(void *self, void *running, struct gb_error *err)
{
	const struct checker *checker = self;
	const struct gb_result *r = running;
	struct gb_error local_err = { 0 };
	struct gb_result hung;

	if (!r || err->code == GB_EINTERRUPTED)
		return err->code;
	hung = (struct gb_result){ .benchmark = r->benchmark,
				   .variant = r->variant,
				   .params = r->params };
	if (gb_result_begin(&hung, &local_err))
		return err->code;
	gb_result_fail(&hung, err);
	count_record(&checker->tally[r->variant - gb_variants], &hung.record);
	(void)print_all(checker->tally);
	return err->code;
}

enum gb_status gb_cmd_check(int argc, char **argv, struct gb_error *err)
{
	static struct gb_request request;
	static struct checker checker;
	struct gb_arguments a = {
		.words = "[BENCHMARK|VARIANT-GLOB...]",
		.summary = "Verify every variant on small inputs; nothing is timed.",
		.command = GB_OF_CHECK,
		.target = &request,
		.target_size = sizeof request,
	};
	enum gb_status verdict = GB_OK;

	if (gb_options_parse(&a, argc, argv, err) || a.done || gb_choose(&request, &a, err))
		goto out;
	request.untimed = true;
	checker.tally = calloc(gb_variant_count, sizeof *checker.tally);
	if (!checker.tally) {
		gb_out_of_memory(err, NULL);
		goto out;
	}
	gb_on_abandon(abandon, &checker);
	if (!gb_session_open(&checker.session, &request, argc, argv, err) &&
	    !gb_each_sweep(&request, GB_PRESETS, check_sweep, &checker, err))
		verdict = print_all(checker.tally);
	(void)gb_session_close(&checker.session, err);
	if (verdict == GB_EUNDECIDED)
		gb_fail(err, verdict, "all were skipped: no variant was verified");
out:
	free(checker.tally);
	gb_arguments_release(&a);
	return err->code ? err->code : verdict;
}
