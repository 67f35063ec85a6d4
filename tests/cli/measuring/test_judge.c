/* test_judge.c -- the limits of what the judge believes: evidence at a limit passes, and the least
 * above it fails, with the reason.
 */
#include "cli/measuring/judge.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <math.h>
#include <string.h>

#include "cli/measuring/evidence.h"
#include "cli/plugins/remote.h"
#include "common/text.h"

/* How a measurement differs from the usual one: cold, on the CPU, with two threads, samples of 1 ms
 * and an input of 1 MB.  A member that is 0 does not differ. */
struct context {
	bool is_device, is_remote, is_hot, is_peer, no_verify, emulated, is_short_of_samples;
	int threads; /* -1: none */
	unsigned flags;
	double time, bytes, read, batch;
	double output, fill; /* bytes of the result, ns to fill a byte */
	double cpu, running;
};

static struct context context;

static struct gb_work work(const void *params, const void *input)
{
	return (struct gb_work){ .bytes = context.bytes > 0 ? context.bytes : 1e6,
				 .read = context.read };
}

static enum gb_status fill(void *array, unsigned char byte, size_t bytes, struct gb_error *err)
{
	return GB_OK;
}

enum { SERIES = 60 };

/* A series of three values, or two. */
static struct gb_series thrice(double value)
{
	static double values[SERIES][3];
	static size_t used;
	double *const three = values[used++ % SERIES];

	for (size_t i = 0; i < 3; i++)
		three[i] = value;
	return (struct gb_series){ context.is_short_of_samples ? 2 : 3, 3, three };
}

/* The evidence of an honest measurement. */
static struct gb_evidence honest(double time)
{
	return (struct gb_evidence){
		.once_ns = INFINITY,
		.upload_ns = INFINITY,
		.worked = { thrice(time), thrice(time) },
		.reset = thrice(0),
		.run = thrice(time),
		.running = thrice(context.running > 0 ? context.running : time),
		.download = thrice(0),
		.show = thrice(0),
		.fill = thrice(context.fill * context.output),
		.verified = thrice(time),
		.changed = thrice(time),
		.same = thrice(time),
		.unseen = thrice(0),
		.whole = thrice(time),
		.cpu = thrice(context.cpu > 0 ? context.cpu : time),
		.busy = 1,
	};
}

/* Judge with this evidence, or part of it. */
static enum gb_status judge(enum gb_status (*by)(const struct gb_measurement *, struct gb_error *),
			    const struct gb_evidence *evidence, double time, struct gb_error *err)
{
	static const struct gb_workload workload = { .work = work };
	static const struct gb_remote_ops remote;
	const struct gb_variant variant = { .peer = context.is_peer };
	const struct gb_variant_ops ops = { .flags = context.flags };
	const struct gb_settings how = { .no_verify = context.no_verify };
	const struct gb_backend_ops backend = { .fill = context.is_device ? fill : NULL,
						.remote = context.is_remote ? &remote : NULL };
	struct gb_result result = { .workload = &workload,
				    .variant = &variant,
				    .cold = !context.is_hot,
				    .emulated = context.emulated,
				    .threads = context.threads < 0 ? 0
					       : context.threads   ? context.threads
								   : 2,
				    .batch = context.batch > 0 ? (int64_t)context.batch : 1,
				    .time = thrice(time),
				    .host_time = thrice(context.is_device ? time : 2 * time) };
	const struct gb_measurement m = { .result = &result,
					  .how = &how,
					  .ops = &ops,
					  .backend = &backend,
					  .evidence = *evidence,
					  .output_size = context.output > 0 ? (size_t)context.output
									    : 1000 };

	*err = (struct gb_error){ 0 };
	return by(&m, err);
}

#define AT(member) offsetof(struct gb_evidence, member)

static const char verified[] = "verified runs take", changed[] = "runs on an input that has",
		  batch[] = "some runs of a batch", alone[] = "if only the runner has flushed",
		  clocks[] = "by the runner's", stream[] = "in another stream", held[] = "is held",
		  reset[] = "reset() takes", download[] = "download() takes",
		  upload[] = "upload() takes", shown[] = "reading the input takes",
		  poison[] = "overwriting the result takes", flushed[] = "while caches are flushed",
		  paused[] = "has returned", crowded[] = "of CPU time in",
		  worked[] = "by CPU time, verified", rest[] = "until its threads sleep";

