/* launches.h -- a command started again and again, or on each device, each launch a process of its own.
 *
 * What a process measures depends on its memory layout and on what else runs; only several launches
 * show how much.
 */
#ifndef GPUBENCH_CLI_MEASURING_LAUNCHES_H
#define GPUBENCH_CLI_MEASURING_LAUNCHES_H

#include "cli/measuring/request.h"
#include "cli/records/lines.h"

/* Run program with argv (argv[0] included, NULL at the end) and the environment; *status is its
 * exit status, 128 + N if signal N ended it, GB_EINTERRUPTED if a signal asked us to end, which is passed
 * on.  It does not outlive this process.  keep: a descriptor that it inherits; 0: none.  GB_ERUNTIME
 * if it cannot be started. */
enum gb_status gb_launch(const char *program, char *const *argv, int keep, int *status,
			 struct gb_error *err);

/* Make a temporary file of records in $TMPDIR, or in /tmp. Returns its descriptor, for appending; -1
 * with GB_EIO or GB_EMEMORY. *path is for free(). */
int gb_temporary(char **path, struct gb_error *err);

/* Whether this process is one of the launches: then request is changed to what it has to do. */
bool gb_is_launch(struct gb_request *request);

/* Whether the request is for launches (--runs, --device=all). */
bool gb_wants_launches(const struct gb_request *request);

/* Start this program request->runs times, or that often on each device and on all devices at once,
 * with the words of argv (argv[0] is the command), and read the records of all.  They are in the
 * output, too, if that is a file of JSON lines.  Returns the exit status; GB_EUNAVAILABLE if there is
 * no device. */
enum gb_status gb_launches(const struct gb_request *request, struct gb_output *output, int argc,
			   char **argv, struct gb_records *records, struct gb_error *err);

#endif
