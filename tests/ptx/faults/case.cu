/* case.cu -- runs a test kernel and compares its result with the expected one. */
#include "cuda/runtime/launch.h"
#include "tests/ptx/faults/case.h"

uint32_t case_in[COUNT];
struct case_arrays case_device;

static cudaError_t failure;

void case_check(cudaError_t error)
{
	if (failure == cudaSuccess)
		failure = error;
}

uint32_t prefix_sum(uint32_t i)
{
	uint32_t sum = 0;

	for (uint32_t k = i / BLOCK * BLOCK; k <= i; k++)
		sum += case_in[k];
	return sum;
}

uint32_t mirrored(uint32_t i)
{
	return case_in[i ^ (BLOCK - 1)];
}

static uint32_t *allocate(void)
{
	uint32_t *array = NULL;

	case_check(cudaMalloc(&array, sizeof case_in));
	case_check(cudaMemset(array, 0, sizeof case_in));
	return array;
}

static void begin(void)
{
	failure = cudaSuccess;
	for (uint32_t i = 0; i < COUNT; i++)
		case_in[i] = (i + 1) * 2654435761u ^ (i + 1) * 40503u >> 7;
	case_device = { allocate(), allocate(), allocate() };
	case_check(cudaMemcpy(case_device.in, case_in, sizeof case_in, cudaMemcpyHostToDevice));
}

static bool is_right(const struct kernel_case *c, const uint32_t *result)
{
	for (uint32_t i = 0; i < COUNT; i++)
		if (result[i] != (c->expected ? c->expected(i) : case_in[i]))
			return false;
	return true;
}

static void launch(const struct kernel_case *c)
{
	const struct manner &how = c->how;
	cudaLaunchAttribute attributes[2] = {};
	cudaLaunchConfig_t config = { how.blocks, how.threads, how.shared, 0, attributes, 0 };

	if (how.cooperative)
		attributes[config.numAttrs++] =
			gpu_launch_attribute(cudaLaunchAttributeCooperative);
	if (how.cluster > 1)
		attributes[config.numAttrs++] =
			gpu_launch_attribute(cudaLaunchAttributeClusterDimension, how.cluster);
	(void)cudaLaunchKernelEx(&config, c->kernel, (const uint32_t *)case_device.in,
				 case_device.out, case_device.words);
}

const char *case_run(const struct kernel_case *c)
{
	static uint32_t result[COUNT];

	begin();
	const struct case_arrays own = case_device;

	if (c->before)
		c->before();
	if (c->kernel)
		launch(c);
	if (c->after)
		c->after();
	case_check(cudaGetLastError());
	case_check(cudaMemcpy(result, own.out, sizeof result, cudaMemcpyDeviceToHost));
	for (uint32_t *array : { own.in, own.out, own.words })
		(void)cudaFree(array);
	if (failure != cudaSuccess)
		return cudaGetErrorString(failure);
	return is_right(c, result) ? NULL : "wrong";
}
