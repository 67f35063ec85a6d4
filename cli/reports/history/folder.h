/* folder.h -- the record files of a folder, and what is in them. */
#ifndef GPUBENCH_CLI_REPORTS_HISTORY_FOLDER_H
#define GPUBENCH_CLI_REPORTS_HISTORY_FOLDER_H

#include "cli/reports/history/store.h"

/* Add the launches of all files below the folder that end in .jsonl; hidden ones and what lies
 * in hidden folders are no part of it, nor are folders behind symbolic links. What the folder's
 * index (index.h) has need not be read, unless rebuild is set; then it is removed before. A file
 * that is no record file gets a fault. *note: see gb_index_load(). GB_EUSAGE if there is no such
 * folder. */
enum gb_status gb_folder_read(struct gb_store *store, const char *folder, bool rebuild,
			      const char **note, struct gb_error *err);

#endif
