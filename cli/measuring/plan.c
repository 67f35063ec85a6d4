/* plan.c -- prints the memory and time that each measurement of a sweep would take. */
#include "cli/measuring/plan.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/measuring/bandwidth.h"
#include "cli/measuring/estimate.h"
#include "cli/measuring/need.h"
#include "cli/measuring/runner.h"
#include "cli/records/key.h"
#include "common/available.h"
#include "common/memory.h"
#include "common/text.h"

static size_t larger(size_t a, size_t b)
{
	return a > b ? a : b;
}

/* Set the need and the seconds of a measurement by a trial.  The reason is in the result if the
 * point would be skipped or would fail. */
static enum gb_status try(struct gb_result *r, void *input, const struct gb_settings *how,
			  struct gb_need *need, double *seconds, struct gb_error *err)
{
	const struct gb_settings trial = gb_trial_of(how);

	if (r->code || gb_run(r, input, &trial, true, err) || r->code)
		return err->code;
	*need = (struct gb_need){ r->host_bytes, r->device_bytes };
	*seconds = gb_estimate_s(r, how) - r->elapsed_s;
	if (!r->workload->yardstick)
		(void)gb_copy_bandwidth(r->variant->backend, r->threads, how);
	return GB_OK;
}

static void print(struct gb_plan *plan, const struct gb_need *need, double seconds)
{
	char host[GB_TEXT_MAX], device[GB_TEXT_MAX], time[GB_TEXT_MAX];

	plan->measurements++;
	plan->host_bytes = larger(plan->host_bytes, need->host_bytes);
	plan->device_bytes = larger(plan->device_bytes, need->device_bytes);
	(void)printf(": host %s%s, device %s%s%s\n", gb_text_bytes(host, (double)need->host_bytes),
		     gb_memory_is_dry() && need->host_bytes > gb_host_available()
			     ? " (more than is free)"
			     : "",
		     gb_text_bytes(device, (double)need->device_bytes),
		     gb_memory_is_dry() ? "" : ", about ",
		     gb_memory_is_dry() ? "" : gb_text_wait(time, seconds));
}

/* The time of a trial counts by the clock (gb_plan_sweep()), so only the rest is added. */
static enum gb_status plan_one(void *self, struct gb_result *r, void *input, struct gb_error *err)
{
	struct gb_plan *plan = self;
	struct gb_error own = { 0 };
	struct gb_need need = { 0 };
	double more_s = 0;
	struct gb_settings how = plan->session.request->how;
	char *key = gb_record_key(r->workload, r->variant, r->params, err);

	how.no_phases = how.no_phases || plan->session.orders.given;
	if (!key)
		return err->code;
	if (!gb_memory_is_dry() && try(r, input, &how, &need, &more_s, err)) {
		free(key);
		return err->code;
	}
	if (r->code)
		gb_fail(&own, r->code, "%s", r->reason);
	else if (gb_memory_is_dry())
		(void)gb_need_of(&need, r->workload, r->variant, r->params, input, &own);
	gb_text_print(stdout, key);
	free(key);
	plan->seconds += more_s;
	if (!own.code) {
		print(plan, &need, r->elapsed_s + more_s);
		if (fflush(stdout)) /* the next trial may take minutes */
			return gb_fail(err, GB_EIO, "cannot write to standard output: %s",
				       strerror(errno));
		return GB_OK;
	}
	plan->skipped++;
	(void)fputs(r->outcome == GB_FAILED ? ": failed: " : ": skipped: ", stdout);
	gb_text_print(stdout, own.message);
	(void)putchar('\n');
	return GB_OK;
}

enum gb_status gb_plan_sweep(struct gb_plan *plan, const struct gb_sweep *sweep,
			     const struct gb_choice *choice, struct gb_error *err)
{
	const double start_ns = gb_now_ns();

	gb_memory_set_dry(plan->session.request->dry == GB_DRY_KEYS);
	(void)gb_session_each(&plan->session, sweep, choice, plan_one, plan, err);
	gb_memory_set_dry(false);
	plan->seconds += (gb_now_ns() - start_ns) * 1e-9;
	return err->code;
}

void gb_plan_total(const struct gb_plan *plan)
{
	const struct gb_request *request = plan->session.request;
	const int64_t runs = request->repeats.runs > 1 ? request->repeats.runs : 1;
	char host[GB_TEXT_MAX], device[GB_TEXT_MAX], time[GB_TEXT_MAX];

	if (plan->measurements == 0) {
		(void)puts("\nnothing to measure");
		return;
	}
	(void)printf("\ntotal of %zu", plan->measurements);
	if (plan->skipped)
		(void)printf(", %zu skipped", plan->skipped);
	if (runs > 1)
		(void)printf(", in %lld launches", (long long)runs);
	(void)printf(": host %s, device %s", gb_text_bytes(host, (double)plan->host_bytes),
		     gb_text_bytes(device, (double)plan->device_bytes));
	if (request->dry != GB_DRY_KEYS)
		(void)printf(", about %s", gb_text_wait(time, (double)runs * plan->seconds));
	(void)putchar('\n');
}
