/* test_nvml.c -- the GPU's state around samples, and throttled samples, with a fake NVML under the
 * PTX executor.
 */
#include <criterion/criterion.h>

#include <dlfcn.h>
#include <libgen.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/benchmarks/registry.h"
#include "cli/measure/measure.h"
#include "cli/measure/sweep.h"
#include "tests/cuda/gpu.h"
#include "tests/cudart/control.h"
#include "tests/planted/nvml.h"

static struct nvml_planted *planted;
static double warmup_time_s;
static struct gb_result result;

/* Load the library next to this program, under its link-time name. */
static void load(void)
{
	char program[4096], path[4200];
	const ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
	void *library;

	if (!cudart_launches)
		cr_skip("only the PTX executor has a device without NVML");
	cr_assert_gt(length, 0);
	program[length] = '\0';
	(void)snprintf(path, sizeof path, "%s/nvml.so", dirname(program));
	library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	cr_assert(library, "%s", dlerror());
	planted = dlsym(library, "nvml_planted");
	cr_assert(planted);
	cr_assert_eq(setenv("GPUBENCH_PTX_PCI", "0000:01:00.0", 1), 0);
}

/* Measure five samples of a copy, with clocks lowered before queries first .. end - 1. */
static void measure(int first, int end)
{
	const struct gb_benchmark *benchmark = gb_benchmark_find("stream");
	const struct gb_settings how = {
		.samples = 5, .warmup = 1, .warmup_time_s = warmup_time_s, .timeout_s = 100
	};
	struct gb_error err = { 0 };
	struct gb_sweep sweep = { 0 };
	void *params, *input = NULL;

	if (!planted)
		load();
	planted->first = first;
	planted->end = end;
	cr_assert_eq(gb_sweep_words(&sweep, benchmark, "--count=1k", &err), GB_OK, "%s",
		     err.message);
	params = calloc(1, benchmark->params_size);
	gb_sweep_point(&sweep, 0, params);
	cr_assert_eq(benchmark->prepare(params, &input, &err), GB_OK, "%s", err.message);
	result = (struct gb_result){ .benchmark = benchmark,
				     .variant = find_variant(GB_CUDA, "stream", "copy"),
				     .params = params };
	cr_assert_eq(gb_measure(&result, input, &how, true, &err), GB_OK, "%s", err.message);
	cr_expect_eq(result.record.time.count, 5);
	benchmark->release(input);
	gb_sweep_release(&sweep);
	free(params);
}

/* The state is queried once before the samples and once after them, the throttle time once in the
 * warm-up and around each sample. */
Test(backend, cuda_state_around_samples)
{
	measure(0, 0);
	cr_expect_eq(result.record.status, GB_STATUS_OK, "%s", result.record.reason);
	cr_expect_eq(result.record.gpu_state.throttled_samples, 0);
	cr_expect_eq(planted->asked, 3 + 2 * 5);
	cr_expect_eq(planted->energy_asked, 2);
	cr_expect_float_eq(result.record.gpu_state.energy_j, 0.25, 1e-9);
	cr_expect_float_eq(result.record.gpu_state.throttled_s, 0, 1e-18);
	cr_expect_eq(result.record.gpu_state.temperature_c.count, 2);
	cr_expect_float_eq(result.record.gpu_state.temperature_c.value[1], 50, 1e-9);
	cr_expect_float_eq(result.record.gpu_state.clock_hz.value[0], 1980e6, 1);
	cr_expect(isnan(result.record.gpu_state.power_w.value[0]));
}

/* Throttled in the first try of the second sample, and in its second try.  Each is followed by one
 * pause, which asks once. */
Test(backend, cuda_throttled_samples_are_taken_again)
{
	measure(5, 9);
	cr_expect_eq(result.record.status, GB_STATUS_OK, "%s", result.record.reason);
	cr_expect_eq(result.record.gpu_state.throttled_samples, 2);
	cr_expect_eq(planted->asked, 3 + 2 * 7 + 2);
	cr_expect_float_eq(result.record.gpu_state.throttled_s, 4e-6, 1e-15);
	cr_expect_float_eq(result.record.gpu_state.paused_s, 2 * 0.05, 1e-9);
}

/* The state before the samples is the first query of the reasons.  Pauses end with the third one
 * after it, which has none, or after ten. */
Test(backend, cuda_pauses_until_no_clock_is_lowered)
{
	for (int pauses = 3; pauses <= 10; pauses += 7) {
		load();
		*planted = (struct nvml_planted){ .knows_all = 1,
						  .clears_after = pauses < 10 ? pauses : 100 };
		measure(5, 6);
		cr_expect_eq(result.record.gpu_state.throttled_samples, 1);
		cr_expect_float_eq(result.record.gpu_state.paused_s, pauses * 0.05, 1e-9);
		gb_record_release(&result.record);
	}
}

Test(backend, cuda_warm_up_until_steady)
{
	warmup_time_s = 0.001;
	measure(0, 0);
	cr_expect(result.record.warmup.time_s >= 0.001 && result.record.warmup.steady_s >= 0.001);
	cr_expect(!result.record.reason, "%s", result.record.reason);
	cr_expect_leq(result.record.host_time.count, 5, "not of each run of the warm-up");
}

/* Two degrees per reading: the warm-up ends all the same. */
Test(backend, cuda_warm_up_that_never_is_steady)
{
	warmup_time_s = 0.001;
	load();
	planted->warmer = 2;
	measure(0, 0);
	cr_expect_eq(result.record.status, GB_STATUS_OK);
	cr_expect(result.record.warmup.time_s >= 0.01);
	cr_expect_float_eq(result.record.warmup.steady_s, 0, 1e-12);
	cr_expect(strstr(result.record.reason, "clock or temperature still drifted after"), "%s",
		  result.record.reason);
}

/* Throttled all the time: after ten tries the sample is kept, and the result reports it. */
Test(backend, cuda_throttled_ten_times)
{
	measure(0, 1000);
	cr_expect_eq(result.record.status, GB_STATUS_OK);
	cr_expect_eq(result.record.gpu_state.throttled_samples, 10 + 5);
	cr_expect(strstr(result.record.reason, "clocks were lowered because of power or heat"),
		  "%s", result.record.reason);
}
