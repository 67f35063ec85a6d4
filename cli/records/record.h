/* record.h -- a line of a record file as a C struct.
 *
 * This folder handles record files.  A file is JSON Lines, described by
 * results/gpubench-record-2.schema.json: a `run` line (struct gb_context), then a `record` line per
 * variant and point (struct gb_record).  Each line is flushed as soon as it is known, so a sweep
 * that is killed keeps its records.
 *
 * A measurement fills struct gb_record, and machine.h fills struct gb_context.  record.c has a row
 * for each member; field.h prints and reads JSON by these rows.  lines.h reads and writes files;
 * csv.h converts.
 * cJSON is used only in this folder.  May use cli/benchmarks and the folders below cli.
 */
#ifndef GPUBENCH_CLI_RECORDS_RECORD_H
#define GPUBENCH_CLI_RECORDS_RECORD_H

#include "cli/records/field.h"
#include "common/backend.h"
#include "common/benchmark.h"
#include "common/status.h"

enum { GB_RECORD_SCHEMA = 2 };

/* ---- the structs ----------------------------------------------------------------------------
 *
 * The members have the names and the nesting of the JSON.  Times are in ns.  To add a member, add
 * it to the struct, a row to its table (record.c), the code that fills it, and its meaning to the
 * schema, which tests/cli/records/test_schema.c compares with the tables.
 */

struct gb_gpu {
	double id;
	const char *name, *uuid, *pci, *cc, *code, *compute_mode;
	double sm_count, memory_bytes, l2_bytes, bus_bits, memory_clock_khz, sm_clock_khz;
	double peak_bytes_per_s, power_limit_w;
	enum gb_flag ecc, mig, persistence;
	bool mps, emulated;
	struct {
		const char *driver, *api;
	} vulkan;
};

/* The identity of a CPU or a GPU (machine.h). */
struct gb_machine {
	char name[128]; /* "Neoverse-V2", "NVIDIA H100 80GB HBM3", "unknown" */
	char text[320]; /* all that identifies it, in readable form */
	bool whole;     /* no part is missing */
};

/* The machine, build, environment and settings that records were made with. */
struct gb_context {
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
		double sockets, cores, usable_cpus, cpu_quota;
		double l1d_bytes, l2_bytes, l3_bytes, cache_bytes, memory_bytes;
		const char *cache_from, *governor, *huge_pages;
		enum gb_flag turbo, virtualized;
		struct gb_numbers load;
	} host;
	const char *cuda_absent, *vulkan_absent;
	struct {
		const char *runtime, *driver_api, *driver;
	} cuda;
	struct {
		double samples, warmup, warmup_time_s, min_samples, rel_ci, max_time_s, timeout_s;
		double device;
		enum gb_flag cold, verify, verify_all;
		const char *preset, *locked_clock;
	} settings;
	size_t gpu_count;
	struct gb_gpu *gpu;               /* owned */
	struct gb_machine on_cpu, on_gpu; /* set by gb_identify() */
	struct gb_texts kept;             /* texts of a run that was not read; owned */
	cJSON *line;                      /* owned; texts point into it; NULL if it was not read */
};

/* Doubtful: verified, but faster than the memory of the machine is. */
enum gb_record_status {
	GB_STATUS_OK,
	GB_STATUS_DOUBTFUL,
	GB_STATUS_UNVERIFIED,
	GB_STATUS_SKIPPED,
	GB_STATUS_FAILED
};

/* Exact counts of one run or one kernel; NAN if not counted. */
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
	size_t kernel_count;
	struct gb_counts *kernels; /* owned */
};

/* The result of one variant at one point. */
struct gb_record {
	const struct gb_context *context; /* never NULL; gb_no_context if the file has none */
	const char *run_id;
	double seq;
	const char *bench, *backend, *variant, *library, *key, *code_hash;
	struct {
		const char *name, *version, *path, *sha256;
	} plugin; /* the file that the variant comes from, if it is not the program's */
	struct {
		double bytes, modified_s;
		const char *notes;
		struct gb_members counts;
	} file; /* the input, if it was read from a file */
	bool peer;
	struct gb_members params, metrics;
	enum gb_record_status status;
	const char *reason, *error;
	struct {
		const char *result;
		double runs;
	} verify;
	const char *input; /* the source of the input if it was not generated */
	const char *stop_reason;
	enum gb_flag cold; /* caches; see gb_record_is_cold() if unknown */
	bool emulated;
	double batch, holds_given_up, threads;
	struct gb_texts excluded; /* work outside `time` that other programs include in theirs */
	struct {
		double items, bytes;
		const char *unit;
	} work;
	double copy_bytes_per_s;                     /* copy bandwidth of the back end */
	double harmonic_items_per_s;                 /* set if the samples are different work */
	double create, upload, download, first_call; /* ns; transfers: median */
	struct {
		double time_s, steady_s;
	} warmup;
	struct gb_times time, host_time;
	struct gb_phases phases;    /* measured in separate samples */
	struct gb_phases transfers; /* a device's "upload" and "download", likewise */
	struct {
		struct gb_numbers sm_clock_hz;                      /* one per sample */
		struct gb_numbers temperature_c, clock_hz, power_w; /* before and after */
		double energy_j, throttled_s, throttled_samples, paused_s;
		struct gb_texts throttle;
	} gpu_state;
	struct {
		double host_bytes, device_bytes, flush_bytes;
	} memory;
	double elapsed_s;
	struct {
		const char *run_id;
		double seq;
	} replaces;              /* the earlier record of the same file that this one replaces */
	struct gb_counts counts; /* per run */

