/* reader.c -- read files through a mapping: lines, words and numbers. */
#include "datasets/reading/reader.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/memory.h"
#include "common/text.h"

/* ---- a file in memory --------------------------------------------------------------------- */

/* Open a file and return its descriptor, or -1 on failure; *size is its size in bytes. */
static int open_file(const char *path, const char *what, size_t *size, struct gb_error *err)
{
	/* O_NONBLOCK: opening a pipe without a writer must not hang. */
	const int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat info;

	if (file < 0 || fstat(file, &info)) {
		gb_fail(err, GB_EUSAGE, "%s: %s", path, strerror(errno));
	} else if (S_ISDIR(info.st_mode)) {
		gb_fail(err, GB_EUSAGE, "%s is a directory, not %s", path, what);
	} else if (!S_ISREG(info.st_mode)) {
		gb_fail(err, GB_EUSAGE, "%s is not a regular file", path);
	} else {
		*size = (size_t)info.st_size;
		return file;
	}
	if (file >= 0)
		(void)close(file);
	return -1;
}

/* Map the file's `size` bytes, followed by a newline; NULL on failure.  They are mapped over
 * anonymous memory, which holds the newline if they fill their last page.  The mapping is private:
 * the file stays as it is. */
static char *map(int file, const char *path, size_t size, struct gb_error *err)
{
	const int flags = MAP_PRIVATE | MAP_NORESERVE, may = PROT_READ | PROT_WRITE;
	char *bytes = mmap(NULL, gb_mapped_bytes(size), may, flags | MAP_ANONYMOUS, -1, 0);

	if (bytes != MAP_FAILED &&
	    (!size || mmap(bytes, size, may, flags | MAP_FIXED, file, 0) != MAP_FAILED)) {
		bytes[size] = '\n';
		return bytes;
	}
	gb_fail(err, GB_EUSAGE, "%s: %s", path, strerror(errno));
	if (bytes != MAP_FAILED)
		(void)munmap(bytes, gb_mapped_bytes(size));
	return NULL;
}

enum gb_status gb_reader_map(struct gb_reader *r, const char *path, const char *what,
			     struct gb_error *err)
{
	size_t size;
	const int file = open_file(path, what, &size, err);
	char *bytes;

	if (file < 0)
		return err->code;
	gb_notes_begin(path, file);
	bytes = map(file, path, size, err);
	(void)close(file);
	if (!bytes)
		return err->code;
	if (!gb_container_unpack(path, &bytes, &size, err))
		*r =
			(struct gb_reader){ path, bytes, bytes, bytes + size, 1,
					    what, NULL,  false, err };
	else
		(void)munmap(bytes, gb_mapped_bytes(size));
	return err->code;
}

enum gb_status gb_reader_may_read(const struct gb_reader *r)
{
	const size_t size = (size_t)(r->end - r->begin), dry_most = (size_t)1 << 30;
	char text[GB_TEXT_MAX];

	if (!gb_memory_is_dry() || size <= dry_most)
		return GB_OK;
	return gb_fail(r->err, GB_EUNAVAILABLE, "%s has %s, more than a dry run reads", r->path,
		       gb_text_bytes(text, (double)size));
}

enum gb_status gb_reader_open(struct gb_reader *r, const char *path, const char *what,
			      struct gb_error *err)
{
	if (!gb_reader_map(r, path, what, err) && gb_reader_may_read(r))
		gb_reader_close(r);
	return err->code;
}

void gb_reader_close(struct gb_reader *r)
{
	(void)munmap(r->begin, gb_mapped_bytes((size_t)(r->end - r->begin)));
}

const char *gb_reader_after_mark(const struct gb_reader *r)
{
	return r->at + (r->end - r->at >= 3 && memcmp(r->at, "\xef\xbb\xbf", 3) == 0 ? 3 : 0);
}

bool gb_reader_is_text(const struct gb_reader *r)
{
	static const char *const endings[] = { ".csv", ".tsv", ".txt", ".xyz", ".pts" };
	const size_t size = (size_t)(r->end - r->begin), most = size < 4096 ? size : 4096;
	size_t controls = 0, length = 1, at = 0;

	for (size_t i = 0; i < most; i++)
		controls += iscntrl((unsigned char)r->begin[i]) && !gb_is_space(r->begin[i]);
	for (size_t i = 0; i < GB_COUNT(endings); i++)
		if (gb_reader_ends(r, endings[i]))
			return 16 * controls <= most;
	for (; at < most && length; at += length)
		length = gb_utf8_length(r->begin + at);
	return !controls && length &&
	       (memchr(r->begin, '\n', most) || memchr(r->begin, '\r', most));
}

void gb_reader_turn_returns(struct gb_reader *r, const char *end)
{
	const size_t last = (size_t)(end - r->begin);

	for (size_t i = (size_t)(r->at - r->begin); i < last; i++)
		if (r->begin[i] == '\r')
			r->begin[i] = '\n';
}

