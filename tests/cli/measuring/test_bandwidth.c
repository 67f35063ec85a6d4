/* test_bandwidth.c -- the copy bandwidth of the machine, measured on its CPU. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/measuring/bandwidth.h"

static const struct gb_settings how;

Test(bandwidth, is_measured_once_per_thread_count)
{
	double first;

	cr_assert_eq(setenv("GPUBENCH_COPY", "4Mi", 1), 0);
	first = gb_copy_bandwidth(GB_CPU, 1, &how);
	/* A byte per microsecond is too slow for any memory, 100 TB/s too fast. */
	cr_assert(first > 1e6 && first < 1e14, "%g bytes per second", first);
	cr_assert_eq(setenv("GPUBENCH_COPY", "many", 1), 0);
	cr_assert(gb_copy_bandwidth(GB_CPU, 1, &how) == first, "not remembered");
	cr_assert(isnan(gb_copy_bandwidth(GB_CPU, 2, &how)), "remembered for another count");
}

Test(bandwidth, the_number_of_bytes_is_checked)
{
	struct gb_error err = { 0 };

	cr_assert_eq(setenv("GPUBENCH_COPY", "4Mi", 1), 0);
	cr_assert_eq(gb_copy_check(&err), GB_OK);
	cr_assert_eq(setenv("GPUBENCH_COPY", "many", 1), 0);
	cr_assert_eq(gb_copy_check(&err), GB_EUSAGE);
	cr_assert(strncmp(err.message, "GPUBENCH_COPY: ", 15) == 0, "%s", err.message);
}
