/* store.h -- the launches of a folder of record files: one value for each key that a launch
 * measured.
 *
 * The store keeps a fraction of each file, so that thousands of files fit into memory. Files, runs,
 * series and launches are numbered as they come; a launch names its run and its series, a run its
 * file.
 *
 * The room history/: level shifts over stored records. folder.h finds the files, file.h reads one,
 * shifts.h judges one series, history.h all of them, print.c and page.c show the results.
 */
#ifndef GPUBENCH_CLI_REPORTS_HISTORY_STORE_H
#define GPUBENCH_CLI_REPORTS_HISTORY_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/status.h"

/* What a record says of its launch. */
enum gb_launch_kind {
	GB_LAUNCH_TIME,
	GB_LAUNCH_FAILED, /* or timed out */
	GB_LAUNCH_UNVERIFIED,
	GB_LAUNCH_EMULATED,
	GB_LAUNCH_KINDS,
};

#define GB_NO_DATE INT64_MIN

/* A record file; path is below the folder. */
struct gb_stored_file {
	char *path;
	char *fault;    /* why nothing of it is used; NULL: it is */
	bool truncated; /* the last line had no end */
};

/* A run line.  Dates are seconds since 1970, UTC. */
struct gb_stored_run {
	char *run_id, *commit; /* "" if unknown */
	int64_t started, committed;
	size_t file;
};

/* One key on one machine, with cold caches or with hot ones. */
struct gb_stored_series {
	const char *key, *machine; /* in the same allocation */
	bool cold;
	uint32_t number;
};

struct gb_stored_launch {
	double ns; /* GB_LAUNCH_TIME: the fastest sample */
	uint32_t series, run;
	uint32_t kind;   /* enum gb_launch_kind */
	uint32_t reason; /* index into the store's reasons; 0: none */
};

/* Start with { 0 }. */
struct gb_store {
	size_t files, runs, all_series, launches, reasons;
	size_t file_room, run_room, series_room, launch_room, reason_room;
	struct gb_stored_file *file;
	struct gb_stored_run *run;
	struct gb_stored_series **series;
	struct gb_stored_launch *launch;
	char **reason;
	void *tree; /* of the series, for tsearch() */
};

/* Each adds one; texts are copied. GB_EMEMORY. fault may be NULL. */
enum gb_status gb_store_file(struct gb_store *store, const char *path, bool truncated,
			     const char *fault, struct gb_error *err);
enum gb_status gb_store_run(struct gb_store *store, const struct gb_stored_run *run,
			    const char *run_id, const char *commit, struct gb_error *err);
/* Sets *number to that of the series, which is added if it is not there. */
enum gb_status gb_store_series(struct gb_store *store, const char *key, const char *machine,
			       bool cold, uint32_t *number, struct gb_error *err);
/* reason may be NULL. */
enum gb_status gb_store_launch(struct gb_store *store, const struct gb_stored_launch *launch,
			       const char *reason, struct gb_error *err);

/* The order of series: by key, machine, cold first; for qsort() and tsearch(). */
int gb_stored_series_order(const void *a, const void *b);

void gb_store_release(struct gb_store *store);

/* Seconds since 1970 of an RFC 3339 date with time; GB_NO_DATE if it is none, or text is NULL. */
int64_t gb_date_parse(const char *text);
/* "2026-11-22T08:25:38Z"; "" for GB_NO_DATE.  Returns text. */
enum { GB_DATE_MAX = 32 };
char *gb_date_text(char text[GB_DATE_MAX], int64_t date);

#endif
