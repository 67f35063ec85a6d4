/* setups.h -- finds how the runs of two sides differ apart from the commit: machine, GPU, driver,
 * clocks, caches, compiler, settings.
 *
 * Only runs of keys that both sides have are compared, and only in parts that affect the key's back
 * end.  A value that is unknown on one side is not a difference.
 */
#ifndef GPUBENCH_CLI_REPORTS_COMPARE_SETUPS_H
#define GPUBENCH_CLI_REPORTS_COMPARE_SETUPS_H

#include "cli/records/lines.h"

enum { GB_SETUP_PARTS = 40, GB_SETUP_VALUES = 4 };

/* A value and a record that has it. */
struct gb_setup_value {
	struct gb_field_value is; /* absent if the record does not state it */
	const struct gb_record *record;
};

/* The first different values of a part on one side, over the keys in which it differs; the last one
 * is not named.  They point into the records. */
struct gb_setup_values {
	size_t count;
	struct gb_setup_value value[GB_SETUP_VALUES + 1];
};

/* Start with { 0 }. */
struct gb_setups {
	size_t count; /* number of parts */
	struct gb_setup_part {
		const char *name; /* "GPU" */
		bool refused;     /* times must not be compared across it */
		bool differs;     /* it differs for some key, between the sides or within one */
		struct gb_setup_values base, new_;
		struct gb_setup_values key_base, key_new; /* values of the current key */
	} part[GB_SETUP_PARTS];
};

void gb_setups_init(struct gb_setups *setups);

/* Add a record of the current key, which both sides have. */
void gb_setups_add(struct gb_setups *setups, const struct gb_record *record, bool is_new);
/* End the current key. */
void gb_setups_end_key(struct gb_setups *setups);

/* The first difference across which times must not be compared; NULL if there is none. */
const struct gb_setup_part *gb_setups_refused(const struct gb_setups *setups);

/* Format the values of a side as "A, B".  Returns text. */
char *gb_setup_values_text(const struct gb_setup_part *part, bool is_new, char *text, size_t size);

#endif
