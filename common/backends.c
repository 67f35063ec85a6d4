/* backends.c -- the table of back ends.
 *
 * A back end that is not in this build stays in the table with its name and what is missing.  Its
 * variants have no operations (variants.c), so that none of its own is called.
 */
#include "common/backend.h"

#include "build_info.h"
#include "common/text.h"

#if GB_HAVE_CUDA
extern const struct gb_backend_ops gb_cuda_backend;
#define CUDA_BACKEND &gb_cuda_backend
#else
static const struct gb_backend_ops no_cuda = { .name = "cuda", .absent = "CUDA: " GB_CUDA_ABSENT };
#define CUDA_BACKEND &no_cuda
#endif

#if GB_HAVE_VULKAN
extern const struct gb_backend_ops gb_vulkan_backend;
#define VULKAN_BACKEND &gb_vulkan_backend
#else
static const struct gb_backend_ops no_vulkan = { .name = "vulkan",
						 .absent = "Vulkan (Debian: libvulkan-dev)" };
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
