/* command.h -- the command line that measures the point of a record again. */
#ifndef GPUBENCH_CLI_REPORTS_COMMAND_H
#define GPUBENCH_CLI_REPORTS_COMMAND_H

#include "cli/records/record.h"

/* "gpubench radix cpu/best --count=1000 --hot", for free(): the variant, the parameters that differ
 * from their defaults, and the run's options of measuring.  NULL if memory ran out. */
char *gb_record_command(const struct gb_record *record);

#endif
