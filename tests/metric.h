/* metric.h -- looks up a metric that a verifier or a variant reported. */
#ifndef GPUBENCH_TESTS_METRIC_H
#define GPUBENCH_TESTS_METRIC_H

#include <criterion/criterion.h>

#include "common/benchmark.h"
#include "common/text.h"

/* The metric of that name; the test fails if there is none. */
static inline double metric(const struct gb_metrics *metrics, const char *name)
{
	for (size_t i = 0; i < metrics->count; i++)
		if (gb_equal(metrics->item[i].name, name))
			return metrics->item[i].value;
	cr_assert(0, "there is no metric %s", name);
	return 0;
}

#endif
