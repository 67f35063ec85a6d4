/* What is above a size that did not fit is skipped without being tried. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <string.h>

#include "cli/commands/options.h"
#include "cli/measuring/limits.h"
#include "cli/measuring/session.h"
#include "cli/workloads/registry.h"
#include "common/memory.h"
#include "common/variants.h"

static struct gb_error err;

/* Point 0 of "--count=1000 --type=u32" of radix. */
static void point(const char *words, void *params)
{
	struct gb_sweep sweep = { 0 };

	cr_assert(eq(int, (int)gb_sweep_words(&sweep, gb_workload_find("radix"), words, &err), 0),
		  "%s", err.message);
	gb_sweep_point(&sweep, 0, params);
	gb_sweep_release(&sweep);
}

Test(limits, only_larger_points_of_the_variant_are_above)
{
	const struct gb_workload *radix = gb_workload_find("radix");
	const struct gb_variant *variant = &gb_variants[0], *other = &gb_variants[1];
	struct gb_limits limits = { 0 };
	char params[512], why[256];

	cr_assert(radix->params_size <= sizeof params);
	point("--count=1000 --type=u32", params);
	cr_assert(eq(int, (int)gb_limits_add(&limits, radix, variant, params, &err), 0));
	cr_assert(not(gb_limits_exceeded(&limits, radix, variant, params, why, sizeof why)));
	point("--count=1001 --type=u32", params);
	cr_assert(gb_limits_exceeded(&limits, radix, variant, params, why, sizeof why));
	cr_assert(eq(str, why, "larger than count=1000, which did not fit"));
	cr_assert(not(gb_limits_exceeded(&limits, radix, other, params, why, sizeof why)));
	point("--count=1001 --type=u64", params);
	cr_assert(not(gb_limits_exceeded(&limits, radix, variant, params, why, sizeof why)));
	point("--count=1001 --distribution=zipf", params);
	cr_assert(not(gb_limits_exceeded(&limits, radix, variant, params, why, sizeof why)));
	point("--count=999 --type=u32", params);
	cr_assert(not(gb_limits_exceeded(&limits, radix, variant, params, why, sizeof why)));
	gb_limits_release(&limits);
}

/* The status and the reason of record i of a session; reason "" if there is none. */
static void expect(const struct gb_session *s, size_t i, const char *status, const char *reason)
{
	const struct gb_record *record = s->records.record[i];
	const char *is = record->reason;

	cr_assert(eq(str, (char *)gb_status_word(record->status), (char *)status), "record %zu", i);
	cr_assert(strstr(is ? is : "", reason) != NULL, "record %zu: %s", i, is ? is : "no reason");
}

Test(limits, a_sweep_leaves_out_what_is_above)
{
	static const struct gb_choice choice = { .glob_count = 1, .glob = { "cpu/qsort" } };
	static struct gb_session session;
	static struct gb_request request;
	static const struct gb_rows *const shared[] = { &gb_rows_how, NULL };
	struct gb_arguments arguments = { .shared = shared,
					  .target = &request,
					  .target_size = sizeof request };
	char *argv[] = { "radix", "--samples=1", NULL };
	struct gb_sweep sweep = { 0 };

	cr_assert(eq(int, (int)gb_options_parse(&arguments, 2, argv, &err), 0));
	request.quiet = 1;
	cr_assert(eq(int,
		     (int)gb_sweep_words(&sweep, gb_workload_find("radix"),
					 "--count=1000,2000 --type=u32,u64", &err),
		     0));
	cr_assert(eq(int, (int)gb_session_open(&session, &request, 2, argv, &err), 0));
	gb_memory_fail_at(1); /* the input of 1000 u32 */
	cr_assert(eq(int, (int)gb_session_sweep(&session, &sweep, &choice, &err), 0));
	expect(&session, 0, "skipped", "injected allocation failure");
	expect(&session, 1, "ok", "");
	expect(&session, 2, "skipped", "larger than count=1000, which did not fit");
	expect(&session, 3, "ok", "");
	gb_sweep_release(&sweep);
	gb_arguments_release(&arguments);
	cr_assert(eq(int, (int)gb_session_close(&session, &err), 0));
}
