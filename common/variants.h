/* variants.h -- declares each variant's operations and the one table of all variants.
 *
 * A line of variants.def says what the variant needs of the build: HOST is always there; CUDA,
 * CUB, HWY ... are when the Makefile defines GB_HAVE_<it> as 1.  A variant whose need is not met
 * stays in the table with ops == NULL and a reason.
 */
#ifndef GPUBENCH_COMMON_VARIANTS_H
#define GPUBENCH_COMMON_VARIANTS_H

#include "common/workload.h"

#ifdef __cplusplus
extern "C" {
#endif

#define GB_VARIANT(backend, workload, symbol, name, needs, summary, peer) \
	extern const struct gb_variant_ops workload##_##backend##_##symbol;
#include "common/variants.def"
#undef GB_VARIANT

extern const struct gb_variant gb_variants[];
extern const size_t gb_variant_count;

#ifdef __cplusplus
}
#endif
#endif
