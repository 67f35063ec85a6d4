/* test_key.c -- keys are permanent: a measurement has the same key in records of all versions. */
#include <criterion/criterion.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/benchmarks/registry.h"
#include "cli/benchmarks/value.h"
#include "cli/records/key.h"
#include "common/text.h"
#include "common/variants.h"
#include "tests/line_of.h"

/* ---- keys of measurements ----------------------------------------------------------------- */

struct toy {
	int64_t count, shape, check, passes, width, threads, seed;
	double density;
	const char *file;
};

static const char *const shapes[] = { "flat", "deep", NULL };

#define AT(member) offsetof(struct toy, member)
static const struct gb_param rows[] = {
	{ .name = "count", .type = GB_INT, .offset = AT(count), .initial = "1Mi", .max = 1 << 30 },
	{ .name = "shape",
	  .type = GB_CHOICE,
	  .offset = AT(shape),
	  .initial = "flat",
	  .choices = shapes },
	{ .name = "density",
	  .type = GB_FLOAT,
	  .offset = AT(density),
	  .initial = "5%",
	  .high = 1e7 },
	{ .name = "check", .type = GB_FLAG, .offset = AT(check) },
	{ .name = "file", .type = GB_PATH, .offset = AT(file) },
	/* Added later: older versions made one pass. */
	{ .name = "passes",
	  .type = GB_INT,
	  .offset = AT(passes),
	  .initial = "4",
	  .keyed = "1",
	  .max = 9 },
	/* Its default was once 32. */
	{ .name = "width",
	  .type = GB_INT,
	  .offset = AT(width),
	  .initial = "64",
	  .keyed = "32",
	  .max = 99 },
	GB_COMMON_PARAMS(struct toy),
};

static const struct gb_benchmark toy = { .name = "toy",
					 .params = rows,
					 .param_count = GB_COUNT(rows),
					 .params_size = sizeof(struct toy) };
static const struct gb_variant_ops ops = { 0 }, serial_ops = { .flags = GB_SERIAL };
static const struct gb_variant wide = { "toy", "wide", GB_CPU, "", &ops, NULL, NULL, false, NULL };
static const struct gb_variant serial = { "toy", "slow", GB_CPU, "",  &serial_ops,
					  NULL,  NULL,   false,  NULL };
static const struct gb_variant cuda = { "toy", "fast", GB_CUDA, "", &ops, NULL, NULL, false, NULL };
static const struct toy first = {
	.count = 1 << 20, .density = 0.05, .passes = 1, .width = 32, .threads = 2, .seed = 1
};

static void expect_key(const struct gb_variant *variant, const struct toy *params,
		       const char *wanted)
{
	struct gb_error err = { 0 };
	char *key = gb_record_key(&toy, variant, params, &err);

	cr_expect_str_eq(key, wanted);
	free(key);
}

/* The first defaults are left out; a changed one is spelled out.  A key has what the variant reads,
 * and one spelling of each number. */
Test(key, of_measurements)
{
	static char path[2000];
	static const struct toy changed = { .count = 1000000,
					    .shape = 1,
					    .density = 0.1,
					    .check = 1,
					    .passes = 1,
					    .width = 32,
					    .file = "a b",
					    .threads = 2,
					    .seed = INT64_MAX };
	static const struct {
		double density;
		const char *wanted;
	} row[] = {
		{ 0.1 + 0.2, "toy/cuda/fast density=0.30000000000000004" },
		{ 1e6, "toy/cuda/fast density=1000000" },
		{ 1e-7, "toy/cuda/fast density=1e-07" },
		{ -0.0, "toy/cuda/fast density=0" },
	};
	struct gb_error err = { 0 };
	struct toy p = first;
	char wanted[2100];

	expect_key(&wide, &first, "toy/cpu/wide threads=2");
	expect_key(&serial, &first, "toy/cpu/slow");
	expect_key(&cuda, &first, "toy/cuda/fast");
	expect_key(&wide, &changed,
		   "toy/cpu/wide count=1000000 shape=deep density=0.1 check=1 "
		   "file=a b threads=2 seed=9223372036854775807");
	for (size_t i = 0; i < GB_COUNT(row); i++) {
		p.density = row[i].density;
		expect_key(&cuda, &p, row[i].wanted);
	}
	p = first;
	memset(path, 'x', sizeof path - 1);
	p.file = path;
	(void)snprintf(wanted, sizeof wanted, "toy/cuda/fast file=%s", path);
	expect_key(&cuda, &p, wanted);
	cr_assert_not(gb_params_init(rows, GB_COUNT(rows), &p, sizeof p, &err));
	expect_key(&cuda, &p, "toy/cuda/fast passes=4 width=64");
}

