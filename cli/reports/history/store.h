/* store.h -- the launches of a folder of record files: one value for each key that a launch
 * measured.
 *
 * The store keeps only a fraction of each file, so that thousands of files fit in memory.  Files,
 * runs, series and launches are numbered in order of arrival.  A launch refers to its run and its
 * series, a run to its file.
 *
 * The folder history/ finds level shifts in stored records.  folder.h finds and reads the files,
 * shifts.h judges one series, history.h all of them; print.c and charts.c show the results.
 */
#ifndef GPUBENCH_CLI_REPORTS_HISTORY_STORE_H
#define GPUBENCH_CLI_REPORTS_HISTORY_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cli/records/lines.h"

/* The outcome of a launch. */
enum gb_launch_kind {
	GB_LAUNCH_TIME,
	GB_LAUNCH_FAILED, /* or timed out */
	GB_LAUNCH_UNVERIFIED,
	GB_LAUNCH_EMULATED,
	GB_LAUNCH_KINDS,
};

#define GB_NO_DATE INT64_MIN

/* A record file; path is relative to the folder, or begins with it if there are several. */
struct gb_stored_file {
	char *path;
	size_t folder;  /* number of the folder, from 0 */
	char *fault;    /* why the file is not used; NULL if it is */
	bool truncated; /* the last line was incomplete */
};

/* A run line.  Dates are seconds since 1970, UTC. */
struct gb_stored_run {
	char *run_id, *commit; /* "" if unknown */
	int64_t started, committed;
	size_t file;
};

struct gb_stored_machine {
	struct gb_machine is;
	bool shares_name; /* another machine of the store has the same name */
};

/* One key on one machine, with cold or with hot caches. */
struct gb_stored_series {
	const char *key;
	char *own_key; /* the same, owned by the store */
	const struct gb_stored_machine *machine;
	bool cold;
	uint32_t number;
};

struct gb_stored_launch {
	double ns;    /* GB_LAUNCH_TIME: its value (launch.h) */
	char *reason; /* GB_LAUNCH_FAILED */
	uint32_t series, run;
	enum gb_launch_kind kind;
};

/* Start with { 0 }. */
struct gb_store {
	size_t folder; /* number of the folder that is read */
	size_t files, runs, machines, all_series, launches;
	size_t file_room, run_room, machine_room, series_room, launch_room;
	struct gb_stored_file *file;
	struct gb_stored_run *run;
	struct gb_stored_machine **machine;
	struct gb_stored_series **series;
	struct gb_stored_launch *launch;
	void *tree; /* the series, for tsearch() */
};

/* Add a file with the launches of its records, or with a fault that says why it has none.  Records
 * that were skipped or have no run line are ignored.  GB_EMEMORY. */
enum gb_status gb_store_file(struct gb_store *store, const char *path,
			     const struct gb_records *records, const char *fault,
			     struct gb_error *err);

/* Make room for one more element of `size` bytes in an array with `count` of `room` elements;
 * `array` is the address of the pointer to it.  False if memory ran out. */
bool gb_grow(void *array, size_t *room, size_t count, size_t size);

void gb_store_release(struct gb_store *store);

/* The name of the series' machine, or its full identity if another machine has the same name. */
const char *gb_series_machine(const struct gb_stored_series *series);

/* Seconds since 1970 of an RFC 3339 date with time; GB_NO_DATE if text is NULL or not such a
 * date. */
int64_t gb_date_parse(const char *text);
/* "2026-11-22T08:25:38Z"; "" for GB_NO_DATE.  Returns text. */
enum { GB_DATE_MAX = 32 };
char *gb_date_text(char text[GB_DATE_MAX], int64_t date);

#endif
