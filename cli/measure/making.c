/* making.c -- makes the input of a point. */
#include "cli/measure/making.h"

#include "cli/measure/interrupt.h"

struct making {
	const struct gb_workload *workload;
	const void *params;
	void **input;
	struct gb_error *err;
};

static void make(void *self)
{
	const struct making *making = self;

	(void)making->workload->prepare(making->params, making->input, making->err);
}

enum gb_status gb_make_input(const struct gb_workload *workload, const void *params, void **input,
			     struct gb_error *err)
{
	struct making making = { workload, params, input, err };

	*input = NULL;
	if (!gb_ends(make, &making)) {
		*input = NULL; /* half made */
		gb_fail(err, GB_EINTERRUPTED, "interrupted");
	}
	return err->code;
}
