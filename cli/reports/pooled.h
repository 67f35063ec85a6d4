/* pooled.h -- several launches of one measurement as one record. */
#ifndef GPUBENCH_CLI_REPORTS_POOLED_H
#define GPUBENCH_CLI_REPORTS_POOLED_H

#include "cli/records/lines.h"

/* Of the records that have a time and agree in key, host, machine, commit and caches, keep the first of each
 * group with the launches' medians, in ns, in place of its samples: `time.n` is their number, `time.ci95`
 * the interval of their median (null below six).  What a launch alone has (phases, transfers, other
 * rates) goes; a record that has no such companion, or no time, stays as it is.  GB_EMEMORY. */
enum gb_status gb_pool_launches(struct gb_records *records, struct gb_error *err);

#endif
