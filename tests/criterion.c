/* criterion.c -- ends tests that hang, and keeps tests from loading the system's certificates.
 *
 * Criterion starts a process per test.  Debian's build is linked with libgit2, which reads all
 * certificates whenever it is loaded, and that dominates the time of a small test.  Tests download
 * nothing, so these functions replace the two of Mbed TLS that read certificates.
 */
#include <stdlib.h>
#include <unistd.h>

/* The process of a test has a variable by which it finds its test.  Criterion's own --timeout does
 * not end a test that computes without a pause. */
__attribute__((constructor)) static void end_a_hanging_test(void)
{
	const char *seconds = getenv("TEST_SECONDS");

	if (getenv("BXFI_MAP"))
		(void)alarm(seconds ? (unsigned)strtoul(seconds, NULL, 10) : 600);
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
