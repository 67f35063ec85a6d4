/* removed.h -- commands and options that this version does not have, but somebody may type: those
 * of earlier versions, and those of other benchmark programs. */
#ifndef GPUBENCH_CLI_COMMANDS_REMOVED_H
#define GPUBENCH_CLI_COMMANDS_REMOVED_H

#include "common/status.h"

/* GB_EUSAGE, with a line that names the replacement, if earlier versions had the command. */
enum gb_status gb_removed_command(const char *command, struct gb_error *err);

/* The same for an option, which the command must not have: "--json", "--json=a.json" or "-g". */
enum gb_status gb_removed_option(const char *command, const char *option, struct gb_error *err);

#endif
