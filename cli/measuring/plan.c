/* plan.c -- prints the memory and time that each measurement of a sweep would take. */
#include "cli/measuring/plan.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/measuring/bandwidth.h"
#include "cli/measuring/making.h"
#include "cli/measuring/need.h"
#include "cli/measuring/runner.h"
#include "cli/records/key.h"
#include "cli/workloads/value.h"
#include "common/available.h"
#include "common/memory.h"
#include "common/text.h"

static size_t larger(size_t a, size_t b)
{
	return a > b ? a : b;
}

/* ---- trials ------------------------------------------------------------------------------- */

static int64_t value_of(const struct gb_result *r, const char *name)
{
	const struct gb_param *row =
		gb_param_find(r->workload->params, r->workload->param_count, name);

	return row ? gb_value_load(row, r->params).i : 0;
}

/* The most bytes that the first trial of a variant needs if there is a smaller point. */
static const double FIRST_BYTES = 1 << 26;

/* The bytes that a measurement needs; 0: unknown. */
static double bytes_of(const struct gb_result *r)
{
	return (double)r->host_bytes + (double)r->device_bytes;
}

/* The trial of the same variant and operation, if possible with as many threads, that is nearest in
 * size.  NULL if there is none. */
static const struct gb_plan_trial *nearest(const struct gb_plan *plan, const struct gb_result *r)
{
	const double other = 1000, bytes = bytes_of(r);
	const int64_t op = value_of(r, "op"), threads = value_of(r, "threads");
	const struct gb_plan_trial *best = NULL;
	double least = INFINITY;

	for (size_t i = 0; i < plan->trials && bytes > 0; i++) {
		const struct gb_plan_trial *t = &plan->trial[i];
		const double distance =
			fabs(log(bytes / t->bytes)) + (t->threads == threads ? 0 : other);

		if (t->variant != r->variant || t->op != op || distance > least)
			continue;
		least = distance;
		best = t;
	}
	return best;
}

bool gb_plan_tries(const struct gb_plan_trial *near, double bytes, int64_t threads, double spent_s)
{
	const double long_s = 0.2, most_s[] = { 1, 5, 2 }, far_above = 16;
	struct gb_tried tried;
	double factor;

	if (!near)
		return true;
	factor = bytes / near->bytes;
	tried = gb_tried_times(&near->tried, factor);
	if (gb_input_s(near->input_s, factor) + gb_trial_s(&tried) > long_s)
		return false;
	return spent_s < most_s[near->threads != threads ? 2 : factor >= far_above];
}

/* Skip a measurement whose input need not be made to know that it cannot run. */
static void skip_absent(const struct gb_plan *plan, struct gb_result *r)
{
	const struct gb_error *device = &plan->session.absent[r->variant->backend];
	const char *why = r->variant->ops ? device->message : r->variant->absent;

	if (r->variant->ops && !device->code)
		return;
	r->outcome = GB_SKIPPED;
	r->code = GB_EUNAVAILABLE;
	(void)snprintf(r->reason, sizeof r->reason, "%s", why);
}

/* ---- points and their inputs -------------------------------------------------------------- */

/* True if the result is of that point. */
static bool is_at(const struct gb_plan_point *point, const struct gb_result *r)
{
	return point->params && point->workload == r->workload &&
	       !memcmp(point->params, r->params, r->workload->params_size);
}

static enum gb_status set_point(struct gb_plan_point *point, const struct gb_result *r,
				struct gb_error *err)
{
	const size_t size = r->workload->params_size;

	free(point->params);
	point->workload = r->workload;
	point->params = malloc(size);
	if (!point->params)
		return gb_out_of_memory(err, NULL);
	memcpy(point->params, r->params, size);
	return GB_OK;
}

/* Release the input of the last trial. */
static void release_input(struct gb_plan *plan)
{
	if (plan->made.params)
		plan->made.workload->release(plan->input);
	free(plan->made.params);
	plan->made = (struct gb_plan_point){ 0 };
	plan->input = NULL;
}

/* Make the input of a trial, unless it is that of the trial before. */
static enum gb_status make_input(struct gb_plan *plan, struct gb_result *r, struct gb_error *err)
{
	const double start_ns = gb_now_ns();
	struct gb_error *why = &plan->no_input;

	if (!is_at(&plan->made, r)) {
		release_input(plan);
		if (set_point(&plan->made, r, err))
			return err->code;
		*why = (struct gb_error){ 0 };
		(void)gb_make_input(r->workload, r->params, &plan->input, why);
		plan->made_s = (gb_now_ns() - start_ns) * 1e-9;
	}
	if (!why->code)
		return GB_OK;
	if (why->code != GB_EUNAVAILABLE && why->code != GB_EMEMORY)
		return gb_fail(err, why->code, "%s", why->message);
	r->outcome = GB_SKIPPED;
	r->code = why->code;
	(void)snprintf(r->reason, sizeof r->reason, "input: %.460s", why->message);
	return GB_OK;
}

