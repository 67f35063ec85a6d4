/* versus_print.h -- machines side by side, for a person or a program. */
#ifndef GPUBENCH_CLI_REPORTS_VERSUS_PRINT_H
#define GPUBENCH_CLI_REPORTS_VERSUS_PRINT_H

#include "cli/records/output.h"
#include "cli/reports/versus.h"

enum { GB_VERSUS_SCHEMA = 1 }; /* results/gpubench-versus-1.schema.json */

/* What cells show in tables; CSV and JSON have both. */
enum gb_versus_show { GB_SHOW_TIME, GB_SHOW_RATE };

/* The words of the command line and of the JSON, by enum gb_versus_by; NULL terminated. */
extern const char *const gb_versus_bys[];

/* In one of the formats but GB_FORMAT_LINES; records: those that it was made of.  GB_EIO. */
enum gb_status gb_versus_print(FILE *file, const struct gb_versus *versus,
			       const struct gb_records *records, enum gb_versus_show show,
			       enum gb_format format, struct gb_error *err);

/* The steps of that: */
enum gb_status gb_versus_print_tables(FILE *file, const struct gb_versus *versus,
				      const struct gb_records *records, enum gb_versus_show show,
				      enum gb_format format, struct gb_error *err);
enum gb_status gb_versus_print_json(FILE *file, const struct gb_versus *versus,
				    struct gb_error *err);
void gb_versus_print_csv(FILE *file, const struct gb_versus *versus);

/* A picture for a page: each row's speed-ups with their intervals; nothing if there are none. */
void gb_versus_print_figure(FILE *file, const struct gb_versus *versus,
			    const struct gb_versus_table *table);

/* The key without benchmark and back end, which the table has in its head. */
const char *gb_versus_row_name(const struct gb_versus_table *table,
			       const struct gb_versus_row *row);

/* The state in a word, as CSV and JSON have it. */
const char *gb_versus_state_word(enum gb_versus_state state);

#endif
