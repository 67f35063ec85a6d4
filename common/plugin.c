/* plugin.c -- see plugin.h. */
#include "common/plugin.h"

#include "common/backend.h"

void *gb_device_stream(void)
{
	const struct gb_backend_ops *cuda = gb_backends[GB_CUDA];

	return cuda->stream ? cuda->stream() : NULL;
}

void *gb_device_alloc(size_t count, size_t size, struct gb_error *err)
{
	const struct gb_backend_ops *cuda = gb_backends[GB_CUDA];

	if (cuda->alloc)
		return cuda->alloc(count, size, err);
	gb_fail(err, GB_EUNAVAILABLE, "this program was built without CUDA");
	return NULL;
}