/* True if the point names a file, whose name is gone after the sweep. */
static bool has_paths(const struct gb_plan_point *point)
{
	for (size_t i = 0; point->params && i < point->workload->param_count; i++) {
		const struct gb_param *row = &point->workload->params[i];

		if (row->type == GB_PATH && gb_value_load(row, point->params).s)
			return true;
	}
	return false;
}

/* ---- estimates ---------------------------------------------------------------------------- */

/* Remember a trial, which tells of larger ones. */
static void remember(struct gb_plan *plan, const struct gb_result *r, double bytes)
{
	if (plan->trials == GB_COUNT(plan->trial) || !(bytes > 0))
		return;
	plan->trial[plan->trials++] = (struct gb_plan_trial){
		.variant = r->variant,
		.op = value_of(r, "op"),
		.threads = value_of(r, "threads"),
		.bytes = bytes,
		.input_s = plan->made_s,
		.tried = gb_tried_of(r),
	};
}

/* Set the seconds and, if it was unknown, the need of a measurement by a trial.  The reason is in
 * the result if the point would be skipped or would fail.  again: there was a similar trial. */
static enum gb_status try(struct gb_plan *plan, struct gb_result *r, const struct gb_settings *how,
			  bool again, double *seconds, struct gb_error *err)
{
	const struct gb_settings trial = gb_trial_of(how);
	const struct gb_need need = { r->host_bytes, r->device_bytes };
	const double bytes = bytes_of(r), start_ns = gb_now_ns();
	struct gb_tried tried;

	if (make_input(plan, r, err) || r->code || gb_run(r, plan->input, &trial, true, err))
		return err->code;
	if (again)
		plan->tried_s += (gb_now_ns() - start_ns) * 1e-9;
	if (bytes > 0) {
		r->host_bytes = need.host_bytes;
		r->device_bytes = need.device_bytes;
	}
	if (r->code) {
		if (r->code != GB_EUNAVAILABLE && r->code != GB_EMEMORY)
			release_input(plan); /* it may be spoilt */
		return GB_OK;
	}
	remember(plan, r, bytes);
	tried = gb_tried_of(r);
	*seconds = gb_estimate_s(&tried, how);
	return GB_OK;
}

/* Add the time that the session takes to measure the copy bandwidth, once for each back end. */
static void add_copy(struct gb_plan *plan, const struct gb_result *r, const struct gb_settings *how)
{
	const double start_ns = gb_now_ns();

	if (r->workload->yardstick || plan->copied >> r->variant->backend & 1)
		return;
	plan->copied |= 1U << r->variant->backend;
	(void)gb_copy_bandwidth(r->variant->backend, r->threads, how);
	plan->seconds += (gb_now_ns() - start_ns) * 1e-9;
}

/* Skip a measurement that create() refuses, as a trial would. */
static void skip_refused(struct gb_result *r)
{
	struct gb_error why = { 0 };
	struct gb_need need;

	if (!gb_need_find(&need, r->workload, r->variant, r->params, &why))
		return;
	r->outcome = GB_SKIPPED;
	r->code = why.code;
	(void)snprintf(r->reason, sizeof r->reason, "%.470s", why.message);
}

/* The value of a parameter with which the input has half the size, unless it is small. */
static int64_t halved(enum gb_growth growth, int64_t value)
{
	switch (growth) {
	case GB_LINEAR:
		return value > 4096 ? value / 2 : value;
	case GB_SQUARE:
		return value > 64 ? value * 5 / 7 : value;
	case GB_EXPONENTIAL:
		return value > 12 ? value - 1 : value;
	case GB_CONSTANT:
		break;
	}
	return value;
}

/* Halve the input of a point; false if it is small. */
static bool halve(const struct gb_workload *workload, void *params)
{
	bool smaller = false;

	for (size_t i = 0; i < workload->param_count; i++) {
		const struct gb_param *row = &workload->params[i];
		union gb_value value = { 0 };

		if (row->growth == GB_CONSTANT)
			continue;
		value = gb_value_load(row, params);
		smaller = smaller || halved(row->growth, value.i) < value.i;
		value.i = halved(row->growth, value.i);
		gb_value_store(row, params, value);
	}
	return smaller;
}

/* Try a smaller point of the same kind, if there is one. */
static enum gb_status try_smaller(struct gb_plan *plan, const struct gb_result *r,
				  const struct gb_settings *how, struct gb_error *err)
{
	void *const params = malloc(r->workload->params_size);
	struct gb_result small = { .workload = r->workload,
				   .variant = r->variant,
				   .params = params,
				   .host_bytes = r->host_bytes,
				   .device_bytes = r->device_bytes };
	struct gb_error why = { 0 };
	struct gb_need need;
	double seconds;

	if (!params)
		return gb_out_of_memory(err, NULL);
	memcpy(params, r->params, r->workload->params_size);
	while (!why.code && bytes_of(&small) > FIRST_BYTES && halve(r->workload, params) &&
	       !gb_need_find(&need, r->workload, r->variant, params, &why)) {
		small.host_bytes = need.host_bytes;
		small.device_bytes = need.device_bytes;
	}
	if (!why.code && bytes_of(&small) < bytes_of(r) &&
	    !try(plan, &small, how, false, &seconds, &why) && !small.code)
		add_copy(plan, &small, how);
	gb_result_release(&small);
	free(params);
	return GB_OK;
}

