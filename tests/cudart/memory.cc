/* memory.cc -- the CUDA runtime API: memory.
 *
 * Device memory is host memory of exactly the requested size, filled with 0xA5.  Under the option PROTECT=1 it is a separate
 * mapping that ends at the end of a page, and that the host may only access while a kernel or a
 * copy runs.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <map>

#include "tests/cudart/runtime.h"

enum { ALIGNMENT = 256, PAGE = 4096, REMEMBERED = 64 };

struct allocation {
	size_t bytes;
	void *base;    /* result of malloc or mmap */
	size_t mapped; /* bytes of the mapping; 0: malloc */
	bool device;
	int64_t number; /* sequence number */
};

/* Never destroyed: leaks are reported last. */
static std::map<uintptr_t, struct allocation> &all(void)
{
	static std::map<uintptr_t, struct allocation> *const map =
		new std::map<uintptr_t, struct allocation>;

	return *map;
}

static size_t in_use;
static int64_t allocated; /* number of allocations so far */

/* The last freed allocations, to distinguish a stale pointer from a wild one. */
static struct {
	uintptr_t begin;
	size_t bytes;
} freed[REMEMBERED];
static unsigned freed_next;

static const struct allocation *find(const void *pointer, uintptr_t *begin)
{
	const uintptr_t p = (uintptr_t)pointer;
	auto after = all().upper_bound(p);

	if (after == all().begin())
		return NULL;
	--after;
	if (p > after->first + after->second.bytes)
		return NULL;
	*begin = after->first;
	return &after->second;
}

/* The end of an allocation belongs to it: an empty slice may point there. */
enum memory_kind memory_find(const void *pointer, uintptr_t *begin, size_t *bytes)
{
	const struct allocation *const a = find(pointer, begin);

	if (a) {
		*bytes = a->bytes;
		return a->device ? MEMORY_DEVICE : MEMORY_HOST;
	}
	for (unsigned i = 0; i < REMEMBERED; i++)
		if ((uintptr_t)pointer - freed[i].begin < freed[i].bytes)
			return MEMORY_FREED;
	return MEMORY_UNKNOWN;
}

void memory_open(bool open)
{
	if (!runtime_options.protect)
		return;
	for (const auto &entry : all())
		if (entry.second.mapped)
			mprotect(entry.second.base, entry.second.mapped,
				 open ? PROT_READ | PROT_WRITE : PROT_NONE);
}

/* ---- allocation -------------------------------------------------------------------------- */

/* Map separate pages; the memory ends as near to the end of the last page as alignment to 256
 * allows. */
static char *map_pages(struct allocation *a)
{
	a->mapped = (a->bytes + ALIGNMENT - 1 + PAGE - 1) / PAGE * PAGE;
	a->base = mmap(NULL, a->mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (a->base == MAP_FAILED)
		return NULL;
	memset(a->base, 0xA5, a->mapped);

	char *const memory = (char *)a->base + ((a->mapped - a->bytes) & ~(size_t)(ALIGNMENT - 1));

	mprotect(a->base, a->mapped, PROT_NONE);
	return memory;
}

static char *take(struct allocation *a)
{
	void *memory = NULL;

	if (a->device && runtime_options.protect)
		return map_pages(a);
	if (posix_memalign(&memory, ALIGNMENT, a->bytes) != 0)
		return NULL;
	if (a->device)
		memset(memory, 0xA5, a->bytes);
	a->base = memory;
	return (char *)memory;
}

/* device: or else mapped page-locked memory. */
static cudaError_t allocate(void **pointer, size_t bytes, bool device)
{
	struct allocation a = {};

	options_read();
	catch_faults();
	if (!pointer)
		return device_error(cudaErrorInvalidValue);
	*pointer = NULL;
	if (device_sticky() != cudaSuccess)
		return device_sticky();
	if (bytes == 0)
		return cudaSuccess;
	if (device && bytes > runtime_options.memory - in_use)
		return device_error(cudaErrorMemoryAllocation);
	a.bytes = bytes;
	a.device = device;
	a.number = ++allocated;

	char *const memory = take(&a);

	if (!memory)
		return device_error(cudaErrorMemoryAllocation);
	all()[(uintptr_t)memory] = a;
	if (device)
		in_use += bytes;
	if (runtime_options.check)
		check_allocated(memory, bytes, !device);
	*pointer = memory;
	return cudaSuccess;
}

cudaError_t cudaMalloc(void **pointer, size_t bytes)
{
	return allocate(pointer, bytes, true);
}

cudaError_t cudaHostAlloc(void **pointer, size_t bytes, unsigned)
{
	return allocate(pointer, bytes, false);
}

cudaError_t cudaHostGetDevicePointer(void **device, void *host, unsigned)
{
	*device = host;
	return cudaSuccess;
}

/* All host memory counts as page-locked here; only the arguments are checked. */
cudaError_t cudaHostRegister(void *pointer, size_t bytes, unsigned)
{
	return pointer && bytes ? cudaSuccess : device_error(cudaErrorInvalidValue);
}

cudaError_t cudaHostUnregister(void *pointer)
{
	return pointer ? cudaSuccess : device_error(cudaErrorInvalidValue);
}

extern "C" void gb_gpu_forget(void *array, size_t bytes); /* see cuda/runtime/device.cu */
void gb_gpu_forget(void *array, size_t bytes)
{
	if (runtime_options.check)
		check_forgotten(array, bytes);
}

static void give_back(void *pointer, const struct allocation *a)
{
	if (a->device)
		in_use -= a->bytes;
	if (runtime_options.check)
		check_freed(pointer);
	freed[freed_next].begin = (uintptr_t)pointer;
	freed[freed_next].bytes = a->bytes;
	freed_next = (freed_next + 1) % REMEMBERED;
	if (a->mapped)
		munmap(a->base, a->mapped);
	else
		free(a->base);
}

static cudaError_t release(const char *function, void *pointer, bool device)
{
	if (!pointer)
		return cudaSuccess;
	const auto found = all().find((uintptr_t)pointer);

	if (found == all().end() || found->second.device != device) {
		report_error("%s: %p was not allocated by it, or was freed before", function,
			     pointer);
		return device_error(cudaErrorInvalidValue);
	}
	const cudaError_t result = streams_drain_all();
	const struct allocation a = found->second;

	all().erase(found);
	give_back(pointer, &a);
	return result;
}

cudaError_t cudaFree(void *pointer)
{
	return release("cudaFree", pointer, true);
}

cudaError_t cudaFreeHost(void *pointer)
{
	return release("cudaFreeHost", pointer, false);
}

cudaError_t cudaMemGetInfo(size_t *available, size_t *total)
{
	options_read();
	*total = runtime_options.memory;
	*available = runtime_options.memory - in_use;
	return cudaSuccess;
}

void memory_release_all(void)
{
	for (const auto &entry : all())
		give_back((void *)entry.first, &entry.second);
	all().clear();
	in_use = 0;
	allocated = 0;
}

void memory_report_leaks(void)
{
	size_t bytes = 0, count = 0;
	int64_t first = 0;

	for (const auto &entry : all()) {
		if (!entry.second.device)
			continue;
		if (!count++ || entry.second.number < first)
			first = entry.second.number;
		bytes += entry.second.bytes;
	}
	if (runtime_options.leaks && count)
		report_error(
			"%zu bytes of device memory in %zu allocations were not freed; the first "
			"is number %lld",
			bytes, count, (long long)first);
}
