/* page.h -- the frame of an HTML report: a single file without external resources.
 *
 * The page adapts to phones, print and dark mode, and loads no fonts, pictures or scripts.  Its own
 * script sorts and filters the tables, which are complete without it, and draws the chart of a table
 * into the empty <figure> behind it: the rows that are shown, over a number with three values or
 * more.
 */
#ifndef GPUBENCH_CLI_REPORT_PAGE_H
#define GPUBENCH_CLI_REPORT_PAGE_H

#include <stdio.h>

#include "cli/records/lines.h"

/* The start and end of any page.  title, which may be NULL, also appears in the heading. */
void gb_page_open(FILE *file, const char *title);
void gb_page_close(FILE *file);

/* The first machine of the records, for a title: "A100 and others".  Returns text, or NULL if there
 * is none. */
enum { GB_PAGE_TITLE = 100 };
const char *gb_page_title(char text[GB_PAGE_TITLE], const struct gb_records *list);

#endif
