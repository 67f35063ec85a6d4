/* record.c -- the tables of the members of run and record lines; reading and printing lines.
 *
 * A row has everything about a member: its path in the line and in the struct, its type, how long
 * it stays, its column in CSV, and its meaning, which the schema repeats.  The rows stand in the
 * order of the CSV columns.
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
#define NATURAL       GB_FIELD_NUMBER, .unit = "natural"
#define COUNT         GB_FIELD_NUMBER, .unit = "count"
#define POSITIVE      GB_FIELD_NUMBER, .unit = "positive"
#define NS            GB_FIELD_NUMBER, .unit = "ns"
#define NUMBERS       GB_FIELD_NUMBERS
#define TEXTS         GB_FIELD_TEXTS
#define MEMBERS       GB_FIELD_MEMBERS
#define TIMES         GB_FIELD_TIMES
#define PHASES        GB_FIELD_PHASES
#define MEASURED      .stays = GB_IF_MEASURED
#define OF_REPETITION .stays = GB_OF_REPETITION
#define CSV(title)    .csv = title

/* ---- a run ---------------------------------------------------------------------------------- */

#define GPU(...) AT(gb_gpu, __VA_ARGS__)

static const struct gb_field gpu_fields[] = {
	GPU(id, NATURAL),
	GPU(name, TEXT),
	GPU(uuid, TEXT),
	GPU(pci, TEXT),
	GPU(cc, TEXT),
	GPU(code, TEXT,
	    .about = "which code of the program's CUDA kernels ran, if the run used this GPU: "
		     "\"sm_90\", \"compute_90 by the driver\" for PTX that the driver compiled, "
		     "\"PTX sm_90, interpreted\" or \"C++, emulated\""),
	GPU(sm_count, COUNT),
	GPU(memory_bytes, COUNT),
	GPU(l2_bytes, COUNT),
	GPU(bus_bits, COUNT),
	GPU(memory_clock_khz, COUNT),
	GPU(sm_clock_khz, COUNT),
	GPU(peak_bytes_per_s, POSITIVE),
	GPU(ecc, FLAG),
	GPU(mig, FLAG),
	GPU(persistence, FLAG),
	GPU(mps, BOOL),
	GPU(compute_mode, TEXT),
	GPU(power_limit_w, POSITIVE),
	GPU(emulated, BOOL),
	GPU(vulkan.driver, TEXT),
	GPU(vulkan.api, TEXT),
};
const struct gb_fields gb_gpu_fields = { gpu_fields, GB_COUNT(gpu_fields) };

#define RUN(...) AT(gb_context, __VA_ARGS__)

