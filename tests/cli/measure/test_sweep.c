/* test_sweep.c -- the sweep grammar: what a SPEC expands to, and the errors. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <omp.h>
#include <stdio.h>
#include <string.h>

#include "cli/benchmarks/registry.h"
#include "cli/measure/sweep.h"
#include "common/text.h"
#include "common/variants.h"

struct toy {
	int64_t count, type, twist, threads, seed;
	double fill;
	const char *file;
};

static const char *const types[] = { "u32", "u64", "f32", NULL };

#define AT(member) offsetof(struct toy, member)
static const struct gb_param rows[] = {
	{ .name = "type",
	  .type = GB_CHOICE,
	  .offset = AT(type),
	  .initial = "u32",
	  .choices = types },
	{ .name = "count",
	  .type = GB_INT,
	  .offset = AT(count),
	  .initial = "1M",
	  .yields_to = "file",
	  .max = INT64_C(1) << 40 },
	{ .name = "fill",
	  .type = GB_FLOAT,
	  .offset = AT(fill),
	  .initial = "0.5",
	  .low = 0,
	  .high = 1 },
	{ .name = "file", .type = GB_PATH, .offset = AT(file) },
	{ .name = "twist",
	  .type = GB_INT,
	  .offset = AT(twist),
	  .initial = "1",
	  .keyed = "0",
	  .only = "type=u64",
	  .max = 9 },
	GB_COMMON_PARAMS(struct toy),
};

static const struct gb_benchmark benchmark = { .name = "toy",
					       .params = rows,
					       .param_count = GB_COUNT(rows),
					       .params_size = sizeof(struct toy) };

static struct gb_sweep sweep;
static struct gb_error err;

static void setup(void)
{
	err = (struct gb_error){ 0 };
	cr_assert(eq(int, (int)gb_sweep_init(&sweep, &benchmark, &err), GB_OK));
}

static void teardown(void)
{
	gb_sweep_release(&sweep);
}

TestSuite(sweep, .init = setup, .fini = teardown);

Test(sweep, defaults_make_one_point)
{
	struct toy p;

	cr_assert(eq(sz, sweep.count, 1));
	gb_sweep_point(&sweep, 0, &p);
	cr_assert(eq(i64, p.count, 1000000));
	cr_assert(eq(i64, p.threads, omp_get_num_procs()));
	cr_assert(eq(i64, p.seed, 1));
	cr_assert(eq(dbl, p.fill, 0.5));
	cr_assert(eq(ptr, (void *)p.file, NULL));
}

Test(sweep, expands)
{
	static const struct {
		const char *name, *spec, *values; /* as printed, joined by spaces */
	} row[] = {
		{ "count", "4096", "4096" },
		{ "count", "10k,1M", "10000 1000000" },
		{ "count", "16Ki,1Mi,2Gi", "16384 1048576 2147483648" },
		{ "count", "2^20", "1048576" },
		{ "count", "10^3,2^0", "1000 1" },
		{ "count", "0", "0" },
		{ "count", "1:5,7:7", "1 2 3 4 5 7" },
		{ "count", "0:10:5", "0 5 10" },
		{ "count", "0:11:5", "0 5 10" },
		{ "count", "1k:16M:x4", "1000 4000 16000 64000 256000 1024000 4096000" },
		{ "count", "1:8:x2", "1 2 4 8" },
		{ "count", "1:10:x1.5", "1 2 3 5 8" },
		{ "count", "1e6,1.5M,2.50k,1E0", "1000000 1500000 2500 1" },
		{ "count", "0.5Ki,1.25Ki,.001M,5.,100e-2", "512 1280 1000 5 1" },
		{ "count", "1e3:3e3:1e3", "1000 2000 3000" },
		{ "count", "0e99,+7", "0 7" },
		{ "count", "7,1:3,2^4:2^6:x2", "7 1 2 3 16 32 64" },
		{ "count", "2^38:2^40:x2", "274877906944 549755813888 1099511627776" },
		{ "count", "2^40:2^40:x8388608", "1099511627776" }, /* the next would be 2^63 */
		{ "fill", "0:1:0.1", "0 0.1 0.2 0.3 0.4 0.5 0.6 0.7 0.8 0.9 1" },
		{ "fill", "0.05:0.15:0.05,0.2:0.2:1", "0.05 0.1 0.15 0.2" },
		{ "fill", "0.1:0.9:0.1", "0.1 0.2 0.3 0.4 0.5 0.6 0.7 0.8 0.9" },
		{ "fill", "10%:30%:10%", "0.1 0.2 0.3" },
		{ "fill", "1e-1:3e-1:1e-1", "0.1 0.2 0.3" },
		{ "fill", "0.1:0.35:0.1", "0.1 0.2 0.3" },
		{ "fill", "0.001:0.01:0.003", "0.001 0.004 0.007 0.01" },
		{ "fill", "0:1e-3:2.5e-4", "0 0.00025 0.0005 0.00075 0.001" },
		{ "fill", "1e-70:3e-70:1e-70", "1e-70 2e-70 3e-70" },
		{ "fill", "0.1:0.9:x3", "0.1 0.3 0.9" },
		{ "fill", "0.1:0.4:x1.5", "0.1 0.15 0.225 0.3375" },
		{ "fill", "0.01:0.16:x200%", "0.01 0.02 0.04 0.08 0.16" },
		{ "fill", "0.123456789012345678:1:x4", "0.12345678901234568 0.493827156049" },
		{ "fill", "0.7%,12.5%,1e-3,0.0005k,.25,1.", "0.007 0.125 0.001 0.5 0.25 1" },
		{ "count", "1:5:2000", "1" }, /* a step may be larger than any value */
	};

	for (size_t i = 0; i < GB_COUNT(row); i++) {
		char got[512] = "", text[GB_TEXT_MAX];

		cr_assert(eq(int, (int)gb_sweep_set(&sweep, row[i].name, row[i].spec, &err), GB_OK),
			  "%s", err.message);
		for (size_t k = 0; k < sweep.count; k++) {
			struct toy p;

			gb_sweep_point(&sweep, k, &p);
			gb_text_append(got, sizeof got, "%s%s", k ? " " : "",
				       gb_text_real(text, gb_equal(row[i].name, "count")
								  ? (double)p.count
								  : p.fill));
		}
		cr_expect(eq(str, got, (char *)row[i].values), "%s", row[i].spec);
		teardown();
		setup();
	}
}

