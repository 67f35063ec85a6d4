/* codes.h -- the first two phases: boxes of the primitives, Morton codes of their centres. */
#ifndef GPUBENCH_CPU_LBVH_PARTS_CODES_H
#define GPUBENCH_CPU_LBVH_PARTS_CODES_H

#include "cpu/lbvh/parts/frame.h"

/* box, lo, hi. */
void lbvh_cpu_bounds(struct lbvh_cpu *cpu, struct gb_timer *timer);
/* pair (30 bits), or pair and index (63 bits), in the order of primitives. */
void lbvh_cpu_codes(struct lbvh_cpu *cpu, struct gb_timer *timer);

#endif
