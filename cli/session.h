/* session.h -- one invocation that measures: sweeps in, records and a table out.
 *
 *	open -> sweep ... -> close
 *
 * Each point's record is written and flushed as soon as it is known.  Nothing here knows what a
 * benchmark is about.
 */
#ifndef GPUBENCH_CLI_SESSION_H
#define GPUBENCH_CLI_SESSION_H

#include "cli/options.h"
#include "cli/record.h"
#include "cli/table.h"

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
	size_t done, total; /* measurements, for the progress line */
	bool silent_table;  /* the caller prints its own */
};

/* Look at the machine, open the output, write the run line.  GB_EUSAGE for an output of unknown
 * kind, GB_EIO if it cannot be opened, GB_EUNAVAILABLE if a GPU is required and there is none. */
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

/* GB_EUSAGE if a glob matches no variant of the workload. */
enum gb_status gb_check_globs(const struct gb_workload *workload, const char *const *glob,
			      size_t glob_count, struct gb_error *err);

/* Whether the request's back ends and the globs include the variant. */
bool gb_chosen(const struct gb_request *request, const struct gb_variant *variant,
	       const char *const *glob, size_t glob_count);

/* For commands whose words are names of benchmarks (none: all): GB_EUSAGE if one is not, and
 * whether the workload is among them. */
enum gb_status gb_check_names(const struct gb_request *request, struct gb_error *err);
bool gb_named(const struct gb_request *request, const struct gb_workload *workload);

/* Say what each point and variant would take, on standard output. */
enum gb_status gb_dry_run(const struct gb_request *request, const struct gb_sweep *sweep,
			  const char *const *glob, size_t glob_count, struct gb_error *err);

#endif
