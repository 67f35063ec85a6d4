/* container.h -- recognises files by their first bytes, names them, unpacks gzip and zstd. */
#ifndef GPUBENCH_DATASETS_READING_CONTAINER_H
#define GPUBENCH_DATASETS_READING_CONTAINER_H

#include <stdbool.h>
#include <stddef.h>

#include "common/status.h"

/* The memory that any file may take; GB_CONTAINER_MULTIPLE times its size if it is packed. */
#define GB_READER_BASE ((size_t)64 << 20)
enum { GB_CONTAINER_MULTIPLE = 100 };

/* If the contents of a file, a mapping of gb_mapped_bytes(*size) bytes, are packed with gzip or
 * zstd, replace them by the unpacked contents. */
enum gb_status gb_container_unpack(const char *path, char **bytes, size_t *size,
				   struct gb_error *err);

/* The bytes of the pages of a mapping of `size` bytes and the newline after them. */
size_t gb_mapped_bytes(size_t size);

/* True if the file at the descriptor is a regular one that is packed with gzip or zstd. */
bool gb_file_is_packed(int file);

/* The name of a known format, "a PNG picture"; NULL if it is none. */
const char *gb_container_name(const char *bytes, size_t size);

/* True if the file starts with ASCII characters in UTF-16.  A mark at the start is not enough, as the
 * file may be raw numbers. */
bool gb_container_is_utf16(const char *bytes, size_t size);

#endif
