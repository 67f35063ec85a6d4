/* test_key_files.c -- files of keys: limits, endings and refusals. */
#include "datasets/keys/keys.h"

#include <criterion/criterion.h>
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/memory.h"
#include "common/text.h"
#include "datasets/reading/notes.h"

static char path[] = "/tmp/gpubench-keys-XXXXXX";

static void write_file(const void *data, size_t size)
{
	int file;

	memcpy(path + sizeof path - 7, "XXXXXX", 6);
	file = mkstemp(path);

	cr_assert(file >= 0 && write(file, data, size) == (ssize_t)size);
	close(file);
}

static void remove_file(void)
{
	unlink(path);
}

/* Read `path`. */
static enum gb_status read_keys(enum radix_type type, size_t limit, void **keys, size_t *count,
				struct gb_error *err)
{
	struct radix_input in = { .type = type, .key_size = radix_key_size(type) };

	if (gb_keys_read(path, limit, &in, err)) {
		gb_host_free(in.keys);
		in.keys = NULL;
	}
	*keys = in.keys;
	*count = in.count;
	return err->code;
}

/* Expect this status from reading `path`; the message must name the file and contain `words`. */
static void refused(enum radix_type type, enum gb_status status, const char *words)
{
	struct gb_error err = { 0 };
	void *keys = (void *)1;
	size_t count, used = gb_memory_used(GB_HOST_MEMORY);

	cr_assert_eq(read_keys(type, 0, &keys, &count, &err), status);
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

		cr_assert_eq(read_keys(RADIX_U64, limits[i], &keys, &count, &err), GB_OK);
		cr_assert_eq(count, want[i]);
		cr_assert_eq(gb_reader_notes()->altered, limits[i] == 4);
		cr_assert_arr_eq(keys, data, count * 8);
		gb_host_free(keys);
		cr_assert_eq(read_keys(RADIX_U32, limits[i], &keys, &count, &err), GB_OK);
		cr_assert_eq(count, limits[i] ? limits[i] : 6);
		cr_assert_arr_eq(keys, data, count * 4);
		gb_host_free(keys);
	}
}

struct file {
	const char *header; /* of NumPy, before the bytes; or NULL */
	const void *bytes;
	size_t size;
	enum radix_type type;
	const char *fault; /* NULL: read as `keys` */
	size_t count;
	uint64_t keys[6];
};

#define TEXT(text)       text, sizeof(text) - 1
#define NPY(type, shape) "{'descr': '" type "', 'fortran_order': False, 'shape': (" shape "), }\n"
#define REFUSED(words) \
	words, 0,      \
	{              \
		0      \
	}

/* Write the file. */
static void make(const struct file *f)
{
	const size_t length = f->header ? strlen(f->header) : 0;
	unsigned char bytes[300] = "\x93NUMPY\1";
	size_t size = 0;

	if (f->header) {
		bytes[8] = (unsigned char)length;
		memcpy(bytes + 10, f->header, length);
		size = 10 + length;
	}
	memcpy(bytes + size, f->bytes, f->size);
	write_file(bytes, size + f->size);
}

static void try(const struct file *files, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct gb_error err = { 0 };
		void *keys;
		size_t got;

		make(&files[i]);
		if (files[i].fault) {
			refused(files[i].type, GB_EUSAGE, files[i].fault);
			remove_file();
			continue;
		}
		cr_assert_eq(read_keys(files[i].type, 0, &keys, &got, &err), GB_OK, "%s",
			     err.message);
		remove_file();
		cr_assert_eq(got, files[i].count, "file %zu", i);
		for (size_t k = 0; k < got; k++)
			cr_assert_eq(radix_load(keys, radix_key_size(files[i].type), k),
				     files[i].keys[k], "file %zu, key %zu", i, k);
		gb_host_free(keys);
	}
}

