/* test_record.c -- writing records. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/measure/measure.h"
#include "cli/records/machine.h"
#include "common/variants.h"
#include "tests/line_of.h"

/* ---- a benchmark without code ------------------------------------------------------- */

struct toy_params {
	int64_t count, shape, check, threads, seed;
	double density;
	const char *file;
};

static const char *const shapes[] = { "flat", "deep", NULL };

static const struct gb_param rows[] = {
	{ .name = "count", .type = GB_INT, .offset = offsetof(struct toy_params, count) },
	{ .name = "shape",
	  .type = GB_CHOICE,
	  .offset = offsetof(struct toy_params, shape),
	  .choices = shapes },
	{ .name = "density", .type = GB_FLOAT, .offset = offsetof(struct toy_params, density) },
	{ .name = "check", .type = GB_FLAG, .offset = offsetof(struct toy_params, check) },
	{ .name = "file", .type = GB_PATH, .offset = offsetof(struct toy_params, file) },
	GB_COMMON_PARAMS(struct toy_params),
};

static const char *toys(const void *params)
{
	return "toys";
}

static const struct gb_benchmark toy = {
	.name = "toy",
	.item = "keys",
	.params = rows,
	.param_count = GB_COUNT(rows),
	.params_size = sizeof(struct toy_params),
	.verify_method = "order and digest",
	.excluded = toys,
};

static const char *orders(const void *params)
{
	return "an order";
}

static const struct gb_variant_ops parallel_ops = { .excluded = orders, .flags = GB_REPEATABLE };
static const struct gb_variant cpu = { "toy", "fast", GB_CPU, "",  &parallel_ops,
				       NULL,  NULL,   false,  NULL };
static const struct gb_variant cuda = { "toy", "wide", GB_CUDA, "",  &parallel_ops,
					NULL,  NULL,   false,   NULL };

static const struct toy_params params = {
	.count = 1000000, .shape = 1, .threads = 2, .seed = 7, .density = 0.1
};

static const double time_ns[] = { 100, 101.00049, 102, 103, 104, 105, 106 };
static const double upload_ns[] = { 24, 25, 27 }, download_ns[] = { 50, 49, 52 };
static const double host_ns[] = { 110, 111, 112, 113, 114, 115, 116 };
static const double clock_hz[] = { 1.98e9, 1.98e9, 1.98e9, 1.98e9, 1.98e9, 1.98e9, 1.97e9 };

static struct gb_result begun(const struct gb_variant *variant)
{
	struct gb_result r = { .benchmark = &toy, .variant = variant, .params = &params };
	struct gb_error err = { 0 };

	cr_assert_not(gb_result_begin(&r, &err), "%s", err.message);
	r.record.run_id = "0123456789abcdef";
	r.record.seq = 3;
	return r;
}

static void fill(struct gb_times *times, const char *clock, const double *ns, size_t count)
{
	struct gb_error err = { 0 };

	for (size_t i = 0; i < count; i++)
		(void)gb_times_add(times, ns[i], &err);
	cr_assert_not(gb_times_settle(times, clock, 0, &err));
}

static void fill_numbers(struct gb_numbers *numbers, const double *value, size_t count)
{
	struct gb_error err = { 0 };

	for (size_t i = 0; i < count; i++)
		cr_assert_not(gb_numbers_add(numbers, value[i], &err));
}

/* A record with all that a measurement sets. */
static struct gb_result measured(const struct gb_variant *variant)
{
	const char *clock = variant->backend == GB_CPU ? "monotonic" : "cuda_event";
	struct gb_result result = begun(variant);
	struct gb_record *r = &result.record;