/* Set the seconds of a measurement by a trial, its own or a smaller one's. */
static enum gb_status estimate(struct gb_plan *plan, struct gb_result *r, double *seconds,
			       bool *scaled, struct gb_error *err)
{
	const struct gb_plan_trial *near = nearest(plan, r);
	const double bytes = bytes_of(r);
	struct gb_settings how = plan->session.request->how;
	struct gb_tried tried;
	double input_s;

	how.no_phases = how.no_phases || plan->session.orders.given;
	skip_absent(plan, r);
	if (r->code)
		return GB_OK;
	if (!near && bytes > FIRST_BYTES) {
		skip_refused(r);
		if (r->code || try_smaller(plan, r, &how, err))
			return err->code;
		near = nearest(plan, r);
	}
	*scaled = !gb_plan_tries(near, bytes, value_of(r, "threads"), plan->tried_s);
	if (*scaled) {
		const double factor = bytes / near->bytes;

		tried = gb_tried_times(&near->tried, factor);
		*seconds = fmin(gb_estimate_s(&tried, &how), how.timeout_s);
		skip_refused(r);
		if (r->code)
			return GB_OK;
		input_s = fmin(gb_input_s(near->input_s, factor), how.timeout_s);
	} else if (try(plan, r, &how, near != NULL, seconds, err)) {
		return err->code;
	} else {
		input_s = plan->made_s;
	}
	plan->seconds += *seconds + (is_at(&plan->point, r) ? 0 : input_s);
	if (!r->code && !*scaled)
		add_copy(plan, r, &how);
	return set_point(&plan->point, r, err);
}

/* ---- lines -------------------------------------------------------------------------------- */

static void print(struct gb_plan *plan, const struct gb_need *need, double seconds, bool scaled)
{
	char host[GB_TEXT_MAX], device[GB_TEXT_MAX], time[GB_TEXT_MAX];

	plan->measurements++;
	plan->scaled += scaled;
	plan->host_bytes = larger(plan->host_bytes, need->host_bytes);
	plan->device_bytes = larger(plan->device_bytes, need->device_bytes);
	(void)printf(
		": host %s%s, device %s%s%s%s\n", gb_text_bytes(host, (double)need->host_bytes),
		gb_memory_is_dry() && need->host_bytes > gb_host_available()
			? " (more than is free)"
			: "",
		gb_text_bytes(device, (double)need->device_bytes),
		gb_memory_is_dry() ? "" : ", about ",
		gb_memory_is_dry() ? "" : gb_text_wait(time, seconds), scaled ? " (scaled)" : "");
}

static void plan_one(void *self, struct gb_result *r, void *input, struct gb_error *err)
{
	struct gb_plan *plan = self;
	struct gb_error own = { 0 };
	struct gb_need need;
	double seconds = 0;
	bool scaled = false;
	char *key = gb_record_key(r->workload, r->variant, r->params, err);

	if (!key)
		return;
	if (!r->code && !gb_memory_is_dry() && estimate(plan, r, &seconds, &scaled, err)) {
		free(key);
		return;
	}
	need = (struct gb_need){ r->host_bytes, r->device_bytes };
	if (r->code)
		gb_fail(&own, r->code, "%s", r->reason);
	else if (gb_memory_is_dry())
		(void)gb_need_of(&need, r->workload, r->variant, r->params, input, &own);
	gb_text_print(stdout, key);
	free(key);
	if (!own.code) {
		print(plan, &need, seconds, scaled);
		if (fflush(stdout)) /* the next trial may take minutes */
			gb_fail(err, GB_EIO, "cannot write to standard output: %s",
				strerror(errno));
		return;
	}
	plan->skipped++;
	(void)fputs(r->outcome == GB_FAILED ? ": failed: " : ": skipped: ", stdout);
	gb_text_print(stdout, own.message);
	(void)putchar('\n');
}

enum gb_status gb_plan_sweep(struct gb_plan *plan, const struct gb_sweep *sweep,
			     const struct gb_choice *choice, struct gb_error *err)
{
	gb_memory_set_dry(plan->session.request->dry == GB_DRY_KEYS);
	(void)gb_session_each(&plan->session, sweep, choice, plan_one, plan, err);
	gb_memory_set_dry(false);
	if (has_paths(&plan->made))
		release_input(plan);
	return err->code;
}

void gb_plan_release(struct gb_plan *plan)
{
	release_input(plan);
	free(plan->point.params);
	gb_session_abandon(&plan->session);
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
	if (plan->scaled)
		(void)printf(" (%zu scaled from smaller trials)", plan->scaled);
	(void)putchar('\n');
}
