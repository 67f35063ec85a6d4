/* plan.c -- --dry-run: what a session would measure, and the memory that it would take. */
#include "cli/measure/session.h"

#include <stdio.h>
#include <stdlib.h>

#include "cli/measure/checks.h"
#include "cli/measure/measure.h"
#include "cli/records/key.h"
#include "common/memory.h"
#include "common/text.h"

static size_t larger(size_t a, size_t b)
{
	return a > b ? a : b;
}

static void print(struct gb_session *s, const struct gb_need *need)
{
	char host[GB_TEXT_MAX], device[GB_TEXT_MAX];

	s->plan.measurements++;
	s->plan.host_bytes = larger(s->plan.host_bytes, need->host_bytes);
	s->plan.device_bytes = larger(s->plan.device_bytes, need->device_bytes);
	(void)printf(": host %s%s, device %s\n", gb_text_bytes(host, (double)need->host_bytes),
		     need->host_bytes > gb_memory_available() ? " (more than is free)" : "",
		     gb_text_bytes(device, (double)need->device_bytes));
}

/* Print the record of a measurement that is skipped because of `why`. */
static void put(struct gb_session *s, struct gb_result *r, const struct gb_need *need,
		const struct gb_error *why, struct gb_error *err)
{
	if (gb_result_begin(r, err))
		return;
	gb_result_fail(r, why);
	r->record.seq = (double)s->seq++;
	r->record.memory.host_bytes = (double)need->host_bytes;
	r->record.memory.device_bytes = (double)need->device_bytes;
	if (!gb_records_add_record(&s->records, &r->record, err))
		(void)gb_output_put(&s->output, &s->records, err);
}

void gb_plan_one(void *session, struct gb_result *r, void *input, struct gb_error *err)
{
	struct gb_session *s = session;
	struct gb_error own = { 0 };
	struct gb_need need = { 0 };
	char *key;

	if (r->code)
		gb_fail(&own, r->code, "%s", r->record.reason);
	else
		(void)gb_need_of(&need, r, input, &own);
	if (s->output.to_stdout) {
		if (!own.code)
			gb_fail(&own, GB_EUNAVAILABLE, "--dry-run");
		put(s, r, &need, &own, err);
		return;
	}
	key = gb_record_key(r->benchmark, r->variant, r->params, err);
	if (!key)
		return;
	gb_text_print(stdout, key);
	free(key);
	if (!own.code) {
		print(s, &need);
	} else {
		s->plan.skipped++;
		(void)fputs(": skipped: ", stdout);
		gb_text_print(stdout, own.message);
		(void)putchar('\n');
	}
}

void gb_plan_total(const struct gb_session *s)
{
	const int64_t runs = s->request->repeats.runs;
	char host[GB_TEXT_MAX], device[GB_TEXT_MAX];

	if (s->output.to_stdout)
		return;
	if (s->plan.measurements == 0) {
		(void)puts("\nnothing to measure");
		return;
	}
	(void)printf("\ntotal of %zu", s->plan.measurements);
	if (s->plan.skipped)
		(void)printf(", %zu skipped", s->plan.skipped);
	if (runs > 1)
		(void)printf(", in %lld repetitions", (long long)runs);
	(void)printf(": host %s, device %s\n", gb_text_bytes(host, (double)s->plan.host_bytes),
		     gb_text_bytes(device, (double)s->plan.device_bytes));
}
