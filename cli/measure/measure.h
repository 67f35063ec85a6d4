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

#include "cli/measure/result.h"
#include "cli/records/settings.h"

/* Measure or, if `timed` is false, only run and verify each distinct input once.  The caller sets
 * benchmark, variant and params in result; the rest is filled in.  The status of the measurement is
 * in result->code; gb_measure() itself fails only with GB_EINTERRUPTED and without memory for a
 * record. */
enum gb_status gb_measure(struct gb_result *result, void *input, const struct gb_settings *how,
			  bool timed, struct gb_error *err);

#endif
