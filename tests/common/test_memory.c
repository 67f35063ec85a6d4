/* test_memory.c -- counted allocation, from which the record's `memory` is computed. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <string.h>

#include "common/memory.h"
#include "common/text.h"

static struct gb_error err;

Test(memory, counts_live_bytes_and_the_peak)
{
	const size_t before = gb_memory_used(GB_HOST_MEMORY);
	void *a, *b;

	gb_memory_mark();
	a = gb_host_alloc(1000, 4, &err);
	b = gb_host_zalloc(3, 1000, &err);
	cr_assert(a && b && !err.code);
	cr_assert(eq(sz, gb_memory_used(GB_HOST_MEMORY), before + 7000));
	gb_host_free(a);
	cr_assert(eq(sz, gb_memory_used(GB_HOST_MEMORY), before + 3000));
	cr_assert(eq(sz, gb_memory_peak(GB_HOST_MEMORY), before + 7000));
	gb_memory_mark();
	cr_assert(eq(sz, gb_memory_peak(GB_HOST_MEMORY), before + 3000));
	gb_host_free(b);
	gb_host_free(NULL);
}

Test(memory, aligns)
{
	for (size_t bytes = 1; bytes < (size_t)64 << 20; bytes *= 2) {
		void *p = gb_host_alloc(bytes, 1, &err);

		cr_assert(p != NULL);
		cr_assert(eq(sz, (uintptr_t)p % (bytes >= (size_t)4 << 20 ? 2 << 20 : 64), 0));
		gb_host_free(p);
	}
}

Test(memory, zero_bytes_give_a_pointer)
{
	void *p = gb_host_alloc(0, 8, &err);

	cr_assert(p != NULL);
	gb_host_free(p);
}

Test(memory, refuses_impossible_sizes)
{
	cr_assert(eq(ptr, gb_host_alloc(SIZE_MAX, 8, &err), NULL));
	cr_assert(eq(int, (int)err.code, GB_EMEMORY));
	cr_assert(eq(str, err.message, "18446744073709551615 x 8 bytes cannot be addressed"));
	err = (struct gb_error){ 0 };
	cr_assert(eq(ptr, gb_host_alloc((size_t)1 << 50, 1, &err), NULL));
	cr_assert(eq(int, (int)err.code, GB_EMEMORY));
	cr_assert(strstr(err.message, "needs 1.00 PiB of host memory, ") != NULL, "%s",
		  err.message);
	cr_assert(strstr(err.message, " free") != NULL);
	err = (struct gb_error){ 0 };
	cr_assert(eq(ptr, gb_host_alloc(PTRDIFF_MAX - ((size_t)4 << 20), 1, &err), NULL));
	cr_assert(strstr(err.message, "needs 8192 PiB of host memory, ") != NULL, "%s",
		  err.message);
}

Test(memory, the_kth_allocation_fails)
{
	void *a, *b;

	gb_memory_fail_at(2);
	a = gb_host_alloc(1, 1, &err);
	b = gb_host_alloc(1, 1, &err);
	cr_assert(a != NULL);
	cr_assert(eq(ptr, b, NULL));
	gb_host_free(a);
	err = (struct gb_error){ 0 };
	a = gb_host_alloc(1, 1, &err);
	cr_assert(a != NULL, "only the k-th");
	gb_host_free(a);
}

Test(memory, dry_allocations_are_counted_and_free)
{
	const size_t before = gb_memory_used(GB_HOST_MEMORY);
	void *p;

	gb_memory_set_dry(true);
	p = gb_host_alloc((size_t)1 << 42, 1, &err);
	cr_assert(p != NULL, "%s", err.message);
	memset(p, 1, 1);
	cr_assert(eq(sz, gb_memory_used(GB_HOST_MEMORY), before + ((size_t)1 << 42)));
	gb_memory_set_dry(false);
	gb_host_free(p);
	cr_assert(eq(sz, gb_memory_used(GB_HOST_MEMORY), before));
}

/* Large arrays are filled by several threads. */
Test(memory, zeros)
{
	static const size_t sizes[] = { 1, 4095, 4097, (1 << 20) + 4099 };

	for (size_t i = 0; i < GB_COUNT(sizes); i++) {
		unsigned char *p = gb_host_alloc(sizes[i], 1, &err);
		size_t bits = 0;

		memset(p, 0xff, sizes[i]);
		gb_host_free(p);
		p = gb_host_zalloc(sizes[i], 1, &err);
		for (size_t k = 0; k < sizes[i]; k++)
			bits |= p[k];
		cr_expect(zero(sz, bits), "%zu bytes", sizes[i]);
		gb_host_free(p);
	}
}

static unsigned char on_device[64];
static size_t released;

static enum gb_status fill(void *array, unsigned char byte, size_t bytes, struct gb_error *why)
{
	(void)why;
	memset(array, byte, bytes);
	return GB_OK;
}

static void release(void *array)
{
	released += array == on_device;
}

/* True if the first `filled` bytes of the array are `byte`, and the others 1. */
static bool holds(const unsigned char *array, size_t size, size_t filled, unsigned char byte)
{
	size_t right = 0;

	for (size_t i = 0; i < size; i++)
		right += array[i] == (i < filled ? byte : 1);
	return right == size;
}

/* Results of one owner are overwritten, with zeros if they are not poisoned, and nothing else. */
Test(memory, results)
{
	const size_t before = gb_memory_used(GB_HOST_MEMORY);
	const int owner = 0, other = 0;
	unsigned char *a, *b, *c;

	gb_memory_own(&owner);
	a = gb_host_alloc(100, 1, &err);
	b = gb_host_alloc(64, 1, &err);
	(void)gb_memory_add(GB_DEVICE_MEMORY, on_device, sizeof on_device, release, &err);
	gb_memory_own(&other);
	c = gb_host_alloc(64, 1, &err);
	gb_memory_own(NULL);
	memset(a, 1, 100);
	memset(b, 1, 64);
	memset(c, 1, 64);
	memset(on_device, 1, sizeof on_device);
	gb_memory_result(a, 40, 1);
	gb_memory_result(b, 1000, 0); /* no more than there is */
	gb_memory_result(c, 64, 1);
	gb_memory_result(on_device, 9, 1);
	cr_assert(zero(int, (int)gb_memory_poison(&owner, 0xb5, fill, &err)));
	cr_expect(holds(a, 100, 40, 0xb5));
	cr_expect(holds(b, 64, 64, 0));
	cr_expect(holds(c, 64, 0, 0));
	cr_expect(holds(on_device, sizeof on_device, 9, 0xb5));
	gb_memory_free_owned(&owner);
	cr_expect(eq(sz, released, 1));
	cr_expect(zero(sz, gb_memory_used(GB_DEVICE_MEMORY)));
	cr_expect(eq(sz, gb_memory_used(GB_HOST_MEMORY), before + 64));
	gb_memory_free_owned(&other);
	cr_expect(eq(sz, gb_memory_used(GB_HOST_MEMORY), before));
}
