/* schema1.c -- see schema1.h. */
#include "cli/records/schema1.h"

#include <math.h>

#include "cli/records/json.h"
#include "common/text.h"

/* Replace the words of schema 1.  It had statuses of their own for noisy samples and for time-outs,
 * and several stop reasons for the limits of sampling. */
static bool renew_words(cJSON *line)
{
	static const struct {
		const char *name, *was, *is;
	} word[] = {
		{ "status", "noisy", "ok" },
		{ "status", "timeout", "failed" },
		{ "stop_reason", "no_gain", "limit" },
		{ "stop_reason", "max_samples", "limit" },
		{ "stop_reason", "time_limit", "limit" },
		{ "stop_reason", "untimed", "fixed" },
		/* A time whose verification was skipped had the status "ok". */
		{ "status", "ok", "unverified" },
	};
	const char *verify = gb_json_text(line, "verify.result");
	const bool verified = !verify || !gb_equal(verify, "skipped");

	for (size_t i = 0; i < GB_COUNT(word) - verified; i++) {
		const char *text = gb_json_text(line, word[i].name);

		if (text && gb_equal(text, word[i].was) &&
		    !cJSON_SetValuestring(gb_json_at(line, word[i].name), word[i].is))
			return false;
	}
	return true;
}

/* Move members that were elsewhere: `now` was `name` of the object `in`. */
static bool renew_places(cJSON *line)
{
	static const struct {
		const char *in, *name, *now;
	} place[] = {
		{ "input", "source", "input" },
		{ "rates", "copy_bytes_per_s", "copy_bytes_per_s" },
		{ "create", "median", "create" },
		{ "upload", "median", "upload" },
		{ "download", "median", "download" },
		{ "first_call", "median", "first_call" },
	};
	bool ok = true;

	for (size_t i = 0; i < GB_COUNT(place) && ok; i++) {
		cJSON *item = cJSON_DetachItemFromObjectCaseSensitive(gb_json_at(line, place[i].in),
								      place[i].name);

		if (!item)
			continue;
		cJSON_DeleteItemFromObjectCaseSensitive(line, place[i].now);
		ok = gb_json_put(line, place[i].now, item);
	}
	return ok;
}

/* If the samples are different work, the rate is not the items divided by the median time. */
static bool renew_rate(cJSON *line)
{
	const double rate = gb_json_number(line, "rates.items_per_s");
	const double by_median =
		gb_json_number(line, "work.items") * 1e9 / gb_json_number(line, "time.median");

	return !(fabs(rate / by_median - 1) > 1e-6) ||
	       gb_json_put_number(line, "harmonic_items_per_s", rate);
}

bool gb_schema1_renew(cJSON *line)
{
	cJSON *excluded = gb_json_at(line, "excluded");
	cJSON *first = cJSON_GetArrayItem(excluded, 0);
	const char *input;

	if (!renew_words(line) || !renew_places(line) || !renew_rate(line))
		return false;
	input = gb_json_text(line, "input");
	if (input && gb_equal(input, "generated"))
		cJSON_DeleteItemFromObjectCaseSensitive(line, "input");
	cJSON_DeleteItemFromObjectCaseSensitive(line, "rates");
	cJSON_DeleteItemFromObjectCaseSensitive(line, "overhead");
	cJSON_DeleteItemFromObjectCaseSensitive(gb_json_at(line, "verify"), "method");
	/* A run that timed out could keep its samples. */
	input = gb_json_text(line, "status");
	if (input && (gb_equal(input, "failed") || gb_equal(input, "skipped"))) {
		cJSON_DeleteItemFromObjectCaseSensitive(line, "time");
		cJSON_DeleteItemFromObjectCaseSensitive(line, "host_time");
		cJSON_DeleteItemFromObjectCaseSensitive(line, "phases");
	}
	if (cJSON_IsString(first) && gb_equal(first->valuestring, "allocation of memory"))
		cJSON_DeleteItemFromArray(excluded, 0);
	(void)cJSON_SetNumberValue(gb_json_at(line, "schema"), 2);
	return true;
}