/* ---- records that were read ----------------------------------------------------------------- */

static struct gb_record *record_of(const char *key, const char *params)
{
	char text[512];

	(void)snprintf(text, sizeof text,
		       "{\"type\":\"record\",\"variant\":\"wide\",\"key\":\"%s\",\"params\":%s}",
		       key, params);
	return parsed_record(text);
}

/* Records from before and after `passes` was added, and `lost` was lost, share a row. */
Test(key, records_get_the_parameters_of_today)
{
	struct gb_record *record =
		record_of("toy/cpu/wide count=5 width=64 threads=2",
			  "{\"count\":5,\"shape\":\"flat\",\"width\":64,\"threads\":2,"
			  "\"lost\":0,\"seed\":1}");
	struct gb_record *foreign = record_of("toy/cpu/wide b", "{}");
	struct gb_error err = { 0 };

	cr_assert_not(gb_renew_params(&toy, record, &err));
	cr_expect_str_eq(record->key, "toy/cpu/wide count=5 width=64 threads=2");
	cr_expect_eq(gb_member_number(&record->params, "passes"), 1);
	cr_expect_eq(gb_member_number(&record->params, "width"), 64);
	cr_expect_eq(record->params.count, 6);
	cr_assert_not(gb_renew_params(&toy, foreign, &err));
	cr_expect_str_eq(foreign->key, "toy/cpu/wide b");
	cr_expect_eq(foreign->params.count, 0);
	gb_record_free(record);
	gb_record_free(foreign);
}

/* Integers that a double does not hold are text. */
Test(key, integers_as_members)
{
	static const struct {
		int64_t value;
		const char *text;
	} row[] = {
		{ 0, NULL },
		{ INT64_C(1) << 52, NULL },
		{ -(INT64_C(1) << 52), NULL },
		{ (INT64_C(1) << 52) + 1, "4503599627370497" },
		{ -(INT64_C(1) << 52) - 1, "-4503599627370497" },
	};

	for (size_t i = 0; i < GB_COUNT(row); i++) {
		char digits[32];
		const struct gb_field_value value =
			gb_param_value(&rows[0], (union gb_value){ .i = row[i].value }, digits);

		cr_expect_eq(value.kind, row[i].text ? GB_VALUE_TEXT : GB_VALUE_NUMBER);
		if (row[i].text)
			cr_expect_str_eq(value.text, row[i].text);
		else
			cr_expect_eq(value.number, (double)row[i].value);
	}
}

/* ---- stored files -------------------------------------------------------------------------- */

static const struct gb_variant *variant_of(const struct gb_record *record)
{
	for (size_t i = 0; i < gb_variant_count; i++) {
		const struct gb_variant *v = &gb_variants[i];

		if (gb_equal(v->benchmark, record->bench) && gb_equal(v->name, record->variant) &&
		    gb_equal(gb_backends[v->backend]->name, record->backend))
			return v;
	}
	return NULL;
}

/* True if the benchmark still has all parameters of the record. */
static bool has_params(const struct gb_benchmark *w, const struct gb_record *record)
{
	for (size_t i = 0; i < record->params.count; i++)
		if (!gb_param_find(w->params, w->param_count, record->params.item[i].name))
			return false;
	return true;
}

