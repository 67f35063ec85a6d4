/* key.h -- the key that identifies a measurement across files: variant and parameters as text.
 *
 *	radix/cuda/onesweep count=16777216 values=u32
 *
 * A key lists the parameters that apply to the variant, in the order of their table, each in its
 * canonical spelling (gb_value_text()).  A parameter is omitted if it has the value that keys leave
 * out (struct gb_param's `keyed`) or is a path not given.  So no key changes when a benchmark gains
 * a parameter or another default.
 */
#ifndef GPUBENCH_CLI_RECORDS_KEY_H
#define GPUBENCH_CLI_RECORDS_KEY_H

#include "cli/benchmarks/value.h"
#include "cli/records/record.h"

/* True if the parameter can change what the variant does. */
bool gb_param_applies(const struct gb_param *param, const struct gb_variant *variant);

/* The key of a measurement, for free().  NULL, with err set, if memory ran out. */
char *gb_record_key(const struct gb_benchmark *benchmark, const struct gb_variant *variant,
		    const void *params, struct gb_error *err);

/* Add the parameters (with `keyed`) that the benchmark gained after the record was written, and drop
 * those that it has lost and the key omits, so that tables line up. */
enum gb_status gb_renew_params(const struct gb_benchmark *benchmark, struct gb_record *record,
			       struct gb_error *err);

/* The value of a member of "params".  Flags are flags; choices and paths are text; integers and
 * floats are numbers.  An integer that JSON may not hold exactly is text in `digits`.  A path not
 * given is absent. */
struct gb_field_value gb_param_value(const struct gb_param *param, union gb_value value,
				     char digits[32]);

#endif
