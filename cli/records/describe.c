/* describe.c -- fills struct gb_record from a measurement and formats it as a line.
 *
 * The structs borrow their pointers and live only until the line is made.
 */
#include "cli/records/describe.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/records/json.h"
#include "cli/records/key.h"
#include "cli/workloads/registry.h"
#include "cli/workloads/value.h"
#include "common/stats.h"
#include "common/text.h"
#include "common/variants.h"

static bool describe_params(struct gb_record *record, const struct gb_result *result,
			    char (*digits)[32])
{
	const struct gb_workload *workload = result->workload;

	for (size_t i = 0; i < workload->param_count; i++) {
		const struct gb_param *param = &workload->params[i];

		if (gb_param_applies(param, result->variant) &&
		    !gb_members_add(&record->params,
				    gb_param_member(param, gb_value_load(param, result->params),
						    digits[i])))
			return false;
	}
	return true;
}

static bool describe_metrics(struct gb_record *record, const struct gb_metrics *metrics)
{
	for (size_t i = 0; i < metrics->count; i++) {
		const char *text = metrics->item[i].text;
		const double number = metrics->item[i].value;
		const struct gb_member member = {
			.name = metrics->item[i].name,
			.kind = text[0]            ? GB_VALUE_TEXT
				: isfinite(number) ? GB_VALUE_NUMBER
						   : GB_VALUE_ABSENT,
			.number = number,
			.text = text,
		};

		if (!gb_members_add(&record->metrics, member))
			return false;
	}
	return true;
}

/* Widen the interval to at least the clock's resolution. */
static bool describe_times(struct gb_times *times, const char *clock,
			   const struct gb_series *series, double resolution_ns,
			   struct gb_error *err)
{
	struct gb_summary sum;

	if (gb_summarize(series->value, series->count, &sum, err))
		return false;
	gb_floor_interval(&sum, resolution_ns);
	*times = (struct gb_times){ .clock = clock,
				    .count = series->count,
				    .sample = series->value,
				    .median = sum.median,
				    .ci_low = sum.ci_low,
				    .ci_high = sum.ci_high };
	return true;
}

/* The samples of a device's transfers. */
static bool describe_transfers(struct gb_record *record, const struct gb_result *result,
			       const char *clock, struct gb_error *err)
{
	static const char *const names[] = { "upload", "download" };
	const struct gb_series *const series[] = { &result->upload, &result->download };

	for (size_t i = 0; result->upload.count && i < GB_COUNT(names); i++) {
		struct gb_named_times *transfer = &record->transfers.item[i];

		record->transfers.count++;
		transfer->name = names[i];
		if (!describe_times(&transfer->time, clock, series[i], result->resolution_ns, err))
			return false;
	}
	return true;
}

static bool describe_series(struct gb_record *record, const struct gb_result *result,
			    struct gb_error *err)
{
	const struct gb_timer_ops *timer = gb_backends[result->variant->backend]->timer;
	const char *clock = result->emulated ? "emulated" : timer->name;

	for (size_t i = 0; i < result->phase_count; i++) {
		struct gb_named_times *phase = &record->phases.item[record->phases.count];

		phase->name = result->phase[i].name;
		if (!describe_times(&phase->time, clock, &result->phase[i].time,
				    result->resolution_ns, err))
			return false;
		record->phases.count += result->phase[i].time.count > 0;
	}
	return describe_transfers(record, result, clock, err) &&
	       describe_times(&record->time, clock, &result->time, result->resolution_ns, err) &&
	       describe_times(&record->host_time, "monotonic", &result->host_time, 0, err);
}

/* Work outside `time`, besides allocation, that other programs include in their times. */
static void describe_excluded(struct gb_record *record, const struct gb_result *result,
			      const char *thing[2])
{
	const struct gb_workload *workload = result->workload;
	const struct gb_variant_ops *ops = result->variant->ops;
	size_t count = 0;

	if (workload->excluded && workload->excluded(result->params))
		thing[count++] = workload->excluded(result->params);
	if (ops && ops->excluded && ops->excluded(result->params))
		thing[count++] = ops->excluded(result->params);
	record->excluded = (struct gb_texts){ count, thing };
}

/* Throttle reasons, indexed by bit of NVML's nvmlClocksEventReason* constants. */
static const char *const throttle_words[] = {
	"idle",           "application_clocks", "software_power_cap", "hardware_slowdown",
	"sync_boost",     "software_thermal",   "hardware_thermal",   "power_brake",
	"display_clocks",
};

/* Storage that the record borrows until its line is made. */
struct room {
	struct gb_named_times phase[GB_MAX_PHASES], transfer[2];
	const char *excluded[2], *throttle[GB_COUNT(throttle_words)];
	double temperature[2], clock[2], power[2];
	char digits[GB_MAX_PARAMS][32];
};

static struct gb_numbers pair(double room[2], double before, double after)
{
	room[0] = before;
	room[1] = after;
	return (struct gb_numbers){ 2, room };
}

static void describe_gpu_state(struct gb_record *record, const struct gb_result *result,
			       struct room *room)
{
	const struct gb_gpu_state *before = &result->before, *after = &result->after;
	size_t count = 0;

