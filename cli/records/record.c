/* record.c -- the tables of the members of run and record lines; reading and printing lines.
 *
 * A row has the path of a member in the line and in the struct, its type, how long it stays, and its
 * column in CSV.  The rows stand in the order of the CSV columns.  The schema has the meanings.
 */
#include "cli/records/record.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/records/json.h"
#include "common/text.h"

#define AT(of, member, ...)                                                                 \
	{                                                                                   \
		.path = #member, .offset = offsetof(struct of, member), .type = __VA_ARGS__ \
	}

#define TEXT          GB_FIELD_TEXT
#define NEEDED        GB_FIELD_TEXT, .required = true
#define BOOL          GB_FIELD_BOOL
#define FLAG          GB_FIELD_FLAG
#define NUMBER        GB_FIELD_NUMBER
#define NUMBERS       GB_FIELD_NUMBERS
#define TEXTS         GB_FIELD_TEXTS
#define MEMBERS       GB_FIELD_MEMBERS
#define TIMES         GB_FIELD_TIMES
#define PHASES        GB_FIELD_PHASES
#define MEASURED      .stays = GB_IF_MEASURED
#define OF_REPETITION .stays = GB_OF_REPETITION
#define CSV(title)    .csv = title
#define SETUP(name)   .setup = name

/* ---- a run ---------------------------------------------------------------------------------- */

#define GPU(...) AT(gb_gpu, __VA_ARGS__)

static const struct gb_field gpu_fields[] = {
	GPU(id, NUMBER),
	GPU(name, TEXT),
	GPU(uuid, TEXT),
	GPU(pci, TEXT),
	GPU(cc, TEXT),
	GPU(code, TEXT),
	GPU(sm_count, NUMBER),
	GPU(memory_bytes, NUMBER),
	GPU(l2_bytes, NUMBER),
	GPU(bus_bits, NUMBER),
	GPU(memory_clock_khz, NUMBER),
	GPU(sm_clock_khz, NUMBER),
	GPU(peak_bytes_per_s, NUMBER),
	GPU(ecc, FLAG),
	GPU(mig, FLAG),
	GPU(persistence, FLAG),
	GPU(mps, BOOL),
	GPU(compute_mode, TEXT),
	GPU(power_limit_w, NUMBER),
	GPU(emulated, BOOL),
	GPU(vulkan.driver, TEXT),
	GPU(vulkan.api, TEXT),
};
const struct gb_fields gb_gpu_fields = { gpu_fields, GB_COUNT(gpu_fields) };

#define RUN(...) AT(gb_context, __VA_ARGS__)

static const struct gb_field run_fields[] = {
	RUN(run_id, NEEDED),
	RUN(argv, TEXTS),
	RUN(host.hostname, TEXT, CSV("host"), SETUP("host")),
	RUN(host.cpu, TEXT, CSV("cpu")),
	RUN(host.cpu_vendor, TEXT),
	RUN(host.cpu_family, NUMBER),
	RUN(host.cpu_model, NUMBER),
	RUN(host.cpu_stepping, NUMBER),
	RUN(host.cpu_part, TEXT),
	RUN(host.sockets, NUMBER),
	RUN(host.cores, NUMBER),
	RUN(host.usable_cpus, NUMBER, SETUP("usable CPUs")),
	RUN(host.cpu_quota, NUMBER),
	RUN(host.l1d_bytes, NUMBER),
	RUN(host.l2_bytes, NUMBER),
	RUN(host.l3_bytes, NUMBER),
	RUN(host.cache_bytes, NUMBER),
	RUN(host.cache_from, TEXT),
	RUN(host.memory_bytes, NUMBER),
	RUN(host.os, TEXT),
	RUN(host.kernel, TEXT, SETUP("kernel")),
	RUN(host.machine, TEXT),
	RUN(host.governor, TEXT),
	RUN(host.turbo, FLAG),
	RUN(host.huge_pages, TEXT),
	RUN(host.virtualized, FLAG),
	RUN(host.load, NUMBERS),
	RUN(tool.name, TEXT),
	RUN(tool.version, TEXT, CSV("version"), SETUP("version")),
	RUN(tool.commit, TEXT, CSV("commit"), SETUP("commit")),
	RUN(tool.dirty, FLAG, CSV("commit_dirty"), SETUP("uncommitted changes")),
	RUN(tool.commit_date, TEXT),
	RUN(tool.mode, TEXT, SETUP("build")),
	RUN(tool.compiler, TEXT, CSV("compiler"), SETUP("compiler")),
	RUN(tool.cflags, TEXT, SETUP("compiler flags")),
	RUN(tool.nvcc, TEXT, SETUP("nvcc")),
	RUN(tool.archs, TEXT, SETUP("architectures")),
	RUN(started, TEXT, CSV("started")),
	RUN(environment, MEMBERS),
	RUN(cuda_absent, TEXT),
	RUN(vulkan_absent, TEXT),
	RUN(cuda.runtime, TEXT),
	RUN(cuda.driver_api, TEXT),
	RUN(cuda.driver, TEXT),
	RUN(settings.samples, NUMBER),
	RUN(settings.warmup, NUMBER),
	RUN(settings.warmup_time_s, NUMBER),
	RUN(settings.min_samples, NUMBER),
	RUN(settings.rel_ci, NUMBER),
	RUN(settings.max_time_s, NUMBER),
	RUN(settings.timeout_s, NUMBER),
	RUN(settings.cold, FLAG, SETUP("cold caches")),
	RUN(settings.verify, FLAG),
	RUN(settings.verify_all, FLAG),
	RUN(settings.device, NUMBER, SETUP("--device")),
	RUN(settings.preset, TEXT),
	RUN(settings.locked_clock, TEXT),
	{ .path = "gpus",
	  .type = GB_FIELD_OBJECTS,
	  .offset = offsetof(struct gb_context, gpu_count),
	  .fields = &gb_gpu_fields,
	  .size = sizeof(struct gb_gpu) },
};
const struct gb_fields gb_context_fields = { run_fields, GB_COUNT(run_fields) };

