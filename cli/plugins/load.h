/* load.h -- loads plug-ins into the table of variants. */
#ifndef GPUBENCH_CLI_PLUGINS_LOAD_H
#define GPUBENCH_CLI_PLUGINS_LOAD_H

#include <stdbool.h>

#include "common/status.h"

/* Add the variants of the files in `list`, separated by commas, or NULL, and of those in
 * $GPUBENCH_PLUGINS, separated by colons.  Unless `isolated`, they are loaded into this process.
 * Call it before variants are chosen.  A file is loaded once.  GB_EUSAGE for a file that cannot be
 * loaded or a variant that exists. */
enum gb_status gb_plugins_load(const char *list, bool isolated, struct gb_error *err);

#endif
