/* plan.c -- prints the memory that each measurement of a sweep would take. */
#include "cli/measure/plan.h"

#include <stdio.h>
#include <stdlib.h>

#include "cli/records/key.h"
#include "common/memory.h"
#include "common/text.h"

static size_t larger(size_t a, size_t b)
{
	return a > b ? a : b;
}

static void print(struct gb_plan *plan, const struct gb_need *need)
{
	char host[GB_TEXT_MAX], device[GB_TEXT_MAX];

	plan->measurements++;
	plan->host_bytes = larger(plan->host_bytes, need->host_bytes);
	plan->device_bytes = larger(plan->device_bytes, need->device_bytes);
	(void)printf(": host %s%s, device %s\n", gb_text_bytes(host, (double)need->host_bytes),
		     need->host_bytes > gb_memory_available() ? " (more than is free)" : "",
		     gb_text_bytes(device, (double)need->device_bytes));
}

static void plan_one(void *self, struct gb_result *r, void *input, struct gb_error *err)
{
	struct gb_plan *plan = self;
	struct gb_error own = { 0 };
	struct gb_need need = { 0 };
	char *key = gb_record_key(r->benchmark, r->variant, r->params, err);

	if (!key)
		return;
	if (r->code)
		gb_fail(&own, r->code, "%s", r->record.reason);
	else
		(void)gb_need_of(&need, r->benchmark, r->variant, r->params, input, &own);
	gb_text_print(stdout, key);
	free(key);
	if (!own.code) {
		print(plan, &need);
	} else {
		plan->skipped++;
		(void)fputs(": skipped: ", stdout);
		gb_text_print(stdout, own.message);
		(void)putchar('\n');
	}
}

enum gb_status gb_plan_sweep(struct gb_plan *plan, const struct gb_sweep *sweep,
			     const struct gb_choice *choice, struct gb_error *err)
{
	gb_memory_set_dry(true);
	(void)gb_session_each(&plan->session, sweep, choice, plan_one, plan, err);
	gb_memory_set_dry(false);
	return err->code;
}

void gb_plan_total(const struct gb_plan *plan)
{
	const int64_t runs = plan->session.request->repeats.runs;
	char host[GB_TEXT_MAX], device[GB_TEXT_MAX];

	if (plan->measurements == 0) {
		(void)puts("\nnothing to measure");
		return;
	}
	(void)printf("\ntotal of %zu", plan->measurements);
	if (plan->skipped)
		(void)printf(", %zu skipped", plan->skipped);
	if (runs > 1)
		(void)printf(", in %lld repetitions", (long long)runs);
	(void)printf(": host %s, device %s\n", gb_text_bytes(host, (double)plan->host_bytes),
		     gb_text_bytes(device, (double)plan->device_bytes));
}
