/* measure.h -- runs one measurement: a variant at a point of a sweep.
 *
 * create, upload, [reset, run] x (warm-ups + samples), download, verify, destroy.  The stopping rule
 * decides when there are enough samples.  They fill a struct gb_record, which is then written as a
 * line of the record file.
 *
 * The first sample, the last, and a random one between are verified; if the samples are different
 * work, the first of each is; --verify=all verifies every sample.  Before a verified run the
 * results are overwritten with random bytes.
 */
#ifndef GPUBENCH_CLI_MEASURE_MEASURE_H
#define GPUBENCH_CLI_MEASURE_MEASURE_H

#include <stdbool.h>

#include "cli/records/record.h"
#include "cli/records/settings.h"
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

/* Measure or, if `timed` is false, only run and verify each distinct input once.  The caller sets
 * benchmark, variant and params in result; the rest is filled in.  The status of the measurement is
 * in result->code; gb_measure() itself fails only with GB_EINTERRUPTED and without memory for a
 * record. */
enum gb_status gb_measure(struct gb_result *result, void *input, const struct gb_settings *how,
			  bool timed, struct gb_error *err);

/* Begin the record: variant, parameters, key, source of the input.  GB_EMEMORY. */
enum gb_status gb_result_begin(struct gb_result *result, struct gb_error *err);

/* Set the record's remark. */
void gb_result_remark(struct gb_result *result, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* The measurement ended with an error: a failed or skipped one reports no time. */
void gb_result_fail(struct gb_result *result, const struct gb_error *why);

/* The GPU's clock and temperature, and since when they have been so; { 0 } at first. */
struct gb_steady {
	bool begun;
	double since_s, temperature_c, sm_clock_hz;
};

/* Take a reading at now_s.  Return how long no reading has differed by more than 1 degree or 2 % of
 * the clock; unknown values do not differ. */
double gb_steady_s(struct gb_steady *steady, const struct gb_gpu_state *state, double now_s);

/* The stopping rule takes no more, because a record keeps all samples.  --samples may ask for
 * more. */
enum { GB_MAX_SAMPLES = 1000 };

/* True if the samples of the record are enough; its stop_reason then says why.  elapsed_s is the
 * time since the measurement started. */
bool gb_stop_sampling(struct gb_result *result, const struct gb_settings *how, double elapsed_s);

#endif
