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

/* "edge list, 5 vertices, 8 edges, weights of edges ignored: 8" */
static void describe(const struct gb_file_notes *notes, char *text, size_t size)
{
	(void)snprintf(text, size, "%s", notes->format[0] ? notes->format : "read");
	for (int i = 0; i < GB_FILE_COUNTS && notes->count[i].what; i++)
		gb_text_append(text, size, ", %" PRIu64 " %s", notes->count[i].kept,
			       notes->count[i].kept == 1 ? notes->count[i].one
							 : notes->count[i].what);
	gb_text_append(text, size, "%s", notes->text);
}

enum gb_status gb_reading_end(bool strict, char *line, size_t size, struct gb_error *err)
{
	const struct gb_file_notes *notes = gb_reader_notes();
	char text[480];

	gb_reader_watch(NULL);
	if (shown_ns > 0)
		(void)fputs("\r\033[K", stderr);
	line[0] = '\0';
	if (!notes->path)
		return err->code;
	describe(notes, text, sizeof text);
	if (strict && notes->altered)
		return gb_fail(err, GB_EUSAGE, "%s: %s: refused by --strict", notes->path, text);
	if (notes->format[0] || notes->text[0])
		(void)snprintf(line, size, "%s: %s", notes->path, text);
	return err->code;
}

/* Add "vertices" and "vertices_read". */
static bool add_count(struct gb_record *record, const struct gb_file_count *count)
{
	char name[40];

	(void)snprintf(name, sizeof name, "%s_read", count->what);
	for (int i = 0; i < 2; i++) {
		struct gb_member member = {
			.name = count->what,
			.value = { GB_VALUE_NUMBER, (double)(i ? count->read : count->kept), NULL }
		};

		if (i)
			member.name = gb_texts_keep(&record->kept, name);
		if (!member.name || !gb_members_add(&record->file.counts, member))
			return false;
	}
	return true;
}

enum gb_status gb_reading_record(struct gb_record *record, struct gb_error *err)
{
	const struct gb_file_notes *notes = gb_reader_notes();
	char text[480];

	if (!record->input || !gb_equal(record->input, "file") || !notes->path)
		return err->code;
	describe(notes, text, sizeof text);
	record->file.bytes = (double)notes->bytes;
	record->file.modified_s = (double)notes->modified_s;
	record->file.notes = gb_texts_keep(&record->kept, text);
	for (int i = 0; i < GB_FILE_COUNTS && notes->count[i].what; i++)
		if (!add_count(record, &notes->count[i]))
			return gb_out_of_memory(err, "a record");
	return record->file.notes ? err->code : gb_out_of_memory(err, "a record");
}
