/* print.h -- machines side by side, for a person or a program. */
#ifndef GPUBENCH_CLI_REPORTS_VERSUS_PRINT_H
#define GPUBENCH_CLI_REPORTS_VERSUS_PRINT_H

#include "cli/records/output.h"
#include "cli/reports/versus/versus.h"

/* What cells show in tables; CSV and JSON have both. */
enum gb_versus_show { GB_SHOW_TIME, GB_SHOW_RATE };

/* In one of the formats; records: those that it was made of.  GB_EIO. */
enum gb_status gb_versus_print(FILE *file, const struct gb_versus *versus,
			       const struct gb_records *records, enum gb_versus_show show,
			       enum gb_format format, struct gb_error *err);

#endif
