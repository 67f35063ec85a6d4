/* cudart.cc -- entry points of the CUDA runtime that nvcc's objects call: registration and
 * launches.
 */
#include <stdlib.h>
#include <string.h>

#include <algorithm>

#include "tests/ptx/machine.h"

/* ---- launches ---------------------------------------------------------------------------- */

/* Copy the arguments into the layout of the kernel's parameter space. */
static uint8_t *copy_arguments(const struct kernel *k, void **arguments)
{
	uint8_t *const bytes = (uint8_t *)calloc(1, k->parameter_bytes + 16);

	for (size_t n = 0; bytes && n < k->parameters.size(); n++)
		memcpy(bytes + k->parameters[n].at, arguments[n], k->parameters[n].bytes);
	return bytes;
}

/* The attributes of a launch. */
struct manner {
	dim3 cluster;
	bool cooperative, overlapped;
};

static struct manner manner_of(const cudaLaunchConfig_t *config)
{
	struct manner manner = { dim3(1, 1, 1), false, false };

	for (unsigned n = 0; n < config->numAttrs; n++) {
		const cudaLaunchAttributeValue *const value = &config->attrs[n].val;

		switch (config->attrs[n].id) {
		case cudaLaunchAttributeCooperative:
			manner.cooperative = value->cooperative != 0;
			break;
		case cudaLaunchAttributeClusterDimension:
			manner.cluster =
				dim3(value->clusterDim.x, value->clusterDim.y, value->clusterDim.z);
			break;
		case cudaLaunchAttributeProgrammaticStreamSerialization:
			manner.overlapped = value->programmaticStreamSerializationAllowed != 0;
			break;
		default:
			break;
		}
	}
	return manner;
}

extern "C" cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *config, const void *host,
					   void **arguments)
{
	struct kernel *const k = kernel_find(host);
	const struct manner manner = manner_of(config);

	if (!k)
		return device_error(cudaErrorInvalidDeviceFunction);
	struct gpu_call *const call = new struct gpu_call();

	call->name = k->demangled.c_str();
	call->kernel = host;
	call->grid = config->gridDim;
	call->block = config->blockDim;
	call->cluster = manner.cluster;
	call->dynamic_bytes = config->dynamicSmemBytes;
	call->cooperative = manner.cooperative;
	call->overlapped = manner.overlapped;
	call->code = k;
	call->counted = counts_on();
	call->parameters = copy_arguments(k, arguments);
	return runtime_launch(call, config->stream);
}

extern "C" cudaError_t cudaLaunchKernel(const void *host, dim3 grid, dim3 block, void **arguments,
					size_t dynamic_bytes, cudaStream_t stream)
{
	cudaLaunchConfig_t config = {};

	config.gridDim = grid;
	config.blockDim = block;
	config.dynamicSmemBytes = dynamic_bytes;
	config.stream = stream;
	return cudaLaunchKernelExC(&config, host, arguments);
}

/* nvcc's stub pushes the configuration, gathers the arguments, then pops it. */
static __thread struct {
	unsigned grid[3], block[3];
	size_t dynamic_bytes;
	void *stream;
} pushed;

extern "C" {
unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t dynamic_bytes, void *stream)
{
	pushed = {
		{ grid.x, grid.y, grid.z }, { block.x, block.y, block.z }, dynamic_bytes, stream
	};
	return 0;
}

cudaError_t __cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *dynamic_bytes, void *stream)
{
	*grid = dim3(pushed.grid[0], pushed.grid[1], pushed.grid[2]);
	*block = dim3(pushed.block[0], pushed.block[1], pushed.block[2]);
	*dynamic_bytes = pushed.dynamic_bytes;
	memcpy(stream, &pushed.stream, sizeof pushed.stream);
	return cudaSuccess;
}

cudaError_t __cudaGetKernel(cudaKernel_t *kernel, const void *host)
{
	*kernel = (cudaKernel_t)(uintptr_t)host;
	return cudaSuccess;
}

cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void **arguments,
			       size_t dynamic_bytes, cudaStream_t stream)
{
	return cudaLaunchKernel((const void *)kernel, grid, block, arguments, dynamic_bytes,
				stream);
}
}

/* ---- registration ------------------------------------------------------------------------ */

extern "C" {
void **__cudaRegisterFatBinary(void *fat_binary)
{
	return (void **)(void *)module_register(fat_binary);
}

void __cudaRegisterFatBinaryEnd(void **)
{
}

void __cudaUnregisterFatBinary(void **)
{
}

/* Called before a kernel of a shared object is launched. */
char __cudaInitModule(void **)
{
	return 1;
}

void __cudaRegisterFunction(void **handle, const char *host, char *, const char *name, int, void *,
			    void *, void *, void *, int *)
{
	function_register((struct module *)(void *)handle, host, name);
}

/* Not used: no kernel file copies to a variable by name, and cudaMemcpyToSymbol() would not
 * link. */
void __cudaRegisterVar(void **, char *, char *, const char *, int, size_t, int, int)
{
}
}

/* ---- occupancy ---------------------------------------------------------------------------- */

/* A cluster larger than the number of multiprocessors still runs, one at a time. */
extern "C" cudaError_t cudaOccupancyMaxActiveClusters(int *clusters, const void *host,
						      const cudaLaunchConfig_t *config)
{
	int blocks = 0, has_clusters = 0;
	const dim3 c = manner_of(config).cluster, b = config->blockDim;
	const unsigned size = c.x * c.y * c.z;
	const unsigned most = function_most_cluster_blocks(host);
	const cudaError_t result = cudaOccupancyMaxActiveBlocksPerMultiprocessor(
		&blocks, host, (int)(b.x * b.y * b.z), config->dynamicSmemBytes);

	*clusters = 0;
	if (result != cudaSuccess)
		return result;
	(void)cudaDeviceGetAttribute(&has_clusters, cudaDevAttrClusterLaunch, 0);
	if (has_clusters && size >= 1 && size <= most && blocks)
		*clusters = std::max(1, blocks * runtime_options.processors / (int)size);
	return cudaSuccess;
}
