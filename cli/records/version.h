/* version.h -- the version number. */
#ifndef GPUBENCH_CLI_RECORDS_VERSION_H
#define GPUBENCH_CLI_RECORDS_VERSION_H

#define GB_VERSION      "0.1.0"
#define GB_VERSION_LINE "gpubench " GB_VERSION

#endif
