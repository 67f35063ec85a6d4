/* backend.c -- the CPU back end: there is nothing to open, and caches are flushed by reading.
 *
 * A flush reads twice as many bytes as the machine's last-level caches hold together, on all
 * cores.  It only reads, so that no dirty lines are left to be written back during the sample that
 * follows.  The buffer belongs to the measurement, not to a variant: it is made once, by the first
 * flush, and counted apart in a record's memory.
 */
#include <omp.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "common/available.h"
#include "common/backend.h"
#include "common/text.h"

#define MIB ((size_t)1 << 20)

enum { MAX_LEVEL_INDEX = 4, LINE = 64 };

static const size_t UNKNOWN_CACHE = 32 * MIB; /* when neither sysfs nor libc knows */
static const size_t MAX_BUFFER = 512 * MIB;

static struct {
	unsigned char *bytes;
	size_t size;
} buffer;

/* ---- how large are the caches? ------------------------------------------------------------ */

/* The first number in a file of /sys/devices/system/cpu/cpuN/cache/indexN; false if there is none.
 * unit: the letter that follows it. */
static bool read_cache_file(long cpu, int index, const char *name, long *number, char *unit)
{
	char path[96];
	FILE *file;
	int found;

	(void)snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%ld/cache/index%d/%s", cpu,
		       index, name);
	file = fopen(path, "re");
	if (!file)
		return false;
	*unit = '\0';
	found = fscanf(file, "%ld%c", number, unit);
	(void)fclose(file);
	return found >= 1;
}

/* Bytes of the last-level cache that `cpu` is the first to share; 0 if it is not the first. */
static size_t cache_of(long cpu)
{
	char unit;

	for (int index = MAX_LEVEL_INDEX; index >= 0; index--) {
		long size = 0, first = 0;

		if (!read_cache_file(cpu, index, "size", &size, &unit) || size <= 0)
			continue;
		if (unit == 'M')
			size *= 1024;
		if (!read_cache_file(cpu, index, "shared_cpu_list", &first, &unit) || first != cpu)
			return 0;
		return (size_t)size * 1024;
	}
	return 0;
}

/* All last-level caches of the machine together, in bytes. */
static uint64_t cache_bytes(const char **from)
{
	const long cpus = sysconf(_SC_NPROCESSORS_CONF);
	size_t total = 0;
	long one;

	*from = "sysfs";
	for (long cpu = 0; cpu < cpus; cpu++)
		total += cache_of(cpu);
	if (total)
		return total;
	*from = "libc";
	one = sysconf(_SC_LEVEL3_CACHE_SIZE);
	if (one <= 0)
		one = sysconf(_SC_LEVEL2_CACHE_SIZE);
	if (one > 0)
		return (uint64_t)one;
	*from = "assumed";
	return UNKNOWN_CACHE;
}

/* ---- flush -------------------------------------------------------------------------------- */

/* Twice the caches, but no more than MAX_BUFFER and a quarter of the memory that is free. */
static enum gb_status make_buffer(struct gb_error *err)
{
	const uint64_t quarter = gb_host_available() / 4;
	char text[GB_TEXT_MAX];
	const char *from;
	size_t size = 2 * cache_bytes(&from);
	void *bytes;

	if (size > MAX_BUFFER)
		size = MAX_BUFFER;
	if (size > quarter)
		size = (size_t)quarter;
	bytes = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (bytes == MAP_FAILED)
		return gb_fail(err, GB_EUNAVAILABLE, "no %s for the buffer that flushes the caches",
			       gb_text_bytes(text, (double)size));
	(void)madvise(bytes, size, MADV_HUGEPAGE);
	/* Pages that were never written are all the same page of zeros. */
	memset(bytes, 1, size);
	buffer.bytes = bytes;
	buffer.size = size;
	return GB_OK;
}

static enum gb_status flush(struct gb_error *err)
{
	unsigned sum = 0;

	if (!buffer.bytes && make_buffer(err))
		return err->code;
#pragma omp parallel for schedule(static) reduction(+ : sum) num_threads(omp_get_num_procs())
	for (size_t i = 0; i < buffer.size; i += LINE)
		sum += buffer.bytes[i];
	__asm__ volatile("" : : "r"(sum)); /* the sum is used, as far as the compiler can tell */
	return GB_OK;
}

static size_t flush_bytes(void)
{
	return buffer.size;
}

/* ---- the rest ----------------------------------------------------------------------------- */

static enum gb_status open_cpu(int device, struct gb_error *err)
{
	(void)device;
	(void)err;
	return GB_OK;
}

static enum gb_status synchronize(struct gb_error *err)
{
	(void)err;
	return GB_OK;
}

static void close_cpu(void)
{
	if (buffer.bytes)
		(void)munmap(buffer.bytes, buffer.size);
	buffer.bytes = NULL;
	buffer.size = 0;
}

extern const struct gb_backend_ops gb_cpu_backend; /* for common/backends.c */
const struct gb_backend_ops gb_cpu_backend = {
	.name = "cpu",
	.open = open_cpu,
	.flush = flush,
	.cache_bytes = cache_bytes,
	.flush_bytes = flush_bytes,
	.synchronize = synchronize,
	.timer = &gb_cpu_timer,
	.close = close_cpu,
};
