/* fuzz_records.c -- arbitrary bytes as a record file: read, then printed in every format, as
 * machines side by side, and as a history.
 */
#include "cli/reports/exchange/exchange.h"
#include "cli/reports/history/print.h"
#include "cli/reports/history/scan.h"
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

/* The series have no more launches than the file. */
static void history(FILE *nowhere, const struct gb_records *list)
{
	struct gb_store store = { 0 };
	struct gb_error err = { 0 };

	if (gb_store_file(&store, "fuzz.jsonl", list, NULL, &err))
		goto out;
	for (int order = GB_ORDER_DATE; order <= GB_ORDER_COMMIT; order++) {
		struct gb_history history = { .order = (enum gb_order)order,
					      .threshold = 0.05,
					      .rule = gb_shift_rule };
		char why[GB_HISTORY_WHY];
		size_t launches = 0;

		if (!gb_history_judge(&history, &store, &err)) {
			for (size_t i = 0; i < history.count; i++)
				launches += history.trend[i].count;
			if (launches > store.launches)
				abort();
			(void)gb_history_status(&history, why);
			for (int format = 0; format < GB_FORMATS; format++)
				(void)gb_history_print(nowhere, &history, (enum gb_format)format,
						       &err);
		}
		gb_history_release(&history);
	}
out:
	gb_store_release(&store);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static FILE *nowhere;
	struct gb_records list = { 0 };
	struct gb_scanner scanner = { 0 };
	struct gb_error err = { 0 };
	const char *path = fuzz_file(data, size, ".jsonl");

	if (!nowhere)
		nowhere = fopen("/dev/null", "w");
	if (!gb_records_read(path, &list, &err)) {
		report(nowhere, &list);
		versus(nowhere, &list);
		history(nowhere, &list);
	}
	if (gb_scan_file(&scanner, path))
		history(nowhere, &scanner.file);
	gb_scanner_release(&scanner);
	gb_records_release(&list);
	(void)unlink(path);
	return 0;
}
