/* scan.h -- record lines read in bulk.
 *
 * The lines of a history repeat: they differ in their samples and in members that a history does not
 * read. So a line is scanned as text, and reduced to the members that matter: the validated reader
 * (lines.h) is asked once for each reduced line, and its answer is kept. A line that is not
 * spelled as this program spells lines (blanks between tokens, a member twice, \u in a text, ...) is
 * left to the validated reader as a whole, so that it alone decides about what is odd.
 */
#ifndef GPUBENCH_CLI_REPORTS_HISTORY_SCAN_H
#define GPUBENCH_CLI_REPORTS_HISTORY_SCAN_H

#include <cjson/cJSON.h>

#include "cli/reports/history/store.h"

/* The answers. Start with { 0 }; for one thread. */
struct gb_scanner {
	void *tree;
	size_t count;
};

struct gb_scanned {
	const cJSON *record; /* the scanner's; its run and its samples are made up */
	enum gb_launch_kind kind;
	const char *run_id; /* within the line, which is changed for it */
	double ns;          /* the fastest sample; NAN if there is none */
};

/* GB_LAUNCH_TIME also for a record without a time. */
enum gb_launch_kind gb_launch_kind_of(const cJSON *record);

/* Read a line that ends in a newline. False: it is left to the validated reader, and unchanged. */
bool gb_scan_line(struct gb_scanner *scanner, char *line, struct gb_scanned *scanned);

void gb_scanner_release(struct gb_scanner *scanner);

#endif
