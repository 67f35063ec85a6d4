/* record.c -- record and run lines: reading, checking, writing, and values by path. */
#include "cli/records/record.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/records/json.h"
#include "common/text.h"

bool gb_is_untrusted(const struct gb_record *record)
{
	return record->status == GB_STATUS_DOUBTFUL || record->status == GB_STATUS_UNVERIFIED;
}

static struct gb_context no_context = {
	.run_id = "",
	.on_cpu = { .name = "unknown", .text = "unknown" },
	.on_gpu = { .name = "unknown", .text = "unknown" },
};

/* Runs before main(): unknown numbers must be NAN, not 0. */
__attribute__((constructor)) static void know_nothing(void)
{
	gb_fields_clear(&gb_context_fields, &no_context, GB_ALWAYS);
}

const struct gb_context *const gb_no_context = &no_context;

/* ---- a line ------------------------------------------------------------------------------- */

static const char *read_line(const struct gb_fields *fields, cJSON *line, void *to,
			     char fault[GB_FAULT_MAX])
{
	const double schema = gb_json_number(line, "schema");
	const char *wrong = NULL;

	if (!(schema >= 1) || fmod(schema, 1) > 0)
		wrong = "has no \"schema\" number";
	else if (schema < GB_RECORD_SCHEMA)
		wrong = "schema 1 is no longer read; version 0.2 reads it";
	else if (schema > GB_RECORD_SCHEMA)
		wrong = "has a schema newer than this gpubench supports";
	else if (!gb_json_text(line, "run_id"))
		wrong = "has no \"run_id\"";
	if (wrong)
		(void)snprintf(fault, GB_FAULT_MAX, "%s", wrong);
	return wrong ? wrong : gb_fields_read(fields, line, to, fault);
}

/* The member of that name, which may be absent or null, but otherwise must be an array of objects.
 * Returns NULL, or what is wrong. */
static const char *find_objects(const cJSON *object, const char *name, cJSON **list,
				char fault[GB_FAULT_MAX])
{
	const cJSON *element;
	bool good;

	*list = gb_json_at(object, name);
	good = !*list || cJSON_IsNull(*list) || cJSON_IsArray(*list);
	cJSON_ArrayForEach(element, *list)
	{
		good = good && cJSON_IsObject(element);
	}
	if (good)
		return NULL;
	(void)snprintf(fault, GB_FAULT_MAX, "\"%s\" is not an array of objects", name);
	return fault;
}

static const char *read_gpus(struct gb_context *context, char fault[GB_FAULT_MAX])
{
	cJSON *list, *gpu;

	if (find_objects(context->line, "gpus", &list, fault))
		return fault;
	context->gpu = calloc((size_t)cJSON_GetArraySize(list) + 1, sizeof *context->gpu);
	if (!context->gpu)
		return "";
	cJSON_ArrayForEach(gpu, list)
	{
		const char *wrong = gb_fields_read(&gb_gpu_fields, gpu,
						   &context->gpu[context->gpu_count++], fault);

		if (wrong)
			return wrong;
	}
	return NULL;
}

struct gb_context *gb_context_parse(cJSON *line, char fault[GB_FAULT_MAX])
{
	struct gb_context *context = calloc(1, sizeof *context);

	fault[0] = '\0';
	if (!context) {
		cJSON_Delete(line);
		return NULL;
	}
	context->line = line;
	if (!read_line(&gb_context_fields, line, context, fault) && !read_gpus(context, fault))
		return context;
	gb_context_free(context);
	return NULL;
}

void gb_context_free(struct gb_context *context)
{
	if (!context)
		return;
	gb_fields_clear(&gb_context_fields, context, GB_ALWAYS);
	free(context->gpu); /* GPUs own nothing */
	gb_texts_free(&context->kept);
	cJSON_Delete(context->line);
	free(context);
}

