/* fuzz_records.c -- arbitrary bytes as a record file: read, then printed in every format, and
 * side by side.
 */
#include "cli/report/compare/sides.h"
#include "cli/report/print_report.h"
#include "tests/fuzz/fuzz.h"

static void report(FILE *nowhere, const struct gb_records *list)
{
	struct gb_error err = { 0 };

	for (int format = 0; format < GB_FORMATS; format++)
		(void)gb_report_print(nowhere, list, (enum gb_format)format, 31U << 8, &err);
}

static void sides(FILE *nowhere, const struct gb_records *list)
{
	for (int format = 0; format < 2 * GB_FORMATS; format++) {
		struct gb_error err = { 0 };

		(void)gb_sides_print(nowhere, list, format % 2, (enum gb_format)(format / 2), &err);
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
		sides(nowhere, &list);
	}
	gb_records_release(&list);
	(void)unlink(path);
	return 0;
}
