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
		bool is_repetition;
		int file;
		const char *path;
		int64_t repetition;
		int64_t resume, resumed, overwrite; /* resumed: if --resume was given */
	} row[] = {
		{ NULL, false, 0, NULL, 0, 0, 0, 0 },
		{ "", false, 0, NULL, 0, 0, 0, 0 },
		{ "0:4", false, 0, NULL, 0, 0, 0, 0 },
		{ "0", false, 0, NULL, 0, 0, 0, 0 },
		{ "x:4:a", false, 0, NULL, 0, 0, 0, 0 },
		{ "0:4:a.jsonl", true, 4, "a.jsonl", 0, GB_RESUME_NOT, GB_RESUME_SAME, 1 },
		{ "3:7:/a:b", true, 7, "/a:b", 3, GB_RESUME_ANY, GB_RESUME_ANY, 0 },
	};

	for (size_t i = 0; i < 2 * GB_COUNT(row); i++) {
		const size_t k = i / 2;
		struct gb_request r = {
			.target = { .overwrite = 1,
				    .resume = i % 2 ? GB_RESUME_SAME : GB_RESUME_NOT },
			.repeats = { .runs = 9 },
		};

		if (row[k].variable)
			(void)setenv("GPUBENCH_LAUNCH", row[k].variable, 1);
		else
			(void)unsetenv("GPUBENCH_LAUNCH");
		cr_expect(eq(int, gb_is_repetition(&r), row[k].is_repetition), "row %zu", k);
		cr_expect(eq(i64, r.repeats.runs, row[k].is_repetition ? 1 : 9), "row %zu", k);
		cr_expect(eq(i64, r.quiet, row[k].is_repetition), "row %zu", k);
		if (!row[k].is_repetition)
			continue;
		cr_expect(eq(int, r.target.file, row[k].file));
		cr_expect(eq(str, (char *)r.target.path, (char *)row[k].path));
		cr_expect(eq(i64, r.repeats.repetition, row[k].repetition));
		cr_expect(eq(i64, r.target.resume, i % 2 ? row[k].resumed : row[k].resume),
			  "row %zu", k);
		cr_expect(eq(i64, r.target.overwrite, row[k].overwrite));
	}
}
