/* reader.h -- sequential reading of a file in memory: lines, words, numbers, the place of an error.
 *
 * A newline always follows the contents, even if the last line already has one, so a loop that
 * stops at the end of a line needs no bounds check.  Blanks are spaces, tabs and carriage returns.
 *
 * Only regular files are read.  Pipes, terminals and directories are refused without waiting.
 * A file that gzip or zstd has packed is unpacked (container.h).
 *
 * Memory is known before it is taken.  A file may take GB_READER_BASE bytes and a multiple of its
 * size that its format states; --memory replaces this limit.  A header that claims more is refused.
 *
 * Errors are GB_EUSAGE.  The message starts with FILE:LINE for text, with FILE: byte N for binary
 * data and with the path if it is about the whole file.
 */
#ifndef GPUBENCH_DATASETS_READING_READER_H
#define GPUBENCH_DATASETS_READING_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/status.h"
#include "datasets/reading/container.h"
#include "datasets/reading/notes.h"

/* ---- a file in memory --------------------------------------------------------------------- */

struct gb_reader {
	const char *path;
	char *begin;                         /* the mapping */
	const char *at, *end;                /* *end is a newline */
	size_t line;                         /* line number of `at`, from 1; 0 for binary data */
	const char *what;                    /* the expected contents, "a graph" */
	const struct gb_file_format *format; /* NULL while it is unknown */
	bool quiet;                          /* gb_reader_next_line() reports no progress */
	struct gb_error *err;
};

/* Open and map a file, and unpack it; `what` names its contents ("a mesh").  On success the caller
 * must close the reader. */
enum gb_status gb_reader_map(struct gb_reader *r, const char *path, const char *what,
			     struct gb_error *err);
/* Fail for a large file in a dry run, which must be quick. */
enum gb_status gb_reader_may_read(const struct gb_reader *r);
/* Both. */
enum gb_status gb_reader_open(struct gb_reader *r, const char *path, const char *what,
			      struct gb_error *err);
void gb_reader_close(struct gb_reader *r);

/* The start of a text, after a byte order mark. */
const char *gb_reader_after_mark(const struct gb_reader *r);
/* Turn each carriage return from r->at to `end` into a newline. */
void gb_reader_turn_returns(struct gb_reader *r, const char *end);

/* True for lines of printable characters, as far as the first 4 KiB show.  In a file that is named as
 * a text, they may be of any character set. */
bool gb_reader_is_text(const struct gb_reader *r);

/* True if the file's name ends in `ending`, in upper or lower case, before .gz or .zst. */
bool gb_reader_ends(const struct gb_reader *r, const char *ending);

/* Start to read text: refuse UTF-16, skip a byte order mark, and turn each carriage return into a
 * newline if the lines end in carriage returns alone (no newline or zero byte in the first 64
 * KiB). */
enum gb_status gb_reader_start_text(struct gb_reader *r);

/* The format is known; `kind`, "SNAP " or "", comes before its name. */
void gb_reader_is(struct gb_reader *r, enum gb_file_id format, const char *kind);

/* Fail if the file is empty or in a known format that no reader of r->what takes: "x.png is not a
 * mesh, but a PNG picture".  A reader calls it once it has not recognised its own formats. */
enum gb_status gb_reader_refuse(const struct gb_reader *r);

/* Fail because `what` is not `none` ("a number"), with the text there, cut to 20 characters. */
enum gb_status gb_reader_fail_at(const struct gb_reader *r, const char *what, const char *none,
				 const char *at, const char *end);

/* ---- memory ------------------------------------------------------------------------------- */

/* The bytes of memory that a file may take. */
double gb_reader_most(const struct gb_reader *r);

/* Fail unless the file may take `bytes` bytes of memory: GB_READER_BASE and its format's multiple of
 * its size, or what --memory says.  The text says what takes them: "200000000 vertices". */
enum gb_status gb_reader_claim(const struct gb_reader *r, double bytes, const char *text, ...)
	__attribute__((format(printf, 3, 4)));

/* Report the progress of reading: the part of the file before r->at. */
void gb_reader_progress_at(const struct gb_reader *r);

/* Fail with the file's path and this text: " is a picture", ": 3 bytes are too few". */
enum gb_status gb_reader_reject(const struct gb_reader *r, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* Fail with a message that starts with the file and the current place. */
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

/* Skip blanks.  True if the line ends here. */
static inline bool gb_reader_line_ends(struct gb_reader *r)
{
	r->at = gb_skip_blanks(r->at);
	return *r->at == '\n';
}

/* Skip blanks and, if the line goes on with `word` in capitals or not, that word; then true. */
bool gb_reader_take(struct gb_reader *r, const char *word);

/* Advance to the start of the next line, and report the progress now and then. */
void gb_reader_next_line(struct gb_reader *r);

/* The number of lines of a text.  The last one may lack its newline. */
size_t gb_count_lines(const char *begin, const char *end);

/* ---- numbers ------------------------------------------------------------------------------ */

/* Read a decimal number of at most 64 bits, without a sign, and return its end; NULL if there is none.
 * A larger one becomes UINT64_MAX. */
const char *gb_read_natural(const char *at, uint64_t *value);
/* Read the decimal number at `at`, which must be neither a blank nor a newline, or a NaN or an infinity
 * as C libraries spell them.  Returns its end, or NULL if there is none. */
const char *gb_read_number(const char *at, double *value);

/* Skip blanks and read such a number that ends at white space.  GB_EUSAGE if there is none;
 * `what` names it in the message. */
enum gb_status gb_reader_number(struct gb_reader *r, const char *what, double *value);
/* The same for an integer of at most 18 digits without leading zeros.  It may also end at a
 * slash. */
enum gb_status gb_reader_integer(struct gb_reader *r, const char *what, int64_t *value);

#endif
