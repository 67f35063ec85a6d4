/* file.h -- input files as bytes: opened, read into memory, mapped.
 *
 * Only regular files are read: a pipe without a writer, a terminal or a directory is refused, not
 * waited for.  Every error is GB_EUSAGE with a message that starts with the path.
 */
#ifndef GPUBENCH_DATASETS_READING_FILE_H
#define GPUBENCH_DATASETS_READING_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include "common/status.h"

/* A descriptor of the file, which has *size bytes; -1 on failure.  `what` says what the file should
 * hold ("a graph"): a directory is none. */
int gb_file_open(const char *path, const char *what, size_t *size, struct gb_error *err);

/* Read exactly `bytes` bytes from offset `from` into the buffer. */
enum gb_status gb_file_read(int file, const char *path, size_t from, void *buffer, size_t bytes,
			    struct gb_error *err);

/* Map the file's `size` bytes, which are followed by a newline.  NULL on failure. */
char *gb_file_map(int file, const char *path, size_t size, struct gb_error *err);
/* Accepts NULL. */
void gb_file_unmap(char *bytes, size_t size);

/* Whether the path ends in `ending`, in upper or lower case. */
bool gb_has_ending(const char *path, const char *ending);

#endif
