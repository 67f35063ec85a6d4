/* record.c -- a measurement's result as JSON.
 *
 * Every addition to an object is checked: a line that lacks a member because memory ran out is
 * never written.  Values in ns are rounded to 1/1000 ns, far below any clock's resolution, which
 * halves the size of a file full of samples.
 */
#include "cli/records/record.h"

#include <math.h>
#include <stdlib.h>

#include "cli/records/json.h"
#include "cli/records/key.h"
#include "cli/records/lines.h"
#include "cli/workloads/registry.h"
#include "cli/workloads/value.h"
#include "common/stats.h"
#include "common/text.h"

/* ---- the point --------------------------------------------------------------------------- */

static bool put_key(cJSON *line, const struct gb_result *result, struct gb_error *err)
{
	char *key = gb_record_key(result->workload, result->variant, result->params, err);
	const bool ok = key && gb_json_put_text(line, "key", key);

	free(key);
	return ok;
}

static bool put_params(cJSON *line, const struct gb_result *result)
{
	cJSON *object = cJSON_AddObjectToObject(line, "params");

	if (!object)
		return false;
	for (size_t i = 0; i < result->workload->param_count; i++) {
		const struct gb_param *param = &result->workload->params[i];

		if (gb_param_applies(param, result->variant) &&
		    !gb_put_param(object, param, gb_value_load(param, result->params)))
			return false;
	}
	return true;
}

/* ---- series ------------------------------------------------------------------------------ */

static double rounded(double ns)
{
	return round(ns * 1e3) / 1e3;
}

/* [low, high], or null if there is no such interval. */
static bool put_interval(cJSON *object, const char *name, double low, double high)
{
	cJSON *array;

	if (!isfinite(low) || !isfinite(high))
		return gb_json_put(object, name, cJSON_CreateNull());
	array = cJSON_AddArrayToObject(object, name);
	return gb_json_append_number(array, rounded(low)) &&
	       gb_json_append_number(array, rounded(high));
}

static bool put_samples(cJSON *object, const double *value, size_t count)
{
	cJSON *array = cJSON_AddArrayToObject(object, "samples");

	for (size_t i = 0; i < count; i++)
		if (!gb_json_append_number(array, rounded(value[i])))
			return false;
	return array;
}

static bool put_summary(cJSON *object, const char *clock, const struct gb_summary *s)
{
	return gb_json_put_text(object, "clock", clock) && gb_json_put_text(object, "unit", "ns") &&
	       gb_json_put_int(object, "n", (int64_t)s->count) &&
	       gb_json_put_number(object, "median", rounded(s->median)) &&
	       put_interval(object, "ci95", s->ci_low, s->ci_high) &&
	       gb_json_put_number(object, "ci_level", s->ci_coverage) &&
	       gb_json_put_number(object, "min", rounded(s->min)) &&
	       gb_json_put_number(object, "q1", rounded(s->q1)) &&
	       gb_json_put_number(object, "q3", rounded(s->q3)) &&
	       gb_json_put_number(object, "max", rounded(s->max)) &&
	       gb_json_put_number(object, "mean", rounded(s->mean)) &&
	       put_interval(object, "mean_ci95", s->mean_ci_low, s->mean_ci_high) &&
	       gb_json_put_number(object, "stddev", rounded(s->stddev)) &&
	       gb_json_put_number(object, "mad", rounded(s->mad)) &&
	       gb_json_put_int(object, "outliers", (int64_t)s->outliers);
}

/* count values as a series under name; nothing if there are none.  Its interval is no narrower than
 * the clock's resolution. */
static bool put_floored(cJSON *parent, const char *name, const char *clock, const double *value,
			size_t count, double resolution_ns, struct gb_error *err)
{
	struct gb_summary summary;
	cJSON *object;

	if (count == 0)
		return true;
	if (gb_summarize(value, count, &summary, err))
		return false;
	gb_floor_interval(&summary, resolution_ns);
	object = cJSON_AddObjectToObject(parent, name);
	return object && put_summary(object, clock, &summary) && put_samples(object, value, count);
}

static bool put_series(cJSON *parent, const char *name, const char *clock, const double *value,
		       size_t count, struct gb_error *err)
{
	return put_floored(parent, name, clock, value, count, 0, err);
}

/* A time that was taken once, if it was. */
static bool put_once(cJSON *line, const char *name, const char *clock, double ns,
		     struct gb_error *err)
{
	return !isfinite(ns) || put_series(line, name, clock, &ns, 1, err);
}

