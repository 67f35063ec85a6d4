/* test_plan.c -- which measurements of a plan are tried. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include "cli/measuring/plan.h"
#include "common/text.h"

Test(plan, tries_what_is_new_or_short)
{
	const double kib = 1024;
	/* A trial of 1 KiB on one thread, without flushes and with few fixed costs. */
	const struct {
		const char *what;
		double run_s, input_s, bytes, spent_s;
		int64_t threads;
		bool tried, first;
	} row[] = {
		{ "the first of its kind", 0, 0, 1e12, 1e6, 1, true, true },
		{ "as short", 1e-3, 1e-3, kib, 0.5, 1, true, false },
		{ "as short, later", 1e-3, 1e-3, kib, 1.5, 1, false, false },
		{ "much larger", 1e-3, 1e-3, 16 * kib, 4, 1, true, false },
		{ "much larger, last", 1e-3, 1e-3, 16 * kib, 6, 1, false, false },
		{ "other threads", 1e-3, 1e-3, kib, 1.5, 2, true, false },
		{ "other threads, last", 1e-3, 1e-3, kib, 2.5, 2, false, false },
		{ "long runs", 1e-3, 1e-3, 200 * kib, 0, 1, false, false },
		{ "a long input", 0, 0.02, 20 * kib, 0, 1, false, false },
		{ "long on other threads", 1e-3, 1e-3, 200 * kib, 0, 2, false, false },
	};

	for (size_t i = 0; i < GB_COUNT(row); i++) {
		const struct gb_plan_trial near = {
			.threads = 1,
			.bytes = kib,
			.input_s = row[i].input_s,
			.tried = { .cost = { .before_s = row[i].run_s, .sample_s = row[i].run_s },
				   .run_s = row[i].run_s,
				   .once_s = row[i].run_s },
		};

		cr_expect(eq(int,
			     gb_plan_tries(row[i].first ? NULL : &near, row[i].bytes,
					   row[i].threads, row[i].spent_s),
			     row[i].tried),
			  "%s", row[i].what);
	}
}
