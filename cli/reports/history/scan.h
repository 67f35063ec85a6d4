/* scan.h -- record files read in bulk.
 *
 * The lines of a history repeat: they differ in their samples and in members that a history does not
 * read. So a line is scanned as text, and reduced to the members that matter: the reader of
 * lines.h is asked once for each reduced line, and its answer is kept. What is not spelled as
 * this program spells it is left to that reader. Members that a history does not read are not
 * checked.
 */
#ifndef GPUBENCH_CLI_REPORTS_HISTORY_SCAN_H
#define GPUBENCH_CLI_REPORTS_HISTORY_SCAN_H

#include "cli/records/lines.h"

/* Start with { 0 }; for one thread. */
struct gb_scanner {
	void *tree; /* of answers */
	struct gb_records answers;
	struct gb_records file; /* its records are in `line`, and own nothing */
	size_t room;
	struct gb_scanned *line;
};

/* Read the file into scanner->file; of the time only the median. False if anything is odd: what
 * it is, the reader of lines.h tells. */
bool gb_scan_file(struct gb_scanner *scanner, const char *path);

void gb_scanner_release(struct gb_scanner *scanner);

#endif
