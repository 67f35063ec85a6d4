/* test_key_files.c -- files of keys: limits, endings and refusals. */
#include "datasets/keys/keys.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/memory.h"
#include "common/text.h"

static char path[] = "/tmp/gpubench-keys-XXXXXX";

static void write_file(const void *data, size_t size)
{
	int file = mkstemp(path);

	cr_assert(file >= 0 && write(file, data, size) == (ssize_t)size);
	close(file);
}

static void remove_file(void)
{
	unlink(path);
}

/* Expect this status from reading `path`; the message must name the file and contain `words`. */
static void refused(size_t key_size, enum gb_status status, const char *words)
{
	struct gb_error err = { 0 };
	void *keys = (void *)1;
	size_t count, used = gb_memory_used(GB_HOST_MEMORY);

	cr_assert_eq(gb_keys_read(path, key_size, 0, &keys, &count, &err), status);
	cr_assert(strstr(err.message, path) && strstr(err.message, words), "message: %s",
		  err.message);
	cr_assert_null(keys);
	cr_assert_eq(gb_memory_used(GB_HOST_MEMORY), used);
}

Test(key_files, whole_and_limited, .fini = remove_file)
{
	const uint64_t data[] = { 1, UINT64_MAX, 3 };
	const size_t limits[] = { 0, 2, 3, 4 }, want[] = { 3, 2, 3, 3 };

	write_file(data, sizeof data);
	for (size_t i = 0; i < GB_COUNT(limits); i++) {
		struct gb_error err = { 0 };
		void *keys;
		size_t count;

		cr_assert_eq(gb_keys_read(path, 8, limits[i], &keys, &count, &err), GB_OK);
		cr_assert_eq(count, want[i]);
		cr_assert_arr_eq(keys, data, count * 8);
		gb_host_free(keys);
		cr_assert_eq(gb_keys_read(path, 4, limits[i], &keys, &count, &err), GB_OK);
		cr_assert_eq(count, limits[i] ? limits[i] : 6);
		cr_assert_arr_eq(keys, data, count * 4);
		gb_host_free(keys);
	}
}

Test(key_files, none, .fini = remove_file)
{
	write_file("0123456789ab", 12);
	refused(8, GB_EUSAGE, "12 bytes is not a multiple of the key size, 8");
	gb_memory_fail_at(1);
	refused(4, GB_EMEMORY, "injected allocation failure");
	cr_assert_eq(truncate(path, 0), 0);
	refused(4, GB_EUSAGE, "is empty");
	unlink(path);
	refused(4, GB_EUSAGE, "No such file");
	cr_assert_eq(mkdir(path, 0700), 0);
	refused(4, GB_EUSAGE, "is a directory");
	rmdir(path);
}

Test(key_files, pipe_without_a_writer, .fini = remove_file)
{
	write_file("", 0);
	unlink(path);
	cr_assert_eq(mkfifo(path, 0600), 0);
	refused(4, GB_EUSAGE, "is not a regular file");
}

Test(key_files, unreadable, .fini = remove_file)
{
	write_file("1234", 4);
	chmod(path, 0);
	if (geteuid() == 0) /* root may read everything: become nobody in this test's process */
		cr_assert(chown(path, 1, 1) == 0 && seteuid(65534) == 0);
	refused(4, GB_EUSAGE, "Permission denied");
	if (getuid() == 0)
		cr_assert(seteuid(0) == 0);
}

Test(key_files, larger_than_memory, .fini = remove_file)
{
	write_file("", 0);
	if (truncate(path, (off_t)1 << 42)) /* sparse; some file systems cannot */
		cr_skip_test("no sparse file of 4 TiB: %s", strerror(errno));
	refused(4, GB_EMEMORY, "1099511627776 keys of 4 bytes: needs 4.00 TiB of host memory");
}

Test(key_files, dry_run_counts_and_does_not_read, .fini = remove_file)
{
	struct gb_error err = { 0 };
	void *keys;
	size_t count, used = gb_memory_used(GB_HOST_MEMORY);

	write_file("", 0);
	if (truncate(path, (off_t)1 << 36))
		cr_skip_test("no sparse file of 64 GiB: %s", strerror(errno));
	gb_memory_set_dry(true);
	cr_assert_eq(gb_keys_read(path, 4, 0, &keys, &count, &err), GB_OK, "%s", err.message);
	cr_assert_eq(count, (size_t)1 << 34);
	cr_assert_eq(gb_memory_used(GB_HOST_MEMORY), used + ((size_t)1 << 36));
	gb_host_free(keys);
	gb_memory_set_dry(false);
}
