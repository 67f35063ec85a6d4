/* test_virtual_rates.c -- the bytes of a simulated run, and rates that no memory reaches. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <string.h>

#include "cli/measuring/judge.h"
#include "common/text.h"
#include "tests/cli/measuring/virtual.h"

/* A run that reads 1 MB in 1 us moves 1 TB/s.  The memory reaches 100 GB/s. */
Test(virtual, rates_above_the_memory_are_doubtful_if_cold)
{
	static const struct {
		double bytes;
		bool is_hot, is_doubtful;
	} row[] = {
		{ 1e6, false, true },   { 1e6, true, false }, { 105e3, false, false },
		{ 115e3, false, true }, { 0, false, false },
	};

	for (size_t i = 0; i < GB_COUNT(row); i++) {
		const struct virtual_machine machine = { .device = true,
							 .bytes = row[i].bytes,
							 .process = { .run_ns = 1000 } };
		const struct gb_settings how = virtual_settings(&machine, row[i].is_hot);
		struct gb_result r = virtual_measure(&machine, &how);

		cr_assert(eq(int, (int)r.outcome, GB_RESULT_OK), "%s", r.reason);
		r.copy_bytes_per_s = 100e9;
		gb_doubt_rate(&r);
		cr_expect(eq(int, r.doubtful, row[i].is_doubtful), "row %zu", i);
		cr_expect(eq(int, strstr(r.reason, "reads its input at") != NULL,
			     row[i].is_doubtful));
		gb_result_release(&r);
	}
}

/* The bytes of a run are those of the variant's model, or of the input and what it touched.  If all
 * its data fit in caches, the input and the output count.  The word of a plug-in does not. */
Test(virtual, bytes_that_a_run_moves)
{
	static const struct {
		double touched, model;
		uint64_t cache;
		bool is_hot, remote;
		double bytes;
	} row[] = {
		{ 0, 0, 0, false, false, 1000 },          { 500, 0, 0, false, false, 1500 },
		{ 500, 0, 0, false, true, 1000 },         { 500, 3000, 0, false, false, 3000 },
		{ 0, 3000, 1 << 20, false, false, 1000 }, { 0, 3000, 1 << 20, true, false, 3000 },
		{ 0, 3000, 1, false, false, 3000 },
	};

	for (size_t i = 0; i < GB_COUNT(row); i++) {
		const struct virtual_machine machine = { .remote = row[i].remote,
							 .bytes = 1000,
							 .touched_bytes = row[i].touched,
							 .model_bytes = row[i].model,
							 .cache_bytes = row[i].cache,
							 .process = { .run_ns = 1e6 },
							 .seed = 4 };
		const struct gb_settings how = virtual_settings(&machine, row[i].is_hot);
		struct gb_result r = virtual_measure(&machine, &how);

		cr_expect(eq(dbl, r.work.bytes, row[i].bytes), "row %zu", i);
		gb_result_release(&r);
	}
}
