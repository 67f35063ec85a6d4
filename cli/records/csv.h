/* csv.h -- records as CSV. */
#ifndef GPUBENCH_CLI_RECORDS_CSV_H
#define GPUBENCH_CLI_RECORDS_CSV_H

#include "cli/records/lines.h"

/* Errors of the stream are the caller's to look for. */
enum gb_status gb_csv_print(FILE *file, const struct gb_records *list, struct gb_error *err);

#endif
