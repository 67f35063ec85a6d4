/* repetitions.h -- starts a command several times, or on each device, as separate processes.
 *
 * A process's measurements depend on its memory layout and on other load; only several repetitions
 * show how much.
 */
#ifndef GPUBENCH_CLI_MEASURE_REPETITIONS_H
#define GPUBENCH_CLI_MEASURE_REPETITIONS_H

#include "cli/measure/request.h"
#include "cli/records/output.h"

/* True if this process is one of the repetitions.  The request is then changed to its task. */
bool gb_is_repetition(struct gb_request *request);

/* Launch this program request->repeats.runs times, on one device or on all devices at once, with
 * the arguments of argv (argv[0] is the command), and read the records of all repetitions.  If the
 * output is a file of JSON lines, they are appended to it.  Return the exit status; GB_EUNAVAILABLE
 * if there is no device. */
enum gb_status gb_repetitions(const struct gb_request *request, struct gb_output *output, int argc,
			      char **argv, struct gb_records *records, struct gb_error *err);

#endif
