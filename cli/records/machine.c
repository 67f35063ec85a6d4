/* machine.c -- queries /proc, /sys, the environment, the build and the GPUs.  The build generates
 * build_info.h.
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
#include "cli/records/settings.h"
#include "common/text.h"

/* ---- small files ------------------------------------------------------------------------- */

/* A line of a file; those of the CPU's flags are long. */
struct line {
	char text[4096];
};

/* The text after "name" and an optional ':' or '=' in the first line of the file that starts with
 * the name, without quotes; NULL if there is none. */
static char *field(struct line *line, const char *path, const char *name)
{
	FILE *file = fopen(path, "re");
	char *found = NULL;

	while (file && !found && fgets(line->text, sizeof line->text, file)) {
		if (strncmp(line->text, name, strlen(name)) != 0)
			continue;
		found = line->text + strlen(name);
		found += strspn(found, " \t:=\"");
		found[strcspn(found, "\"\n")] = '\0';
	}
	if (file)
		(void)fclose(file);
	return found && found[0] ? found : NULL;
}

/* The first line of the file; NULL if it cannot be read or the line is empty. */
static __attribute__((format(printf, 2, 3))) char *first_line(struct line *line, const char *format,
							      ...)
{
	char path[256];
	va_list args;

	va_start(args, format);
	(void)vsnprintf(path, sizeof path, format, args);
	va_end(args);
	return field(line, path, "");
}

/* A copy of the text that the run keeps; NULL without a text. */
static char *keep(struct gb_context *context, const char *text)
{
	return text ? gb_texts_keep(&context->kept, text) : NULL;
}

/* Queries report an unknown value as "", 0 or -1. */
static const char *known(const char *text)
{
	return text[0] ? text : NULL;
}

static enum gb_flag flag(int value)
{
	return value == 1 ? GB_YES : value == 0 ? GB_NO : GB_UNKNOWN;
}

/* Parse "32K", "2048K" or "36M" as bytes. */
static double size_of(const char *text)
{
	static const char units[] = "KMG";
	char *end;
	const double number = strtod(text, &end);
	const char *unit = *end ? strchr(units, *end) : NULL;

	return gb_positive(unit ? ldexp(number, 10 * (int)(unit - units + 1)) : number);
}

/* ---- names of ARM cores --------------------------------------------------------------------- */

/* The name of the first core, of servers and of boards with a GPU.  Source: the technical reference
 * manuals (MIDR_EL1) and the vendors' code in Linux. */
static const char *arm_name(const char *implementer, const char *part, char text[64])
{
	static const struct {
		const char *implementer, *part, *name;
	} cores[] = {
		{ "0x41", "0xd08", "Cortex-A72" },        { "0x41", "0xd0b", "Cortex-A76" },
		{ "0x41", "0xd0c", "Neoverse-N1" },       { "0x41", "0xd40", "Neoverse-V1" },
		{ "0x41", "0xd41", "Cortex-A78" },        { "0x41", "0xd42", "Cortex-A78AE" },
		{ "0x41", "0xd49", "Neoverse-N2" },       { "0x41", "0xd4a", "Neoverse-E1" },
		{ "0x41", "0xd4f", "Neoverse-V2" },       { "0x41", "0xd83", "Neoverse-V3AE" },
		{ "0x41", "0xd84", "Neoverse-V3" },       { "0x41", "0xd85", "Cortex-X925" },
		{ "0x41", "0xd87", "Cortex-A725" },       { "0x41", "0xd8e", "Neoverse-N3" },
		{ "0x43", "0x0af", "ThunderX2" },         { "0x46", "0x001", "A64FX" },
		{ "0x48", "0xd01", "Kunpeng-920" },       { "0x4e", "0x004", "Carmel" },
		{ "0x4e", "0x010", "Olympus" },           { "0x51", "0x001", "Oryon" },
		{ "0x61", "0x022", "Apple-M1-Icestorm" }, { "0x61", "0x023", "Apple-M1-Firestorm" },
		{ "0x6d", "0xd49", "Cobalt-100" },        { "0xc0", "0xac3", "Ampere-1" },
		{ "0xc0", "0xac4", "Ampere-1a" },
	};

	for (size_t i = 0; i < GB_COUNT(cores); i++)
		if (gb_equal(cores[i].implementer, implementer) && gb_equal(cores[i].part, part))
			return cores[i].name;
	(void)snprintf(text, 64, "ARM %.20s-%.20s", implementer, part);
	return text;
}

