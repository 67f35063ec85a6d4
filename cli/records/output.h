/* output.h -- the file that -o names: JSON lines as they come, or a document at the end. */
#ifndef GPUBENCH_CLI_RECORDS_OUTPUT_H
#define GPUBENCH_CLI_RECORDS_OUTPUT_H

#include "cli/records/lines.h"

enum gb_format {
	GB_FORMAT_TABLE,
	GB_FORMAT_MARKDOWN,
	GB_FORMAT_HTML, /* one page that needs nothing else: tables, pictures, the machine */
	GB_FORMAT_CSV,
	GB_FORMAT_JSON,
	GB_FORMAT_LINES, /* a record file */
};

/* Start with { 0 }. */
struct gb_output {
	const char *path;
	enum gb_format format;
	FILE *stream;    /* NULL: there is no output */
	char *temporary; /* a document is written here and renamed at the end; else NULL */
};

/* What the name of an output asks for; GB_EUSAGE if the ending is unknown. */
enum gb_status gb_output_kind(const char *path, enum gb_format *format, struct gb_error *err);

/* Whether that is a file of JSON lines.  path may be NULL. */
bool gb_is_lines(const char *path);

/* Open an output; "-" is standard output, NULL none.  resume: append to a file of JSON lines, whose
 * records are read first, less a last line that was cut off.  GB_EUSAGE for an output of unknown
 * kind, GB_EIO if it cannot be opened. */
enum gb_status gb_output_open(struct gb_output *output, const char *path, bool resume,
			      struct gb_records *records, struct gb_error *err);

/* Close it, if there is one; a document takes its name, or is removed if it is not to be kept. */
enum gb_status gb_output_close(struct gb_output *output, bool keep, struct gb_error *err);

#endif
