/* launches.h -- starts a command several times, or on each device, as separate processes.
 *
 * A process's measurements depend on its memory layout and on other load; only several launches
 * show how much.
 */
#ifndef GPUBENCH_CLI_MEASURE_LAUNCHES_H
#define GPUBENCH_CLI_MEASURE_LAUNCHES_H

#include "cli/measure/request.h"
#include "cli/records/lines.h"

/* True if this process is one of the launches.  The request is then changed to its task. */
bool gb_is_launch(struct gb_request *request);

/* True if the request asks for launches (--runs, --device=all). */
bool gb_wants_launches(const struct gb_request *request);

/* Launch this program request->repeats.runs times, on one device or on all devices at once, with
 * the arguments of argv (argv[0] is the command), and read the records of all launches.  If the
 * output is a file of JSON lines, they are appended to it.  Return the exit status; GB_EUNAVAILABLE
 * if there is no device. */
enum gb_status gb_launches(const struct gb_request *request, struct gb_output *output, int argc,
			   char **argv, struct gb_records *records, struct gb_error *err);

#endif
