/* key.h -- what identifies a measurement across files: variant and parameters as text. */
#ifndef GPUBENCH_CLI_RECORDS_KEY_H
#define GPUBENCH_CLI_RECORDS_KEY_H

#include "common/workload.h"

/* Whether the parameter can change what the variant does. */
bool gb_param_applies(const struct gb_param *param, const struct gb_variant *variant);

/* "radix/cuda/onesweep count=1000000 type=u32 ...".  The parameters in the order of their table,
 * as they would be typed in plain digits; those that mean nothing to the variant and paths not
 * given are left out.  For the caller to free(); NULL, with err set, if memory ran out. */
char *gb_record_key(const struct gb_workload *workload, const struct gb_variant *variant,
		    const void *params, struct gb_error *err);

#endif
