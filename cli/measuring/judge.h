/* judge.h -- decides from the evidence whether times can be those of the work. */
#ifndef GPUBENCH_CLI_MEASURING_JUDGE_H
#define GPUBENCH_CLI_MEASURING_JUDGE_H

#include "cli/measuring/measurement.h"

/* GB_EVERIFY, with the reason, if the times of a measurement contradict each other:
 *
 *	samples on another input take longer than the others: answers are remembered
 *	the host's clock, with the device drained, shows more than the variant's clock
 *	reset() and download() take longer than copying what they may touch
 *	more CPU time than the threads have, or much of it behind a hold
 *
 * The samples must have been taken. */
enum gb_status gb_judge(const struct gb_measurement *m, struct gb_error *err);

/* The part of gb_judge() that compares samples. */
enum gb_status gb_judge_samples(const struct gb_measurement *m, struct gb_error *err);

/* The part of gb_judge() that compares the two clocks. */
enum gb_status gb_judge_clocks(const struct gb_measurement *m, struct gb_error *err);

/* The part of gb_judge_samples() that compares samples in which only the runner flushes. */
enum gb_status gb_judge_flush(const struct gb_measurement *m, struct gb_error *err);

/* The time of each of the runs between two readings of clocks, by which samples are compared: by
 * the variant's clock.  On the CPU, it is not less than the runner's clock allows. */
double gb_seen_ns(const struct gb_measurement *m, int64_t runs, double ns, double host_ns);

/* The part of gb_judge() that whole runs decide: GB_OK if there are none. */
enum gb_status gb_judge_whole(const struct gb_measurement *m, struct gb_error *err);

/* Mark a result as doubtful if it has read its input, but for what hot caches can hold, faster than
 * the memory can deliver it: the faster of the back end's copy and of the flushes.  Its output may
 * still be in a cache.  A
 * plug-in's result is also doubtful if its input has no variations.  Call it whenever
 * result->copy_bytes_per_s is measured. */
void gb_doubt_rate(struct gb_result *result);

#endif