	r->status = GB_STATUS_OK;
	r->verify.result = "pass";
	r->verify.runs = 4;
	r->stop_reason = "converged";
	r->cold = GB_YES;
	r->batch = r->holds_given_up = 1;
	r->memory.host_bytes = 10;
	r->memory.device_bytes = 11;
	r->memory.flush_bytes = 12;
	fill(&r->time, clock, time_ns, 7);
	fill(gb_phases_get(&r->phases, "scan"), clock, time_ns, 7);
	r->create = 300;
	r->download = 50;
	r->first_call = 500;
	r->work.items = 1e6;
	r->work.bytes = 8e6;
	r->elapsed_s = 0.5;
	cr_assert(gb_members_add(&r->metrics,
				 (struct gb_member){ "depth", { GB_VALUE_NUMBER, 12, NULL } }));
	cr_assert(gb_members_add(
		&r->metrics,
		(struct gb_member){ "hash", { GB_VALUE_TEXT, 0, "0xfedcba9876543210" } }));
	if (variant->backend == GB_CPU) {
		r->threads = 2;
		return result;
	}
	fill(&r->host_time, "monotonic", host_ns, 7);
	fill(gb_phases_get(&r->transfers, "upload"), clock, upload_ns, 3);
	fill(gb_phases_get(&r->transfers, "download"), clock, download_ns, 3);
	r->upload = 25;
	r->copy_bytes_per_s = 1e14;
	r->harmonic_items_per_s = 12345;
	fill_numbers(&r->gpu_state.sm_clock_hz, clock_hz, 7);
	fill_numbers(&r->gpu_state.temperature_c, (const double[]){ 40, 41 }, 2);
	fill_numbers(&r->gpu_state.clock_hz, (const double[]){ 1.98e9, 1.97e9 }, 2);
	fill_numbers(&r->gpu_state.power_w, (const double[]){ 100, NAN }, 2);
	r->gpu_state.energy_j = 2;
	r->gpu_state.throttled_s = 0.5;
	r->gpu_state.throttled_samples = 1;
	cr_assert(gb_texts_add(&r->gpu_state.throttle, "software_power_cap"));
	return result;
}

/* The line of the result, which it frees. */
static cJSON *describe(struct gb_result *result)
{
	cJSON *line = line_printed(&result->record, NULL);

	gb_record_release(&result->record);
	return line;
}

static void expect_text(const cJSON *line, const char *path, const char *wanted)
{
	const char *text = gb_json_text(line, path);

	cr_expect(text && gb_equal(text, wanted), "%s is %s", path, text ? text : "absent");
}

static void expect_number(const cJSON *line, const char *path, double wanted)
{
	const double value = gb_json_number(line, path);

	cr_expect(isnan(wanted) ? isnan(value) : fabs(value - wanted) <= 1e-12 * fabs(wanted),
		  "%s is %.17g, not %.17g", path, value, wanted);
}

/* ---- record lines ------------------------------------------------------------------------ */

static const char *library(void)
{
	return "Toys 1.2.3";
}

/* Peers state what ran, even if nothing did. */
Test(record, a_peer)
{
	static const struct gb_variant_ops ops = { .library = library };
	static const struct gb_variant peer = { "toy", "peer", GB_CPU,          "",  &ops,
						NULL,  NULL,   GB_KIND_LIBRARY, NULL };
	const struct gb_error why = { GB_EMEMORY, "needs 7 GiB" };
	struct gb_result r = begun(&peer);
	cJSON *line;

	gb_result_fail(&r, &why);
	line = describe(&r);
	expect_text(line, "library", "Toys 1.2.3");
	cr_expect(cJSON_IsTrue(gb_json_at(line, "peer")));
	cJSON_Delete(line);
	r = begun(&cpu);
	line = describe(&r);
	cr_expect_null(gb_json_at(line, "library"));
	cr_expect_null(gb_json_at(line, "plugin"));
	cJSON_Delete(line);
}

#define SAMPLES     "\"samples\":[100,101,102,103,104,105,106]}"
#define TIME(clock) "{\"clock\":\"" clock "\",\"median\":103,\"ci95\":[100,106]," SAMPLES
#define BEGINS                                                                               \
	"{\"type\":\"record\",\"schema\":2,\"run_id\":\"0123456789abcdef\",\"seq\":3,"       \
	"\"bench\":\"toy\",\"status\":\"ok\",\"verify\":{\"result\":\"pass\",\"runs\":4},"   \
	"\"stop_reason\":\"converged\",\"cold\":true,\"batch\":1,\"holds_given_up\":1,"      \
	"\"excluded\":[\"toys\",\"an order\"],"                                              \
	"\"work\":{\"items\":1000000,\"unit\":\"keys\",\"bytes\":8000000},\"create\":300,"   \
	"\"download\":50,\"first_call\":500,\"memory\":{\"host_bytes\":10,\"device_bytes\":" \
	"11,\"flush_bytes\":12},\"metrics\":{\"depth\":12,\"hash\":"                         \
	"\"0xfedcba9876543210\"},\"elapsed_s\":0.5,"
#define PARAMS "\"count\":1000000,\"shape\":\"deep\",\"density\":0.1,\"check\":false,\"seed\":7"

static void expect_line(const struct gb_variant *variant, const char *text)
{
	struct gb_result r = measured(variant);
	cJSON *line = describe(&r), *wanted = cJSON_Parse(text);
	char *printed = cJSON_PrintUnformatted(line);

	cr_assert(wanted);
	cr_expect(cJSON_Compare(line, wanted, true), "%s", printed);
	cJSON_free(printed);
	cJSON_Delete(wanted);
	cJSON_Delete(line);
}

