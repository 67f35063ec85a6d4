/* table.h -- records as a table for a person, Markdown, a page, CSV, or one JSON document.
 *
 * Everything is made from the lines of the record file, so that a run and a later report of its
 * file print the same.  A table shows only the parameters that vary; the others are stated once.
 * Times of the emulator are never shown: they say nothing about a GPU.
 *
 * The room: records in, text for people out.  grid/ lays out cells; this folder makes the tables of a
 * run and its page, and has what all others share: the value of a launch, the words of verdicts.
 * compare/, versus/ and history/ judge; repro/ fills papers' tables; exchange/ writes what other
 * programs read; finish.h is what a session prints at its end.  May use cli/measuring, cli/records,
 * cli/workloads and what is below cli.
 */
#ifndef GPUBENCH_CLI_REPORTS_TABLE_H
#define GPUBENCH_CLI_REPORTS_TABLE_H

#include "cli/records/lines.h"
#include "cli/reports/grid/grid.h"

/* Print the whole list; counts: with tables of exact counts, which a page always has.  GB_EIO if it
 * could not be written; the file is flushed. */
enum gb_status gb_table_print(FILE *file, const struct gb_records *list, enum gb_format format,
			      bool counts, struct gb_error *err);

#endif
