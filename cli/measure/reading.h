/* reading.h -- what is said about an input file while it is read and afterwards. */
#ifndef GPUBENCH_CLI_MEASURE_READING_H
#define GPUBENCH_CLI_MEASURE_READING_H

#include <stdbool.h>
#include <stddef.h>

#include "cli/records/record.h"
#include "common/status.h"

/* Begin to make an input.  If `shown`, the progress of a file that takes longer than two seconds is
 * shown on standard error. */
void gb_reading_begin(bool shown);

/* End it, even after a failure: erase the progress.  The line about the file that was read is stored
 * in `line`; it is empty if no file was read.  GB_EUSAGE with that line if `strict` and the file was
 * altered.  Returns err->code. */
enum gb_status gb_reading_end(bool strict, char *line, size_t size, struct gb_error *err);

/* Store in a record of an input from a file what is known about the file that was read last.
 * GB_EMEMORY. */
enum gb_status gb_reading_record(struct gb_record *record, struct gb_error *err);

#endif