Test(record, a_cpu_result)
{
	expect_line(&cpu, BEGINS
		    "\"backend\":\"cpu\",\"variant\":\"fast\",\"threads\":2,\"key\":"
		    "\"toy/cpu/fast count=1000000 shape=deep density=0.1 threads=2 "
		    "seed=7\",\"params\":{" PARAMS ",\"threads\":2},"
		    "\"time\":" TIME("monotonic") ","
						  "\"phases\":{\"scan\":" TIME("monotonic") "}}");
}

Test(record, a_cuda_result)
{
	expect_line(&cuda,
		    BEGINS "\"backend\":\"cuda\",\"variant\":\"wide\",\"key\":"
			   "\"toy/cuda/wide count=1000000 shape=deep density=0.1 seed=7\","
			   "\"params\":{" PARAMS "},\"upload\":25,\"copy_bytes_per_s\":1e14,"
			   "\"harmonic_items_per_s\":12345,"
			   "\"time\":" TIME("cuda_event") ",\"phases\":{\"scan\":" TIME(
				   "cuda_event") "},"
						 "\"transfers\":{\"upload\":{\"clock\":"
						 "\"cuda_event\",\"median\":25,\"samples\":"
						 "[24,25,27]},\"download\":{\"clock\":"
						 "\"cuda_event\",\"median\":50,\"samples\":"
						 "[50,49,52]}},"
						 "\"host_time\":{\"clock\":\"monotonic\","
						 "\"median\":113,\"ci95\":[110,116],"
						 "\"samples\":[110,111,112,113,114,115,116]},"
						 "\"gpu_state\":{\"sm_clock_hz\":[1.98e9,1.98e9,1."
						 "98e9,1.98e9,1.98e9,1.98e9,"
						 "1.97e9],\"temperature_c\":[40,41],\"clock_hz\":["
						 "1.98e9,1.97e9],\"power_w\":"
						 "[100,null],\"energy_j\":2,\"throttled_s\":0.5,"
						 "\"throttled_samples\":1,"
						 "\"throttle\":[\"software_power_cap\"]}}");
}

Test(record, emulated_times_have_no_rates)
{
	for (int emulated = 0; emulated < 2; emulated++) {
		struct gb_result r = measured(&cuda);

		r.record.emulated = emulated;
		gb_record_derive(&r.record);
		cr_expect_eq(r.record.has_time, !emulated);
		cr_expect_eq(isnan(r.record.rates.bytes_per_s), emulated);
		cr_expect_eq(isnan(r.record.rates.items_per_s_with_transfers), emulated);
		gb_record_release(&r.record);
	}
}

Test(record, counts_of_a_run)
{
	struct gb_result r = measured(&cuda);
	struct gb_error err = { 0 };
	cJSON *line;

	cr_assert_not(gb_record_put_counts(
		&r.record, "{\"launches\":3,\"kernels\":[{\"kernel\":\"k\"}]}", &err));
	cr_expect_eq(r.record.counts.launches, 3);
	cr_expect_str_eq(r.record.counts.kernels[0].kernel, "k");
	line = describe(&r);
	expect_number(line, "counts.launches", 3);
	expect_text(gb_json_at(line, "counts.kernels")->child, "kernel", "k");
	cJSON_Delete(line);
	r = measured(&cuda);
	cr_assert_not(gb_record_put_counts(&r.record, "{\"launches\":0,\"kernels\":[]}", &err));
	line = describe(&r);
	cr_expect(cJSON_IsArray(gb_json_at(line, "counts.kernels"))); /* none ran */
	cJSON_Delete(line);
	r = measured(&cuda);
	cr_expect(gb_record_put_counts(&r.record, "{\"launches\":", &err));
	gb_record_release(&r.record);
}

