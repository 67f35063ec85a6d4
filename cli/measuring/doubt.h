/* doubt.h -- samples that only gb_judge() uses. */
#ifndef GPUBENCH_CLI_MEASURING_DOUBT_H
#define GPUBENCH_CLI_MEASURING_DOUBT_H

#include "cli/measuring/measurement.h"

/* Keep a time for gb_judge(), which compares these kinds of samples. */
enum gb_status gb_sort_out(struct gb_measurement *m, bool verified, bool changed, double ns);

/* Verify the last run of a sample.  After a batch, run a secret number of times more without
 * reset(), overwrite the result before the last of these, time and verify that.  Then verify a run
 * on another input whose result was not overwritten.  Each run of a batch does all the work. */
enum gb_status gb_verify_sample(struct gb_measurement *m);

/* If some samples are longer than others, take new ones of each kind, which count only as
 * evidence. */
enum gb_status gb_take_evidence(struct gb_measurement *m);

/* If the runner's clock shows more than the variant's in few samples, compare them in more, which
 * count only as evidence: the runner may have waited for a processor between the two. */
enum gb_status gb_sample_clocks(struct gb_measurement *m);

/* Take cold samples in which a plug-in's process is not asked to flush its caches, and some others
 * if they differ. */
enum gb_status gb_sample_alone(struct gb_measurement *m);

#endif
