/* sides.h -- measurements side by side: the same on several machines, or our variants and
 * libraries.
 *
 * By machine, there is a table for each benchmark and back end, with a column for each machine: the
 * GPU of a GPU variant, the CPU of a CPU variant.  A row is a key with cold or with hot caches.
 * All repetitions of a machine are pooled, and each gives one value (gate.h).  The speed-up is
 * the time on the first machine divided by that on this one, by log-rank scores (gate.h).
 *
 * By library, there is also a table for each machine.  A row is a point with a number of threads:
 * our fastest variant there and each library, with the speed-up of ours over it.
 */
#ifndef GPUBENCH_CLI_REPORT_COMPARE_SIDES_H
#define GPUBENCH_CLI_REPORT_COMPARE_SIDES_H

#include <stdio.h>

#include "cli/records/lines.h"
#include "cli/report/table.h"

/* Print the records.  GB_EUSAGE if there are none; GB_EUNDECIDED, after printing, if no row has two
 * times; GB_EIO; GB_EMEMORY. */
enum gb_status gb_sides_print(FILE *file, const struct gb_records *records, bool by_library,
			      enum gb_format format, struct gb_error *err);

#endif
