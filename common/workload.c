#include "common/workload.h"

#include "common/text.h"

void gb_metric(struct gb_metrics *metrics, const char *name, double value)
{
	size_t i = 0;

	while (i < metrics->count && !gb_equal(metrics->item[i].name, name))
		i++;
	if (i == GB_MAX_METRICS)
		return;
	metrics->item[i].name = name;
	metrics->item[i].value = value;
	if (i == metrics->count)
		metrics->count++;
}
