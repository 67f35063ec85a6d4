/* criterion.c -- ends tests that hang; tests that hang or fail make a run fail. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

/* The process of a test finds its test through this variable. */
#define IS_TEST "BXFI_MAP"

static bool is_test;

/* LeakSanitizer asks this at the end.  Criterion's own process leaks the limits of tests that have
 * one. */
int __lsan_is_turned_off(void);
int __lsan_is_turned_off(void)
{
	return !is_test;
}

/* No test computes for TEST_SECONDS [3600].  Criterion's own --timeout does not end a test that
 * computes without a pause. */
__attribute__((constructor)) static void end_a_hanging_test(void)
{
	const char *seconds = getenv("TEST_SECONDS");

	is_test = getenv(IS_TEST) != NULL;
	if (is_test)
		(void)alarm(seconds ? (unsigned)strtoul(seconds, NULL, 10) : 3600);
}

Test(criterion, hangs_if_told)
{
	for (volatile int on = getenv("TEST_HANGS") != NULL; on;)
		;
}

Test(criterion, differs_if_told)
{
	const char *told = getenv("TEST_DIFFERS");

	cr_assert(eq(str, told ? "one\ntwo" : "one\n2", "one\n2"));
}

/* The exit status of a run of a test with a limit of one second. */
static int run_of(const char *test)
{
	int status = -1;
	const pid_t child = fork();

	if (child == 0) {
		(void)unsetenv(IS_TEST);
		(void)setenv("TEST_SECONDS", "1", 1);
		(void)execv("/proc/self/exe",
			    (char *[]){ "unit", "--quiet", "--filter", (char *)test, NULL });
		_exit(127);
	}
	cr_assert_gt(child, 0);
	cr_assert_eq(waitpid(child, &status, 0), child);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

Test(criterion, tests_that_hang_or_fail)
{
	static const char *const tests[][2] = { { "criterion/hangs_if_told", "TEST_HANGS" },
						{ "criterion/differs_if_told", "TEST_DIFFERS" } };

	for (size_t i = 0; i < 2; i++) {
		(void)unsetenv(tests[i][1]);
		cr_assert_eq(run_of(tests[i][0]), 0);
		(void)setenv(tests[i][1], "1", 1);
		cr_assert_eq(run_of(tests[i][0]), 1);
	}
}