/* The key of a measurement with the record's parameters. */
static char *measured_key(const struct gb_benchmark *w, const struct gb_variant *variant,
			  const struct gb_record *record)
{
	void *params = calloc(1, w->params_size);
	struct gb_error err = { 0 };
	char *key;

	cr_assert(params);
	cr_assert_not(gb_params_init(w->params, w->param_count, params, w->params_size, &err));
	for (size_t i = 0; i < record->params.count; i++) {
		const struct gb_member *member = &record->params.item[i];
		const struct gb_param *row = gb_param_find(w->params, w->param_count, member->name);
		char number[GB_TEXT_MAX];
		union gb_value value;

		cr_assert(row, "%s", member->name);
		cr_assert_not(gb_value_parse(row,
					     member->value.kind == GB_VALUE_TEXT
						     ? member->value.text
						     : gb_text_real(number, member->value.number),
					     &value, &err),
			      "%s", err.message);
		gb_value_store(row, params, value);
	}
	key = gb_record_key(w, variant, params, &err);
	free(params);
	return key;
}

/* Each record, whatever version wrote it, has the key of a measurement made now, if its variant and
 * parameters are still there. */
static void expect_keys_of_today(const char *path)
{
	struct gb_records read = { 0 };
	struct gb_error err = { 0 };

	cr_assert_not(gb_records_read(path, &read, &err), "%s", err.message);
	for (size_t i = 0; i < read.count; i++) {
		const struct gb_variant *variant = variant_of(read.record[i]);
		char *wanted;

		if (!variant ||
		    !has_params(gb_benchmark_find(read.record[i]->bench), read.record[i]))
			continue;
		wanted = measured_key(gb_benchmark_find(read.record[i]->bench), variant,
				      read.record[i]);
		cr_expect_str_eq(read.record[i]->key, wanted, "%s", path);
		free(wanted);
	}
	gb_records_release(&read);
}

Test(key, stored_records)
{
	glob_t found;

	cr_assert_not(glob("results/measured/*/*.jsonl", 0, NULL, &found));
	for (size_t i = 0; i < found.gl_pathc; i++)
		expect_keys_of_today(found.gl_pathv[i]);
	globfree(&found);
}

/* The defaults that keys omit are permanent: this list only grows. */
Test(key, omitted_defaults_never_change)
{
	static const char *const fixed[] = {
		"stream count 256Mi",  "stream threads 0",
		"stream seed 1",       "radix count 1M",
		"radix type u32",      "radix distribution uniform",
		"radix values none",   "bfs graph gnp",
		"bfs vertices 16Ki",   "bfs p 0.05",
		"bfs scale 16",        "bfs edgefactor 16",
		"bfs sources 64",      "bfs result dist",
		"cbt op cycle",        "cbt depth 17",
		"cbt shape random",    "cbt fill 1",
		"cbt ids store",       "cbt frames 4",
		"octree count 1M",     "octree distribution plummer",
		"octree order own",    "octree bucket 1",
		"lbvh op build",       "lbvh scene terrain",
		"lbvh count 0",        "lbvh rays 2048",
		"lbvh tree best",      "lbvh rays-kind primary",
		"lbvh order own",      "radix segments 1",
		"radix lengths equal",
	};

	for (size_t i = 0; i < GB_COUNT(fixed); i++) {
		char bench[16], name[16], value[16];
		const struct gb_benchmark *w;
		const struct gb_param *row;

		cr_assert_eq(sscanf(fixed[i], "%15s %15s %15s", bench, name, value), 3);
		w = gb_benchmark_find(bench);
		row = w ? gb_param_find(w->params, w->param_count, name) : NULL;
		cr_assert(row, "%s", fixed[i]);
		cr_expect_str_eq(row->keyed ? row->keyed : row->initial, value, "%s", fixed[i]);
	}
}
