/* radix_slow.c -- cpu/best, slower by a tenth on purpose: what `ab` has to find (tests/ab.sh). */
#include "common/timer.h"
#include "common/workload.h"

extern const struct gb_variant_ops radix_cpu_best, radix_cpu_slow;

static enum gb_status create(void **state, const void *params, const void *input,
			     struct gb_error *err)
{
	return radix_cpu_best.create(state, params, input, err);
}

static enum gb_status reset(void *state, int64_t sample, struct gb_error *err)
{
	return radix_cpu_best.reset(state, sample, err);
}

static enum gb_status run(void *state, struct gb_timer *timer, struct gb_error *err)
{
	const double start = gb_now_ns();
	const enum gb_status status = radix_cpu_best.run(state, timer, err);
	const double end = gb_now_ns() + 0.1 * (gb_now_ns() - start);

	while (gb_now_ns() < end)
		;
	return status;
}

static enum gb_status download(void *state, void *output, struct gb_error *err)
{
	return radix_cpu_best.download(state, output, err);
}

static void destroy(void *state)
{
	radix_cpu_best.destroy(state);
}

const struct gb_variant_ops radix_cpu_slow = {
	.create = create,
	.reset = reset,
	.run = run,
	.download = download,
	.destroy = destroy,
};
