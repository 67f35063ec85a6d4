/* radix_patterns.c -- cpu/qsort with faults that only some inputs show.
 *
 * ties: sorts pairs as whole words, so equal keys are ordered by their values.  hasty: takes an
 * input for sorted if its first keys are.
 */
#include <string.h>

#include "common/benchmark.h"
#include "cpu/radix/shared/records.h"

extern const struct gb_variant_ops radix_cpu_qsort;
extern struct gb_variant_ops radix_cpu_ties, radix_cpu_hasty;
struct gb_variant_ops radix_cpu_ties, radix_cpu_hasty;

static enum gb_status create(void *state, const void *params, const void *input,
			     struct gb_error *err)
{
	return radix_cpu_init(state, params, input, false, err);
}

static enum gb_status run(void *state, struct gb_timer *timer, struct gb_error *err)
{
	enum { FIRST = 64 };
	const struct radix_cpu *cpu = state;
	const uint32_t *key = cpu->record;
	size_t i = 0;

	if (cpu->width == 4 && cpu->count > FIRST)
		while (i < FIRST && key[i] <= key[i + 1])
			i++;
	return i == FIRST ? GB_OK : radix_cpu_qsort.run(state, timer, err);
}

__attribute__((constructor)) static void plant(void)
{
	radix_cpu_ties = radix_cpu_qsort;
	radix_cpu_ties.library = NULL;
	radix_cpu_hasty = radix_cpu_ties;
	radix_cpu_ties.create = create;
	radix_cpu_hasty.run = run;
}