/* ---- the host ---------------------------------------------------------------------------- */

/* The number of cores or sockets, each counted at its first logical CPU. */
static double count_first(struct line *line, const char *siblings)
{
	const long cpus = sysconf(_SC_NPROCESSORS_CONF);
	double count = 0;

	for (long cpu = 0; cpu < cpus; cpu++) {
		const char *list = first_line(line, "/sys/devices/system/cpu/cpu%ld/topology/%s",
					      cpu, siblings);

		count += list && strtol(list, NULL, 10) == cpu;
	}
	return gb_positive(count);
}

static void describe_caches(struct gb_context *context)
{
	static const char cache[] = "/sys/devices/system/cpu/cpu0/cache/index%d/%s";
	struct line text[3];
	double *const bytes[] = { &context->host.l1d_bytes, &context->host.l2_bytes,
				  &context->host.l3_bytes };

	context->host.cache_bytes =
		gb_positive((double)gb_backends[GB_CPU]->cache_bytes(&context->host.cache_from));
	for (int index = 0; index < 8; index++) {
		const char *level = first_line(&text[0], cache, index, "level");
		const char *type = first_line(&text[1], cache, index, "type");
		const char *size = first_line(&text[2], cache, index, "size");
		const int at = level ? level[0] - '1' : -1;

		if (!type || !size || at < 0 || at > 2 || gb_equal(type, "Instruction"))
			continue;
		*bytes[at] = size_of(size);
	}
}

/* The CPU limit of the cgroup, in CPUs: "max 100000" or "200000 100000". */
static double cpu_quota(struct line *line)
{
	const char *text = first_line(line, "/sys/fs/cgroup/cpu.max");
	char *period;
	const double quota = text ? strtod(text, &period) : (double)NAN;

	return text && period != text ? quota / strtod(period, NULL) : (double)NAN;
}

/* True if the CPU reports a hypervisor. */
static enum gb_flag virtualized(struct line *line)
{
	const char *flags = field(line, "/proc/cpuinfo", "flags");

	return flags ? flag(strstr(flags, " hypervisor") != NULL) : GB_UNKNOWN;
}

static enum gb_flag turbo(struct line *line)
{
	const char *no = first_line(line, "/sys/devices/system/cpu/intel_pstate/no_turbo");
	const char *boost;

	if (no)
		return flag(gb_equal(no, "0"));
	boost = first_line(line, "/sys/devices/system/cpu/cpufreq/boost");
	return boost ? flag(gb_equal(boost, "1")) : GB_UNKNOWN;
}

static double cpu_number(struct line *line, const char *name)
{
	const char *text = field(line, "/proc/cpuinfo", name);

	return text ? strtod(text, NULL) : (double)NAN;
}

/* The prefix "model" also matches "model name", so the tab after "model" is part of the name. */
static void describe_model(struct gb_context *context, struct line *line)
{
	static const char cpuinfo[] = "/proc/cpuinfo";
	char text[64];

	context->host.cpu = keep(context, field(line, cpuinfo, "model name"));
	context->host.cpu_vendor = keep(context, field(line, cpuinfo, "vendor_id"));
	context->host.cpu_family = cpu_number(line, "cpu family");
	context->host.cpu_model = cpu_number(line, "model\t");
	context->host.cpu_stepping = cpu_number(line, "stepping");
	if (context->host.cpu_vendor)
		return;
	context->host.cpu_vendor = keep(context, field(line, cpuinfo, "CPU implementer"));
	context->host.cpu_part = keep(context, field(line, cpuinfo, "CPU part"));
	if (!context->host.cpu && context->host.cpu_vendor && context->host.cpu_part)
		context->host.cpu = keep(
			context, arm_name(context->host.cpu_vendor, context->host.cpu_part, text));
}