/* A number, or all values of a series, and the most that is believed. */
static const struct limit {
	const char *reason;
	size_t at;
	bool is_series;
	double most;
	struct context context;
} limits[] = {
	/* half as long again and 20 us; hot, 0.2 ns per byte more; hot and short, three times */
	{ verified, AT(verified), true, 1.52e6, { 0 } },
	{ changed, AT(changed), true, 1.52e6, { 0 } },
	{ verified, AT(verified), true, 1.72e6, { .is_hot = true } },
	{ verified, AT(verified), true, 820e3, { .is_hot = true, .time = 200e3 } },
	{ verified, AT(verified), true, 1.5 * 200002 + 220e3, { .is_hot = true, .time = 200002 } },
	{ NULL, AT(verified), true, 9e6, { .is_short_of_samples = true } },
	{ NULL, AT(changed), true, 9e6, { .is_short_of_samples = true } },
	/* four times as long and 1 us; with threads, 0.05 ns per byte more; on a device 5 us */
	{ batch, AT(once_ns), false, 4.051e6, { 0 } },
	{ batch, AT(once_ns), false, 4.001e6, { .threads = 1 } },
	{ batch, AT(once_ns), false, 4.005e6, { .is_device = true } },
	{ batch, AT(once_ns), false, 80 + 1000 + 320, { .is_hot = true, .time = 20 } },
	/* half as long again and 250 us */
	{ alone, AT(alone), true, 1.75e6, { .is_remote = true } },
	{ alone, AT(alone), true, 1.75e6, { .is_remote = true, .is_short_of_samples = true } },
	/* a quarter of the time, and 20 us or the time of a request */
	{ clocks, AT(unseen), true, 270e3, { 0 } },
	{ clocks, AT(unseen), true, 500e3, { .is_remote = true } },
	{ clocks, AT(unseen), true, 275e3, { .is_remote = true, .batch = 10 } },
	{ stream, AT(unseen), true, 450e3, { .is_device = true } },
	/* four times as long, or 2 ms */
	{ held, AT(queue_cpu_ns), false, 4e6, { .is_device = true } },
	{ held, AT(queue_cpu_ns), false, 2e6, { .is_device = true, .time = 100e3 } },
	/* 150 us for each thread, and three times the time to copy the input and the result */
	{ reset, AT(reset), true, 300e3 + 1.5 * 1.001e6, { 0 } },
	{ reset, AT(reset), true, 150e3 + 1.5 * 1.001e6, { .threads = -1 } },
	{ reset, AT(reset), true, 300e3 + 1.5 * 2000, { .read = 2000 } },
	{ reset, AT(reset), true, 200e3 + 4 * 1.001e6, { .is_device = true } },
	{ upload, AT(upload_ns), false, 300e3 + 1.5 * 1.001e6, { 0 } },
	{ NULL, AT(upload_ns), false, 1e9, { .flags = GB_DERIVES } },
	{ download, AT(download), true, 300e3 + 1.5 * 1000, { 0 } },
	{ NULL, AT(download), true, 1e9, { .flags = GB_CONVERTS } },
	{ reset, AT(reset), true, 300e3 + 1.5 * 1.001e6, { .flags = GB_CONVERTS | GB_DERIVES } },
	{ shown, AT(show), true, 300e3, { 0 } },
	/* ... which filling the result shows if it is large, within reason */
	{ download, AT(download), true, 300e3 + 3 * 65536, { .output = 65536, .fill = 0.5 } },
	{ download, AT(download), true, 300e3 + 12 * 65536, { .output = 65536, .fill = 3 } },
	{ download, AT(download), true, 300e3 + 0.12 * 65536, { .output = 65536, .fill = 0.01 } },
	{ download, AT(download), true, 300e3 + 1.5 * 65535, { .output = 65535, .fill = 0.5 } },
	/* the middle of what was watched: half as much again */
	{ upload, AT(watched[GB_STEP_UPLOAD]), true, 450e3 + 2.25 * 1.001e6, { 0 } },
	{ poison, AT(watched[GB_STEP_POISON]), true, 450e3 + 2.25 * 1000, { 0 } },
	{ reset, AT(watched[GB_STEP_RESET]), true, 450e3 + 2.25 * 1.001e6, { 0 } },
	{ download, AT(watched[GB_STEP_DOWNLOAD]), true, 450e3 + 2.25 * 1000, { 0 } },
	{ NULL, AT(watched[GB_STEP_UPLOAD]), true, 1e9, { .flags = GB_DERIVES } },
	{ NULL, AT(watched[GB_STEP_DOWNLOAD]), true, 1e9, { .flags = GB_CONVERTS } },
	{ flushed, AT(watched[GB_STEP_FLUSH]), true, 750e3, { 0 } },
	/* a quarter of the time and 0.5 ms */
	{ paused, AT(between_ns), false, 750e3, { 0 } },
	{ NULL, AT(between_ns), false, 1e9, { .is_device = true } },
	/* for each thread, a quarter more than the time, and 0.5 ms */
	{ crowded, AT(cpu), true, 2 * (0.5e6 + 1.25e6), { 0 } },
	{ crowded, AT(cpu), true, 0.5e6 + 1.25e6, { .threads = 1 } },
	{ NULL, AT(cpu), true, 1e9, { .threads = -1 } },
	{ NULL, AT(cpu), true, 1e9, { .is_peer = true } },
	/* half as long again and 0.1 ms of CPU time */
	{ worked, AT(worked[1]), true, 1.6e6, { 0 } },
	{ NULL, AT(worked[1]), true, 9e6, { .is_short_of_samples = true } },
	/* for each thread, half as long again and 0.5 ms */
	{ rest, AT(run), true, 2 * (0.5e6 + 1.5e6), { 0 } },
	{ rest, AT(run), true, 0.5e6 + 1.5e6, { .threads = 1 } },
	{ rest, AT(run), true, 2 * (0.5e6 + 1.5 * 2e6), { .running = 2e6 } },
	{ rest, AT(run), true, 2 * (0.5e6 + 1.5e6), { .running = 0.5e6 } },
	{ NULL, AT(run), true, 1e9, { .threads = -1 } },
	{ NULL, AT(run), true, 1e9, { .is_peer = true } },
	/* nothing of this is asked in vain */
	{ NULL, AT(verified), true, 9e6, { .no_verify = true } },
	{ NULL, AT(reset), true, 1e9, { .no_verify = true } },
	{ NULL, AT(verified), true, 9e6, { .emulated = true } },
};

