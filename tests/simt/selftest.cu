/* selftest.cu -- runs correct programs; the emulator must report nothing.
 *
 * usage: selftest [SEEDS]
 *
 * Each program runs once in the given environment.  Kernels then run under SEEDS random
 * schedules.
 */
#include "tests/simt/selftest.h"

#include <string>

#include "tests/cudart/runtime.h"
#include "tests/simt/control.h"

static const char *current;
static int passed, failed;

bool selftest_fail(const char *file, int line, const char *condition)
{
	fprintf(stderr, "%s:%d: %s: %s does not hold\n", file, line, current, condition);
	return false;
}

/* Count a program as passed if its result is right and nothing was reported. */
static void count(const char *name, bool right)
{
	const bool quiet = report_count() == 0;

	if (!quiet)
		fprintf(stderr, "%s: reported: %s\n", name, report_first());
	report_forget();
	if (!right || !quiet)
		(void)cudaDeviceReset();
	passed += right && quiet;
	failed += !right || !quiet;
}

static void run_kernels(void)
{
	for (const struct kernel_case *c = right_kernels; c->name; c++) {
		const char *const wrong = case_run(c);

		if (wrong)
			fprintf(stderr, "%s: %s\n", c->name, wrong);
		count(c->name, !wrong);
	}
}

static void run_runtime_tests(void)
{
	for (const struct selftest *t = runtime_tests; t->name; t++) {
		current = t->name;
		count(t->name, selftest_begin() && t->run() && selftest_end());
	}
}

/* Run the kernels under a seed and return the fingerprint of their schedule. */
static uint64_t run_seed(int seed)
{
	setenv("GPUBENCH_SIMT_SEED", std::to_string(seed).c_str(), 1);
	(void)cudaDeviceReset();
	const uint64_t before = simt_schedule_hash();

	run_kernels();
	return before == 0 ? simt_schedule_hash() : 0;
}

/* The same seed gives the same schedule, and another seed a different one. */
static bool replays(void)
{
	const uint64_t hash[] = { run_seed(12345), run_seed(12345), run_seed(54321) };

	current = "replay";
	EXPECT(hash[0] != 0);
	EXPECT(hash[0] == hash[1]);
	EXPECT(hash[0] != hash[2]);
	return true;
}

int main(int argc, char **argv)
{
	const int seeds = argc > 1 ? atoi(argv[1]) : 0;

	run_kernels();
	run_runtime_tests();
	for (int seed = 1; seed <= seeds; seed++)
		(void)run_seed(seed);
	if (seeds)
		count("replay", replays());
	printf("%d passed, %d failed\n", passed, failed);
	return failed != 0;
}
