/* session.h -- one invocation that measures: sweeps in, records out.
 *
 *	open -> sweep ... -> close
 *
 * Each point's record is written as soon as it is known; the run line before the first of them.  Nothing here depends on a
 * particular benchmark.
 *
 * The room: from a command line's request to records.  The points (sweep.h), the variants chosen
 * (choice.h), one measurement (runner.h), what the machine can copy (bandwidth.h), the pictures that a sweep writes (paths.h), the progress line, several launches (launches.h), and --dry-run (plan.h).  May use
 * cli/records, cli/workloads and what is below cli.
 */
#ifndef GPUBENCH_CLI_MEASURING_SESSION_H
#define GPUBENCH_CLI_MEASURING_SESSION_H

#include "cli/measuring/progress.h"
#include "cli/measuring/request.h"
#include "cli/measuring/sweep.h"
#include "cli/records/done.h"
#include "cli/records/machine.h"
#include "cli/records/output.h"

struct gb_session {
	const struct gb_request *request;
	struct gb_run_info info;
	struct gb_records records;    /* the run line and all records so far */
	size_t written_runs, written; /* of runs and records: those that the output has */
	struct gb_output output;      /* request->target.path */
	struct gb_progress progress;
	enum gb_status verdict; /* the worst that a result has meant for the exit status */
	/* Why a back end that may be used has no device; code GB_OK if it has one. */
	struct gb_error absent[GB_BACKENDS];
	int64_t seq;
	int64_t shard, shards;  /* only measurements number shard, shard + shards, ... from 0 */
	int64_t number;         /* of the next measurement in the whole sweep */
	struct gb_done past;    /* what a resumed file already holds */
	bool warned_of_threads; /* that they exceed the CPUs */
	int lock;               /* on the GPU; -1: none */
};

/* Look at the machine, open the output, in which nothing changes before the first record; with a
 * GPU, wait until no other gpubench uses it, unless nothing is timed.  GB_EUSAGE for an output that
 * is of unknown kind or exists, or a bad --shard, GB_EIO if it cannot be opened, GB_EUNAVAILABLE if
 * a GPU is required and there is none.  --resume: the records of the output are read first, their
 * keys are not measured again, and GB_EUSAGE if they are of another setup (gb_resume_check()) and that was not
 * asked for. */
enum gb_status gb_session_open(struct gb_session *session, const struct gb_request *request,
			       int argc, char *const *argv, struct gb_error *err);

/* Measure all points of a sweep with the variants that are chosen.  A failed
 * result is a record and a verdict, not an error; GB_EUSAGE (input), GB_EIO and GB_EINTERRUPTED
 * end the session. */
enum gb_status gb_session_sweep(struct gb_session *session, const struct gb_sweep *sweep,
				const struct gb_choice *choice, struct gb_error *err);

/* Close the output, release everything.  The verdict, or the first error in err, is the exit
 * status.  Tables and documents are printed before: see finish.h. */
enum gb_status gb_session_close(struct gb_session *session, struct gb_error *err);

/* The worse of two exit statuses: what ends everything outranks what is only reported;
 * verification outranks other failures, they outrank a missing device. */
enum gb_status gb_worse(enum gb_status a, enum gb_status b);

/* A session that only plans (plan.h): --shard is read, and the records of -o FILE.jsonl, if any;
 * with --resume they count as done.  Nothing is opened or written.  Close it by
 * gb_session_abandon(). */
enum gb_status gb_session_plan(struct gb_session *session, const struct gb_request *request,
			       struct gb_error *err);
void gb_session_abandon(struct gb_session *session);

/* Called for a measurement that is due; with result->code and the reason set if it is to be skipped. */
typedef enum gb_status gb_visit(void *self, struct gb_result *result, const void *input,
				struct gb_error *err);

/* Call visit for each measurement of the sweep that is chosen, in this shard, and not done.  The result
 * is released afterwards. */
enum gb_status gb_session_each(struct gb_session *session, const struct gb_sweep *sweep,
			       const struct gb_choice *choice, gb_visit *visit, void *self,
			       struct gb_error *err);

#endif
