/* result.c -- see result.h. */
#include "cli/measure/result.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli/benchmarks/registry.h"
#include "cli/benchmarks/value.h"
#include "cli/records/key.h"
#include "common/text.h"
#include "common/variants.h"

/* True if a file takes the place of what the parameter describes. */
static bool is_replaced(const struct gb_result *r, const struct gb_param *param)
{
	for (size_t i = 0; i < r->benchmark->param_count; i++)
		if (gb_param_yields(param, r->benchmark->params[i].name) &&
		    gb_value_load(&r->benchmark->params[i], r->params).s)
			return true;
	return false;
}

static bool add_params(const struct gb_result *r, struct gb_record *record)
{
	for (size_t i = 0; i < r->benchmark->param_count; i++) {
		const struct gb_param *param = &r->benchmark->params[i];
		char digits[32];
		struct gb_member member;

		if (!gb_param_applies(param, r->variant) || is_replaced(r, param))
			continue;
		member.name = param->name;
		member.value = gb_param_value(param, gb_value_load(param, r->params), digits);
		/* The sweep owns paths. */
		if (member.value.kind == GB_VALUE_TEXT &&
		    !(member.value.text = gb_texts_keep(&record->kept, member.value.text)))
			return false;
		if (!gb_members_add(&record->params, member))
			return false;
	}
	return true;
}

/* Work outside `time`, besides allocation, that other programs include in their times. */
static bool add_excluded(const struct gb_result *r, struct gb_record *record)
{
	const struct gb_variant_ops *ops = r->variant->ops;
	const char *ours = r->benchmark->excluded ? r->benchmark->excluded(r->params) : NULL;
	const char *own = ops && ops->excluded ? ops->excluded(r->params) : NULL;

	return (!ours || gb_texts_add(&record->excluded, ours)) &&
	       (!own || gb_texts_add(&record->excluded, own));
}

enum gb_status gb_result_begin(struct gb_result *r, struct gb_error *err)
{
	const struct gb_variant *variant = r->variant;
	const char *source = gb_benchmark_source(r->benchmark, r->params);
	char *key = gb_record_key(r->benchmark, variant, r->params, err);
	struct gb_record *record = &r->record;

	gb_record_release(record);
	*record = gb_record_empty();
	record->bench = r->benchmark->name;
	record->backend = gb_backends[variant->backend]->name;
	record->variant = variant->name;
	record->peer = variant->kind == GB_KIND_LIBRARY;
	record->code_hash = variant->code_hash;
	record->library = variant->ops && variant->ops->library ? variant->ops->library() : NULL;
	if (variant->plugin) {
		record->plugin.name = variant->plugin->name;
		record->plugin.version = variant->plugin->version;
		record->plugin.path = variant->plugin->path;
		record->plugin.sha256 = variant->plugin->sha256;
	}
	record->status = GB_STATUS_UNVERIFIED;
	record->verify.result = "skipped";
	record->input = gb_equal(source, "generated") ? NULL : source;
	record->work.unit = r->benchmark->item;
	record->key = key;
	if (key && !gb_texts_add(&record->kept, key)) {
		free(key);
		record->key = NULL;
	}
	if (!record->key || !add_params(r, record) || !add_excluded(r, record))
		gb_out_of_memory(err, "a record");
	r->code = err->code;
	r->doubtful = false;
	return err->code;
}

void gb_result_remark(struct gb_result *r, const char *format, ...)
{
	char text[480];
	va_list args;

	va_start(args, format);
	(void)vsnprintf(text, sizeof text, format, args);
	va_end(args);
	r->record.reason = gb_texts_keep(&r->record.kept, text);
}

/* The record's word for a status. */
static const char *error_word(enum gb_status code)
{
	switch (code) {
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
	case GB_OK:
	case GB_ERUNTIME:
	case GB_EUNDECIDED:
		break;
	}
	return "runtime";
}

void gb_result_fail(struct gb_result *r, const struct gb_error *why)
{
	const bool absent = why->code == GB_EUNAVAILABLE || why->code == GB_EMEMORY;

	gb_record_forget(&r->record, GB_IF_MEASURED);
	r->code = why->code;
	r->doubtful = false;
	r->record.status = absent ? GB_STATUS_SKIPPED : GB_STATUS_FAILED;
	r->record.error = error_word(why->code);
	gb_result_remark(r, "%s", why->message);
}

enum gb_status gb_result_put_metrics(struct gb_record *record, const struct gb_metrics *metrics,
				     struct gb_error *err)
{
	for (size_t i = 0; i < metrics->count; i++) {
		const char *text = metrics->item[i].text;
		struct gb_member member = { .name = metrics->item[i].name,
					    .value.number = metrics->item[i].value };

		if (text[0])
			member.value.text = gb_texts_keep(&record->kept, text);
		member.value.kind = member.value.text               ? GB_VALUE_TEXT
				    : isfinite(member.value.number) ? GB_VALUE_NUMBER
								    : GB_VALUE_ABSENT;
		if ((text[0] && !member.value.text) || !gb_members_add(&record->metrics, member))
			return gb_out_of_memory(err, "a record");
	}
	return GB_OK;
}

/* Reasons why clocks are lowered, by bit of NVML's nvmlClocksEventReason* constants. */
static const char *const throttle_words[] = {
	"idle",           "application_clocks", "software_power_cap", "hardware_slowdown",
	"sync_boost",     "software_thermal",   "hardware_thermal",   "power_brake",
	"display_clocks",
};

static enum gb_status add_state(struct gb_record *record, const struct gb_gpu_state *state,
				struct gb_error *err)
{
	(void)gb_numbers_add(&record->gpu_state.temperature_c, state->temperature_c, err);
	(void)gb_numbers_add(&record->gpu_state.clock_hz, state->sm_clock_hz, err);
	return gb_numbers_add(&record->gpu_state.power_w, state->power_w, err);
}

enum gb_status gb_result_put_gpu_state(struct gb_record *record, const struct gb_gpu_state *before,
				       const struct gb_gpu_state *after, struct gb_error *err)
{
	const bool is_known = before->throttle_known && after->throttle_known;
	const uint64_t throttle = before->throttle | after->throttle;

	record->gpu_state.energy_j = after->energy_j - before->energy_j;
	record->gpu_state.throttled_s = (after->throttled_ns - before->throttled_ns) / 1e9;
	if (add_state(record, before, err) || add_state(record, after, err))
		return err->code;
	for (size_t i = 0; i < GB_COUNT(throttle_words) && is_known; i++)
		if (throttle >> i & 1 &&
		    !gb_texts_add(&record->gpu_state.throttle, throttle_words[i]))
			return gb_out_of_memory(err, "a record");
	return GB_OK;
}
