/* set.c -- `repro --set=NAME=VALUE,...`: overrides parameters of a paper's table.
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

static bool put_note(cJSON *table, const char *words)
{
	cJSON *notes = cJSON_GetObjectItemCaseSensitive(table, "notes");
	cJSON *note = cJSON_CreateObject();
	char text[200];

	(void)snprintf(text, sizeof text, "Measured with --set=%.160s.", words);
	if (!notes)
		notes = cJSON_AddArrayToObject(table, "notes");
	return gb_json_append(notes, note) && gb_json_put_text(note, "text", text);
}

/* Apply one "NAME=VALUE", which is modified.  tried: a sweep with all values so far. */
static enum gb_status set_one(cJSON *table, struct gb_sweep *tried, char *name,
			      struct gb_error *err)
{
	struct gb_error fixed = { 0 };
	char *value = strchr(name, '=');

	if (!value || value == name)
		return gb_fail(err, GB_EUSAGE, "--set=%.80s: expected NAME=VALUE", name);
	*value++ = '\0';
	if (gb_sweep_set(tried, name, value, err))
		return err->code;
	if (gb_repro_fixed(table, name, &fixed))
		return gb_fail(err, GB_EUSAGE, "--set=%s: %s", name, fixed.message);
	if (tried->count != 1)
		return gb_fail(err, GB_EUSAGE, "--set=%s=%.80s: repro takes a single value", name,
			       value);
	return put_value(table, name, value) ? GB_OK : gb_out_of_memory(err, NULL);
}

enum gb_status gb_repro_set(cJSON *table, const struct gb_workload *workload, const char *words,
			    struct gb_error *err)
{
	struct gb_sweep tried = { 0 };
	char *copy = strdup(words), *rest = copy, *name;

	if (!copy)
		return gb_out_of_memory(err, NULL);
	(void)gb_sweep_init(&tried, workload, err);
	while (!err->code && (name = strsep(&rest, ",")))
		(void)set_one(table, &tried, name, err);
	gb_sweep_release(&tried);
	free(copy);
	if (!err->code && !put_note(table, words))
		gb_out_of_memory(err, NULL);
	return err->code;
}
