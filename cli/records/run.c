/* run.c -- the `run` line of a record file.  What is unknown is null. */
#include "cli/records/run.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli/records/json.h"
#include "cli/records/lines.h"
#include "cli/records/result.h"
#include "common/text.h"

/* "" and 0 mean unknown in struct gb_host_info and struct gb_gpu_info. */
static bool put_text(cJSON *object, const char *name, const char *text)
{
	return gb_json_put_text(object, name, text && text[0] ? text : NULL);
}

static bool put_positive(cJSON *object, const char *name, int64_t value)
{
	return value > 0 ? gb_json_put_int(object, name, value)
			 : gb_json_put_text(object, name, NULL);
}

static bool put_tool(cJSON *line, const struct gb_build_info *build)
{
	cJSON *object = cJSON_AddObjectToObject(line, "tool");

	return object && gb_json_put_text(object, "name", "gpubench") &&
	       put_text(object, "version", build->version) &&
	       put_text(object, "commit", build->commit) &&
	       put_text(object, "commit_date", build->commit_date) &&
	       gb_json_put_bool(object, "dirty", build->dirty) &&
	       put_text(object, "mode", build->mode) &&
	       put_text(object, "compiler", build->compiler) &&
	       put_text(object, "cflags", build->cflags) && put_text(object, "nvcc", build->nvcc) &&
	       put_text(object, "archs", build->archs);
}

static bool put_argv(cJSON *line, const struct gb_run_info *info)
{
	cJSON *array = cJSON_AddArrayToObject(line, "argv");

	for (int i = 0; i < info->argc; i++)
		if (!gb_json_append_text(array, info->argv[i]))
			return false;
	return array;
}

static bool put_environment(cJSON *line, const struct gb_run_info *info)
{
	cJSON *object = cJSON_AddObjectToObject(line, "environment");

	for (size_t i = 0; i < info->variable_count; i++) {
		const char *value = strchr(info->variable[i], '=');
		char name[64];

		if (!value)
			continue;
		(void)snprintf(name, sizeof name, "%.*s", (int)(value - info->variable[i]),
			       info->variable[i]);
		if (!gb_json_put_text(object, name, value + 1))
			return false;
	}
	return object;
}

static bool put_load(cJSON *object, const double load[3])
{
	cJSON *array;

	if (!isfinite(load[0]))
		return gb_json_put_text(object, "load", NULL);
	array = cJSON_AddArrayToObject(object, "load");
	return gb_json_append_number(array, load[0]) && gb_json_append_number(array, load[1]) &&
	       gb_json_append_number(array, load[2]);
}

static bool put_host(cJSON *line, const struct gb_host_info *host)
{
	cJSON *object = cJSON_AddObjectToObject(line, "host");

	return object && put_text(object, "hostname", host->hostname) &&
	       put_text(object, "os", host->os) && put_text(object, "kernel", host->kernel) &&
	       put_text(object, "machine", host->machine) && put_text(object, "cpu", host->cpu) &&
	       put_positive(object, "sockets", host->sockets) &&
	       put_positive(object, "cores", host->cores) &&
	       put_positive(object, "logical_cpus", host->logical_cpus) &&
	       put_positive(object, "usable_cpus", host->usable_cpus) &&
	       gb_json_put_number(object, "cpu_quota", host->cpu_quota) &&
	       put_positive(object, "numa_nodes", host->numa_nodes) &&
	       put_positive(object, "l1d_bytes", host->l1d_bytes) &&
	       put_positive(object, "l2_bytes", host->l2_bytes) &&
	       put_positive(object, "l3_bytes", host->l3_bytes) &&
	       put_positive(object, "cache_bytes", host->cache_bytes) &&
	       gb_json_put_text(object, "cache_from", host->cache_from) &&
	       put_positive(object, "memory_bytes", host->memory_bytes) &&
	       put_positive(object, "available_bytes", host->available_bytes) &&
	       put_text(object, "governor", host->governor) &&
	       gb_json_put_flag(object, "turbo", host->turbo) &&
	       put_text(object, "huge_pages", host->huge_pages) &&
	       gb_json_put_flag(object, "virtualized", host->virtualized) &&
	       put_load(object, host->load);
}

/* Two transfers per clock over the bus, as vendors count it. */
static double peak_bytes_per_s(const struct gb_gpu_info *gpu)
{
	const double peak = 2.0 * (double)gpu->memory_clock_khz * 1e3 * gpu->bus_bits / 8;

	return peak > 0 ? peak : (double)NAN;
}

static bool put_compute_capability(cJSON *object, const struct gb_gpu_info *gpu)
{
	char text[32];

	(void)snprintf(text, sizeof text, "%d.%d", gpu->cc_major, gpu->cc_minor);
	return put_text(object, "cc", gpu->cc_major > 0 ? text : "");
}

