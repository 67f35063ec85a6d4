/* machines.h -- the same measurements on several machines, side by side.
 *
 * There is a table for each benchmark and back end, with a column for each machine: the GPU of a
 * GPU variant, the CPU of a CPU variant.  A row is a key with cold or with hot caches.  All
 * launches of a machine are pooled, and each gives one value (launch.h).  The speed-up is the time on the
 * first machine divided by that on this one, by log-rank scores (gate.h).
 */
#ifndef GPUBENCH_CLI_REPORTS_COMPARE_MACHINES_H
#define GPUBENCH_CLI_REPORTS_COMPARE_MACHINES_H

#include <stdio.h>

#include "cli/records/lines.h"
#include "cli/reports/grid/grid.h"

/* Print the records.  GB_EUSAGE if there are none; GB_EUNDECIDED, after printing, if no key has a
 * time on two machines; GB_EIO; GB_EMEMORY. */
enum gb_status gb_machines_print(FILE *file, const struct gb_records *records,
				 enum gb_format format, struct gb_error *err);

#endif
