/* selftest.cu -- runs the right kernels.  usage: selftest [SEEDS]
 *
 * Each case is run once as the environment says, then SEEDS times under random schedules.  Nothing
 * may be wrong and nothing may be reported.
 */
#include <stdio.h>
#include <stdlib.h>

#include "cuda/gpu.h"
#include "tests/simt/control.h"
#include "tests/simt/selftest.h"

static const char *current;

bool selftest_fail(const char *file, int line, const char *condition)
{
	fprintf(stderr, "%s:%d: %s: %s does not hold\n", file, line, current, condition);
	return false;
}

static bool run_case(const struct selftest *test)
{
	current = test->name;
	const bool right = test->run();
	const bool quiet = simt_error_count() == 0;

	if (!quiet)
		fprintf(stderr, "%s: reported, but right: %s\n", test->name, simt_first_error());
	simt_forget_errors();
	if (!right || !quiet)
		(void)cudaDeviceReset();
	return right && quiet;
}

/* All cases of one table; counts into result[0] (failed) and result[1] (passed). */
static void run_table(const struct selftest *table, int result[2])
{
	for (; table->name; table++)
		result[run_case(table)]++;
}

/* The same seed gives the same schedule, another one another. */
static bool replays(void)
{
	uint64_t hash[3];

	if (!getenv("GPUBENCH_SIMT_SEED"))
		setenv("GPUBENCH_SIMT_THREADS", "1", 1);
	for (int i = 0; i < 3; i++) {
		uint64_t before;

		setenv("GPUBENCH_SIMT_SEED", i < 2 ? "12345" : "54321", 1);
		(void)cudaDeviceReset();
		before = simt_schedule_hash();
		for (const struct selftest *t = block_tests; t->name; t++)
			if (!run_case(t))
				return false;
		hash[i] = simt_schedule_hash();
		if (before != 0)
			return selftest_fail(__FILE__, __LINE__, "a reset starts afresh");
	}
	unsetenv("GPUBENCH_SIMT_SEED");
	unsetenv("GPUBENCH_SIMT_THREADS");
	(void)cudaDeviceReset();
	current = "replay";
	EXPECT(hash[0] == hash[1]);
	EXPECT(hash[0] != hash[2]);
	return true;
}

int main(int argc, char **argv)
{
	const int seeds = argc > 1 ? atoi(argv[1]) : 0;
	int result[2] = { 0, 0 };

	run_table(block_tests, result);
	run_table(grid_tests, result);
	run_table(runtime_tests, result);
	run_table(graph_tests, result);
	for (int seed = 1; seed <= seeds; seed++) {
		char text[16];

		snprintf(text, sizeof text, "%d", seed);
		setenv("GPUBENCH_SIMT_SEED", text, 1);
		(void)cudaDeviceReset();
		run_table(block_tests, result);
		run_table(grid_tests, result);
	}
	if (seeds)
		result[replays()]++;
	printf("%d passed, %d failed\n", result[1], result[0]);
	return result[0] != 0;
}
