/* qsort.c -- cpu/qsort: qsort(3), one thread; the default choice of a C program.
 *
 * Keys are compared as what they are, if they are no NaNs.  Pairs are compared by key, then by value.
 * If the values ascend in the input, this total order is the stable one, which qsort() itself does
 * not guarantee.  Other values are replaced by positions, and fetched after the sort.
 */
#include <stdio.h>
#include <stdlib.h>
#ifdef __GLIBC__
#include <gnu/libc-version.h>
#endif

#include "common/benchmark.h"
#include "cpu/radix/shared/records.h"

#define DEFINE_COMPARE(name, type)                                            \
	static int compare_##name(const void *left, const void *right)        \
	{                                                                     \
		const type a = *(const type *)left, b = *(const type *)right; \
                                                                              \
		return (a > b) - (a < b);                                     \
	}

DEFINE_COMPARE(u8, uint8_t)
DEFINE_COMPARE(u16, uint16_t)
DEFINE_COMPARE(u32, uint32_t)
DEFINE_COMPARE(u64, uint64_t)
DEFINE_COMPARE(u128, radix_u128)
DEFINE_COMPARE(i32, int32_t)
DEFINE_COMPARE(i64, int64_t)
DEFINE_COMPARE(f32, float)
DEFINE_COMPARE(f64, double)

static int (*const compare_keys[RADIX_TYPES])(const void *, const void *) = {
	compare_u8,  compare_u16, compare_u32, compare_u64,
	compare_i32, compare_i64, compare_f32, compare_f64
};
static int (*const compare_records[RADIX_CPU_WIDTHS])(const void *, const void *) = {
	compare_u8, compare_u16, compare_u32, compare_u64, compare_u128
};

static enum gb_status create(void *state, const void *params, const void *input,
			     struct gb_error *err)
{
	return radix_cpu_init_peer(state, params, input, err);
}

static enum gb_status run(void *state, struct gb_timer *timer, struct gb_error *err)
{
	struct radix_cpu *cpu = state;

	radix_cpu_flip(cpu, false, NULL);
	radix_cpu_to_words(cpu);
	for (size_t s = 0; s < cpu->input->segments; s++) {
		const size_t begin = radix_cpu_segment(cpu, s);

		qsort(radix_cpu_at(cpu, cpu->record, begin), radix_cpu_segment(cpu, s + 1) - begin,
		      cpu->width,
		      cpu->is_native ? compare_keys[cpu->input->type]
				     : compare_records[radix_cpu_width(cpu)]);
	}
	radix_cpu_from_words(cpu);
	radix_cpu_flip(cpu, true, NULL);
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
