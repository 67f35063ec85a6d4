/* machine.h -- a record file's `run` line as readable text. */
#ifndef GPUBENCH_CLI_REPORTS_MACHINE_H
#define GPUBENCH_CLI_REPORTS_MACHINE_H

#include <stdio.h>

#include "cli/records/record.h"

void gb_env_print(FILE *file, const struct gb_run *run);

#endif
