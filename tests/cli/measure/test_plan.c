/* test_plan.c -- the lines of a plan, and its totals. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/measure/plan.h"
#include "cli/workloads/registry.h"
#include "common/available.h"
#include "common/memory.h"
#include "common/text.h"
#include "common/variants.h"

/* ---- a toy --------------------------------------------------------------------------------- */

struct toy_params {
	int64_t count, threads, seed;
};

static size_t prepared, ran; /* but in dry runs */

static enum gb_status prepare(const void *params, void **input, struct gb_error *err)
{
	const struct toy_params *p = params;
	void *made = gb_input_begin(8, err);

	(void)gb_host_alloc((size_t)p->count, 1, err);
	if (p->count == 13)
		gb_fail(err, GB_EUNAVAILABLE, "unlucky");
	prepared += !gb_memory_is_dry();
	return gb_input_end(made, input, err);
}

static enum gb_status create(void *state, const void *params, const void *input,
			     struct gb_error *err)
{
	const struct toy_params *p = params;

	(void)gb_host_alloc((size_t)p->count, 3, err);
	memcpy(state, &p->count, sizeof p->count);
	return p->count % 1000000 == 14 ? gb_fail(err, GB_EMEMORY, "not fourteen") : err->code;
}

static enum gb_status run(void *state, struct gb_timer *timer, struct gb_error *err)
{
	ran++;
	return GB_OK;
}

static enum gb_status download(void *state, void *output, struct gb_error *err)
{
	return GB_OK;
}

static size_t output_size(const void *params, const void *input)
{
	return 8;
}

static struct gb_work work(const void *params, const void *input)
{
	return (struct gb_work){ .items = 1 };
}

static const struct gb_param rows[] = {
	{ .name = "count",
	  GB_AT(GB_INT, struct toy_params, count),
	  .initial = "1",
	  .max = INT64_C(1) << 45 },
	GB_COMMON_PARAMS(struct toy_params),
};
static struct gb_workload workload = { .name = "toy",
				       .params = rows,
				       .param_count = GB_COUNT(rows),
				       .params_size = sizeof(struct toy_params),
				       .prepare = prepare,
				       .output_size = output_size,
				       .work = work,
				       .yardstick = true,
				       .release = gb_input_release };
static const struct gb_variant_ops toy_ops = {
	.state_size = 8, .create = create, .run = run, .download = download
};
static struct gb_variant variants[] = {
	{ .workload = "toy", .name = "x", .ops = &toy_ops },
	{ .workload = "toy", .name = "y", .ops = &toy_ops },
	{ .workload = "toy", .name = "z", .absent = "not built" },
};

/* ---- plans --------------------------------------------------------------------------------- */

static char *printed(void (*print)(struct gb_plan *plan), struct gb_plan *plan)
{
	static char text[4096];
	FILE *file = tmpfile();
	const int out = dup(STDOUT_FILENO);
	size_t length;

	(void)fflush(stdout);
	(void)dup2(fileno(file), STDOUT_FILENO);
	print(plan);
	(void)fflush(stdout);
	(void)dup2(out, STDOUT_FILENO);
	(void)close(out);
	rewind(file);
	length = fread(text, 1, sizeof text - 1, file);
	text[length] = '\0';
	(void)fclose(file);
	return text;
}

static const char *words;

static void print_sweep(struct gb_plan *plan)
{
	static const struct gb_choice all;
	struct gb_sweep sweep = { 0 };
	struct gb_error err = { 0 };

	cr_assert(zero(int, (int)gb_sweep_words(&sweep, &workload, words, &err)), "%s",
		  err.message);
	cr_expect(zero(int, (int)gb_plan_sweep(plan, &sweep, &all, &err)));
	gb_sweep_release(&sweep);
}

/* The lines of a sweep, in which `*` matches any text. */
static void expect_lines(struct gb_plan *plan, const char *of, const char *pattern)
{
	char *text;

	gb_variants = variants;
	gb_variant_count = GB_COUNT(variants);
	words = of;
	text = printed(print_sweep, plan);
	cr_expect(zero(int, fnmatch(pattern, text, 0)), "%s", text);
}

Test(plan, lists_keys)
{
	const struct gb_request request = { .dry = GB_DRY_KEYS };
	struct gb_plan plan = { .session = { .request = &request, .lock = -1, .shards = 1 } };

	expect_lines(&plan, "--count=1000,13,14 --threads=1",
		     "toy/cpu/x count=1000 threads=1: host 3.91 KiB, device 0 B\n"
		     "toy/cpu/y count=1000 threads=1: host 3.91 KiB, device 0 B\n"
		     "toy/cpu/z count=1000 threads=1: skipped: not built\n"
		     "toy/cpu/x count=13 threads=1: skipped: input: unlucky\n"
		     "toy/cpu/y count=13 threads=1: skipped: input: unlucky\n"
		     "toy/cpu/z count=13 threads=1: skipped: input: unlucky\n"
		     "toy/cpu/x count=14 threads=1: skipped: not fourteen\n"
		     "toy/cpu/y count=14 threads=1: skipped: not fourteen\n"
		     "toy/cpu/z count=14 threads=1: skipped: not built\n");
	cr_expect(eq(sz, plan.measurements, 2));
	cr_expect(eq(sz, plan.skipped, 7));
	if (gb_host_available() < UINT64_C(1) << 43)
		expect_lines(&plan, "--count=2Ti --threads=1",
			     "toy/cpu/x count=2199023255552 threads=1: host 8.00 TiB (more than is "
			     "free), device 0 B\n*");
	cr_expect(prepared == 0 && ran == 0);
	gb_session_release(&plan.session);
	cr_expect(zero(sz, gb_memory_used(GB_HOST_MEMORY)));
}

static void print_total(struct gb_plan *plan)
{
	gb_plan_total(plan);
}

Test(plan, totals)
{
	static const struct {
		struct gb_plan plan;
		int64_t runs;
		const char *text;
	} row[] = {
		{ { .skipped = 3 }, 1, "\nnothing to measure\n" },
		{ { .measurements = 2, .host_bytes = 2048, .device_bytes = 5 },
		  0,
		  "\ntotal of 2: host 2.00 KiB, device 5 B\n" },
		{ { .measurements = 1, .skipped = 1 },
		  2,
		  "\ntotal of 1, 1 skipped, in 2 launches: host 0 B, device 0 B\n" },
	};

	for (size_t i = 0; i < GB_COUNT(row); i++) {
		const struct gb_request request = { .dry = GB_DRY_KEYS,
						    .repeats = { .runs = row[i].runs } };
		struct gb_plan plan = row[i].plan;

		plan.session.request = &request;
		cr_expect(eq(str, printed(print_total, &plan), (char *)row[i].text));
	}
}
