/* page.h -- what surrounds the tables of an HTML report: one file that needs nothing else.
 *
 * Readable on a phone, in print, in the dark; no fonts, pictures or scripts from elsewhere. Its own
 * script sorts and filters the tables; without it, they are there all the same.
 */
#ifndef GPUBENCH_CLI_REPORTS_PAGE_H
#define GPUBENCH_CLI_REPORTS_PAGE_H

#include <stdio.h>

#include "cli/records/lines.h"

/* The begin and the end of any page; title is also in its heading, or NULL. */
void gb_page_open(FILE *file, const char *title);
void gb_page_close(FILE *file);

/* The names of the records' machines, for a title.  Returns text; NULL if there are none. */
enum { GB_PAGE_TITLE = 320 };
const char *gb_page_title(char text[GB_PAGE_TITLE], const struct gb_records *list);

/* The machine and the build as the run lines state them. */
void gb_page_print_runs(FILE *file, const struct gb_records *list);

#endif