/* host_time - time of each sample: what launching and waiting cost. */
static bool put_overhead(cJSON *line, const struct gb_result *result, struct gb_error *err)
{
	const size_t count = result->time.count;
	double *difference;
	bool ok;

	if (count == 0 || result->host_time.count != count)
		return true;
	difference = malloc(count * sizeof *difference);
	if (!difference)
		return false;
	for (size_t i = 0; i < count; i++)
		difference[i] = result->host_time.value[i] - result->time.value[i];
	ok = put_series(line, "overhead", "derived", difference, count, err);
	free(difference);
	return ok;
}

static bool put_times(cJSON *line, const struct gb_result *result, struct gb_error *err)
{
	const struct gb_timer_ops *timer = gb_backends[result->variant->backend]->timer;
	const char *clock = result->emulated ? "emulated" : timer->name;
	cJSON *phases;

	if (!put_once(line, "create", "monotonic", result->create_ns, err) ||
	    !put_floored(line, "time", clock, result->time.value, result->time.count,
			 result->resolution_ns, err) ||
	    !put_series(line, "host_time", "monotonic", result->host_time.value,
			result->host_time.count, err) ||
	    !put_overhead(line, result, err) ||
	    !put_once(line, "upload", clock, result->upload_ns, err) ||
	    !put_once(line, "download", clock, result->download_ns, err) ||
	    !put_once(line, "first_call", "monotonic", result->first_ns, err))
		return false;
	if (result->phase_count == 0)
		return true;
	phases = cJSON_AddObjectToObject(line, "phases");
	for (size_t i = 0; i < result->phase_count; i++)
		if (!put_floored(phases, result->phase[i].name, clock, result->phase[i].time.value,
				 result->phase[i].time.count, result->resolution_ns, err))
			return false;
	return phases;
}

/* ---- the rest of a result ---------------------------------------------------------------- */

static bool put_verify(cJSON *line, const struct gb_result *result)
{
	static const char *const word[] = {
		[GB_NOT_VERIFIED] = "skipped",
		[GB_PASS] = "pass",
		[GB_FAIL] = "fail",
	};
	cJSON *object = cJSON_AddObjectToObject(line, "verify");

	return object && gb_json_put_text(object, "result", word[result->verdict]) &&
	       gb_json_put_text(object, "method", result->workload->verify_method) &&
	       (result->verdict != GB_PASS || gb_json_put_int(object, "runs", result->verified));
}

static bool put_work(cJSON *line, const struct gb_result *result)
{
	cJSON *object = cJSON_AddObjectToObject(line, "work");

	return object && gb_json_put_number(object, "items", result->work.items) &&
	       gb_json_put_text(object, "unit", result->workload->item) &&
	       gb_json_put_number(object, "bytes", result->work.bytes);
}

/* What was done before `time` that other programs have to do within theirs. */
static bool put_excluded(cJSON *line, const struct gb_result *result)
{
	const struct gb_workload *workload = result->workload;
	const struct gb_variant_ops *ops = result->variant->ops;
	const char *const things[] = {
		"allocation of memory",
		workload->excluded ? workload->excluded(result->params) : NULL,
		ops->excluded ? ops->excluded(result->params) : NULL,
	};
	cJSON *array = cJSON_AddArrayToObject(line, "excluded");

	for (size_t i = 0; i < GB_COUNT(things); i++)
		if (things[i] && !gb_json_append_text(array, things[i]))
			return false;
	return array;
}

/* What is not finite is left out, rather than null. */
static bool put_rate(cJSON *object, const char *name, double value)
{
	return !isfinite(value) || gb_json_put_number(object, name, value);
}

/* By the median time; where the samples are different work, items by the harmonic mean.  Times of
 * the emulator say nothing about a GPU, so it has no rates. */
static bool put_rates(cJSON *line, const struct gb_result *result, struct gb_error *err)
{
	struct gb_summary time;
	double items, bytes, whole_s;
	cJSON *object;

	if (result->time.count == 0 || result->emulated)
		return true;
	if (gb_summarize(result->time.value, result->time.count, &time, err))
		return false;
	items = isfinite(result->harmonic_items_per_s) ? result->harmonic_items_per_s
						       : result->work.items / (time.median / 1e9);
	bytes = result->work.bytes / (time.median / 1e9);
	whole_s = (result->upload_ns + time.median + result->download_ns) / 1e9;
	object = cJSON_AddObjectToObject(line, "rates");
	return object && put_rate(object, "items_per_s", items) &&
	       put_rate(object, "items_per_s_with_transfers", result->work.items / whole_s) &&
	       put_rate(object, "bytes_per_s", bytes) &&
	       put_rate(object, "copy_bytes_per_s", result->copy_bytes_per_s) &&
	       put_rate(object, "copy_share", bytes / result->copy_bytes_per_s);
}

