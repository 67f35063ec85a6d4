/* load.h -- loads plug-ins into this process and their variants into the table. */
#ifndef GPUBENCH_CLI_PLUGINS_LOAD_H
#define GPUBENCH_CLI_PLUGINS_LOAD_H

#include "common/status.h"

/* Add the variants of the files in `list`, separated by commas, or NULL, and of those in
 * $GPUBENCH_PLUGINS, separated by colons.  Call it before variants are chosen.  A file is loaded
 * once.  GB_EUSAGE for a file that cannot be loaded, that was compiled with other headers, or whose
 * variant exists. */
enum gb_status gb_plugins_load(const char *list, struct gb_error *err);

#endif
