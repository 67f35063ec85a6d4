#include "common/workload.h"

#include <inttypes.h>
#include <stdio.h>

#include "common/text.h"

/* The place of a metric, new or old; GB_MAX_METRICS if there is no room. */
static size_t place(struct gb_metrics *metrics, const char *name)
{
	size_t i = 0;

	while (i < metrics->count && !gb_equal(metrics->item[i].name, name))
		i++;
	if (i < GB_MAX_METRICS) {
		metrics->item[i].name = name;
		metrics->count = i == metrics->count ? i + 1 : metrics->count;
	}
	return i;
}

void gb_metric(struct gb_metrics *metrics, const char *name, double value)
{
	const size_t i = place(metrics, name);

	if (i < GB_MAX_METRICS) {
		metrics->item[i].value = value;
		metrics->item[i].text[0] = '\0';
	}
}

void gb_metric_hash(struct gb_metrics *metrics, const char *name, uint64_t hash)
{
	const size_t i = place(metrics, name);

	if (i < GB_MAX_METRICS)
		(void)snprintf(metrics->item[i].text, sizeof metrics->item[i].text, "0x%016" PRIx64,
			       hash);
}
