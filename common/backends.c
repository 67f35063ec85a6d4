/* backends.c -- the one table of back ends.
 *
 * One that is not in this build stays in the table: it has its name, and open() says why it cannot
 * be used.  Its variants have no operations (variants.c), so nothing else of it is ever called.
 */
#include "common/backend.h"

#include "build_info.h"

#if GB_HAVE_CUDA
extern const struct gb_backend_ops gb_cuda_backend;
#define CUDA_BACKEND &gb_cuda_backend
#else
static enum gb_status open_cuda(int device, struct gb_error *err)
{
	(void)device;
	return gb_fail(err, GB_EUNAVAILABLE, "built without CUDA: " GB_CUDA_ABSENT);
}

static enum gb_status describe_cuda(struct gb_gpu_info *gpu, size_t room, size_t *count,
				    struct gb_cuda_info *cuda, struct gb_error *err)
{
	(void)gpu;
	(void)room;
	(void)cuda;
	*count = 0;
	return gb_fail(err, GB_EUNAVAILABLE, "CUDA is not in this build: " GB_CUDA_ABSENT);
}

static const struct gb_backend_ops no_cuda = {
	.name = "cuda",
	.open = open_cuda,
	.devices = describe_cuda,
};
#define CUDA_BACKEND &no_cuda
#endif

extern const struct gb_backend_ops gb_cpu_backend;

const struct gb_backend_ops *const gb_backends[GB_BACKENDS] = {
	[GB_CPU] = &gb_cpu_backend,
	[GB_CUDA] = CUDA_BACKEND,
};
