/* runner.h -- runs one measurement: a variant at a point of a sweep.
 *
 * create, upload, [reset, run] x (warm-ups + samples), download, verify, destroy.  sample.h takes a
 * single sample; stopping.h decides when there are enough.  The result is a struct gb_result, which
 * describe.c and record.c turn into a line of the record file.
 *
 * The first sample, the last, and a secret one between are verified.  If the samples are different
 * work, the first of each is verified; --verify=all verifies every sample.  evidence.h says what
 * keeps a variant from giving results without the work, and judge.h what its times must agree with.
 */
#ifndef GPUBENCH_CLI_MEASURING_RUNNER_H
#define GPUBENCH_CLI_MEASURING_RUNNER_H

#include <stdbool.h>

#include "cli/plugins/process.h"
#include "cli/records/result.h"

/* Measure or, if `timed` is false, only run and verify each distinct input once.  The caller sets
 * workload, variant and params in result; the rest is filled in.  The status of the measurement is
 * in result->code; gb_run() itself fails only with GB_EINTERRUPTED. */
enum gb_status gb_run(struct gb_result *result, void *input, const struct gb_settings *how,
		      bool timed, struct gb_error *err);

/* The same on another back end than the variant's, such as a test's; a signal waits for it. */
enum gb_status gb_run_on(const struct gb_backend_ops *backend, struct gb_result *result,
			 void *input, const struct gb_settings *how, bool timed,
			 struct gb_error *err);

#endif
