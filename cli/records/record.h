/* record.h -- a line of a record file as a C struct.
 *
 * The room: everything about record files.  A file is JSON Lines, described by
 * results/gpubench-record-2.schema.json: a `run` line (struct gb_run), then a `record` line per
 * variant and point (struct gb_record), flushed as soon as it is known, so that a sweep that is
 * killed keeps its records.  field.h maps JSON to these structs and back; describe.h makes them of a
 * measurement; lines.h reads and writes files, output.h opens what -o names, csv.h converts.  cJSON
 * stays in this room.  Times are ns.  May use cli/workloads and what is below cli.
 *
 * The members of the structs have the names and the nesting of the JSON.
 */
#ifndef GPUBENCH_CLI_RECORDS_RECORD_H
#define GPUBENCH_CLI_RECORDS_RECORD_H

#include <cjson/cJSON.h>

#include "cli/records/field.h"
#include "common/status.h"
#include "common/workload.h"

enum { GB_RECORD_SCHEMA = 2 };

struct gb_gpu {
	double id;
	const char *name, *uuid, *pci, *cc;
	double sm_count, memory_bytes, l2_bytes, bus_bits, memory_clock_khz, sm_clock_khz;
	double peak_bytes_per_s, power_limit_w;
	enum gb_flag ecc, mig, persistence;
	bool emulated;
	struct {
		const char *driver, *api;
	} vulkan;
};

/* A CPU or a GPU as identity.h tells it from others. */
struct gb_machine {
	char name[128];  /* "Neoverse-V2", "NVIDIA H100 80GB HBM3", "unknown" */
	char text[320];  /* all that identifies it, for a person */
	char early[320]; /* what schema 1 tells of it, with its host; "" if that is not enough */
	bool whole;      /* nothing is missing */
};

/* Where, by what and how records were made. */
struct gb_run {
	const char *run_id, *started;
	struct {
		const char *name, *version, *commit, *commit_date, *mode, *compiler, *cflags;
		const char *nvcc, *archs;
		enum gb_flag dirty;
	} tool;
	struct gb_texts argv;
	struct gb_members environment;
	struct {
		const char *hostname, *os, *kernel, *machine, *cpu;
		const char *cpu_vendor; /* "GenuineIntel"; ARM: the implementer's number, "0x41" */
		const char *cpu_part;   /* ARM: "0xd4f" */
		double cpu_family, cpu_model, cpu_stepping;
		double sockets, cores, logical_cpus, usable_cpus, cpu_quota, numa_nodes;
		double l1d_bytes, l2_bytes, l3_bytes, cache_bytes, memory_bytes, available_bytes;
		const char *cache_from, *governor, *huge_pages;
		enum gb_flag turbo, virtualized;
		struct gb_numbers load;
	} host;
	const char *cuda_absent, *vulkan_absent;
	struct {
		const char *runtime, *driver_api, *driver;
	} cuda;
	struct {
		double samples, warmup, min_samples, rel_ci, max_time_s, timeout_s;
		double device;
		enum gb_flag cold, verify, verify_all;
		const char *preset;
	} settings;
	size_t gpu_count;
	struct gb_gpu *gpu;               /* owned */
	struct gb_machine on_cpu, on_gpu; /* set by gb_identify() */
	cJSON *line;                      /* owned; texts point into it */
};

enum gb_record_status { GB_STATUS_OK, GB_STATUS_UNVERIFIED, GB_STATUS_SKIPPED, GB_STATUS_FAILED };

/* Exact counts of one run or one kernel; NAN where nothing was counted. */
struct gb_traffic {
	double requests, sectors, wavefronts, least, turns;
};

struct gb_counts {
	const char *kernel;
	double launches, blocks, threads, warp_instructions, active_lanes;
	struct gb_members classes;
	double branches, divergent, barriers, grid_barriers;
	struct gb_traffic global_load, global_store, global_atomic;
	struct gb_traffic shared_load, shared_store, shared_atomic;
	double chain;
	struct {
		double to_device, to_host, on_device, set;
	} copies, copied_bytes;
};

