/* How often a list of records holds a key. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include "cli/records/done.h"

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
		gb_records_add(&list, cJSON_Parse(lines[i]), &err);
	cr_assert(eq(int, (int)gb_done_init(&done, &list, &err), GB_OK));
	cr_expect(eq(i64, gb_done_times(&done, "a"), 1));
	cr_expect(eq(i64, gb_done_times(&done, "b"), 2));
	cr_expect(eq(i64, gb_done_times(&done, ""), 0));
	cr_expect(eq(i64, gb_done_times(&done, "c"), 0));
	gb_done_release(&done);
	gb_records_release(&list);
}
