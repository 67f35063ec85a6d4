/* record.c -- the members of record and run lines. */
#include "cli/records/record.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/records/json.h"
#include "common/text.h"

#define OF(of, member, kind)                                                  \
	{                                                                     \
		.path = #member, .type = kind, .offset = offsetof(of, member) \
	}
#define NEEDED(of, member)                                                              \
	{                                                                               \
		.path = #member, .type = GB_FIELD_TEXT, .offset = offsetof(of, member), \
		.required = true                                                        \
	}
#define TEXT(of, member)   OF(of, member, GB_FIELD_TEXT)
#define NUMBER(of, member) OF(of, member, GB_FIELD_NUMBER)
#define BOOL(of, member)   OF(of, member, GB_FIELD_BOOL)
#define FLAG(of, member)   OF(of, member, GB_FIELD_FLAG)
#define SIGNED(of, member, kind)                                                                \
	{                                                                                       \
		.path = #member, .type = kind, .offset = offsetof(of, member), .negative = true \
	}

static const char *const status_words[] = {
	[GB_STATUS_OK] = "ok",
	[GB_STATUS_DOUBTFUL] = "doubtful",
	[GB_STATUS_UNVERIFIED] = "unverified",
	[GB_STATUS_SKIPPED] = "skipped",
	[GB_STATUS_FAILED] = "failed",
	[GB_STATUS_FAILED + 1] = NULL,
};
static const char *const verify_words[] = { "pass", "fail", "skipped", NULL };

const char *gb_status_word(enum gb_record_status status)
{
	return status_words[status];
}

bool gb_is_untrusted(const struct gb_record *record)
{
	return record->status == GB_STATUS_DOUBTFUL || record->status == GB_STATUS_UNVERIFIED;
}

/* ---- the tables --------------------------------------------------------------------------- */

static const struct gb_field gpu_fields[] = {
	NUMBER(struct gb_gpu, id),
	TEXT(struct gb_gpu, name),
	TEXT(struct gb_gpu, uuid),
	TEXT(struct gb_gpu, pci),
	TEXT(struct gb_gpu, cc),
	TEXT(struct gb_gpu, code),
	NUMBER(struct gb_gpu, sm_count),
	NUMBER(struct gb_gpu, memory_bytes),
	NUMBER(struct gb_gpu, l2_bytes),
	NUMBER(struct gb_gpu, bus_bits),
	NUMBER(struct gb_gpu, memory_clock_khz),
	NUMBER(struct gb_gpu, sm_clock_khz),
	NUMBER(struct gb_gpu, peak_bytes_per_s),
	FLAG(struct gb_gpu, ecc),
	FLAG(struct gb_gpu, mig),
	FLAG(struct gb_gpu, persistence),
	NUMBER(struct gb_gpu, power_limit_w),
	BOOL(struct gb_gpu, emulated),
	TEXT(struct gb_gpu, vulkan.driver),
	TEXT(struct gb_gpu, vulkan.api),
};