Test(key_files, text)
{
	static const struct file files[] = {
		{ NULL, TEXT("5\n3\n1"), RADIX_U32, NULL, 3, { 5, 3, 1 } },
		{ NULL,
		  TEXT("# keys\r\n\r\n 007,\r\n+4294967295 ;\n"),
		  RADIX_U32,
		  NULL,
		  2,
		  { 7, UINT32_MAX } },
		{ NULL, TEXT("1\r2\r3\r"), RADIX_U32, NULL, 3, { 1, 2, 3 } },
		{ NULL, TEXT("18446744073709551615\n0\n"), RADIX_U64, NULL, 2, { UINT64_MAX, 0 } },
		{ NULL,
		  TEXT("-1.5\n1e-3\nnan\n-0\n"),
		  RADIX_F32,
		  NULL,
		  4,
		  { 0xbfc00000, 0x3a83126f, 0x7fc00000, 0x80000000 } },
		{ NULL,
		  TEXT("-128\n+7\n-2147483648\n"),
		  RADIX_I32,
		  NULL,
		  3,
		  { (uint32_t)-128, 7, (uint32_t)INT32_MIN } },
		{ NULL, TEXT("-9223372036854775808\n"), RADIX_I64, NULL, 1, { UINT64_C(1) << 63 } },
		{ NULL, TEXT("255\n0\n"), RADIX_U8, NULL, 2, { 255, 0 } },
		{ NULL,
		  TEXT("-1.5\n1e300\n"),
		  RADIX_F64,
		  NULL,
		  2,
		  { 0xbff8000000000000, 0x7e37e43c8800759c } },
		{ NULL, TEXT("256\n"), RADIX_U8, REFUSED(":1: a key is not u8: 256") },
		{ NULL, TEXT("2147483648\n"), RADIX_I32, REFUSED(":1: a key is not i32") },
		{ NULL, TEXT("-9223372036854775809\n"), RADIX_I64,
		  REFUSED(":1: a key is not i64") },
		{ NULL, TEXT("5\n4294967296\n"), RADIX_U32,
		  REFUSED(":2: a key is not u32: 4294967296") },
		{ NULL, TEXT("18446744073709551616\n"), RADIX_U64,
		  REFUSED(":1: a key is not u64") },
		{ NULL, TEXT("5\n-1\n"), RADIX_U32, REFUSED(":2: a key is not u32: -1") },
		{ NULL, TEXT("5\n1.5\n"), RADIX_U64, REFUSED(":2: a key is not u64: 1.5") },
		{ NULL, TEXT("# c\nkey\n1\n2\n"), RADIX_U32, NULL, 2, { 1, 2 } },
		{ NULL, TEXT("key\nother\n"), RADIX_U32, REFUSED(":2: a key is not u32: other") },
		{ NULL, TEXT("1 2\n"), RADIX_U32, REFUSED(":1: more than one number") },
		{ NULL, TEXT("1,2\n"), RADIX_U32, REFUSED(":1: more than one number") },
		{ NULL, TEXT("1e39\n"), RADIX_F32, REFUSED(":1: a key is not f32: 1e39") },
		{ NULL, TEXT("# none\n\n"), RADIX_U32, REFUSED("has no keys") },
		{ NULL,
		  TEXT("\xff\xfe"
		       "1\0002\0\r\0\n\0"),
		  RADIX_U32, REFUSED("UTF-16 text") },
	};

	try(files, GB_COUNT(files));
}

/* Raw keys that begin as an XML document does, and those that lz4 has packed. */
Test(key_files, first_bytes)
{
	static const struct file files[] = {
		{ NULL, TEXT("<abc\1\2\3\4"), RADIX_U32, NULL, 2, { 0x6362613c, 0x04030201 } },
		{ NULL, TEXT("\x04\x22\x4d\x18"), RADIX_U32, REFUSED("packed with lz4") },
	};

	try(files, GB_COUNT(files));
}

Test(key_files, numpy)
{
	static const struct file files[] = {
		{ NPY("<u4", "2,"), TEXT("\1\0\0\0\2\0\0\0"), RADIX_U32, NULL, 2, { 1, 2 } },
		{ NPY(">u8", "1,"), TEXT("\0\0\0\0\0\0\1\2"), RADIX_U64, NULL, 1, { 258 } },
		{ NPY("<i2", "2,"), TEXT("\1\0\2\0"), RADIX_U32, NULL, 2, { 1, 2 } },
		{ NPY("<f4", "1,"), TEXT("\0\0\x80\x3f"), RADIX_F32, NULL, 1, { 0x3f800000 } },
		{ NPY("<i2", "2,"), TEXT("\1\0\xff\xff"), RADIX_I64, NULL, 2, { 1, UINT64_MAX } },
		{ NPY("|u1", "2,"), TEXT("\1\xff"), RADIX_U8, NULL, 2, { 1, 255 } },
		{ NPY("<f8", "1,"),
		  TEXT("\0\0\0\0\0\0\xf8\x3f"),
		  RADIX_F64,
		  NULL,
		  1,
		  { 0x3ff8000000000000 } },
		{ NPY("<u2", "1,"), TEXT("\0\1"), RADIX_U8, REFUSED("key 0 is 256, no u8") },
		{ NPY("<i2", "2,"), TEXT("\1\0\xff\xff"), RADIX_U32,
		  REFUSED("key 1 is -1, no u32") },
		{ NPY("<i8", "1,"), TEXT("\1\0\0\0\1\0\0\0"), RADIX_U32,
		  REFUSED("key 0 is 4294967297, no u32") },
		{ NPY("<f4", "1,"), TEXT("\0\0\x80\x3f"), RADIX_U32,
		  REFUSED("of type f4 has no u32 keys") },
		{ NPY("<u4", "1,"), TEXT("\0\0\x80\x3f"), RADIX_F32,
		  REFUSED("of type u4 has no f32 keys") },
		{ NPY("<u4", "2,"), TEXT("\1\0\0\0"), RADIX_U32,
		  REFUSED("of 2 x 1 numbers of 4 bytes") },
		{ NPY("<u2", "1,2"), TEXT("\1\0\2\0"), RADIX_U32, NULL, 2, { 1, 2 } },
		{ NPY("<u1", "2,2"), TEXT("\1\0\2\0"), RADIX_U32,
		  REFUSED("of 2 x 2 numbers is not one row") },
		{ NPY("<u2", "0,"), TEXT(""), RADIX_U32,
		  REFUSED("of 0 x 1 numbers is not one row") },
	};

	try(files, GB_COUNT(files));
}

