#include "cli/records/runs.h"

#include <stdlib.h>
#include <string.h>

#include "cli/records/json.h"

static int by_run_id(const void *a, const void *b)
{
	return strcmp(gb_json_text(*(const cJSON *const *)a, "run_id"),
		      gb_json_text(*(const cJSON *const *)b, "run_id"));
}

enum gb_status gb_runs_add(struct gb_runs *runs, const struct gb_records *list,
			   struct gb_error *err)
{
	const cJSON **line = realloc(runs->line, (runs->count + list->count + 1) * sizeof(cJSON *));

	if (!line)
		return gb_out_of_memory(err, NULL);
	runs->line = line;
	for (size_t i = 0; i < list->count; i++)
		if (!gb_is_record(list->line[i]) && gb_json_text(list->line[i], "run_id"))
			line[runs->count++] = list->line[i];
	if (runs->count)
		qsort(line, runs->count, sizeof(cJSON *), by_run_id);
	return GB_OK;
}

const cJSON *gb_runs_find(const struct gb_runs *runs, const cJSON *record)
{
	const cJSON *const *run =
		gb_json_text(record, "run_id") && runs->count
			? bsearch(&record, runs->line, runs->count, sizeof(cJSON *), by_run_id)
			: NULL;

	return run ? *run : NULL;
}

void gb_runs_release(struct gb_runs *runs)
{
	free(runs->line);
	*runs = (struct gb_runs){ 0 };
}
