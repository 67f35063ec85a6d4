/* test_machine.c -- what the files of /proc and /sys, the environment and the back ends say of a
 * machine.
 */
#include "cli/records/machine.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cli/records/json.h"
#include "cli/records/settings.h"
#include "common/text.h"
#include "tests/file_of.h"
#include "tests/line_of.h"

#define CPU "/sys/devices/system/cpu/cpu0/"
#define INTEL                                                                                   \
	"processor\t: 0\nvendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t\t: 143\nmodel "    \
	"name\t: Xeon 8480\nstepping\t: 8\nflags\t\t: fpu sse\n\nprocessor\t: 1\nvendor_id\t: " \
	"Other\n"
#define ARM                                                                                  \
	"processor\t: 0\nCPU implementer\t: 0x41\nCPU part\t: 0xd0c\n\nprocessor\t: 1\nCPU " \
	"implementer\t: 0x41\nCPU part\t: 0xd0c\n"

struct file {
	const char *path, *text;
};

static const struct file linux_files[] = {
	{ "/proc/cpuinfo", INTEL },
	{ "/proc/meminfo", "MemTotal:       16384 kB\nMemAvailable:   8192 kB\n" },
	{ "/etc/os-release", "NAME=\"x\"\nPRETTY_NAME=\"Debian 12 (bookworm)\"\n" },
	{ CPU "topology/thread_siblings_list", "0-1\n" },
	{ CPU "topology/core_siblings_list", "0-1\n" },
	{ "/sys/devices/system/cpu/cpu1/topology/thread_siblings_list", "0-1\n" },
	{ "/sys/devices/system/cpu/cpu1/topology/core_siblings_list", "0-1\n" },
	{ CPU "cache/index0/level", "1\n" },
	{ CPU "cache/index0/type", "Data\n" },
	{ CPU "cache/index0/size", "48K\n" },
	{ CPU "cache/index1/level", "1\n" },
	{ CPU "cache/index1/type", "Instruction\n" },
	{ CPU "cache/index1/size", "32K\n" },
	{ CPU "cache/index2/level", "2\n" },
	{ CPU "cache/index2/type", "Unified\n" },
	{ CPU "cache/index2/size", "3M\n" },
	{ CPU "cache/index2/shared_cpu_list", "0-1\n" },
	{ CPU "cache/index6/level", "4\n" },
	{ CPU "cache/index6/type", "Unified\n" },
	{ CPU "cache/index6/size", "2G\n" },
	{ CPU "cache/index7/level", "3\n" },
	{ CPU "cache/index7/type", "Unified\n" },
	{ CPU "cache/index7/size", "1G\n" },
	{ CPU "cache/index8/level", "1\n" },
	{ CPU "cache/index8/type", "Data\n" },
	{ CPU "cache/index8/size", "9K\n" },
	{ CPU "cpufreq/scaling_governor", "performance\n" },
	{ "/sys/kernel/mm/transparent_hugepage/enabled", "always [madvise] never\n" },
	{ "/sys/fs/cgroup/cpu.max", "max 100000\n" },
};

/* Files that a test adds or replaces; those without a text do not exist.  /sys may be missing. */
static struct file other, shared;
static bool is_without_sys;

static const char *text_of(const char *path)
{
	const struct file *const own[] = { &other, &shared };

	for (size_t i = 0; i < GB_COUNT(own); i++)
		if (own[i]->path && gb_equal(path, own[i]->path))
			return own[i]->text;
	for (size_t i = 0; i < GB_COUNT(linux_files); i++)
		if (gb_equal(path, linux_files[i].path))
			return is_without_sys && path[1] == 's' ? NULL : linux_files[i].text;
	return NULL;
}

/* Opens files for reading instead of fopen(); NULL: that does. */
static FILE *(*open_instead)(const char *path);

FILE *fopen(const char *path, const char *mode)
{
	static FILE *(*real)(const char *, const char *);

	if (!real)
		real = (FILE * (*)(const char *, const char *)) dlsym(RTLD_NEXT, "fopen");
	return open_instead ? open_instead(path) : real(path, mode);
}

