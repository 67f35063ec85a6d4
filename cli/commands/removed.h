/* removed.h -- commands and options of version 0.2 that are gone, with what replaces them. */
#ifndef GPUBENCH_CLI_COMMANDS_REMOVED_H
#define GPUBENCH_CLI_COMMANDS_REMOVED_H

#include "common/status.h"

/* GB_EUSAGE, with a line that names the replacement, if version 0.2 had the command or, if `option`
 * is not NULL, that option of it: "--runs" or "--runs=3". */
enum gb_status gb_removed(const char *command, const char *option, struct gb_error *err);

#endif
