/* test_machine.c -- the text of `gpubench env`. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/reports/machine.h"
#include "tests/line_of.h"

Test(machine, tells_the_modes_that_the_driver_knows)
{
	static const struct {
		const char *gpu, *printed;
	} row[] = {
		{ "{\"id\":0,\"name\":\"A\",\"uuid\":\"U\",\"persistence\":true,\"mig\":false}",
		  "gpu 0     A, U, persistence mode on, MIG off\n" },
		{ "{\"id\":1,\"name\":\"B\",\"persistence\":false,\"mig\":true}",
		  "gpu 1     B, persistence mode off, MIG on\n" },
		{ "{\"id\":2,\"name\":\"C\"}", "gpu 2     C\n" },
	};

	for (size_t i = 0; i < GB_COUNT(row); i++) {
		struct gb_records records = { 0 };
		struct gb_error err = { 0 };
		char line[300], *text = NULL;
		size_t size;
		FILE *stream;

		snprintf(line, sizeof line, "{\"type\":\"run\",\"gpus\":[%s]}", row[i].gpu);
		cr_assert(zero(int, (int)gb_records_add(&records, line_of(line), &err)), "%s",
			  err.message);
		stream = open_memstream(&text, &size);
		gb_env_print(stream, records.run[0]);
		fclose(stream);
		cr_expect(ne(ptr, strstr(text, row[i].printed), NULL), "%s", text);
		free(text);
		gb_records_release(&records);
	}
}