/* counts may be NULL. */
static const char *read_counts(struct gb_record *record, cJSON *counts, char fault[GB_FAULT_MAX])
{
	cJSON *list, *kernel;
	const char *wrong;

	if (!counts || cJSON_IsNull(counts))
		return NULL;
	if (!cJSON_IsObject(counts)) {
		(void)snprintf(fault, GB_FAULT_MAX, "\"counts\" is not an object");
		return fault;
	}
	if (find_objects(counts, "kernels", &list, fault))
		return fault;
	record->counted = true;
	record->kernel = calloc((size_t)cJSON_GetArraySize(list) + 1, sizeof *record->kernel);
	if (!record->kernel)
		return "";
	wrong = gb_fields_read(&gb_count_fields, counts, &record->counts, fault);
	cJSON_ArrayForEach(kernel, list)
	{
		if (!wrong)
			wrong = gb_fields_read(&gb_count_fields, kernel,
					       &record->kernel[record->kernel_count++], fault);
	}
	return wrong;
}

void gb_record_derive(struct gb_record *record)
{
	const double time_s = record->time.median * 1e-9;
	const double transfers_s = (record->upload + record->download) * 1e-9;
	const bool ran = record->status != GB_STATUS_SKIPPED && record->status != GB_STATUS_FAILED;
	const bool timed = ran && time_s > 0 && !record->emulated;
	const double once = timed ? 1 / time_s : (double)NAN;

	record->has_time = timed;
	record->repetitions = 1;
	record->rates.items_per_s = isnan(record->harmonic_items_per_s)
					    ? record->work.items * once
					    : record->harmonic_items_per_s;
	record->rates.items_per_s_with_transfers =
		timed ? record->work.items / (time_s + transfers_s) : (double)NAN;
	record->rates.bytes_per_s = record->work.bytes * once;
	record->rates.copy_share = record->rates.bytes_per_s / record->copy_bytes_per_s;
}

struct gb_record gb_record_empty(void)
{
	struct gb_record record = { .context = gb_no_context };

	gb_fields_clear(&gb_record_fields, &record, GB_ALWAYS);
	return record;
}

struct gb_record *gb_record_parse(cJSON *line, char fault[GB_FAULT_MAX])
{
	struct gb_record *record = calloc(1, sizeof *record);

	fault[0] = '\0';
	if (!record) {
		cJSON_Delete(line);
		return NULL;
	}
	record->line = line;
	record->context = gb_no_context;
	if (!read_line(&gb_record_fields, line, record, fault) &&
	    !read_counts(record, gb_json_at(line, "counts"), fault)) {
		gb_record_derive(record);
		return record;
	}
	gb_record_free(record);
	return NULL;
}

