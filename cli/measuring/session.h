/* session.h -- one invocation that measures: sweeps in, records and a table out.
 *
 *	open -> sweep ... -> close
 *
 * Each point's record is written and flushed as soon as it is known.  Nothing here knows what a
 * benchmark is about.
 */
#ifndef GPUBENCH_CLI_MEASURING_SESSION_H
#define GPUBENCH_CLI_MEASURING_SESSION_H

#include "cli/commands/options.h"
#include "cli/measuring/limits.h"
#include "cli/records/done.h"
#include "cli/records/record.h"
#include "cli/reports/table.h"

struct gb_session {
	const struct gb_request *request;
	struct gb_run_info info;
	struct gb_records records; /* the run line and all records so far */
	enum gb_format format;     /* of request->output */
	FILE *stream;           /* records go here line by line; NULL if there is no such output */
	char *temporary;        /* a document is written here and renamed at the end */
	enum gb_status verdict; /* the worst that a result has meant for the exit status */
	struct gb_error device; /* why there is no GPU; code GB_OK if there is one */
	int64_t seq;
	size_t done, total;          /* measurements, for the progress line */
	double started_ns, shown_ns; /* the session; the progress line */
	int64_t shard, shards; /* only measurements number shard, shard + shards, ... from 0 */
	int64_t number;        /* of the next measurement in the whole sweep */
	struct gb_done past;   /* what a resumed file already holds */
	struct gb_limits limits;
	int lock;          /* on the GPU; -1: none */
	bool silent_table; /* the caller prints its own */
};

/* Look at the machine, open the output, write the run line; with a GPU, wait until no other
 * gpubench uses it.  GB_EUSAGE for an output of unknown kind or a bad --shard, GB_EIO if it cannot
 * be opened, GB_EUNAVAILABLE if a GPU is required and there is none.  --resume: the records of the
 * output are read first, a line that was cut off is removed, and their keys are not measured again.
 */
enum gb_status gb_session_open(struct gb_session *session, const struct gb_request *request,
			       int argc, char *const *argv, struct gb_error *err);

/* Measure all points of a sweep with the variants that the globs choose (none: all).  A failed
 * result is a record and a verdict, not an error; GB_EUSAGE (input), GB_EIO and GB_EINTERRUPTED
 * end the session. */
enum gb_status gb_session_sweep(struct gb_session *session, const struct gb_sweep *sweep,
				const char *const *glob, size_t glob_count, struct gb_error *err);

/* Write the table and the output document; also after an error, for what there is.  The verdict,
 * or the first error in err, is the exit status. */
enum gb_status gb_session_close(struct gb_session *session, struct gb_error *err);

/* Give out the records of a file of JSON lines as a session with that request would have: the
 * table, and the output unless it is that file. */
enum gb_status gb_session_replay(const struct gb_request *request, const char *file,
				 struct gb_error *err);

/* GB_EUSAGE if a glob matches no variant of the workload. */
enum gb_status gb_check_globs(const struct gb_workload *workload, const char *const *glob,
			      size_t glob_count, struct gb_error *err);

/* GB_EUSAGE if the request has --runs, --shard or --resume, which `command` has no use for. */
enum gb_status gb_refuse_parts(const struct gb_request *request, const char *command,
			       struct gb_error *err);

/* Whether the request's back ends and the globs include the variant. */
bool gb_chosen(const struct gb_request *request, const struct gb_variant *variant,
	       const char *const *glob, size_t glob_count);

/* GB_EUSAGE if --threads of the request makes no sense. */
enum gb_status gb_check_threads(const struct gb_request *request, struct gb_error *err);

/* For commands whose words are names of benchmarks (none: all): GB_EUSAGE if one is not, or for
 * --threads, and whether the workload is among them. */
enum gb_status gb_check_names(const struct gb_request *request, struct gb_error *err);
bool gb_named(const struct gb_request *request, const struct gb_workload *workload);

/* A session that only plans (plan.h): --shard is read, and the records of -o FILE.jsonl, if there
 * are some; with --resume they are done.  Nothing is opened or written.  Close it by
 * gb_session_abandon(). */
enum gb_status gb_session_plan(struct gb_session *session, const struct gb_request *request,
			       struct gb_error *err);
void gb_session_abandon(struct gb_session *session);

/* Whether the variant is to be measured at point `index` of the sweep, which is `params`: chosen,
 * ours by --shard, and not done.  To be asked once for each variant and point, in order. */
bool gb_session_due(struct gb_session *session, const struct gb_sweep *sweep, size_t index,
		    const struct gb_variant *variant, const void *params, const char *const *glob,
		    size_t glob_count);

#endif
