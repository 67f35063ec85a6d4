/* test_checks.c -- which needs of memory are met. */
#include "cli/measure/checks.h"

#include <criterion/criterion.h>
#include <string.h>

#include "common/text.h"

/* Needs at a limit are met.  Free memory changes, so only far more is refused. */
Test(need, limits)
{
	static const struct {
		struct gb_need need;
		bool made;
		uint64_t device_bytes;
		const char *words; /* NULL: it is met */
	} row[] = {
		{ { 0, 0 }, false, 0, NULL },
		{ { 0, 4096 }, false, 4096, NULL },
		{ { 0, 4097 }, false, 0, NULL },
		{ { 0, 3072 },
		  true,
		  2048,
		  "needs 3.00 KiB of device memory, the GPU has 2.00 KiB" },
		{ { 0, 2049 },
		  false,
		  2048,
		  "needs 2.00 KiB of device memory, the GPU has 2.00 KiB" },
		{ { (size_t)1 << 60, 0 }, true, 1, NULL },
		{ { (size_t)1 << 60, 0 },
		  false,
		  1,
		  "needs 1024 PiB of host memory, input included, " },
	};

	for (size_t i = 0; i < GB_COUNT(row); i++) {
		struct gb_error err = { 0 };

		cr_expect_eq(gb_need_met(&row[i].need, row[i].made, row[i].device_bytes, &err),
			     row[i].words ? GB_EMEMORY : GB_OK, "row %zu", i);
		cr_expect(!row[i].words ||
				  !strncmp(err.message, row[i].words, strlen(row[i].words)),
			  "%s", err.message);
	}
}