/* Nothing is left of what was measured. */
Test(record, failures)
{
	static const struct {
		enum gb_status code;
		const char *status, *error;
	} row[] = {
		{ GB_EMEMORY, "skipped", "unavailable" },
		{ GB_EUNAVAILABLE, "skipped", "unavailable" },
		{ GB_EVERIFY, "failed", "verify" },
		{ GB_ERUNTIME, "failed", "runtime" },
		{ GB_EUNDECIDED, "failed", "runtime" },
		{ GB_EUSAGE, "failed", "usage" },
		{ GB_EIO, "failed", "io" },
		{ GB_EINTERRUPTED, "failed", "interrupted" },
	};

	for (size_t i = 0; i < GB_COUNT(row); i++) {
		const struct gb_error why = { row[i].code, "keys 5 and 6 are out of order" };
		struct gb_result r = measured(&cuda);
		struct gb_error err = { 0 };
		const cJSON *member;
		cJSON *line;
		size_t members = 0;

		cr_assert_not(gb_record_put_counts(&r.record, "{\"launches\":3}", &err));
		gb_result_fail(&r, &why);
		cr_expect_eq(r.code, row[i].code);
		line = describe(&r);
		expect_text(line, "status", row[i].status);
		expect_text(line, "error", row[i].error);
		expect_text(line, "reason", why.message);
		expect_text(line, "verify.result", "pass");
		cr_expect_null(gb_json_at(line, "verify.runs"));
		cJSON_ArrayForEach(member, line)
		{
			members++;
		}
		/* Besides these: type, schema, run_id, seq, bench, backend, variant, key,
		 * params. */
		cr_expect_eq(members, 4 + 9);
		cJSON_Delete(line);
	}
}

Test(record, any_text_becomes_valid_json)
{
	static const struct {
		const char *given, *wanted;
	} row[] = {
		{ "\xc3\xa9t\xc3\xa9", "\xc3\xa9t\xc3\xa9" },
		{ "\xf0\x9f\x98\x80", "\xf0\x9f\x98\x80" },
		{ "\xc0\xaf", "\xef\xbf\xbd\xef\xbf\xbd" },
		{ "a\xff"
		  "b",
		  "a\xef\xbf\xbd"
		  "b" },
		{ "\xc3", "\xef\xbf\xbd" },
		{ "\xed\xa0\x80", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd" },
		{ "\"\\\n\x1b", "\"\\\n\x1b" },
		{ "", "" },
	};

	for (size_t i = 0; i < GB_COUNT(row); i++) {
		struct gb_result r = begun(&cpu);
		cJSON *line;

		r.record.reason = row[i].given;
		line = describe(&r);
		expect_text(line, "reason", row[i].wanted);
		cJSON_Delete(line);
	}
}

/* ---- the run line ------------------------------------------------------------------------ */

static cJSON *run_line(const struct gb_context_info *info)
{
	struct gb_error err = { 0 };
	struct gb_context *context = gb_describe_context(info, &err);
	cJSON *line;

	cr_assert(context, "%s", err.message);
	line = line_printed(NULL, context);
	gb_context_free(context);
	return line;
}

Test(record, unknown_members_are_absent)
{
	static struct gb_context_info info = { .devices.count = 1 };
	cJSON *line;

	info.devices.gpu[0].ecc = info.devices.gpu[0].mig = info.devices.gpu[0].persistence = -1;
	line = run_line(&info);
	cr_expect_null(gb_json_at(line, "settings"));
	cr_expect_null(gb_json_at(gb_json_at(line, "gpus")->child, "ecc"));
	cr_expect_null(gb_json_at(gb_json_at(line, "gpus")->child, "peak_bytes_per_s"));
	cJSON_Delete(line);
}

/* ---- reading -------------------------------------------------------------------------- */

/* If a member occurs twice, the first counts, and nothing leaks. */
Test(record, the_first_of_duplicate_members_counts)
{
	struct gb_record *record =
		parsed_record("{\"type\":\"record\",\"time\":{\"median\":1,\"samples\":[1]},"
			      "\"metrics\":{\"a\":1},\"time\":{\"median\":2,\"samples\":[2,2]},"
			      "\"metrics\":{\"b\":2}}");

	cr_expect_eq(record->time.median, 1);
	cr_expect_eq(record->time.count, 1);
	cr_expect_eq(gb_times_summary(&record->time).median, 1);
	cr_expect_eq(record->metrics.count, 1);
	gb_record_free(record);
}

/* A run without a device used none of its GPUs. */
Test(record, a_run_without_a_device_has_no_gpu)
{
	struct gb_error err = { 0 };
	struct gb_context *context =
		gb_context_parse(cJSON_Parse("{\"type\":\"run\",\"schema\":2,\"run_id\":"
					     "\"1\",\"gpus\":[{\"id\":0},{\"id\":2}]}"),
				 &err);

	cr_assert(context, "%s", err.message);
	cr_expect_null(gb_context_gpu(context));
	context->settings.device = 0;
	cr_expect_eq(gb_context_gpu(context), &context->gpu[0]);
	context->settings.device = 2;
	cr_expect_eq(gb_context_gpu(context), &context->gpu[1]);
	gb_context_free(context);
}
