/* options.h -- the command line of everything that measures: rows over struct gb_request, in groups of which
 * each command lists those that it takes.
 */
#ifndef GPUBENCH_CLI_COMMANDS_OPTIONS_H
#define GPUBENCH_CLI_COMMANDS_OPTIONS_H

#include "cli/commands/arguments.h"
#include "cli/measuring/request.h"
#include "cli/measuring/sweep.h"

extern const struct gb_rows gb_rows_how, gb_rows_backend, gb_rows_threads, gb_rows_preset;
extern const struct gb_rows gb_rows_gpu, gb_rows_target, gb_rows_progress;
extern const struct gb_rows gb_rows_device; /* a number; or, with --runs and --shard, "all": */
extern const struct gb_rows gb_rows_repeats;

/* Read the arguments, whose target begins with a struct gb_request.  GB_EUSAGE with one line that names the
 * option. */
enum gb_status gb_options_parse(struct gb_arguments *arguments, int argc, char **argv,
				struct gb_error *err);

/* The preset that --preset names, `otherwise` if it was not given; GB_EUSAGE for an unknown name. */
enum gb_status gb_preset_of(const struct gb_request *request, enum gb_preset otherwise,
			    enum gb_preset *preset, struct gb_error *err);

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
