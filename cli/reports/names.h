/* names.h -- short names for the runs of record files: no more than what tells them apart.
 *
 * Of several machines a run has the name of its GPU or, without one, of its CPU; of one machine the
 * host, the commit, the compiler or the time of its start, whatever differs first.
 */
#ifndef GPUBENCH_CLI_REPORTS_NAMES_H
#define GPUBENCH_CLI_REPORTS_NAMES_H

#include "cli/records/lines.h"

/* Start with { 0 }. */
struct gb_run_names {
	size_t count; /* of different ids, in the order of first appearance */
	struct gb_run_entry {
		const char *id;           /* points into the records */
		const struct gb_run *run; /* gb_no_run: its line is missing */
		size_t number; /* among runs of the same name, from 1; 0: the name is unique */
		char name[160];
	} * entry;
};

/* Release it also after a failure. */
enum gb_status gb_run_names_init(struct gb_run_names *names, const struct gb_records *list,
				 struct gb_error *err);
void gb_run_names_release(struct gb_run_names *names);

/* The name of the run; "" if it is the only one, or is not known. */
const char *gb_run_name(const struct gb_run_names *names, const char *id);

/* What a run is mostly about: the model of its GPU, or without one of its CPU; "unknown". */
const char *gb_run_machine(const struct gb_run *run);

#endif
