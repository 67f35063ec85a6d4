/* test_available.c -- available memory, under limits in fake files and under the limits of the
 * process.
 */
#include "common/available.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/memory.h"
#include "tests/file_of.h"
#include "tests/sanitized.h"

static char root[] = "/tmp/gpubench-cgroup-XXXXXX";

static void write_file(const char *name, const char *text)
{
	char path[512];
	FILE *file;

	(void)snprintf(path, sizeof path, "%s/%s", root, name);
	for (char *slash = path + strlen(root) + 1; (slash = strchr(slash, '/')); slash++) {
		*slash = '\0';
		(void)mkdir(path, 0700);
		*slash = '/';
	}
	file = fopen(path, "w");
	cr_assert(file, "%s", path);
	(void)fputs(text, file);
	(void)fclose(file);
}

static void remove_all(void)
{
	char command[64];

	(void)snprintf(command, sizeof command, "rm -r %s", root);
	(void)!system(command);
}

static void make_root(void)
{
	cr_assert(mkdtemp(root));
}

TestSuite(available, .init = make_root, .fini = remove_all);

static uint64_t left(const char *groups)
{
	const size_t files = open_files();
	uint64_t bytes;
	char path[128];

	write_file("groups", groups);
	(void)snprintf(path, sizeof path, "%s/groups", root);
	bytes = gb_cgroup_available(path, root);
	cr_expect_eq(open_files(), files);
	return bytes;
}

Test(available, version_2_own_group)
{
	write_file("job/step/memory.max", "1000000\n");
	write_file("job/step/memory.current", "300000\n");
	cr_expect_eq(left("0::/job/step\n"), 700000);
	write_file("job/step/memory.stat", "anon 1\ninactive_file 200000\n");
	cr_expect_eq(left("0::/job/step\n"), 900000, "cached files are given up");
	write_file("job/step/memory.stat", "inactive_files 5\ninactive_file_x 7\n");
	cr_expect_eq(left("0::/job/step\n"), 700000, "other numbers");
	write_file("job/step/memory.stat", "inactive_file 400000\n");
	cr_expect_eq(left("0::/job/step\n"), 1000000, "no more than is used");
	write_file("job/step/memory.current", "none\n");
	cr_expect_eq(left("0::/job/step\n"), UINT64_MAX);
	write_file("job/step/memory.current", "300000\n");
	write_file("job/step/memory.max", "max\n");
	cr_expect_eq(left("0::/job/step\n"), UINT64_MAX);
}

Test(available, version_2_group_around)
{
	write_file("job/memory.max", "500\n");
	write_file("job/memory.current", "100\n");
	write_file("job/step/memory.max", "1000\n");
	write_file("job/step/memory.current", "100\n");
	cr_expect_eq(left("0::/job/step\n"), 400);
	write_file("job/memory.current", "600\n");
	cr_expect_eq(left("0::/job/step\n"), 0);
}

/* The path may be that of the host, which does not exist in the container. */
Test(available, version_2_in_a_container)
{
	write_file("memory.max", "5000\n");
	write_file("memory.current", "1000\n");
	cr_expect_eq(left("0::/outside/of/it\n"), 4000);
}

Test(available, version_1)
{
	write_file("memory/job/memory.limit_in_bytes", "8000\n");
	write_file("memory/job/memory.usage_in_bytes", "3000\n");
	write_file("memory/job/memory.stat", "cache 9\ntotal_inactive_file 500\n");
	cr_expect_eq(left("5:cpu,cpuacct:/job\n4:hugetlb,memory:/job\n0::/\n"), 5500);
	cr_expect_eq(left("4:cpuset:/job\n0::/\n"), UINT64_MAX);
	cr_expect_eq(left("4:memory:/other\n4\n4:memory\n"), UINT64_MAX);
	write_file("memory.max", "700\n");
	write_file("memory.current", "0\n");
	cr_expect_eq(left("4:memory:/job\n0::/\n"), 700, "the least of both");
}

Test(available, no_groups)
{
	cr_expect_eq(gb_cgroup_available("/no/such/file", root), UINT64_MAX);
}

/* Bytes of address space, or of data and stack, in use: terabytes under AddressSanitizer. */
static rlim_t bytes_used(bool is_data)
{
	FILE *file = fopen("/proc/self/statm", "r");
	unsigned long pages = 0, data = 0;

	cr_assert(file && fscanf(file, "%lu %*u %*u %*u %*u %lu", &pages, &data) == 2);
	(void)fclose(file);
	return (rlim_t)(is_data ? data : pages) * (rlim_t)sysconf(_SC_PAGESIZE);
}

Test(available, data)
{
	const size_t files = open_files();
	const rlim_t most = bytes_used(true) + ((rlim_t)1 << 30);
	const struct rlimit limit = { most, most };

	cr_assert_eq(setrlimit(RLIMIT_DATA, &limit), 0);
	cr_expect_leq(gb_host_available(), (uint64_t)1 << 30);
	if (UNLESS_SANITIZED(true, false)) {
		cr_assert_eq(setrlimit(RLIMIT_DATA, &(struct rlimit){ 4096, 4096 }), 0);
		cr_expect_eq(gb_host_available(), 0);
	}
	cr_expect_eq(open_files(), files);
}

/* The limit is safe to set: every test runs in its own process. */
Test(available, address_space)
{
	const rlim_t most = bytes_used(false) + ((rlim_t)4 << 30);
	const struct rlimit limit = { most, most };
	struct gb_error err = { 0 };

	cr_assert_eq(setrlimit(RLIMIT_AS, &limit), 0);
	cr_expect_leq(gb_host_available(), (uint64_t)4 << 30);
	cr_expect_null(gb_host_alloc((size_t)5 << 30, 1, &err));
	cr_expect(strstr(err.message, "needs 5.00 GiB of host memory, ") != NULL, "%s",
		  err.message);
}
