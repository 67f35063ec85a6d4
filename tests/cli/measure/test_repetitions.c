/* test_repetitions.c -- what a repetition reads from its environment. */
#include "cli/measure/repetitions.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdlib.h>

#include "common/text.h"

Test(repetitions, role_of_a_child)
{
	static const struct {
		const char *variable;
		bool is_repetition, is_known;
		int file;
		const char *path;
		int64_t repetition, device;
		bool shared;
		int64_t resume, resumed, overwrite; /* resumed: if --resume was given */
	} row[] = {
		{ NULL, false, false, 0, NULL, 0, 0, false, 0, 0, 0 },
		{ "", false, false, 0, NULL, 0, 0, false, 0, 0, 0 },
		{ "0:0:0:0", false, false, 0, NULL, 0, 0, false, 0, 0, 0 },
		{ "0:0:0", false, false, 0, NULL, 0, 0, false, 0, 0, 0 },
		{ "x:0:0:4:a", false, false, 0, NULL, 0, 0, false, 0, 0, 0 },
		{ "0:0:0:4:a.jsonl", true, true, 4, "a.jsonl", 0, 0, false, GB_RESUME_NOT,
		  GB_RESUME_SAME, 1 },
		{ "3:1:0:7:/a:b", true, true, 7, "/a:b", 3, 1, false, GB_RESUME_ANY, GB_RESUME_ANY,
		  0 },
		{ "1:0:1:7:c", true, true, 7, "c", 1, 0, true, GB_RESUME_ANY, GB_RESUME_ANY, 0 },
		{ "-1:2:1:5:d", false, true, 5, "d", 0, 2, true, GB_RESUME_NOT, GB_RESUME_ANY, 0 },
	};

	for (size_t i = 0; i < 2 * GB_COUNT(row); i++) {
		const size_t k = i / 2;
		struct gb_request r = {
			.target = { .overwrite = 1,
				    .resume = i % 2 ? GB_RESUME_SAME : GB_RESUME_NOT },
			.repeats = { .runs = 9, .devices = 5 },
		};

		if (row[k].variable)
			(void)setenv("GPUBENCH_LAUNCH", row[k].variable, 1);
		else
			(void)unsetenv("GPUBENCH_LAUNCH");
		cr_expect(eq(int, gb_is_repetition(&r), row[k].is_repetition), "row %zu", k);
		cr_expect(eq(i64, r.repeats.runs, row[k].is_repetition ? 1 : 9), "row %zu", k);
		cr_expect(eq(int, r.repeats.devices == 5, !row[k].is_known), "row %zu", k);
		cr_expect(eq(i64, r.quiet, row[k].is_known), "row %zu", k);
		if (!row[k].is_known)
			continue;
		cr_expect(eq(int, r.target.file, row[k].file));
		cr_expect(eq(str, (char *)r.target.path, (char *)row[k].path));
		cr_expect(eq(i64, r.repeats.repetition, row[k].repetition));
		cr_expect(eq(i64, r.how.device, row[k].device));
		cr_expect(eq(int, r.target.shared, row[k].shared));
		cr_expect(eq(i64, r.target.resume, i % 2 ? row[k].resumed : row[k].resume),
			  "row %zu", k);
		cr_expect(eq(i64, r.target.overwrite, row[k].overwrite));
	}
}
