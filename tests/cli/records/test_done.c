/* How often a list of records holds a key. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <stdio.h>

#include "cli/records/done.h"
#include "tests/line_of.h"

Test(done, counts_keys)
{
	static const char *const lines[] = {
		"{\"type\":\"record\",\"key\":\"b\"}",
		"{\"type\":\"record\",\"key\":\"a\"}",
		"{\"type\":\"record\",\"key\":\"b\"}",
		"{\"type\":\"run\",\"run_id\":\"1\"}",
	};
	struct gb_records list = { 0 };
	struct gb_done done = { 0 };
	struct gb_error err = { 0 };

	for (size_t i = 0; i < 4; i++)
		add_line_of(&list, lines[i]);
	cr_assert(eq(int, (int)gb_done_init(&done, &list, GB_AGAIN_NONE, &err), GB_OK));
	cr_expect(eq(i64, gb_done_times(&done, "a"), 1));
	cr_expect(eq(i64, gb_done_times(&done, "b"), 2));
	cr_expect(eq(i64, gb_done_times(&done, ""), 0));
	cr_expect(eq(i64, gb_done_times(&done, "c"), 0));
	gb_done_release(&done);
	gb_records_release(&list);
}

/* A measurement that failed or, on request, was not verified is not done. */
Test(done, again)
{
	static const char *const status[] = { "ok", "failed", "unverified", "skipped" };
	static const int again[3][4] = { { 0 }, { 0, 1 }, { 0, 1, 1 } };
	struct gb_records list = { 0 };
	struct gb_error err = { 0 };

	for (size_t i = 0; i < 4; i++) {
		char text[128];

		(void)snprintf(text, sizeof text,
			       "{\"type\":\"record\",\"key\":\"%s\",\"status\":\"%s\"}", status[i],
			       status[i]);
		add_line_of(&list, text);
	}
	for (int mode = GB_AGAIN_NONE; mode <= GB_AGAIN_UNVERIFIED; mode++) {
		struct gb_done done = { 0 };

		cr_assert(
			eq(int, (int)gb_done_init(&done, &list, (enum gb_again)mode, &err), GB_OK));
		for (size_t i = 0; i < 4; i++) {
			const struct gb_record *record = gb_done_again(&done, status[i]);

			cr_expect(eq(i64, gb_done_times(&done, status[i]), !again[mode][i]));
			cr_expect(eq(int, record != NULL, again[mode][i]));
			gb_done_remove(&done, record);
			cr_expect(zero(ptr, (void *)gb_done_again(&done, status[i])));
		}
		gb_done_release(&done);
	}
	gb_records_release(&list);
}
