/* setups.h -- finds how the runs of two sides differ apart from the commit: machine, GPU, driver,
 * clocks, caches, compiler, settings.
 *
 * Only runs of keys that both sides have are compared, and only in parts that affect the key's back
 * end.  A value that is unknown on one side is not a difference.
 */
#ifndef GPUBENCH_CLI_REPORT_COMPARE_SETUPS_H
#define GPUBENCH_CLI_REPORT_COMPARE_SETUPS_H

#include "cli/report/keys.h"

enum { GB_SETUP_PARTS = 40 };

/* Start with { 0 }. */
struct gb_setups {
	size_t count; /* number of parts */
	struct gb_setup_part {
		const char *name; /* "GPU" */
		bool refused;     /* times must not be compared across it */
		bool differs;     /* it differs for some key, between the sides or within one */
		char base[400], new_[400]; /* "A, B": the values of the keys in which it differs */
	} part[GB_SETUP_PARTS];
};

void gb_setups_init(struct gb_setups *setups);

/* Add the records of a key, which both sides have. */
void gb_setups_add(struct gb_setups *setups, const struct gb_key_entry *entry, size_t count);

/* True if both records have a run and no difference that a setting or a machine makes: the same
 * machine, GPU and input file, and no part that only one of them knows.  Measured clocks are not
 * compared. */
bool gb_setups_equal(const struct gb_record *a, const struct gb_record *b);

/* The first difference across which times must not be compared; NULL if there is none. */
const struct gb_setup_part *gb_setups_refused(const struct gb_setups *setups);

#endif