bool gb_reader_ends(const struct gb_reader *r, const char *ending)
{
	const size_t length = strlen(ending);
	const char *dot = strrchr(r->path, '.'), *end = strchr(r->path, '\0');

	if (dot && (!strcasecmp(dot, ".gz") || !strcasecmp(dot, ".zst")))
		end = dot;
	return (size_t)(end - r->path) >= length && !strncasecmp(end - length, ending, length);
}

enum gb_status gb_reader_start_text(struct gb_reader *r)
{
	const size_t seen = 1 << 16;
	size_t size;

	if (gb_container_is_utf16(r->begin, (size_t)(r->end - r->begin)))
		return gb_reader_reject(r, " is UTF-16 text: convert it to UTF-8 first");
	r->at = gb_reader_after_mark(r);
	size = (size_t)(r->end - r->at);
	size = size < seen ? size : seen;
	if (!memchr(r->at, '\r', size) || memchr(r->at, '\n', size) || memchr(r->at, '\0', size))
		return GB_OK;
	gb_reader_tell("lines end in carriage returns");
	gb_reader_turn_returns(r, r->end);
	return GB_OK;
}

enum gb_status gb_reader_reject(const struct gb_reader *r, const char *format, ...)
{
	char message[300];
	va_list args;

	va_start(args, format);
	(void)vsnprintf(message, sizeof message, format, args);
	va_end(args);
	return gb_fail(r->err, GB_EUSAGE, "%s%s", r->path, message);
}

enum gb_status gb_reader_fail(const struct gb_reader *r, const char *format, ...)
{
	char message[300];
	va_list args;

	va_start(args, format);
	(void)vsnprintf(message, sizeof message, format, args);
	va_end(args);
	return r->line ? gb_reader_reject(r, ":%zu: %s", r->line, message)
		       : gb_reader_reject(r, ": byte %td: %s", r->at - r->begin, message);
}

void gb_reader_progress_at(const struct gb_reader *r)
{
	gb_reader_progress((double)(r->at - r->begin) / (double)(r->end - r->begin));
}

void gb_reader_is(struct gb_reader *r, enum gb_file_id format, const char *kind)
{
	r->format = &gb_file_formats[format];
	gb_notes_format(kind, r->format->name);
}

enum gb_status gb_reader_refuse(const struct gb_reader *r)
{
	const char *name = gb_container_name(r->at, (size_t)(r->end - r->at));

	if (r->begin == r->end)
		return gb_reader_reject(r, " is empty, not %s", r->what);
	if (!name)
		return GB_OK;
	return gb_reader_reject(r, " is not %s, but %s", r->what, name);
}

/* ---- memory ------------------------------------------------------------------------------- */

double gb_reader_most(const struct gb_reader *r)
{
	const size_t asked = gb_memory_limit(), size = (size_t)(r->end - r->begin);

	return asked ? (double)asked
		     : (double)GB_READER_BASE + (double)r->format->multiple * (double)size;
}

enum gb_status gb_reader_claim(const struct gb_reader *r, double bytes, const char *text, ...)
{
	const double most = gb_reader_most(r);
	char need[GB_TEXT_MAX], may[GB_TEXT_MAX], has[GB_TEXT_MAX], what[120];
	va_list args;

	if (bytes <= most)
		return GB_OK;
	va_start(args, text);
	(void)vsnprintf(what, sizeof what, text, args);
	va_end(args);
	return gb_reader_fail(
		r, "%s take %s of memory, and a file of %s may take %s: --memory=SIZE allows more",
		what, gb_text_bytes(need, bytes), gb_text_bytes(has, (double)(r->end - r->begin)),
		gb_text_bytes(may, most));
}

/* ---- lines -------------------------------------------------------------------------------- */

void gb_reader_next_line(struct gb_reader *r)
{
	const char *newline = memchr(r->at, '\n', (size_t)(r->end - r->at));

	r->at = newline ? newline + 1 : r->end;
	if (++r->line % (1 << 16) == 0 && !r->quiet)
		gb_reader_progress((double)(r->at - r->begin) / (double)(r->end - r->begin));
}

bool gb_reader_take(struct gb_reader *r, const char *word)
{
	const size_t length = strlen(word);

	/* A newline ends the comparison before the end of the file. */
	if (gb_reader_line_ends(r) || strncasecmp(r->at, word, length) != 0 ||
	    !gb_is_space(r->at[length]))
		return false;
	r->at += length;
	return true;
}

size_t gb_count_lines(const char *begin, const char *end)
{
	const ptrdiff_t block = 240; /* its lines fit in a byte, as vectors have them */
	size_t lines = begin < end && end[-1] != '\n';

	for (; end - begin >= block; begin += block) {
		unsigned char count = 0;

		for (ptrdiff_t i = 0; i < block; i++)
			count = (unsigned char)(count + (begin[i] == '\n'));
		lines += count;
	}
	for (; begin < end; begin++)
		lines += *begin == '\n';
	return lines;
}

