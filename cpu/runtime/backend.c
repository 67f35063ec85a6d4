/* backend.c -- the CPU back end.  It opens no device and flushes the caches by reading a buffer.
 *
 * A flush reads a buffer PASSES times, on all cores, which is larger than the machine's last-level
 * caches by a quarter.  One pass over twice their size left part of an input of 1 to 16 MiB in the
 * 32 MiB of an AMD EPYC of family 26: a cache that keeps what was read twice is not emptied by
 * lines that are read once.  A flush only reads, so that no dirty lines are written back during the
 * next sample.  The buffer belongs to the measurement, not to a variant: the first flush allocates
 * it, and a record lists its memory separately.
 */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "common/available.h"
#include "common/backend.h"
#include "common/text.h"
#include "cpu/runtime/simd.h"

#define MIB ((size_t)1 << 20)

enum { MAX_LEVEL_INDEX = 4, LINE = 64, PASSES = 3 };

static const size_t UNKNOWN_CACHE = 32 * MIB; /* if neither sysfs nor libc knows */
static const size_t MAX_BUFFER = 512 * MIB;

static struct {
	unsigned char *bytes;
	size_t size;
} buffer;

/* ---- cache sizes -------------------------------------------------------------------------- */

/* Read the first number in a file of /sys/devices/system/cpu/cpuN/cache/indexN, and the letter that
 * follows it (unit).  False if there is none. */
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

/* Bytes of the last-level cache whose first sharer is `cpu`; 0 if another CPU comes first. */
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

/* Bytes of one last-level cache, as the C library knows it; 0 or less if it does not. */
static long libc_cache_bytes(void)
{
#ifdef _SC_LEVEL3_CACHE_SIZE /* not in musl */
	const long l3 = sysconf(_SC_LEVEL3_CACHE_SIZE);

	return l3 > 0 ? l3 : sysconf(_SC_LEVEL2_CACHE_SIZE);
#else
	return 0;
#endif
}

/* Total bytes of the machine's last-level caches. */
static uint64_t cache_bytes(const char **from)
{
	const long cpus = sysconf(_SC_NPROCESSORS_CONF);
	const long one = libc_cache_bytes();
	size_t total = 0;

	*from = "sysfs";
	for (long cpu = 0; cpu < cpus; cpu++)
		total += cache_of(cpu);
	if (total)
		return total;
	*from = "libc";
	if (one > 0)
		return (uint64_t)one;
	*from = "assumed";
	return UNKNOWN_CACHE;
}

/* ---- flush -------------------------------------------------------------------------------- */

/* Allocate 5/4 of the size of the caches, but at most MAX_BUFFER and a quarter of the free
 * memory. */
static enum gb_status make_buffer(struct gb_error *err)
{
	const uint64_t quarter = gb_host_available() / 4;
	char text[GB_TEXT_MAX];
	const char *from;
	size_t size = cache_bytes(&from) / 4 * 5;
	void *bytes;

	if (size > MAX_BUFFER)
		size = MAX_BUFFER;
	if (size > quarter)
		size = (size_t)quarter;
	bytes = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (bytes == MAP_FAILED)
		return gb_fail(err, GB_EUNAVAILABLE,
			       "cannot allocate %s for the cache flush buffer",
			       gb_text_bytes(text, (double)size));
	(void)madvise(bytes, size, MADV_HUGEPAGE);
	/* Untouched pages would all map to the same page of zeros. */
	memset(bytes, 1, size);
	buffer.bytes = bytes;
	buffer.size = size;
	return GB_OK;
}

/* Each thread reads the same part in all passes. */
static enum gb_status flush(struct gb_error *err)
{
	unsigned sum = 0;

	if (!buffer.bytes && make_buffer(err))
		return err->code;
#pragma omp parallel reduction(+ : sum) num_threads(omp_get_num_procs())
	for (int pass = 0; pass < PASSES; pass++)
#pragma omp for schedule(static)
		for (size_t i = 0; i < buffer.size; i += LINE)
			sum += buffer.bytes[i];
	__asm__ volatile("" : : "r"(sum)); /* keeps the compiler from dropping the loop */
	return GB_OK;
}

static size_t flush_bytes(void)
{
	return buffer.size;
}

/* ---- other operations --------------------------------------------------------------------- */

/* GPUBENCH_SIMD limits the vector instructions of our variants, not those of libraries. */
static enum gb_status open_cpu(int device, struct gb_error *err)
{
	static const char *const words[] = {
		[CPU_PLAIN] = "plain",
#if defined(__aarch64__)
		[CPU_NEON] = "neon",
#endif
		[CPU_AVX2] = "avx2",
		[CPU_AVX512] = "avx512",
		[CPU_VBMI2] = "vbmi2",
	};
	const char *most = getenv("GPUBENCH_SIMD");

	for (size_t level = 0; most && level < GB_COUNT(words); level++)
		if (gb_equal(most, words[level])) {
			cpu_limit_simd((enum cpu_simd)level);
			return GB_OK;
		}
	return !most ? GB_OK
		     : gb_fail(err, GB_EUSAGE,
			       "GPUBENCH_SIMD=%.100s: not one of plain, neon (ARM), avx2, avx512, "
			       "vbmi2",
			       most);
}

static enum gb_status synchronize(struct gb_error *err)
{
	(void)err;
	return GB_OK;
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
};
