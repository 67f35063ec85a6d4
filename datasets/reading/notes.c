/* notes.c -- the table of formats, and the notes about the file that was opened last. */
#include "datasets/reading/notes.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/stat.h>

#include "common/text.h"

const struct gb_file_format gb_file_formats[GB_FILE_FORMATS] = {
#define GB_FILE(id, ...) { __VA_ARGS__ },
#include "datasets/reading/formats.def"
#undef GB_FILE
};

static struct gb_file_notes notes;

const struct gb_file_notes *gb_reader_notes(void)
{
	return &notes;
}

void gb_reader_forget(void)
{
	notes = (struct gb_file_notes){ 0 };
}

void gb_notes_begin(const char *path, int file)
{
	struct stat info;

	notes = (struct gb_file_notes){ .path = path };
	if (!fstat(file, &info)) {
		notes.bytes = (size_t)info.st_size;
		notes.modified_s = (int64_t)info.st_mtime;
	}
}

void gb_notes_add(bool altered, const char *format, ...)
{
	char words[200];
	va_list args;

	va_start(args, format);
	(void)vsnprintf(words, sizeof words, format, args);
	va_end(args);
	gb_text_append(notes.text, sizeof notes.text, ", %s", words);
	notes.altered |= altered;
}

void gb_notes_format(const char *kind, const char *name)
{
	(void)snprintf(notes.format, sizeof notes.format, "%s%s", kind, name);
}

void gb_reader_count(const char *what, const char *one, uint64_t read, uint64_t kept)
{
	struct gb_file_count *count = notes.count;

	while (count->what && !gb_equal(count->what, what))
		count++;
	*count = (struct gb_file_count){ what, one, read, kept };
}

void gb_reader_note_steps(const double low[3], const double high[3])
{
	double span = 0, step = 0;
	int axis = 0;

	for (int d = 0; d < 3; d++) {
		const float most = (float)fmax(fabs(low[d]), fabs(high[d]));
		const double between = (double)(nextafterf(most, INFINITY) - most);

		span = fmax(span, high[d] - low[d]);
		axis = between > step ? d : axis;
		step = fmax(between, step);
	}
	if (span > 0 && span < 1024 * step)
		gb_reader_note("%c, which spans %g, rounded to steps of %g", "xyz"[axis],
			       high[axis] - low[axis], step);
}

static void (*watcher)(const char *path, double part);

void gb_reader_watch(void (*watch)(const char *path, double part))
{
	watcher = watch;
}

void gb_reader_progress(double part)
{
	if (watcher)
		watcher(notes.path, part);
}
