#include "cli/reports/history/store.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

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

enum gb_status gb_store_file(struct gb_store *store, const char *path, int64_t size,
			     int64_t mtime_ns, size_t *number, struct gb_error *err)
{
	char *copy = strdup(path);

	if (!copy || !grow(&store->file, &store->file_room, store->files, sizeof *store->file)) {
		free(copy);
		return no_memory(err);
	}
	if (number)
		*number = store->files;
	store->file[store->files++] =
		(struct gb_stored_file){ .path = copy, .size = size, .mtime_ns = mtime_ns };
	return GB_OK;
}

enum gb_status gb_store_fault(struct gb_stored_file *file, const char *fault, struct gb_error *err)
{
	file->fault = strdup(fault);
	return file->fault ? GB_OK : no_memory(err);
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

/* ---- series by hash ------------------------------------------------------------------------ */

/* FNV-1a. */
static uint64_t add_to_hash(uint64_t hash, const char *text)
{
	for (const char *c = text;; c++) {
		hash = (hash ^ (unsigned char)*c) * 0x100000001b3;
		if (!*c)
			return hash;
	}
}

static bool grow_slots(struct gb_store *store)
{
	const size_t slots = store->slots ? 2 * store->slots : 256;
	uint32_t *slot;

	if (2 * store->all_series < store->slots)
		return true;
	slot = calloc(slots, sizeof *slot);
	if (!slot)
		return false;
	for (size_t i = 0; i < store->all_series; i++) {
		size_t at = store->series[i].hash & (slots - 1);

		while (slot[at])
			at = (at + 1) & (slots - 1);
		slot[at] = (uint32_t)i + 1;
	}
	free(store->slot);
	store->slot = slot;
	store->slots = slots;
	return true;
}

static enum gb_status add_series(struct gb_store *store, const char *key, const char *machine,
				 bool cold, uint64_t hash, struct gb_error *err)
{
	struct gb_stored_series copy = { .cold = cold, .hash = hash };

	if (!grow(&store->series, &store->series_room, store->all_series, sizeof *store->series))
		return no_memory(err);
	copy.key = strdup(key);
	copy.machine = strdup(machine);
	store->series[store->all_series++] = copy;
	return copy.key && copy.machine ? GB_OK : no_memory(err);
}

enum gb_status gb_store_series(struct gb_store *store, const char *key, const char *machine,
			       bool cold, uint32_t *number, struct gb_error *err)
{
	const uint64_t hash =
		add_to_hash(add_to_hash(0xcbf29ce484222325 ^ (uint64_t)cold, key), machine);
	size_t at;

	if (!grow_slots(store))
		return no_memory(err);
	for (at = hash & (store->slots - 1); store->slot[at]; at = (at + 1) & (store->slots - 1)) {
		const struct gb_stored_series *s = &store->series[store->slot[at] - 1];

		if (s->hash == hash && s->cold == cold && gb_equal(s->key, key) &&
		    gb_equal(s->machine, machine)) {
			*number = store->slot[at] - 1;
			return GB_OK;
		}
	}
	*number = (uint32_t)store->all_series;
	store->slot[at] = *number + 1;
	return add_series(store, key, machine, cold, hash, err);
}

/* ---- the records of a file ----------------------------------------------------------------- */

/* False: the record tells nothing. */
static bool kind_of(const struct gb_record *record, struct gb_stored_launch *launch)
{
	static const struct gb_launch_stat fastest = { 0 };

	launch->ns = gb_launch_value(record, fastest);
	if (record->emulated)
		launch->kind = GB_LAUNCH_EMULATED;
	else if (record->status == GB_STATUS_FAILED)
		launch->kind = GB_LAUNCH_FAILED;
	else if (record->status == GB_STATUS_UNVERIFIED)
		launch->kind = GB_LAUNCH_UNVERIFIED;
	else if (launch->ns > 0)
		launch->kind = GB_LAUNCH_TIME;
	else
		return false;
	if (launch->kind != GB_LAUNCH_TIME)
		launch->ns = 0;
	return true;
}

static enum gb_status add_record(struct gb_store *store, const struct gb_record *record,
				 uint32_t number, struct gb_error *err)
{
	struct gb_stored_launch launch = { .run = number };

	if (!kind_of(record, &launch) ||
	    gb_store_series(store, record->key, gb_record_machine(record)->name,
			    gb_record_is_cold(record), &launch.series, err))
		return err->code;
	return gb_store_launch(store, &launch,
			       launch.kind != GB_LAUNCH_FAILED ? NULL
			       : record->reason		      ? record->reason
							       : "no reason is given",
			       err);
}

static enum gb_status add_run(struct gb_store *store, const struct gb_run *line,
			      struct gb_error *err)
{
	const struct gb_stored_run run = {
		.started = gb_date_parse(line->started),
		.committed = gb_date_parse(line->tool.commit_date),
		.file = store->files - 1,
	};

	return gb_store_run(store, &run, line->run_id, line->tool.commit ? line->tool.commit : "",
			    err);
}

/* The number of the record's run, most often the one before; run_count: there is none. */
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

enum gb_status gb_store_records(struct gb_store *store, const struct gb_records *records,
				struct gb_error *err)
{
	struct gb_stored_file *file = &store->file[store->files - 1];
	size_t run = 0;

	file->first_run = store->runs;
	file->first_launch = store->launches;
	for (size_t i = 0; i < records->run_count; i++)
		if (add_run(store, records->run[i], err))
			return err->code;
	for (size_t i = 0; i < records->count; i++) {
		run = find_run(records, run, records->record[i]);
		if (run < records->run_count &&
		    add_record(store, records->record[i], (uint32_t)(file->first_run + run), err))
			return err->code;
	}
	file->runs = store->runs - file->first_run;
	file->launches = store->launches - file->first_launch;
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
	for (size_t i = 0; i < store->all_series; i++) {
		free(store->series[i].key);
		free(store->series[i].machine);
	}
	for (size_t i = 0; i < store->reasons; i++)
		free(store->reason[i]);
	free(store->file);
	free(store->run);
	free(store->series);
	free(store->launch);
	free(store->reason);
	free(store->slot);
	*store = (struct gb_store){ 0 };
}