static bool put_memory(cJSON *line, const struct gb_result *result)
{
	cJSON *object = cJSON_AddObjectToObject(line, "memory");

	return object && gb_json_put_number(object, "host_bytes", (double)result->host_bytes) &&
	       gb_json_put_number(object, "device_bytes", (double)result->device_bytes) &&
	       (!result->flush_bytes ||
		gb_json_put_number(object, "flush_bytes", (double)result->flush_bytes));
}

static bool put_metrics(cJSON *line, const struct gb_metrics *metrics)
{
	cJSON *object = cJSON_AddObjectToObject(line, "metrics");

	for (size_t i = 0; i < metrics->count; i++)
		if (metrics->item[i].text[0]
			    ? !cJSON_AddStringToObject(object, metrics->item[i].name,
						       metrics->item[i].text)
			    : !gb_json_put_number(object, metrics->item[i].name,
						  metrics->item[i].value))
			return false;
	return object;
}

/* Exact counts of one run, where the back end gives them. */
static bool put_counts(cJSON *line, const struct gb_result *result)
{
	return !result->counts || gb_json_put(line, "counts", cJSON_Parse(result->counts));
}

/* Where the input came from; of a generated one, from what. */
static bool put_input(cJSON *line, const struct gb_result *result)
{
	const struct gb_workload *workload = result->workload;
	const char *source = gb_workload_source(workload, result->params);
	const struct gb_param *seed =
		gb_param_find(workload->params, workload->param_count, "seed");
	cJSON *object = cJSON_AddObjectToObject(line, "input");

	if (!object || !gb_json_put_text(object, "source", source))
		return false;
	if (!gb_equal(source, "generated"))
		return true;
	return gb_json_put_text(object, "generator", "philox4x32-10") &&
	       (!seed || gb_put_param(object, seed, gb_value_load(seed, result->params)));
}

/* [before, after] */
static bool put_pair(cJSON *object, const char *name, double before, double after)
{
	cJSON *array = cJSON_AddArrayToObject(object, name);

	return gb_json_append_number(array, before) && gb_json_append_number(array, after);
}

/* The reasons by the bits of NVML's nvmlClocksEventReason* constants. */
static bool put_throttle(cJSON *object, uint64_t bits)
{
	static const char *const reason[] = {
		"idle",           "application_clocks", "software_power_cap", "hardware_slowdown",
		"sync_boost",     "software_thermal",   "hardware_thermal",   "power_brake",
		"display_clocks",
	};
	cJSON *array = cJSON_AddArrayToObject(object, "throttle");

	for (size_t i = 0; i < GB_COUNT(reason); i++)
		if (bits >> i & 1 && !gb_json_append_text(array, reason[i]))
			return false;
	return array;
}

static bool put_clocks(cJSON *object, const struct gb_series *clock)
{
	cJSON *array = cJSON_AddArrayToObject(object, "sm_clock_hz");

	for (size_t i = 0; i < clock->count; i++)
		if (!gb_json_append_number(array, round(clock->value[i])))
			return false;
	return array;
}

static bool put_gpu_state(cJSON *line, const struct gb_result *result)
{
	const struct gb_gpu_state *before = &result->before, *after = &result->after;
	cJSON *object;

	if (!result->has_gpu_state && result->sm_clock_hz.count == 0)
		return true;
	object = cJSON_AddObjectToObject(line, "gpu_state");
	if (!object || (result->sm_clock_hz.count && !put_clocks(object, &result->sm_clock_hz)))
		return false;
	if (!result->has_gpu_state)
		return true;
	return put_pair(object, "temperature_c", before->temperature_c, after->temperature_c) &&
	       put_pair(object, "clock_hz", before->sm_clock_hz, after->sm_clock_hz) &&
	       put_pair(object, "power_w", before->power_w, after->power_w) &&
	       gb_json_put_number(object, "energy_j", after->energy_j - before->energy_j) &&
	       gb_json_put_number(object, "throttled_s",
				  (after->throttled_ns - before->throttled_ns) / 1e9) &&
	       (isnan(after->throttled_ns) ||
		gb_json_put_int(object, "throttled_samples", result->throttled)) &&
	       (!before->throttle_known || !after->throttle_known ||
		put_throttle(object, before->throttle | after->throttle));
}

