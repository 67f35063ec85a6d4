/* process.h -- the process that a plug-in runs in, for the judge. */
#ifndef GPUBENCH_CLI_PLUGINS_PROCESS_H
#define GPUBENCH_CLI_PLUGINS_PROCESS_H

#include <signal.h>
#include <sys/types.h>

#include "cli/plugins/link.h"

/* Set by the signal handler: requests end, and the runner stops after the run under way. */
extern volatile sig_atomic_t gb_interrupted;

struct gb_process {
	pid_t pid; /* 0: not running */
	int socket;
	struct gb_board *board;
	double timeout_s; /* for each request */
	size_t peak[2];   /* host and device memory, of the last answer */
};

/* A file in memory of at least one byte, whose size nobody can change; -1 if that fails. */
int gb_memory_file(size_t bytes);

/* Start a process; `input` and `output` are files or -1.  Closes them. */
enum gb_status gb_process_start(struct gb_process *p, int input, int output, struct gb_error *err);

/* Send a request and wait for its answer.  If there is none in time, or before an interrupt, the
 * process is ended. */
enum gb_status gb_process_ask(struct gb_process *p, struct gb_message *message,
			      struct gb_error *err);

/* Copy a text of the other process, which may change meanwhile.  '?' replaces all but printable
 * ASCII. */
void gb_take_text(char *to, size_t room, const char *from);

/* End the process and all that it has started in its group. */
void gb_process_stop(struct gb_process *p);

#endif
