/* test_bandwidth.c -- the copy bandwidth of the machine, measured on its CPU. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/measure/bandwidth.h"
#include "common/memory.h"
#include "common/text.h"

static const struct gb_settings how;

Test(bandwidth, is_measured_once_per_thread_count)
{
	double first;

	cr_assert_eq(setenv("GPUBENCH_COPY", "4Mi", 1), 0);
	first = gb_copy_bandwidth(GB_CPU, 1, &how, false);
	/* A byte per microsecond is too slow for any memory, 100 TB/s too fast. */
	cr_assert(first > 1e6 && first < 1e14, "%g bytes per second", first);
	gb_memory_fail_at(1);
	cr_assert(isnan(gb_copy_bandwidth(GB_CPU, 3, &how, false)), "there is no input");
	gb_memory_fail_at(0);
	cr_assert_eq(setenv("GPUBENCH_COPY", "many", 1), 0);
	cr_assert(gb_copy_bandwidth(GB_CPU, 1, &how, false) == first, "not remembered");
	cr_assert(isnan(gb_copy_bandwidth(GB_CPU, 2, &how, false)), "remembered for another count");
}

Test(bandwidth, that_was_doubted)
{
	double again;

	cr_assert_eq(setenv("GPUBENCH_COPY", "4Mi", 1), 0);
	gb_copy_remember(GB_CPU, 1, 1);
	gb_copy_remember(GB_CPU, 2, 1e15);
	again = gb_copy_bandwidth(GB_CPU, 1, &how, true);
	cr_expect(again > 1e6 && again < 1e14, "%g bytes per second", again);
	cr_expect(gb_copy_bandwidth(GB_CPU, 1, &how, false) == again);
	cr_expect(gb_copy_bandwidth(GB_CPU, 2, &how, true) == 1e15, "the larger one stays");
	cr_assert_eq(setenv("GPUBENCH_COPY", "many", 1), 0);
	cr_expect(gb_copy_bandwidth(GB_CPU, 1, &how, true) == again, "a failure changes nothing");
}

/* 64 are remembered, by back end and threads. */
Test(bandwidth, of_earlier_repetitions)
{
	cr_assert_eq(setenv("GPUBENCH_COPY", "many", 1), 0); /* so that none is measured */
	for (int i = 0; i < 65; i++)
		gb_copy_remember(i % 2 ? GB_CUDA : GB_CPU, 1000 + i, i + 1);
	cr_expect(gb_copy_bandwidth(GB_CPU, 1000, &how, false) == 1);
	cr_expect(isnan(gb_copy_bandwidth(GB_CPU, 1001, &how, false)), "of another back end");
	cr_expect(gb_copy_bandwidth(GB_CUDA, 1063, &how, false) == 64);
	cr_expect(isnan(gb_copy_bandwidth(GB_CPU, 1064, &how, false)), "there is no room");
}

/* Runs of 1 us.  Cold ones read at most a tenth more than the copy's bandwidth, hot ones twice as
 * much, but for what the caches hold. */
Test(bandwidth, rates_that_no_memory_reaches)
{
	const char *from;
	const double cache = (double)gb_backends[GB_CPU]->cache_bytes(&from);
	const struct {
		double read, copy; /* bytes, bytes per s */
		bool is_hot, emulated, failed, is_doubtful;
	} row[] = {
		{ 109e3, 100e9, false, false, false, false },
		{ 111e3, 100e9, false, false, false, true },
		{ 111e3, (double)NAN, false, false, false, false },
		{ 111e3, 100e9, true, false, false, false },
		{ 111e3, 100e9, false, true, false, false },
		{ 111e3, 100e9, false, false, true, false },
		{ cache + 199e3, 100e9, true, false, false, false },
		{ cache + 201e3, 100e9, true, false, false, true },
	};

	for (size_t i = 0; i < GB_COUNT(row); i++) {
		struct gb_result r = { .code = row[i].failed ? GB_ERUNTIME : GB_OK,
				       .variant = &(struct gb_variant){ .backend = GB_CPU },
				       .read_bytes = row[i].read,
				       .record = { .cold = row[i].is_hot ? GB_NO : GB_YES,
						   .emulated = row[i].emulated,
						   .time.median = 1e3,
						   .copy_bytes_per_s = row[i].copy } };

		gb_doubt_rate(&r);
		cr_expect_eq(r.doubtful, row[i].is_doubtful, "row %zu", i);
		cr_expect_eq(r.record.status == GB_STATUS_DOUBTFUL, row[i].is_doubtful);
		cr_expect_eq(r.record.reason && strstr(r.record.reason, "reads its input at"),
			     row[i].is_doubtful);
		if (i == 1) { /* until the copy is measured on a machine that is not busy */
			r.record.copy_bytes_per_s = 102e9;
			gb_doubt_rate(&r);
			cr_expect(!r.doubtful && !r.record.reason);
		}
		gb_record_release(&r.record);
	}
}
