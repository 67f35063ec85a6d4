/* machine.h -- where, by what and how a run was made.
 *
 * What a measurement depends on: the machine, the build, the environment.  What is unknown is "", 0
 * or -1 here and null in the record; nothing here fails.
 */
#ifndef GPUBENCH_CLI_RECORDS_MACHINE_H
#define GPUBENCH_CLI_RECORDS_MACHINE_H

#include "common/devices.h"

struct gb_settings;

struct gb_build_info {
	const char *version;     /* "0.1.0" */
	const char *commit;      /* short hash; "" if built outside a repository */
	const char *commit_date; /* "2026-11-22T08:25:38Z", or "" */
	bool dirty;              /* built from files that differ from that commit */
	const char *mode;        /* "release" */
	const char *compiler, *cflags;
	const char *nvcc;  /* version; "" if CUDA is not in this build */
	const char *archs; /* "80 90" */
};

struct gb_host_info {
	char hostname[256], os[128], kernel[160], machine[80], cpu[128];
	char cpu_vendor[32], cpu_part[16];          /* ARM: the numbers of implementer and part */
	double cpu_family, cpu_model, cpu_stepping; /* NAN: unknown */
	int sockets, cores, logical_cpus, numa_nodes;
	int usable_cpus;  /* in this process's affinity mask */
	double cpu_quota; /* CPUs' worth of time that the cgroup grants; NAN: no limit */
	int64_t l1d_bytes, l2_bytes, l3_bytes; /* of the first core */
	int64_t cache_bytes;                   /* all last-level caches: what a flush goes by */
	const char *cache_from; /* "sysfs", "libc", or "assumed" where neither knows; NULL: unset */
	int64_t memory_bytes, available_bytes;
	char governor[32], huge_pages[32];
	int turbo;       /* 1, 0 or -1 */
	int virtualized; /* 1, 0 or -1 */
	double load[3];  /* NAN if unknown */
};

enum { GB_MAX_VARIABLES = 64 };

struct gb_run_info {
	/* Set by the caller. */
	int argc;
	char *const *argv;
	const struct gb_settings *settings; /* NULL: nothing is measured */
	const char *preset, *shard;         /* NULL: none */
	unsigned backends; /* bits 1 << GB_CUDA ... of those that are asked for their GPUs */

	/* Filled by gb_env_gather(). */
	char run_id[17];  /* 16 random hexadecimal digits */
	char started[32]; /* RFC 3339, UTC */
	struct gb_build_info build;
	struct gb_host_info host;
	size_t variable_count;
	const char *variable[GB_MAX_VARIABLES]; /* "OMP_PLACES=cores", in the environment */
	struct gb_devices devices;
};

/* Queries the drivers, too, of back ends that are in this build. */
void gb_env_gather(struct gb_run_info *info);

#endif
