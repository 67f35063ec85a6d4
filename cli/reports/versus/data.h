/* data.h -- machines side by side as CSV, a line for each cell, and as one JSON object. */
#ifndef GPUBENCH_CLI_REPORTS_VERSUS_DATA_H
#define GPUBENCH_CLI_REPORTS_VERSUS_DATA_H

#include <stdio.h>

#include "cli/reports/versus/versus.h"

enum { GB_VERSUS_SCHEMA = 1 }; /* results/gpubench-versus-1.schema.json */

/* Errors of the stream are the caller's to look for. */
void gb_versus_print_csv(FILE *file, const struct gb_versus *versus);
enum gb_status gb_versus_print_json(FILE *file, const struct gb_versus *versus,
				    struct gb_error *err);

#endif
