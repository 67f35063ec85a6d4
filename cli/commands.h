/* commands.h -- what main.c's table points at.
 *
 * Each takes the words from its own name on and returns the exit status; err holds the one line
 * to print if there is something to say.
 */
#ifndef GPUBENCH_CLI_COMMANDS_H
#define GPUBENCH_CLI_COMMANDS_H

#include "common/status.h"

struct gb_workload;

enum gb_status gb_cmd_bench(const struct gb_workload *workload, int argc, char **argv,
			    struct gb_error *err);
enum gb_status gb_cmd_run(int argc, char **argv, struct gb_error *err);
enum gb_status gb_cmd_check(int argc, char **argv, struct gb_error *err);
enum gb_status gb_cmd_report(int argc, char **argv, struct gb_error *err);
enum gb_status gb_cmd_repro(int argc, char **argv, struct gb_error *err);
enum gb_status gb_cmd_list(int argc, char **argv, struct gb_error *err);
enum gb_status gb_cmd_env(int argc, char **argv, struct gb_error *err);

#endif
