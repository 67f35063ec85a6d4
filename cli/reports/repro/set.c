/* set.c -- `repro --NAME=VALUE`: overrides parameters of a paper's table.
 *
 * The "set" of the table and of its columns is edited before anything is measured; a note on the
 * table says so.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/measure/sweep.h"
#include "cli/reports/repro/repro.h"
#include "cli/workloads/registry.h"
#include "common/text.h"

enum gb_status gb_repro_fixed(const cJSON *table, const char *name, struct gb_error *err)
{
	const cJSON *column;

	cJSON_ArrayForEach(column, gb_json_at(table, "columns"))
	{
		const char *param = gb_json_text(column, "param");

		if (param && gb_equal(param, name))
			return gb_fail(err, GB_EUSAGE, "the rows of %s set %s",
				       gb_json_text(table, "id"), name);
		if (cJSON_HasObjectItem(gb_json_at(column, "set"), name))
			return gb_fail(err, GB_EUSAGE, "column %s of %s has its own %s",
				       gb_json_text(column, "name"), gb_json_text(table, "id"),
				       name);
	}
	return GB_OK;
}

static bool put_value(cJSON *table, const char *name, const char *value)
{
	cJSON *set = cJSON_GetObjectItemCaseSensitive(table, "set");

	if (!set)
		set = cJSON_AddObjectToObject(table, "set");
	cJSON_DeleteItemFromObjectCaseSensitive(set, name);
	return gb_json_put_text(set, name, value);
}

/* Say on the table, "Measured with --tree=best --rays=512." */
static bool put_note(cJSON *table, const struct gb_overrides *list)
{
	cJSON *notes = cJSON_GetObjectItemCaseSensitive(table, "notes");
	cJSON *note = cJSON_CreateObject();
	char text[200] = "Measured with";
	size_t used = strlen(text);

	for (size_t i = 0; i < list->count && used < sizeof text; i++)
		used += (size_t)snprintf(text + used, sizeof text - used, " --%s=%s",
					 list->item[i].name, list->item[i].spec);
	if (used + 1 < sizeof text)
		memcpy(text + used, ".", 2);
	if (!notes)
		notes = cJSON_AddArrayToObject(table, "notes");
	return gb_json_append(notes, note) && gb_json_put_text(note, "text", text);
}

/* tried: a sweep with all values so far. */
static enum gb_status set_one(cJSON *table, struct gb_sweep *tried, const char *name,
			      const char *value, struct gb_error *err)
{
	struct gb_error fixed = { 0 };

	if (gb_sweep_set(tried, name, value, err))
		return err->code;
	if (gb_repro_fixed(table, name, &fixed))
		return gb_fail(err, GB_EUSAGE, "--%s: %s", name, fixed.message);
	if (tried->count != 1)
		return gb_fail(err, GB_EUSAGE, "--%s=%.80s: repro takes a single value", name,
			       value);
	return put_value(table, name, value) ? GB_OK : gb_out_of_memory(err, NULL);
}

enum gb_status gb_repro_set(cJSON *table, const struct gb_workload *workload,
			    const struct gb_overrides *list, struct gb_error *err)
{
	struct gb_sweep tried = { 0 };

	(void)gb_sweep_init(&tried, workload, err);
	for (size_t i = 0; i < list->count && !err->code; i++)
		(void)set_one(table, &tried, list->item[i].name, list->item[i].spec, err);
	gb_sweep_release(&tried);
	if (!err->code && !put_note(table, list))
		gb_out_of_memory(err, NULL);
	return err->code;
}
