/* benchmarks.h -- commands that take all benchmarks, or those that their words choose. */
#ifndef GPUBENCH_CLI_COMMANDS_BENCHMARKS_H
#define GPUBENCH_CLI_COMMANDS_BENCHMARKS_H

#include "cli/commands/arguments.h"
#include "cli/measuring/request.h"
#include "cli/measuring/sweep.h"

/* GB_EUSAGE if --threads of the request is malformed. */
enum gb_status gb_check_threads(const struct gb_request *request, struct gb_error *err);

/* Read the words as names of benchmarks and globs of variants; GB_EUSAGE also for --threads. */
enum gb_status gb_choose(struct gb_request *request, const struct gb_arguments *arguments,
			 struct gb_error *err);

/* Hand the sweeps of the benchmarks that are chosen to `take`: those of a preset, or, if that is
 * GB_PRESETS, what `check` verifies. */
typedef enum gb_status gb_take_sweep(void *self, const struct gb_sweep *sweep,
				     struct gb_error *err);
enum gb_status gb_each_sweep(const struct gb_request *request, enum gb_preset preset,
			     gb_take_sweep *take, void *self, struct gb_error *err);

#endif
