/* test_virtual.c -- the runner on a simulated machine: the order of events, the numbers in the
 * result, intervals, the stopping rule, and which measurements are refused.
 */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <math.h>
#include <regex.h>
#include <stdio.h>
#include <string.h>

#include "cli/measuring/judge.h"
#include "cli/measuring/stopping.h"
#include "cli/records/describe.h"
#include "cli/records/json.h"
#include "common/stats.h"
#include "common/text.h"
#include "tests/cli/measuring/virtual.h"

static const struct gb_settings cold = { .warmup = 2,
					 .min_samples = 10,
					 .rel_ci = 0.02,
					 .max_time_s = 0.3,
					 .timeout_s = 1000,
					 .no_phases = 1 };

static struct gb_settings but_hot(struct gb_settings how)
{
	how.hot = 1;
	return how;
}

static struct gb_settings with_samples(struct gb_settings how, int64_t samples)
{
	how.samples = samples;
	return how;
}

static struct gb_result ok(const struct virtual_machine *machine, const struct gb_settings *how)
{
	struct gb_result r = virtual_measure(machine, how);

	cr_assert(eq(int, (int)r.outcome, GB_RESULT_OK), "%s", r.reason);
	return r;
}

/* ---- the order of events ------------------------------------------------------------------ */

/* The number of places in the log that match. */
static size_t count(const char *pattern)
{
	const char *log = virtual_log();
	regmatch_t at;
	regex_t compiled;
	size_t found = 0;

	cr_assert(zero(int, regcomp(&compiled, pattern, REG_EXTENDED)));
	for (; regexec(&compiled, log, 1, &at, 0) == 0; log += at.rm_eo)
		found++;
	regfree(&compiled);
	return found;
}

/* All runs follow one of these sequences, from reset() to the reading of the timer.  Nothing is
 * left out, and nothing comes between. */
static const char COLD_CPU[] = "p0nfsnnbRmsnt", HOT_CPU[] = "0snbRmsnt";
static const char COLD_DEVICE[] = "p0nfsnnhbRmlsntq", HOT_DEVICE[] = "0snhbRmlsntq";
/* Not held back: warm-up runs, those for the launch times, and those after a failed hold. */
static const char COLD_LAUNCHED[] = "p0nfsnnbRmsnt", HOT_LAUNCHED[] = "0snbRmsnt";

/* The runner's steps around a run.  On a device it reads the host's clock between them, because it
 * judges them by that; on the CPU it reads CPU time, which is not logged. */
static const struct steps {
	const char *changed;   /* the input of a sample is changed */
	const char *verified;  /* a result is downloaded; meanwhile the input is another one */
	const char *unchanged; /* ... unless it is the original */
	const char *whole;     /* a whole run, after a run on the original input or another one */
	const char *broken;    /* a run with pauses */
} steps_of[] = { { "nvunp?0", "nvubdmstvc", "nbdmstc", "u?sznp0nznbRnzndnz", "nvu?nzzsp0zzbRzzsd" },
		 { "nvnus?nnvp?0", "nvnus?nbdmstvc", "nbdmstc", "n(us?n)?psnn0snnnnbRsnnnndsnn",
		   "ps0zzbRzzsd" } };

