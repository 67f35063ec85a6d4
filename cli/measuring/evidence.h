/* evidence.h -- what shows that a time is that of the work, gathered while samples are taken.
 *
 * Results are overwritten with bytes that a variant cannot foresee.  The input is replaced by a
 * variation of it before every verified sample and before one in eight of the others, chosen by a
 * secret key, or before all if that is cheap.  After a verified run it is replaced again, so that
 * download() cannot do the work.  Some runs are timed by other clocks, step by step.  judge.h
 * decides what follows from it.
 */
#ifndef GPUBENCH_CLI_MEASURING_EVIDENCE_H
#define GPUBENCH_CLI_MEASURING_EVIDENCE_H

#include "cli/measuring/measurement.h"
#include "cli/measuring/usage.h"

/* True if a plug-in's process flushes its caches before a sample. */
bool gb_flushes_there(const struct gb_measurement *m);

/* The time of the last run, scaled to the work of the first. */
double gb_per_work_ns(const struct gb_measurement *m, double ns);

/* CPU time of the process that the variant runs in, in ns. */
double gb_variant_cpu_ns(const struct gb_measurement *m);

/* True if the CPU time of the variant's process tells how much its threads have worked. */
bool gb_cpu_time_tells(const struct gb_measurement *m);

/* Before and after a batch of runs: set delay_ns and worked_ns of the evidence. */
void gb_use_begin(struct gb_measurement *m);
void gb_use_end(struct gb_measurement *m, int64_t batch);

/* Time an upload and a download on a device.  The upload is of whatever the input is now. */
enum gb_status gb_transfer(struct gb_measurement *m);

/* If `change`, let the next run work on another variation of the input.  On a device, the host's
 * input then becomes a third one, because run() must use what upload() has copied. */
enum gb_status gb_renew_input(struct gb_measurement *m, bool change);

/* Write the input again as it is, so that it lies in those caches in which a changed one does. */
void gb_rewrite_input(struct gb_measurement *m);

/* The original input again. */
void gb_restore_input(struct gb_measurement *m);

/* True if a sample's results are to be poisoned before it.  All samples with cold caches are, so
 * that a run cannot tell whether it will be verified.  This writes what the run writes again,
 * before the flush.  With hot caches, poison changes the caches: of the samples that are verified
 * or on another input, a secret half is, and at least one that is verified. */
bool gb_is_poisoned(const struct gb_measurement *m, const struct gb_manner *how);

/* Overwrite the last run's result, so that any result found after the next run is its own. */
enum gb_status gb_poison_result(struct gb_measurement *m);

/* Verify the result of the last run; does nothing with --no-verify.  Metrics are those of the
 * original input. */
enum gb_status gb_verify_run(struct gb_measurement *m);

/* The same of a run before which a plug-in's process did not flush.  Its download is not watched,
 * because it may differ from those after a flush. */
enum gb_status gb_verify_unflushed(struct gb_measurement *m);

/* One run whose steps are timed one by one: reset(), run(), download(), without a flush.  The
 * result is not verified.  After a time-out, it is also the sample in which only the runner could
 * flush. */
enum gb_status gb_whole_run(struct gb_measurement *m);

/* Do a step of a sample, and keep the CPU time of a plug-in's process since the step before it. */
enum gb_status gb_watch(struct gb_measurement *m, enum gb_step step,
			enum gb_status (*op)(struct gb_measurement *m));

/* A number that grows with each process that the variant's has started. */
long gb_children(struct gb_measurement *m);

/* One run on another input, with a pause after upload(), reset() and run(), in which nothing may
 * work.  The input may have another order; a plug-in's result is verified. */
enum gb_status gb_broken_run(struct gb_measurement *m);

void gb_evidence_release(struct gb_evidence *evidence);

#endif