/* A frame of zstd with one raw block, whole and cut, if the library is there. */
Test(key_files, zstd)
{
#define ZSTD "\x28\xb5\x2f\xfd\x20\6\x31\0\0"
	static const struct file packed[] = {
		{ NULL, TEXT(ZSTD "1\n2\n3\n"), RADIX_U32, NULL, 3, { 1, 2, 3 } },
		{ NULL, TEXT(ZSTD "1\n2"), RADIX_U32, REFUSED("the packed data ends too early") },
		{ NULL,
		  TEXT(ZSTD "1\n2\n3\n" ZSTD "4\n5\n6\n"),
		  RADIX_U32,
		  NULL,
		  6,
		  { 1, 2, 3, 4, 5, 6 } },
	};
	static const struct file absent[] = {
		{ NULL, TEXT(ZSTD "1\n2\n3\n"), RADIX_U32, REFUSED("whose library") },
	};

	if (dlopen("libzstd.so.1", RTLD_NOW))
		try(packed, GB_COUNT(packed));
	else
		try(absent, GB_COUNT(absent));
}

/* A number of keys that the size does not confirm is a key. */
Test(key_files, sosd)
{
	static const uint32_t u32[] = { 3, 0, 7, 8, 9 }, short_u32[] = { 4, 0, 7, 8 };
	static const uint64_t u64[] = { 2, 7, 8 };
	static const struct file files[] = {
		{ NULL, u32, sizeof u32, RADIX_U32, NULL, 3, { 7, 8, 9 } },
		{ NULL, u64, sizeof u64, RADIX_U64, NULL, 2, { 7, 8 } },
		{ NULL, u64 + 1, 16, RADIX_U64, NULL, 2, { 7, 8 } },
		{ NULL, short_u32, sizeof short_u32, RADIX_U32, NULL, 4, { 4, 0, 7, 8 } },
		{ NULL, u64, sizeof u64, RADIX_U32,
		  REFUSED("an SOSD file of u64 keys: see --type") },
		{ NULL, u32, sizeof u32, RADIX_U64,
		  REFUSED("an SOSD file of u32 keys: see --type") },
		{ NULL, u32, sizeof u32, RADIX_F32,
		  REFUSED("an SOSD file of u32 keys: see --type") },
	};

	try(files, GB_COUNT(files));
}

Test(key_files, none, .fini = remove_file)
{
	write_file("0123456789ab", 12);
	refused(RADIX_U64, GB_EUSAGE, "12 bytes is not a multiple of the key size, 8");
	gb_memory_fail_at(1);
	refused(RADIX_U32, GB_EMEMORY, "injected allocation failure");
	cr_assert_eq(truncate(path, 0), 0);
	refused(RADIX_U32, GB_EUSAGE, "is empty");
	unlink(path);
	refused(RADIX_U32, GB_EUSAGE, "No such file");
	cr_assert_eq(mkdir(path, 0700), 0);
	refused(RADIX_U32, GB_EUSAGE, "is a directory");
	rmdir(path);
}

Test(key_files, pipe_without_a_writer, .fini = remove_file)
{
	write_file("", 0);
	unlink(path);
	cr_assert_eq(mkfifo(path, 0600), 0);
	refused(RADIX_U32, GB_EUSAGE, "is not a regular file");
}

Test(key_files, unreadable, .fini = remove_file)
{
	write_file("1234", 4);
	chmod(path, 0);
	if (geteuid() == 0) /* root may read everything: become nobody in this test's process */
		cr_assert(chown(path, 1, 1) == 0 && seteuid(65534) == 0);
	refused(RADIX_U32, GB_EUSAGE, "Permission denied");
	if (getuid() == 0)
		cr_assert(seteuid(0) == 0);
}

Test(key_files, larger_than_memory, .fini = remove_file)
{
	write_file("", 0);
	if (truncate(path, (off_t)1 << 42)) /* sparse; some file systems cannot */
		cr_skip_test("no sparse file of 4 TiB: %s", strerror(errno));
	refused(RADIX_U32, GB_EMEMORY,
		"1099511627776 keys of 4 bytes: needs 4.00 TiB of host memory");
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
	cr_assert_eq(read_keys(RADIX_U32, 0, &keys, &count, &err), GB_OK, "%s", err.message);
	cr_assert_eq(count, (size_t)1 << 34);
	cr_assert_eq(gb_memory_used(GB_HOST_MEMORY), used + ((size_t)1 << 36));
	gb_host_free(keys);
	gb_memory_set_dry(false);
}