static void expect_order(bool is_device, bool is_hot, bool varies_slowly)
{
	const struct steps *steps = &steps_of[is_device];
	const struct virtual_machine machine = { .device = is_device,
						 .process = { .run_ns = 1e6, .noise = 0.05 },
						 .vary_ns = varies_slowly ? 500e3 : 0,
						 .seed = 1 };
	const struct gb_settings how = with_samples(is_hot ? but_hot(cold) : cold, 40);
	struct gb_result r = ok(&machine, &how);
	const char *sample = is_device ? is_hot ? HOT_DEVICE : COLD_DEVICE
			     : is_hot  ? HOT_CPU
				       : COLD_CPU;
	const char *launched = is_hot ? HOT_LAUNCHED : COLD_LAUNCHED;
	const size_t others = is_device ? 2 + 4 : 2; /* warm-ups and launch times */
	const size_t warm = !is_device && !is_hot;   /* warm-ups without a flush */

	cr_expect(eq(sz, count(sample), 40 + (is_device ? 0 : others - warm)), "%s", virtual_log());
	cr_expect(eq(sz, count(is_device ? launched : HOT_CPU),
		     is_device ? others
		     : is_hot  ? 42
			       : warm),
		  "%s", virtual_log());
	cr_expect(eq(sz, count(steps->whole), 3), "%s", virtual_log());
	cr_expect(eq(sz, count(steps->broken), 1), "%s", virtual_log());
	cr_expect(eq(sz, count("R"), 40 + others + 3 + 1));
	/* The first warm-up run is verified on the original input, samples on others. */
	cr_expect(eq(sz, count(steps->unchanged), 1));
	cr_expect(eq(i64, (int64_t)count(steps->verified), r.verified - 1));
	cr_expect(eq(i64, (int64_t)count("c"), r.verified));
	cr_expect(r.verified >= 4);
	/* Whole runs and broken ones are overwritten, too, and with cold caches all others. */
	cr_expect(eq(i64, r.overwritten, is_hot ? (int64_t)count("p") - 4 : 40));
	cr_expect(eq(i64, r.changed, (int64_t)count(steps->changed)));
	if (varies_slowly) /* three samples that must be verified, and one in eight */
		cr_expect(r.changed >= 5 && r.changed <= 16, "%lld", (long long)r.changed);
	else
		cr_expect(eq(i64, r.changed, 40));
	if (is_hot && !varies_slowly) /* half of those that are verified or changed */
		cr_expect(r.overwritten >= r.changed / 4 && r.overwritten <= r.changed * 3 / 4,
			  "%lld of %lld", (long long)r.overwritten, (long long)r.changed);
	gb_result_release(&r);
}

Test(virtual, events_of_cold_runs)
{
	expect_order(false, false, false);
	expect_order(false, false, true);
}

Test(virtual, events_of_hot_runs)
{
	expect_order(false, true, false);
	expect_order(false, true, true);
}

Test(virtual, events_of_cold_runs_on_a_device)
{
	expect_order(true, false, false);
	expect_order(true, false, true);
}

Test(virtual, events_of_hot_runs_on_a_device)
{
	expect_order(true, true, false);
	expect_order(true, true, true);
}

/* ---- the numbers -------------------------------------------------------------------------- */

static double median(const struct gb_series *series)
{
	return gb_series_quantile(series, 0.5);
}

static const char *counts_of_runs(void)
{
	return "{\"loads\":7}";
}

static const char *no_counts(void)
{
	return NULL;
}

/* The first run is counted.  Times mean nothing then, so no others follow but the samples. */
Test(virtual, counts_are_those_of_the_first_run)
{
	struct virtual_machine machine = { .device = true,
					   .process = { .run_ns = 50e3 },
					   .counts = counts_of_runs };
	struct gb_result r = ok(&machine, &cold);

	cr_expect(eq(str, r.counts, (char *)counts_of_runs()));
	cr_expect(eq(sz, count("\\(R\\)"), 1));
	cr_expect(eq(sz, count("^[^R]*\\(R"), 1));
	cr_expect(eq(sz, count("[()]"), 2));
	cr_expect(gt(sz, count("R"), r.time.count));
	cr_expect(r.has_gpu_state && r.before.energy_j > 0 && r.after.energy_j > r.before.energy_j);
	gb_result_release(&r);
	machine.counts = no_counts;
	machine.remote = true;
	r = virtual_measure(&machine, &cold);
	cr_expect(eq(sz, count("\\([?]bR[^R]*t[)]"), 1));
	cr_expect(eq(sz, count("[()]"), 2));
	cr_expect(eq(int, (int)r.outcome, GB_FAILED));
	cr_expect(eq(str, r.reason, "the plug-in's process gives no counts"));
	gb_result_release(&r);
}

/* The variant's process overwrites the result, resets, flushes its own caches and runs.  Its memory
 * is added to the runner's. */
