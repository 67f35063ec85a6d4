/* progress.h -- shows a session's progress as a status line or as a line per measurement. */
#ifndef GPUBENCH_CLI_MEASURE_PROGRESS_H
#define GPUBENCH_CLI_MEASURE_PROGRESS_H

#include "cli/measure/measure.h"
#include "cli/measure/request.h"

struct gb_progress {
	bool shown, verbose; /* the status line; the lines per measurement */
	size_t done, total;  /* measurements */
	double started_ns;
};

void gb_progress_init(struct gb_progress *progress, const struct gb_request *request);

/* The measurement of result begins.  The status line does not change before the next one: writing
 * between samples would disturb them. */
void gb_progress_begin(const struct gb_progress *progress, const struct gb_result *result);
/* The measurement has ended, or was skipped. */
void gb_progress_end(struct gb_progress *progress, const struct gb_result *result);

/* Erase the status line. */
void gb_progress_hide(const struct gb_progress *progress);

#endif