/* What Vulkan says of it, if it was asked and finds it. */
static bool put_vulkan(cJSON *gpu_object, const struct gb_gpu_info *gpu)
{
	cJSON *object;

	if (!gpu->vulkan.api[0])
		return true;
	object = cJSON_AddObjectToObject(gpu_object, "vulkan");
	return object && put_text(object, "driver", gpu->vulkan.driver) &&
	       put_text(object, "api", gpu->vulkan.api);
}

static cJSON *describe_gpu(const struct gb_gpu_info *gpu)
{
	const double limit = gpu->power_limit_w;
	cJSON *object = cJSON_CreateObject();

	if (object && gb_json_put_int(object, "id", gpu->id) &&
	    put_text(object, "name", gpu->name) && put_text(object, "uuid", gpu->uuid) &&
	    put_text(object, "pci", gpu->pci) && put_compute_capability(object, gpu) &&
	    put_positive(object, "sm_count", gpu->sm_count) &&
	    put_positive(object, "memory_bytes", gpu->memory_bytes) &&
	    put_positive(object, "l2_bytes", gpu->l2_bytes) &&
	    put_positive(object, "bus_bits", gpu->bus_bits) &&
	    put_positive(object, "memory_clock_khz", gpu->memory_clock_khz) &&
	    put_positive(object, "sm_clock_khz", gpu->sm_clock_khz) &&
	    gb_json_put_number(object, "peak_bytes_per_s", peak_bytes_per_s(gpu)) &&
	    gb_json_put_flag(object, "ecc", gpu->ecc) &&
	    gb_json_put_flag(object, "mig", gpu->mig) &&
	    gb_json_put_flag(object, "persistence", gpu->persistence) &&
	    gb_json_put_number(object, "power_limit_w", limit > 0 ? limit : (double)NAN) &&
	    gb_json_put_bool(object, "emulated", gpu->emulated) && put_vulkan(object, gpu))
		return object;
	cJSON_Delete(object);
	return NULL;
}

static bool put_gpus(cJSON *line, const struct gb_run_info *info)
{
	cJSON *array = cJSON_AddArrayToObject(line, "gpus");

	for (size_t i = 0; i < info->devices.count; i++)
		if (!gb_json_append(array, describe_gpu(&info->devices.gpu[i])))
			return false;
	return array;
}

static bool put_cuda(cJSON *line, const struct gb_run_info *info)
{
	const struct gb_error *absent = info->devices.absent;
	cJSON *object;

	if (!put_text(line, "cuda_absent", absent[GB_CUDA].message) ||
	    (absent[GB_VULKAN].code && !put_text(line, "vulkan_absent", absent[GB_VULKAN].message)))
		return false;
	if (absent[GB_CUDA].code || !(info->backends >> GB_CUDA & 1))
		return gb_json_put_text(line, "cuda", NULL);
	object = cJSON_AddObjectToObject(line, "cuda");
	return object && put_text(object, "runtime", info->devices.cuda.runtime) &&
	       put_text(object, "driver_api", info->devices.cuda.driver_api) &&
	       put_text(object, "driver", info->devices.cuda.driver);
}

static bool put_settings(cJSON *line, const struct gb_run_info *info)
{
	const struct gb_settings *how = info->settings;
	cJSON *object;

	if (!how)
		return gb_json_put_text(line, "settings", NULL);
	object = cJSON_AddObjectToObject(line, "settings");
	return object && gb_json_put_int(object, "samples", how->samples) &&
	       gb_json_put_int(object, "warmup", how->warmup) &&
	       gb_json_put_int(object, "min_samples", how->min_samples) &&
	       gb_json_put_number(object, "max_time_s", how->max_time_s) &&
	       gb_json_put_number(object, "rel_ci", how->rel_ci) &&
	       gb_json_put_number(object, "timeout_s", how->timeout_s) &&
	       gb_json_put_bool(object, "cold", !how->hot) &&
	       gb_json_put_bool(object, "verify", !how->no_verify) &&
	       gb_json_put_bool(object, "verify_all", how->verify_all) &&
	       gb_json_put_int(object, "device", how->device) &&
	       gb_json_put_text(object, "preset", info->preset) &&
	       gb_json_put_text(object, "shard", info->shard);
}

cJSON *gb_record_run(const struct gb_run_info *info, struct gb_error *err)
{
	cJSON *line = cJSON_CreateObject();

	if (line && gb_json_put_text(line, "type", "run") &&
	    gb_json_put_int(line, "schema", GB_RECORD_SCHEMA) &&
	    gb_json_put_text(line, "run_id", info->run_id) &&
	    gb_json_put_text(line, "started", info->started) && put_tool(line, &info->build) &&
	    put_argv(line, info) && put_environment(line, info) && put_host(line, &info->host) &&
	    put_cuda(line, info) && put_gpus(line, info) && put_settings(line, info))
		return line;
	cJSON_Delete(line);
	(void)gb_out_of_memory(err, "describing the run");
	return NULL;
}
