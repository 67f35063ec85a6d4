/* test_record.c -- writing records. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/records/describe.h"
#include "cli/records/key.h"
#include "cli/records/machine.h"
#include "common/variants.h"
#include "tests/line_of.h"

/* ---- a workload without code ------------------------------------------------------- */

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

static const struct gb_workload toy = {
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
static const struct gb_variant cpu = {
	"toy", "fast", GB_CPU, "", &parallel_ops, NULL, false, NULL
};
static const struct gb_variant cuda = {
	"toy", "wide", GB_CUDA, "", &parallel_ops, NULL, false, NULL
};

static const struct toy_params params = {
	.count = 1000000, .shape = 1, .threads = 2, .seed = 7, .density = 0.1
};

static double time_ns[] = { 100, 101.00049, 102, 103, 104, 105, 106 };
static double upload_ns[] = { 24, 25, 27 }, download_ns[] = { 50, 49, 52 };
static double host_ns[] = { 110, 111, 112, 113, 114, 115, 116 };
static double clock_hz[] = { 1.98e9, 1.98e9, 1.98e9, 1.98e9, 1.98e9, 1.98e9, 1.97e9 };

static struct gb_result measured(const struct gb_variant *variant)
{
	struct gb_result r = {
		.workload = &toy,
		.variant = variant,
		.params = &params,
		.threads = variant->backend == GB_CPU ? 2 : 0,
		.verdict = GB_PASS,
		.verified = 4,
		.cold = true,
		.given_up = 1,
		.host_bytes = 10,
		.device_bytes = 11,
		.flush_bytes = 12,
		.resident_bytes = 13,
		.batch = 1,
		.time = { 7, 7, time_ns },
		.phase_count = 1,
		.phase[0] = { "scan", { 7, 7, time_ns } },
		.download = { 3, 3, download_ns },
		.create_ns = 300,
		.first_ns = 500,
		.work = { 1e6, 8e6, 4e6 },
		.harmonic_items_per_s = NAN,
		.copy_bytes_per_s = NAN,
		.elapsed_s = 0.5,
	};

	gb_metric(&r.metrics, "depth", 12);
	gb_metric(&r.metrics, "nothing", NAN);
	gb_metric_hash(&r.metrics, "hash", UINT64_C(0xfedcba9876543210));
	if (variant->backend == GB_CUDA) {
		r.host_time = (struct gb_series){ 7, 7, host_ns };
		r.sm_clock_hz = (struct gb_series){ 7, 7, clock_hz };
		r.upload = (struct gb_series){ 3, 3, upload_ns };
		r.copy_bytes_per_s = 1e14;
		r.harmonic_items_per_s = 12345;
		r.has_gpu_state = true;
		r.throttled = 1;
		r.before = (struct gb_gpu_state){ 40, 100, 1.98e9, 5, 1e9, 0, true };
		r.after = (struct gb_gpu_state){ 41, NAN, 1.97e9, 7, 1.5e9, 0x24, true };
	}
	return r;
}

static cJSON *describe(const struct gb_result *result)
{
	struct gb_error err = { 0 };
	cJSON *line = gb_describe_result(result, "0123456789abcdef", 3, NULL, &err);

	cr_assert(line, "%s", err.message);
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
	static const struct gb_variant peer = { "toy", "peer", GB_CPU,          "",
						&ops,  NULL,   GB_KIND_LIBRARY, NULL };
	struct gb_result r = measured(&peer);
	cJSON *line = describe(&r);

	expect_text(line, "library", "Toys 1.2.3");
	cJSON_Delete(line);
	r.outcome = GB_SKIPPED;
	line = describe(&r);
	expect_text(line, "library", "Toys 1.2.3");
	cJSON_Delete(line);
	r = measured(&cpu);
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
	"11,\"flush_bytes\":12,\"resident_bytes\":13},\"metrics\":{\"depth\":12,\"hash\":"   \
	"\"0xfedcba9876543210\"},\"elapsed_s\":0.5,"
#define PARAMS "\"count\":1000000,\"shape\":\"deep\",\"density\":0.1,\"check\":false,\"seed\":7"

static void expect_line(const struct gb_variant *variant, const char *text)
{
	const struct gb_result r = measured(variant);
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
						 "\"throttle\":[\"software_power_cap\",\"software_"
						 "thermal\"]}}");
}

Test(record, emulated_times_are_marked_and_have_no_rates)
{
	struct gb_result r = measured(&cuda);
	char fault[GB_FAULT_MAX];
	struct gb_record *record;
	cJSON *line;

	r.emulated = true;
	line = describe(&r);
	cr_expect(cJSON_IsTrue(gb_json_at(line, "emulated")));
	expect_text(line, "time.clock", "emulated");
	expect_text(line, "phases.scan.clock", "emulated");
	expect_text(line, "transfers.upload.clock", "emulated");
	cr_expect_null(gb_json_at(line, "copy_bytes_per_s"));
	cr_expect_null(gb_json_at(line, "harmonic_items_per_s"));
	record = gb_record_parse(line, fault);
	cr_assert(record, "%s", fault);
	cr_expect_not(record->has_time);
	cr_expect(isnan(record->rates.items_per_s) && isnan(record->rates.bytes_per_s));
	cr_expect(isnan(record->rates.items_per_s_with_transfers));
	gb_record_free(record);
}

Test(record, counts_are_passed_through)
{
	char counts[] = "{\"launches\":3,\"kernels\":[{\"kernel\":\"k\"}]}",
	     broken[] = "{\"launches\":";
	struct gb_result r = measured(&cuda);
	struct gb_error err = { 0 };
	cJSON *line = describe(&r);

	cr_expect_null(gb_json_at(line, "counts"));
	cJSON_Delete(line);
	r.counts = counts;
	line = describe(&r);
	expect_number(line, "counts.launches", 3);
	expect_text(gb_json_at(line, "counts.kernels")->child, "kernel", "k");
	cJSON_Delete(line);
	r.counts = broken;
	cr_expect_null(gb_describe_result(&r, "0123456789abcdef", 0, NULL, &err));
}

Test(record, outcomes_have_a_status_and_an_error)
{
	static const struct {
		enum gb_outcome outcome;
		enum gb_status code;
		enum gb_verdict verdict;
		bool doubtful;
		const char *status, *error, *verify;
	} row[] = {
		{ GB_RESULT_OK, GB_OK, GB_PASS, false, "ok", NULL, "pass" },
		{ GB_RESULT_OK, GB_OK, GB_PASS, true, "doubtful", NULL, "pass" },
		{ GB_RESULT_OK, GB_OK, GB_NOT_VERIFIED, false, "unverified", NULL, "skipped" },
		{ GB_RESULT_OK, GB_OK, GB_NOT_VERIFIED, true, "unverified", NULL, "skipped" },
		{ GB_SKIPPED, GB_EMEMORY, GB_NOT_VERIFIED, false, "skipped", "unavailable",
		  "skipped" },
		{ GB_SKIPPED, GB_EUNAVAILABLE, GB_NOT_VERIFIED, false, "skipped", "unavailable",
		  "skipped" },
		{ GB_FAILED, GB_EVERIFY, GB_FAIL, false, "failed", "verify", "fail" },
		{ GB_FAILED, GB_ERUNTIME, GB_PASS, false, "failed", "runtime", "pass" },
		{ GB_FAILED, GB_EUNDECIDED, GB_PASS, false, "failed", "runtime", "pass" },
		{ GB_FAILED, GB_EUSAGE, GB_NOT_VERIFIED, false, "failed", "usage", "skipped" },
		{ GB_FAILED, GB_EIO, GB_NOT_VERIFIED, false, "failed", "io", "skipped" },
		{ GB_FAILED, GB_EINTERRUPTED, GB_NOT_VERIFIED, false, "failed", "interrupted",
		  "skipped" },
	};

	for (size_t i = 0; i < GB_COUNT(row); i++) {
		const bool passed = row[i].verdict == GB_PASS;
		struct gb_result r = measured(&cpu);
		cJSON *line;

		r.outcome = row[i].outcome;
		r.code = row[i].code;
		r.verdict = row[i].verdict;
		r.doubtful = row[i].doubtful;
		r.verified = 4;
		line = describe(&r);
		expect_text(line, "status", row[i].status);
		expect_text(line, "verify.result", row[i].verify);
		if (row[i].error)
			expect_text(line, "error", row[i].error);
		else
			cr_expect_null(gb_json_at(line, "error"));
		cr_expect_null(gb_json_at(line, "reason"));
		expect_number(line, "verify.runs", passed ? 4 : (double)NAN);
		cJSON_Delete(line);
	}
}

Test(record, text_that_is_not_utf8_becomes_valid)
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
		{ "", "" },
	};

	for (size_t i = 0; i < GB_COUNT(row); i++) {
		cJSON *object = cJSON_CreateObject();

		cr_assert(gb_json_put_text(object, "v", row[i].given));
		cr_expect_str_eq(gb_json_text(object, "v"), row[i].wanted);
		cJSON_Delete(object);
	}
}

