/* test_backend.c -- the back ends: flush, timer and hold.
 *
 * The CUDA tests run on a GPU or in the PTX executor.  Without either, only the errors are tested.
 */
#include "common/backend.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/benchmark.h"
#include "common/devices.h"
#include "common/memory.h"
#include "common/stream_types.h"
#include "common/text.h"
#include "common/timer.h"
#include "cpu/runtime/simd.h"
#include "tests/cudart/control.h"

extern const struct gb_variant_ops stream_cuda_copy;

static void check_timer(const struct gb_timer_ops *ops)
{
	struct gb_error err = { 0 };
	double first = -1, second = -1, both = -1;
	void *clock = NULL;

	cr_assert_eq(ops->create(&clock, &err), GB_OK, "%s", err.message);
	for (size_t i = 0; i < 3; i++)
		cr_assert_eq(ops->mark(clock, i * (GB_MAX_MARKS - 1) / 2, &err), GB_OK);
	cr_assert_eq(ops->elapsed(clock, 0, (GB_MAX_MARKS - 1) / 2, &first, &err), GB_OK);
	cr_assert_eq(ops->elapsed(clock, (GB_MAX_MARKS - 1) / 2, GB_MAX_MARKS - 1, &second, &err),
		     GB_OK);
	cr_assert_eq(ops->elapsed(clock, 0, GB_MAX_MARKS - 1, &both, &err), GB_OK);
	cr_expect_geq(first, 0);
	cr_expect_geq(second, 0);
	cr_expect_float_eq(both, first + second, 1 + 0.01 * both, "%g + %g = %g", first, second,
			   both);
	ops->destroy(clock);
	ops->destroy(NULL);
}

static void check_flush(const struct gb_backend_ops *backend)
{
	struct gb_error err = { 0 };

	for (int i = 0; i < 3; i++)
		cr_expect_eq(backend->flush(&err), GB_OK, "%s", err.message);
	cr_expect_eq(backend->synchronize(&err), GB_OK, "%s", err.message);
	cr_expect(backend->flush_bytes() > 0 && backend->flush_bytes() <= (size_t)512 << 20);
	cr_expect_eq(gb_memory_used(GB_HOST_MEMORY), 0, "the buffer is no variant's memory");
	cr_expect_eq(gb_memory_used(GB_DEVICE_MEMORY), 0);
}

/* Check timer and flush, and the state of a GPU. */
static void check_device(const struct gb_backend_ops *backend)
{
	struct gb_gpu_state state;

	check_timer(backend->timer);
	check_flush(backend);
	cr_assert_eq(!backend->state, backend == gb_backends[GB_CPU]);
	if (!backend->state)
		return;
	backend->state(&state);
	cr_expect(isnan(state.temperature_c) || state.temperature_c > 0);
}

Test(backend, cpu)
{
	struct gb_error err = { 0 };

	cr_assert_eq(gb_backends[GB_CPU]->open(0, &err), GB_OK);
	check_device(gb_backends[GB_CPU]);
}

Test(backend, simd_is_limited_by_the_environment)
{
	const enum cpu_simd best = cpu_simd();
	const struct {
		const char *word;
		enum gb_status status;
		enum cpu_simd most;
	} row[] = {
		{ "plain", GB_OK, CPU_PLAIN },   { "avx2", GB_OK, CPU_AVX2 },
		{ "AVX2", GB_EUSAGE, CPU_AVX2 }, { "", GB_EUSAGE, CPU_AVX2 },
		{ "vbmi2", GB_OK, CPU_VBMI2 },
	};

	for (size_t i = 0; i < GB_COUNT(row); i++) {
		struct gb_error err = { 0 };

		cr_assert_eq(setenv("GPUBENCH_SIMD", row[i].word, 1), 0);
		cr_expect_eq(gb_backends[GB_CPU]->open(0, &err), row[i].status, "%s", row[i].word);
		cr_expect_eq(cpu_simd(), best < row[i].most ? best : row[i].most, "%s",
			     row[i].word);
	}
}

#if GB_HAVE_CUDA

static bool open_cuda(void)
{
	struct gb_error err = { 0 };

	return gb_backends[GB_CUDA]->open(0, &err) == GB_OK;
}

/* The SM clock is between 100 MHz and 10 GHz, or unknown. */
Test(backend, cuda_device)
{
	double hz;

	if (!open_cuda())
		return;
	check_device(gb_backends[GB_CUDA]);
	hz = gb_backends[GB_CUDA]->sm_clock_hz();
	cr_expect(isnan(hz) || (hz > 1e8 && hz < 1e10), "%g Hz", hz);
}

