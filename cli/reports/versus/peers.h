/* peers.h -- lists the points at which a third-party library is faster than every variant of this
 * project, and summarizes the other points. */
#ifndef GPUBENCH_CLI_REPORTS_VERSUS_PEERS_H
#define GPUBENCH_CLI_REPORTS_VERSUS_PEERS_H

#include "cli/records/lines.h"
#include "cli/reports/grid/grid.h"

/* A place is a point with a number of threads at which both sides have a time: serial variants,
 * peers included, are compared with variants limited to one thread, and GPU variants with each
 * other.  Times that failed, were not verified or are emulated are ignored.  A place is unsure if
 * the interval of the ratio (launch.h) does not decide which side is faster.  Memory is what a run
 * adds to the process, libraries included; it is shown from 1 MiB on, in the summary for the place
 * where ours takes the most, and a tenth more counts. */
enum gb_status gb_peers_print(FILE *file, const struct gb_records *list, enum gb_format format,
			      struct gb_error *err);

#endif
