/* schema1.h -- the conversion of lines of schema 1. */
#ifndef GPUBENCH_CLI_RECORDS_SCHEMA1_H
#define GPUBENCH_CLI_RECORDS_SCHEMA1_H

#include <stdbool.h>

#include <cjson/cJSON.h>

/* Convert a line of schema 1, a run or a record, to schema 2.  False if memory ran out. */
bool gb_schema1_renew(cJSON *line);

#endif
