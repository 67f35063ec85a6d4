/* machine.h -- where, by what and how a run was made.
 *
 * A measurement depends on the machine, the build and the environment.  What is unknown is absent from
 * the line; nothing here fails but for lack of memory.
 */
#ifndef GPUBENCH_CLI_RECORDS_MACHINE_H
#define GPUBENCH_CLI_RECORDS_MACHINE_H

#include "cli/records/record.h"
#include "common/devices.h"

struct gb_settings;

struct gb_run_info {
	/* Set by the caller. */
	int argc;
	char *const *argv;
	const struct gb_settings *settings; /* NULL: nothing is measured */
	const char *preset;                 /* NULL: none */
	unsigned backends; /* bits 1 << GB_CUDA ... of those that are asked for their GPUs */

	/* Filled by gb_env_gather(). */
	char run_id[17];  /* 16 random hexadecimal digits */
	char started[32]; /* RFC 3339, UTC */
	struct gb_devices devices;
};

/* Queries the drivers of back ends that are in this build. */
void gb_env_gather(struct gb_run_info *info);

/* The `run` line.  NULL, with err set, if memory ran out.  For cJSON_Delete(). */
cJSON *gb_describe_run(const struct gb_run_info *info, struct gb_error *err);

#endif
