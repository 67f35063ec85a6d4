#include <math.h>
#include <stdlib.h>

#include "cli/records/json.h"
#include "cli/reports/exchange/exchange.h"
#include "cli/reports/keys.h"
#include "cli/reports/launch.h"

/* A value and what it lies between; NAN: not told. */
struct metric {
	double value, low, high;
};

/* Of one launch: what the record says. */
static struct metric of_launch(const struct gb_record *record)
{
	const cJSON *interval = gb_json_at(record, "time.ci95");

	return (struct metric){
		.value = record->time.sum.median,
		.low = interval ? cJSON_GetNumberValue(cJSON_GetArrayItem(interval, 0))
				: (double)NAN,
		.high = interval ? cJSON_GetNumberValue(cJSON_GetArrayItem(interval, 1))
				 : (double)NAN,
	};
}

/* The key's metric in ns, with cold or hot caches; value NAN if it has no verified time.  *record is
 * one that has. */
static enum gb_status metric_of(const struct gb_key_entry *entry, size_t count, bool cold,
				struct metric *metric, const cJSON **record, struct gb_error *err)
{
	double *value = malloc((count + 1) * sizeof *value);
	size_t n = 0;

	*metric = (struct metric){ NAN, NAN, NAN };
	if (!value)
		return gb_out_of_memory(err, NULL);
	for (size_t i = 0; i < count; i++) {
		const double x = gb_launch_value(entry[i].record, (struct gb_launch_stat){ 0 });

		if (isnan(x) || gb_record_is_cold(entry[i].record) != cold ||
		    (entry[i].record->status == GB_STATUS_UNVERIFIED) || gb_key_is_repeated(entry, i))
			continue;
		value[n++] = x;
		*record = entry[i].record;
	}
	if (n == 1) {
		*metric = of_launch(*record);
	} else if (n > 1) {
		gb_sort(value, n);
		*metric = (struct metric){ gb_median_sorted(value, n), value[0], value[n - 1] };
	}
	free(value);
	return GB_OK;
}

static bool put_metric(cJSON *object, const char *name, struct metric m)
{
	cJSON *item = cJSON_CreateObject();

	return gb_json_put(object, name, item) && gb_json_put_number(item, "value", m.value) &&
	       (isnan(m.low) || gb_json_put_number(item, "lower_value", m.low)) &&
	       (isnan(m.high) || gb_json_put_number(item, "upper_value", m.high));
}

static bool put_key(cJSON *document, const char *key, bool cold, struct metric m, double items)
{
	const double per_s = items * 1e9;
	cJSON *measures = cJSON_CreateObject();
	char name[GB_EXCHANGE_NAME];

	return gb_json_put(document, gb_exchange_name(key, cold, name), measures) &&
	       put_metric(measures, "latency", m) &&
	       (isnan(items) ||
		put_metric(measures, "throughput",
			   (struct metric){ per_s / m.value, per_s / m.high, per_s / m.low }));
}

enum gb_status gb_bmf_print_records(FILE *file, const struct gb_records *list, struct gb_error *err)
{
	cJSON *document = cJSON_CreateObject();
	struct gb_keys keys;

	if (gb_keys_init(&keys, list, NULL, err))
		goto out;
	for (size_t i = 0; i < 2 * keys.group_count && !err->code; i++) {
		const struct gb_key_group *group = &keys.group[i / 2];
		const struct gb_key_entry *entry = &keys.entry[group->first];
		const bool cold = i % 2 == 0;
		const struct gb_record *record = NULL;
		struct metric m;

		if (!metric_of(entry, group->count, cold, &m, &record, err) && !isnan(m.value) &&
		    !put_key(document, entry->key, cold, m, record->work.items))
			gb_out_of_memory(err, NULL);
	}
	if (!err->code && !gb_json_print(file, document))
		gb_out_of_memory(err, NULL);
out:
	cJSON_Delete(document);
	gb_keys_release(&keys);
	return err->code;
}
