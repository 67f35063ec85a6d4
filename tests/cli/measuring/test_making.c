/* test_making.c -- the input of a point, and a signal while it is made. */
#include "cli/measuring/making.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <unistd.h>

#include "cli/measuring/runner.h"
#include "cli/measuring/usage.h"

static int made;

/* Parameter 0: an input, after a while; 1: none; else a signal comes while it is made, which takes
 * for ever. */
static enum gb_status prepare(const void *params, void **input, struct gb_error *err)
{
	const int *kind = params;

	if (*kind == 0)
		(void)usleep(200000);
	*input = *kind == 0 ? &made : NULL;
	gb_interrupted = *kind > 1;
	while (*kind > 1)
		(void)pause();
	return *kind ? gb_fail(err, GB_EUSAGE, "no such file") : GB_OK;
}

Test(making, inputs)
{
	static const struct gb_workload workload = { .params_size = sizeof(int),
						     .prepare = prepare };
	static const enum gb_status status[] = { GB_OK, GB_EUSAGE, GB_EINTERRUPTED };
	static char *const words[] = { "", "no such file", "interrupted" };

	for (int kind = 0; kind < 3; kind++) {
		struct gb_error err = { 0 };
		void *input = &input;
		const double start_ns = gb_cpu_ns(0);

		cr_expect(eq(int, (int)gb_make_input(&workload, &kind, &input, &err),
			     (int)status[kind]));
		cr_expect(eq(str, err.message, words[kind]));
		cr_expect(eq(ptr, input, kind ? NULL : &made));
		cr_expect(eq(int, gb_making_was_left(), kind == 2));
		cr_expect(gb_cpu_ns(0) - start_ns < 50e6, "waiting takes no processor");
	}
}
