/* whole.h -- files that appear whole or not at all, and locks against a second writer.
 *
 * A whole file is written beside its place, as PLACE.part, and renamed when it is complete: who
 * reads the place sees the old file or the new one.  A symbolic link is followed, so that the link
 * stays.  What is not a regular file (a device, a FIFO) is written directly.
 */
#ifndef GPUBENCH_COMMON_WHOLE_H
#define GPUBENCH_COMMON_WHOLE_H

#include <stdbool.h>
#include <stdio.h>

#include "common/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Start with { 0 }. */
struct gb_whole {
	FILE *stream; /* to write to; NULL: not open */
	char *place;  /* where it goes, symbolic links resolved */
	char *part;   /* where it is written; NULL: directly */
};

/* Open it.  GB_EIO if it cannot be written, or another process is writing it. */
enum gb_status gb_whole_open(struct gb_whole *whole, const char *path, struct gb_error *err);

/* Close it, if it is open: it takes its place if `keep` and nothing failed, else the place is left
 * as it was.  GB_EIO if it could not be written. */
enum gb_status gb_whole_close(struct gb_whole *whole, bool keep, struct gb_error *err);

/* Open path for writing (flags: what open() takes beside O_WRONLY or O_RDWR and O_CREAT) and lock
 * it until it is closed; its contents are not touched.  Errors call it `name`.  -1 on failure:
 * GB_EIO as above, GB_EINTERRUPTED if a signal ended the wait for a FIFO's reader. */
int gb_open_locked(const char *path, const char *name, int flags, struct gb_error *err);

#ifdef __cplusplus
}
#endif
#endif