/* ---- numbers ------------------------------------------------------------------------------ */

const char *gb_read_natural(const char *at, uint64_t *value)
{
	const char *start = at, *first;
	uint64_t sum = 0;

	while (*at == '0')
		at++;
	first = at;
	while (gb_is_digit(*at))
		sum = sum * 10 + (uint64_t)(*at++ - '0');
	/* 19 digits fit; 20 digits, of which the first is 1, wrap around to less. */
	if (at - first > 20 || (at - first == 20 && (*first != '1' || sum < 10000000000000000000U)))
		sum = UINT64_MAX;
	*value = sum;
	return at > start ? at : NULL;
}

/* A number of up to 15 digits and a power of ten up to 10^22 is converted by one correctly rounded
 * operation.  Returns the end of the number, or NULL if it is not that simple. */
static const char *fast_number(const char *at, double *value)
{
	static const double power[] = { 1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
					1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
					1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22 };
	const bool negative = *at == '-';
	uint64_t digits = 0;
	int count = 0, exponent = 0, written = 0;

	at += *at == '-' || *at == '+';
	for (; gb_is_digit(*at) && count < 16; at++, count++)
		digits = 10 * digits + (uint64_t)(*at - '0');
	if (*at == '.')
		for (at++; gb_is_digit(*at) && count < 16; at++, count++, exponent--)
			digits = 10 * digits + (uint64_t)(*at - '0');
	if (count == 0 || count > 15)
		return NULL;
	if (*at == 'e' || *at == 'E') {
		const bool down = at[1] == '-';

		at += 1 + (at[1] == '-' || at[1] == '+');
		if (!gb_is_digit(*at))
			return NULL;
		for (; gb_is_digit(*at) && written < 1000; at++)
			written = 10 * written + (*at - '0');
		exponent += down ? -written : written;
	}
	if (exponent < -22 || exponent > 22)
		return NULL;
	*value =
		exponent < 0 ? (double)digits / power[-exponent] : (double)digits * power[exponent];
	*value = negative ? -*value : *value;
	return at;
}

/* Any other number: one with more digits, with the exponent of Fortran's double precision (1.5D+03),
 * a NaN or an infinity, which Microsoft's library spells 1.#QNAN.  Not a hexadecimal one. */
static const char *slow_number(const char *at, double *value)
{
	const char *const first = at + (*at == '-' || *at == '+');
	const size_t length = strspn(at, "0123456789.+-eEdD");
	char text[128] = "", *stop;

	if (!strncmp(first, "1.#", 3)) {
		*value = NAN;
		return gb_skip_word(at);
	}
	if (isalpha((unsigned char)*first)) {
		*value = strtod(at, &stop);
		return stop > at ? stop : NULL;
	}
	for (size_t i = 0; i < length && i < sizeof text - 1; i++)
		text[i] = (char)(at[i] == 'd' || at[i] == 'D' ? 'e' : at[i]);
	*value = strtod(text, &stop);
	return stop > text ? at + (stop - text) : NULL;
}

const char *gb_read_number(const char *at, double *value)
{
	const char *after = fast_number(at, value);

	const bool complete = after && !isalpha((unsigned char)*after) && *after != '#';

	return complete ? after : slow_number(at, value);
}

enum gb_status gb_reader_fail_at(const struct gb_reader *r, const char *what, const char *none,
				 const char *at, const char *end)
{
	char text[21] = "";

	for (size_t n = 0; n < sizeof text - 1 && at + n < end; n++)
		text[n] = (char)(at[n] >= ' ' && at[n] < 127 ? at[n] : '?');
	return gb_reader_fail(r, "%s is not %s: %s", what, none, text);
}

enum gb_status gb_reader_number(struct gb_reader *r, const char *what, double *value)
{
	const char *after;

	if (gb_reader_line_ends(r))
		return gb_reader_fail(r, "the line ends where %s should be", what);
	after = gb_read_number(r->at, value);
	if (!after || !gb_is_space(*after))
		return gb_reader_fail_at(r, what, "a number", r->at, gb_skip_word(r->at));
	r->at = after;
	return GB_OK;
}

enum gb_status gb_reader_integer(struct gb_reader *r, const char *what, int64_t *value)
{
	const char *first, *after;
	uint64_t number;

	if (gb_reader_line_ends(r))
		return gb_reader_fail(r, "the line ends where %s should be", what);
	first = r->at + (*r->at == '-' || *r->at == '+');
	after = gb_read_natural(first, &number);
	if (!after || number >= UINT64_C(1000000000000000000) ||
	    (!gb_is_space(*after) && *after != '/'))
		return gb_reader_fail_at(r, what, "an integer", r->at, gb_skip_word(r->at));
	*value = *r->at == '-' ? -(int64_t)number : (int64_t)number;
	r->at = after;
	return GB_OK;
}
