/* commands.h -- the commands, a file each: main.c's table.
 *
 * Each takes the words from its own name on and returns the exit status; err holds the one line
 * to print if there is something to say.
 *
 * The room: command lines.  main.c finds the command; arguments.h reads words and options from a
 * table of rows, options.h has the rows of everything that measures, and the words that name
 * benchmarks; inputs.h is for those that name record files.  May use every other room; none uses this one.
 */
#ifndef GPUBENCH_CLI_COMMANDS_COMMANDS_H
#define GPUBENCH_CLI_COMMANDS_COMMANDS_H

#include <stddef.h>

#include "common/status.h"

struct gb_workload;

enum gb_status gb_cmd_bench(const struct gb_workload *workload, int argc, char **argv,
			    struct gb_error *err);
enum gb_status gb_cmd_run(int argc, char **argv, struct gb_error *err);
enum gb_status gb_cmd_check(int argc, char **argv, struct gb_error *err);
enum gb_status gb_cmd_report(int argc, char **argv, struct gb_error *err);
enum gb_status gb_cmd_repro(int argc, char **argv, struct gb_error *err);
enum gb_status gb_cmd_compare(int argc, char **argv, struct gb_error *err);
enum gb_status gb_cmd_versus(int argc, char **argv, struct gb_error *err);
enum gb_status gb_cmd_history(int argc, char **argv, struct gb_error *err);
enum gb_status gb_cmd_ab(int argc, char **argv, struct gb_error *err);
enum gb_status gb_cmd_list(int argc, char **argv, struct gb_error *err);
enum gb_status gb_cmd_env(int argc, char **argv, struct gb_error *err);

#endif
