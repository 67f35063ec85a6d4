/* peers.h -- where none of ours is first: the points at which a library of the field is faster than
 * every variant of this project, by how much, and what the other points come to.
 */
#ifndef GPUBENCH_CLI_REPORTS_VERSUS_PEERS_H
#define GPUBENCH_CLI_REPORTS_VERSUS_PEERS_H

#include "cli/records/lines.h"
#include "cli/reports/grid/grid.h"

/* A place is a point with a number of threads: what takes one thread by itself, as serial peers do,
 * is compared with what was limited to one, and GPU variants with each other.  Times that were not
 * verified, failed or are emulated have no part; places without two sides are counted.  A place is
 * unsure if the interval of the ratio (launch.h) does not tell who is faster. */
enum gb_status gb_peers_print(FILE *file, const struct gb_records *list, enum gb_format format,
			      struct gb_error *err);

#endif