static void describe_cpu(struct gb_context *context, struct line *line)
{
	cpu_set_t usable;

	describe_model(context, line);
	if (sched_getaffinity(0, sizeof usable, &usable) == 0)
		context->host.usable_cpus = CPU_COUNT(&usable);
	context->host.cores = count_first(line, "thread_siblings_list");
	context->host.sockets = count_first(line, "core_siblings_list");
	describe_caches(context);
	context->host.governor = keep(
		context, first_line(line, "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"));
	context->host.cpu_quota = cpu_quota(line);
	context->host.turbo = turbo(line);
	context->host.virtualized = virtualized(line);
}

static void describe_memory(struct gb_context *context, struct line *line)
{
	const char *total = field(line, "/proc/meminfo", "MemTotal");
	char *pages;

	if (total)
		context->host.memory_bytes = gb_positive(strtod(total, NULL) * 1024);
	pages = first_line(line, "/sys/kernel/mm/transparent_hugepage/enabled");
	pages = pages ? strchr(pages, '[') : NULL; /* "always [madvise] never" */
	if (pages) {
		pages[strcspn(pages, "]")] = '\0';
		context->host.huge_pages = keep(context, pages + 1);
	}
}

static void describe_host(struct gb_context *context)
{
	struct line line;
	struct utsname name;
	double load[3];
	struct gb_error ignored = { 0 };

	if (uname(&name) == 0) {
		(void)snprintf(line.text, sizeof line.text, "%s %s", name.sysname, name.release);
		context->host.hostname = keep(context, name.nodename);
		context->host.kernel = keep(context, line.text);
		context->host.machine = keep(context, name.machine);
	}
	context->host.os = keep(context, field(&line, "/etc/os-release", "PRETTY_NAME"));
	for (int i = 0, loads = getloadavg(load, 3); i < loads; i++)
		(void)gb_numbers_add(&context->host.load, load[i], &ignored);
	describe_memory(context, &line);
	describe_cpu(context, &line);
}

/* ---- the run ----------------------------------------------------------------------------- */

const char gb_archs[] = GB_ARCHS;

void gb_archs_advise(FILE *file, const struct gb_gpu_info *gpu, const char *archs)
{
	const long wanted = 10L * gpu->cc_major + gpu->cc_minor;
	char *end;

	if (!archs[0] || !gpu->number[GB_CUDA] || wanted <= 0)
		return;
	for (const char *at = archs; *at; at = end)
		if (strtol(at, &end, 10) == wanted || end == at)
			return;
	(void)fprintf(file, "gpubench: GPU %d (", gpu->id);
	gb_text_print(file, gpu->name);
	(void)fprintf(file, ") is sm_%ld, but this build is for %s", wanted, archs);
	if (gpu->code[0])
		(void)fprintf(file, " and runs %s", gpu->code);
	(void)fprintf(file, ": rebuild with `make SMS=%ld`\n", wanted);
}

static void describe_tool(struct gb_context *context)
{
	context->tool.name = "gpubench";
	context->tool.version = GB_VERSION;
	context->tool.commit = known(GB_COMMIT);
	context->tool.commit_date = known(GB_COMMIT_DATE);
	context->tool.dirty = flag(GB_DIRTY);
	context->tool.mode = GB_MODE;
#ifdef __clang__
	context->tool.compiler = __VERSION__;
#else
	context->tool.compiler = "gcc " __VERSION__;
#endif
	context->tool.cflags = known(GB_CFLAGS);
	context->tool.nvcc = known(GB_NVCC);
	context->tool.archs = known(gb_archs);
}

static struct gb_gpu describe_gpu(struct gb_context *context, const struct gb_gpu_info *gpu)
{
	char cc[32];

