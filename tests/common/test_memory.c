/* test_memory.c -- counted allocation, from which the record's `memory` is computed. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdint.h>
#include <string.h>

#include "common/memory.h"

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
	for (size_t bytes = 1; bytes < (size_t)64 << 20; bytes = bytes * 3 + 1) {
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
	err = (struct gb_error){ 0 };
	cr_assert(eq(ptr, gb_host_alloc((size_t)1 << 50, 1, &err), NULL));
	cr_assert(eq(int, (int)err.code, GB_EMEMORY));
	cr_assert(strstr(err.message, "needs 1.00 PiB of host memory, ") != NULL, "%s",
		  err.message);
	cr_assert(strstr(err.message, " free") != NULL);
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
	cr_assert(eq(sz, gb_memory_used(GB_HOST_MEMORY), before + ((size_t)1 << 42)));
	gb_memory_set_dry(false);
	gb_host_free(p);
	cr_assert(eq(sz, gb_memory_used(GB_HOST_MEMORY), before));
}
