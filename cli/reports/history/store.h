/* store.h -- the launches of a folder of record files: one value for each key that a launch
 * measured.
 *
 * What is kept of a file is a fraction of it, so that thousands fit into memory and into an index
 * (index.h). Files, runs, series and launches are numbered as they come; a launch names its run and
 * its series, a run its file.
 *
 * The room history/: level shifts over stored records. folder.h finds and reads the files,
 * shifts.h judges one series, history.h all of them, print.h and page.h show what came of it.
 */
#ifndef GPUBENCH_CLI_REPORTS_HISTORY_STORE_H
#define GPUBENCH_CLI_REPORTS_HISTORY_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cli/records/lines.h"

/* What a record says of its launch.  The index stores the numbers. */
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
	int64_t size, mtime_ns;
	char *fault;    /* why nothing of it is used; NULL: it is */
	bool truncated; /* the last line had no end */
	bool stored;    /* the index has it as it is */
	size_t first_run, runs, first_launch, launches;
};

/* A run line.  Dates are seconds since 1970, UTC. */
struct gb_stored_run {
	char *run_id, *commit; /* "" if unknown */
	int64_t started, committed;
	size_t file;
};

/* One key on one machine, with cold caches or with hot ones. */
struct gb_stored_series {
	char *key, *machine;
	bool cold;
	uint64_t hash;
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
	size_t file_room, run_room, series_room, launch_room, reason_room, slots;
	struct gb_stored_file *file;
	struct gb_stored_run *run;
	struct gb_stored_series *series;
	struct gb_stored_launch *launch;
	char **reason;
	uint32_t *slot; /* series by hash: number + 1; 0 is free */
};

/* Each adds one and sets *number (which may be NULL); texts are copied.  A series that is there is
 * found.  GB_EMEMORY. */
enum gb_status gb_store_file(struct gb_store *store, const char *path, int64_t size,
			     int64_t mtime_ns, size_t *number, struct gb_error *err);
enum gb_status gb_store_run(struct gb_store *store, const struct gb_stored_run *run,
			    const char *run_id, const char *commit, struct gb_error *err);
enum gb_status gb_store_series(struct gb_store *store, const char *key, const char *machine,
			       bool cold, uint32_t *number, struct gb_error *err);
/* reason may be NULL. */
enum gb_status gb_store_launch(struct gb_store *store, const struct gb_stored_launch *launch,
			       const char *reason, struct gb_error *err);

/* The launches of the records of one file, the last one added. Records that were skipped or have
 * no run line tell nothing. */
enum gb_status gb_store_records(struct gb_store *store, const struct gb_records *records,
				struct gb_error *err);

/* Why nothing of the file is used. */
enum gb_status gb_store_fault(struct gb_stored_file *file, const char *fault, struct gb_error *err);

void gb_store_release(struct gb_store *store);

/* Seconds since 1970 of an RFC 3339 date with time; GB_NO_DATE if it is none, or text is NULL. */
int64_t gb_date_parse(const char *text);
/* "2026-11-22T08:25:38Z"; "" for GB_NO_DATE.  Returns text. */
enum { GB_DATE_MAX = 32 };
char *gb_date_text(char text[GB_DATE_MAX], int64_t date);

#endif
