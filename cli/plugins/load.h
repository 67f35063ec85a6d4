/* load.h -- loads plug-ins into the table of variants. */
#ifndef GPUBENCH_CLI_PLUGINS_LOAD_H
#define GPUBENCH_CLI_PLUGINS_LOAD_H

#include <signal.h>
#include <stdbool.h>

#include "common/status.h"

/* Add the variants of the files in `list`, separated by commas, or NULL, and of those in
 * $GPUBENCH_PLUGINS, separated by colons.  Unless `isolated`, they are loaded into this process.
 * Call it before variants are chosen.  A file is loaded once.  GB_EUSAGE for a file that cannot be
 * loaded or a variant that exists, GB_EINTERRUPTED. */
enum gb_status gb_plugins_load(const char *list, bool isolated, struct gb_error *err);

/* True while a file is loaded into this process.  Its code may take any time and nothing is half
 * written, so that a signal should end the process at once. */
extern volatile sig_atomic_t gb_plugin_is_loading;

#endif
