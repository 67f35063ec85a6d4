/* reader.h -- a file in memory, read from its start on: lines, words, numbers, the place of an
 * error.
 *
 * The file is followed by a newline, whether its last line has one or not: a loop that stops at the
 * end of a line needs no bounds.  Blanks are spaces, tabs and carriage returns.
 *
 * Only regular files are read: a pipe without a writer, a terminal or a directory is refused, not
 * waited for.  Errors are GB_EUSAGE with a message that starts with FILE:LINE, in binary data with
 * FILE: byte N, and for the file as a whole with the path.
 */
#ifndef GPUBENCH_DATASETS_READING_READER_H
#define GPUBENCH_DATASETS_READING_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/status.h"

/* ---- files as bytes ----------------------------------------------------------------------- */

/* A descriptor of the file, which has *size bytes; -1 on failure.  `what` says what the file should
 * hold ("a graph"): a directory is none. */
int gb_file_open(const char *path, const char *what, size_t *size, struct gb_error *err);

/* Read exactly `bytes` bytes from offset `from` into the buffer. */
enum gb_status gb_file_read(int file, const char *path, size_t from, void *buffer, size_t bytes,
			    struct gb_error *err);

/* Whether the path ends in `ending`, in upper or lower case. */
bool gb_has_ending(const char *path, const char *ending);

/* ---- a file in memory --------------------------------------------------------------------- */

struct gb_reader {
	const char *path;
	char *begin;          /* the mapping, which is not to be written */
	const char *at, *end; /* *end is a newline */
	size_t line;          /* of `at`, from 1; 0: binary */
	struct gb_error *err;
};

/* Open a file, which `what` names ("a mesh"), and map it.  On success the reader is to be closed. */
enum gb_status gb_reader_open(struct gb_reader *r, const char *path, const char *what,
			      struct gb_error *err);
void gb_reader_close(struct gb_reader *r);

/* Skip the byte order mark that some editors put in front of a text. */
void gb_reader_skip_mark(struct gb_reader *r);

/* Fail with the file and the place in front of the message. */
enum gb_status gb_reader_fail(const struct gb_reader *r, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* ---- characters --------------------------------------------------------------------------- */

static inline bool gb_is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

static inline bool gb_is_space(char c)
{
	return gb_is_blank(c) || c == '\n';
}

static inline bool gb_is_digit(char c)
{
	return (unsigned char)(c - '0') < 10;
}

static inline const char *gb_skip_blanks(const char *at)
{
	while (gb_is_blank(*at))
		at++;
	return at;
}

static inline const char *gb_skip_word(const char *at)
{
	while (!gb_is_space(*at))
		at++;
	return at;
}

/* ---- lines -------------------------------------------------------------------------------- */

/* Skip blanks; whether the line ends here. */
static inline bool gb_reader_line_ends(struct gb_reader *r)
{
	r->at = gb_skip_blanks(r->at);
	return *r->at == '\n';
}

/* To the start of the next line. */
void gb_reader_next_line(struct gb_reader *r);

/* Lines of the text, the last of which may lack its newline. */
size_t gb_count_lines(const char *begin, const char *end);

/* ---- numbers ------------------------------------------------------------------------------ */

/* The end of the decimal number, "nan" or "inf" that starts at `at`; NULL if none does.  There is no
 * blank at `at`. */
const char *gb_read_number(const char *at, double *value);

/* Take the decimal number at r->at, which follows blanks and is followed by white space.  GB_EUSAGE
 * if there is none; `what` names it. */
enum gb_status gb_reader_number(struct gb_reader *r, const char *what, double *value);
/* The same for an integer of at most 18 digits behind its zeros, which may also be followed by a
 * slash. */
enum gb_status gb_reader_integer(struct gb_reader *r, const char *what, int64_t *value);

#endif