static FILE *open_file(const char *path)
{
	const char *text = text_of(path);

	if (!text)
		return NULL;
	return text[0] ? fmemopen((void *)(uintptr_t)text, strlen(text), "r") : tmpfile();
}

/* The member of the run line as JSON; "absent". */
static const char *described(const struct gb_context_info *info, const char *path)
{
	static char text[2048];
	struct gb_error err = { 0 };
	struct gb_context *context;
	cJSON *line;

	open_instead = open_file;
	context = gb_describe_context(info, &err);
	open_instead = NULL;
	cr_assert(context != NULL, "%s", err.message);
	line = line_printed(NULL, context);
	gb_context_free(context);
	(void)snprintf(text, sizeof text, "absent");
	if (gb_json_at(line, path))
		(void)cJSON_PrintPreallocated(gb_json_at(line, path), text, sizeof text, false);
	cJSON_Delete(line);
	return text;
}

static struct gb_context_info info;

Test(machine, files_of_linux)
{
	static const struct {
		const char *path, *wanted;
		struct file other;
	} row[] = {
		{ "host.cpu", "\"Xeon 8480\"", { 0 } },
		{ "host.cpu_vendor", "\"GenuineIntel\"", { 0 } },
		{ "host.cpu_family", "6", { 0 } },
		{ "host.cpu_model", "143", { 0 } },
		{ "host.cpu_stepping", "8", { 0 } },
		{ "host.cpu_part", "absent", { 0 } },
		{ "host.cpu", "\"Neoverse-N1\"", { "/proc/cpuinfo", ARM } },
		{ "host.cpu",
		  "\"ARM 0x41-0xfff\"",
		  { "/proc/cpuinfo", "CPU implementer\t: 0x41\nCPU part\t: 0xfff\n" } },
		{ "host.cpu_vendor", "\"0x41\"", { "/proc/cpuinfo", ARM } },
		{ "host.cpu_part", "\"0xd0c\"", { "/proc/cpuinfo", ARM } },
		{ "host.cpu_family", "absent", { "/proc/cpuinfo", ARM } },
		{ "host.cpu", "absent", { "/proc/cpuinfo", "CPU part\t: 0xd0c\n" } },
		{ "host.cpu", "absent", { "/proc/cpuinfo", "CPU implementer\t: 0x41\n" } },
		{ "host.cpu",
		  "\"Snapdragon\"",
		  { "/proc/cpuinfo", "model name\t: Snapdragon\n" ARM } },
		{ "host.cpu", "absent", { "/proc/cpuinfo", NULL } },
		{ "host.virtualized", "false", { 0 } },
		{ "host.virtualized", "absent", { "/proc/cpuinfo", ARM } },
		{ "host.virtualized", "true", { "/proc/cpuinfo", "flags: sse hypervisor\n" } },
		{ "host.virtualized", "true", { "/proc/cpuinfo", "flags: sse hypervisor fpu\n" } },
		{ "host.memory_bytes", "16777216", { 0 } },
		{ "host.memory_bytes", "absent", { "/proc/meminfo", "MemFree: 7 kB\n" } },
		{ "host.os", "\"Debian 12 (bookworm)\"", { 0 } },
		{ "host.os", "\"Alpine\"", { "/etc/os-release", "PRETTY_NAME=Alpine" } },
		{ "host.os", "absent", { "/etc/os-release", "PRETTY_NAME=\"\"\n" } },
		{ "host.cores", "1", { 0 } },
		{ "host.cores", "absent", { CPU "topology/thread_siblings_list", NULL } },
		{ "host.sockets", "1", { 0 } },
		{ "host.sockets", "absent", { CPU "topology/core_siblings_list", "1" } },
		{ "host.l1d_bytes", "49152", { 0 } },
		{ "host.l2_bytes", "3145728", { 0 } },
		{ "host.l3_bytes", "1073741824", { 0 } },
		{ "host.l3_bytes", "absent", { CPU "cache/index7/type", NULL } },
		{ "host.l3_bytes", "absent", { CPU "cache/index7/size", NULL } },
		{ "host.l3_bytes", "absent", { CPU "cache/index7/level", NULL } },
		{ "host.l2_bytes", "512", { CPU "cache/index2/size", "512" } },
		{ "host.l2_bytes", "7", { CPU "cache/index2/size", "7X" } },
		{ "host.l2_bytes", "absent", { CPU "cache/index2/size", "0K" } },
		{ "host.governor", "\"performance\"", { 0 } },
		{ "host.governor", "absent", { CPU "cpufreq/scaling_governor", "" } },
		{ "host.governor", "absent", { CPU "cpufreq/scaling_governor", "\n" } },
		{ "host.huge_pages", "\"madvise\"", { 0 } },
		{ "host.huge_pages",
		  "absent",
		  { "/sys/kernel/mm/transparent_hugepage/enabled", "never\n" } },
		{ "host.cpu_quota", "absent", { 0 } },
		{ "host.cpu_quota", "absent", { "/sys/fs/cgroup/cpu.max", NULL } },
		{ "host.cpu_quota", "1.5", { "/sys/fs/cgroup/cpu.max", "150000 100000\n" } },
		{ "host.turbo", "absent", { 0 } },
		{ "host.turbo",
		  "true",
		  { "/sys/devices/system/cpu/intel_pstate/no_turbo", "0\n" } },
		{ "host.turbo",
		  "false",
		  { "/sys/devices/system/cpu/intel_pstate/no_turbo", "1\n" } },
		{ "host.turbo", "true", { "/sys/devices/system/cpu/cpufreq/boost", "1\n" } },
		{ "host.turbo", "false", { "/sys/devices/system/cpu/cpufreq/boost", "0\n" } },
	};

	for (size_t i = 0; i < GB_COUNT(row); i++) {
		other = row[i].other;
		cr_expect(eq(str, (char *)described(&info, row[i].path), (char *)row[i].wanted),
			  "row %zu: %s", i, row[i].path);
	}
}

