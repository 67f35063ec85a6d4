/* variants.h -- the table of all variants. */
#ifndef GPUBENCH_COMMON_VARIANTS_H
#define GPUBENCH_COMMON_VARIANTS_H

#include "common/workload.h"

/* A variant that is not in the build stays in the table with ops == NULL and a reason. */
extern const struct gb_variant gb_variants[];
extern const size_t gb_variant_count;

#endif
