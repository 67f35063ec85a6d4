/* plan.c -- prints the memory and time that each measurement of a sweep would take. */
#include "cli/measuring/plan.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/measuring/need.h"
#include "cli/measuring/stopping.h"
#include "cli/records/key.h"
#include "cli/workloads/registry.h"
#include "common/available.h"
#include "common/memory.h"
#include "common/text.h"
#include "common/variants.h"

struct span {
	double low_s, high_s, at_most_s;
	bool known; /* from records: all three are equal */
};

/* ---- time --------------------------------------------------------------------------------- */

/* "3.2 s", "12 min", "5.1 h" */
static const char *duration(char *text, double s)
{
	if (s < 100)
		(void)snprintf(text, GB_TEXT_MAX, "%.2g s", s);
	else if (s < 6000)
		(void)snprintf(text, GB_TEXT_MAX, "%.0f min", s / 60);
	else
		(void)snprintf(text, GB_TEXT_MAX, "%.1f h", s / 3600);
	return text;
}

/* Seconds that the records give for the key, or else the mean over the variant's records; NAN if
 * there are none. */
static double recorded(const struct gb_records *records, const struct gb_variant *variant,
		       const char *key)
{
	double sum = 0;
	size_t count = 0;

	for (size_t i = 0; i < records->count; i++) {
		const struct gb_record *record = records->record[i];
		const double elapsed_s = record->elapsed_s;

		if (isnan(elapsed_s))
			continue;
		if (gb_equal(record->key, key))
			return elapsed_s;
		if (gb_equal(record->bench, variant->workload) &&
		    gb_equal(record->variant, variant->name) &&
		    gb_equal(record->backend, gb_backends[variant->backend]->name)) {
			sum += elapsed_s;
			count++;
		}
	}
	return count ? sum / (double)count : (double)NAN;
}

static struct span span_of(const struct gb_plan *plan, const struct gb_variant *variant,
			   const char *key)
{
	const struct gb_settings *how = &plan->session.request->how;
	const double known = recorded(&plan->session.records, variant, key);

	if (!isnan(known))
		return (struct span){ known, known, known, true };
	if (how->samples)
		return (struct span){ 0, how->timeout_s, how->timeout_s, false };
	return (struct span){ fmin(gb_least_time_s(how), how->timeout_s),
			      fmin(how->max_time_s, how->timeout_s), how->timeout_s, false };
}

enum { SPAN_TEXT = 4 * GB_TEXT_MAX };

/* "about 3.2 s", "0.5 s to 5 s, at most 60 s", "at most 60 s" */
static const char *span_text(const struct span *span, char text[SPAN_TEXT])
{
	char low[GB_TEXT_MAX], high[GB_TEXT_MAX], most[GB_TEXT_MAX];

	(void)duration(low, span->low_s);
	(void)duration(high, span->high_s);
	(void)duration(most, span->at_most_s);
	if (span->low_s >= span->at_most_s)
		(void)snprintf(text, SPAN_TEXT, "about %s", low);
	else if (span->high_s >= span->at_most_s)
		(void)snprintf(text, SPAN_TEXT, "at most %s", most);
	else
		(void)snprintf(text, SPAN_TEXT, "%s to %s, at most %s", low, high, most);
	return text;
}

/* ---- one measurement ---------------------------------------------------------------------- */

static size_t larger(size_t a, size_t b)
{
	return a > b ? a : b;
}

static void count_in(struct gb_plan *plan, const struct gb_need *need, const struct span *span)
{
	plan->measurements++;
	plan->known += span->known;
	plan->low_s += span->low_s;
	plan->high_s += span->high_s;
	plan->at_most_s += span->at_most_s;
	plan->host_bytes = larger(plan->host_bytes, need->host_bytes);
	plan->device_bytes = larger(plan->device_bytes, need->device_bytes);
}

static enum gb_status plan_one(void *self, struct gb_result *r, void *input, struct gb_error *err)
{
	struct gb_plan *plan = self;
	struct gb_error own = { 0 };
	char host_text[GB_TEXT_MAX], device_text[GB_TEXT_MAX], time_text[SPAN_TEXT];
	char *key = gb_record_key(r->workload, r->variant, r->params, err);
	struct gb_need need = { 0 };
	struct span span;

	if (!key)
		return err->code;
	if (r->code)
		gb_fail(&own, r->code, "%s", r->reason);
	else
		(void)gb_need_of(&need, r->workload, r->variant, r->params, input, &own);
	gb_text_print(stdout, key);
	if (own.code) {
		(void)fputs(": skipped: ", stdout);
		gb_text_print(stdout, own.message);
		(void)putchar('\n');
	} else {
		span = span_of(plan, r->variant, key);
		count_in(plan, &need, &span);
		(void)printf(": host %s%s, device %s, %s\n",
			     gb_text_bytes(host_text, (double)need.host_bytes),
			     need.host_bytes > gb_host_available() ? " (more than is free)" : "",
			     gb_text_bytes(device_text, (double)need.device_bytes),
			     span_text(&span, time_text));
	}
	free(key);
	return GB_OK;
}

/* ---- sweeps ------------------------------------------------------------------------------- */

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
	const struct gb_request *request = plan->session.request;
	const double runs = request->repeats.runs > 1 ? (double)request->repeats.runs : 1;
	const struct span span = { runs * plan->low_s, runs * plan->high_s, runs * plan->at_most_s,
				   false };
	char host[GB_TEXT_MAX], device[GB_TEXT_MAX], time[4 * GB_TEXT_MAX];

	if (plan->measurements == 0) {
		(void)puts("\nnothing to measure");
		return;
	}
	(void)printf("\ntotal of %zu", plan->measurements);
	if (request->repeats.runs > 1)
		(void)printf(" in %lld launches", (long long)request->repeats.runs);
	(void)printf(": host %s, device %s, %s, without input preparation\n",
		     gb_text_bytes(host, (double)plan->host_bytes),
		     gb_text_bytes(device, (double)plan->device_bytes), span_text(&span, time));
	if (plan->known)
		(void)printf("times taken from %s: %zu\n",
			     request->target.path ? request->target.path : "the records",
			     plan->known);
	if (plan->known < plan->measurements)
		(void)puts("A to B, at most C: A if the samples agree at once, B by --max-time, "
			   "C by --timeout");
}