	/* Derived by gb_record_derive(): */
	bool counted;
	bool has_time;      /* has a time measured on real hardware, verified or not */
	size_t repetitions; /* pooled repetitions, whose values are the samples of `time`; else 1 */
	struct {
		double items_per_s, items_per_s_with_transfers, bytes_per_s, copy_share;
	} rates;              /* NAN under the emulator */
	struct gb_texts kept; /* texts that are not in the line; owned */
	cJSON *line;          /* owned; texts that were read point into it */
};

/* The members, in the order of the CSV columns. */
extern const struct gb_fields gb_context_fields, gb_gpu_fields, gb_record_fields, gb_count_fields;

/* The word in the file: "ok". */
const char *gb_status_word(enum gb_record_status status);

/* ---- functions ------------------------------------------------------------------------------ */

/* A run about which nothing is known. */
extern const struct gb_context *const gb_no_context;

/* A record in which nothing is known. */
struct gb_record gb_record_empty(void);

/* Compute what follows from the members.  Call it once these are known. */
void gb_record_derive(struct gb_record *record);

/* Take the counts of a run from their JSON.  GB_EUSAGE if it is no object of counts; GB_EMEMORY. */
enum gb_status gb_record_put_counts(struct gb_record *record, const char *json,
				    struct gb_error *err);

/* Parse a line; owns it even on failure.  NULL if this version cannot read the line as a record or
 * a run (GB_EUSAGE), or if memory ran out. */
struct gb_record *gb_record_parse(cJSON *line, struct gb_error *err);
struct gb_context *gb_context_parse(cJSON *line, struct gb_error *err);
void gb_record_release(struct gb_record *record); /* what it owns */
void gb_record_free(struct gb_record *record);
void gb_context_free(struct gb_context *context);

/* Remove the members that not all records have: those that describe a result, or only those that
 * describe a single repetition.  Other texts stay. */
void gb_record_forget(struct gb_record *record, enum gb_stays stays);

/* Print the line. */
void gb_record_print(FILE *file, const struct gb_record *record);
void gb_context_print(FILE *file, const struct gb_context *context);

/* The run line, indented, for free().  NULL if memory ran out. */
char *gb_context_text(const struct gb_context *context);

/* The value at a path in the JSON or of a derived member ("time.mean", "rates.items_per_s",
 * "counts.chain").  GB_VALUE_ABSENT if there is none. */
struct gb_field_value gb_record_value(const struct gb_record *record, const char *path);
struct gb_field_value gb_context_value(const struct gb_context *context, const char *path);
struct gb_field_value gb_gpu_value(const struct gb_gpu *gpu, const char *path);
/* The number at the path; NAN if there is none. */
double gb_record_number(const struct gb_record *record, const char *path);
/* The series that the path leads into, or that "upload" and "download" are the medians of; NULL if
 * there is none. */
const struct gb_times *gb_record_times(const struct gb_record *record, const char *path);

/* True if the record has a time on which no conclusion may rest: it is doubtful or unverified. */
bool gb_is_untrusted(const struct gb_record *record);

bool gb_is_cpu(const struct gb_record *record);

/* True if caches were cold, according to the record, else to its run, else by default. */
bool gb_record_is_cold(const struct gb_record *record);

/* The CPU or GPU that the record's back end ran on. */
const struct gb_machine *gb_record_machine(const struct gb_record *record);

bool gb_same_machine(const struct gb_machine *a, const struct gb_machine *b);

/* The GPU that the run used; NULL if there was none. */
const struct gb_gpu *gb_context_gpu(const struct gb_context *context);

#endif