	record->gpu_state.sm_clock_hz =
		(struct gb_numbers){ result->sm_clock_hz.count, result->sm_clock_hz.value };
	if (!result->has_gpu_state)
		return;
	record->gpu_state.temperature_c =
		pair(room->temperature, before->temperature_c, after->temperature_c);
	record->gpu_state.clock_hz = pair(room->clock, before->sm_clock_hz, after->sm_clock_hz);
	record->gpu_state.power_w = pair(room->power, before->power_w, after->power_w);
	record->gpu_state.energy_j = after->energy_j - before->energy_j;
	record->gpu_state.throttled_s = (after->throttled_ns - before->throttled_ns) / 1e9;
	if (!isnan(after->throttled_ns))
		record->gpu_state.throttled_samples = (double)result->throttled;
	for (size_t i = 0; i < GB_COUNT(throttle_words); i++)
		if (before->throttle_known && after->throttle_known &&
		    (before->throttle | after->throttle) >> i & 1)
			room->throttle[count++] = throttle_words[i];
	record->gpu_state.throttle = (struct gb_texts){ count, room->throttle };
}

/* Fill the members that only a result with a time has. */
static bool describe_measured(struct gb_record *record, const struct gb_result *result,
			      struct room *room, struct gb_error *err)
{
	static const char *const stop[] = {
		[GB_CONVERGED] = "converged",
		[GB_LIMIT] = "limit",
		[GB_FIXED] = "fixed",
	};

	record->stop_reason = stop[result->stop];
	record->cold = result->cold ? GB_YES : GB_NO;
	record->emulated = result->emulated;
	record->batch = (double)result->batch;
	record->holds_given_up = gb_positive((double)result->given_up);
	record->threads = gb_positive(result->threads);
	record->work.items = result->work.items;
	record->work.unit = result->workload->item;
	record->work.bytes = result->work.bytes;
	record->copy_bytes_per_s = result->emulated ? (double)NAN : result->copy_bytes_per_s;
	record->harmonic_items_per_s =
		result->emulated ? (double)NAN : result->harmonic_items_per_s;
	record->create = result->create_ns;
	record->upload = gb_series_quantile(&result->upload, 0.5);
	record->download = gb_series_quantile(&result->download, 0.5);
	record->first_call = result->first_ns;
	record->memory.host_bytes = (double)result->host_bytes;
	record->memory.device_bytes = (double)result->device_bytes;
	record->memory.flush_bytes = gb_positive((double)result->flush_bytes);
	record->memory.resident_bytes = gb_positive(result->resident_bytes);
	record->elapsed_s = result->elapsed_s;
	describe_excluded(record, result, room->excluded);
	describe_gpu_state(record, result, room);
	record->phases.item = room->phase;
	record->transfers.item = room->transfer;
	return describe_metrics(record, &result->metrics) && describe_series(record, result, err);
}

enum gb_record_status gb_status_of_result(const struct gb_result *result)
{
	static const enum gb_record_status status[] = {
		[GB_RESULT_OK] = GB_STATUS_OK,
		[GB_SKIPPED] = GB_STATUS_SKIPPED,
		[GB_FAILED] = GB_STATUS_FAILED,
	};

	if (result->outcome == GB_RESULT_OK && result->verdict == GB_NOT_VERIFIED)
		return GB_STATUS_UNVERIFIED;
	return result->doubtful ? GB_STATUS_DOUBTFUL : status[result->outcome];
}

/* The record's word for a status; NULL for GB_OK. */
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
	case GB_EIO:
		return "io";
	case GB_EINTERRUPTED:
		return "interrupted";
	case GB_ERUNTIME:
	case GB_EUNDECIDED:
		break;
	}
	return "runtime";
}

static void describe_outcome(struct gb_record *record, const struct gb_result *result)
{
	static const char *const verdict[] = {
		[GB_NOT_VERIFIED] = "skipped",
		[GB_PASS] = "pass",
		[GB_FAIL] = "fail",
	};
	const char *source = gb_workload_source(result->workload, result->params);

	record->status = gb_status_of_result(result);
	record->reason = result->reason[0] ? result->reason : NULL;
	record->error = result->hung ? "hang" : error_word(result->code);
	record->verify.result = verdict[result->verdict];
	if (result->verdict == GB_PASS)
		record->verify.runs = (double)result->verified;
	record->input = gb_equal(source, "generated") ? NULL : source;
}

cJSON *gb_describe_result(const struct gb_result *result, const char *run_id, int64_t seq,
			  const struct gb_record *old, struct gb_error *err)
{
	const struct gb_variant *variant = result->variant;
	char *key = gb_record_key(result->workload, variant, result->params, err);
	struct room *room = calloc(1, sizeof *room);
	struct gb_record record = gb_record_empty();
	cJSON *line = NULL;

	record.run_id = run_id;
	record.seq = (double)seq;
	record.bench = result->workload->name;
	record.backend = gb_backends[variant->backend]->name;
	record.variant = variant->name;
	record.peer = variant->kind == GB_KIND_LIBRARY;
	record.library = variant->ops && variant->ops->library ? variant->ops->library() : NULL;
	if (variant->plugin) {
		record.plugin.name = variant->plugin->name;
		record.plugin.version = variant->plugin->version;
		record.plugin.path = variant->plugin->path;
		record.plugin.sha256 = variant->plugin->sha256;
	}
	record.key = key;
	record.replaces.run_id = old ? old->run_id : NULL;
	record.replaces.seq = old ? old->seq : (double)NAN;
	describe_outcome(&record, result);
	if (room && record.key && describe_params(&record, result, room->digits) &&
	    (result->outcome != GB_RESULT_OK || describe_measured(&record, result, room, err)))
		line = gb_record_format(&record);
	if (line && result->outcome == GB_RESULT_OK && result->counts &&
	    !gb_json_put(line, "counts", cJSON_Parse(result->counts))) {
		cJSON_Delete(line);
		line = NULL;
	}
	free(record.params.item);
	free(record.metrics.item);
	free(key);
	free(room);
	/* Keeps an earlier failure in err. */
	if (!line)
		gb_out_of_memory(err, "writing a record");
	return line;
}
