/* test_done.c -- how often a list of records contains a key. */
#include <criterion/criterion.h>
#include <stdio.h>

#include "cli/records/done.h"
#include "tests/line_of.h"

/* A failed measurement does not count, and on request neither does an unverified one. */
Test(done, counts_finished_keys)
{
	static const char *const status[] = { "ok", "failed", "unverified", "skipped" };
	static const bool again[3][4] = { { 0 }, { 0, 1 }, { 0, 1, 1 } };
	struct gb_records list = { 0 };
	struct gb_error err = { 0 };

	for (size_t i = 0; i < 8; i++) {
		char text[128];

		(void)snprintf(text, sizeof text,
			       "{\"type\":\"record\",\"key\":\"%s\",\"status\":\"%s\"}",
			       status[i % 4], status[i % 4]);
		add_line_of(&list, text);
	}
	for (int mode = GB_AGAIN_NONE; mode <= GB_AGAIN_UNVERIFIED; mode++) {
		struct gb_done done = { 0 };

		cr_assert_not(gb_done_init(&done, &list, (enum gb_again)mode, &err));
		cr_expect_eq(gb_done_times(&done, "o"), 0);
		for (size_t i = 0; i < 4; i++) {
			cr_expect_eq(gb_done_times(&done, status[i]), again[mode][i] ? 0 : 2);
			for (size_t k = 0; k < 2 && again[mode][i]; k++) {
				const struct gb_record *record = gb_done_again(&done, status[i]);

				cr_expect_eq(record, list.record[4 * k + i]);
				gb_done_remove(&done, record);
			}
			cr_expect_null(gb_done_again(&done, status[i]));
		}
		gb_done_release(&done);
	}
	gb_records_release(&list);
}

/* A key whose run hung is neither counted nor measured again. */
Test(done, a_run_that_hung)
{
	struct gb_records list = { 0 };
	struct gb_error err = { 0 };
	struct gb_done done = { 0 };

	add_line_of(&list, "{\"type\":\"record\",\"key\":\"a\",\"status\":\"failed\","
			   "\"error\":\"runtime\"}");
	add_line_of(&list, "{\"type\":\"record\",\"key\":\"b\",\"status\":\"failed\","
			   "\"error\":\"hang\"}");
	cr_assert_not(gb_done_init(&done, &list, GB_AGAIN_UNVERIFIED, &err));
	cr_expect(gb_done_again(&done, "a") && !gb_done_hung(&done, "a"));
	cr_expect(!gb_done_again(&done, "b") && gb_done_hung(&done, "b"));
	cr_expect_eq(gb_done_times(&done, "b"), 0);
	gb_done_release(&done);
	gb_records_release(&list);
}
