/* scan.h -- reads record files in bulk.
 *
 * The record lines of a history differ mostly in their samples and in members that a history does
 * not read.  A line is therefore scanned as text and reduced to the members that matter.  The
 * reader of lines.h parses each distinct reduced line once, and its result is cached.  A line that
 * is not formatted as this program formats it makes the scan fail; the caller then uses that
 * reader.  Members that a history does not read are not checked.
 */
#ifndef GPUBENCH_CLI_REPORTS_HISTORY_SCAN_H
#define GPUBENCH_CLI_REPORTS_HISTORY_SCAN_H

#include "cli/records/lines.h"

/* Start with { 0 }.  One scanner per thread. */
struct gb_scanner {
	void *tree; /* cached results */
	struct gb_records answers;
	struct gb_records file; /* its records are in `line` and own nothing */
	size_t room;
	struct gb_scanned *line;
};

/* Read the file into scanner->file; only the median of each time is set.  False if anything is
 * unexpected: the reader of lines.h then reports what. */
bool gb_scan_file(struct gb_scanner *scanner, const char *path);

void gb_scanner_release(struct gb_scanner *scanner);

#endif
