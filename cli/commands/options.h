/* options.h -- the command line of everything that measures: one table of option rows.
 *
 * The rows drive the parsing (glibc's argp), the help, the man page and the completion; the
 * workload's own parameter rows join them, and each of those takes a SPEC (sweep.h).
 */
#ifndef GPUBENCH_CLI_COMMANDS_OPTIONS_H
#define GPUBENCH_CLI_COMMANDS_OPTIONS_H

#include "cli/measuring/request.h"
#include "cli/measuring/sweep.h"
#include "cli/workloads/value.h"

enum gb_repro_format { GB_REPRO_TABLE, GB_REPRO_MARKDOWN, GB_REPRO_LATEX, GB_REPRO_JSON };

/* Read argv (argv[0] is the command) into request and, if sweep is not NULL, the workload's
 * parameters into sweep, which is initialised here.  words: what the help calls the arguments,
 * "[VARIANT-GLOB...]".  GB_EUSAGE with one line that names the option. */
enum gb_status gb_options_parse(struct gb_request *request, const struct gb_workload *workload,
				struct gb_sweep *sweep, const char *words, const char *summary,
				int argc, char **argv, struct gb_error *err);

/* The preset that --preset names, `otherwise` if it was not given; GB_EUSAGE for an unknown name. */
enum gb_status gb_preset_of(const struct gb_request *request, enum gb_preset otherwise,
			    enum gb_preset *preset, struct gb_error *err);

#endif