/* ---- exact counts --------------------------------------------------------------------------- */

#define COUNTED(...) AT(gb_counts, __VA_ARGS__)

/* Sectors are of global memory, wavefronts of shared memory, turns of atomics. */
#define TRAFFIC(name)                                                          \
	COUNTED(name.requests, NUMBER), COUNTED(name.sectors, NUMBER),         \
		COUNTED(name.wavefronts, NUMBER), COUNTED(name.least, NUMBER), \
		COUNTED(name.turns, NUMBER)
#define COPIED(name)                                                    \
	COUNTED(name.to_device, NUMBER), COUNTED(name.to_host, NUMBER), \
		COUNTED(name.on_device, NUMBER), COUNTED(name.set, NUMBER)

static const struct gb_field count_fields[] = {
	COUNTED(kernel, TEXT),
	COUNTED(launches, NUMBER),
	COUNTED(blocks, NUMBER),
	COUNTED(threads, NUMBER),
	COUNTED(warp_instructions, NUMBER),
	COUNTED(active_lanes, NUMBER),
	COUNTED(classes, MEMBERS),
	COUNTED(branches, NUMBER),
	COUNTED(divergent, NUMBER),
	COUNTED(barriers, NUMBER),
	COUNTED(grid_barriers, NUMBER),
	TRAFFIC(global_load),
	TRAFFIC(global_store),
	TRAFFIC(global_atomic),
	TRAFFIC(shared_load),
	TRAFFIC(shared_store),
	TRAFFIC(shared_atomic),
	COUNTED(chain, NUMBER),
	COPIED(copies),
	COPIED(copied_bytes),
	{ .path = "kernels",
	  .type = GB_FIELD_OBJECTS,
	  .offset = offsetof(struct gb_counts, kernel_count),
	  .fields = &gb_count_fields,
	  .size = sizeof(struct gb_counts) },
};
const struct gb_fields gb_count_fields = { count_fields, GB_COUNT(count_fields) };

/* ---- a record ------------------------------------------------------------------------------- */

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

#define RECORD(...) AT(gb_record, __VA_ARGS__)

