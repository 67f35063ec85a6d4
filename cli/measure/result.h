/* result.h -- the result of a measurement: a record under way. */
#ifndef GPUBENCH_CLI_MEASURE_RESULT_H
#define GPUBENCH_CLI_MEASURE_RESULT_H

#include <stdbool.h>

#include "cli/records/record.h"
#include "common/benchmark.h"

struct gb_result {
	const struct gb_benchmark *benchmark;
	const struct gb_variant *variant;
	const void *params;
	struct gb_record record; /* what is known so far */
	enum gb_status code;     /* why it was skipped or failed; else GB_OK */
	bool doubtful;           /* faster than the memory: see gb_doubt_rate() */
	double resolution_ns;    /* resolution of the variant's clock, per run */
	double read_bytes;       /* of the input, by the benchmark's model */
	double elapsed_s;        /* duration of the whole measurement */

	/* Called between samples with half the width of the median's interval as a fraction of the
	 * median.  May be NULL. */
	void (*watch)(const struct gb_result *result, double half_width);
	void *watcher;
};

#endif
