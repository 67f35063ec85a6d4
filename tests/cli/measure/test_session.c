/* test_session.c -- which measurements a session makes, their order, and which of two verdicts it
 * ends with.
 */
#include "cli/measure/checks.h"
#include "cli/measure/session.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/measure/bandwidth.h"
#include "common/memory.h"
#include "common/text.h"
#include "common/variants.h"
#include "tests/file_of.h"

Test(session, the_worse_verdict_stays)
{
	static const enum gb_status rising[] = { GB_OK,       GB_EUNAVAILABLE, GB_EUNDECIDED,
						 GB_ERUNTIME, GB_EVERIFY,      GB_EUSAGE,
						 GB_EIO,      GB_EINTERRUPTED };

	for (size_t i = 0; i < GB_COUNT(rising); i++)
		for (size_t k = 0; k <= i; k++) {
			cr_expect(eq(int, (int)gb_worse(rising[i], rising[k]), (int)rising[i]));
			cr_expect(eq(int, (int)gb_worse(rising[k], rising[i]), (int)rising[i]));
		}
}

/* ---- points -------------------------------------------------------------------------------- */

struct toy_params {
	int64_t count, threads, seed;
};

static size_t prepared;
static enum gb_status refused; /* by prepare() */
static size_t needed;          /* bytes of an input, beside a few */

static enum gb_status prepare(const void *params, void **input, struct gb_error *err)
{
	void *made = gb_input_begin(8, err);

	if (refused)
		gb_fail(err, refused, "no input");
	if (needed)
		(void)gb_host_alloc(needed, 1, err);
	prepared += !gb_memory_is_dry();
	return gb_input_end(made, input, err);
}

static size_t output_size(const void *params, const void *input)
{
	return 8;
}

static enum gb_status create(void *state, const void *params, const void *input,
			     struct gb_error *err)
{
	return GB_OK;
}

static const struct gb_param rows[] = {
	{ .name = "count", GB_AT(GB_INT, struct toy_params, count), .initial = "0", .max = 9 },
	GB_COMMON_PARAMS(struct toy_params),
};
static const struct gb_benchmark benchmark = { .name = "toy",
					       .params = rows,
					       .param_count = GB_COUNT(rows),
					       .params_size = sizeof(struct toy_params),
					       .prepare = prepare,
					       .output_size = output_size,
					       .release = gb_input_release };
static const struct gb_variant_ops ops = { .state_size = 1, .create = create, .flags = GB_SERIAL };
static const struct gb_variant variants[] = {
	{ .benchmark = "toy", .name = "x", .ops = &ops },
	{ .benchmark = "other", .name = "o", .ops = &ops },
	{ .benchmark = "toy", .name = "y", .ops = &ops },
	{ .benchmark = "toy", .name = "p", .ops = &ops, .kind = GB_KIND_LIBRARY },
};

static char visited[512];
static enum gb_status code_of_x; /* of the measurements of variant x */

/* Append "x1 ", or "x1! " and the reason if it is skipped. */
static void visit(void *self, struct gb_result *r, void *input, struct gb_error *err)
{
	const struct toy_params *p = r->params;
	const size_t used = strlen(visited);

	(void)snprintf(visited + used, sizeof visited - used, "%s%d%s%.30s ", r->variant->name,
		       (int)p->count, r->code ? "! " : "", r->code ? r->record.reason : "");
	cr_expect(eq(int, input == NULL, r->code != GB_OK));
	if (r->variant == &variants[0] && code_of_x)
		r->code = code_of_x;
}

static enum gb_status each(struct gb_session *s, const struct gb_choice *choice,
			   struct gb_error *err)
{
	struct gb_sweep sweep = { 0 };