static const struct gb_field run_fields[] = {
	NEEDED(struct gb_run, run_id),
	TEXT(struct gb_run, started),
	TEXT(struct gb_run, tool.name),
	TEXT(struct gb_run, tool.version),
	TEXT(struct gb_run, tool.commit),
	TEXT(struct gb_run, tool.commit_date),
	FLAG(struct gb_run, tool.dirty),
	TEXT(struct gb_run, tool.mode),
	TEXT(struct gb_run, tool.compiler),
	TEXT(struct gb_run, tool.cflags),
	TEXT(struct gb_run, tool.nvcc),
	TEXT(struct gb_run, tool.archs),
	OF(struct gb_run, argv, GB_FIELD_TEXTS),
	OF(struct gb_run, environment, GB_FIELD_MEMBERS),
	TEXT(struct gb_run, host.hostname),
	TEXT(struct gb_run, host.os),
	TEXT(struct gb_run, host.kernel),
	TEXT(struct gb_run, host.machine),
	TEXT(struct gb_run, host.cpu),
	TEXT(struct gb_run, host.cpu_vendor),
	NUMBER(struct gb_run, host.cpu_family),
	NUMBER(struct gb_run, host.cpu_model),
	NUMBER(struct gb_run, host.cpu_stepping),
	TEXT(struct gb_run, host.cpu_part),
	NUMBER(struct gb_run, host.sockets),
	NUMBER(struct gb_run, host.cores),
	NUMBER(struct gb_run, host.logical_cpus),
	NUMBER(struct gb_run, host.usable_cpus),
	NUMBER(struct gb_run, host.cpu_quota),
	NUMBER(struct gb_run, host.numa_nodes),
	NUMBER(struct gb_run, host.l1d_bytes),
	NUMBER(struct gb_run, host.l2_bytes),
	NUMBER(struct gb_run, host.l3_bytes),
	NUMBER(struct gb_run, host.cache_bytes),
	TEXT(struct gb_run, host.cache_from),
	NUMBER(struct gb_run, host.memory_bytes),
	NUMBER(struct gb_run, host.available_bytes),
	TEXT(struct gb_run, host.governor),
	FLAG(struct gb_run, host.turbo),
	TEXT(struct gb_run, host.huge_pages),
	FLAG(struct gb_run, host.virtualized),
	OF(struct gb_run, host.load, GB_FIELD_NUMBERS),
	TEXT(struct gb_run, cuda_absent),
	TEXT(struct gb_run, vulkan_absent),
	TEXT(struct gb_run, cuda.runtime),
	TEXT(struct gb_run, cuda.driver_api),
	TEXT(struct gb_run, cuda.driver),
	NUMBER(struct gb_run, settings.samples),
	NUMBER(struct gb_run, settings.warmup),
	NUMBER(struct gb_run, settings.min_samples),
	NUMBER(struct gb_run, settings.rel_ci),
	NUMBER(struct gb_run, settings.max_time_s),
	NUMBER(struct gb_run, settings.timeout_s),
	FLAG(struct gb_run, settings.cold),
	FLAG(struct gb_run, settings.verify),
	FLAG(struct gb_run, settings.verify_all),
	NUMBER(struct gb_run, settings.device),
	TEXT(struct gb_run, settings.preset),
};

static const struct gb_field record_fields[] = {
	NEEDED(struct gb_record, run_id),
	NUMBER(struct gb_record, seq),
	NEEDED(struct gb_record, bench),
	NEEDED(struct gb_record, backend),
	NEEDED(struct gb_record, variant),
	BOOL(struct gb_record, peer),
	TEXT(struct gb_record, library),
	TEXT(struct gb_record, plugin.name),
	TEXT(struct gb_record, plugin.version),
	TEXT(struct gb_record, plugin.path),
	TEXT(struct gb_record, plugin.sha256),
	NEEDED(struct gb_record, key),
	{ "params", GB_FIELD_MEMBERS, offsetof(struct gb_record, params), true, NULL, false },
	{ "status", GB_FIELD_WORD, offsetof(struct gb_record, status), true, status_words, false },
	TEXT(struct gb_record, reason),
	TEXT(struct gb_record, error),
	{ "verify.result", GB_FIELD_TEXT, offsetof(struct gb_record, verify.result), false,
	  verify_words, false },
	NUMBER(struct gb_record, verify.runs),
	NUMBER(struct gb_record, verify.overwritten),
	NUMBER(struct gb_record, verify.changed),
	TEXT(struct gb_record, input),
	TEXT(struct gb_record, stop_reason),
	FLAG(struct gb_record, cold),
	BOOL(struct gb_record, emulated),
	NUMBER(struct gb_record, batch),
	NUMBER(struct gb_record, holds_given_up),
	NUMBER(struct gb_record, threads),
	OF(struct gb_record, excluded, GB_FIELD_TEXTS),
	NUMBER(struct gb_record, work.items),
	TEXT(struct gb_record, work.unit),
	NUMBER(struct gb_record, work.bytes),
	NUMBER(struct gb_record, copy_bytes_per_s),
	NUMBER(struct gb_record, harmonic_items_per_s),
	NUMBER(struct gb_record, create),
	NUMBER(struct gb_record, upload),
	NUMBER(struct gb_record, download),
	NUMBER(struct gb_record, first_call),
	NUMBER(struct gb_record, whole),
	NUMBER(struct gb_record, cpu),
	OF(struct gb_record, time, GB_FIELD_TIMES),
	OF(struct gb_record, host_time, GB_FIELD_TIMES),
	OF(struct gb_record, phases, GB_FIELD_PHASES),
	OF(struct gb_record, transfers, GB_FIELD_PHASES),
	OF(struct gb_record, gpu_state.sm_clock_hz, GB_FIELD_NUMBERS),
	SIGNED(struct gb_record, gpu_state.temperature_c, GB_FIELD_NUMBERS),
	SIGNED(struct gb_record, gpu_state.clock_hz, GB_FIELD_NUMBERS),
	SIGNED(struct gb_record, gpu_state.power_w, GB_FIELD_NUMBERS),
	SIGNED(struct gb_record, gpu_state.energy_j, GB_FIELD_NUMBER),
	SIGNED(struct gb_record, gpu_state.throttled_s, GB_FIELD_NUMBER),
	NUMBER(struct gb_record, gpu_state.throttled_samples),
	OF(struct gb_record, gpu_state.throttle, GB_FIELD_TEXTS),
	NUMBER(struct gb_record, memory.host_bytes),
	NUMBER(struct gb_record, memory.device_bytes),
	NUMBER(struct gb_record, memory.flush_bytes),
	NUMBER(struct gb_record, memory.resident_bytes),
	OF(struct gb_record, metrics, GB_FIELD_MEMBERS),
	NUMBER(struct gb_record, elapsed_s),
	TEXT(struct gb_record, replaces.run_id),
	NUMBER(struct gb_record, replaces.seq),
};