Test(sweep, the_first_parameter_varies_slowest)
{
	struct toy p;

	gb_sweep_set(&sweep, "seed", "1,2", &err);
	gb_sweep_set(&sweep, "count", "10,20", &err);
	gb_sweep_set(&sweep, "type", "u32,u64,f32", &err);
	cr_assert(eq(sz, sweep.count, 12));
	gb_sweep_point(&sweep, 7, &p);
	cr_assert(eq(i64, p.count, 20));
	cr_assert(eq(i64, p.type, 1));
	cr_assert(eq(i64, p.seed, 2));
}

Test(sweep, ignored_parameters_are_run_once)
{
	static const struct gb_variant_ops serial_ops = { .flags = GB_SERIAL }, omp_ops = { 0 };
	const struct gb_variant serial = { .backend = GB_CPU, .ops = &serial_ops };
	const struct gb_variant omp = { .backend = GB_CPU, .ops = &omp_ops };
	const struct gb_variant cuda = { .backend = GB_CUDA, .ops = &omp_ops };
	size_t runs[3] = { 0 };

	gb_sweep_set(&sweep, "threads", "1,2,4", &err);
	gb_sweep_set(&sweep, "count", "10,20", &err);
	for (size_t i = 0; i < sweep.count; i++) {
		runs[0] += gb_sweep_wants(&sweep, i, &serial);
		runs[1] += gb_sweep_wants(&sweep, i, &omp);
		runs[2] += gb_sweep_wants(&sweep, i, &cuda);
	}
	cr_assert(eq(sz, runs[0], 2));
	cr_assert(eq(sz, runs[1], 6));
	cr_assert(eq(sz, runs[2], 2));
}

