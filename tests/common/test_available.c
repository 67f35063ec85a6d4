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
	char path[128];

	write_file("groups", groups);
	(void)snprintf(path, sizeof path, "%s/groups", root);
	return gb_cgroup_available(path, root);
}

Test(available, version_2_own_group)
{
	write_file("job/step/memory.max", "1000000\n");
	write_file("job/step/memory.current", "300000\n");
	cr_expect_eq(left("0::/job/step\n"), 700000);
	write_file("job/step/memory.stat", "anon 1\ninactive_file 200000\n");
	cr_expect_eq(left("0::/job/step\n"), 900000, "cached files are given up");
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
}

Test(available, no_groups)
{
	cr_expect_eq(gb_cgroup_available("/no/such/file", root), UINT64_MAX);
}

/* Bytes of address space in use: terabytes under AddressSanitizer. */
static rlim_t address_space(void)
{
	FILE *file = fopen("/proc/self/statm", "r");
	unsigned long pages = 0;

	cr_assert(file && fscanf(file, "%lu", &pages) == 1);
	(void)fclose(file);
	return (rlim_t)pages * (rlim_t)sysconf(_SC_PAGESIZE);
}

/* The limit is safe to set: every test runs in its own process. */
Test(available, address_space)
{
	const rlim_t most = address_space() + ((rlim_t)4 << 30);
	const struct rlimit limit = { most, most };
	struct gb_error err = { 0 };

	cr_assert_eq(setrlimit(RLIMIT_AS, &limit), 0);
	cr_expect_leq(gb_host_available(), (uint64_t)4 << 30);
	cr_expect_null(gb_host_alloc((size_t)5 << 30, 1, &err));
	cr_expect(strstr(err.message, "needs 5.00 GiB of host memory, ") != NULL, "%s",
		  err.message);
}
