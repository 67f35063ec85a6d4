/* result.h -- the record of a measurement: its begin, its end by an error, metrics, and the GPU's
 * state.
 */
#ifndef GPUBENCH_CLI_MEASURE_RESULT_H
#define GPUBENCH_CLI_MEASURE_RESULT_H

#include <stdbool.h>

#include "cli/records/record.h"
#include "common/benchmark.h"

/* The result of a measurement: a record under way. */
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
};

/* Begin the record: variant, parameters, key, source of the input.  GB_EMEMORY. */
enum gb_status gb_result_begin(struct gb_result *result, struct gb_error *err);

/* Set the record's remark. */
void gb_result_remark(struct gb_result *result, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* The measurement ended with an error: a failed or skipped one reports no time. */
void gb_result_fail(struct gb_result *result, const struct gb_error *why);

/* Add metrics to the record; GB_EMEMORY. */
enum gb_status gb_result_put_metrics(struct gb_record *record, const struct gb_metrics *metrics,
				     struct gb_error *err);
/* Set the GPU's state, but for what belongs to the samples; GB_EMEMORY. */
enum gb_status gb_result_put_gpu_state(struct gb_record *record, const struct gb_gpu_state *before,
				       const struct gb_gpu_state *after, struct gb_error *err);

#endif