/* Computed from other members, and not in the line. */
#define RATE(member) \
	RECORD(rates.member, GB_FIELD_NUMBER, .derived = true, OF_REPETITION, CSV(#member))
#define STATISTIC(of_series, title)                                                      \
	{                                                                                \
		.path = of_series, .type = GB_FIELD_STATISTIC, OF_REPETITION, CSV(title) \
	}

static const struct gb_field record_fields[] = {
	RECORD(run_id, NEEDED, CSV("run_id")),
	RECORD(seq, NUMBER, CSV("seq")),
	RECORD(bench, NEEDED, CSV("bench")),
	RECORD(backend, NEEDED, CSV("backend")),
	RECORD(variant, NEEDED, CSV("variant")),
	RECORD(peer, BOOL, CSV("peer")),
	RECORD(plugin.name, TEXT),
	RECORD(plugin.version, TEXT),
	RECORD(plugin.path, TEXT),
	RECORD(plugin.sha256, TEXT),
	RECORD(key, NEEDED, CSV("key")),
	RECORD(params, MEMBERS, .required = true),
	RECORD(status, GB_FIELD_WORD, .required = true, .words = status_words, CSV("status")),
	RECORD(error, TEXT, CSV("error")),
	RECORD(reason, TEXT, CSV("reason")),
	RECORD(verify.result, TEXT, .words = verify_words, CSV("verify")),
	RECORD(verify.runs, NUMBER, MEASURED),
	RECORD(input, TEXT),
	RECORD(file.bytes, NUMBER),
	RECORD(file.modified_s, NUMBER),
	RECORD(file.notes, TEXT),
	RECORD(file.counts, MEMBERS),
	RECORD(stop_reason, TEXT, MEASURED, CSV("stop_reason")),
	RECORD(cold, FLAG, MEASURED, CSV("cold")),
	RECORD(emulated, BOOL, MEASURED, CSV("emulated")),
	RECORD(batch, NUMBER, MEASURED, CSV("batch")),
	RECORD(holds_given_up, NUMBER, MEASURED),
	RECORD(threads, NUMBER, MEASURED, CSV("threads")),
	RECORD(excluded, TEXTS, MEASURED),
	RECORD(warmup.time_s, NUMBER, OF_REPETITION),
	RECORD(warmup.steady_s, NUMBER, OF_REPETITION),
	RECORD(time, TIMES, OF_REPETITION),
	STATISTIC("time.n", "samples"),
	STATISTIC("time.median", "time_ns"),
	STATISTIC("time.ci95.low", "time_ci95_low_ns"),
	STATISTIC("time.ci95.high", "time_ci95_high_ns"),
	STATISTIC("time.min", "time_min_ns"),
	STATISTIC("time.q1", "time_q1_ns"),
	STATISTIC("time.q3", "time_q3_ns"),
	STATISTIC("time.max", "time_max_ns"),
	STATISTIC("time.mean", "time_mean_ns"),
	STATISTIC("time.mean_ci95.low", "time_mean_ci95_low_ns"),
	STATISTIC("time.mean_ci95.high", "time_mean_ci95_high_ns"),
	STATISTIC("time.stddev", "time_stddev_ns"),
	STATISTIC("time.mad", "time_mad_ns"),
	STATISTIC("time.outliers", "outliers"),
	RECORD(host_time, TIMES, OF_REPETITION),
	STATISTIC("host_time.median", "host_time_ns"),
	RECORD(phases, PHASES, OF_REPETITION),
	RECORD(transfers, PHASES, OF_REPETITION),
	RECORD(create, NUMBER, OF_REPETITION, CSV("create_ns")),
	RECORD(upload, NUMBER, OF_REPETITION, CSV("upload_ns")),
	STATISTIC("transfers.upload.ci95.low", "upload_ci95_low_ns"),
	STATISTIC("transfers.upload.ci95.high", "upload_ci95_high_ns"),
	RECORD(download, NUMBER, OF_REPETITION, CSV("download_ns")),
	STATISTIC("transfers.download.ci95.low", "download_ci95_low_ns"),
	STATISTIC("transfers.download.ci95.high", "download_ci95_high_ns"),
	RECORD(first_call, NUMBER, OF_REPETITION, CSV("first_call_ns")),
	RECORD(work.items, NUMBER, MEASURED, CSV("items")),
	RECORD(work.unit, TEXT, MEASURED, CSV("item_unit")),
	RECORD(work.bytes, NUMBER, MEASURED, CSV("bytes")),
	RECORD(harmonic_items_per_s, NUMBER, MEASURED),
	RATE(items_per_s),
	RATE(items_per_s_with_transfers),
	RATE(bytes_per_s),
	RECORD(copy_bytes_per_s, NUMBER, MEASURED, CSV("copy_bytes_per_s")),
	RATE(copy_share),
	RECORD(memory.host_bytes, NUMBER, MEASURED, CSV("host_bytes")),
	RECORD(memory.device_bytes, NUMBER, MEASURED, CSV("device_bytes")),
	RECORD(memory.flush_bytes, NUMBER, MEASURED),
	RECORD(metrics, MEMBERS, MEASURED),
	RECORD(gpu_state.sm_clock_hz, NUMBERS, OF_REPETITION),
	RECORD(gpu_state.temperature_c, NUMBERS, OF_REPETITION, .negative = true),
	RECORD(gpu_state.clock_hz, NUMBERS, OF_REPETITION, .negative = true),
	RECORD(gpu_state.power_w, NUMBERS, OF_REPETITION, .negative = true),
	RECORD(gpu_state.energy_j, NUMBER, OF_REPETITION, .negative = true),
	RECORD(gpu_state.throttled_s, NUMBER, OF_REPETITION, .negative = true),
	RECORD(gpu_state.throttled_samples, NUMBER, OF_REPETITION),
	RECORD(gpu_state.paused_s, NUMBER, OF_REPETITION),
	RECORD(gpu_state.throttle, TEXTS, OF_REPETITION),
	RECORD(elapsed_s, NUMBER, OF_REPETITION, CSV("elapsed_s")),
	RECORD(library, TEXT, CSV("library")),
	RECORD(code_hash, TEXT, CSV("code_hash")),
	RECORD(replaces.run_id, TEXT),
	RECORD(replaces.seq, NUMBER),
	RECORD(counts, GB_FIELD_OBJECT, MEASURED, .fields = &gb_count_fields),
};
const struct gb_fields gb_record_fields = { record_fields, GB_COUNT(record_fields) };

/* ---- nothing known --------------------------------------------------------------------------- */

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

static enum gb_status read_line(const struct gb_fields *fields, cJSON *line, void *to,
				struct gb_error *err)
{
	const double schema = gb_json_number(line, "schema");

	if (isnan(schema))
		return gb_fail(err, GB_EUSAGE, "has no \"schema\" number");
	if (fabs(schema - GB_RECORD_SCHEMA) > 0)
		return gb_fail(err, GB_EUSAGE, "has schema %g; this gpubench reads schema %d",
			       schema, GB_RECORD_SCHEMA);
	return gb_fields_read(fields, line, to, err);
}

struct gb_context *gb_context_parse(cJSON *line, struct gb_error *err)
{
	struct gb_context *context = calloc(1, sizeof *context);

	if (!context) {
		cJSON_Delete(line);
		gb_out_of_memory(err, "a run");
		return NULL;
	}
	context->line = line;
	if (!read_line(&gb_context_fields, line, context, err))
		return context;
	gb_context_free(context);
	return NULL;
}

void gb_context_free(struct gb_context *context)
{
	if (!context)
		return;
	gb_fields_clear(&gb_context_fields, context, GB_ALWAYS);
	gb_texts_free(&context->kept);
	cJSON_Delete(context->line);
	free(context);
}

void gb_record_derive(struct gb_record *record)
{
	const double time_s = record->time.median * 1e-9;
	const double transfers_s = (record->upload + record->download) * 1e-9;
	const bool ran = record->status != GB_STATUS_SKIPPED && record->status != GB_STATUS_FAILED;
	const bool timed = ran && time_s > 0 && !record->emulated;
	const double once = timed ? 1 / time_s : (double)NAN;

	record->has_time = timed;
	record->counted = !gb_fields_are_absent(&gb_count_fields, &record->counts);
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

struct gb_record *gb_record_parse(cJSON *line, struct gb_error *err)
{
	struct gb_record *record = calloc(1, sizeof *record);

	if (!record) {
		cJSON_Delete(line);
		gb_out_of_memory(err, "a record");
		return NULL;
	}
	record->line = line;
	record->context = gb_no_context;
	if (!read_line(&gb_record_fields, line, record, err)) {
		gb_record_derive(record);
		return record;
	}
	gb_record_free(record);
	return NULL;
}

enum gb_status gb_record_put_counts(struct gb_record *record, const char *json,
				    struct gb_error *err)
{
	record->line = cJSON_Parse(json);
	return record->line ? gb_fields_read(&gb_count_fields, record->line, &record->counts, err)
			    : gb_out_of_memory(err, "the counts");
}

void gb_record_forget(struct gb_record *record, enum gb_stays stays)
{
	gb_fields_clear(&gb_record_fields, record, stays);
}

void gb_record_release(struct gb_record *record)
{
	gb_fields_clear(&gb_record_fields, record, GB_ALWAYS);
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

static void print_line(FILE *file, const char *type, const struct gb_fields *fields, const void *of)
{
	(void)fprintf(file, "{\"type\":\"%s\",\"schema\":%d", type, GB_RECORD_SCHEMA);
	(void)gb_fields_print(file, fields, of, 1);
	(void)fputs("}\n", file);
}

void gb_record_print(FILE *file, const struct gb_record *record)
{
	print_line(file, "record", &gb_record_fields, record);
}

void gb_context_print(FILE *file, const struct gb_context *context)
{
	print_line(file, "run", &gb_context_fields, context);
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
	return gb_fields_value(&gb_record_fields, record, path);
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

bool gb_same_machine(const struct gb_machine *a, const struct gb_machine *b)
{
	return gb_equal(a->text, b->text);
}

const struct gb_gpu *gb_context_gpu(const struct gb_context *context)
{
	for (size_t i = 0; i < context->gpu_count; i++)
		if (fabs(context->gpu[i].id - context->settings.device) <= 0)
			return &context->gpu[i];
	return NULL;
}
