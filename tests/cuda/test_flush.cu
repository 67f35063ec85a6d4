/* test_flush.cu -- a flush evicts also what an access window made persist in the L2.
 *
 * Runs on a GPU or in the PTX executor; without either, all tests are skipped.  Only the executor
 * can tell whether a line persists.  On a GPU the tests check the settings.
 */
#include <criterion/criterion.h>
#include <stdlib.h>

#include "cuda/runtime/device.h"
#include "tests/cuda/gpu.h"
#include "tests/cudart/control.h"

TestSuite(backend_flush, .init = open_gpu);

static const unsigned WORDS = 1024;
static const size_t BYTES = WORDS * sizeof(uint32_t);

static __global__ void increment(uint32_t *words)
{
	words[blockIdx.x * blockDim.x + threadIdx.x]++;
}

static void expect_persisting(const uint32_t *words, bool wanted, const char *when)
{
	if (!cudart_l2_persists)
		return;
	cr_expect_eq(cudart_l2_persists(words), wanted, "%s", when);
	cr_expect_eq(cudart_l2_persists(words + WORDS - 1), wanted, "%s", when);
}

/* Set the access window of the stream; NULL: none. */
static void set_window(uint32_t *words)
{
	cudaStreamAttrValue value = {};

	value.accessPolicyWindow.base_ptr = words;
	value.accessPolicyWindow.num_bytes = words ? BYTES : 0;
	value.accessPolicyWindow.hitRatio = 1;
	value.accessPolicyWindow.hitProp = cudaAccessPropertyPersisting;
	value.accessPolicyWindow.missProp = cudaAccessPropertyStreaming;
	cr_assert_eq(
		cudaStreamSetAttribute(gpu_stream(), cudaStreamAttributeAccessPolicyWindow, &value),
		cudaSuccess);
}

/* Allocate memory, set a part of the L2 aside and cover the memory by a window. */
static uint32_t *begin(void)
{
	uint32_t *words = NULL;

	if (gpu_attribute(cudaDevAttrMaxPersistingL2CacheSize) == 0)
		cr_skip("no line can persist in the L2 of this device");
	if (cudaDeviceSetLimit(cudaLimitPersistingL2CacheSize, 1 << 18) != cudaSuccess)
		cr_skip("this process may not set aside a part of the L2");
	cr_assert_eq(cudaMalloc((void **)&words, BYTES), cudaSuccess);
	cr_assert_eq(cudaMemset(words, 0, BYTES), cudaSuccess);
	cr_assert_eq(cudaDeviceSynchronize(), cudaSuccess);
	expect_persisting(words, false, "before any access");
	set_window(words);
	return words;
}

static void launch(uint32_t *words)
{
	increment<<<WORDS / 256, 256, 0, gpu_stream()>>>(words);
	cr_assert_eq(cudaGetLastError(), cudaSuccess);
}

static void settle(void)
{
	cr_assert_eq(cudaStreamSynchronize(gpu_stream()), cudaSuccess);
}

/* Flush, and expect that nothing is left that keeps lines in the L2. */
static void flush_and_check(const uint32_t *words)
{
	cudaStreamAttrValue value = {};
	struct gb_error err = {};
	size_t limit = 1;

	cr_assert_eq(gb_backends[GB_CUDA]->flush(&err), GB_OK, "%s", err.message);
	settle();
	expect_persisting(words, false, "after a flush");
	cr_expect_eq(
		cudaStreamGetAttribute(gpu_stream(), cudaStreamAttributeAccessPolicyWindow, &value),
		cudaSuccess);
	cr_expect_eq(value.accessPolicyWindow.num_bytes, 0, "the stream still has its window");
	cr_expect_eq(cudaDeviceGetLimit(&limit, cudaLimitPersistingL2CacheSize), cudaSuccess);
	cr_expect_eq(limit, 0, "%zu bytes of the L2 are still set aside", limit);
	cr_expect_eq(cudaGetLastError(), cudaSuccess);
}

static void end(uint32_t *words)
{
	cr_expect_eq(cudaFree(words), cudaSuccess);
	close_gpu();
}

Test(backend_flush, ends_a_window_of_the_stream)
{
	uint32_t *words = begin();

	launch(words);
	settle();
	expect_persisting(words, true, "after an access");
	flush_and_check(words);
	launch(words);
	settle();
	expect_persisting(words, false, "after another access, without the window");
	/* reset() queues work before the flush and need not wait for it. */
	set_window(words);
	launch(words);
	flush_and_check(words);
	end(words);
}

/* A device on which these calls fail is flushed without an error.  A GPU ignores the variables. */
Test(backend_flush_without_persisting, succeeds)
{
	struct gb_error err = {};

	(void)setenv("GPUBENCH_PTX_PERSISTING", "0", 1);
	open_gpu();
	cr_expect(!cudart_l2_persists || !gpu_attribute(cudaDevAttrMaxPersistingL2CacheSize));
	cr_expect_eq(gb_backends[GB_CUDA]->flush(&err), GB_OK, "%s", err.message);
	cr_expect_eq(gb_backends[GB_CUDA]->synchronize(&err), GB_OK, "%s", err.message);
	close_gpu();
}