	gb_variants = variants;
	gb_variant_count = GB_COUNT(variants);
	cr_assert(zero(int, (int)gb_sweep_words(&sweep, &benchmark, "--count=1,2", err)), "%s",
		  err->message);
	cr_expect(eq(sz, gb_count_runs(&sweep, choice), choice->glob_count ? 4 : 6));
	cr_expect(
		eq(int, (int)gb_session_each(s, &sweep, choice, visit, NULL, err), (int)err->code));
	gb_sweep_release(&sweep);
	return err->code;
}

static struct gb_session begin(const struct gb_request *request)
{
	struct gb_session s;
	struct gb_error err = { 0 };

	cr_assert(zero(int, (int)gb_session_open(&s, request, 0, NULL, &err)), "%s", err.message);
	visited[0] = '\0';
	prepared = 0;
	return s;
}

/* Measurements have numbers in the order of points, then variants. */
Test(session, measurements_that_are_due)
{
	static const struct {
		int64_t index, shards;
		bool once;
		int sweeps, globs;
		const char *visited;
	} row[] = {
		{ 0, 0, false, 1, 0, "x1 y1 p1 x2 y2 p2 " },
		{ 0, 1, false, 2, 0, "x1 y1 p1 x2 y2 p2 x1 y1 p1 x2 y2 p2 " },
		{ 0, 2, false, 1, 0, "x1 p1 y2 " },
		{ 1, 2, false, 1, 0, "y1 x2 p2 " },
		{ 2, 4, false, 1, 0, "p1 " },
		{ 5, 6, false, 1, 0, "p2 " },
		{ 0, 1000000, false, 1, 0, "x1 " },
		{ 0, 4, false, 2, 0, "x1 y2 p1 " },
		{ 0, 0, true, 2, 0, "x1 y1 p1 x2 y2 p2 " },
		{ 0, 4, true, 2, 0, "x1 y2 " },
		{ 0, 0, false, 1, 2, "x1 p1 x2 p2 " },
	};

	for (size_t i = 0; i < GB_COUNT(row); i++) {
		const struct gb_choice choice = { .glob_count = (size_t)row[i].globs,
						  .glob = { "cpu/x", "cpu/p" } };
		const struct gb_request request = { .dry = 1,
						    .once = row[i].once,
						    .repeats = { .shard_index = row[i].index,
								 .shards = row[i].shards } };
		struct gb_session s = begin(&request);
		struct gb_error err = { 0 };

		for (int k = 0; k < row[i].sweeps; k++)
			cr_assert(zero(int, (int)each(&s, &choice, &err)), "%s", err.message);
		cr_expect(eq(str, visited, (char *)row[i].visited), "row %zu", i);
		(void)gb_session_close(&s, &err);
	}
}

#define RECORD(variant, status, verify)                                                            \
	"{\"type\":\"record\",\"schema\":2,\"run_id\":\"a\",\"bench\":\"toy\",\"backend\":"        \
	"\"cpu\",\"variant\":\"" variant "\",\"key\":\"toy/cpu/" variant " count=1\",\"params\":{" \
	"\"count\":1},\"status\":\"" status "\",\"verify\":{\"result\":\"" verify "\"}}\n"

/* A point's input is made once, and again after a variant that may have spoilt it.  One that cannot
 * be made here is a reason to skip the point; one that is wrong ends the sweep. */
