/* reading.c -- prints the progress of reading a file and makes the line about it. */
#include "cli/measure/reading.h"

#include <inttypes.h>
#include <stdio.h>

#include "common/text.h"
#include "common/timer.h"
#include "datasets/reading/notes.h"

static const double PATIENCE_NS = 2e9, STEP_NS = 0.2e9;

static double started_ns, shown_ns;

/* Show "reading FILE: 40 %" at most five times per second. */
static void show(const char *path, double part)
{
	const double now = gb_now_ns();

	if (now - started_ns < PATIENCE_NS || now - shown_ns < STEP_NS)
		return;
	shown_ns = now;
	(void)fputs("\r\033[Kreading ", stderr);
	gb_text_print(stderr, path);
	(void)fprintf(stderr, ": %.0f %%", 100 * part);
}

void gb_reading_begin(bool shown)
{
	started_ns = gb_now_ns();
	shown_ns = 0;
	gb_reader_forget();
	gb_reader_watch(shown ? show : NULL);
}

/* "web.txt: edge list, 5 vertices, 8 edges, 3 comments skipped" */
static void describe(const struct gb_file_notes *notes, char *line, size_t size)
{
	(void)snprintf(line, size, "%s: %s", notes->path,
		       notes->format[0] ? notes->format : "read");
	for (int i = 0; i < GB_FILE_COUNTS && notes->count[i].what; i++)
		gb_text_append(line, size, ", %" PRIu64 " %s", notes->count[i].kept,
			       notes->count[i].what);
	gb_text_append(line, size, "%s", notes->text);
}

enum gb_status gb_reading_end(bool strict, char *line, size_t size, struct gb_error *err)
{
	const struct gb_file_notes *notes = gb_reader_notes();

	gb_reader_watch(NULL);
	if (shown_ns > 0)
		(void)fputs("\r\033[K", stderr);
	line[0] = '\0';
	if (notes->path && (notes->format[0] || notes->text[0]))
		describe(notes, line, size);
	if (strict && notes->altered)
		return gb_fail(err, GB_EUSAGE, "%s: refused by --strict", line);
	return err->code;
}
