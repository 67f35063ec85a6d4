/* test_plan.c -- which measurements of a plan are tried, its lines, and its totals. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cli/measuring/bandwidth.h"
#include "cli/measuring/plan.h"
#include "cli/workloads/registry.h"
#include "common/available.h"
#include "common/memory.h"
#include "common/text.h"
#include "common/variants.h"

Test(plan, tries_what_is_new_or_short)
{
	const double kib = 1024;
	/* A trial of 1 KiB on one thread, without flushes and with few fixed costs. */
	const struct {
		const char *what;
		double run_s, input_s, bytes, spent_s;
		int64_t threads;
		bool tried, first;
	} row[] = {
		{ "the first of its kind", 0, 0, 1e12, 1e6, 1, true, true },
		{ "as short", 1e-3, 1e-3, kib, 0.99, 1, true, false },
		{ "as short, later", 1e-3, 1e-3, kib, 1, 1, false, false },
		{ "much larger", 1e-3, 1e-3, 16 * kib, 4.99, 1, true, false },
		{ "much larger, last", 1e-3, 1e-3, 16 * kib, 5, 1, false, false },
		{ "other threads", 1e-3, 1e-3, kib, 1.99, 2, true, false },
		{ "other threads, last", 1e-3, 1e-3, kib, 2, 2, false, false },
		{ "long runs", 1e-3, 1e-3, 200 * kib, 0, 1, false, false },
		{ "a long input", 0, 0.02, 20 * kib, 0, 1, false, false },
		{ "long on other threads", 1e-3, 1e-3, 200 * kib, 0, 2, false, false },
	};

	for (size_t i = 0; i < GB_COUNT(row); i++) {
		const struct gb_plan_trial near = {
			.threads = 1,
			.bytes = kib,
			.input_s = row[i].input_s,
			.tried = { .cost = { .before_s = row[i].run_s, .sample_s = row[i].run_s },
				   .run_s = row[i].run_s,
				   .once_s = row[i].run_s },
		};

		cr_expect(eq(int,
			     gb_plan_tries(row[i].first ? NULL : &near, row[i].bytes,
					   row[i].threads, row[i].spent_s),
			     row[i].tried),
			  "%s", row[i].what);
	}
}

/* ---- a toy --------------------------------------------------------------------------------- */

static long run_ns = 2000000;

struct toy_params {
	int64_t count, edge, depth, op, threads, seed;
	const char *file;
};

static size_t prepared, ran; /* but in dry runs */

static enum gb_status prepare(const void *params, void **input, struct gb_error *err)
{
	const struct toy_params *p = params;
	void *made = gb_input_begin(8, err);

	(void)gb_host_alloc((size_t)p->count, 1, err);
	if (p->edge)
		(void)gb_host_alloc((size_t)(p->edge * p->edge), 4, err);
	if (p->depth)
		(void)gb_host_alloc((size_t)1 << p->depth, 4, err);
	if (p->count == 13)
		gb_fail(err, GB_EUNAVAILABLE, "unlucky");
	if (p->count == 15)
		gb_fail(err, GB_EIO, "unreadable");
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
	const int64_t *count = state;

