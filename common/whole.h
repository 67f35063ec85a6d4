/* whole.h -- writes files atomically, with a lock against a second writer.
 *
 * A file is written as PLACE.part and renamed to PLACE when it is complete, so that readers see
 * either the old file or the new one.  Symbolic links are followed and kept.  Anything but a
 * regular file (a device, a FIFO) is written directly.
 */
#ifndef GPUBENCH_COMMON_WHOLE_H
#define GPUBENCH_COMMON_WHOLE_H

#include <stdbool.h>
#include <stdio.h>

#include "common/status.h"

/* Initialise with { 0 }. */
struct gb_whole {
	FILE *stream; /* stream to write to; NULL: not open */
	char *place;  /* final path, symbolic links resolved */
	char *part;   /* path while it is written; NULL: written directly */
};

/* Open a file.  GB_EIO if it cannot be written or another process is writing it. */
enum gb_status gb_whole_open(struct gb_whole *whole, const char *path, struct gb_error *err);

/* Close the file if it is open.  If `keep` and nothing failed, it replaces PLACE; otherwise PLACE
 * does not change.  GB_EIO if it could not be written. */
enum gb_status gb_whole_close(struct gb_whole *whole, bool keep, struct gb_error *err);

/* Open path for writing and lock it until it is closed; its contents do not change.  `flags` is
 * passed to open() with O_CREAT and must include O_WRONLY or O_RDWR.  Error messages use `name`.
 * Return -1 on failure: GB_EIO as above, or GB_EINTERRUPTED if a signal ended the wait for a FIFO's
 * reader. */
int gb_open_locked(const char *path, const char *name, int flags, struct gb_error *err);

#endif
