/* names.h -- short names for the runs of record files: only the parts that tell them apart.
 *
 * The parts are, in this order: the GPU, or the CPU of a run without one; the CPU; the host; the
 * commit; the compiler.  A part is added if runs whose names are equal so far differ in it.
 * Repetitions of one machine and build have the same name.
 */
#ifndef GPUBENCH_CLI_REPORT_NAMES_H
#define GPUBENCH_CLI_REPORT_NAMES_H

#include "cli/records/lines.h"

/* Start with { 0 }. */
struct gb_context_names {
	size_t count; /* runs with different ids, in order of first appearance */
	struct gb_context_entry {
		const char *id;                   /* points into the records */
		const struct gb_context *context; /* gb_no_run if the file has no line for it */
		char name[160];
	} * entry;
};

/* Must be released also after a failure. */
enum gb_status gb_context_names_init(struct gb_context_names *names, const struct gb_records *list,
				     struct gb_error *err);
void gb_context_names_release(struct gb_context_names *names);

/* The name of the run; "" if it is the only one, or unknown. */
const char *gb_context_name(const struct gb_context_names *names, const char *id);

/* True if the runs are repetitions of the same version of gpubench on machines of the same name. */
bool gb_contexts_alike(const struct gb_context *a, const struct gb_context *b);

/* The number of runs like run `first` of the list; 0 if an earlier one is.  *from and *to are set
 * to their first and last start, which may be NULL. */
size_t gb_contexts_like(const struct gb_records *list, size_t first, const char **from,
			const char **to);

/* The model of the run's GPU or, without one, of its CPU; "unknown". */
const char *gb_context_machine(const struct gb_context *context);

#endif
