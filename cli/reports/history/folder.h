/* folder.h -- reads the record files of a folder. */
#ifndef GPUBENCH_CLI_REPORTS_HISTORY_FOLDER_H
#define GPUBENCH_CLI_REPORTS_HISTORY_FOLDER_H

#include "cli/reports/history/store.h"

/* The number of OpenMP threads for this many pieces of work: at most one per CPU, and only as many
 * as can be created now.  libgomp would end the program if one more could not. */
int gb_history_threads(size_t work);

/* Add the launches of all regular files below the folder whose names end in .jsonl, and of symbolic
 * links to such files.  Hidden files and folders, folders behind symbolic links, FIFOs, sockets and
 * devices are skipped.  A file that is not a record file is stored with a fault.  Each folder after
 * the first holds later launches.  GB_EUSAGE if a folder cannot be opened. */
enum gb_status gb_folders_read(struct gb_store *store, const char *const *folder, size_t count,
			       struct gb_error *err);

#endif