/* The message has the figure that is judged, then the one that it is compared with. */
static void expect_figures(const struct limit *l, double value, double time, const char *message)
{
	static const char *const by_most[] = { reset, download, upload, shown, poison, rest };
	double first = value, second = time;
	char text[2][GB_TEXT_MAX];
	const char *at;

	for (size_t i = 0; i < GB_COUNT(by_most); i++)
		if (l->reason == by_most[i])
			second = l->most;
	if (l->reason == clocks || l->reason == stream) {
		first = time;
		second = l->reason == clocks ? 2 * time : time - value;
	}
	at = strstr(message, gb_text_time(text[0], first));
	cr_expect(at && strstr(at + 1, gb_text_time(text[1], second)), "row %zu: %s",
		  (size_t)(l - limits), message);
}

static void expect_limit(const struct limit *l)
{
	const double time = l->context.time > 0 ? l->context.time : 1e6;

	context = l->context;
	/* CPU times do not tell work from waiting if threads spin. */
	if ((l->reason == paused || l->reason == crowded || l->reason == rest) && gb_threads_spin())
		return;
	for (int above = 0; above < 3; above++) {
		const double value = above < 2 ? l->most + above : 2 * l->most;
		struct gb_evidence e = honest(time);
		struct gb_error err;
		enum gb_status status;

		if (l->is_series)
			*(struct gb_series *)((char *)&e + l->at) = thrice(value);
		else
			*(double *)((char *)&e + l->at) = value;
		e.same.count = 3;
		status = judge(gb_judge, &e, time, &err);
		cr_expect(eq(int, (int)status, above && l->reason ? GB_EVERIFY : GB_OK),
			  "row %zu, %.10g ns: %s", (size_t)(l - limits), value, err.message);
		cr_expect(err.code == GB_OK || (l->reason && strstr(err.message, l->reason)),
			  "row %zu: %s", (size_t)(l - limits), err.message);
		if (above == 2 && l->reason)
			expect_figures(l, value, time, err.message);
	}
}

