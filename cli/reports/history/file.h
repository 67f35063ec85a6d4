/* file.h -- the launches of one record file. */
#ifndef GPUBENCH_CLI_REPORTS_HISTORY_FILE_H
#define GPUBENCH_CLI_REPORTS_HISTORY_FILE_H

#include "cli/records/lines.h"
#include "cli/records/runs.h"
#include "cli/reports/history/scan.h"
#include "cli/reports/history/store.h"

/* Texts are those of the scanner, of the records and of the file. */
struct gb_file_launch {
	const char *key, *machine;
	const char *reason; /* of a failure; else NULL */
	bool cold;
	size_t run; /* index into the runs */
	enum gb_launch_kind kind;
	double ns;
};

/* Start with { 0 }. */
struct gb_record_file {
	struct gb_records records; /* run lines, and what the scanner left */
	struct gb_runs runs;
	size_t count;
	struct gb_file_launch *launch;
	char *text;
	size_t size; /* of the text */
};

/* Read the file. Records that were skipped or have no run line tell nothing. GB_EUSAGE if it is no
 * record file, GB_EMEMORY. */
enum gb_status gb_record_file_read(struct gb_record_file *file, const char *path,
				   struct gb_scanner *scanner, struct gb_error *err);
void gb_record_file_release(struct gb_record_file *file);

#endif