enum gb_status gb_record_put_metrics(struct gb_record *record, const struct gb_metrics *metrics,
				     struct gb_error *err)
{
	for (size_t i = 0; i < metrics->count; i++) {
		const char *text = metrics->item[i].text;
		struct gb_member member = { .name = metrics->item[i].name,
					    .number = metrics->item[i].value };

		if (text[0])
			member.text = gb_texts_keep(&record->kept, text);
		member.kind = member.text               ? GB_VALUE_TEXT
			      : isfinite(member.number) ? GB_VALUE_NUMBER
							: GB_VALUE_ABSENT;
		if ((text[0] && !member.text) || !gb_members_add(&record->metrics, member))
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

enum gb_status gb_record_put_gpu_state(struct gb_record *record, const struct gb_gpu_state *before,
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

enum gb_status gb_record_put_counts(struct gb_record *record, const char *json,
				    struct gb_error *err)
{
	char fault[GB_FAULT_MAX];

	record->line = cJSON_Parse(json);
	if (!record->line || read_counts(record, record->line, fault))
		return gb_out_of_memory(err, "the counts");
	return GB_OK;
}

static void release_counts(struct gb_record *record)
{
	gb_fields_clear(&gb_count_fields, &record->counts, GB_ALWAYS);
	for (size_t i = 0; i < record->kernel_count; i++)
		gb_fields_clear(&gb_count_fields, &record->kernel[i], GB_ALWAYS);
	free(record->kernel);
	record->kernel = NULL;
	record->kernel_count = 0;
	record->counted = false;
}

void gb_record_forget(struct gb_record *record, enum gb_stays stays)
{
	gb_fields_clear(&gb_record_fields, record, stays);
	if (stays == GB_IF_MEASURED)
		release_counts(record);
}

void gb_record_release(struct gb_record *record)
{
	gb_fields_clear(&gb_record_fields, record, GB_ALWAYS);
	release_counts(record);
	gb_texts_free(&record->kept);
	cJSON_Delete(record->line);
	record->line = NULL;
}

void gb_record_free(struct gb_record *record)
{
	if (record)
		gb_record_release(record);
	free(record);
}

/* ---- writing ------------------------------------------------------------------------------ */

static size_t begin_line(FILE *file, const char *type)
{
	(void)fprintf(file, "{\"type\":\"%s\",\"schema\":%d", type, GB_RECORD_SCHEMA);
	return 1;
}

static void print_counts(FILE *file, const struct gb_record *record)
{
	size_t count;

	(void)fputs(",\"counts\":{", file);
	count = gb_fields_print(file, &gb_count_fields, &record->counts, 0);
	for (size_t i = 0; i < record->kernel_count; i++) {
		(void)fputs(i ? "},{" : count ? ",\"kernels\":[{" : "\"kernels\":[{", file);
		(void)gb_fields_print(file, &gb_count_fields, &record->kernel[i], 0);
	}
	(void)fputs(record->kernel_count ? "}]}" : "}", file);
}

void gb_record_print(FILE *file, const struct gb_record *record)
{
	(void)gb_fields_print(file, &gb_record_fields, record, begin_line(file, "record"));
	if (record->counted)
		print_counts(file, record);
	(void)fputs("}\n", file);
}

void gb_context_print(FILE *file, const struct gb_context *context)
{
	(void)gb_fields_print(file, &gb_context_fields, context, begin_line(file, "run"));
	for (size_t i = 0; i < context->gpu_count; i++) {
		(void)fputs(i ? "},{" : ",\"gpus\":[{", file);
		(void)gb_fields_print(file, &gb_gpu_fields, &context->gpu[i], 0);
	}
	(void)fputs(context->gpu_count ? "}]}\n" : "}\n", file);
}

char *gb_context_text(const struct gb_context *context)
{
	char *text = NULL, *indented = NULL;
	size_t size;
	FILE *stream = open_memstream(&text, &size);
	cJSON *line = NULL;

	if (stream) {
		gb_context_print(stream, context);
		line = ferror(stream) | fclose(stream) ? NULL : cJSON_Parse(text);
	}
	indented = line ? cJSON_Print(line) : NULL;
	cJSON_Delete(line);
	free(text);
	return indented;
}

/* ---- by path ------------------------------------------------------------------------------ */

struct gb_field_value gb_record_value(const struct gb_record *record, const char *path)
{
	static const char counts[] = "counts.";

	if (strncmp(path, counts, strlen(counts)) != 0)
		return gb_fields_value(&gb_record_fields, record, path);
	return record->counted
		       ? gb_fields_value(&gb_count_fields, &record->counts, path + strlen(counts))
		       : (struct gb_field_value){ 0 };
}

struct gb_field_value gb_context_value(const struct gb_context *context, const char *path)
{
	return gb_fields_value(&gb_context_fields, context, path);
}

struct gb_field_value gb_gpu_value(const struct gb_gpu *gpu, const char *path)
{
	return gb_fields_value(&gb_gpu_fields, gpu, path);
}

double gb_record_number(const struct gb_record *record, const char *path)
{
	const struct gb_field_value value = gb_record_value(record, path);

	return value.kind == GB_VALUE_NUMBER ? value.number : (double)NAN;
}

const struct gb_times *gb_record_times(const struct gb_record *record, const char *path)
{
	for (size_t i = 0; i < record->transfers.count; i++)
		if (gb_equal(path, record->transfers.item[i].name))
			return &record->transfers.item[i].time;
	return gb_fields_times(&gb_record_fields, record, path);
}

bool gb_is_cpu(const struct gb_record *record)
{
	return gb_equal(record->backend, "cpu");
}

bool gb_record_is_cold(const struct gb_record *record)
{
	return record->cold != GB_UNKNOWN ? record->cold == GB_YES
					  : record->context->settings.cold != GB_NO;
}

const struct gb_machine *gb_record_machine(const struct gb_record *record)
{
	return gb_is_cpu(record) ? &record->context->on_cpu : &record->context->on_gpu;
}

const struct gb_gpu *gb_context_gpu(const struct gb_context *context)
{
	for (size_t i = 0; i < context->gpu_count; i++)
		if (fabs(context->gpu[i].id - context->settings.device) <= 0)
			return &context->gpu[i];
	return NULL;
}
