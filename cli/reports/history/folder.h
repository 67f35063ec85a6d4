/* folder.h -- the record files of a folder, and what is in them. */
#ifndef GPUBENCH_CLI_REPORTS_HISTORY_FOLDER_H
#define GPUBENCH_CLI_REPORTS_HISTORY_FOLDER_H

#include "cli/reports/history/store.h"

/* Add the launches of all regular files below the folder whose names end in .jsonl, and of symbolic
 * links to such files. Hidden files and folders, folders behind symbolic links, FIFOs, sockets and
 * devices are skipped. A file that is no record file gets a fault. GB_EUSAGE if there is no such
 * folder. */
enum gb_status gb_folder_read(struct gb_store *store, const char *folder, struct gb_error *err);

#endif