Test(virtual, events_in_another_process)
{
	static const char *const sample[] = {
		"[?]zp0znfsnzFn[?]bRmst",
		"wun(z[?]zp)?0sn[?]bRmst",
		"vw[?]p0nfsnn[?]hbRmlsqt",
		"vw([?]p)?0sn[?]hbRmlsqt",
	};

	for (int kind = 0; kind < 4; kind++) {
		struct virtual_machine machine = { .remote = true,
						   .device = kind & 2,
						   .process = { .run_ns = 1e6, .noise = 0.05 },
						   .seed = 1 };
		const struct gb_settings how = with_samples(kind & 1 ? but_hot(cold) : cold, 40);
		struct gb_result r = ok(&machine, &how);
		const size_t host = r.host_bytes, device = r.device_bytes;

		cr_expect(eq(sz, count(sample[kind]), 40), "%s", virtual_log());
		cr_expect(eq(sz, count("0znfsnzn[?]bR"), kind == 0 ? 3 : 0)); /* no second flush */
		gb_result_release(&r);
		machine.children = 1;
		r = virtual_measure(&machine, &how);
		cr_expect(eq(str, r.reason, "the variant has started another process"));
		gb_result_release(&r);
		machine.remote = false;
		r = ok(&machine, &how);
		cr_expect(eq(sz, host, r.host_bytes + VIRTUAL_HOST_PEAK));
		cr_expect(eq(sz, device, r.device_bytes + VIRTUAL_DEVICE_PEAK));
		gb_result_release(&r);
	}
}

Test(virtual, cold_runs_are_cold_and_hot_ones_hot)
{
	for (int is_device = 0; is_device < 2; is_device++) {
		const struct virtual_machine machine = { .device = is_device,
							 .process = { .run_ns = 1e6, .hot = 0.25 },
							 .seed = 2 };
		const struct gb_settings hot = but_hot(cold);
		struct gb_result r = ok(&machine, &cold);

		cr_expect(epsilon_eq(dbl, median(&r.time), 1e6, 1));
		/* On a device they include launches and waiting, but not the flush. */
		cr_expect(epsilon_eq(dbl, median(&r.host_time), 1e6, is_device ? 10e3 : 100));
		cr_expect(eq(sz, r.flush_bytes, 1 << 20)); /* made by the first flush */
		/* Whole runs find their data in the caches.  A device spares the host the work. */
		cr_expect(epsilon_eq(dbl, r.whole_ns, 0.25e6, 20e3), "%g", r.whole_ns);
		cr_expect(epsilon_eq(dbl, r.cpu_ns, is_device ? 0 : 0.25e6, 20e3), "%g", r.cpu_ns);
		/* Two passes, and calls. */
		cr_expect(epsilon_eq(dbl, r.flush_bytes_per_s, 2 * (1 << 20) / 50e3 * 1e9, 4e9));
		gb_result_release(&r);
		r = ok(&machine, &hot);
		cr_expect(eq(sz, r.flush_bytes, 0));
		cr_expect(epsilon_eq(dbl, median(&r.time), 0.25e6, 1));
		gb_result_release(&r);
	}
}

/* The times of an emulated device are taken, but no evidence against them. */
Test(virtual, times_of_an_emulated_device)
{
	struct virtual_machine machine = { .device = true,
					   .emulated = true,
					   .process = { .run_ns = 1e6, .noise = 0.1 },
					   .cheat = VIRTUAL_OTHER_STREAM };
	const struct gb_settings how = with_samples(cold, 9);
	struct gb_result r = ok(&machine, &how);

	cr_expect(r.emulated);
	cr_expect(eq(sz, r.time.count, 9));
	cr_expect(eq(sz, r.upload.count, 1));
	gb_result_release(&r);
	machine.emulated = false;
	r = virtual_measure(&machine, &how);
	cr_expect(r.outcome == GB_FAILED && !r.emulated);
	gb_result_release(&r);
}

/* All times are of one run, although a sample is 200 us of runs of 8 us. */
Test(virtual, times_of_a_batch_are_of_one_run)
{
	for (int is_device = 0; is_device < 2; is_device++) {
		const struct virtual_machine machine = {
			.device = is_device,
			.flags = GB_REPEATABLE,
			.process = { .run_ns = 8000, .noise = 0.01, .tick_ns = 500 },
			.seed = 3
		};
		const struct gb_settings how = with_samples(but_hot(cold), 20);
		struct gb_result r = ok(&machine, &how);

		cr_expect(r.batch >= 20 && r.batch <= 30, "%lld", (long long)r.batch);
		cr_expect(epsilon_eq(dbl, r.resolution_ns, 500 / (double)r.batch, 1e-9));
		cr_expect(epsilon_eq(dbl, median(&r.time), 8000, 200), "%g", median(&r.time));
		if (!is_device)
			cr_expect(epsilon_eq(dbl, median(&r.host_time), 8000, 200), "%g",
				  median(&r.host_time));
		gb_result_release(&r);
	}
}

