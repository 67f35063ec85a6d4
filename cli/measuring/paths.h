/* paths.h -- the files that a sweep writes beside its records: pictures, graphs. */
#ifndef GPUBENCH_CLI_MEASURING_PATHS_H
#define GPUBENCH_CLI_MEASURING_PATHS_H

#include "cli/measuring/request.h"
#include "cli/measuring/sweep.h"

/* To be called before anything is measured.  GB_EUSAGE if a file to be written, the output among
 * them, is one that is read, or a picture or graph exists and is not to be overwritten or resumed;
 * GB_EIO if there is no place for it. */
enum gb_status gb_paths_check(const struct gb_request *request, const struct gb_sweep *sweep,
			      struct gb_error *err);

#endif
