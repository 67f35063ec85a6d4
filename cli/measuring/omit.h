/* omit.h -- the measurements that `ab` tells a launch to leave out: keys that are decided, and
 * libraries.
 *
 * GPUBENCH_OMIT=FILE in the environment names a file of lines: keys, and "peers" for all variants
 * that are libraries and are not named on the command line.  A build that does not know the variable
 * measures everything, and `ab` ignores the rest.
 */
#ifndef GPUBENCH_CLI_MEASURING_OMIT_H
#define GPUBENCH_CLI_MEASURING_OMIT_H

#include "cli/measuring/choice.h"

#define GB_OMIT_VARIABLE "GPUBENCH_OMIT"
#define GB_OMIT_PEERS    "peers"

/* Start with { 0 }, which omits nothing. */
struct gb_omit {
	bool peers;
	size_t count;
	char **key; /* owned */
};

/* Read the file that the environment names, if any.  GB_EUSAGE if it cannot be read. */
enum gb_status gb_omit_read(struct gb_omit *omit, struct gb_error *err);
/* Append a copy of the key.  GB_EMEMORY. */
enum gb_status gb_omit_add(struct gb_omit *omit, const char *key, struct gb_error *err);
void gb_omit_release(struct gb_omit *omit);

bool gb_omits_key(const struct gb_omit *omit, const char *key);
/* True if the variant is a library that is not among the words ("cpu/vqsort"). */
bool gb_omits_variant(const struct gb_omit *omit, const struct gb_variant *variant,
		      const char *const *word, size_t words);

#endif
