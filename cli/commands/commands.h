/* commands.h -- what main.c's table points at.
 *
 * Each takes the words from its own name on and returns the exit status; err holds the one line
 * to print if there is something to say.
 */
#ifndef GPUBENCH_CLI_COMMANDS_COMMANDS_H
#define GPUBENCH_CLI_COMMANDS_COMMANDS_H

#include <stddef.h>

#include "common/status.h"

struct gb_records;
struct gb_workload;

/* Read record files, for those that work on stored records; a warning on standard error if one was
 * cut off.  GB_EUSAGE with file:line. */
enum gb_status gb_read_files(struct gb_records *records, const char *const *path, size_t count,
			     struct gb_error *err);

enum gb_status gb_cmd_bench(const struct gb_workload *workload, int argc, char **argv,
			    struct gb_error *err);
enum gb_status gb_cmd_run(int argc, char **argv, struct gb_error *err);
enum gb_status gb_cmd_check(int argc, char **argv, struct gb_error *err);
enum gb_status gb_cmd_report(int argc, char **argv, struct gb_error *err);
enum gb_status gb_cmd_repro(int argc, char **argv, struct gb_error *err);
enum gb_status gb_cmd_compare(int argc, char **argv, struct gb_error *err);
enum gb_status gb_cmd_ab(int argc, char **argv, struct gb_error *err);
enum gb_status gb_cmd_merge(int argc, char **argv, struct gb_error *err);
enum gb_status gb_cmd_list(int argc, char **argv, struct gb_error *err);
enum gb_status gb_cmd_env(int argc, char **argv, struct gb_error *err);

#endif
