/* text.h -- small helpers for reading and printing text. */
#ifndef GPUBENCH_COMMON_TEXT_H
#define GPUBENCH_COMMON_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

#define GB_COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* The order of two numbers, for qsort(): -1, 0 or 1. */
#define GB_ORDER(a, b) (((a) > (b)) - ((a) < (b)))

static inline bool gb_equal(const char *a, const char *b)
{
	return strcmp(a, b) == 0;
}

/* True if both are NULL, or equal. */
static inline bool gb_same(const char *a, const char *b)
{
	return a && b ? gb_equal(a, b) : a == b;
}

/* Large enough for the output of every formatter below. */
enum { GB_TEXT_MAX = 32 };

/* Format bytes for people: "512 B", "1.50 GiB".  Returns text. */
char *gb_text_bytes(char text[GB_TEXT_MAX], double bytes);

/* Format a time for people: "873 ns", "12.3 us", "1.24 s".  Returns text. */
char *gb_text_time(char text[GB_TEXT_MAX], double ns);

/* Format a duration that people wait for: "3.2 s", "12 min", "5.1 h".  Returns text. */
char *gb_text_wait(char text[GB_TEXT_MAX], double s);

/* Format a count or rate with a decimal prefix: "950", "12.3 k", "1.24 G".  Returns text. */
char *gb_text_scaled(char text[GB_TEXT_MAX], double value);

/* The shortest spelling of an integer that the sweep grammar reads back: 1000000 -> "1M",
 * 65536 -> "64Ki", 12345 -> "12345".  Returns text. */
char *gb_text_int(char text[GB_TEXT_MAX], int64_t value);

/* The fewest digits that read back as the same number; an integer up to 2^53 without an exponent.
 * Returns text. */
char *gb_text_real(char text[GB_TEXT_MAX], double value);

/* The number of bytes of the UTF-8 character at text; 0 if it is malformed, overlong, a surrogate
 * or beyond U+10FFFF. */
size_t gb_utf8_length(const char *text);

/* The number of bytes at text that would control a terminal instead of being shown: a control
 * character (C0, DEL, C1), a mark that changes the text direction, a line separator, or a malformed
 * byte.  0 for anything else and at the end of text. */
size_t gb_text_control(const char *text);

/* The number of bytes of the character or control sequence at text, at least 1. */
size_t gb_text_step(const char *text);

/* Append to a text that has room for `size` bytes.  The rest of a longer one is cut off. */
void gb_text_append(char *text, size_t size, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Print text with '?' for each of those, so that names from files and command lines stay on one
 * line and cannot change the colours, the window title or the order of the text around them. */
void gb_text_print(FILE *file, const char *text);

#ifdef __cplusplus
}
#endif
#endif
