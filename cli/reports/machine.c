#include "cli/reports/machine.h"

#include <math.h>
#include <string.h>

#include "cli/records/json.h"
#include "common/text.h"

/* The text at the path, or "unknown". */
static const char *word(const cJSON *object, const char *path)
{
	const char *text = gb_json_text(object, path);

	return text ? text : "unknown";
}

/* ", <number> <noun>" if the number is known; no comma at the start. */
static void print_count(FILE *file, const char *comma, const cJSON *object, const char *path,
			const char *noun)
{
	const double count = gb_json_number(object, path);

	if (isfinite(count))
		(void)fprintf(file, "%s%g %s%s", comma, count, noun,
			      count > 1 || count < 1 ? "s" : "");
}

static void print_bytes(FILE *file, const char *before, const cJSON *object, const char *path,
			const char *after)
{
	const double bytes = gb_json_number(object, path);
	char text[GB_TEXT_MAX];

	if (isfinite(bytes))
		(void)fprintf(file, "%s%s%s", before, gb_text_bytes(text, bytes), after);
}

static void print_tool(FILE *file, const struct gb_run *run)
{
	const char *commit = run->tool.commit;
	const char *nvcc = run->tool.nvcc;

	(void)fprintf(file, "gpubench  %s", word(run, "tool.version"));
	if (commit)
		(void)fprintf(file, ", commit %s%s", commit,
			      run->tool.dirty ? " with changes" : "");
	(void)fprintf(file, ", %s build\n", word(run, "tool.mode"));
	(void)fprintf(file, "compiler  %s %s\n", word(run, "tool.compiler"),
		      word(run, "tool.cflags"));
	if (nvcc)
		(void)fprintf(file, "nvcc      %s, for %s\n", nvcc, word(run, "tool.archs"));
	else
		(void)fprintf(file, "nvcc      not in this build\n");
}

static void print_cpu(FILE *file, const cJSON *host)
{
	const char *governor = host->governor;

	(void)fprintf(file, "cpu       %s", word(host, "cpu"));
	print_count(file, "; ", host, "sockets", "socket");
	print_count(file, ", ", host, "cores", "core");
	print_count(file, ", ", host, "logical_cpus", "logical CPU");
	if (host->usable_cpus < host->logical_cpus)
		print_count(file, " of which usable: ", host, "usable_cpus", "CPU");
	print_count(file, ", limited to ", host, "cpu_quota", "CPU");
	print_count(file, ", ", host, "numa_nodes", "NUMA node");
	if (governor)
		(void)fprintf(file, ", governor %s", governor);
	if (host->virtualized)
		(void)fprintf(file, ", virtualized");
	(void)fprintf(file, "\ncaches   ");
	if (gb_equal(word(host, "cache_from"), "assumed"))
		print_bytes(file, " unknown; for the flush ", host, "cache_bytes", " are assumed");
	print_bytes(file, " L1d ", host, "l1d_bytes", "");
	print_bytes(file, ", L2 ", host, "l2_bytes", "");
	print_bytes(file, ", L3 ", host, "l3_bytes", "");
	(void)fputc('\n', file);
}

static void print_host(FILE *file, const struct gb_run *run)
{
	const cJSON *host = gb_json_at(run, "host");
	const double load = cJSON_IsArray(gb_json_at(host, "load"))
				    ? cJSON_GetNumberValue(gb_json_at(host, "load")->child)
				    : (double)NAN;

	(void)fprintf(file, "host      %s, %s, %s, %s\n", word(host, "hostname"), word(host, "os"),
		      word(host, "kernel"), word(host, "machine"));
	print_cpu(file, host);
	(void)fprintf(file, "memory   ");
	print_bytes(file, " ", host, "memory_bytes", "");
	print_bytes(file, ", ", host, "available_bytes", " available");
	(void)fprintf(file, ", huge pages: %s\n", word(host, "huge_pages"));
	if (isfinite(load))
		(void)fprintf(file, "load      %.2f\n", load);
}

static void print_gpu(FILE *file, const cJSON *gpu)
{
	const double peak = gpu->peak_bytes_per_s;
	const double clock = gpu->sm_clock_khz;
	const char *cc = gpu->cc;
	char text[GB_TEXT_MAX];

	(void)fprintf(file, "gpu %-5g %s", gpu->id, word(gpu, "name"));
	if (cc)
		(void)fprintf(file, ", cc %s", cc);
	print_count(file, ", ", gpu, "sm_count", "SM");
	if (isfinite(clock))
		(void)fprintf(file, " at %.0f MHz", clock / 1e3);
	print_bytes(file, ", ", gpu, "memory_bytes", "");
	if (isfinite(peak))
		(void)fprintf(file, " at %sB/s", gb_text_scaled(text, peak));
	print_bytes(file, ", L2 ", gpu, "l2_bytes", "");
	if (gpu->uuid)
		(void)fprintf(file, ", %s", word(gpu, "uuid"));
	if (gpu->vulkan.api)
		(void)fprintf(file, "; Vulkan %s, %s", word(gpu, "vulkan.api"),
			      word(gpu, "vulkan.driver"));
	if (gpu->emulated)
		(void)fprintf(file, "; no GPU: a program of the CPU");
	(void)fputc('\n', file);
}

static void print_gpus(FILE *file, const struct gb_run *run)
{
	const char *absent = run->cuda_absent;
	const char *vulkan_absent = run->vulkan_absent;
	const cJSON *gpu;

	if (absent)
		(void)fprintf(file, "cuda      none: %s\n", absent);
	else
		(void)fprintf(file, "cuda      runtime %s, driver %s (CUDA %s)\n",
			      word(run, "cuda.runtime"), word(run, "cuda.driver"),
			      word(run, "cuda.driver_api"));
	if (vulkan_absent)
		(void)fprintf(file, "vulkan    none: %s\n", vulkan_absent);
	cJSON_ArrayForEach(gpu, gb_json_at(run, "gpus"))
	{
		print_gpu(file, gpu);
	}
}

void gb_env_print(FILE *file, const struct gb_run *run)
{
	const cJSON *variable;

	print_tool(file, run);
	print_host(file, run);
	print_gpus(file, run);
	cJSON_ArrayForEach(variable, gb_json_at(run, "environment"))
	{
		(void)fprintf(file, "env       %s=", variable->string);
		gb_text_print(file, cJSON_IsString(variable) ? variable->valuestring : "");
		(void)fputc('\n', file);
	}
}
