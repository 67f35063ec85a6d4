/* process.h -- the process that a plug-in runs in, for the judge. */
#ifndef GPUBENCH_CLI_PLUGINS_PROCESS_H
#define GPUBENCH_CLI_PLUGINS_PROCESS_H

#include <sys/types.h>

#include "cli/plugins/link.h"

struct gb_process {
	pid_t pid; /* 0: not running */
	int socket;
	struct gb_board *board;
	double timeout_s;
	size_t peak[2];
};

/* A file in memory, whose size nobody can change; -1 if that fails. */
int gb_memory_file(size_t bytes);

/* Start a process; `input` and `output` are files or -1.  Closes them. */
enum gb_status gb_process_start(struct gb_process *p, int input, int output, struct gb_error *err);

/* End the process, and say how it has ended while it was to do `what`; `late` if it did not. */
enum gb_status gb_process_explain(struct gb_process *p, const char *what, bool late,
				  struct gb_error *err);

/* End the process and all that it has started in its group. */
void gb_process_stop(struct gb_process *p);

#endif
