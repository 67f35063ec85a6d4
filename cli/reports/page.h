/* page.h -- what surrounds the tables of an HTML report: one file that needs nothing else.
 *
 * Readable on a phone, in print, in the dark; no fonts, pictures or scripts from elsewhere. Its own
 * script sorts and filters the tables; without it, they are there all the same.
 */
#ifndef GPUBENCH_CLI_REPORTS_PAGE_H
#define GPUBENCH_CLI_REPORTS_PAGE_H

#include <stdio.h>

#include "cli/records/lines.h"

/* The begin and the end of any page; what is in its title and its heading, or NULL. */
void gb_page_open(FILE *file, const char *what);
void gb_page_close(FILE *file);

/* The begin of a page of records: it has the names of their machines. */
void gb_page_begin(FILE *file, const struct gb_records *list);
/* The machine and the build as the run lines state them, and the end. */
void gb_page_end(FILE *file, const struct gb_records *list);

#endif