Test(sweep, given_values_override_a_default)
{
	struct toy p;

	gb_sweep_set(&sweep, "file", "a,b", &err);
	gb_sweep_point(&sweep, 1, &p);
	cr_assert(eq(str, (char *)p.file, "b"));
	cr_assert(eq(i64, p.count, 0));
	gb_sweep_set(&sweep, "count", "7", &err);
	gb_sweep_point(&sweep, 1, &p);
	cr_assert(eq(i64, p.count, 7));
}

#define NOT_WHOLE(text) "--count=" text ": not an integer such as 4096, 10k, 16Mi or 2^20"

/* tests/cli/benchmarks/test_value.c has the numbers that are none. */
Test(sweep, refuses)
{
	static const struct {
		const char *name, *spec, *message;
	} row[] = {
		{ "count", "", NOT_WHOLE("") },
		{ "count", "1,,2", NOT_WHOLE("") },
		{ "count", "1,2,1", "--count lists the same value twice" },
		{ "count", "5:1", "--count=5:1: the range is empty" },
		{ "count", "1:5:0", "--count=1:5:0: the step must be positive" },
		{ "count", "1:5:-1", "--count=1:5:-1: the step must be positive" },
		{ "count", "1:5:x1", "--count=1:5:x1: the factor must exceed 1" },
		{ "count", "0:5:x2", "--count=0:5:x2: a range by a factor must start above 0" },
		{ "count", "1:2:x1.0000000001",
		  "--count=1:2:x1.0000000001: the factor is too close to 1" },
		{ "count", "1:1G", "--count lists more than 10000 values" },
		{ "count", "1:", NOT_WHOLE("") },
		{ "count", "1:2:3:4",
		  "--count=3:4: not an integer such as 4096, 10k, 16Mi or 2^20" },
		{ "type", "u16", "--type=u16: not one of u32|u64|f32" },
		{ "type", "f23", "--type=f23: not one of u32|u64|f32 (did you mean f32?)" },
		{ "type", "u32,u32", "--type lists the same value twice" },
		{ "type", "", "--type=: not one of u32|u64|f32" },
		{ "fill", "0x1", "--fill=0x1: not a number" },
		{ "fill", "0.1:1:1e-99", "--fill=0.1:1:1e-99: the step is too small" },
		{ "fill", "0:1:-0.1", "--fill=0:1:-0.1: the step must be positive" },
		{ "fill", "0:1:x2", "--fill=0:1:x2: a range by a factor must start above 0" },
		{ "fill", "0:1", "--fill=0:1: a range of this option needs a step" },
		{ "file", "", "--file=: is empty" },
		{ "threads", "2000", "--threads=2000 is outside 0..1024" },
		{ "colour", "red", "toy has no option --colour" },
	};

	for (size_t i = 0; i < GB_COUNT(row); i++) {
		cr_expect(eq(int, (int)gb_sweep_set(&sweep, row[i].name, row[i].spec, &err),
			     GB_EUSAGE));
		cr_expect(eq(str, err.message, (char *)row[i].message));
		cr_expect(eq(sz, sweep.count, 1));
		teardown();
		setup();
	}
}

