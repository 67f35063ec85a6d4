/* identity.h -- identifies the machine that a time was measured on.
 *
 * A CPU is identified by its vendor, family, model and stepping (ARM: implementer and part),
 * sockets, cores, caches and the memory in GiB; a GPU by its UUID.  If one of these is missing, the
 * host's name takes its place, so a missing field never equals a missing field of another host.
 */
#ifndef GPUBENCH_CLI_RECORDS_IDENTITY_H
#define GPUBENCH_CLI_RECORDS_IDENTITY_H

#include <stdio.h>

#include "cli/records/record.h"

/* Fill on_cpu and on_gpu of a run that was read. */
void gb_identify(struct gb_context *context);

bool gb_same_machine(const struct gb_machine *a, const struct gb_machine *b);

/* The name of an ARM core: "Neoverse-V2" for implementer "0x41" and part "0xd4f".  NULL if
 * unknown. */
const char *gb_arm_name(const char *implementer, const char *part);

/* The kinds of cores in /proc/cpuinfo of an ARM machine, each once, joined by " + "; without a name
 * as "ARM 0x41-0xfff".  Empty if it has none.  Returns text. */
char *gb_arm_cores(FILE *cpuinfo, char *text, size_t size);

#endif
