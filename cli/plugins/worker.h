/* worker.h -- the process that a plug-in runs in. */
#ifndef GPUBENCH_CLI_PLUGINS_WORKER_H
#define GPUBENCH_CLI_PLUGINS_WORKER_H

#include <stdbool.h>

#include "common/plugin.h"
#include "common/status.h"

/* The word on the command line that starts it. */
#define GB_WORKER_WORD "plugin-worker"

/* Answer requests until the judge closes the link; the exit status. */
int gb_worker(void);

/* True if a plug-in or a variant may have this name.  Accepts NULL. */
bool gb_plugin_is_name(const char *name);

/* Load a plug-in into this process, and check its table.  GB_EUSAGE, with the file and the reason,
 * if it is none. */
const struct gb_plugin *gb_plugin_open(const char *path, struct gb_error *err);

#endif
