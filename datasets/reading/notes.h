/* notes.h -- the formats of files, and what is said about a file that was read. */
#ifndef GPUBENCH_DATASETS_READING_NOTES_H
#define GPUBENCH_DATASETS_READING_NOTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- formats ------------------------------------------------------------------------------- */

/* The formats of formats.def, sorted by benchmark. */
enum gb_file_id {
#define GB_FILE(id, ...) GB_FILE_##id,
#include "datasets/reading/formats.def"
#undef GB_FILE
	GB_FILE_FORMATS
};
struct gb_file_format {
	const char *benchmark, *name;
	const char *endings; /* usual ones; most formats are recognised by their contents */
	unsigned multiple;   /* bytes of memory that a byte of the unpacked file may take */
	const char *contents;
};
extern const struct gb_file_format gb_file_formats[GB_FILE_FORMATS];

/* ---- what is said about a file ------------------------------------------------------------ */

/* The notes about the file that was opened last.  The command line prints them as one line, stores
 * them in the record and, with --strict, refuses a file that was altered. */
enum { GB_FILE_COUNTS = 2 };
struct gb_file_notes {
	const char *path;   /* as it was opened; NULL: none since gb_reader_forget() */
	size_t bytes;       /* the file's size as it is stored */
	int64_t modified_s; /* the time of its last change, in seconds since 1970 */
	char format[48];    /* "SNAP edge list"; "" while it is unknown */
	bool altered;       /* something was skipped, renumbered or ignored */
	char text[320];     /* what, with counts: ", 3 comments skipped"; or "" */
	struct gb_file_count {
		const char *what; /* a literal, "vertices"; NULL: not used */
		const char *one;  /* "vertex" */
		uint64_t read;    /* as the file numbers or declares them */
		uint64_t kept;    /* of the input */
	} count[GB_FILE_COUNTS];
};
const struct gb_file_notes *gb_reader_notes(void);
void gb_reader_forget(void);

/* Begin the notes of the file that is open as `file`. */
void gb_notes_begin(const char *path, int file);
/* Set its format; `kind`, "SNAP " or "", comes before the name. */
void gb_notes_format(const char *kind, const char *name);

/* Note that something was skipped, renumbered, ignored or taken for something: "3 comments
 * skipped".  --strict refuses the file with these words. */
#define gb_reader_note(...) gb_notes_add(true, __VA_ARGS__)
/* The same for what --strict does not mind: "unpacked from 3 MiB". */
#define gb_reader_tell(...) gb_notes_add(false, __VA_ARGS__)
void gb_notes_add(bool altered, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Count what the file holds: `what` "vertices", of which `one` is a "vertex", as read and as kept. */
void gb_reader_count(const char *what, const char *one, uint64_t read, uint64_t kept);
/* Note the axis of a box on which the steps of float32 are largest, if they leave less than ten bits of
 * the longest edge. */
void gb_reader_note_steps(const double low[3], const double high[3]);

/* While a file is read, `watch` is called now and then, by one thread, with the part of the work
 * that is done, from 0 to 1.  NULL: nobody watches. */
void gb_reader_watch(void (*watch)(const char *path, double part));
void gb_reader_progress(double part);

#endif