static const struct gb_field run_fields[] = {
	RUN(run_id, NEEDED),
	RUN(argv, TEXTS),
	RUN(host.hostname, TEXT, CSV("host")),
	RUN(host.cpu, TEXT, CSV("cpu")),
	RUN(host.cpu_vendor, TEXT, .about = "ARM: the number of the implementer, \"0x41\""),
	RUN(host.cpu_family, NATURAL),
	RUN(host.cpu_model, NATURAL),
	RUN(host.cpu_stepping, NATURAL),
	RUN(host.cpu_part, TEXT, .about = "of ARM"),
	RUN(host.sockets, COUNT),
	RUN(host.cores, COUNT),
	RUN(host.usable_cpus, COUNT, .about = "in the affinity mask"),
	RUN(host.cpu_quota, POSITIVE, .about = "CPUs' worth of time that the cgroup grants"),
	RUN(host.l1d_bytes, COUNT),
	RUN(host.l2_bytes, COUNT),
	RUN(host.l3_bytes, COUNT),
	RUN(host.cache_bytes, COUNT,
	    .about =
		    "all last-level caches together; a cold sample flushes 5/4 of it, three times"),
	RUN(host.cache_from, TEXT, .about = "who says so"),
	RUN(host.memory_bytes, COUNT),
	RUN(host.os, TEXT),
	RUN(host.kernel, TEXT),
	RUN(host.machine, TEXT),
	RUN(host.governor, TEXT),
	RUN(host.turbo, FLAG),
	RUN(host.huge_pages, TEXT),
	RUN(host.virtualized, FLAG),
	RUN(host.load, NUMBERS),
	RUN(tool.name, TEXT),
	RUN(tool.version, TEXT, CSV("version")),
	RUN(tool.commit, TEXT, CSV("commit")),
	RUN(tool.dirty, FLAG, CSV("commit_dirty"),
	    .about = "built from files that differ from the commit"),
	RUN(tool.commit_date, TEXT),
	RUN(tool.mode, TEXT),
	RUN(tool.compiler, TEXT, CSV("compiler")),
	RUN(tool.cflags, TEXT),
	RUN(tool.nvcc, TEXT),
	RUN(tool.archs, TEXT),
	RUN(started, TEXT, CSV("started"), .about = "RFC 3339, UTC"),
	RUN(environment, MEMBERS, .about = "variables that change what OpenMP or CUDA do"),
	RUN(cuda_absent, TEXT, .about = "why there is no GPU for CUDA"),
	RUN(vulkan_absent, TEXT, .about = "why there is no GPU for Vulkan"),
	RUN(cuda.runtime, TEXT),
	RUN(cuda.driver_api, TEXT),
	RUN(cuda.driver, TEXT),
	RUN(settings.samples, NATURAL, .about = "0: by the stopping rule"),
	RUN(settings.warmup, NATURAL),
	RUN(settings.warmup_time_s, POSITIVE),
	RUN(settings.min_samples, NATURAL),
	RUN(settings.rel_ci, NUMBER),
	RUN(settings.max_time_s, NUMBER, .about = "of sampling"),
	RUN(settings.timeout_s, NUMBER),
	RUN(settings.cold, FLAG),
	RUN(settings.verify, FLAG),
	RUN(settings.verify_all, FLAG,
	    .about = "every sample, not only the first, the last and one between"),
	RUN(settings.device, NATURAL),
	RUN(settings.preset, TEXT),
	RUN(settings.locked_clock, TEXT,
	    .about = "the SM clock that --lock-clocks has locked: base, max or MHz"),
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
#define TRAFFIC(name)                                                            \
	COUNTED(name.requests, NATURAL), COUNTED(name.sectors, NATURAL),         \
		COUNTED(name.wavefronts, NATURAL), COUNTED(name.least, NATURAL), \
		COUNTED(name.turns, NATURAL)
#define COPIED(name)                                                      \
	COUNTED(name.to_device, NATURAL), COUNTED(name.to_host, NATURAL), \
		COUNTED(name.on_device, NATURAL), COUNTED(name.set, NATURAL)

static const struct gb_field count_fields[] = {
	COUNTED(kernel, TEXT),
	COUNTED(launches, NATURAL),
	COUNTED(blocks, NATURAL),
	COUNTED(threads, NATURAL),
	COUNTED(warp_instructions, NATURAL),
	COUNTED(active_lanes, NATURAL),
	COUNTED(classes, MEMBERS),
	COUNTED(branches, NATURAL),
	COUNTED(divergent, NATURAL),
	COUNTED(barriers, NATURAL),
	COUNTED(grid_barriers, NATURAL),
	TRAFFIC(global_load),
	TRAFFIC(global_store),
	TRAFFIC(global_atomic),
	TRAFFIC(shared_load),
	TRAFFIC(shared_store),
	TRAFFIC(shared_atomic),
	COUNTED(chain, NATURAL),
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
	RECORD(seq, NATURAL, CSV("seq")),
	RECORD(bench, NEEDED, CSV("bench")),
	RECORD(backend, NEEDED, CSV("backend")),
	RECORD(variant, NEEDED, CSV("variant")),
	RECORD(peer, BOOL, CSV("peer"), .about = "a library of the field, measured beside ours"),
	RECORD(plugin.name, TEXT),
	RECORD(plugin.version, TEXT),
	RECORD(plugin.path, TEXT),
	RECORD(plugin.sha256, TEXT),
	RECORD(key, NEEDED, CSV("key"),
	       .about = "BENCH/BACKEND/VARIANT and those of `params` that do not have their first "
			"default, in the order of `params`"),
	RECORD(params, MEMBERS, .required = true),
	RECORD(status, GB_FIELD_WORD, .required = true, .words = status_words, CSV("status"),
	       .about = "doubtful: verified, but the bytes are moved faster than memory can; "
			"unverified: measured with --verify=no"),
	RECORD(error, TEXT, CSV("error"),
	       .about = "hang: a run did not end within --hang; time, of earlier versions: results "
			"passed, but times contradict each other"),
	RECORD(reason, TEXT, CSV("reason")),
	RECORD(verify.result, TEXT, .words = verify_words, CSV("verify")),
	RECORD(verify.runs, COUNT, MEASURED, .about = "how many were verified"),
	RECORD(input, TEXT, .about = "where it came from, if it was not generated"),
	RECORD(file.bytes, NATURAL, .about = "size of the input file as it is stored"),
	RECORD(file.modified_s, NATURAL, .about = "its last change, in seconds since 1970"),
	RECORD(file.notes, TEXT,
	       .about = "its format, and what was skipped, renumbered or ignored"),
	RECORD(file.counts, MEMBERS, .about = "what it has, as read and as kept"),
	RECORD(stop_reason, TEXT, MEASURED, CSV("stop_reason")),
	RECORD(cold, FLAG, MEASURED, CSV("cold"),
	       .about = "caches were flushed before each sample"),
	RECORD(emulated, BOOL, MEASURED, CSV("emulated"),
	       .about = "ran on a processor in place of a GPU: its times say nothing about one"),
	RECORD(batch, COUNT, MEASURED, CSV("batch"),
	       .about = "runs per sample; the values are per run"),
	RECORD(holds_given_up, COUNT, MEASURED,
	       .about = "times that the stream could not be held back for a sample, which was "
			"taken again; from two on samples are not held back"),
	RECORD(threads, COUNT, MEASURED, CSV("threads"), .about = "of the CPU variant"),
	RECORD(excluded, TEXTS, MEASURED,
	       .about = "what was done before `time`, besides allocation, that others do within "
			"theirs"),
	RECORD(warmup.time_s, NUMBER, OF_REPETITION, .about = "of the runs of --warmup-time"),
	RECORD(warmup.steady_s, NUMBER, OF_REPETITION,
	       .about = "how long the GPU's clock and temperature had not drifted by then"),
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
	RECORD(phases, PHASES, OF_REPETITION, .about = "of samples of their own"),
	RECORD(transfers, PHASES, OF_REPETITION,
	       .about = "of a device: copies of the input and of the result; the first upload is "
			"not among them"),
	RECORD(create, NS, OF_REPETITION, CSV("create_ns"),
	       .about = "allocation, and what is prepared before the first run"),
	RECORD(upload, NS, OF_REPETITION, CSV("upload_ns"),
	       .about = "median of `transfers`; of early records the first upload, with what it "
			"derives on the host"),
	STATISTIC("transfers.upload.ci95.low", "upload_ci95_low_ns"),
	STATISTIC("transfers.upload.ci95.high", "upload_ci95_high_ns"),
	RECORD(download, NS, OF_REPETITION, CSV("download_ns"),
	       .about = "median of the downloads; of early records one of them"),
	STATISTIC("transfers.download.ci95.low", "download_ci95_low_ns"),
	STATISTIC("transfers.download.ci95.high", "download_ci95_high_ns"),
	RECORD(first_call, NS, OF_REPETITION, CSV("first_call_ns")),
	RECORD(work.items, NUMBER, MEASURED, CSV("items")),
	RECORD(work.unit, TEXT, MEASURED, CSV("item_unit")),
	RECORD(work.bytes, NUMBER, MEASURED, CSV("bytes"),
	       .about = "moved in one run, by the variant's model"),
	RECORD(harmonic_items_per_s, POSITIVE, MEASURED,
	       .about = "the rate, if the samples are different work; else it is work.items by "
			"time.median"),
	RATE(items_per_s),
	RATE(items_per_s_with_transfers),
	RATE(bytes_per_s),
	RECORD(copy_bytes_per_s, POSITIVE, MEASURED, CSV("copy_bytes_per_s"),
	       .about = "what a copy moves on this back end, with these threads and caches"),
	RATE(copy_share),
	RECORD(memory.host_bytes, NATURAL, MEASURED, CSV("host_bytes")),
	RECORD(memory.device_bytes, NATURAL, MEASURED, CSV("device_bytes")),
	RECORD(memory.flush_bytes, COUNT, MEASURED,
	       .about = "of the buffer that flushes the caches, on the host or the device, not in "
			"the others"),
	RECORD(metrics, MEMBERS, MEASURED),
	RECORD(gpu_state.sm_clock_hz, NUMBERS, OF_REPETITION, .about = "one per sample"),
	RECORD(gpu_state.temperature_c, NUMBERS, OF_REPETITION, .negative = true),
	RECORD(gpu_state.clock_hz, NUMBERS, OF_REPETITION, .negative = true,
	       .about = "of the SMs, by NVML"),
	RECORD(gpu_state.power_w, NUMBERS, OF_REPETITION, .negative = true),
	RECORD(gpu_state.energy_j, NUMBER, OF_REPETITION, .negative = true,
	       .about = "spent from before the first sample to behind the last"),
	RECORD(gpu_state.throttled_s, NUMBER, OF_REPETITION, .negative = true,
	       .about = "how long clocks were lowered meanwhile because of power, heat or the "
			"board"),
	RECORD(gpu_state.throttled_samples, NATURAL, OF_REPETITION,
	       .about = "samples during which they were; the first ten are taken again"),
	RECORD(gpu_state.paused_s, POSITIVE, OF_REPETITION,
	       .about = "pauses for the GPU to cool, before such samples were taken again"),
	RECORD(gpu_state.throttle, TEXTS, OF_REPETITION),
	RECORD(elapsed_s, NUMBER, OF_REPETITION, CSV("elapsed_s")),
	RECORD(library, TEXT, CSV("library"),
	       .about = "of a peer: the name and version of the library that ran"),
	RECORD(code_hash, TEXT, CSV("code_hash"),
	       .about = "of the code that the variant can run, with its inputs, flush and timer; "
			"equal hashes, equal code"),
	RECORD(replaces.run_id, TEXT),
	RECORD(replaces.seq, NATURAL),
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