/* Input i has 1 + i times the items and takes 1 + i times as long: all have one rate. */
Test(virtual, the_rate_of_different_inputs)
{
	const struct virtual_machine machine = { .distinct = 4,
						 .process = { .run_ns = 1e5, .hot = 0.5 },
						 .seed = 4 };
	const struct gb_settings how = with_samples(cold, 21);
	struct gb_result r = ok(&machine, &how);

	cr_expect(epsilon_eq(dbl, r.harmonic_items_per_s, 1000 / 1e5 * 1e9, 1e3));
	gb_result_release(&r);
}

/* first_call is the time of the first run of all, which is slow. */
Test(virtual, the_first_call_is_the_first)
{
	for (int64_t warmup = 0; warmup < 3; warmup++) {
		const struct virtual_machine machine = {
			.process = { .run_ns = 1e6, .first_ns = 5e6 }, .seed = 5
		};
		struct gb_settings how = cold;
		struct gb_result r;

		how.warmup = warmup;
		r = ok(&machine, &how);
		cr_expect(epsilon_eq(dbl, r.first_ns, 6e6, 100), "%g", r.first_ns);
		cr_expect(epsilon_eq(dbl, median(&r.time), 1e6, 1));
		gb_result_release(&r);
	}
}

/* Transfers of a device are timed as often as runs, after all runs and without the first upload; on
 * the CPU there are none but the downloads that are verified. */
Test(virtual, transfers_are_sampled)
{
	for (int is_device = 0; is_device < 2; is_device++) {
		const struct virtual_machine machine = { .device = is_device,
							 .process = { .run_ns = 1e6 },
							 .upload_ns = is_device ? 50e3 : 0,
							 .seed = 8 };
		const struct gb_settings fixed = with_samples(cold, 30);
		struct gb_result r = ok(&machine, &fixed);

		cr_expect(eq(sz, r.upload.count, is_device ? 30 : 0));
		cr_expect(eq(sz, r.download.count, r.upload.count + (size_t)r.verified));
		for (size_t i = 0; i < r.upload.count; i++)
			cr_expect(r.upload.value[i] > 50e3 && r.upload.value[i] < 60e3, "%g",
				  r.upload.value[i]);
		cr_expect(eq(sz, count("bumstbdmst"), r.upload.count), "%s", virtual_log());
		cr_expect(eq(sz, count("bumst.*R"), 0));
		gb_result_release(&r);
		r = ok(&machine, &cold);
		cr_expect(eq(sz, r.upload.count, is_device ? r.time.count : 0));
		gb_result_release(&r);
	}
}

/* Runs with phases end when the intervals are narrow, for which six are needed, or after a fiftieth
 * of --max-time.  They are as many as the samples with --samples, and for papers if a tenth of
 * --max-time suffices. */
Test(virtual, phases_have_a_share_of_the_time)
{
	static const struct {
		double noise;
		int64_t samples;
		bool for_paper;
		size_t least, most;
	} row[] = {
		{ 0, 0, false, 6, 6 },    { 0.3, 0, false, 3, 8 }, { 0.3, 30, false, 30, 30 },
		{ 0.3, 0, true, 20, 30 }, { 0, 30, true, 30, 30 },
	};

	for (size_t i = 0; i < GB_COUNT(row); i++) {
		const struct virtual_machine machine = { .marks = true,
							 .remote = i == 4,
							 .process = { .run_ns = 1e6,
								      .noise = row[i].noise },
							 .seed = 9 };
		struct gb_settings how = with_samples(cold, row[i].samples);
		struct gb_result r;
		size_t count;

		how.no_phases = 0;
		how.for_paper = row[i].for_paper;
		r = ok(&machine, &how);
		count = r.phase[0].time.count;
		cr_expect(count >= row[i].least && count <= row[i].most, "row %zu: %zu of %zu", i,
			  count, r.time.count);
		gb_result_release(&r);
	}
}

