/* test_need.c -- tests that a point which does not fit in memory is found before its input is
 * made.
 */
#include "cli/measure/need.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/measure/sweep.h"
#include "cli/workloads/registry.h"
#include "common/available.h"
#include "common/memory.h"
#include "common/text.h"
#include "common/timer.h"
#include "common/variants.h"

static enum gb_status ask(const char *bench, const char *name, const char *words,
			  struct gb_need *need, struct gb_error *err)
{
	const struct gb_workload *workload = gb_workload_find(bench);
	void *params = malloc(workload->params_size);
	struct gb_sweep sweep = { 0 };
	struct gb_error bad = { 0 };

	cr_assert_eq(gb_sweep_words(&sweep, workload, words, &bad), GB_OK, "%s", bad.message);
	gb_sweep_point(&sweep, 0, params);
	for (size_t i = 0; i < gb_variant_count; i++)
		if (gb_equal(gb_variants[i].workload, bench) && gb_variants[i].backend == GB_CPU &&
		    gb_equal(gb_variants[i].name, name))
			cr_expect_eq(gb_need_fits(need, workload, &gb_variants[i], params, false, 0,
						  err),
				     err->code);
	gb_sweep_release(&sweep);
	free(params);
	cr_expect_not(gb_memory_is_dry());
	cr_expect_eq(gb_memory_used(GB_HOST_MEMORY), 0);
	return err->code;
}

/* 512 M triangles take minutes to make, and more memory than most machines have. */
Test(need, a_scene_that_does_not_fit_is_reported_at_once)
{
	const uint64_t available = gb_host_available();
	const double start = gb_now_ns();
	struct gb_error err = { 0 };
	struct gb_need need;

	(void)ask("lbvh", "apetrei", "--count=512M", &need, &err);
	cr_expect_gt(need.host_bytes, (size_t)60 << 30);
	cr_expect_eq(err.code, need.host_bytes > available ? GB_EMEMORY : GB_OK);
	if (err.code)
		cr_expect(strstr(err.message, "needs ") && strstr(err.message, " free"), "%s",
			  err.message);
	cr_expect_lt(gb_now_ns() - start, 30e9);
}

/* Memory that is in use already is not needed. */
Test(need, points_that_fit)
{
	struct gb_error err = { 0 };
	struct gb_need need;

	(void)gb_memory_add(GB_DEVICE_MEMORY, &need, 4096, NULL, &err);
	cr_expect_eq(ask("radix", "lsd8", "--count=1000", &need, &err), GB_OK, "%s", err.message);
	cr_expect_geq(need.host_bytes, 4 * 4000);
	cr_expect_lt(need.host_bytes, 1 << 20);
	cr_expect_eq(need.device_bytes, 0);
	gb_memory_remove(&need);
}

/* A file of a few bytes that declares gigabytes. */
Test(need, a_small_file_is_read)
{
	char path[] = "/tmp/gpubench-need-XXXXXX.el";
	const int file = mkstemps(path, 3);
	struct gb_error err = { 0 };
	struct gb_need need;
	char words[64];
	FILE *text = fdopen(file, "w");

	(void)fputs("0 30000000\n", text);
	(void)fclose(text);
	(void)snprintf(words, sizeof words, "--file=%s", path);
	(void)ask("bfs", "csr", words, &need, &err);
	cr_expect_gt(need.host_bytes, (size_t)600 << 20);
	(void)remove(path);
}

/* Needs at a limit are met.  Free memory changes, so only far more is refused. */
Test(need, limits)
{
	static const struct {
		struct gb_need need;
		bool made;
		uint64_t device_bytes;
		const char *words; /* NULL: it is met */
	} row[] = {
		{ { 0, 0 }, false, 0, NULL },
		{ { 0, 4096 }, false, 4096, NULL },
		{ { 0, 4097 }, false, 0, NULL },
		{ { 0, 3072 },
		  true,
		  2048,
		  "needs 3.00 KiB of device memory, the GPU has 2.00 KiB" },
		{ { 0, 2049 },
		  false,
		  2048,
		  "needs 2.00 KiB of device memory, the GPU has 2.00 KiB" },
		{ { (size_t)1 << 60, 0 }, true, 1, NULL },
		{ { (size_t)1 << 60, 0 },
		  false,
		  1,
		  "needs 1024 PiB of host memory, input included, " },
	};

	for (size_t i = 0; i < GB_COUNT(row); i++) {
		struct gb_error err = { 0 };

		cr_expect_eq(gb_need_met(&row[i].need, row[i].made, row[i].device_bytes, &err),
			     row[i].words ? GB_EMEMORY : GB_OK, "row %zu", i);
		cr_expect(!row[i].words ||
				  !strncmp(err.message, row[i].words, strlen(row[i].words)),
			  "%s", err.message);
	}
}

/* Files of up to 16 MiB are read to know the need. */
Test(need, large_files_are_not_read)
{
	char path[] = "/tmp/gpubench-need-XXXXXX.bin", words[64];
	const int file = mkstemps(path, 4);

	(void)snprintf(words, sizeof words, "--file=%s", path);
	for (int above = 0; above < 2; above++) {
		struct gb_error err = { 0 };
		struct gb_need need;

		cr_assert_eq(ftruncate(file, (16 << 20) + 4 * above), 0);
		cr_expect_eq(ask("radix", "lsd8", words, &need, &err), GB_OK, "%s", err.message);
		cr_expect(above ? need.host_bytes == 0 : need.host_bytes >= 16 << 20);
	}
	(void)close(file);
	(void)remove(path);
}