/* All last-level caches count, each with the first CPU that shares it. */
Test(machine, last_level_caches)
{
	const bool is_single = sysconf(_SC_NPROCESSORS_CONF) < 2;

	cr_expect(eq(str, (char *)described(&info, "host.cache_bytes"), "3145728"));
	other = (struct file){ "/sys/devices/system/cpu/cpu1/cache/index3/size", "16M" };
	shared =
		(struct file){ "/sys/devices/system/cpu/cpu1/cache/index3/shared_cpu_list", "1-2" };
	cr_expect(eq(str, (char *)described(&info, "host.cache_bytes"),
		     is_single ? "3145728" : "19922944"));
	shared.text = "0-2";
	cr_expect(eq(str, (char *)described(&info, "host.cache_bytes"), "3145728"));
	cr_expect(eq(str, (char *)described(&info, "host.cache_from"), "\"sysfs\""));
	is_without_sys = true;
	other = shared = (struct file){ 0 };
	cr_expect(ne(str, (char *)described(&info, "host.cache_from"), "\"sysfs\""));
}

/* Variables that change how a program runs, and no others. */
Test(machine, environment)
{
	(void)clearenv();
	(void)setenv("HOME", "/", 1);
	cr_expect(eq(str, (char *)described(&info, "environment"), "absent"));
	(void)setenv("OMP_NUM_THREADS", "2", 1);
	(void)setenv("GOMP_SPINCOUNT", "", 1);
	(void)setenv("OMPX", "no", 1);
	(void)setenv("MY_OMP_", "no", 1);
	(void)setenv("GPUBENCH_COPY", "16Mi", 1);
	(void)setenv("GPUBENCH_SIMD", "plain", 1);
	(void)setenv("VK_LAYERS", "a=b", 1);
	cr_expect(eq(str, (char *)described(&info, "environment"),
		     "{\"OMP_NUM_THREADS\":\"2\",\"GOMP_SPINCOUNT\":\"\",\"GPUBENCH_COPY\":"
		     "\"16Mi\",\"GPUBENCH_SIMD\":\"plain\",\"VK_LAYERS\":\"a=b\"}"));
}

