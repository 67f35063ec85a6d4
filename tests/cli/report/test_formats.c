/* test_formats.c -- a report that cannot be written. */
#include <criterion/criterion.h>
#include <stdio.h>

#include "cli/report/print_report.h"
#include "tests/line_of.h"

static ssize_t fail_once(void *failed, const char *text, size_t size)
{
	bool *has_failed = failed;

	(void)text;
	if (*has_failed)
		return (ssize_t)size;
	*has_failed = true;
	return 0;
}

/* Only the first of several writes fails. */
Test(formats, a_write_that_fails)
{
	struct gb_records list = { 0 };

	for (int i = 0; i < 100; i++)
		add_line_of(&list, "{\"type\":\"record\",\"params\":{\"n\":1},\"time\":"
				   "{\"median\":2000,\"samples\":[2000]}}");
	for (int format = GB_FORMAT_TABLE; format < GB_FORMATS; format++) {
		bool failed = false;
		FILE *file =
			fopencookie(&failed, "w", (cookie_io_functions_t){ .write = fail_once });
		struct gb_error err = { 0 };

		cr_expect_eq(gb_report_print(file, &list, (enum gb_format)format, 0, &err), GB_EIO,
			     "%s", gb_formats[format]);
		cr_expect(failed);
		(void)fclose(file);
	}
	gb_records_release(&list);
}
