/* style.h -- how tables are printed on a stream. */
#ifndef GPUBENCH_CLI_REPORTS_STYLE_H
#define GPUBENCH_CLI_REPORTS_STYLE_H

#include "cli/records/output.h"

struct gb_style {
	enum gb_format format;
	bool color;  /* escape sequences of a terminal */
	bool utf8;   /* else the table's own text is ASCII */
	bool counts; /* tables of exact counts below those of times; a page always has them */
};

/* For file: colour on a terminal that is not dumb, unless NO_COLOR is set; UTF-8 if that is the
 * encoding of the locale (LC_CTYPE, set by main). */
struct gb_style gb_style_for(FILE *file, enum gb_format format);

#endif
