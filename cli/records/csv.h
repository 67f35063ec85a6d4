/* csv.h -- prints records as CSV. */
#ifndef GPUBENCH_CLI_RECORDS_CSV_H
#define GPUBENCH_CLI_RECORDS_CSV_H

#include "cli/records/lines.h"

/* The caller checks the stream for errors. */
enum gb_status gb_csv_print(FILE *file, const struct gb_records *list, struct gb_error *err);

/* Print a field, quoted if it contains a comma, a quote or a line end. */
void gb_csv_print_text(FILE *file, const char *text);

/* Print the shortest decimal that reads back as the same number, integers in full, or nothing if
 * the value is not finite. */
void gb_csv_print_number(FILE *file, double value);

#endif
