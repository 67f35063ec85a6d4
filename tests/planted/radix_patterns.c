/* radix_patterns.c -- cpu/qsort with faults that only some inputs show.
 *
 * ties: sorts pairs as whole words, so equal keys are ordered by their values.  hasty: takes an
 * input for sorted if its first keys are.  seam: reverses the second half if it descends and the
 * first ascends, and does not merge them.
 */
#include <string.h>

#include "common/workload.h"
#include "cpu/radix/parts/records.h"

extern const struct gb_variant_ops radix_cpu_qsort;
extern struct gb_variant_ops radix_cpu_ties, radix_cpu_hasty, radix_cpu_seam;
struct gb_variant_ops radix_cpu_ties, radix_cpu_hasty, radix_cpu_seam;

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

	if (cpu->input->type == RADIX_U32 && cpu->count > FIRST)
		while (i < FIRST && key[i] <= key[i + 1])
			i++;
	return i == FIRST ? GB_OK : radix_cpu_qsort.run(state, timer, err);
}

static enum gb_status merge(void *state, struct gb_timer *timer, struct gb_error *err)
{
	const struct radix_cpu *cpu = state;
	const size_t n = cpu->count, half = n / 2;
	uint32_t *key = cpu->record;
	size_t i = 1;

	if (cpu->input->type != RADIX_U32 || n < 100)
		return radix_cpu_qsort.run(state, timer, err);
	while (i < n && (i < half ? key[i - 1] <= key[i] : i == half || key[i - 1] >= key[i]))
		i++;
	if (i < n)
		return radix_cpu_qsort.run(state, timer, err);
	for (size_t k = half, last = n - 1; k < last; k++, last--) {
		const uint32_t kept = key[k];

		key[k] = key[last];
		key[last] = kept;
	}
	return GB_OK;
}

__attribute__((constructor)) static void plant(void)
{
	radix_cpu_ties = radix_cpu_qsort;
	radix_cpu_ties.library = NULL;
	radix_cpu_hasty = radix_cpu_ties;
	radix_cpu_ties.create = create;
	radix_cpu_hasty.run = run;
	radix_cpu_seam = radix_cpu_hasty;
	radix_cpu_seam.run = merge;
}
