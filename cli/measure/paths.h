/* paths.h -- checks the files that a sweep writes beside its records: pictures, graphs. */
#ifndef GPUBENCH_CLI_MEASURE_PATHS_H
#define GPUBENCH_CLI_MEASURE_PATHS_H

#include "cli/measure/request.h"
#include "cli/measure/sweep.h"

/* Call this before anything is measured.  GB_EUSAGE if a file to be written, including the output,
 * is also read, or if a picture or graph exists without --overwrite or --resume.  GB_EIO if a file
 * cannot be created. */
enum gb_status gb_paths_check(const struct gb_request *request, const struct gb_sweep *sweep,
			      struct gb_error *err);

#endif
