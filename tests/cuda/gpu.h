/* gpu.h -- set-up of the tests of the cuda variants: a GPU or the PTX executor.  Without either
 * they are skipped.
 */
#ifndef GPUBENCH_TESTS_CUDA_GPU_H
#define GPUBENCH_TESTS_CUDA_GPU_H

#include <criterion/criterion.h>

#include "common/devices.h"
#include "common/memory.h"
#include "common/text.h"
#include "common/variants.h"
#include "tests/metric.h"

static inline void open_gpu(void)
{
	struct gb_error err = { GB_OK, "" };

	if (gb_device_open(GB_CUDA, 0, &err))
		cr_skip("%s", err.message);
}

static inline void close_gpu(void)
{
	cr_expect_eq(gb_memory_used(GB_DEVICE_MEMORY), 0);
}

static inline const struct gb_variant *find_variant(enum gb_backend backend, const char *benchmark,
						    const char *name)
{
	for (size_t i = 0; i < gb_variant_count; i++) {
		const struct gb_variant *v = &gb_variants[i];

		if (v->backend == backend && gb_equal(v->benchmark, benchmark) &&
		    gb_equal(v->name, name))
			return v;
	}
	cr_assert(0, "there is no %s", name);
	return NULL;
}

#endif
