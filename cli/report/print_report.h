/* print_report.h -- records as a table for people, Markdown, a page, CSV, or one JSON document.
 *
 * The output is derived only from the lines of the record file, so a run and a later report of its
 * file print the same.  A table has columns only for parameters that vary; the others are stated
 * once.  Times of the emulator are never shown because they say nothing about a GPU.
 *
 * This folder turns records into text for people.  table.h has cells, which document.h prints among
 * blocks of text in any format.  section.h has the records of one benchmark: section.c prints its
 * table, counts.c its exact counts; page.h is the frame of a page, whose script draws charts.
 * keys.h groups records and pools repetitions.  compare/ compares builds, machines and libraries,
 * and its gate.h two times; repro/ fills papers' tables.  May use cli/measure, cli/records,
 * cli/benchmarks and the folders below cli.
 */
#ifndef GPUBENCH_CLI_REPORT_PRINT_REPORT_H
#define GPUBENCH_CLI_REPORT_PRINT_REPORT_H

#include "cli/measure/session.h"
#include "cli/records/output.h"
#include "cli/report/table.h"

/* Print the whole list; columns: gb_columns_read().  The file is flushed; GB_EIO if it could not be written. */
enum gb_status gb_report_print(FILE *file, const struct gb_records *list, enum gb_format format,
			       unsigned columns, struct gb_error *err);

/* Print the table (if `table` is true) and the output document, also after an error, for the
 * records that exist, and close the session.  Returns the exit status. */
enum gb_status gb_finish(struct gb_session *session, bool table, struct gb_error *err);

/* Print records that were measured elsewhere as a session with that request would: the table, and
 * the output unless it is a file of JSON lines.  Owns the records and the output. */
enum gb_status gb_replay(const struct gb_request *request, const struct gb_output *output,
			 const struct gb_records *records, struct gb_error *err);

#endif
