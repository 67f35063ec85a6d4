/* inputs.h -- reads the record files that a command's words name. */
#ifndef GPUBENCH_CLI_COMMANDS_INPUTS_H
#define GPUBENCH_CLI_COMMANDS_INPUTS_H

#include "cli/records/lines.h"

/* Append the records of all files.  A file that was cut off causes a warning on standard error or, if
 * `whole` is set, GB_EUSAGE.  A line that repeats an earlier one, of the same file or another, is
 * dropped with a warning.  GB_EUSAGE, as FILE:LINE, for a bad line or one that contradicts the line
 * it repeats. */
enum gb_status gb_read_files(struct gb_records *records, const char *const *path, size_t count,
			     bool whole, struct gb_error *err);

#endif
