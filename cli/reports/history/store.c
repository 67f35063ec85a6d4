/* store.c -- see store.h. */
#include "cli/reports/history/store.h"

#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cli/records/identity.h"
#include "cli/reports/launch.h"
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

bool gb_grow(void *array, size_t *room, size_t count, size_t size)
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

static enum gb_status add_run(struct gb_store *store, const struct gb_run *run,
			      struct gb_error *err)
{
	struct gb_stored_run copy = {
		.started = gb_date_parse(run->started),
		.committed = gb_date_parse(run->tool.commit_date),
		.file = store->files - 1,
	};

	if (!gb_grow(&store->run, &store->run_room, store->runs, sizeof *store->run))
		return no_memory(err);
	copy.run_id = strdup(run->run_id);
	copy.commit = strdup(run->tool.commit ? run->tool.commit : "");
	store->run[store->runs++] = copy;
	return copy.run_id && copy.commit ? GB_OK : no_memory(err);
}

/* ---- series ------------------------------------------------------------------------------- */

static struct gb_stored_machine *add_machine(struct gb_store *store, const struct gb_machine *is)
{
	struct gb_stored_machine *added = malloc(sizeof *added);

	if (!added || !gb_grow(&store->machine, &store->machine_room, store->machines,
			       sizeof(struct gb_stored_machine *))) {
		free(added);
		return NULL;
	}
	*added = (struct gb_stored_machine){ *is, false };
	for (size_t i = 0; i < store->machines; i++)
		if (gb_equal(store->machine[i]->is.name, is->name))
			store->machine[i]->shares_name = added->shares_name = true;
	store->machine[store->machines++] = added;
	return added;
}

/* Find the machine, or add it; NULL if memory ran out.  If the stored identity is incomplete and
 * the new one is not, the new one replaces it, so that the machine no longer matches another
 * complete identity. */
static struct gb_stored_machine *find_machine(struct gb_store *store, const struct gb_machine *is)
{
	for (size_t i = store->machines; i-- > 0;)
		if (gb_same_machine(&store->machine[i]->is, is)) {
			if (is->whole)
				store->machine[i]->is = *is;
			return store->machine[i];
		}
	return add_machine(store, is);
}

static int series_order(const void *a, const void *b)
{
	const struct gb_stored_series *x = a, *y = b;
	int order = strcmp(x->key, y->key);

	order = order ? order : GB_ORDER((uintptr_t)x->machine, (uintptr_t)y->machine);
	return order ? order : y->cold - x->cold;
}

static void free_series(void *series)
{
	free(((struct gb_stored_series *)series)->own_key);
	free(series);
}

static enum gb_status add_series(struct gb_store *store, const struct gb_stored_series *wanted,
				 struct gb_error *err)
{
	struct gb_stored_series *copy = malloc(sizeof *copy);

	if (!copy)
		return no_memory(err);
	*copy = *wanted;
	copy->key = copy->own_key = strdup(wanted->key);
	if (!copy->key ||
	    !gb_grow(&store->series, &store->series_room, store->all_series,
		     sizeof(struct gb_stored_series *)) ||
	    !tsearch(copy, &store->tree, series_order)) {
		free_series(copy);
		return no_memory(err);
	}
	store->series[store->all_series++] = copy;
	return GB_OK;
}

/* Set *number to the number of the record's series, which is added if it is new. */
static enum gb_status find_series(struct gb_store *store, const struct gb_record *record,
				  uint32_t *number, struct gb_error *err)
{
	const struct gb_stored_series wanted = {
		.key = record->key,
		.machine = find_machine(store, gb_record_machine(record)),
		.cold = gb_record_is_cold(record),
		.number = (uint32_t)store->all_series,
	};
	struct gb_stored_series *const *found;

	if (!wanted.machine)
		return no_memory(err);
	found = tfind(&wanted, &store->tree, series_order);
	*number = found ? (*found)->number : wanted.number;
	return found ? GB_OK : add_series(store, &wanted, err);
}

const char *gb_series_machine(const struct gb_stored_series *series)
{
	return series->machine->shares_name ? series->machine->is.text : series->machine->is.name;
}

/* ---- launches ----------------------------------------------------------------------------- */

/* Set the kind and the value of a launch; false if the record has neither a time nor a failure. */
static bool kind_of(const struct gb_record *record, struct gb_stored_launch *launch)
{
	if (record->emulated)
		launch->kind = GB_LAUNCH_EMULATED;
	else if (record->status == GB_STATUS_FAILED)
		launch->kind = GB_LAUNCH_FAILED;
	else if (gb_is_untrusted(record))
		launch->kind = GB_LAUNCH_UNVERIFIED;
	else if (record->has_time)
		launch->ns = gb_launch_value(record, false);
	else
		return false;
	return true;
}

static enum gb_status add_launch(struct gb_store *store, const struct gb_record *record,
				 uint32_t run, struct gb_error *err)
{
	struct gb_stored_launch launch = { .run = run };

	if (!kind_of(record, &launch) || find_series(store, record, &launch.series, err))
		return err->code;
	if (!gb_grow(&store->launch, &store->launch_room, store->launches, sizeof *store->launch))
		return no_memory(err);
	if (launch.kind == GB_LAUNCH_FAILED) {
		launch.reason = strdup(record->reason ? record->reason : "no reason is given");
		if (!launch.reason)
			return no_memory(err);
	}
	store->launch[store->launches++] = launch;
	return GB_OK;
}

/* The index of the record's run among those of its file, usually the same as before; run_count if
 * there is none. */
static size_t find_run(const struct gb_records *records, size_t before,
		       const struct gb_record *record)
{
	for (size_t i = 0; i < records->run_count; i++) {
		const size_t r = (before + i) % records->run_count;

		if (records->run[r] == record->run)
			return r;
	}
	return records->run_count;
}

static enum gb_status add_records(struct gb_store *store, const struct gb_records *records,
				  struct gb_error *err)
{
	const size_t first_run = store->runs;
	size_t run = 0;

	for (size_t i = 0; i < records->run_count; i++)
		if (add_run(store, records->run[i], err))
			return err->code;
	for (size_t i = 0; i < records->count; i++) {
		run = find_run(records, run, records->record[i]);
		if (run < records->run_count &&
		    add_launch(store, records->record[i], (uint32_t)(first_run + run), err))
			return err->code;
	}
	return GB_OK;
}

enum gb_status gb_store_file(struct gb_store *store, const char *path,
			     const struct gb_records *records, const char *fault,
			     struct gb_error *err)
{
	struct gb_stored_file file = { .folder = store->folder, .truncated = records->truncated };

	if (!gb_grow(&store->file, &store->file_room, store->files, sizeof *store->file))
		return no_memory(err);
	file.path = strdup(path);
	file.fault = fault ? strdup(fault) : NULL;
	store->file[store->files++] = file;
	if (!file.path || (fault && !file.fault))
		return no_memory(err);
	return fault ? GB_OK : add_records(store, records, err);
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
	for (size_t i = 0; i < store->machines; i++)
		free(store->machine[i]);
	for (size_t i = 0; i < store->launches; i++)
		free(store->launch[i].reason);
	tdestroy(store->tree, free_series);
	free(store->file);
	free(store->run);
	free(store->machine);
	free(store->series);
	free(store->launch);
	*store = (struct gb_store){ 0 };
}
