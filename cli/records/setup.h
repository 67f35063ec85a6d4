/* setup.h -- what the runs of one record file have in common: machine, build, device, caches. */
#ifndef GPUBENCH_CLI_RECORDS_SETUP_H
#define GPUBENCH_CLI_RECORDS_SETUP_H

#include "cli/records/lines.h"

/* GB_EUSAGE, with the first difference, if a run of the records (of the file `path`) was made in
 * another setup than the run line `now`: their times are not to be mixed unawares. */
enum gb_status gb_setup_check(const struct gb_records *records, const char *path, const cJSON *now,
			      struct gb_error *err);

#endif
