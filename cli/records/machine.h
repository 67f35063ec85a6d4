/* machine.h -- describes a run: the machine, the build and the environment it is made with.
 *
 * A CPU is identified by its vendor, family, model and stepping (ARM: implementer and part),
 * sockets, cores, caches and the memory in GiB; a GPU by its UUID.  If one of these is missing, the
 * host's name takes its place, so a missing field never equals a missing field of another host.
 *
 * Only lack of memory is an error: a value that cannot be read stays unknown.
 */
#ifndef GPUBENCH_CLI_RECORDS_MACHINE_H
#define GPUBENCH_CLI_RECORDS_MACHINE_H

#include <stdio.h>

#include "cli/records/record.h"
#include "common/devices.h"

struct gb_settings;

struct gb_context_info {
	int argc;
	char *const *argv;
	const struct gb_settings *settings; /* NULL if nothing is measured */
	const char *preset;                 /* NULL if none */
	const char *locked_clock;           /* "base", "max" or MHz; NULL: not locked */
	unsigned backends;         /* the back ends queried for GPUs: bits 1 << GB_CUDA ... */
	struct gb_devices devices; /* what gb_devices_find() says of them */
};

/* Describe the run that begins now, with an id of 16 random hexadecimal digits.  NULL, with err
 * set, if memory ran out. */
struct gb_context *gb_describe_context(const struct gb_context_info *info, struct gb_error *err);

/* Fill on_cpu and on_gpu of a run that was read. */
void gb_identify(struct gb_context *context);

/* The architectures of this build, as in "75 80 90"; "" without CUDA or in the emulator. */
extern const char gb_archs[];

/* Print the command that builds for a GPU of CUDA which `archs` lacks, as one line; nothing if it
 * is there, or if archs is "".  Such a GPU may still run: code of its major version fits, or the
 * driver compiles the PTX.  The line names the code that runs, if the device is open. */
void gb_archs_advise(FILE *file, const struct gb_gpu_info *gpu, const char *archs);

#endif
