/* choice.h -- which variants a command line chooses: --backend, and words that are globs. */
#ifndef GPUBENCH_CLI_MEASURING_CHOICE_H
#define GPUBENCH_CLI_MEASURING_CHOICE_H

#include "cli/measuring/request.h"

/* Whether the request's back ends and the globs (none: all) include the variant. */
bool gb_chosen(const struct gb_request *request, const struct gb_variant *variant,
	       const char *const *glob, size_t glob_count);

/* GB_EUSAGE if a glob matches no variant of the workload. */
enum gb_status gb_check_globs(const struct gb_workload *workload, const char *const *glob,
			      size_t glob_count, struct gb_error *err);

/* Whether the command line names this back end, alone or by a variant: then its absence is an error,
 * not a skip. */
bool gb_is_explicit(const struct gb_request *request, enum gb_backend backend);

/* Bits 1 << GB_CUDA ... of the back ends of which a variant may be chosen that this build has. */
unsigned gb_chosen_backends(const struct gb_request *request);

#endif
