/* progress.h -- how far a session is: one line of the terminal, or a line per measurement. */
#ifndef GPUBENCH_CLI_MEASURING_PROGRESS_H
#define GPUBENCH_CLI_MEASURING_PROGRESS_H

#include "cli/measuring/request.h"

struct gb_progress {
	bool shown, verbose; /* the line of the terminal; the lines per measurement */
	size_t done, total;  /* measurements */
	double started_ns, shown_ns;
};

void gb_progress_init(struct gb_progress *progress, const struct gb_request *request);

/* The measurement of result begins; the line is updated from its watch(). */
void gb_progress_begin(struct gb_progress *progress, struct gb_result *result);
/* It has ended, or was skipped without beginning. */
void gb_progress_end(struct gb_progress *progress, const struct gb_result *result);

/* Erase the line. */
void gb_progress_hide(const struct gb_progress *progress);

#endif