Test(judge, believes_evidence_up_to_its_limits)
{
	for (size_t i = 0; i < GB_COUNT(limits); i++)
		expect_limit(&limits[i]);
}

/* Noise lengthens some samples, so the middle counts, and of short ones with hot caches the least.
 * If most samples are on another input, the others say nothing. */
Test(judge, compares_the_middle_of_samples)
{
	static double few[3] = { 1e6, 1e6, 9e6 }, most[3] = { 1e6, 9e6, 9e6 };
	static double hot[3] = { 100e3, 9e6, 9e6 }, all[3] = { 600e3, 600e3, 600e3 };
	static const struct {
		const char *reason;
		double *verified, *changed;
		bool mostly_changed, is_hot;
	} row[] = {
		{ NULL, few, few, false, false },     { verified, most, few, false, false },
		{ changed, few, most, false, false }, { NULL, few, most, true, false },
		{ NULL, most, most, true, false },    { verified, most, few, true, false },
		{ NULL, hot, hot, false, true },      { verified, all, hot, false, true },
		{ changed, hot, all, false, true },
	};

	for (size_t i = 0; i < GB_COUNT(row); i++) {
		const double time = row[i].is_hot ? 100e3 : 1e6;
		struct gb_evidence e;
		struct gb_error err;

		context = (struct context){ .is_hot = row[i].is_hot };
		e = honest(time);
		e.verified.value = row[i].verified;
		e.changed.value = row[i].changed;
		e.same.count = row[i].mostly_changed ? 2 : 3;
		(void)judge(gb_judge_samples, &e, time, &err);
		cr_expect(eq(int, (int)err.code, row[i].reason ? GB_EVERIFY : GB_OK), "row %zu: %s",
			  i, err.message);
		cr_expect(err.code == GB_OK || strstr(err.message, row[i].reason), "row %zu: %s", i,
			  err.message);
		cr_expect(row[i].reason != verified || row[i].is_hot ||
				  strstr(err.message, "9.00 ms, others 1.00 ms"),
			  "%s", err.message);
	}
}

/* The least of the samples that only the runner has flushed for is compared with the middle of
 * those between them, or of the others if these are few. */
Test(judge, samples_with_only_the_runner_s_flush)
{
	static double slow[3] = { 1.7e6, 9e6, 9e6 };
	static const struct {
		double between;
		size_t count, same;
		bool fails;
	} row[] = {
		{ 0.9e6, 3, 3, true }, { 0.9e6, 2, 3, false }, { 1.1e6, 3, 3, false },
		{ 0.9e6, 2, 2, true }, { 1.1e6, 3, 2, false },
	};

	for (size_t i = 0; i < GB_COUNT(row); i++) {
		struct gb_evidence e;
		struct gb_error err;

		context = (struct context){ .is_remote = true };
		e = honest(1e6);
		e.changed = thrice(0.9e6);
		e.same = thrice(1e6);
		e.same.count = row[i].same;
		e.alone = (struct gb_series){ 3, 3, slow };
		e.between = thrice(row[i].between);
		e.between.count = row[i].count;
		(void)judge(gb_judge_flush, &e, 1e6, &err);
		cr_expect(eq(int, (int)err.code, row[i].fails ? GB_EVERIFY : GB_OK), "row %zu: %s",
			  i, err.message);
	}
}

/* A sample in which noise lengthens the runner's clock proves nothing, nor does half of them unless
 * it is more.  In another process the waits that are subtracted are uncertain. */
