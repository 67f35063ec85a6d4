/* index.h -- the launches of a folder kept beside its files, in an SQLite database.
 *
 * Of each file: path, size, time of the last change, and its launches. A file that is as it was
 * then need not be read again. The index can be removed at any time; it is written in one
 * transaction, and if it cannot be written or read (no rights, another process, no SQLite in
 * this build) everything works without it.
 */
#ifndef GPUBENCH_CLI_REPORTS_HISTORY_INDEX_H
#define GPUBENCH_CLI_REPORTS_HISTORY_INDEX_H

#include "cli/reports/history/store.h"

#define GB_INDEX_NAME ".gpubench-history.sqlite"

/* Whether a file of the index is still as it was then. */
typedef bool gb_is_wanted(const char *path, int64_t size, int64_t mtime_ns, void *closure);

/* Add what the index at path has of files that `wanted` tells are still as they were (by path, size
 * and mtime_ns).  *note is set to what the user should know ("the index was damaged"), or NULL.
 * Nothing is added if it cannot be used.  GB_EMEMORY. */
enum gb_status gb_index_load(const char *path, struct gb_store *store, gb_is_wanted *wanted,
			     void *closure, const char **note, struct gb_error *err);

/* Make the index hold the files of the store, and no others; only those that are not `stored` are
 * written.  If it cannot be written it stays as it is. */
void gb_index_save(const char *path, const struct gb_store *store);

/* Remove it. */
void gb_index_remove(const char *path);

#endif
