/* fuzz_records.c -- arbitrary bytes as a record file: read, then printed in every format, and
 * as machines side by side.
 */
#include "cli/reports/exchange/exchange.h"
#include "cli/reports/table.h"
#include "cli/reports/versus/print.h"
#include "tests/fuzz/fuzz.h"

static void report(FILE *nowhere, const struct gb_records *list)
{
	struct gb_error err = { 0 };

	for (int format = 0; format < GB_FORMATS; format++)
		(void)gb_table_print(nowhere, list, (enum gb_format)format, format & 1, &err);
	(void)gb_junit_print_records(nowhere, list, &err);
	(void)gb_google_print_records(nowhere, list, &err);
}

static void versus(FILE *nowhere, const struct gb_records *list)
{
	for (int by = GB_BY_MACHINE; by < GB_BYS; by++) {
		struct gb_versus versus = { .by = (enum gb_versus_by)by };
		struct gb_error err = { 0 };

		if (!gb_versus_init(&versus, list, &err))
			for (int format = 0; format < GB_FORMATS; format++)
				(void)gb_versus_print(nowhere, &versus, list,
						      by & 1 ? GB_SHOW_RATE : GB_SHOW_TIME,
						      (enum gb_format)format, &err);
		gb_versus_release(&versus);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static FILE *nowhere;
	struct gb_records list = { 0 };
	struct gb_error err = { 0 };
	const char *path = fuzz_file(data, size, ".jsonl");

	if (!nowhere)
		nowhere = fopen("/dev/null", "w");
	if (!gb_records_read(path, &list, &err)) {
		report(nowhere, &list);
		versus(nowhere, &list);
	}
	gb_records_release(&list);
	(void)unlink(path);
	return 0;
}