static const struct gb_field derived_fields[] = {
	NUMBER(struct gb_record, rates.items_per_s),
	NUMBER(struct gb_record, rates.items_per_s_with_transfers),
	NUMBER(struct gb_record, rates.bytes_per_s),
	NUMBER(struct gb_record, rates.copy_share),
};

/* Sectors are of global memory, wavefronts of shared memory, turns of atomics. */
#define TRAFFIC(name)                                                                            \
	NUMBER(struct gb_counts, name.requests), NUMBER(struct gb_counts, name.sectors),         \
		NUMBER(struct gb_counts, name.wavefronts), NUMBER(struct gb_counts, name.least), \
		NUMBER(struct gb_counts, name.turns)
#define COPIED(name)                                                                      \
	NUMBER(struct gb_counts, name.to_device), NUMBER(struct gb_counts, name.to_host), \
		NUMBER(struct gb_counts, name.on_device), NUMBER(struct gb_counts, name.set)

const struct gb_field gb_count_fields[] = {
	TEXT(struct gb_counts, kernel),
	NUMBER(struct gb_counts, launches),
	NUMBER(struct gb_counts, blocks),
	NUMBER(struct gb_counts, threads),
	NUMBER(struct gb_counts, warp_instructions),
	NUMBER(struct gb_counts, active_lanes),
	OF(struct gb_counts, classes, GB_FIELD_MEMBERS),
	NUMBER(struct gb_counts, branches),
	NUMBER(struct gb_counts, divergent),
	NUMBER(struct gb_counts, barriers),
	NUMBER(struct gb_counts, grid_barriers),
	TRAFFIC(global_load),
	TRAFFIC(global_store),
	TRAFFIC(global_atomic),
	TRAFFIC(shared_load),
	TRAFFIC(shared_store),
	TRAFFIC(shared_atomic),
	NUMBER(struct gb_counts, chain),
	COPIED(copies),
	COPIED(copied_bytes),
};
const size_t gb_count_field_count = GB_COUNT(gb_count_fields);

static struct gb_run no_run = {
	.run_id = "",
	.on_cpu = { .name = "unknown", .text = "unknown" },
	.on_gpu = { .name = "unknown", .text = "unknown" },
};

/* Runs before main(): unknown numbers must be NAN, not 0. */
__attribute__((constructor)) static void know_nothing(void)
{
	gb_fields_clear(run_fields, GB_COUNT(run_fields), &no_run);
}

const struct gb_run *const gb_no_run = &no_run;

/* ---- a line ------------------------------------------------------------------------------- */

