/* container.h -- recognises files by their first bytes: unpacks gzip and zstd, names the others. */
#ifndef GPUBENCH_DATASETS_READING_CONTAINER_H
#define GPUBENCH_DATASETS_READING_CONTAINER_H

#include "datasets/reading/reader.h"

/* If the file is packed with gzip or zstd, replace its mapping by the unpacked contents.  A file
 * may take GB_CONTAINER_MULTIPLE times its size (gb_reader_claim()). */
enum { GB_CONTAINER_MULTIPLE = 100 };
enum gb_status gb_container_unpack(struct gb_reader *r);

/* True if the file at the descriptor is a regular one that is packed with gzip or zstd. */
bool gb_file_is_packed(int file);

/* Fail if the file is in a known format that no reader of r->what takes: "x.png is a PNG picture,
 * not a mesh".  A reader calls it once it has not recognised its own formats. */
enum gb_status gb_container_refuse(const struct gb_reader *r);

/* True for the text encoding UTF-16.  If `surely`, a mark at the start is not enough, as the file
 * may be raw numbers. */
bool gb_container_is_utf16(const struct gb_reader *r, bool surely);

#endif
