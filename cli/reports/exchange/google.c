/* google.c -- prints records as the JSON of google/benchmark. */
#include <math.h>
#include <string.h>

#include "cli/records/json.h"
#include "cli/reports/exchange/exchange.h"
#include "cli/reports/keys.h"
#include "cli/reports/launch.h"

/* The host and the build of the first run. */
static bool put_context(cJSON *document, const struct gb_run *run)
{
	cJSON *context = cJSON_CreateObject();
	const double cpus = run->host.logical_cpus;

	return gb_json_put(document, "context", context) &&
	       gb_json_put_text(context, "date", run->started) &&
	       gb_json_put_text(context, "host_name", run->host.hostname) &&
	       gb_json_put_text(context, "executable", "gpubench") &&
	       gb_json_put_number(context, "num_cpus", isnan(cpus) ? 1 : cpus) &&
	       gb_json_put_number(context, "mhz_per_cpu", 0) &&
	       gb_json_put_bool(context, "cpu_scaling_enabled", false) &&
	       gb_json_put(context, "caches", cJSON_CreateArray()) &&
	       gb_json_put(context, "load_avg", cJSON_CreateArray()) &&
	       gb_json_put_text(context, "library_build_type", "release") &&
	       gb_json_put_text(context, "gpubench_commit", run->tool.commit);
}

/* Launch i of n. */
static bool put_repetition(cJSON *list, const struct gb_record *record, size_t i, size_t n)
{
	const double ns = gb_launch_value(record);
	const double items = record->work.items;
	const char *reason = record->reason;
	const bool broken = record->status == GB_STATUS_FAILED;
	cJSON *item = cJSON_CreateObject();
	char name[GB_EXCHANGE_NAME];

	gb_exchange_name(record->key, gb_record_is_cold(record), name);
	return gb_json_append(list, item) && gb_json_put_text(item, "name", name) &&
	       gb_json_put_text(item, "run_name", name) &&
	       gb_json_put_text(item, "run_type", "iteration") &&
	       gb_json_put_number(item, "repetitions", (double)n) &&
	       gb_json_put_number(item, "repetition_index", (double)i) &&
	       gb_json_put_number(item, "threads", 1) &&
	       (!broken || (gb_json_put_bool(item, "error_occurred", true) &&
			    gb_json_put_text(item, "error_message", reason ? reason : ""))) &&
	       gb_json_put_number(item, "iterations", broken ? 0 : (double)record->time.count) &&
	       gb_json_put_number(item, "real_time", broken ? 0 : ns) &&
	       gb_json_put_number(item, "cpu_time", broken ? 0 : ns) &&
	       gb_json_put_text(item, "time_unit", "ns") &&
	       (broken || isnan(items) ||
		gb_json_put_number(item, "items_per_second", items * 1e9 / ns));
}

/* True if the entry, with cold or hot caches, is a launch that failed or has a verified time, and
 * is not a repetition. */
static bool is_launch(const struct gb_key_entry *entry, size_t i, bool cold)
{
	const struct gb_record *record = entry[i].record;

	return gb_record_is_cold(record) == cold && !gb_key_is_repeated(entry, i) &&
	       (record->status == GB_STATUS_FAILED || gb_is_timed(record));
}

static bool put_key(cJSON *list, const struct gb_key_entry *entry, size_t count, bool cold)
{
	size_t n = 0, done = 0;

	for (size_t i = 0; i < count; i++)
		n += is_launch(entry, i, cold);
	for (size_t i = 0; i < count; i++)
		if (is_launch(entry, i, cold) && !put_repetition(list, entry[i].record, done++, n))
			return false;
	return true;
}

enum gb_status gb_google_print_records(FILE *file, const struct gb_records *list,
				       struct gb_error *err)
{
	cJSON *document = cJSON_CreateObject(), *benchmarks = cJSON_CreateArray();
	struct gb_keys keys;
	bool ok;

	if (gb_keys_init(&keys, list, NULL, err)) {
		cJSON_Delete(benchmarks);
		goto out;
	}
	ok = put_context(document, list->run_count ? list->run[0] : gb_no_run);
	ok = gb_json_put(document, "benchmarks", benchmarks) && ok;
	for (size_t i = 0; i < 2 * keys.group_count && ok; i++)
		ok = put_key(benchmarks, &keys.entry[keys.group[i / 2].first],
			     keys.group[i / 2].count, i % 2 == 0);
	if (!ok || !gb_json_print(file, document))
		gb_out_of_memory(err, NULL);
out:
	cJSON_Delete(document);
	gb_keys_release(&keys);
	return err->code;
}