/* Each flush writes twice the L2 size, and a kernel reads as much. */
Test(backend, cuda_flush_passes_over_the_cache)
{
	const struct gb_backend_ops *cuda = gb_backends[GB_CUDA];
	struct gb_gpu_info gpu[1];
	struct gb_cuda_info info;
	struct gb_error err = { 0 };
	size_t count;

	if (!cudart_launches)
		cr_skip("only the PTX executor counts");
	cr_assert(open_cuda());
	cr_assert_eq(cuda->devices(gpu, GB_COUNT(gpu), &count, &info, &err), GB_OK);
	for (int i = 0; i < 3; i++) {
		const uint64_t launches = cudart_launches(), set = cudart_set_bytes();

		cr_assert_eq(cuda->flush(&err), GB_OK, "%s", err.message);
		cr_assert_eq(cuda->synchronize(&err), GB_OK, "%s", err.message);
		cr_expect_eq(cudart_launches() - launches, 1);
		cr_expect_eq(cudart_set_bytes() - set, 2 * (uint64_t)gpu->l2_bytes);
	}
	cr_expect_eq(cuda->flush_bytes(), 4 * (size_t)gpu->l2_bytes);
}

/* Repeated, with one let_go() too many: each hold waits for its own.  The last one is never let go
 * and ends by itself. */
Test(backend, cuda_hold_and_let_go)
{
	struct gb_error err = { 0 };

	if (!open_cuda())
		return;
	for (int i = 0; i < 50; i++) {
		cr_assert_eq(gb_backends[GB_CUDA]->hold(&err), GB_OK, "%s", err.message);
		for (int k = 0; i < 49 && k < 1 + (i % 3 == 0); k++)
			cr_assert_eq(gb_backends[GB_CUDA]->let_go(&err), GB_OK);
		cr_assert_eq(gb_backends[GB_CUDA]->synchronize(&err), GB_OK, "%s", err.message);
	}
}

/* More memory than any device has: skipped, both numbers are printed, and the device still
 * works. */
Test(backend, cuda_too_little_memory)
{
	const struct stream_params params = { .count = INT64_C(1) << 40, .threads = 1 };
	struct stream_input input = { .count = (size_t)params.count };
	struct gb_error err = { 0 }, none = { 0 };
	void *state = NULL;

	if (!open_cuda())
		return;
	cr_expect_eq(gb_state_create(&stream_cuda_copy, &params, &input, &state, &err), GB_EMEMORY);
	cr_expect(strstr(err.message, "needs 1024 GiB of device memory, ") != NULL ||
			  strstr(err.message, "needs 1.00 TiB of device memory, ") != NULL,
		  "%s", err.message);
	cr_expect(strstr(err.message, " free") != NULL, "%s", err.message);
	gb_state_destroy(&stream_cuda_copy, state);
	cr_expect_eq(gb_memory_used(GB_DEVICE_MEMORY), 0);
	cr_expect_eq(gb_backends[GB_CUDA]->open(0, &none), GB_OK);
	check_flush(gb_backends[GB_CUDA]);
}

#endif

/* ---- Vulkan: on a GPU, or on the CPU (lavapipe) ---------------------------------------------- */

#if GB_HAVE_VULKAN

Test(backend, vulkan)
{
	const struct gb_backend_ops *vulkan = gb_backends[GB_VULKAN];
	struct gb_error err = { 0 };

	gb_devices_allow_software();
	if (gb_device_open(GB_VULKAN, 0, &err)) {
		cr_expect_eq(err.code, GB_EUNAVAILABLE);
		cr_expect_neq(err.message[0], '\0');
		return;
	}
	check_device(vulkan);
	cr_expect_eq(gb_device_open(GB_VULKAN, 1000, &err), GB_EUNAVAILABLE);
	cr_expect(strstr(err.message, "no GPU 1000") != NULL, "%s", err.message);
}

/* Held work is released, or the hold gives up when the work is waited for. */
Test(backend, vulkan_holds)
{
	const struct gb_backend_ops *vulkan = gb_backends[GB_VULKAN];
	struct gb_error err = { 0 };

	gb_devices_allow_software();
	if (gb_device_open(GB_VULKAN, 0, &err))
		cr_skip("%s", err.message);
	for (int i = 0; i < 6; i++) {
		const bool let_go = i % 2 == 0;

		cr_assert_eq(vulkan->hold(&err), GB_OK, "%s", err.message);
		cr_assert_eq(vulkan->flush(&err), GB_OK, "%s", err.message);
		if (let_go)
			cr_assert_eq(vulkan->let_go(&err), GB_OK, "%s", err.message);
		cr_assert_eq(vulkan->synchronize(&err), GB_OK, "%s", err.message);
		cr_expect_eq(vulkan->has_held(), let_go);
		if (!let_go)
			cr_assert_eq(vulkan->let_go(&err), GB_OK, "%s", err.message);
	}
}

#endif
