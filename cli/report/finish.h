/* finish.h -- ends an invocation that measured: table, output document, exit status. */
#ifndef GPUBENCH_CLI_REPORT_FINISH_H
#define GPUBENCH_CLI_REPORT_FINISH_H

#include "cli/measure/session.h"

/* Print the table (if `table` is true) and the output document, also after an error, for the
 * records that exist, and close the session.  Returns the exit status. */
enum gb_status gb_finish(struct gb_session *session, bool table, struct gb_error *err);

/* Print records that were measured elsewhere as a session with that request would: the table, and
 * the output unless it is a file of JSON lines.  Owns the records and the output. */
enum gb_status gb_replay(const struct gb_request *request, const struct gb_output *output,
			 const struct gb_records *records, struct gb_error *err);

#endif
