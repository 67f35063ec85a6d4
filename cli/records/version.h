/* version.h -- the version number, which is that of the newest heading in CHANGELOG.md. */
#ifndef GPUBENCH_CLI_RECORDS_VERSION_H
#define GPUBENCH_CLI_RECORDS_VERSION_H

#include "build_info.h"

#define GB_VERSION_LINE "gpubench " GB_VERSION

#endif
