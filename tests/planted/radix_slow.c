/* radix_slow.c -- cpu/best made slower by a tenth, or by the fraction GPUBENCH_SLOW, for `ab` to
 * find (tests/gate.sh).
 */
#include <stdlib.h>

#include "common/timer.h"
#include "common/workload.h"

extern const struct gb_variant_ops radix_cpu_best;
extern struct gb_variant_ops radix_cpu_slow;
struct gb_variant_ops radix_cpu_slow;

static enum gb_status run(void *state, struct gb_timer *timer, struct gb_error *err)
{
	const char *text = getenv("GPUBENCH_SLOW");
	const double share = text ? strtod(text, NULL) : 0.1;
	const double start = gb_now_ns();
	const enum gb_status status = radix_cpu_best.run(state, timer, err);
	const double end = gb_now_ns() + share * (gb_now_ns() - start);

	while (gb_now_ns() < end)
		;
	return status;
}

/* Everything except run() is cpu/best's. */
__attribute__((constructor)) static void plant(void)
{
	radix_cpu_slow = radix_cpu_best;
	radix_cpu_slow.run = run;
}