/* The record's interval reaches at least one tick of the clock to either side of the median. */
Test(virtual, an_interval_is_not_narrower_than_a_tick)
{
	const struct virtual_machine machine = {
		.device = true,
		.marks = true,
		.process = { .run_ns = 10e3, .noise = 0.001, .tick_ns = 1000 },
		.seed = 6
	};
	struct gb_settings how = with_samples(cold, 30);
	struct gb_error err = { 0 };
	struct gb_result r;
	cJSON *line;

	how.no_phases = 0;
	r = ok(&machine, &how);
	line = gb_describe_result(&r, "0123456789abcdef", 0, NULL, &err);
	cr_assert(line != NULL, "%s", err.message);
	for (int i = 0; i < 2; i++) {
		const cJSON *time = gb_json_at(line, i ? "phases.all" : "time");
		const double middle = gb_json_number(time, "median");
		const cJSON *ends = gb_json_at(time, "ci95");

		cr_assert(cJSON_GetArraySize(ends) == 2 || i == 1);
		if (cJSON_GetArraySize(ends) != 2)
			continue;
		cr_expect(cJSON_GetArrayItem(ends, 0)->valuedouble <= middle - 1000);
		cr_expect(cJSON_GetArrayItem(ends, 1)->valuedouble >= middle + 1000);
	}
	cJSON_Delete(line);
	gb_result_release(&r);
}

/* Runs with lowered clocks are taken again, ten of them. */
Test(virtual, throttled_samples_are_taken_again)
{
	const struct virtual_machine machine = { .device = true,
						 .process = { .run_ns = 1e6, .throttled = 0.05 },
						 .seed = 7 };
	const struct gb_settings how = with_samples(cold, 60);
	struct gb_result r = ok(&machine, &how);
	size_t slow = 0;

	for (size_t i = 0; i < r.time.count; i++)
		slow += r.time.value[i] > 1.1e6;
	cr_expect(r.throttled > 0);
	cr_expect(eq(i64, (int64_t)slow, r.throttled > 10 ? r.throttled - 10 : 0));
	cr_expect(eq(sz, r.time.count, 60));
	gb_result_release(&r);
}

/* ---- the interval and the stopping rule --------------------------------------------------- */

/* Many measurements with a machine, with seeds in a row. */
struct many {
	size_t runs, held, stopped[3];
	double samples, width; /* means */
};

static struct many measure_many(struct virtual_machine machine, const struct gb_settings *how,
				size_t runs)
{
	struct many many = { .runs = runs };

	for (size_t i = 0; i < runs; i++) {
		struct gb_result r;
		struct gb_summary sum;
		struct gb_error err = { 0 };

		machine.seed++;
		r = ok(&machine, how);
		cr_assert(zero(int, (int)gb_summarize(r.time.value, r.time.count, &sum, &err)));
		gb_floor_interval(&sum, r.resolution_ns);
		many.held += sum.ci_low <= machine.process.run_ns &&
			     machine.process.run_ns <= sum.ci_high;
		many.stopped[r.stop]++;
		many.samples += (double)r.time.count / (double)runs;
		many.width += gb_relative_half_width(&sum) / (double)runs;
		gb_result_release(&r);
	}
	return many;
}

/* 95 % of the intervals contain the true median: of independent runs, with a fixed number of
 * samples.  The rule of stopping at a narrow interval costs little. */
Test(virtual, intervals_cover_the_median)
{
	struct virtual_machine machine = { .process = { .run_ns = 1e6, .noise = 0.1 } };
	struct gb_settings how = with_samples(cold, 40);
	struct many many = measure_many(machine, &how, 1500);

	/* By ranks: the 14th and the 27th of 40, which hold in 96.15 %. */
	cr_expect(many.held >= 1425 && many.held <= 1460, "%zu", many.held);
	how.samples = 0;
	how.max_time_s = 0.2;
	how.rel_ci = 0.03;
	machine.seed = 5000;
	many = measure_many(machine, &how, 1000);
	cr_expect(many.held >= 920 && many.held <= 970, "%zu", many.held);
	/* On a device, too, whose samples are taken behind a hold. */
	machine.device = true;
	many = measure_many(machine, &how, 300);
	cr_expect(many.held >= 270, "%zu", many.held);
}

/* An interval knows nothing of correlation and drift: a single launch cannot tell. */
Test(virtual, intervals_of_correlated_runs_are_too_narrow)
{
	struct virtual_machine machine = {
		.process = { .run_ns = 1e6, .noise = 0.1, .correlation = 0.9 }
	};
	const struct gb_settings how = with_samples(cold, 40);
	struct many many = measure_many(machine, &how, 300);

	cr_expect(many.held >= 60 && many.held < 210, "%zu", many.held);
	machine.process = (struct virtual_process){ .run_ns = 1e6, .noise = 0.02, .drift = 0.002 };
	many = measure_many(machine, &how, 100);
	cr_expect(many.held < 20, "%zu", many.held);
}

