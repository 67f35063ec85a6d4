/* identity.h -- which machine a time belongs to.
 *
 * A CPU is known by its vendor, family, model and stepping (ARM: implementer and part), sockets,
 * cores, caches and the memory in GiB; a GPU by its UUID.  Where one of these is missing, the host's
 * name takes its place: a missing field never equals a missing field of another host.  Records of
 * schema 1 have no family; they match a later record of the same host if all else is equal.
 */
#ifndef GPUBENCH_CLI_RECORDS_IDENTITY_H
#define GPUBENCH_CLI_RECORDS_IDENTITY_H

#include <stdbool.h>

struct gb_run;

struct gb_machine {
	char name[128];  /* "Neoverse-V2", "NVIDIA H100 80GB HBM3", "unknown" */
	char text[320];  /* all that identifies it, for a person */
	char early[320]; /* what schema 1 tells of it, with its host; "" if that is not enough */
	bool whole;      /* nothing is missing */
};

/* The CPU of the run, or its GPU. */
void gb_identify(const struct gb_run *run, bool cpu, struct gb_machine *machine);

bool gb_same_machine(const struct gb_machine *a, const struct gb_machine *b);

/* "Neoverse-V2" of ARM's implementer "0x41" and part "0xd4f"; NULL if they are not known. */
const char *gb_arm_name(const char *implementer, const char *part);

#endif
