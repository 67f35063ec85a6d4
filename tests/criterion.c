/* criterion.c -- ends tests that hang. */
#include <stdbool.h>
#include <stdlib.h>
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