Test(machine, devices)
{
	static const char gpu[] =
		"[{\"id\":3,\"name\":\"H100\",\"uuid\":\"GPU-1\",\"pci\":\"0000:01:00.0\","
		"\"cc\":\"9.0\",\"sm_count\":132,\"memory_bytes\":85899345920,\"l2_bytes\":"
		"52428800,\"bus_bits\":5120,\"memory_clock_khz\":2619000,\"sm_clock_khz\":"
		"1980000,\"peak_bytes_per_s\":3352320000000,\"ecc\":true,\"mig\":false,"
		"\"persistence\":true,\"power_limit_w\":700,\"vulkan\":{\"driver\":\"NVIDIA "
		"580\",\"api\":\"1.4.303\"}}]";
	static struct gb_context_info with;

	with = info;
	with.devices.count = 1;
	with.devices.gpu[0] = (struct gb_gpu_info){
		.id = 3,
		.name = "H100",
		.uuid = "GPU-1",
		.pci = "0000:01:00.0",
		.cc_major = 9,
		.sm_count = 132,
		.memory_bytes = INT64_C(80) << 30,
		.l2_bytes = 50 << 20,
		.bus_bits = 5120,
		.memory_clock_khz = 2619000,
		.sm_clock_khz = 1980000,
		.ecc = 1,
		.mig = 0,
		.persistence = 1,
		.power_limit_w = 700,
		.vulkan = { "NVIDIA 580", "1.4.303" },
	};
	cr_expect(eq(str, (char *)described(&with, "gpus"), (char *)gpu));
	with.devices.cuda = (struct gb_cuda_info){ "13.0", "13.1", "580.95.05" };
	cr_expect(eq(str, (char *)described(&with, "cuda"), "absent"));
	with.backends = 1U << GB_CUDA;
	cr_expect(eq(str, (char *)described(&with, "cuda"),
		     "{\"runtime\":\"13.0\",\"driver_api\":\"13.1\",\"driver\":\"580.95.05\"}"));
	with.devices.absent[GB_CUDA] = (struct gb_error){ GB_EUNAVAILABLE, "no driver" };
	with.devices.absent[GB_VULKAN] = (struct gb_error){ GB_EUNAVAILABLE, "no loader" };
	cr_expect(eq(str, (char *)described(&with, "cuda"), "absent"));
	cr_expect(eq(str, (char *)described(&with, "cuda_absent"), "\"no driver\""));
	cr_expect(eq(str, (char *)described(&with, "vulkan_absent"), "\"no loader\""));
}

Test(machine, settings_that_are_flags)
{
	static const struct {
		struct gb_settings how;
		const char *cold, *verify, *verify_all;
	} row[] = {
		{ { 0 }, "true", "true", "false" },
		{ { .hot = 1 }, "false", "true", "false" },
		{ { .verify = GB_VERIFY_NONE }, "true", "false", "false" },
		{ { .verify = GB_VERIFY_ALL }, "true", "true", "true" },
	};

	for (size_t i = 0; i < GB_COUNT(row); i++) {
		struct gb_context_info with = info;

		with.settings = &row[i].how;
		cr_expect(eq(str, (char *)described(&with, "settings.cold"), (char *)row[i].cold));
		cr_expect(eq(str, (char *)described(&with, "settings.verify"),
			     (char *)row[i].verify));
		cr_expect(eq(str, (char *)described(&with, "settings.verify_all"),
			     (char *)row[i].verify_all));
	}
}

/* The instant in UTC, as ISO 8601 writes it. */
Test(machine, a_run_starts_now)
{
	const size_t files = open_files();
	char before[32], after[32];
	time_t now = time(NULL);
	const char *started;

	(void)strftime(before, sizeof before, "\"%Y-%m-%dT%H:%M:%SZ\"", gmtime(&now));
	started = described(&info, "started");
	now = time(NULL);
	(void)strftime(after, sizeof after, "\"%Y-%m-%dT%H:%M:%SZ\"", gmtime(&now));
	cr_expect(strcmp(before, started) <= 0 && strcmp(started, after) <= 0, "%s", started);
	cr_expect(eq(sz, open_files(), files));
}
