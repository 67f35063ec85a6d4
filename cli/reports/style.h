/* style.h -- how tables are printed on a stream. */
#ifndef GPUBENCH_CLI_REPORTS_STYLE_H
#define GPUBENCH_CLI_REPORTS_STYLE_H

#include "cli/records/output.h"

struct gb_style {
	enum gb_format format;
	bool color; /* escape sequences of a terminal */
	bool utf8;  /* else ASCII for what the table itself says */
};

/* For file: colour on a terminal that is not dumb, unless NO_COLOR is set; UTF-8 if the locale
 * (LC_CTYPE, set by main) says so. */
struct gb_style gb_style_for(FILE *file, enum gb_format format);

#endif
