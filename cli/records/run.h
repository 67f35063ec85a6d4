/* run.h -- the `run` line of a record file: where, by what and how its records were made. */
#ifndef GPUBENCH_CLI_RECORDS_RUN_H
#define GPUBENCH_CLI_RECORDS_RUN_H

#include "cli/records/machine.h"

/* NULL, with err set, if memory ran out.  For the caller to cJSON_Delete(). */
cJSON *gb_record_run(const struct gb_run_info *info, struct gb_error *err);

#endif