Test(judge, clocks_may_differ_in_some_samples)
{
	static const struct {
		double unseen[3];
		bool is_remote, fails;
	} row[] = {
		{ { 270e3, 290e3, 9e6 }, false, false }, { { 271e3, 271e3, 271e3 }, false, true },
		{ { 270e3, 291e3, 9e6 }, false, true },  { { 0, 291e3, 291e3 }, false, true },
		{ { 0, 750e3, 9e6 }, true, false },      { { 0, 751e3, 751e3 }, true, true },
		{ { 260e3, 742e3, 742e3 }, true, true }, /* their quarter is 501 us */
	};

	for (size_t i = 0; i < GB_COUNT(row); i++) {
		double unseen[3];
		struct gb_evidence e;
		struct gb_error err;

		memcpy(unseen, row[i].unseen, sizeof unseen);
		context = (struct context){ .is_remote = row[i].is_remote };
		e = honest(1e6);
		e.unseen.value = unseen;
		(void)judge(gb_judge, &e, 1e6, &err);
		cr_expect(eq(int, (int)err.code, row[i].fails ? GB_EVERIFY : GB_OK), "row %zu: %s",
			  i, err.message);
	}
}

Test(judge, processes_and_threads)
{
	struct gb_evidence e;
	struct gb_error err;

	context = (struct context){ 0 };
	e = honest(1e6);
	cr_expect(eq(int, (int)judge(gb_judge_whole, &e, 1e6, &err), GB_OK), "%s", err.message);
	e.busy = 2;
	cr_expect(eq(int, (int)judge(gb_judge_whole, &e, 1e6, &err), GB_OK), "%s", err.message);
	e.busy = 3;
	(void)judge(gb_judge_whole, &e, 1e6, &err);
	cr_expect(eq(str, err.message,
		     gb_threads_spin() ? "" : "3 threads are at work in a run, not 2"));
	e.whole.count = 0;
	cr_expect(eq(int, (int)judge(gb_judge_whole, &e, 1e6, &err), GB_OK), "%s", err.message);
	e.children = true;
	cr_expect(eq(int, (int)judge(gb_judge_whole, &e, 1e6, &err), GB_EVERIFY));
	context.emulated = true;
	cr_expect(eq(int, (int)judge(gb_judge_whole, &e, 1e6, &err), GB_OK), "%s", err.message);
}

/* On the CPU, a sample takes at least what the runner's clock says, but for the time to read it. */
Test(judge, the_time_by_which_samples_are_compared)
{
	static const struct {
		bool is_device, is_remote;
		int64_t runs;
		double ns, host_ns, seen;
	} row[] = {
		{ false, false, 1, 100e3, 110e3, 100e3 }, { false, false, 1, 100e3, 130e3, 110e3 },
		{ false, false, 9, 100e3, 130e3, 110e3 }, { false, true, 1, 100e3, 500e3, 250e3 },
		{ false, true, 10, 100e3, 500e3, 475e3 }, { true, false, 1, 100e3, 500e3, 100e3 },
	};

	for (size_t i = 0; i < GB_COUNT(row); i++) {
		static const struct gb_remote_ops remote;
		const struct gb_backend_ops backend = {
			.fill = row[i].is_device ? fill : NULL,
			.remote = row[i].is_remote ? &remote : NULL,
		};
		const struct gb_measurement m = { .backend = &backend };

		cr_expect(eq(dbl, gb_seen_ns(&m, row[i].runs, row[i].ns, row[i].host_ns),
			     row[i].seen),
			  "row %zu", i);
	}
}

/* The input of 100 bytes is read in 1 us: 100 MB/s. */
Test(judge, results_faster_than_the_memory_are_doubtful)
{
	static const struct {
		double flush, copy;
		enum gb_outcome outcome;
		bool is_hot, emulated, doubtful;
	} row[] = {
		{ 90e6, 80e6, GB_RESULT_OK, false, false, true },
		{ 80e6, 90e6, GB_RESULT_OK, false, false, true },
		{ 92e6, 80e6, GB_RESULT_OK, false, false, false },
		{ 80e6, 92e6, GB_RESULT_OK, false, false, false },
		{ (double)NAN, 80e6, GB_RESULT_OK, false, false, true },
		{ (double)NAN, (double)NAN, GB_RESULT_OK, false, false, false },
		{ 1, 1, GB_FAILED, false, false, false },
		{ 1, 1, GB_RESULT_OK, true, false, false },
		{ 1, 1, GB_RESULT_OK, false, true, false },
	};

	for (size_t i = 0; i < GB_COUNT(row); i++) {
		struct gb_result r = { .outcome = row[i].outcome,
				       .variant = &(struct gb_variant){ .backend = GB_CPU },
				       .cold = !row[i].is_hot,
				       .emulated = row[i].emulated,
				       .flush_bytes_per_s = row[i].flush,
				       .copy_bytes_per_s = row[i].copy,
				       .work.read = 100,
				       .time = thrice(1000) };

		gb_doubt_rate(&r);
		cr_expect(eq(int, r.doubtful, row[i].doubtful), "row %zu", i);
		cr_expect(eq(int, r.reason[0] != '\0', row[i].doubtful), "row %zu", i);
	}
}

