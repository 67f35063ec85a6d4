/* resume.h -- whether a record file may be added to. */
#ifndef GPUBENCH_CLI_RECORDS_RESUME_H
#define GPUBENCH_CLI_RECORDS_RESUME_H

#include "cli/records/lines.h"

/* GB_EUSAGE, with the first difference, if a run of the records (of the file `path`) was made in
 * another setup than the run `now`: another machine, build, device, or cache mode.  The message ends
 * in the hint. */
enum gb_status gb_resume_check(const struct gb_records *records, const char *path,
			       const struct gb_run *now, const char *hint, struct gb_error *err);

#endif
