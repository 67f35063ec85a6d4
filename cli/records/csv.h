/* csv.h -- records as CSV. */
#ifndef GPUBENCH_CLI_RECORDS_CSV_H
#define GPUBENCH_CLI_RECORDS_CSV_H

#include "cli/records/lines.h"

/* Errors of the stream are the caller's to look for. */
enum gb_status gb_csv_print(FILE *file, const struct gb_records *list, struct gb_error *err);

/* A field, quoted if it holds what would end one; what would be a formula gets an apostrophe. */
void gb_csv_print_text(FILE *file, const char *text);

/* The fewest digits that read back as the same number, integers in full; nothing if it is not
 * finite. */
void gb_csv_print_number(FILE *file, double value);

#endif
