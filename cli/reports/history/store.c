#include "cli/reports/history/store.h"

#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "common/text.h"

/* ---- dates -------------------------------------------------------------------------------- */

int64_t gb_date_parse(const char *text)
{
	struct tm date = { 0 };
	const char *end = text ? strptime(text, "%Y-%m-%dT%H:%M:%S", &date) : NULL;
	int64_t seconds;
	int hours, minutes, used = 0;

	if (!end)
		return GB_NO_DATE;
	seconds = (int64_t)timegm(&date);
	if (*end == '.')
		end += 1 + strspn(end + 1, "0123456789");
	if (gb_equal(end, "Z") || gb_equal(end, "z"))
		return seconds;
	if ((*end != '+' && *end != '-') ||
	    sscanf(end + 1, "%2d:%2d%n", &hours, &minutes, &used) < 2 || end[1 + used])
		return GB_NO_DATE;
	return seconds - (*end == '-' ? -1 : 1) * ((int64_t)hours * 3600 + (int64_t)minutes * 60);
}

char *gb_date_text(char text[GB_DATE_MAX], int64_t date)
{
	const time_t seconds = (time_t)date;
	struct tm parts;

	text[0] = '\0';
	if (date != GB_NO_DATE && gmtime_r(&seconds, &parts))
		(void)strftime(text, GB_DATE_MAX, "%Y-%m-%dT%H:%M:%SZ", &parts);
	return text;
}

/* ---- adding ------------------------------------------------------------------------------- */

/* Room for one more in an array that has `count` of `room`. */
static bool grow(void *array, size_t *room, size_t count, size_t size)
{
	void **p = array, *grown;
	const size_t more = *room ? 2 * *room : 64;

	if (count < *room)
		return true;
	grown = reallocarray(*p, more, size);
	if (!grown)
		return false;
	*p = grown;
	*room = more;
	return true;
}

static enum gb_status no_memory(struct gb_error *err)
{
	return gb_out_of_memory(err, "the history");
}

enum gb_status gb_store_file(struct gb_store *store, const char *path, bool truncated,
			     const char *fault, struct gb_error *err)
{
	struct gb_stored_file copy = { .truncated = truncated };

	if (!grow(&store->file, &store->file_room, store->files, sizeof *store->file))
		return no_memory(err);
	copy.path = strdup(path);
	copy.fault = fault ? strdup(fault) : NULL;
	store->file[store->files++] = copy;
	return copy.path && (copy.fault || !fault) ? GB_OK : no_memory(err);
}

enum gb_status gb_store_run(struct gb_store *store, const struct gb_stored_run *run,
			    const char *run_id, const char *commit, struct gb_error *err)
{
	struct gb_stored_run copy = *run;

	if (!grow(&store->run, &store->run_room, store->runs, sizeof *store->run))
		return no_memory(err);
	copy.run_id = strdup(run_id);
	copy.commit = strdup(commit);
	store->run[store->runs++] = copy;
	return copy.run_id && copy.commit ? GB_OK : no_memory(err);
}

enum gb_status gb_store_launch(struct gb_store *store, const struct gb_stored_launch *launch,
			       const char *reason, struct gb_error *err)
{
	struct gb_stored_launch copy = *launch;

	copy.reason = 0;
	if (!grow(&store->launch, &store->launch_room, store->launches, sizeof *store->launch))
		return no_memory(err);
	if (reason) {
		if (!grow(&store->reason, &store->reason_room, store->reasons,
			  sizeof *store->reason))
			return no_memory(err);
		store->reason[store->reasons] = strdup(reason);
		if (!store->reason[store->reasons++])
			return no_memory(err);
		copy.reason = (uint32_t)store->reasons;
	}
	store->launch[store->launches++] = copy;
	return GB_OK;
}

/* ---- series ------------------------------------------------------------------------------- */

int gb_stored_series_order(const void *a, const void *b)
{
	const struct gb_stored_series *x = a, *y = b;
	int order = strcmp(x->key, y->key);

	order = order ? order : strcmp(x->machine, y->machine);
	return order ? order : y->cold - x->cold;
}

static struct gb_stored_series *copy_series(const struct gb_stored_series *series)
{
	const size_t key = strlen(series->key) + 1, machine = strlen(series->machine) + 1;
	struct gb_stored_series *copy = malloc(sizeof *copy + key + machine);

	if (!copy)
		return NULL;
	*copy = *series;
	copy->key = memcpy(copy + 1, series->key, key);
	copy->machine = memcpy((char *)(copy + 1) + key, series->machine, machine);
	return copy;
}

enum gb_status gb_store_series(struct gb_store *store, const char *key, const char *machine,
			       bool cold, uint32_t *number, struct gb_error *err)
{
	const struct gb_stored_series wanted = { key, machine, cold, (uint32_t)store->all_series };
	struct gb_stored_series *const *found =
		tfind(&wanted, &store->tree, gb_stored_series_order);
	struct gb_stored_series *copy;

	*number = found ? (*found)->number : wanted.number;
	if (found)
		return GB_OK;
	copy = copy_series(&wanted);
	if (!copy ||
	    !grow(&store->series, &store->series_room, store->all_series,
		  sizeof(struct gb_stored_series *)) ||
	    !tsearch(copy, &store->tree, gb_stored_series_order)) {
		free(copy);
		return no_memory(err);
	}
	store->series[store->all_series++] = copy;
	return GB_OK;
}

void gb_store_release(struct gb_store *store)
{
	for (size_t i = 0; i < store->files; i++) {
		free(store->file[i].path);
		free(store->file[i].fault);
	}
	for (size_t i = 0; i < store->runs; i++) {
		free(store->run[i].run_id);
		free(store->run[i].commit);
	}
	tdestroy(store->tree, free);
	for (size_t i = 0; i < store->reasons; i++)
		free(store->reason[i]);
	free(store->file);
	free(store->run);
	free(store->series);
	free(store->launch);
	free(store->reason);
	*store = (struct gb_store){ 0 };
}