	(void)snprintf(cc, sizeof cc, "%d.%d", gpu->cc_major, gpu->cc_minor);
	return (struct gb_gpu){
		.id = gpu->id,
		.name = keep(context, known(gpu->name)),
		.uuid = keep(context, known(gpu->uuid)),
		.pci = keep(context, known(gpu->pci)),
		.cc = gpu->cc_major > 0 ? keep(context, cc) : NULL,
		.code = keep(context, known(gpu->code)),
		.sm_count = gb_positive(gpu->sm_count),
		.memory_bytes = gb_positive((double)gpu->memory_bytes),
		.l2_bytes = gb_positive((double)gpu->l2_bytes),
		.bus_bits = gb_positive(gpu->bus_bits),
		.memory_clock_khz = gb_positive((double)gpu->memory_clock_khz),
		.sm_clock_khz = gb_positive((double)gpu->sm_clock_khz),
		/* Double data rate: two transfers per clock, as vendors count it. */
		.peak_bytes_per_s =
			gb_positive(2.0 * (double)gpu->memory_clock_khz * 1e3 * gpu->bus_bits / 8),
		.power_limit_w = gb_positive(gpu->power_limit_w),
		.ecc = flag(gpu->ecc),
		.mig = flag(gpu->mig),
		.persistence = flag(gpu->persistence),
		.mps = gpu->mps,
		.compute_mode = keep(context, known(gpu->compute_mode)),
		.emulated = gpu->emulated,
		.vulkan = { keep(context, known(gpu->vulkan.driver)),
			    keep(context, known(gpu->vulkan.api)) },
	};
}

static void describe_devices(struct gb_context *context, const struct gb_context_info *info)
{
	const struct gb_error *absent = info->devices.absent;

	context->cuda_absent = keep(context, known(absent[GB_CUDA].message));
	context->vulkan_absent = keep(context, known(absent[GB_VULKAN].message));
	if (absent[GB_CUDA].code || !(info->backends >> GB_CUDA & 1))
		return;
	context->cuda.runtime = keep(context, known(info->devices.cuda.runtime));
	context->cuda.driver_api = keep(context, known(info->devices.cuda.driver_api));
	context->cuda.driver = keep(context, known(info->devices.cuda.driver));
}

static void describe_settings(struct gb_context *context, const struct gb_context_info *info)
{
	const struct gb_settings *how = info->settings;

	if (!how)
		return;
	context->settings.samples = (double)how->samples;
	context->settings.warmup = (double)how->warmup;
	context->settings.warmup_time_s = gb_positive(how->warmup_time_s);
	context->settings.min_samples = (double)how->min_samples;
	context->settings.rel_ci = how->rel_ci;
	context->settings.max_time_s = how->max_time_s;
	context->settings.timeout_s = how->timeout_s;
	context->settings.cold = how->hot ? GB_NO : GB_YES;
	context->settings.verify = how->verify != GB_VERIFY_NONE ? GB_YES : GB_NO;
	context->settings.verify_all = how->verify == GB_VERIFY_ALL ? GB_YES : GB_NO;
	context->settings.device = (double)how->device;
	context->settings.preset = keep(context, info->preset);
	context->settings.locked_clock = keep(context, info->locked_clock);
}

/* Record the variables that affect OpenMP, CUDA, Vulkan, vectors, or the copy bandwidth.
 * False if memory ran out. */
static bool describe_environment(struct gb_context *context)
{
	static const char *const prefix[] = { "OMP_", "GOMP_",         "KMP_",         "CUDA_",
					      "VK_",  "GPUBENCH_COPY", "GPUBENCH_SIMD" };

	for (char **variable = environ; *variable; variable++) {
		struct gb_member member = { .value.kind = GB_VALUE_TEXT };
		char *name = NULL, *value;

		for (size_t i = 0; i < GB_COUNT(prefix) && !name; i++)
			if (strncmp(*variable, prefix[i], strlen(prefix[i])) == 0)
				name = keep(context, *variable);
		value = name ? strchr(name, '=') : NULL;
		if (!value)
			continue;
		*value = '\0';
		member.name = name;
		member.value.text = value + 1;
		if (!gb_members_add(&context->environment, member))
			return false;
	}
	return true;
}

/* Start with 64 random bits. */
static void begin_run(struct gb_context *context)
{
	uint64_t id = 0;
	struct timespec now;
	struct tm utc;
	char text[32];

	(void)clock_gettime(CLOCK_REALTIME, &now);
	(void)!getrandom(&id, sizeof id, 0);
	(void)snprintf(text, sizeof text, "%016jx", (uintmax_t)id);
	context->run_id = keep(context, text);
	(void)gmtime_r(&now.tv_sec, &utc);
	(void)strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &utc);
	context->started = keep(context, text);
}

