/* key.h -- what identifies a measurement across files: variant and parameters as text.
 *
 *	radix/cuda/onesweep count=16777216 type=pairs
 *
 * A key has the parameters that apply to the variant and do not have the value that keys leave out
 * (struct gb_param's `keyed`), in the order of their table, each in its one spelling
 * (gb_value_text()); a path not given is left out.  So a parameter that is added to a benchmark
 * changes no key, nor does another default.
 */
#ifndef GPUBENCH_CLI_RECORDS_KEY_H
#define GPUBENCH_CLI_RECORDS_KEY_H

#include "cli/records/record.h"
#include "cli/workloads/value.h"

/* Whether the parameter can change what the variant does. */
bool gb_param_applies(const struct gb_param *param, const struct gb_variant *variant);

/* The key of a measurement.  For the caller to free(); NULL, with err set, if memory ran out. */
char *gb_record_key(const struct gb_workload *workload, const struct gb_variant *variant,
		    const void *params, struct gb_error *err);

/* Add to `params` of a record that was read those that the benchmark, which may be NULL, has had only
 * since then (they have a `keyed`), so that tables line up. */
enum gb_status gb_renew_params(const struct gb_workload *workload, struct gb_record *record,
			       struct gb_error *err);

/* A value as a member of "params": integers and floats as numbers, those that a number in JSON may not
 * hold exactly as text in `digits`; flags as flags, choices and paths as text; a path not given
 * is absent. */
struct gb_member gb_param_member(const struct gb_param *param, union gb_value value,
				 char digits[32]);

#endif
