/* criterion.c -- ends tests that hang, and keeps tests from loading the system's certificates.
 *
 * Criterion starts a process per test.  Debian's build is linked with libgit2, which reads all
 * certificates whenever it is loaded, and that dominates the time of a small test.  Tests download
 * nothing, so these functions replace the two of Mbed TLS that read certificates.
 */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

/* The process of a test finds its test through this variable. */
#define IS_TEST "BXFI_MAP"

/* No test computes for TEST_SECONDS [600].  Criterion's own --timeout does not end a test that
 * computes without a pause. */
__attribute__((constructor)) static void end_a_hanging_test(void)
{
	const char *seconds = getenv("TEST_SECONDS");

	if (getenv(IS_TEST))
		(void)alarm(seconds ? (unsigned)strtoul(seconds, NULL, 10) : 600);
}

Test(criterion, hangs_if_told)
{
	for (volatile int on = getenv("TEST_HANGS") != NULL; on;)
		;
}

/* The exit status of a run of hangs_if_told with a limit of one second. */
static int run_of_a_hang(void)
{
	int status = -1;
	const pid_t child = fork();

	if (child == 0) {
		(void)unsetenv(IS_TEST);
		(void)setenv("TEST_SECONDS", "1", 1);
		(void)execv("/proc/self/exe", (char *[]){ "unit", "--quiet", "--filter",
							  "criterion/hangs_if_told", NULL });
		_exit(127);
	}
	cr_assert_gt(child, 0);
	cr_assert_eq(waitpid(child, &status, 0), child);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

Test(criterion, a_test_that_hangs_ends)
{
	(void)unsetenv("TEST_HANGS");
	cr_assert_eq(run_of_a_hang(), 0);
	(void)setenv("TEST_HANGS", "1", 1);
	cr_assert_eq(run_of_a_hang(), 1);
}

int mbedtls_x509_crt_parse_file(void *chain, const char *path);
int mbedtls_x509_crt_parse_path(void *chain, const char *path);

int mbedtls_x509_crt_parse_file(void *chain, const char *path)
{
	(void)chain;
	(void)path;
	return 0;
}

int mbedtls_x509_crt_parse_path(void *chain, const char *path)
{
	(void)chain;
	(void)path;
	return 0;
}
