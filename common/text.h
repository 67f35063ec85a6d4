/* text.h -- small things every file that reads or writes words needs. */
#ifndef GPUBENCH_COMMON_TEXT_H
#define GPUBENCH_COMMON_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

#define GB_COUNT(array) (sizeof(array) / sizeof((array)[0]))

static inline bool gb_equal(const char *a, const char *b)
{
	return strcmp(a, b) == 0;
}

/* Large enough for anything the formatters below write. */
enum { GB_TEXT_MAX = 32 };

/* "512 B", "1.50 GiB": bytes for a person.  Returns text. */
char *gb_text_bytes(char text[GB_TEXT_MAX], double bytes);

/* "873 ns", "12.3 us", "1.24 s": a time for a person.  Returns text. */
char *gb_text_time(char text[GB_TEXT_MAX], double ns);

/* "950", "12.3 k", "1.24 G": a count or rate with a decimal prefix.  Returns text. */
char *gb_text_scaled(char text[GB_TEXT_MAX], double value);

/* The shortest spelling of an integer that the sweep grammar reads back: 1000000 -> "1M",
 * 65536 -> "64Ki", 12345 -> "12345".  Returns text. */
char *gb_text_int(char text[GB_TEXT_MAX], int64_t value);

/* The fewest digits that read back as the same number.  Returns text. */
char *gb_text_real(char text[GB_TEXT_MAX], double value);

#ifdef __cplusplus
}
#endif
#endif
