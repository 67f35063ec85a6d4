/* qsort.c -- cpu/qsort: qsort(3), one thread; the default choice of a C program.
 *
 * Pairs are compared by key, then by value.  If the values ascend in the input, this total order is
 * the stable one, which qsort() itself does not guarantee.  Other values are replaced by positions,
 * and fetched after the sort.
 */
#include <stdio.h>
#include <stdlib.h>
#ifdef __GLIBC__
#include <gnu/libc-version.h>
#endif

#include "common/benchmark.h"
#include "cpu/radix/shared/records.h"

static int compare_u32(const void *left, const void *right)
{
	uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;

	return (a > b) - (a < b);
}

static int compare_u64(const void *left, const void *right)
{
	uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;

	return (a > b) - (a < b);
}

static enum gb_status create(void *state, const void *params, const void *input,
			     struct gb_error *err)
{
	struct radix_cpu *cpu = state;

	if (radix_cpu_init(cpu, params, input, false, err))
		return err->code;
	cpu->threads = 1;
	return radix_cpu_init_words(cpu, params, err);
}

static enum gb_status run(void *state, struct gb_timer *timer, struct gb_error *err)
{
	struct radix_cpu *cpu = state;

	if (!cpu->count)
		return GB_OK;
	radix_cpu_to_order(cpu, NULL);
	radix_cpu_to_words(cpu);
	qsort(cpu->record, cpu->count, cpu->width, cpu->width == 8 ? compare_u64 : compare_u32);
	radix_cpu_from_words(cpu);
	radix_cpu_from_order(cpu, NULL);
	return GB_OK;
}

/* musl has no version at run time. */
static const char *library(void)
{
	static char text[32] = "another libc than glibc";

#ifdef __GLIBC__
	(void)snprintf(text, sizeof text, "glibc %s", gnu_get_libc_version());
#endif
	return text;
}

const struct gb_variant_ops radix_cpu_qsort = {
	.state_size = sizeof(struct radix_cpu),
	.create = create,
	.reset = radix_cpu_reset,
	.run = run,
	.download = radix_cpu_download,
	.excluded = radix_cpu_excluded,
	.library = library,
	.flags = GB_SERIAL,
};
