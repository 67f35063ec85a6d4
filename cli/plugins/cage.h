/* cage.h -- takes from this process what a plug-in could use against the judge. */
#ifndef GPUBENCH_CLI_PLUGINS_CAGE_H
#define GPUBENCH_CLI_PLUGINS_CAGE_H

#include "common/status.h"

/* For the rest of its life, this process starts no other process and no program, sends signals only
 * to itself, reads and traces no other process, has no privileges of root but to read files, and
 * ends with the process that started it.  If memory is short, the kernel ends it first.  A build
 * with sanitizers or the emulator, which need some of that and give no times, is not restricted. */
enum gb_status gb_cage(struct gb_error *err);

#endif
