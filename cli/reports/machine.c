/* machine.c -- prints the machine and the build of a run. */
#include "cli/reports/machine.h"

#include <math.h>

#include "common/text.h"

static const char *word(const char *text)
{
	return text ? text : "unknown";
}

/* Print "<comma><count> <noun>", in the plural unless count is 1; nothing if it is unknown. */
static void print_count(FILE *file, const char *comma, double count, const char *noun)
{
	if (isfinite(count))
		(void)fprintf(file, "%s%g %s%s", comma, count, noun,
			      count > 1 || count < 1 ? "s" : "");
}

static void print_bytes(FILE *file, const char *before, double bytes, const char *after)
{
	char text[GB_TEXT_MAX];

	if (isfinite(bytes))
		(void)fprintf(file, "%s%s%s", before, gb_text_bytes(text, bytes), after);
}

static void print_tool(FILE *file, const struct gb_run *run)
{
	const char *commit = run->tool.commit;
	const char *nvcc = run->tool.nvcc;

	(void)fprintf(file, "gpubench  %s", word(run->tool.version));
	if (commit)
		(void)fprintf(file, ", commit %s%s", commit,
			      run->tool.dirty == GB_YES ? " with changes" : "");
	(void)fprintf(file, ", %s build\n", word(run->tool.mode));
	(void)fprintf(file, "compiler  %s %s\n", word(run->tool.compiler), word(run->tool.cflags));
	if (nvcc)
		(void)fprintf(file, "nvcc      %s, for %s\n", nvcc, word(run->tool.archs));
	else
		(void)fprintf(file, "nvcc      not in this build\n");
}

static void print_cpu(FILE *file, const struct gb_run *run)
{
	const char *governor = run->host.governor;

	(void)fprintf(file, "cpu       %s", word(run->host.cpu));
	print_count(file, "; ", run->host.sockets, "socket");
	print_count(file, ", ", run->host.cores, "core");
	print_count(file, ", ", run->host.logical_cpus, "logical CPU");
	if (run->host.usable_cpus < run->host.logical_cpus)
		print_count(file, ", ", run->host.usable_cpus, "usable CPU");
	print_count(file, ", limited to ", run->host.cpu_quota, "CPU");
	print_count(file, ", ", run->host.numa_nodes, "NUMA node");
	if (governor)
		(void)fprintf(file, ", governor %s", governor);
	if (run->host.virtualized == GB_YES)
		(void)fprintf(file, ", virtualized");
	(void)fprintf(file, "\ncaches   ");
	if (gb_equal(word(run->host.cache_from), "assumed"))
		print_bytes(file, " unknown; ", run->host.cache_bytes, " assumed for the flush");
	print_bytes(file, " L1d ", run->host.l1d_bytes, "");
	print_bytes(file, ", L2 ", run->host.l2_bytes, "");
	print_bytes(file, ", L3 ", run->host.l3_bytes, "");
	(void)fputc('\n', file);
}

static void print_host(FILE *file, const struct gb_run *run)
{
	const struct gb_numbers *load = &run->host.load;

	(void)fprintf(file, "host      %s, %s, %s, %s\n", word(run->host.hostname),
		      word(run->host.os), word(run->host.kernel), word(run->host.machine));
	print_cpu(file, run);
	(void)fprintf(file, "memory   ");
	print_bytes(file, " ", run->host.memory_bytes, "");
	print_bytes(file, ", ", run->host.available_bytes, " available");
	(void)fprintf(file, ", huge pages: %s\n", word(run->host.huge_pages));
	if (load->count)
		(void)fprintf(file, "load      %.2f\n", load->value[0]);
}

static void print_switch(FILE *file, const char *name, enum gb_flag flag)
{
	if (flag != GB_UNKNOWN)
		(void)fprintf(file, ", %s %s", name, flag == GB_YES ? "on" : "off");
}

static void print_gpu(FILE *file, const struct gb_gpu *gpu)
{
	const double peak = gpu->peak_bytes_per_s;
	const double clock = gpu->sm_clock_khz;
	const char *cc = gpu->cc;
	char text[GB_TEXT_MAX];

	(void)fprintf(file, "gpu %-5g %s", gpu->id, word(gpu->name));
	if (cc)
		(void)fprintf(file, ", cc %s", cc);
	if (gpu->code)
		(void)fprintf(file, ", code %s", gpu->code);
	print_count(file, ", ", gpu->sm_count, "SM");
	if (isfinite(clock))
		(void)fprintf(file, " at %.0f MHz", clock / 1e3);
	print_bytes(file, ", ", gpu->memory_bytes, "");
	if (isfinite(peak))
		(void)fprintf(file, " at %sB/s", gb_text_scaled(text, peak));
	print_bytes(file, ", L2 ", gpu->l2_bytes, "");
	if (gpu->uuid)
		(void)fprintf(file, ", %s", word(gpu->uuid));
	print_switch(file, "persistence mode", gpu->persistence);
	print_switch(file, "MIG", gpu->mig);
	if (gpu->vulkan.api)
		(void)fprintf(file, "; Vulkan %s, %s", word(gpu->vulkan.api),
			      word(gpu->vulkan.driver));
	if (gpu->emulated)
		(void)fprintf(file, "; no GPU: emulated on the CPU");
	(void)fputc('\n', file);
}

static void print_gpus(FILE *file, const struct gb_run *run)
{
	const char *absent = run->cuda_absent;
	const char *vulkan_absent = run->vulkan_absent;
	if (absent)
		(void)fprintf(file, "cuda      none: %s\n", absent);
	else
		(void)fprintf(file, "cuda      runtime %s, driver %s (CUDA %s)\n",
			      word(run->cuda.runtime), word(run->cuda.driver),
			      word(run->cuda.driver_api));
	if (vulkan_absent)
		(void)fprintf(file, "vulkan    none: %s\n", vulkan_absent);
	for (size_t i = 0; i < run->gpu_count; i++)
		print_gpu(file, &run->gpu[i]);
}

void gb_env_print(FILE *file, const struct gb_run *run)
{
	print_tool(file, run);
	print_host(file, run);
	print_gpus(file, run);
	for (size_t i = 0; i < run->environment.count; i++) {
		const struct gb_member *variable = &run->environment.item[i];

		(void)fprintf(file, "env       %s=", variable->name);
		gb_text_print(file, variable->text ? variable->text : "");
		(void)fputc('\n', file);
	}
}