struct gb_context *gb_describe_context(const struct gb_context_info *info, struct gb_error *err)
{
	struct gb_context *context = malloc(sizeof *context);
	bool ok = context;

	if (ok) {
		*context = *gb_no_context;
		if (info->devices.count)
			context->gpu = calloc(info->devices.count, sizeof *context->gpu);
		begin_run(context);
		ok = (context->gpu || !info->devices.count) && context->run_id;
	}
	for (int i = 0; i < info->argc && ok; i++)
		ok = gb_texts_add(&context->argv, info->argv[i]);
	for (size_t i = 0; i < info->devices.count && ok; i++)
		context->gpu[context->gpu_count++] = describe_gpu(context, &info->devices.gpu[i]);
	if (ok) {
		describe_tool(context);
		describe_devices(context, info);
		describe_settings(context, info);
		describe_host(context);
		ok = describe_environment(context);
	}
	if (ok)
		return context;
	gb_context_free(context);
	gb_out_of_memory(err, "describing the run");
	return NULL;
}

/* ---- identity ------------------------------------------------------------------------------- */

/* Append to the identity.  A part that is unknown leaves it incomplete. */
static __attribute__((format(printf, 3, 4))) void put(struct gb_machine *m, bool is_known,
						      const char *format, ...)
{
	const size_t used = strlen(m->text);
	va_list args;

	m->whole = m->whole && is_known;
	if (!is_known)
		return;
	va_start(args, format);
	(void)vsnprintf(m->text + used, sizeof m->text - used, format, args);
	va_end(args);
}

static void put_count(struct gb_machine *m, double count, const char *noun)
{
	put(m, !isnan(count), ", %g %s%s", count, noun, count > 1 ? "s" : "");
}

static void put_bytes(struct gb_machine *m, const char *name, double bytes)
{
	char text[GB_TEXT_MAX];

	put(m, !isnan(bytes), ", %s%s", name, gb_text_bytes(text, bytes));
}

static void begin_machine(struct gb_machine *m, const char *name)
{
	*m = (struct gb_machine){ .whole = true };
	(void)snprintf(m->name, sizeof m->name, "%.120s", name ? name : "unknown");
	put(m, true, "%s", m->name);
}

/* The host's name replaces whatever is missing. */
static void end_machine(struct gb_machine *m, const struct gb_context *context)
{
	if (!m->whole && context->host.hostname)
		put(m, true, ", on %s", context->host.hostname);
}

/* Memory is rounded up to GiB because the amount that the kernel leaves varies slightly. */
static void identify_cpu(const struct gb_context *context, struct gb_machine *m)
{
	const char *vendor = context->host.cpu_vendor;
	const bool x86 = !isnan(context->host.cpu_family);

	begin_machine(m, context->host.cpu);
	put_count(m, context->host.sockets, "socket");
	put_count(m, context->host.cores, "core");
	put_bytes(m, "L1d ", context->host.l1d_bytes);
	put_bytes(m, "L2 ", context->host.l2_bytes);
	put_bytes(m, "L3 ", context->host.l3_bytes);
	put(m, !isnan(context->host.memory_bytes), ", %.0f GiB",
	    ceil(context->host.memory_bytes / 0x1p30));
	if (x86)
		put(m, vendor, ", %s %g-%g-%g", vendor, context->host.cpu_family,
		    context->host.cpu_model, context->host.cpu_stepping);
	else
		put(m, vendor && context->host.cpu_part, ", %s-%s", vendor, context->host.cpu_part);
	end_machine(m, context);
}

static void identify_gpu(const struct gb_context *context, struct gb_machine *m)
{
	const struct gb_gpu *gpu = gb_context_gpu(context);

	begin_machine(m, gpu ? gpu->name : NULL);
	put_bytes(m, "", gpu ? gpu->memory_bytes : (double)NAN);
	m->whole = true; /* the UUID suffices */
	put(m, gpu && gpu->uuid, ", %s", gpu ? gpu->uuid : "");
	end_machine(m, context);
}

void gb_identify(struct gb_context *context)
{
	identify_cpu(context, &context->on_cpu);
	identify_gpu(context, &context->on_gpu);
}