/* A cold run reads at most a tenth more than the memory's bandwidth, the greater of two. */
Test(judge, rates_of_cold_runs)
{
	static const struct {
		double read, flush, copy; /* GB/s */
		bool is_hot, emulated, failed, is_doubtful;
	} row[] = {
		{ 109, 90, 100, false, false, false, false },
		{ 111, 90, 100, false, false, false, true },
		{ 111, 110, 100, false, false, false, false },
		{ 111, (double)NAN, 100, false, false, false, true },
		{ 111, 100, (double)NAN, false, false, false, true },
		{ 111, (double)NAN, (double)NAN, false, false, false, false },
		{ 111, 90, 100, true, false, false, false },
		{ 111, 90, 100, false, true, false, false },
		{ 111, 90, 100, false, false, true, false },
	};

	for (size_t i = 0; i < GB_COUNT(row); i++) {
		struct gb_result r = { .outcome = row[i].failed ? GB_FAILED : GB_RESULT_OK,
				       .variant = &(struct gb_variant){ .backend = GB_CPU },
				       .cold = !row[i].is_hot,
				       .emulated = row[i].emulated,
				       .work = { .read = 1e3 * row[i].read },
				       .flush_bytes_per_s = 1e9 * row[i].flush,
				       .copy_bytes_per_s = 1e9 * row[i].copy };

		context = (struct context){ 0 };
		r.time = thrice(1e3);
		gb_doubt_rate(&r);
		cr_expect(eq(int, r.doubtful, row[i].is_doubtful), "row %zu", i);
		if (i == 1)
			cr_expect(eq(str, r.reason,
				     "reads its input at 111 GB/s, but the memory reaches 100 "
				     "GB/s: it may not have read all of it, or not from memory"));
		if (r.doubtful) { /* until the copy is measured on a machine that is not busy */
			r.copy_bytes_per_s = 102e9;
			gb_doubt_rate(&r);
			cr_expect(eq(int, r.doubtful, false), "row %zu", i);
			cr_expect(eq(str, r.reason, ""), "row %zu", i);
		}
	}
}

/* Without a flush, twice the copy's bandwidth, for what the caches cannot hold. */
Test(judge, rates_of_hot_runs)
{
	for (int above = 0; above < 2; above++) {
		const char *from;
		const double cache = (double)gb_backends[GB_CPU]->cache_bytes(&from);
		struct gb_result r = { .outcome = GB_RESULT_OK,
				       .variant = &(struct gb_variant){ .backend = GB_CPU },
				       .work = { .read = cache + (above ? 201e6 : 199e6) },
				       .flush_bytes_per_s = NAN,
				       .copy_bytes_per_s = 100e9 };

		context = (struct context){ 0 };
		r.time = thrice(1e6);
		gb_doubt_rate(&r);
		cr_expect(eq(int, r.doubtful, above));
	}
}

/* However fast: a plug-in that always has the same input may remember its result. */
Test(judge, inputs_without_variations)
{
	struct gb_result r = { .outcome = GB_RESULT_OK,
			       .variant = &(struct gb_variant){ .backend = GB_CPU },
			       .constant = true };

	context = (struct context){ 0 };
	r.time = thrice(1e3);
	gb_doubt_rate(&r);
	cr_expect(eq(int, r.doubtful, true));
	cr_expect(eq(str, r.reason, "this input has no variations: the result may be remembered"));
	r.outcome = GB_FAILED;
	gb_doubt_rate(&r);
	cr_expect(eq(int, r.doubtful, false));
}
