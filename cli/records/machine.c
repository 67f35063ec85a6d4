/* machine.c -- queries /proc, /sys, the environment, the build and the GPUs.
 *
 * Nothing here fails: what cannot be read stays unknown.  build_info.h is written by the build.
 */
#include "cli/records/machine.h"

#include <math.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "build_info.h"
#include "cli/records/identity.h"
#include "cli/records/version.h"
#include "common/available.h"
#include "common/text.h"

/* ---- small files ------------------------------------------------------------------------- */

/* The first line of the file into text, without its end; "" if there is no such file. */
static bool first_line(char *text, size_t size, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

static bool first_line(char *text, size_t size, const char *format, ...)
{
	char path[256];
	va_list args;
	FILE *file;

	text[0] = '\0';
	va_start(args, format);
	(void)vsnprintf(path, sizeof path, format, args);
	va_end(args);
	file = fopen(path, "re");
	if (!file)
		return false;
	if (!fgets(text, (int)size, file))
		text[0] = '\0';
	(void)fclose(file);
	text[strcspn(text, "\n")] = '\0';
	return text[0] != '\0';
}

/* What follows "name" and an optional ':' or '=' in the first line of path that starts with it,
 * without quotes; "" if there is none. */
static void field(char *text, size_t size, const char *path, const char *name)
{
	const size_t length = strlen(name);
	FILE *file = fopen(path, "re");
	char line[4096]; /* the flags of a CPU are long */

	text[0] = '\0';
	while (file && !text[0] && fgets(line, sizeof line, file)) {
		const char *value = line + length;

		if (strncmp(line, name, length) != 0)
			continue;
		value += strspn(value, " \t:=\"");
		(void)snprintf(text, size, "%.*s", (int)strcspn(value, "\"\n"), value);
	}
	if (file)
		(void)fclose(file);
}

/* "32K", "2048K", "36M"; 0 if it is none. */
static int64_t size_of(const char *text)
{
	char *end;
	const int64_t number = strtoll(text, &end, 10);

	if (number <= 0 || number > INT64_MAX >> 30)
		return 0;
	switch (*end) {
	case 'K':
		return number << 10;
	case 'M':
		return number << 20;
	case 'G':
		return number << 30;
	default:
		return number;
	}
}

/* The word in brackets of "always [madvise] never". */
static void chosen(char *text, size_t size, const char *line)
{
	const char *open = strchr(line, '[');

	if (open)
		(void)snprintf(text, size, "%.*s", (int)strcspn(open + 1, "]"), open + 1);
}

/* ---- the host ---------------------------------------------------------------------------- */

/* How many CPUs a list such as "0-3,8" names. */
static int count_list(const char *list)
{
	int count = 0;

	while (*list) {
		char *end;
		const long low = strtol(list, &end, 10);
		const long high = *end == '-' ? strtol(end + 1, &end, 10) : low;

		if (end == list || high < low || high > 1 << 20)
			break;
		count += (int)(high - low) + 1;
		list = *end == ',' ? end + 1 : end;
	}
	return count;
}

/* Cores and sockets, each counted at its first logical CPU. */
static void count_cores(struct gb_host_info *host)
{
	char text[64];

	for (int cpu = 0; cpu < host->logical_cpus; cpu++) {
		static const char topology[] = "/sys/devices/system/cpu/cpu%d/topology/%s";
		const char *const list[] = { "thread_siblings_list", "core_siblings_list" };
		int *const counter[] = { &host->cores, &host->sockets };

		for (size_t i = 0; i < GB_COUNT(list); i++)
			if (first_line(text, sizeof text, topology, cpu, list[i]) &&
			    strtol(text, NULL, 10) == cpu)
				++*counter[i];
	}
}

/* Where there is no /sys the C library may still know. */
static void ask_libc(struct gb_host_info *host)
{
	static const int name[] = { _SC_LEVEL1_DCACHE_SIZE, _SC_LEVEL2_CACHE_SIZE,
				    _SC_LEVEL3_CACHE_SIZE };
	int64_t *const bytes[] = { &host->l1d_bytes, &host->l2_bytes, &host->l3_bytes };

	for (size_t i = 0; i < GB_COUNT(name); i++)
		*bytes[i] = sysconf(name[i]);
}

static void gather_caches(struct gb_host_info *host)
{
	host->cache_bytes = (int64_t)gb_backends[GB_CPU]->cache_bytes(&host->cache_from);
	for (int index = 0; index < 8; index++) {
		static const char cache[] = "/sys/devices/system/cpu/cpu0/cache/index%d/%s";
		char level[8], type[32], size[32];

		if (!first_line(level, sizeof level, cache, index, "level") ||
		    !first_line(type, sizeof type, cache, index, "type") ||
		    !first_line(size, sizeof size, cache, index, "size") ||
		    gb_equal(type, "Instruction"))
			continue;
		if (gb_equal(level, "1"))
			host->l1d_bytes = size_of(size);
		else if (gb_equal(level, "2"))
			host->l2_bytes = size_of(size);
		else if (gb_equal(level, "3"))
			host->l3_bytes = size_of(size);
	}
	if (host->l1d_bytes + host->l2_bytes + host->l3_bytes == 0)
		ask_libc(host);
}

/* CPUs' worth of time by the cgroup: version 2's "max 100000" or "200000 100000", or version 1's
 * two files. */
static double cpu_quota(void)
{
	char text[64], *period;
	double quota;

	if (first_line(text, sizeof text, "/sys/fs/cgroup/cpu.max")) {
		quota = strtod(text, &period);
		return period == text ? (double)NAN : quota / strtod(period, NULL);
	}
	if (!first_line(text, sizeof text, "/sys/fs/cgroup/cpu/cpu.cfs_quota_us"))
		return (double)NAN;
	quota = strtod(text, NULL);
	if (!(quota > 0) || !first_line(text, sizeof text, "/sys/fs/cgroup/cpu/cpu.cfs_period_us"))
		return (double)NAN;
	return quota / strtod(text, NULL);
}

/* 1 if the CPU reports a hypervisor, -1 if unknown. */
static int virtualized(void)
{
	char flags[4096];
	const char *at;

	field(flags, sizeof flags, "/proc/cpuinfo", "flags");
	if (!flags[0])
		return -1;
	at = strstr(flags, " hypervisor");
	return at && (at[11] == ' ' || at[11] == '\0');
}

static int turbo(void)
{
	char text[16];

	if (first_line(text, sizeof text, "/sys/devices/system/cpu/intel_pstate/no_turbo"))
		return gb_equal(text, "0");
	if (first_line(text, sizeof text, "/sys/devices/system/cpu/cpufreq/boost"))
		return gb_equal(text, "1");
	return -1;
}

static void gather_system(struct gb_host_info *host)
{
	struct utsname name;

	if (gethostname(host->hostname, sizeof host->hostname - 1))
		host->hostname[0] = '\0';
	field(host->os, sizeof host->os, "/etc/os-release", "PRETTY_NAME");
	if (uname(&name))
		return;
	(void)snprintf(host->kernel, sizeof host->kernel, "%s %s", name.sysname, name.release);
	(void)snprintf(host->machine, sizeof host->machine, "%s", name.machine);
}

static double cpu_number(const char *name)
{
	char text[32];

	field(text, sizeof text, "/proc/cpuinfo", name);
	return text[0] ? strtod(text, NULL) : (double)NAN;
}

/* "model name" begins with "model", which ends in a tab. */
static void gather_model(struct gb_host_info *host)
{
	static const char cpuinfo[] = "/proc/cpuinfo";
	const char *name;

	field(host->cpu, sizeof host->cpu, cpuinfo, "model name");
	field(host->cpu_vendor, sizeof host->cpu_vendor, cpuinfo, "vendor_id");
	host->cpu_family = cpu_number("cpu family");
	host->cpu_model = cpu_number("model\t");
	host->cpu_stepping = cpu_number("stepping");
	if (host->cpu_vendor[0])
		return;
	field(host->cpu_vendor, sizeof host->cpu_vendor, cpuinfo, "CPU implementer");
	field(host->cpu_part, sizeof host->cpu_part, cpuinfo, "CPU part");
	name = gb_arm_name(host->cpu_vendor, host->cpu_part);
	if (host->cpu[0])
		return;
	if (name)
		(void)snprintf(host->cpu, sizeof host->cpu, "%s", name);
	else if (host->cpu_part[0])
		(void)snprintf(host->cpu, sizeof host->cpu, "ARM %s-%s", host->cpu_vendor,
			       host->cpu_part);
}

static void gather_cpu(struct gb_host_info *host)
{
	char text[128];
	cpu_set_t usable;

	gather_model(host);
	host->logical_cpus = (int)sysconf(_SC_NPROCESSORS_CONF);
	if (sched_getaffinity(0, sizeof usable, &usable) == 0)
		host->usable_cpus = CPU_COUNT(&usable);
	count_cores(host);
	gather_caches(host);
	if (first_line(text, sizeof text, "/sys/devices/system/node/online"))
		host->numa_nodes = count_list(text);
	(void)first_line(host->governor, sizeof host->governor,
			 "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor");
	host->cpu_quota = cpu_quota();
	host->turbo = turbo();
	host->virtualized = virtualized();
	if (getloadavg(host->load, 3) != 3)
		host->load[0] = (double)NAN;
}

static void gather_memory(struct gb_host_info *host)
{
	char text[64];

	field(text, sizeof text, "/proc/meminfo", "MemTotal");
	host->memory_bytes = strtoll(text, NULL, 10) << 10;
	host->available_bytes = (int64_t)gb_host_available();
	if (first_line(text, sizeof text, "/sys/kernel/mm/transparent_hugepage/enabled"))
		chosen(host->huge_pages, sizeof host->huge_pages, text);
}

/* ---- the run ----------------------------------------------------------------------------- */

/* The variables that change what OpenMP, CUDA or Vulkan do, or what is copied to know the bandwidth. */
static void gather_variables(struct gb_run_info *info)
{
	static const char *const prefix[] = { "OMP_", "GOMP_",         "KMP_",           "CUDA_",
					      "VK_",  "GPUBENCH_COPY", "GPUBENCH_VULKAN" };

	for (char **variable = environ; *variable; variable++)
		for (size_t i = 0; i < GB_COUNT(prefix); i++)
			if (strncmp(*variable, prefix[i], strlen(prefix[i])) == 0 &&
			    info->variable_count < GB_MAX_VARIABLES)
				info->variable[info->variable_count++] = *variable;
}

static void name_run(struct gb_run_info *info)
{
	uint64_t id;
	struct timespec now;
	struct tm utc;

	(void)clock_gettime(CLOCK_REALTIME, &now);
	if (getrandom(&id, sizeof id, GRND_NONBLOCK) != (ssize_t)sizeof id)
		id = ((uint64_t)now.tv_sec << 32 ^ (uint64_t)now.tv_nsec << 16 ^
		      (uint64_t)getpid()) *
		     UINT64_C(0x9e3779b97f4a7c15);
	(void)snprintf(info->run_id, sizeof info->run_id, "%016jx", (uintmax_t)id);
	if (!gmtime_r(&now.tv_sec, &utc) ||
	    !strftime(info->started, sizeof info->started, "%Y-%m-%dT%H:%M:%SZ", &utc))
		(void)snprintf(info->started, sizeof info->started, "1970-01-01T00:00:00Z");
}

void gb_env_gather(struct gb_run_info *info)
{
	info->build = (struct gb_build_info){
		.version = GB_VERSION,
		.commit = GB_COMMIT,
		.commit_date = GB_COMMIT_DATE,
		.dirty = GB_DIRTY,
		.mode = GB_MODE,
#ifdef __clang__
		.compiler = __VERSION__,
#else
		.compiler = "gcc " __VERSION__,
#endif
		.cflags = GB_CFLAGS,
		.nvcc = GB_NVCC,
		.archs = GB_ARCHS,
	};
	memset(&info->host, 0, sizeof info->host);
	info->variable_count = 0;
	name_run(info);
	gather_system(&info->host);
	gather_cpu(&info->host);
	gather_memory(&info->host);
	gather_variables(info);
	gb_devices_find(&info->devices, info->backends);
}