/* Half the interval of the median of n normal values is 1.96 * 1.2533 * noise / sqrt(n).  It is 2 %
 * of the median at n = 151.  The rule looks every n / 16 samples and likes a narrow interval. */
Test(virtual, samples_until_the_interval_is_narrow)
{
	const struct virtual_machine machine = { .process = { .run_ns = 1e6, .noise = 0.1 } };
	struct gb_settings how = cold;
	struct many many;

	how.max_time_s = 1;
	many = measure_many(machine, &how, 300);
	cr_expect(eq(sz, many.stopped[GB_CONVERGED], 300));
	cr_expect(many.samples > 155 && many.samples < 175, "%g", many.samples);
	cr_expect(many.width > 0.0185 && many.width < 0.02, "%g", many.width);
}

/* --timeout precedes --min-samples.  A tenth of --max-time is used even if less suffices. */
Test(virtual, limits_of_time)
{
	struct virtual_machine machine = { .process = { .run_ns = 5e6, .noise = 0.01 } };
	struct gb_settings how = cold;
	struct gb_result r;

	how.timeout_s = 0.1;
	how.min_samples = 1000;
	r = ok(&machine, &how);
	cr_expect(eq(int, (int)r.stop, GB_LIMIT));
	cr_expect(r.time.count >= 15 && r.time.count < 20, "%zu", r.time.count);
	cr_expect(lt(dbl, r.elapsed_s, 0.1056)); /* the sample over the limit is verified */
	gb_result_release(&r);
	how = cold;
	machine.process = (struct virtual_process){ .run_ns = 1e5 };
	r = ok(&machine, &how);
	cr_expect(eq(int, (int)r.stop, GB_CONVERGED));
	cr_expect(r.elapsed_s >= 0.03 && r.time.count > 100, "%zu", r.time.count);
	gb_result_release(&r);
}

/* If a sample is enough, so is the one behind it, which is verified: no sample is taken in vain. */
Test(virtual, the_rule_is_checked_twice_in_a_row)
{
	const struct gb_settings how = {
		.min_samples = 1, .rel_ci = 1, .max_time_s = 1, .timeout_s = 9
	};
	double value[GB_MAX_SAMPLES];
	struct gb_result r = { .time = { .value = value } };
	bool enough = false;
	size_t looks = 0;

	for (size_t i = 0; i < GB_MAX_SAMPLES; i++)
		value[i] = 100;
	for (size_t n = 51; n < GB_MAX_SAMPLES; n++) {
		const bool before = enough;

		r.time.count = n;
		enough = gb_stop_sampling(&r, &how, 0.5);
		looks += enough && !before;
		r.time.count = n + 1;
		if (enough && !before)
			cr_expect(gb_stop_sampling(&r, &how, 0.5), "%zu was enough, not %zu", n,
				  n + 1);
	}
	/* 16 looks while n doubles, four times and more. */
	cr_expect(looks > 55 && looks < 80, "%zu", looks);
}

/* At 20 samples of 50 ms the interval is five times too wide.  It would take 25 times the second
 * that has passed, which --max-time does not give. */
Test(virtual, a_hopeless_measurement_ends_at_the_first_doubt)
{
	const struct virtual_machine machine = { .process = { .run_ns = 50e6, .noise = 0.1 } };
	struct gb_settings how = cold;
	struct many many;

	how.max_time_s = 10;
	how.rel_ci = 0.011;
	many = measure_many(machine, &how, 100);
	cr_expect(eq(sz, many.stopped[GB_LIMIT], 100));
	cr_expect(many.samples >= 20 && many.samples < 26, "%g", many.samples);
}

/* On a clock of 3 us, runs of 10 us all take 9 us or 12: that is not an interval of zero width. */
Test(virtual, coarse_ticks_do_not_converge)
{
	const struct virtual_machine machine = {
		.device = true, .process = { .run_ns = 10e3, .noise = 0.005, .tick_ns = 3000 }
	};
	struct gb_settings how = cold;
	struct many many;

	how.max_time_s = 0.02;
	many = measure_many(machine, &how, 20);
	cr_expect(eq(sz, many.stopped[GB_LIMIT], 20));
	cr_expect(many.held >= 19, "%zu", many.held);
}
