/* pooled.h -- combines several repetitions of one measurement into one record. */
#ifndef GPUBENCH_CLI_REPORT_POOLED_H
#define GPUBENCH_CLI_REPORT_POOLED_H

#include "cli/records/lines.h"

/* Group the records that have a time by key, host, machine, commit and cache mode, and keep the
 * first record of each group.  Its samples become the medians of the repetitions, in ns: `time.n`
 * is their number, `time.ci95` the interval of their median (null below six).  Members that
 * describe a single repetition (phases, transfers, other rates) are removed.  A record that is
 * alone in its group, or unverified, is not changed.  Records without a time are kept once for each
 * reason.  GB_EMEMORY. */
enum gb_status gb_pool_repetitions(struct gb_records *records, struct gb_error *err);

#endif