/* ---- exhausted memory -------------------------------------------------------------------- */

static long allocations_left;

static void *failing_malloc(size_t size)
{
	return allocations_left-- > 0 ? malloc(size) : NULL;
}

Test(record, every_allocation_of_cjson_may_fail)
{
	cJSON_Hooks failing = { failing_malloc, free };
	const struct gb_result r = measured(&cuda);
	cJSON *line = NULL;
	long tried = 0;

	for (; !line; tried++) {
		struct gb_error err = { 0 };

		allocations_left = tried;
		cJSON_InitHooks(&failing);
		line = gb_describe_result(&r, "0123456789abcdef", 0, NULL, &err);
		cJSON_InitHooks(NULL);
		cr_assert_eq(line == NULL, err.code == GB_EMEMORY);
	}
	cr_assert_gt(tried, 80);
	cJSON_Delete(line);
}

/* ---- the run line ------------------------------------------------------------------------ */

Test(record, unknown_members_are_absent)
{
	static struct gb_run_info info = { .run_id = "0123456789abcdef",
					   .started = "2026-11-20T15:04:05Z",
					   .devices.count = 1 };
	struct gb_error err = { 0 };
	cJSON *line;

	info.devices.gpu[0].ecc = info.devices.gpu[0].mig = info.devices.gpu[0].persistence = -1;
	line = gb_describe_run(&info, &err);
	cr_assert(line);
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
	char fault[GB_FAULT_MAX];
	struct gb_run *run = gb_run_parse(cJSON_Parse("{\"type\":\"run\",\"schema\":2,\"run_id\":"
						      "\"1\",\"gpus\":[{\"id\":0},{\"id\":2}]}"),
					  fault);

	cr_assert(run, "%s", fault);
	cr_expect_null(gb_run_gpu(run));
	run->settings.device = 0;
	cr_expect_eq(gb_run_gpu(run), &run->gpu[0]);
	run->settings.device = 2;
	cr_expect_eq(gb_run_gpu(run), &run->gpu[1]);
	gb_run_free(run);
}
