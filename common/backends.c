/* backends.c -- the table of back ends.
 *
 * A back end that is not in this build stays in the table with its name, and its open() reports why
 * it is missing.  Its variants have no operations (variants.c), so no other function is called.
 */
#include "common/backend.h"

#include "build_info.h"
#include "common/text.h"

/* Define the operations of a back end that is not in this build because of `why`. */
#define LEFT_OUT(symbol, name_, why)                                                      \
	static enum gb_status open_##symbol(int device, struct gb_error *err)             \
	{                                                                                 \
		(void)device;                                                             \
		return gb_fail(err, GB_EUNAVAILABLE, "built without " why);               \
	}                                                                                 \
	static enum gb_status describe_##symbol(struct gb_gpu_info *gpu, size_t room,     \
						size_t *count, struct gb_cuda_info *cuda, \
						struct gb_error *err)                     \
	{                                                                                 \
		(void)gpu;                                                                \
		(void)room;                                                               \
		(void)cuda;                                                               \
		*count = 0;                                                               \
		return open_##symbol(0, err);                                             \
	}                                                                                 \
	static const struct gb_backend_ops no_##symbol = { .name = (name_),               \
							   .open = open_##symbol,         \
							   .devices = describe_##symbol }

#if GB_HAVE_CUDA
extern const struct gb_backend_ops gb_cuda_backend;
#define CUDA_BACKEND &gb_cuda_backend
#else
LEFT_OUT(cuda, "cuda", "CUDA: " GB_CUDA_ABSENT);
#define CUDA_BACKEND &no_cuda
#endif

#if GB_HAVE_VULKAN
extern const struct gb_backend_ops gb_vulkan_backend;
#define VULKAN_BACKEND &gb_vulkan_backend
#else
LEFT_OUT(vulkan, "vulkan", "Vulkan (Debian: libvulkan-dev)");
#define VULKAN_BACKEND &no_vulkan
#endif

extern const struct gb_backend_ops gb_cpu_backend;

const struct gb_backend_ops *const gb_backends[] = {
	[GB_CPU] = &gb_cpu_backend,
	[GB_CUDA] = CUDA_BACKEND,
	[GB_VULKAN] = VULKAN_BACKEND,
};
_Static_assert(GB_COUNT(gb_backends) == GB_BACKENDS, "every back end");

bool gb_is_emulated(enum gb_backend backend)
{
	const struct gb_backend_ops *ops = gb_backends[backend];

	return ops->is_emulated && ops->is_emulated();
}

enum gb_backend gb_backend_named(const char *name)
{
	int b = 0;

	while (b < GB_BACKENDS && !gb_equal(name, gb_backends[b]->name))
		b++;
	return (enum gb_backend)b;
}