Test(session, inputs)
{
	static const struct {
		enum gb_status refused, code_of_x, code;
		size_t prepared;
		const char *visited;
	} row[] = {
		{ GB_OK, GB_OK, GB_OK, 2, "x1 y1 p1 x2 y2 p2 " },
		{ GB_OK, GB_EUNAVAILABLE, GB_OK, 2, "x1 y1 p1 x2 y2 p2 " },
		{ GB_OK, GB_EMEMORY, GB_OK, 2, "x1 y1 p1 x2 y2 p2 " },
		{ GB_OK, GB_EVERIFY, GB_OK, 4, "x1 y1 p1 x2 y2 p2 " },
		{ GB_OK, GB_ERUNTIME, GB_OK, 4, "x1 y1 p1 x2 y2 p2 " },
		{ GB_EUNAVAILABLE, GB_OK, GB_OK, 2,
		  "x1! input: no input y1! input: no input p1! input: no input x2! input: no input "
		  "y2! input: no input p2! input: no input " },
		{ GB_EMEMORY, GB_OK, GB_OK, 2,
		  "x1! input: no input y1! input: no input p1! input: no input x2! input: no input "
		  "y2! input: no input p2! input: no input " },
		{ GB_EUSAGE, GB_OK, GB_EUSAGE, 1, "" },
		{ GB_OK, GB_OK, GB_OK, 0,
		  "x1! needs 4.00 TiB of host memory, y1! needs 4.00 TiB of host memory, p1! needs "
		  "4.00 TiB of host memory, x2! needs 4.00 TiB of host memory, y2! needs 4.00 TiB "
		  "of host memory, p2! needs 4.00 TiB of host memory, " },
	};

	for (size_t i = 0; i < GB_COUNT(row); i++) {
		const struct gb_request request = { .dry = 1 };
		const struct gb_choice all = { 0 };
		struct gb_session s = begin(&request);
		struct gb_error err = { 0 };

		refused = row[i].refused;
		needed = i + 1 == GB_COUNT(row) ? (size_t)1 << 42 : 0;
		code_of_x = row[i].code_of_x;
		cr_expect(eq(int, (int)each(&s, &all, &err), (int)row[i].code), "row %zu", i);
		cr_expect(eq(str, visited, (char *)row[i].visited), "row %zu", i);
		cr_expect(eq(sz, prepared, row[i].prepared), "row %zu", i);
		(void)gb_session_close(&s, &err);
		cr_expect(zero(sz, gb_memory_used(GB_HOST_MEMORY)));
	}
}

/* ---- verdicts ------------------------------------------------------------------------------ */

static enum gb_status run(void *state, struct gb_timer *timer, struct gb_error *err)
{
	return code_of_x ? gb_fail(err, code_of_x, "broken") : GB_OK;
}

static enum gb_status download(void *state, void *output, struct gb_error *err)
{
	return GB_OK;
}

static enum gb_status verify(const void *params, const void *input, int64_t sample,
			     const void *output, struct gb_metrics *metrics, struct gb_error *err)
{
	return GB_OK;
}

/* More is read than any memory can give in so short a run, but hot caches can hold it. */
static struct gb_work work_of(const void *params, const void *input)
{
	return (struct gb_work){ .items = 1, .bytes = 1, .read = 4e6 };
}

static struct gb_variant_ops measured;
static struct gb_benchmark toy;
static struct gb_variant both[2] = { { .benchmark = "toy", .name = "x", .ops = &measured } };

/* Let variant x run, beside the yardstick. */
static void measure_x(void)
{
	measured = ops;
	measured.run = run;
	measured.download = download;
	toy = benchmark;
	toy.verify = verify;
	toy.work = work_of;
	for (size_t i = 0; i < gb_variant_count; i++)
		if (gb_equal(gb_variants[i].benchmark, "stream") &&
		    gb_variants[i].backend == GB_CPU)
			both[1] = gb_variants[i];
	gb_variants = both;
	gb_variant_count = GB_COUNT(both);
	(void)setenv("GPUBENCH_COPY", "16Ki", 1);
}

static void sweep_x(struct gb_session *s)
{
	const struct gb_choice all = { 0 };
	struct gb_sweep sweep = { 0 };
	struct gb_error err = { 0 };

	cr_assert(zero(int, (int)gb_sweep_words(&sweep, &toy, "--count=1", &err)));
	cr_assert(zero(int, (int)gb_session_sweep(s, &sweep, &all, &err)), "%s", err.message);
	gb_sweep_release(&sweep);
}

