/* test_bandwidth.c -- the copy bandwidth of the machine, measured on its CPU. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>

#include "cli/measuring/bandwidth.h"
#include "common/memory.h"

static const struct gb_settings how;

Test(bandwidth, is_measured_once_per_thread_count)
{
	double first;

	cr_assert_eq(setenv("GPUBENCH_COPY", "4Mi", 1), 0);
	first = gb_copy_bandwidth(GB_CPU, 1, &how);
	/* A byte per microsecond is too slow for any memory, 100 TB/s too fast. */
	cr_assert(first > 1e6 && first < 1e14, "%g bytes per second", first);
	gb_memory_fail_at(1);
	cr_assert(isnan(gb_copy_bandwidth(GB_CPU, 3, &how)), "there is no input");
	gb_memory_fail_at(0);
	cr_assert_eq(setenv("GPUBENCH_COPY", "many", 1), 0);
	cr_assert(gb_copy_bandwidth(GB_CPU, 1, &how) == first, "not remembered");
	cr_assert(isnan(gb_copy_bandwidth(GB_CPU, 2, &how)), "remembered for another count");
}

Test(bandwidth, that_was_doubted)
{
	double again;

	cr_assert_eq(setenv("GPUBENCH_COPY", "4Mi", 1), 0);
	cr_expect(isnan(gb_copy_again(GB_CPU, 1, &how)), "again before the first time");
	gb_copy_remember(GB_CPU, 1, 1);
	gb_copy_remember(GB_CPU, 2, 1e15);
	again = gb_copy_again(GB_CPU, 1, &how);
	cr_expect(again > 1e6 && again < 1e14, "%g bytes per second", again);
	cr_expect(gb_copy_bandwidth(GB_CPU, 1, &how) == again);
	cr_expect(gb_copy_again(GB_CPU, 2, &how) == 1e15, "the larger one stays");
	cr_assert_eq(setenv("GPUBENCH_COPY", "many", 1), 0);
	cr_expect(gb_copy_again(GB_CPU, 1, &how) == again, "a failure changes nothing");
}

Test(bandwidth, the_number_of_bytes_is_checked)
{
	struct gb_error err = { 0 };

	cr_assert_eq(setenv("GPUBENCH_COPY", "4Mi", 1), 0);
	cr_assert_eq(gb_copy_check(&err), GB_OK);
	cr_assert_eq(setenv("GPUBENCH_COPY", "many", 1), 0);
	cr_assert_eq(gb_copy_check(&err), GB_EUSAGE);
	cr_assert_str_eq(err.message, "GPUBENCH_COPY: --count=many: not an integer such as 4096, "
				      "10k, 16Mi or 2^20");
}

/* 64 are remembered, by back end and threads. */
Test(bandwidth, of_earlier_launches)
{
	cr_assert_eq(setenv("GPUBENCH_COPY", "many", 1), 0); /* so that none is measured */
	for (int i = 0; i < 65; i++)
		gb_copy_remember(i % 2 ? GB_CUDA : GB_CPU, 1000 + i, i + 1);
	cr_expect(gb_copy_bandwidth(GB_CPU, 1000, &how) == 1);
	cr_expect(isnan(gb_copy_bandwidth(GB_CPU, 1001, &how)), "of another back end");
	cr_expect(gb_copy_bandwidth(GB_CUDA, 1063, &how) == 64);
	cr_expect(isnan(gb_copy_bandwidth(GB_CPU, 1064, &how)), "there is no room");
}
