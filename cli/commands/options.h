/* options.h -- the options of the commands that measure: groups of rows for struct gb_request. */
#ifndef GPUBENCH_CLI_COMMANDS_OPTIONS_H
#define GPUBENCH_CLI_COMMANDS_OPTIONS_H

#include "cli/commands/arguments.h"
#include "cli/measure/request.h"
#include "cli/measure/sweep.h"

/* The commands, as bits. */
enum {
	GB_OF_BENCHMARK = 1, /* each benchmark's own */
	GB_OF_RUN = 2,
	GB_OF_CHECK = 4,
	GB_OF_REPRO = 8,
	GB_OF_ENV = 16,
};

/* Read the arguments of a command, whose target begins with a struct gb_request.  GB_EUSAGE, with a
 * line that names the option, on an error. */
enum gb_status gb_options_parse(struct gb_arguments *arguments, int argc, char **argv,
				struct gb_error *err);

/* Read --budget: a number with one of the units s, m and h, or none for seconds.  GB_EUSAGE for
 * anything else. */
enum gb_status gb_read_budget(const char *text, double *seconds, struct gb_error *err);

/* The preset that --preset names, or `otherwise` by default; GB_EUSAGE for an unknown name. */
enum gb_status gb_preset_of(const struct gb_request *request, enum gb_preset otherwise,
			    enum gb_preset *preset, struct gb_error *err);

/* GB_EUSAGE if --threads of the request is malformed. */
enum gb_status gb_check_threads(const struct gb_request *request, struct gb_error *err);

/* Read the words as benchmarks and globs of variants, or as globs of a benchmark's own command.
 * GB_EUSAGE for a bad word or --threads, --device without a variant that runs on a GPU, and a
 * parameter that no chosen benchmark has or one of them rejects. */
enum gb_status gb_choose(struct gb_request *request, const struct gb_arguments *arguments,
			 struct gb_error *err);

/* Pass each sweep of the chosen benchmarks to `take`: the sweeps of a preset or, if it is
 * GB_PRESETS, those that `check` verifies. */
typedef enum gb_status gb_take_sweep(void *self, const struct gb_sweep *sweep,
				     struct gb_error *err);
enum gb_status gb_each_sweep(const struct gb_request *request, enum gb_preset preset,
			     gb_take_sweep *take, void *self, struct gb_error *err);

#endif