/* Two repetitions failed.  If one of them is made again, the other failure is still there. */
Test(session, failures_of_several_repetitions)
{
	static const char past[] = RECORD("x", "failed", "fail") RECORD("x", "failed", "fail");
	struct gb_request request = { .how = { .samples = 2, .timeout_s = 100, .hot = 1 },
				      .quiet = 1 };
	struct gb_error err = { 0 };
	struct gb_session s;

	measure_x();
	request.target.path = file_of(".jsonl", past, strlen(past));
	request.target.resume = GB_RESUME_ANY;
	cr_assert(zero(int, (int)gb_session_open(&s, &request, 0, NULL, &err)), "%s", err.message);
	for (size_t i = 0; i < 2; i++) {
		sweep_x(&s);
		cr_assert(eq(sz, s.records.count, 2));
		cr_expect(eq(int, (int)s.records.record[i]->status,
			     i ? GB_STATUS_OK : GB_STATUS_FAILED));
		cr_expect(eq(sz, s.past, 1 - i));
		cr_expect(eq(int, (int)s.verdict, GB_ERUNTIME));
	}
	cr_expect(eq(int, (int)gb_session_close(&s, &err), GB_ERUNTIME));
	cr_expect(zero(sz, s.records.count), "a session that ends keeps no records");
	(void)unlink(request.target.path);
}

/* The copy that is remembered is slow, so it is measured again.  The reason does not name it. */
Test(session, verdicts_of_results)
{
	static const struct {
		int64_t hot;
		enum gb_status code, verdict;
		const char *status;
	} row[] = {
		{ 1, GB_OK, GB_OK, "ok" },
		{ 0, GB_OK, GB_EUNDECIDED, "doubtful" },
		{ 1, GB_EVERIFY, GB_EVERIFY, "failed" },
		{ 1, GB_ERUNTIME, GB_ERUNTIME, "failed" },
		{ 1, GB_EUSAGE, GB_ERUNTIME, "failed" },
		{ 1, GB_EMEMORY, GB_OK, "skipped" },
	};

	measure_x();
	gb_copy_remember(GB_CPU, 1, 1);
	for (size_t i = 0; i < GB_COUNT(row); i++) {
		const struct gb_request request = {
			.how = { .samples = 2, .timeout_s = 100, .hot = row[i].hot },
			.quiet = 1,
			.preset = "quick",
		};
		const struct gb_record *record;
		struct gb_session s;
		struct gb_error err = { 0 };
		char text[GB_TEXT_MAX + 16], slow[GB_TEXT_MAX];

		code_of_x = row[i].code;
		cr_assert(zero(int, (int)gb_session_open(&s, &request, 0, NULL, &err)), "%s",
			  err.message);
		sweep_x(&s);
		cr_assert(eq(sz, s.records.count, 1));
		record = s.records.record[0];
		cr_expect(eq(str, (char *)gb_status_word(record->status), (char *)row[i].status));
		cr_expect(eq(str, (char *)record->context->settings.preset, "quick"));
		if (row[i].verdict == GB_EUNDECIDED) {
			cr_expect(gt(dbl, record->copy_bytes_per_s, 1e6));
			(void)snprintf(text, sizeof text, "reaches %sB/s", gb_text_scaled(slow, 1));
			cr_expect(strstr(record->reason, "reaches ") &&
					  !strstr(record->reason, text),
				  "%s", record->reason);
		}
		cr_expect(eq(int, (int)gb_session_close(&s, &err), (int)row[i].verdict), "row %zu",
			  i);
	}
}

/* ---- memory -------------------------------------------------------------------------------- */

/* Needs at a limit are met.  Free memory changes, so only far more is refused. */
Test(session, needs_of_memory_at_their_limits)
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

		(void)gb_need_met(&row[i].need, row[i].made, row[i].device_bytes, &err);
		cr_expect(eq(int, (int)err.code, row[i].words ? GB_EMEMORY : GB_OK), "row %zu", i);
		cr_expect(row[i].words == NULL ||
				  !strncmp(err.message, row[i].words, strlen(row[i].words)),
			  "%s", err.message);
	}
}