/* The result of one variant at one point. */
struct gb_record {
	const struct gb_run *run; /* never NULL; gb_no_run if the file has none */
	const char *run_id;
	double seq;
	const char *bench, *backend, *variant, *library, *key;
	bool peer;
	struct gb_members params, metrics;
	enum gb_record_status status;
	const char *reason, *error;
	struct {
		const char *result;
		double runs;
	} verify;
	const char *input; /* where it came from if it was not generated */
	const char *stop_reason;
	enum gb_flag cold; /* caches; gb_record_is_cold() if the record does not tell */
	bool emulated;
	double batch, holds_given_up, threads;
	struct gb_texts excluded; /* what is not in `time` and other programs have in theirs */
	struct {
		double items, bytes;
		const char *unit;
	} work;
	double copy_bytes_per_s;                     /* of this back end, threads and caches */
	double harmonic_items_per_s;                 /* if the samples are different work */
	double create, upload, download, first_call; /* ns */
	struct gb_times time, host_time;
	struct gb_phases phases; /* of samples of their own */
	struct {
		struct gb_numbers sm_clock_hz;                      /* one per sample */
		struct gb_numbers temperature_c, clock_hz, power_w; /* before and after */
		double energy_j, throttled_s, throttled_samples;
		struct gb_texts throttle;
	} gpu_state;
	struct {
		double host_bytes, device_bytes, flush_bytes;
	} memory;
	double elapsed_s;
	struct {
		const char *run_id;
		double seq;
	} replaces; /* the record of the same file whose place this one takes */

	/* Derived when the line is read: */
	bool has_time;   /* a time of real hardware, verified or not */
	size_t launches; /* whose values are the samples of `time`, if they were pooled; 1 */
	struct {
		double items_per_s, items_per_s_with_transfers, bytes_per_s, copy_share;
	} rates; /* NAN under the emulator */
	bool counted;
	struct gb_counts counts; /* of one run */
	size_t kernel_count;
	struct gb_counts *kernel; /* owned */
	cJSON *line;              /* owned; texts point into it */
};

/* Nothing is known of it.  Never to be changed. */
extern struct gb_run gb_no_run;

/* A record in which nothing is known. */
struct gb_record gb_record_empty(void);

/* Owns the line, also after a failure.  Returns NULL with the fault set if the line is no record, or
 * run, that this version can read; "" as the fault: memory ran out. */
struct gb_record *gb_record_parse(cJSON *line, char fault[GB_FAULT_MAX]);
struct gb_run *gb_run_parse(cJSON *line, char fault[GB_FAULT_MAX]);
void gb_record_free(struct gb_record *record);
void gb_run_free(struct gb_run *run);

/* Remove what only a single launch tells: samples, phases, transfers, rates, the state of the GPU. */
void gb_record_forget_launch(struct gb_record *record);

/* The line in today's schema, with members that this version does not know.  For cJSON_Delete();
 * NULL if memory ran out. */
cJSON *gb_record_format(const struct gb_record *record);
cJSON *gb_run_format(const struct gb_run *run);

/* The run line, indented, for free(); NULL if memory ran out. */
char *gb_run_text(const struct gb_run *run);

/* A value by its path in the JSON, derived ones ("time.mean", "rates.items_per_s", "counts.chain")
 * included; absent if there is none. */
struct gb_field_value gb_record_value(const struct gb_record *record, const char *path);
struct gb_field_value gb_run_value(const struct gb_run *run, const char *path);
struct gb_field_value gb_gpu_value(const struct gb_gpu *gpu, const char *path);
/* Its number; NAN if it is none. */
double gb_record_number(const struct gb_record *record, const char *path);
/* The series that the path leads into; NULL if there is none. */
const struct gb_times *gb_record_times(const struct gb_record *record, const char *path);

/* The exact counts as a table, for who goes through all of them. */
extern const struct gb_field gb_count_fields[];
extern const size_t gb_count_field_count;

/* "ok" */
const char *gb_status_word(enum gb_record_status status);

bool gb_is_cpu(const struct gb_record *record);

/* True if it was measured with cold caches: by the record, else by its run, else true. */
bool gb_record_is_cold(const struct gb_record *record);

/* The CPU or GPU that the record's back end ran on. */
const struct gb_machine *gb_record_machine(const struct gb_record *record);

/* The GPU that the run used; NULL if there was none. */
const struct gb_gpu *gb_run_gpu(const struct gb_run *run);

#endif