	ran++;
	if (*count == 16)
		return gb_fail(err, GB_ERUNTIME, "broken");
	(void)nanosleep(&(struct timespec){ .tv_nsec = run_ns }, NULL);
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

static const char *const ops[] = { "a", "b", NULL };
static const struct gb_param rows[] = {
	{ .name = "count",
	  GB_AT(GB_INT, struct toy_params, count),
	  .initial = "1",
	  .max = INT64_C(1) << 45,
	  .growth = GB_LINEAR },
	{ .name = "edge",
	  GB_AT(GB_INT, struct toy_params, edge),
	  .initial = "0",
	  .max = 1 << 20,
	  .growth = GB_SQUARE },
	{ .name = "depth",
	  GB_AT(GB_INT, struct toy_params, depth),
	  .initial = "0",
	  .max = 40,
	  .growth = GB_EXPONENTIAL },
	{ .name = "op", GB_AT(GB_CHOICE, struct toy_params, op), .initial = "a", .choices = ops },
	{ .name = "file", GB_AT(GB_PATH, struct toy_params, file) },
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
	{ .workload = "stream" }, /* that of this program */
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
static struct gb_error failure; /* of the last sweep */

static void print_sweep(struct gb_plan *plan)
{
	static const struct gb_choice all;
	struct gb_sweep sweep = { 0 };

	failure = (struct gb_error){ 0 };
	cr_assert(zero(int, (int)gb_sweep_words(&sweep, &workload, words, &failure)), "%s",
		  failure.message);
	cr_expect(eq(int, (int)gb_plan_sweep(plan, &sweep, &all, &failure), (int)failure.code));
	gb_sweep_release(&sweep);
}

/* The message of the next sweep that fails. */
static const char *wrong = "";

/* The lines of a sweep, in which `*` matches any text. */
static void expect_lines(struct gb_plan *plan, const char *of, const char *pattern)
{
	char *text;

	for (size_t i = 0; i < gb_variant_count; i++)
		if (gb_variants[i].backend == GB_CPU && gb_variants[i].ops &&
		    gb_equal(gb_variants[i].workload, "stream"))
			variants[GB_COUNT(variants) - 1] = gb_variants[i];
	gb_variants = variants;
	gb_variant_count = GB_COUNT(variants);
	words = of;
	text = printed(print_sweep, plan);
	cr_expect(zero(int, fnmatch(pattern, text, 0)), "%s", text);
	cr_expect(eq(str, failure.message, (char *)wrong));
	wrong = "";
}

static const struct gb_settings how = {
	.samples = 2, .max_time_s = 1, .timeout_s = 60, .no_verify = 1, .hot = 1
};

/* A point's input is made once.  Points of 1000 times the size are not tried: a run of them takes
 * two seconds at least. */
Test(plan, scales_trials)
{
	const struct gb_request request = { .how = how, .dry = GB_DRY_TRIAL };
	struct gb_plan plan = { .session = { .request = &request, .lock = -1, .shards = 1 } };

	expect_lines(&plan, "--count=1000,1M --op=a,b --threads=1",
		     "toy/cpu/x count=1000 threads=1: host 3.91 KiB, device 0 B, about * s\n"
		     "toy/cpu/y count=1000 threads=1: host 3.91 KiB, device 0 B, about * s\n"
		     "toy/cpu/z count=1000 threads=1: skipped: not built\n"
		     "toy/cpu/x count=1000 op=b threads=1: host 3.91 KiB, device 0 B, about * s\n"
		     "*: skipped: not built\n"
		     "toy/cpu/x count=1000000 threads=1: host 3.81 MiB, device 0 B, about * "
		     "(scaled)\n*"
		     "toy/cpu/y count=1000000 op=b threads=1: host 3.81 MiB, device 0 B, about * "
		     "(scaled)\n*");
	cr_expect(eq(sz, prepared, 2));
	cr_expect(eq(sz, plan.measurements, 8));
	cr_expect(eq(sz, plan.scaled, 4));
	cr_expect(eq(sz, plan.skipped, 4));
	cr_expect(eq(sz, plan.trials, 4));
	cr_expect(zero(dbl, plan.tried_s)); /* each was the first of its kind */
	cr_expect(plan.trial[3].variant == &variants[1] && plan.trial[3].op == 1 &&
		  plan.trial[3].threads == 1);
	cr_expect(plan.trial[0].bytes >= 4008 && plan.trial[0].bytes < 4096);
	cr_expect(plan.host_bytes >= 4000008 && plan.host_bytes < 4001000);
	/* two samples, and as much again before them; the time-out limits each */
	cr_expect(plan.seconds > 4 * 2 * 2 && plan.seconds < 2 * 4 * 60 + 8, "%g", plan.seconds);
	cr_expect(plan.made.params != NULL, "the input is kept for the next sweep");
	expect_lines(&plan, "--count=1000 --op=b --threads=1 --file=name", "*");
	cr_expect(eq(sz, prepared, 3));
	cr_expect(gt(dbl, plan.tried_s, 0));
	cr_expect(plan.made.params == NULL, "the name of its file is gone");
	gb_plan_release(&plan);
	cr_expect(zero(sz, gb_memory_used(GB_HOST_MEMORY)));
}

/* The first trial of a variant takes at most 64 MiB. */
Test(plan, tries_large_points_smaller_first)
{
	const struct gb_request request = { .how = how, .dry = GB_DRY_TRIAL };
	struct gb_plan plan = { .session = { .request = &request, .lock = -1, .shards = 1 } };
	const struct toy_params *made;
	double seconds;

	run_ns = 50000000;
	expect_lines(&plan, "--count=128Mi --threads=1",
		     "toy/cpu/x *: host 512 MiB, device 0 B, about * s (scaled)\n"
		     "toy/cpu/y *: host 512 MiB, device 0 B, about * s (scaled)\n*");
	made = plan.made.params;
	cr_assert(made != NULL);
	cr_expect(eq(i64, made->count, 8 << 20));
	cr_expect(eq(sz, prepared, 1));
	cr_expect(eq(sz, plan.trials, 2));
	cr_expect(plan.trial[0].bytes > 1 << 25 && plan.trial[0].bytes < 1.001 * (1 << 25));
	/* two samples of 16 times 50 ms, for each variant */
	cr_expect(gt(dbl, plan.seconds, 2 * 2 * 16 * 0.05));
	seconds = plan.seconds;
	expect_lines(&plan, "--count=128Mi --op=b --edge=8000 --threads=1", "*(scaled)*(scaled)*");
	made = plan.made.params;
	cr_expect(made->count < 16 << 20 && made->edge < 3000);
	cr_expect(plan.trial[2].bytes > 1 << 24 && plan.trial[2].bytes <= 1 << 26);
	cr_expect(gt(dbl, plan.seconds, seconds + 2 * 2 * 8 * 0.05));
	gb_plan_release(&plan);
	cr_expect(zero(sz, gb_memory_used(GB_HOST_MEMORY)));
}

Test(plan, can_make_the_input_of_each_benchmark_smaller)
{
	for (size_t i = 0; i < gb_workload_count; i++) {
		const struct gb_workload *const w = gb_workloads[i];
		size_t sizes = 0;

		for (size_t n = 0; n < w->param_count; n++) {
			const bool size = w->params[n].growth != GB_CONSTANT;

			cr_expect_not(size && w->params[n].type != GB_INT, "%s", w->params[n].name);
			sizes += size;
		}
		cr_expect(gt(sz, sizes, 0), "%s", w->name);
	}
}

/* If the smaller trial shows that the point's own is short, that is done too.  A smaller point that
 * cannot be tried says nothing. */
Test(plan, tries_large_points_that_are_short)
{
	const struct gb_request request = { .how = how, .dry = GB_DRY_TRIAL };
	struct gb_plan plan = { .session = { .request = &request, .lock = -1, .shards = 1 } };
	const struct toy_params *made;

	run_ns = 1000;
	expect_lines(&plan, "--count=200000014 --threads=1",
		     "*: skipped: not fourteen\n*: skipped: not fourteen\n*");
	cr_expect(zero(sz, prepared));
	expect_lines(&plan, "--count=1 --depth=24 --threads=1", "*about * s\n*about * s\n*");
	made = plan.made.params;
	cr_expect(eq(i64, made->depth, 24));
	cr_expect(zero(sz, plan.scaled));
	cr_expect(eq(sz, plan.trials, 4));
	cr_expect(plan.trial[0].bytes <= 1 << 26 && plan.trial[1].bytes > 1 << 26);
	/* half of this is fourteen */
	expect_lines(&plan, "--count=18000028 --op=b --threads=1", "*about * s\n*about * s\n*");
	made = plan.made.params;
	cr_expect(eq(i64, made->count, 18000028));
	gb_plan_release(&plan);
	cr_expect(zero(sz, gb_memory_used(GB_HOST_MEMORY)));
}

/* A small size is left as it is. */
Test(plan, halves_what_is_large)
{
	static const struct {
		const char *words;
		int64_t count, edge, depth; /* of the smaller point */
	} row[] = {
		{ "--count=4096 --edge=64 --depth=25 --threads=1", 4096, 64, 23 },
		{ "--count=4097 --edge=65 --depth=25 --threads=1", 2048, 46, 23 },
		{ "--count=128Mi --depth=12 --threads=1", 8 << 20, 0, 12 },
		{ "--count=128Mi --depth=13 --threads=1", 8 << 20, 0, 12 },
	};
	const struct gb_request request = { .how = how, .dry = GB_DRY_TRIAL };

	run_ns = 200000000; /* the point itself is not tried */
	for (size_t i = 0; i < GB_COUNT(row); i++) {
		struct gb_plan plan = { .session = {
						.request = &request, .lock = -1, .shards = 1 } };
		const struct toy_params *made;

		expect_lines(&plan, row[i].words, "*(scaled)*");
		made = plan.made.params;
		cr_expect(made->count == row[i].count && made->edge == row[i].edge &&
				  made->depth == row[i].depth,
			  "row %zu: %d %d %d", i, (int)made->count, (int)made->edge,
			  (int)made->depth);
		gb_plan_release(&plan);
	}
}

/* The copy bandwidth is measured once for each back end, which takes longer than a toy. */
Test(plan, adds_the_time_of_copies)
{
	const struct gb_request request = { .how = how, .dry = GB_DRY_TRIAL };
	struct gb_plan plan = { .session = { .request = &request, .lock = -1, .shards = 1 } };
	const double start_ns = gb_now_ns();

	(void)setenv("GPUBENCH_COPY", "64Mi", 1);
	workload.yardstick = false;
	expect_lines(&plan, "--count=1000,2000 --threads=1", "*");
	cr_expect(eq(uint, plan.copied, 1U << GB_CPU));
	cr_expect(plan.seconds > 0 && plan.seconds < 9 + (gb_now_ns() - start_ns) * 1e-9);
	cr_expect(gt(dbl, gb_copy_bandwidth(GB_CPU, 1, &how), 1e6));
	gb_plan_release(&plan);
}

Test(plan, tells_why_points_are_skipped)
{
	const struct gb_request request = { .how = how, .dry = GB_DRY_TRIAL };
	struct gb_plan plan = { .session = { .request = &request, .lock = -1, .shards = 1 } };

	expect_lines(&plan, "--count=13,14 --threads=1",
		     "toy/cpu/x count=13 threads=1: skipped: input: unlucky\n"
		     "toy/cpu/y count=13 threads=1: skipped: input: unlucky\n"
		     "toy/cpu/z count=13 threads=1: skipped: not built\n"
		     "toy/cpu/x count=14 threads=1: skipped: not fourteen\n"
		     "toy/cpu/y count=14 threads=1: skipped: not fourteen\n"
		     "toy/cpu/z count=14 threads=1: skipped: not built\n");
	cr_expect(eq(sz, plan.skipped, 6));
	cr_expect(zero(sz, plan.measurements));
	cr_expect(zero(sz, ran));
	gb_plan_release(&plan);
}

/* A variant that fails may have spoilt the input, which is made again. */
Test(plan, tells_of_failures)
{
	const struct gb_request request = { .how = how, .dry = GB_DRY_TRIAL };
	struct gb_plan plan = { .session = { .request = &request, .lock = -1, .shards = 1 } };

	expect_lines(&plan, "--count=16 --threads=1",
		     "toy/cpu/x count=16 threads=1: failed: broken\n"
		     "toy/cpu/y count=16 threads=1: failed: broken\n"
		     "toy/cpu/z count=16 threads=1: skipped: not built\n");
	cr_expect(eq(sz, prepared, 2));
	cr_expect(eq(sz, plan.skipped, 3));
	/* the next size is not tried, and would be refused */
	expect_lines(&plan, "--count=1000,100000014 --threads=1",
		     "toy/cpu/x count=1000 threads=1: host *\n"
		     "toy/cpu/x count=100000014 threads=1: skipped: not fourteen\n"
		     "toy/cpu/y count=100000014 threads=1: skipped: not fourteen\n*");
	cr_expect(eq(sz, prepared, 3));
	wrong = "unreadable";
	expect_lines(&plan, "--count=15 --threads=1", "");
	gb_plan_release(&plan);
	cr_expect(zero(sz, gb_memory_used(GB_HOST_MEMORY)));
}

static void print_to_full_disk(struct gb_plan *plan)
{
	const int out = dup(STDOUT_FILENO), full = open("/dev/full", O_WRONLY);

	(void)dup2(full, STDOUT_FILENO);
	print_sweep(plan);
	(void)dup2(out, STDOUT_FILENO);
	(void)close(full);
	(void)close(out);
}

Test(plan, ends_if_it_cannot_be_printed)
{
	const struct gb_request request = { .how = how, .dry = GB_DRY_KEYS };
	struct gb_plan plan = { .session = { .request = &request, .lock = -1, .shards = 1 } };

	expect_lines(&plan, "--count=13", "*"); /* which knows the variants */
	words = "--count=1000,2000 --threads=1";
	(void)printed(print_to_full_disk, &plan);
	cr_expect(eq(int, (int)failure.code, GB_EIO));
	cr_expect(eq(str, failure.message,
		     "cannot write to standard output: No space left on device"));
	cr_expect(eq(sz, plan.measurements, 1));
	gb_plan_release(&plan);
}

/* Trials beyond those that are kept, and those of unknown size, are forgotten. */
Test(plan, keeps_a_number_of_trials)
{
	const struct gb_request request = { .how = how, .dry = GB_DRY_TRIAL };
	static struct gb_plan plan = { .session = { .lock = -1, .shards = 1 } };

	plan.session.request = &request;
	plan.trials = GB_COUNT(plan.trial) - 1;
	for (size_t i = 0; i < plan.trials; i++)
		plan.trial[i].bytes = 1;
	expect_lines(&plan, "--count=1000 --threads=1", "*about*about*");
	cr_expect(eq(sz, plan.trials, GB_COUNT(plan.trial)));
	cr_expect(eq(ptr, (void *)plan.trial[plan.trials - 1].variant, &variants[0]));
	gb_plan_release(&plan);
}

Test(plan, lists_keys)
{
	const struct gb_request request = { .how = how, .dry = GB_DRY_KEYS };
	struct gb_plan plan = { .session = { .request = &request, .lock = -1, .shards = 1 } };

	expect_lines(&plan, "--count=1000,13 --threads=1",
		     "toy/cpu/x count=1000 threads=1: host 3.91 KiB, device 0 B\n"
		     "toy/cpu/y count=1000 threads=1: host 3.91 KiB, device 0 B\n"
		     "toy/cpu/z count=1000 threads=1: skipped: not built\n"
		     "toy/cpu/x count=13 threads=1: skipped: input: unlucky\n*");
	if (gb_host_available() < UINT64_C(1) << 43)
		expect_lines(&plan, "--count=2Ti --threads=1",
			     "toy/cpu/x count=2199023255552 threads=1: host 8.00 TiB (more than is "
			     "free), device 0 B\n*");
	cr_expect(prepared == 0 && ran == 0 && plan.seconds == 0);
	gb_plan_release(&plan);
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
		enum gb_dry dry;
		const char *text;
	} row[] = {
		{ { .skipped = 3 }, 1, GB_DRY_TRIAL, "\nnothing to measure\n" },
		{ { .measurements = 2, .host_bytes = 2048, .device_bytes = 5, .seconds = 7 },
		  1,
		  GB_DRY_KEYS,
		  "\ntotal of 2: host 2.00 KiB, device 5 B\n" },
		{ { .measurements = 1, .skipped = 1, .seconds = 12 },
		  1,
		  GB_DRY_TRIAL,
		  "\ntotal of 1, 1 skipped: host 0 B, device 0 B, about 12 s\n" },
		{ { .measurements = 9, .scaled = 4, .seconds = 12 },
		  2,
		  GB_DRY_TRIAL,
		  "\ntotal of 9, in 2 launches: host 0 B, device 0 B, about 24 s (4 scaled from "
		  "smaller trials)\n" },
		{ { .measurements = 1, .seconds = 3 },
		  0,
		  GB_DRY_TRIAL,
		  "\ntotal of 1: host 0 B, device 0 B, about 3 s\n" },
	};

	for (size_t i = 0; i < GB_COUNT(row); i++) {
		const struct gb_request request = { .dry = row[i].dry,
						    .repeats = { .runs = row[i].runs } };
		struct gb_plan plan = row[i].plan;

		plan.session.request = &request;
		cr_expect(eq(str, printed(print_total, &plan), (char *)row[i].text));
	}
}
