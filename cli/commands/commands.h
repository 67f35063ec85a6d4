/* commands.h -- the commands that main.c dispatches to, one file each.
 *
 * argv[0] of a command is its own name.  A command returns the exit status; if err is set, main.c
 * prints its message.
 *
 * This folder parses command lines.  main.c finds the command; arguments.h reads words and options
 * from a table of rows; options.h has the rows and benchmark names of the commands that measure.
 * It may use every other folder; none uses it.
 */
#ifndef GPUBENCH_CLI_COMMANDS_COMMANDS_H
#define GPUBENCH_CLI_COMMANDS_COMMANDS_H

#include <stddef.h>

#include "common/status.h"

struct gb_benchmark;

enum gb_status gb_cmd_bench(const struct gb_benchmark *benchmark, int argc, char **argv,
			    struct gb_error *err);
enum gb_status gb_cmd_run(int argc, char **argv, struct gb_error *err);
enum gb_status gb_cmd_check(int argc, char **argv, struct gb_error *err);
enum gb_status gb_cmd_report(int argc, char **argv, struct gb_error *err);
enum gb_status gb_cmd_repro(int argc, char **argv, struct gb_error *err);
enum gb_status gb_cmd_compare(int argc, char **argv, struct gb_error *err);
enum gb_status gb_cmd_ab(int argc, char **argv, struct gb_error *err);
enum gb_status gb_cmd_list(int argc, char **argv, struct gb_error *err);
enum gb_status gb_cmd_env(int argc, char **argv, struct gb_error *err);

#endif
