/* machine.h -- describes a run: the machine, the build and the environment it was made with.
 *
 * An unknown value is omitted from the line.  Only lack of memory is an error.
 */
#ifndef GPUBENCH_CLI_RECORDS_MACHINE_H
#define GPUBENCH_CLI_RECORDS_MACHINE_H

#include "cli/records/record.h"
#include "common/devices.h"

struct gb_settings;

struct gb_run_info {
	/* Set by the caller: */
	int argc;
	char *const *argv;
	const struct gb_settings *settings; /* NULL if nothing is measured */
	const char *preset;                 /* NULL if none */
	unsigned backends; /* the back ends queried for GPUs: bits 1 << GB_CUDA ... */

	/* Filled by gb_env_gather(): */
	char run_id[17];  /* 16 random hexadecimal digits */
	char started[32]; /* RFC 3339, UTC */
	struct gb_devices devices;
};

/* Fill the rest of info.  Queries the drivers of the back ends in this build. */
void gb_env_gather(struct gb_run_info *info);

/* Make the `run` line, for cJSON_Delete().  NULL, with err set, if memory ran out. */
cJSON *gb_describe_run(const struct gb_run_info *info, struct gb_error *err);

#endif
