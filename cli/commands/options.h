/* options.h -- the options of the commands that measure: groups of rows for struct gb_request.
 * Each command lists the groups that it takes.
 */
#ifndef GPUBENCH_CLI_COMMANDS_OPTIONS_H
#define GPUBENCH_CLI_COMMANDS_OPTIONS_H

#include "cli/commands/arguments.h"
#include "cli/measure/request.h"
#include "cli/measure/sweep.h"

extern const struct gb_rows gb_rows_settings, gb_rows_backend, gb_rows_plugin, gb_rows_threads,
	gb_rows_preset, gb_rows_limits, gb_rows_strict;
extern const struct gb_rows gb_rows_target, gb_rows_progress;
extern const struct gb_rows gb_rows_device; /* --device as a number */
extern const struct gb_rows
	gb_rows_repeats; /* --device as a number or "all", --repetitions, --shard */

/* The row of --dry-run, in a struct that begins with a struct gb_request. */
extern const char *const gb_dry_runs[];
#define GB_DRY_RUN_ROW                                                                           \
	{                                                                                        \
		.name = "dry-run", GB_AT(GB_CHOICE, struct gb_request, dry), .initial = "no",    \
		.bare = "keys", .choices = gb_dry_runs,                                          \
		.help = "list each measurement with the memory that it would take, and measure " \
			"nothing"                                                                \
	}

/* Read the arguments, whose target begins with a struct gb_request.  GB_EUSAGE, with a line that
 * names the option, on an error. */
enum gb_status gb_options_parse(struct gb_arguments *arguments, int argc, char **argv,
				struct gb_error *err);

/* The preset that --preset names, or `otherwise` by default; GB_EUSAGE for an unknown name. */
enum gb_status gb_preset_of(const struct gb_request *request, enum gb_preset otherwise,
			    enum gb_preset *preset, struct gb_error *err);

/* GB_EUSAGE if --threads of the request is malformed. */
enum gb_status gb_check_threads(const struct gb_request *request, struct gb_error *err);

/* Read the words as benchmarks and globs of variants.  GB_EUSAGE for a bad word or --threads, and
 * for a parameter that no chosen benchmark has or one of them rejects. */
enum gb_status gb_choose(struct gb_request *request, const struct gb_arguments *arguments,
			 struct gb_error *err);

/* Pass each sweep of the chosen benchmarks to `take`: the sweeps of a preset or, if it is
 * GB_PRESETS, those that `check` verifies. */
typedef enum gb_status gb_take_sweep(void *self, const struct gb_sweep *sweep,
				     struct gb_error *err);
enum gb_status gb_each_sweep(const struct gb_request *request, enum gb_preset preset,
			     gb_take_sweep *take, void *self, struct gb_error *err);

#endif