static const char *read_line(const struct gb_field *field, size_t count, cJSON *line, void *to,
			     char fault[GB_FAULT_MAX])
{
	const double schema = gb_json_number(line, "schema");
	const char *wrong = NULL;

	if (!(schema >= 1) || fmod(schema, 1) > 0)
		wrong = "has no \"schema\" number";
	else if (schema < GB_RECORD_SCHEMA)
		wrong = "schema 1 is no longer read; gpubench report --format=json of version 0.2 "
			"converts it";
	else if (schema > GB_RECORD_SCHEMA)
		wrong = "has a schema newer than this gpubench supports";
	else if (!gb_json_text(line, "run_id"))
		wrong = "has no \"run_id\"";
	if (wrong)
		(void)snprintf(fault, GB_FAULT_MAX, "%s", wrong);
	return wrong ? wrong : gb_fields_read(field, count, line, to, fault);
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

static const char *read_gpus(struct gb_run *run, char fault[GB_FAULT_MAX])
{
	cJSON *list, *gpu;

	if (find_objects(run->line, "gpus", &list, fault))
		return fault;
	run->gpu = calloc((size_t)cJSON_GetArraySize(list) + 1, sizeof *run->gpu);
	if (!run->gpu)
		return "";
	cJSON_ArrayForEach(gpu, list)
	{
		const char *wrong = gb_fields_read(gpu_fields, GB_COUNT(gpu_fields), gpu,
						   &run->gpu[run->gpu_count++], fault);

		if (wrong)
			return wrong;
	}
	return NULL;
}

struct gb_run *gb_run_parse(cJSON *line, char fault[GB_FAULT_MAX])
{
	struct gb_run *run = calloc(1, sizeof *run);

	fault[0] = '\0';
	if (!run) {
		cJSON_Delete(line);
		return NULL;
	}
	run->line = line;
	if (!read_line(run_fields, GB_COUNT(run_fields), line, run, fault) &&
	    !read_gpus(run, fault))
		return run;
	gb_run_free(run);
	return NULL;
}

void gb_run_free(struct gb_run *run)
{
	if (!run)
		return;
	gb_fields_clear(run_fields, GB_COUNT(run_fields), run);
	free(run->gpu); /* GPUs own nothing */
	cJSON_Delete(run->line);
	free(run);
}

static const char *read_counts(struct gb_record *record, char fault[GB_FAULT_MAX])
{
	cJSON *counts = gb_json_at(record->line, "counts"), *list, *kernel;
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
	wrong = gb_fields_read(gb_count_fields, gb_count_field_count, counts, &record->counts,
			       fault);
	cJSON_ArrayForEach(kernel, list)
	{
		if (!wrong)
			wrong = gb_fields_read(gb_count_fields, gb_count_field_count, kernel,
					       &record->kernel[record->kernel_count++], fault);
	}
	return wrong;
}

static void derive(struct gb_record *record)
{
	const double time_s = record->time.median * 1e-9;
	const double transfers_s = (record->upload + record->download) * 1e-9;
	const bool timed = time_s > 0 && !record->emulated;
	const double once = timed ? 1 / time_s : (double)NAN;

	record->has_time = timed;
	record->launches = 1;
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
	struct gb_record record = { .run = gb_no_run };

	gb_fields_clear(record_fields, GB_COUNT(record_fields), &record);
	gb_fields_clear(derived_fields, GB_COUNT(derived_fields), &record);
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
	record->run = gb_no_run;
	if (!read_line(record_fields, GB_COUNT(record_fields), line, record, fault) &&
	    !read_counts(record, fault)) {
		derive(record);
		return record;
	}
	gb_record_free(record);
	return NULL;
}

void gb_record_free(struct gb_record *record)
{
	if (!record)
		return;
	gb_fields_clear(record_fields, GB_COUNT(record_fields), record);
	gb_fields_clear(gb_count_fields, gb_count_field_count, &record->counts);
	for (size_t i = 0; i < record->kernel_count; i++)
		gb_fields_clear(gb_count_fields, gb_count_field_count, &record->kernel[i]);
	free(record->kernel);
	cJSON_Delete(record->line);
	free(record);
}

void gb_record_forget_launch(struct gb_record *record)
{
	static const char *const of_launch[] = { "time",      "host_time", "phases",   "gpu_state.",
						 "create",    "upload",    "download", "first_call",
						 "transfers", "elapsed_s", "whole",    "cpu" };

	for (size_t i = 0; i < GB_COUNT(record_fields); i++)
		for (size_t k = 0; k < GB_COUNT(of_launch); k++)
			if (strncmp(record_fields[i].path, of_launch[k], strlen(of_launch[k])) == 0)
				gb_fields_clear(&record_fields[i], 1, record);
	gb_fields_clear(derived_fields, GB_COUNT(derived_fields), record);
}

/* ---- writing ------------------------------------------------------------------------------ */

/* Copy the line that was read, or make a new one, and write the fields into it.  NULL if memory ran
 * out. */
static cJSON *format(const cJSON *read, const char *type, const struct gb_field *field,
		     size_t count, const void *from)
{
	cJSON *line = read ? cJSON_Duplicate(read, true) : cJSON_CreateObject();

	if ((read || (gb_json_put_text(line, "type", type) &&
		      gb_json_put_int(line, "schema", GB_RECORD_SCHEMA))) &&
	    line && gb_fields_write(field, count, from, line))
		return line;
	cJSON_Delete(line);
	return NULL;
}

cJSON *gb_record_format(const struct gb_record *record)
{
	return format(record->line, "record", record_fields, GB_COUNT(record_fields), record);
}

cJSON *gb_run_format(const struct gb_run *run)
{
	cJSON *line = format(run->line, "run", run_fields, GB_COUNT(run_fields), run);
	cJSON *list = gb_json_at(line, "gpus");
	bool ok = line;

	if (run->gpu_count && !list)
		list = cJSON_AddArrayToObject(line, "gpus");
	for (size_t i = 0; i < run->gpu_count && ok; i++) {
		cJSON *gpu = cJSON_GetArrayItem(list, (int)i);

		ok = (gpu || gb_json_append(list, gpu = cJSON_CreateObject())) &&
		     gb_fields_write(gpu_fields, GB_COUNT(gpu_fields), &run->gpu[i], gpu);
	}
	if (ok)
		return line;
	cJSON_Delete(line);
	return NULL;
}

char *gb_run_text(const struct gb_run *run)
{
	cJSON *line = gb_run_format(run);
	char *text = line ? cJSON_Print(line) : NULL;

	cJSON_Delete(line);
	return text;
}

/* ---- by path ------------------------------------------------------------------------------ */

struct gb_field_value gb_record_value(const struct gb_record *record, const char *path)
{
	static const char counts[] = "counts.";
	struct gb_field_value value;

	if (strncmp(path, counts, strlen(counts)) == 0)
		return record->counted ? gb_fields_value(gb_count_fields, gb_count_field_count,
							 &record->counts, path + strlen(counts))
				       : (struct gb_field_value){ 0 };
	value = gb_fields_value(record_fields, GB_COUNT(record_fields), record, path);
	return value.kind ? value
			  : gb_fields_value(derived_fields, GB_COUNT(derived_fields), record, path);
}

struct gb_field_value gb_run_value(const struct gb_run *run, const char *path)
{
	return gb_fields_value(run_fields, GB_COUNT(run_fields), run, path);
}

struct gb_field_value gb_gpu_value(const struct gb_gpu *gpu, const char *path)
{
	return gb_fields_value(gpu_fields, GB_COUNT(gpu_fields), gpu, path);
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
	return gb_fields_times(record_fields, GB_COUNT(record_fields), record, path);
}

bool gb_is_cpu(const struct gb_record *record)
{
	return gb_equal(record->backend, "cpu");
}

bool gb_record_is_cold(const struct gb_record *record)
{
	return record->cold != GB_UNKNOWN ? record->cold == GB_YES
					  : record->run->settings.cold != GB_NO;
}

const struct gb_machine *gb_record_machine(const struct gb_record *record)
{
	return gb_is_cpu(record) ? &record->run->on_cpu : &record->run->on_gpu;
}

const struct gb_gpu *gb_run_gpu(const struct gb_run *run)
{
	for (size_t i = 0; i < run->gpu_count; i++)
		if (fabs(run->gpu[i].id - run->settings.device) <= 0)
			return &run->gpu[i];
	return NULL;
}
