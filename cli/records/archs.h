/* archs.h -- compares a GPU's architecture with those that this build has code for. */
#ifndef GPUBENCH_CLI_RECORDS_ARCHS_H
#define GPUBENCH_CLI_RECORDS_ARCHS_H

#include <stdio.h>

#include "common/backend.h"

/* The architectures of this build, as in "75 80 90"; "" without CUDA or in the emulator. */
extern const char gb_archs[];

/* Print the command that builds for a GPU of CUDA which `archs` lacks, as one line; nothing if it
 * is there, or if archs is "".  Such a GPU may still run: code of its major version fits, or the
 * driver compiles the PTX.  The line names the code that runs, if the device is open. */
void gb_archs_advise(FILE *file, const struct gb_gpu_info *gpu, const char *archs);

#endif
