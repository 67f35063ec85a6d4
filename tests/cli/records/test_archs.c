/* test_archs.c -- the advice for a GPU that the build has no code for. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/records/machine.h"
#include "common/text.h"

#define ADVICE(sm, facts)                                                                       \
	"gpubench: GPU 3 (An A10) is sm_" sm ", but this build is for " facts ": rebuild with " \
	"`make SMS=" sm "`\n"

Test(archs, advice)
{
	static const struct {
		const char *archs;
		int major, minor;
		const char *printed;
		const char *code;
	} rows[] = {
		{ "75 80", 8, 6, ADVICE("86", "75 80 and runs sm_80"), "sm_80" },
		{ "80", 9, 0, ADVICE("90", "80 and runs compute_80 by the driver"),
		  "compute_80 by the driver" },
		{ "80 90", 9, 0, "", "sm_90" },
		{ "75 80 90", 8, 6, ADVICE("86", "75 80 90"), "" },
		{ "75 80 90", 12, 0, ADVICE("120", "75 80 90"), "" },
		{ "100 120", 1, 0, ADVICE("10", "100 120"), "" },
		{ "9", 9, 0, ADVICE("90", "9"), "" },
		{ "75 80 90", 7, 5, "", "" },
		{ "75 80 90", 9, 0, "", "" },
		{ "120", 12, 0, "", "" },
		{ "", 8, 6, "", "" },   /* an emulator */
		{ "80", 0, 0, "", "" }, /* unknown */
	};
	struct gb_gpu_info gpu = { .id = 3, .name = "An A10", .number = { [GB_CUDA] = 1 } };

	for (size_t i = 0; i <= GB_COUNT(rows); i++) {
		const bool seen = i < GB_COUNT(rows); /* at last: only Vulkan sees it */
		const size_t row = seen ? i : 0;
		char *text = NULL;
		size_t length;
		FILE *file = open_memstream(&text, &length);

		(void)snprintf(gpu.code, sizeof gpu.code, "%s", rows[row].code);
		gpu.cc_major = rows[row].major;
		gpu.cc_minor = rows[row].minor;
		gpu.number[GB_CUDA] = seen;
		gb_archs_advise(file, &gpu, rows[row].archs);
		(void)fclose(file);
		cr_expect_str_eq(text, seen ? rows[row].printed : "", "row %zu", i);
		free(text);
	}
}
