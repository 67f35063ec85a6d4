/* members.h -- a run and a record as C structs, and the tables of their members.
 *
 * The members have the names and the nesting of the JSON.  Times are in ns.  To add a member, add
 * it to the struct, a row to the table (members.c), the code that fills it, and the schema, which
 * tests/cli/records/test_schema.c compares with the tables.
 */
#ifndef GPUBENCH_CLI_RECORDS_MEMBERS_H
#define GPUBENCH_CLI_RECORDS_MEMBERS_H

#include <cjson/cJSON.h>

#include "cli/records/field.h"

struct gb_gpu {
	double id;
	const char *name, *uuid, *pci, *cc, *code;
	double sm_count, memory_bytes, l2_bytes, bus_bits, memory_clock_khz, sm_clock_khz;
	double peak_bytes_per_s, power_limit_w;
	enum gb_flag ecc, mig, persistence;
	bool emulated;
	struct {
		const char *driver, *api;
	} vulkan;
};

/* The identity of a CPU or a GPU (identity.h). */
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
};

/* The result of one variant at one point. */
struct gb_record {
	const struct gb_context *context; /* never NULL; gb_no_run if the file has no line for it */
	const char *run_id;
	double seq;
	const char *bench, *backend, *variant, *library, *key;
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
	struct gb_times time, host_time;
	struct gb_phases phases;    /* measured in separate samples */
	struct gb_phases transfers; /* a device's "upload" and "download", likewise */
	struct {
		struct gb_numbers sm_clock_hz;                      /* one per sample */
		struct gb_numbers temperature_c, clock_hz, power_w; /* before and after */
		double energy_j, throttled_s, throttled_samples;
		struct gb_texts throttle;
	} gpu_state;
	struct {
		double host_bytes, device_bytes, flush_bytes, resident_bytes;
	} memory;
	double elapsed_s;
	struct {
		const char *run_id;
		double seq;
	} replaces; /* the earlier record of the same file that this one replaces */

	/* Derived by gb_record_derive(): */
	bool has_time;      /* has a time measured on real hardware, verified or not */
	size_t repetitions; /* pooled repetitions, whose values are the samples of `time`; else 1 */
	struct {
		double items_per_s, items_per_s_with_transfers, bytes_per_s, copy_share;
	} rates; /* NAN under the emulator */
	bool counted;
	struct gb_counts counts; /* per run */
	size_t kernel_count;
	struct gb_counts *kernel; /* owned */
	struct gb_texts kept;     /* texts of a record that was not read; owned */
	cJSON *line;              /* owned; what was read or, without it, only the counts */
};

/* The members, in the order of the CSV columns. */
extern const struct gb_fields gb_context_fields, gb_gpu_fields, gb_record_fields, gb_count_fields;

/* The word in the file: "ok". */
const char *gb_status_word(enum gb_record_status status);

#endif