/* ---- the record line --------------------------------------------------------------------- */

static const char *error_word(enum gb_status code)
{
	switch (code) {
	case GB_OK:
		return NULL;
	case GB_EVERIFY:
		return "verify";
	case GB_EUSAGE:
		return "usage";
	case GB_EUNAVAILABLE:
	case GB_EMEMORY:
		return "unavailable";
	case GB_ERUNTIME:
		return "runtime";
	case GB_EIO:
		return "io";
	case GB_EINTERRUPTED:
		return "interrupted";
	case GB_EUNDECIDED: /* of comparisons only */
		break;
	}
	return "runtime";
}

static bool put_identity(cJSON *line, const struct gb_result *result, const char *run_id,
			 int64_t seq, struct gb_error *err)
{
	const struct gb_variant *variant = result->variant;
	const char *(*library)(void) = variant->ops ? variant->ops->library : NULL;

	return gb_json_put_text(line, "type", "record") &&
	       gb_json_put_int(line, "schema", GB_RECORD_SCHEMA) &&
	       gb_json_put_text(line, "run_id", run_id) && gb_json_put_int(line, "seq", seq) &&
	       gb_json_put_text(line, "bench", result->workload->name) &&
	       gb_json_put_text(line, "backend", gb_backends[variant->backend]->name) &&
	       gb_json_put_text(line, "variant", variant->name) &&
	       gb_json_put_bool(line, "peer", variant->peer) &&
	       (!library || gb_json_put_text(line, "library", library())) &&
	       put_key(line, result, err) && put_params(line, result);
}

const char *gb_status_word(const struct gb_result *result)
{
	static const char *const word[] = {
		[GB_RESULT_OK] = "ok",
		[GB_SKIPPED] = "skipped",
		[GB_FAILED] = "failed",
	};

	return result->outcome == GB_RESULT_OK && result->verdict == GB_NOT_VERIFIED
		       ? "unverified"
		       : word[result->outcome];
}

static bool put_outcome(cJSON *line, const struct gb_result *result)
{
	return gb_json_put_text(line, "status", gb_status_word(result)) &&
	       gb_json_put_text(line, "reason", result->reason[0] ? result->reason : NULL) &&
	       gb_json_put_text(line, "error", error_word(result->code)) &&
	       put_verify(line, result);
}

/* Members of results that are ok. */
static bool put_measured(cJSON *line, const struct gb_result *result, struct gb_error *err)
{
	static const char *const stop[] = {
		[GB_CONVERGED] = "converged",
		[GB_LIMIT] = "limit",
		[GB_FIXED] = "fixed",
	};

	return gb_json_put_text(line, "stop_reason", stop[result->stop]) &&
	       gb_json_put_bool(line, "cold", result->cold) &&
	       gb_json_put_bool(line, "emulated", result->emulated) &&
	       gb_json_put_int(line, "batch", result->batch) &&
	       (!result->given_up || gb_json_put_int(line, "holds_given_up", result->given_up)) &&
	       (result->threads > 0 ? gb_json_put_int(line, "threads", result->threads)
				    : gb_json_put_text(line, "threads", NULL)) &&
	       put_excluded(line, result) && put_work(line, result) &&
	       put_rates(line, result, err) && put_times(line, result, err) &&
	       put_gpu_state(line, result) && put_memory(line, result) &&
	       put_metrics(line, &result->metrics) && put_counts(line, result) &&
	       gb_json_put_number(line, "elapsed_s", result->elapsed_s);
}

cJSON *gb_record_result(const struct gb_result *result, const char *run_id, int64_t seq,
			struct gb_error *err)
{
	const bool measured = result->outcome == GB_RESULT_OK;
	cJSON *line = cJSON_CreateObject();

	if (line && put_identity(line, result, run_id, seq, err) && put_outcome(line, result) &&
	    put_input(line, result) && (!measured || put_measured(line, result, err)))
		return line;
	cJSON_Delete(line);
	/* Unless err already holds another failure. */
	gb_out_of_memory(err, "writing a record");
	return NULL;
}

enum gb_status gb_record_replaces(cJSON *line, const cJSON *old, struct gb_error *err)
{
	cJSON *object = cJSON_AddObjectToObject(line, "replaces");

	if (object && gb_json_put_text(object, "run_id", gb_json_text(old, "run_id")) &&
	    gb_json_put_number(object, "seq", gb_json_number(old, "seq")))
		return GB_OK;
	return gb_out_of_memory(err, "writing a record");
}
