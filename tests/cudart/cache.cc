/* cache.cc -- the CUDA runtime API: persisting lines of the L2.
 *
 * The model knows only the lines that persist; a flush is taken to evict all others.  A kernel has
 * the access window of its stream and the limit cudaLimitPersistingL2CacheSize of the time when it
 * was queued, and is taken to touch the whole window.  If the window's property is persisting, the
 * lines persist from the time the kernel runs, up to the limit.  Only
 * cudaCtxResetPersistingL2Cache() ends that: other accesses, another window or a smaller limit do
 * not.  A GPU may evict such lines earlier.
 */
#include <algorithm>
#include <set>

#include "tests/cudart/control.h"
#include "tests/cudart/stream.h"

enum { LINE = 128 };

/* Never destroyed: kernels may be launched during exit. */
static std::set<uintptr_t> *const lines = new std::set<uintptr_t>; /* address / LINE */

/* Bytes that may persist. */
static size_t limit;

static size_t most_bytes(void)
{
	int device = 0, bytes = 0;

	(void)cudaGetDevice(&device);
	(void)cudaDeviceGetAttribute(&bytes, cudaDevAttrMaxPersistingL2CacheSize, device);
	return (size_t)bytes;
}

void cache_limit(struct gpu_window *window)
{
	window->bytes = std::min(window->bytes, limit);
}

void cache_touch(const struct gpu_window *window)
{
	const uintptr_t begin = window->begin / LINE;
	const uintptr_t end = (window->begin + window->bytes + LINE - 1) / LINE;

	for (uintptr_t line = begin; line < end && lines->size() < most_bytes() / LINE; line++)
		lines->insert(line);
}

void cache_forget(void)
{
	lines->clear();
	limit = 0;
}

bool cudart_l2_persists(const void *pointer)
{
	return lines->count((uintptr_t)pointer / LINE) != 0;
}

cudaError_t cudaCtxResetPersistingL2Cache(void)
{
	if (!most_bytes())
		return device_error(cudaErrorNotSupported);
	lines->clear();
	return device_sticky();
}

/* Other limits are not emulated. */
cudaError_t cudaDeviceSetLimit(enum cudaLimit which, size_t value)
{
	if (which != cudaLimitPersistingL2CacheSize || !most_bytes())
		return device_error(cudaErrorUnsupportedLimit);
	limit = std::min(value, most_bytes());
	return device_sticky();
}

cudaError_t cudaDeviceGetLimit(size_t *value, enum cudaLimit which)
{
	if (which != cudaLimitPersistingL2CacheSize || !most_bytes())
		return device_error(cudaErrorUnsupportedLimit);
	*value = limit;
	return device_sticky();
}

/* ---- access windows ------------------------------------------------------------------------ */

struct gpu_window cache_window(const struct cudaAccessPolicyWindow *policy)
{
	if (policy->hitProp != cudaAccessPropertyPersisting)
		return {};
	return { (uintptr_t)policy->base_ptr,
		 (size_t)((double)policy->num_bytes * (double)policy->hitRatio) };
}

/* Only the access window of a created stream is emulated. */
cudaError_t cudaStreamSetAttribute(cudaStream_t stream, cudaStreamAttrID which,
				   const cudaStreamAttrValue *value)
{
	const struct cudaAccessPolicyWindow *const policy = &value->accessPolicyWindow;

	if (!stream || which != cudaStreamAttributeAccessPolicyWindow || !most_bytes())
		return device_error(cudaErrorNotSupported);
	if (policy->num_bytes > most_bytes() || policy->missProp == cudaAccessPropertyPersisting ||
	    !(policy->hitRatio >= 0 && policy->hitRatio <= 1))
		return device_error(cudaErrorInvalidValue);
	stream->policy = *policy;
	return device_sticky();
}

cudaError_t cudaStreamGetAttribute(cudaStream_t stream, cudaStreamAttrID which,
				   cudaStreamAttrValue *value)
{
	if (!stream || which != cudaStreamAttributeAccessPolicyWindow || !most_bytes())
		return device_error(cudaErrorNotSupported);
	value->accessPolicyWindow = stream->policy;
	return device_sticky();
}