/* A parameter for some points is not swept over at the others. */
Test(sweep, values_for_some_points)
{
	const struct gb_variant variant = { .benchmark = "toy", .backend = GB_CPU };
	const bool wanted[] = { true, false, true, true }; /* u32: 1, 2; u64: 1, 2 */
	const int64_t twist[] = { 0, 0, 1, 2 };

	cr_assert_not(gb_sweep_set(&sweep, "type", "u32,u64", &err));
	cr_assert_not(gb_sweep_set(&sweep, "twist", "1,2", &err));
	cr_assert(eq(sz, sweep.count, GB_COUNT(wanted)));
	for (size_t i = 0; i < sweep.count; i++) {
		struct toy point;

		cr_expect(eq(int, gb_sweep_wants(&sweep, i, &variant), wanted[i]), "point %zu", i);
		gb_sweep_point(&sweep, i, &point);
		cr_expect(eq(i64, point.twist, twist[i]), "point %zu", i);
	}
}

/* A line is valid, and each name in it is that of a variant.  Returns whether it is for GPUs. */
static bool is_for_gpus(const struct gb_benchmark *of, const char *words)
{
	struct gb_sweep line = { 0 };
	struct gb_error bad = { 0 };
	bool any_cpu = false, any = false;

	cr_expect(eq(int, (int)gb_sweep_words(&line, of, words, &bad), GB_OK), "%s", bad.message);
	for (size_t i = 0; i < line.choice.glob_count; i++) {
		const char *glob = line.choice.glob[i] + (line.choice.glob[i][0] == '!');
		bool found = false;

		for (size_t v = 0; v < gb_variant_count; v++)
			found |= gb_equal(gb_variants[v].benchmark, of->name) &&
				 gb_variant_matches(&gb_variants[v], glob);
		cr_expect(found, "%s: %s", of->name, glob);
	}
	for (size_t v = 0; v < gb_variant_count; v++) {
		const bool wanted = gb_equal(gb_variants[v].benchmark, of->name) &&
				    gb_sweep_wants(&line, 0, &gb_variants[v]);

		any |= wanted;
		any_cpu |= wanted && gb_variants[v].backend == GB_CPU;
	}
	cr_expect(any, "%s: %s", of->name, words);
	gb_sweep_release(&line);
	return !any_cpu;
}

Test(sweep, lines_of_the_benchmarks)
{
	size_t for_gpus = 0;

	for (size_t w = 0; w < gb_benchmark_count; w++)
		for (size_t preset = 0; preset <= GB_PRESETS; preset++) {
			const char *const *line = preset == GB_PRESETS
							  ? gb_benchmarks[w]->check
							  : gb_benchmarks[w]->preset[preset];

			for (; line && *line; line++)
				for_gpus += is_for_gpus(gb_benchmarks[w], *line);
		}
	cr_expect(for_gpus > 0);
}

Test(sweep, names_of_a_line_yield_to_those_of_the_command)
{
	struct gb_sweep line = { 0 };
	struct gb_variant variant = { .benchmark = "radix", .backend = GB_CPU, .name = "lsd8" };

	cr_assert(eq(int,
		     (int)gb_sweep_words(&line, gb_benchmark_find("radix"),
					 "cpu/best !cpu/qsort --count=3", &err),
		     GB_OK));
	cr_expect(not(gb_sweep_wants(&line, 0, &variant)));
	gb_sweep_name_all(&line);
	cr_expect(gb_sweep_wants(&line, 0, &variant));
	variant.name = "qsort";
	cr_expect(not(gb_sweep_wants(&line, 0, &variant)));
	gb_sweep_release(&line);
}

/* Arrays of sweeps and records have room for GB_MAX_PARAMS, and a parameter yields to another one
 * of its benchmark. */
Test(sweep, tables_of_the_benchmarks_fit)
{
	for (size_t w = 0; w < gb_benchmark_count; w++) {
		const struct gb_benchmark *of = gb_benchmarks[w];

		cr_expect(le(sz, of->param_count, (size_t)GB_MAX_PARAMS), "%s", of->name);
		for (size_t i = 0; i < of->param_count; i++)
			if (of->params[i].yields_to)
				cr_expect(ne(ptr,
					     (void *)gb_param_find(of->params, of->param_count,
								   of->params[i].yields_to),
					     NULL),
					  "%s: %s", of->name, of->params[i].name);
	}
}
