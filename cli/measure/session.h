/* session.h -- a program run that measures: sweeps in, records out.
 *
 *	open -> sweep ... -> close
 *
 * The run line is written before the first record, and each record as soon as it is known.  Nothing
 * here depends on a particular benchmark.
 *
 * This folder turns a command line's request into records: the points and the chosen
 * variants (sweep.h), one measurement (measure.h), copy bandwidth (bandwidth.h), progress
 * (progress.h), several repetitions (repetitions.h), and --dry-run (plan.h).  It may use cli/records,
 * cli/benchmarks and the folders below cli.
 */
#ifndef GPUBENCH_CLI_MEASURE_SESSION_H
#define GPUBENCH_CLI_MEASURE_SESSION_H

#include "cli/measure/clocks.h"
#include "cli/measure/plan.h"
#include "cli/measure/progress.h"
#include "cli/measure/request.h"
#include "cli/measure/sweep.h"
#include "cli/records/machine.h"
#include "cli/records/output.h"

struct gb_session {
	const struct gb_request *request;
	struct gb_context_info info;
	struct gb_records records; /* the run line and all records so far */
	struct gb_output output;   /* request->target.path */
	struct gb_progress progress;
	enum gb_status verdict; /* the worst exit status that a result has caused */
	/* The reason why a back end that may be used has no device; code GB_OK if it has one. */
	struct gb_error absent[GB_BACKENDS];
	int64_t seq;
	size_t planned; /* measurements, for --budget */
	double started_ns;
	int64_t number;      /* number of the next measurement, over all shards */
	size_t past;         /* records of the resumed file, which are the first ones */
	void *seen;          /* keys that this session has visited, for tsearch() */
	struct gb_plan plan; /* of --dry-run */
	struct gb_clocks clocks;
};

/* With --dry-run, sweeps are only planned: each measurement is listed with the memory that it would
 * take or, with -o -, printed as a record that is skipped.  Everything is allocated and nothing
 * touched; no device is opened, and no file is written.  With --resume, the records in -o FILE.jsonl
 * count as done.
 *
 * Otherwise, inspect the machine and open the output, whose contents do not change before the first record.
 * With --resume, read the records of the output; their keys are not measured again.  GB_EUSAGE for an
 * output that exists or has an unknown format, for a clock that the GPU does not have, and for records
 * of another setup (gb_resume_check()) without --resume=any.  GB_EIO if the output cannot be opened. */
enum gb_status gb_session_open(struct gb_session *session, const struct gb_request *request,
			       int argc, char *const *argv, struct gb_error *err);

/* Measure, or plan, all points of a sweep with the chosen variants.  A failed result gives a record and a
 * verdict, not an error; GB_EUSAGE (input), GB_EIO and GB_EINTERRUPTED end the session. */
enum gb_status gb_session_sweep(struct gb_session *session, const struct gb_sweep *sweep,
				const struct gb_choice *choice, struct gb_error *err);

/* A run of `running` hangs, as err says: write its record, and name it in err. */
void gb_session_hung(struct gb_session *session, const struct gb_result *running,
		     struct gb_error *err);

/* Close the output and release everything; print the totals of a plan.  Return the exit status: the error in err, or else the
 * verdict.  Tables and documents are printed before this (print_report.h). */
enum gb_status gb_session_close(struct gb_session *session, struct gb_error *err);

/* The number of measurements of the sweep with the chosen variants. */
size_t gb_count_runs(const struct gb_sweep *sweep, const struct gb_choice *choice);

/* The worse of two exit statuses.  Errors that end the program outrank errors that are only
 * reported; a failed verification outranks other failures, and these outrank a missing device. */
enum gb_status gb_worse(enum gb_status a, enum gb_status b);

/* Called for each measurement that is due.  result has code and reason if it is to be skipped.
 */
typedef void gb_visit(void *self, struct gb_result *result, void *input, struct gb_error *err);

/* Call visit for each measurement of the sweep that is chosen, in this shard, and not done.  The
 * result is released after each call. */
enum gb_status gb_session_each(struct gb_session *session, const struct gb_sweep *sweep,
			       const struct gb_choice *choice, gb_visit *visit, void *self,
			       struct gb_error *err);

#endif
