/* inputs.h -- the record files that a command's words name. */
#ifndef GPUBENCH_CLI_COMMANDS_INPUTS_H
#define GPUBENCH_CLI_COMMANDS_INPUTS_H

#include "cli/records/lines.h"

/* Append their records; a warning on standard error for a file that was cut off.  A line of a run that
 * is there already, in the same file or in another, counts once, and a warning says so.  GB_EUSAGE,
 * errors as FILE:LINE, also if such a line differs. */
enum gb_status gb_read_files(struct gb_records *records, const char *const *path, size_t count,
			     struct gb_error *err);

/* Append the records of one file, of which nothing may be missing: GB_EUSAGE if it was cut off. */
enum gb_status gb_read_whole(struct gb_records *records, const char *path, struct gb_error *err);

#endif
