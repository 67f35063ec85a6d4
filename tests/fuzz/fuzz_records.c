/* fuzz_records.c -- any bytes as a record file: read, then printed in every format. */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "cli/records/lines.h"
#include "cli/reports/table.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static FILE *nowhere;
	struct gb_records list = { 0 };
	struct gb_error err = { 0 };
	char path[64];
	const int file = memfd_create("fuzz", 0);

	if (!nowhere)
		nowhere = fopen("/dev/null", "w");
	if (file < 0 || write(file, data, size) != (ssize_t)size)
		return 0;
	snprintf(path, sizeof path, "/proc/self/fd/%d", file);
	if (!gb_records_read(path, &list, &err)) {
		for (int format = GB_FORMAT_TABLE; format <= GB_FORMAT_JSON; format++) {
			const struct gb_style style = { .format = (enum gb_format)format };

			gb_table_print(nowhere, &list, &style, &err);
		}
	}
	gb_records_release(&list);
	close(file);
	return 0;
}
