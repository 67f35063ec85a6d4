/* test_virtual_judge.c -- which measurements of a simulated machine are refused: none of an honest
 * variant, however noisy, and all of those that cheat.
 */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdio.h>
#include <string.h>

#include "common/text.h"
#include "tests/cli/measuring/virtual.h"

/* ---- honest variants ---------------------------------------------------------------------- */

static const struct {
	const char *what;
	struct virtual_process process; /* without run_ns */
} noises[] = {
	{ "quiet", { .noise = 0.01 } },
	{ "noisy", { .noise = 0.3 } },
	{ "a tail", { .noise = 0.05, .tail = 0.1 } },
	{ "a long tail", { .noise = 0.1, .tail = 0.4 } },
	{ "correlated", { .noise = 0.1, .correlation = 0.95 } },
	{ "drifting", { .noise = 0.02, .drift = 0.001 } },
	{ "throttled", { .noise = 0.02, .throttled = 0.02 } },
	{ "caches matter", { .noise = 0.05, .hot = 0.3 } },
	{ "slow at first", { .noise = 0.05, .first_ns = 1e8 } },
	{ "coarse ticks", { .noise = 0.05, .tick_ns = 1000 } },
};

static const struct {
	const char *what;
	struct virtual_machine machine; /* without process and seed */
	bool is_hot;
} kinds[] = {
	{ "cpu, cold", { .threads = 2 }, false },
	{ "cpu, hot", { .threads = 2 }, true },
	{ "cpu, batches", { .flags = GB_REPEATABLE | GB_SERIAL }, true },
	{ "cpu, several inputs", { .distinct = 5 }, false },
	{ "cpu, one input", { .no_variations = true }, false },
	{ "cpu, hot, one input", { .no_variations = true }, true },
	{ "cpu, cold, changed slowly", { .vary_ns = 100e3 }, false },
	{ "cpu, hot, changed slowly", { .vary_ns = 100e3 }, true },
	{ "cpu, several inputs, changed slowly", { .distinct = 3, .vary_ns = 100e3 }, false },
	{ "cpu, a peer's threads linger", { .threads = 2, .lingers_ns = 1e6 }, false },
	{ "cpu, another process",
	  { .remote = true, .threads = 2, .copy_ns = 400e3, .lost_ns = 1e6 },
	  false },
	{ "cpu, another process, batches",
	  { .remote = true, .flags = GB_REPEATABLE | GB_SERIAL, .lost_ns = 1e6 },
	  true },
	{ "device, another process", { .device = true, .remote = true, .lost_ns = 1e6 }, false },
	{ "device, cold", { .device = true }, false },
	{ "device, hot", { .device = true, .marks = true }, true },
	{ "device, host decisions", { .device = true, .flags = GB_HOST_DECISIONS }, false },
	{ "device, no hold", { .device = true, .waits = true }, false },
	{ "device, uploaded slowly", { .device = true, .upload_ns = 100e3 }, true },
	{ "device, batches", { .device = true, .flags = GB_REPEATABLE }, true },
};

enum { LAST = 600 };

/* Measure each kind of variant, of each length and with each noise, `each` times, with so many
 * samples or, if 0, until the stopping rule ends; return how many were refused.  *last says what
 * the last of them was; it is not logged, because Criterion takes a warning for a failure. */
static size_t refused(bool is_device, int64_t samples, size_t each, size_t *runs, char last[LAST])
{
	static const double lengths[] = { 3e3, 80e3, 1e6, 50e6 };
	size_t found = 0;

	for (size_t k = 0; k < GB_COUNT(kinds) * GB_COUNT(noises) * GB_COUNT(lengths); k++) {
		const size_t kind = k % GB_COUNT(kinds), rest = k / GB_COUNT(kinds);
		const size_t noise = rest % GB_COUNT(noises);
		struct virtual_machine machine = kinds[kind].machine;
		struct gb_settings how;

		if (machine.device != is_device)
			continue;
		machine.process = noises[noise].process;
		machine.process.run_ns = lengths[rest / GB_COUNT(noises)];
		how = virtual_settings(&machine, kinds[kind].is_hot);
		how.samples = samples;
		for (size_t i = 0; i < each; i++) {
			struct gb_result r;

			machine.seed = k * each + i;
			r = virtual_measure(&machine, &how);
			found += r.outcome != GB_RESULT_OK;
			if (r.outcome != GB_RESULT_OK)
				(void)snprintf(last, LAST, "%s, %s, %g ns, seed %zu: %s",
					       kinds[kind].what, noises[noise].what,
					       machine.process.run_ns, (size_t)machine.seed,
					       r.reason);
			gb_result_release(&r);
			++*runs;
		}
	}
	return found;
}

/* At most one in 1000 is refused, whether there are many samples or few. */
static void expect_few_refusals(bool is_device)
{
	static const int64_t samples[] = { 0, 3, 5, 10 };

	for (size_t i = 0; i < GB_COUNT(samples); i++) {
		char last[LAST] = "";
		size_t runs = 0, found = refused(is_device, samples[i], 20, &runs, last);

		cr_expect(1000 * found <= runs, "%zu of %zu with %d samples; the last: %s", found,
			  runs, (int)samples[i], last);
	}
}

Test(virtual, honest_variants_of_a_cpu_pass)
{
	expect_few_refusals(false);
}

Test(virtual, honest_variants_of_a_device_pass)
{
	expect_few_refusals(true);
}

/* On a loaded machine, threads wait up to 20 times as long as they work. */
Test(virtual, honest_variants_of_a_loaded_cpu_pass)
{
	static const double lengths[] = { 3e3, 1e6, 50e6 }, loads[] = { 0.3, 3, 20 };

	for (size_t k = 0; k < GB_COUNT(kinds) * GB_COUNT(lengths) * GB_COUNT(loads); k++) {
		const size_t kind = k % GB_COUNT(kinds), rest = k / GB_COUNT(kinds);
		struct virtual_machine machine = kinds[kind].machine;
		struct gb_settings how;
		struct gb_result r;

		if (machine.device)
			continue;
		machine.seed = k;
		machine.process =
			(struct virtual_process){ .run_ns = lengths[rest % GB_COUNT(lengths)],
						  .noise = 0.2,
						  .load = loads[rest / GB_COUNT(lengths)] };
		how = virtual_settings(&machine, kinds[kind].is_hot);
		r = virtual_measure(&machine, &how);
		cr_expect(eq(int, (int)r.outcome, GB_RESULT_OK), "%s, load %g: %s",
			  kinds[kind].what, machine.process.load, r.reason);
		gb_result_release(&r);
	}
}

/* The runner may lose its processor between its clock and the variant's in the only sample.  A
 * variant that shaves its time is found by one sample, too. */
Test(virtual, a_runner_that_waits_passes)
{
	for (int k = 0; k < 4; k++) {
		const bool is_cheat = k / 2;
		const struct virtual_machine machine = {
			.process = { .run_ns = is_cheat ? 1e6 : 20e3,
				     .noise = 0.1,
				     .late_ns = is_cheat ? 0 : 15e6 },
			.cheat = is_cheat ? VIRTUAL_SHAVES : VIRTUAL_HONEST,
		};
		struct gb_settings how = virtual_settings(&machine, k % 2);
		struct gb_result r;

		how.warmup = 0;
		how.samples = 1;
		r = virtual_measure(&machine, &how);
		if (is_cheat)
			cr_expect(strstr(r.reason, "by the variant's clock") != NULL, "%s",
				  r.reason);
		else
			cr_expect(eq(int, (int)r.outcome, GB_RESULT_OK), "%s", r.reason);
		cr_expect(is_cheat || r.time.count == 1);
		gb_result_release(&r);
	}
}

/* Measure inputs of unequal work on each kind of machine; return how many were refused. */
static size_t refused_inputs(struct virtual_process process, size_t runs)
{
	static const int64_t distinct[] = { 2, 3, 7 };
	size_t found = 0;

	for (uint64_t seed = 0; seed < runs; seed++) {
		const struct virtual_machine machine = {
			.device = seed / 2 % 2,
			.vary_ns = seed / 4 % 2 ? 1.2 * process.run_ns : 0,
			.distinct = distinct[seed / 8 % GB_COUNT(distinct)],
			.process = process,
			.seed = seed
		};
		struct gb_settings how = virtual_settings(&machine, seed % 2);
		struct gb_result r;

		how.samples = seed / 24 % 2 ? 10 : 0;
		r = virtual_measure(&machine, &how);
		found += r.outcome != GB_RESULT_OK;
		gb_result_release(&r);
	}
	return found;
}

/* Samples of different inputs are compared as if they were of one. */
Test(virtual, inputs_of_unequal_work_pass)
{
	const struct virtual_process process = { .run_ns = 1e6, .noise = 0.05 };

	cr_expect(zero(sz, refused_inputs(process, 200)));
}

/* Also the samples that are added because the others look suspicious.
 * Disabled: the runner adds them as they are. */
Test(virtual, more_inputs_of_unequal_work_pass)
{
	const struct virtual_process process = { .run_ns = 200e3, .noise = 0.35 };

	cr_expect(le(sz, refused_inputs(process, 2000), 2));
}

/* ---- cheats ------------------------------------------------------------------------------- */

/* Expect that a cheat is refused with these words in all of some measurements.  words NULL: that
 * it gains nothing. */
static void expect_outcome(struct virtual_machine machine, struct gb_settings how,
			   const char *words)
{
	for (machine.seed = 1; machine.seed <= 30; machine.seed++) {
		struct gb_result r = virtual_measure(&machine, &how);
		const double ns = gb_series_quantile(&r.time, 0.5);

		if (words) {
			cr_expect(eq(int, (int)r.code, GB_EVERIFY), "%s: takes %g, seed %zu", words,
				  ns, (size_t)machine.seed);
			cr_expect(strstr(r.reason, words) != NULL, "%s instead of %s", r.reason,
				  words);
			cr_expect(eq(int, r.by_time, r.verdict != GB_FAIL), "%s", r.reason);
		} else {
			cr_expect(eq(int, (int)r.outcome, GB_RESULT_OK), "%s", r.reason);
			cr_expect(ns > 0.7 * machine.process.run_ns, "%g", ns);
		}
		gb_result_release(&r);
	}
}

static void expect_refusal(struct virtual_machine machine, bool is_hot, const char *words)
{
	expect_outcome(machine, virtual_settings(&machine, is_hot), words);
}

static void expect_cheat(bool is_device, bool is_hot, enum virtual_cheat cheat, const char *words)
{
	expect_refusal((struct virtual_machine){ .device = is_device,
						 .cheat = cheat,
						 .process = { .run_ns = 1e6, .noise = 0.1 } },
		       is_hot, words);
}

/* Launch times come from extra runs; from warm-up runs, if there are enough; or from the samples
 * themselves, if run() waits for the device. */
Test(virtual, work_in_another_stream)
{
	for (int is_hot = 0; is_hot < 2; is_hot++) {
		for (unsigned flags = 0; flags <= GB_HOST_DECISIONS; flags += GB_HOST_DECISIONS) {
			for (int64_t warmup = 0; warmup <= 6; warmup += 3) {
				const struct virtual_machine machine = {
					.device = true,
					.cheat = VIRTUAL_OTHER_STREAM,
					.flags = flags,
					.process = { .run_ns = 1e6, .noise = 0.1 }
				};
				struct gb_settings how = virtual_settings(&machine, is_hot);

				how.warmup = warmup;
				expect_outcome(machine, how, "work in another stream");
			}
		}
	}
}

Test(virtual, work_on_the_host_behind_a_hold)
{
	expect_refusal((struct virtual_machine){ .device = true,
						 .cheat = VIRTUAL_ON_HOST,
						 .process = { .run_ns = 5e6, .noise = 0.1 } },
		       false, "work on the host");
}

/* If the input changes before each sample, memory is of no use.  If that takes too long, so that it
 * changes before one in eight, these take longer.  With cold caches all results are overwritten, so
 * a result is never left as it is. */
Test(virtual, results_that_are_remembered)
{
	for (int k = 0; k < 8; k++) {
		const bool is_device = k & 1, is_hot = k & 2, uploads = k & 4;
		struct virtual_machine machine = { .device = is_device,
						   .process = { .run_ns = 1e6, .noise = 0.1 } };

		expect_cheat(is_device, is_hot, VIRTUAL_REMEMBERS, NULL);
		expect_cheat(is_device, is_hot, VIRTUAL_LEAVES, NULL);
		machine.vary_ns = uploads ? 0 : 90e3;
		machine.upload_ns = uploads ? 90e3 : 0;
		machine.cheat = VIRTUAL_REMEMBERS;
		expect_refusal(machine, is_hot, "results are remembered");
		machine.cheat = VIRTUAL_LEAVES;
		expect_refusal(machine, is_hot, is_hot ? "results are remembered" : NULL);
	}
}

/* On a loaded machine all samples are long, and waits could explain those that work.  They cannot
 * explain CPU time.  Some cheats work now and then although they need not. */
Test(virtual, results_that_are_remembered_on_a_loaded_machine)
{
	static const enum virtual_cheat cheats[] = { VIRTUAL_REMEMBERS, VIRTUAL_MIXES,
						     VIRTUAL_UNDERSTATES };
	static const struct {
		double run_ns, vary_ns, load;
		bool is_hot;
	} row[] = {
		{ 1e6, 90e3, 0, false }, { 1e6, 90e3, 0, true },   { 1e6, 5e6, 20, false },
		{ 1e6, 5e6, 20, true },  { 100e3, 1e6, 3, false },
	};

	for (size_t k = 0; k < GB_COUNT(row) * GB_COUNT(cheats); k++) {
		const size_t i = k / GB_COUNT(cheats);
		const struct virtual_machine machine = {
			.cheat = cheats[k % GB_COUNT(cheats)],
			.threads = 2,
			.vary_ns = row[i].vary_ns,
			.process = { .run_ns = row[i].run_ns, .noise = 0.1, .load = row[i].load }
		};
		struct gb_settings how = virtual_settings(&machine, row[i].is_hot);

		how.max_time_s *= 1 + row[i].load;
		expect_outcome(machine, how, "results are remembered");
	}
}

/* With cold caches all results are overwritten.  With hot ones, those of a secret half of the runs
 * that may be verified.  An input without variations leaves only the time. */
Test(virtual, work_only_if_the_result_was_overwritten)
{
	for (int is_device = 0; is_device < 2; is_device++) {
		struct virtual_machine machine = { .device = is_device,
						   .cheat = VIRTUAL_SEEKS_POISON,
						   .process = { .run_ns = 1e6, .noise = 0.1 } };

		expect_refusal(machine, false, NULL);
		expect_refusal(machine, true, "is wrong");
		machine.vary_ns = 500e3;
		expect_refusal(machine, true, "is wrong");
		machine.no_variations = true; /* nearly all runs are verified if that is quick */
		expect_refusal(machine, true, NULL);
		machine.verify_ns = 10e6;
		expect_refusal(machine, true, "results are remembered");
		machine.no_variations = false;
		machine.flags = GB_REPEATABLE;
		machine.process.run_ns = 8000;
		expect_refusal(machine, true, "is wrong");
		machine.no_variations = true;
		machine.process.run_ns = 15e3;
		expect_refusal(machine, true, "some runs of a batch do not work");
	}
}

/* In a batch, no run but the first has to do with reset(). */
Test(virtual, work_in_the_first_run_of_a_batch)
{
	for (int is_device = 0; is_device < 2; is_device++)
		expect_refusal((struct virtual_machine){ .device = is_device,
							 .flags = GB_REPEATABLE,
							 .cheat = VIRTUAL_ONCE,
							 .process = { .run_ns = 8000 } },
			       true, "is wrong");
}

/* On the CPU steps are timed by CPU time, on a device by the host's clock. */
Test(virtual, work_outside_run)
{
	static const struct {
		enum virtual_cheat cheat;
		const char *words;
	} row[] = {
		{ VIRTUAL_IN_RESET, "reset() takes" },
		{ VIRTUAL_RESET_MOSTLY, "reset() takes" },
		{ VIRTUAL_IN_UPLOAD, "upload() takes" },
		{ VIRTUAL_IN_DOWNLOAD, "download() takes" },
	};

	for (size_t i = 0; i < 8 * GB_COUNT(row); i++)
		expect_refusal(
			(struct virtual_machine){ .device = i & 1,
						  .remote = i & 4,
						  .cheat = row[i / 8].cheat,
						  .process = { .run_ns = 1e6, .noise = 0.1 } },
			i & 2, row[i / 8].words);
}

/* Another process copies the input when it has changed, and flushes its own caches if they are to
 * be cold.  Now and then only the runner flushes. */
Test(virtual, work_in_requests_to_another_process)
{
	struct virtual_machine machine = { .remote = true,
					   .process = { .run_ns = 1e6, .noise = 0.1 } };

	for (int is_hot = 0; is_hot < 2; is_hot++) {
		machine.cheat = VIRTUAL_IN_SHOW;
		expect_refusal(machine, is_hot, "reading the input takes");
		machine.cheat = VIRTUAL_IN_FLUSH;
		expect_refusal(machine, is_hot, is_hot ? NULL : "if only the runner has flushed");
	}
	machine.device = true;
	machine.cheat = VIRTUAL_ON_HOST;
	machine.process.run_ns = 5e6;
	expect_refusal(machine, false, "work on the host");
}

/* A plug-in whose runs take half of --timeout has two more of them behind it, and is judged by
 * these. */
Test(virtual, a_time_out_hides_no_work)
{
	const struct gb_settings how = {
		.warmup = 1, .min_samples = 10, .rel_ci = 0.02, .max_time_s = 5, .timeout_s = 60
	};
	struct virtual_machine machine = { .remote = true, .process = { .run_ns = 30.1e9 } };
	size_t runs = 0;

	for (int cheats = 0; cheats < 2; cheats++) {
		struct gb_result r;

		machine.cheat = cheats ? VIRTUAL_IN_FLUSH : VIRTUAL_HONEST;
		r = virtual_measure(&machine, &how);
		cr_expect(eq(int, (int)r.outcome, cheats ? GB_FAILED : GB_RESULT_OK));
		cr_expect(cheats == 0 || strstr(r.reason, "if only the runner has flushed"), "%s",
			  r.reason);
		for (const char *at = virtual_log(); !cheats && *at; at++)
			runs += *at == VIRTUAL_RUN;
		cr_expect(cheats > 0 || r.elapsed_s < 4 * 31, "%g s", r.elapsed_s);
		gb_result_release(&r);
	}
	cr_expect(eq(sz, runs, 4));
	/* Waits for a processor are no work. */
	machine.cheat = VIRTUAL_HONEST;
	machine.process = (struct virtual_process){ .run_ns = 10.1e9, .load = 2 };
	expect_outcome(machine, how, NULL);
}

/* A step that returns while the device is still at work is not over. */
Test(virtual, work_on_the_device_behind_a_step)
{
	struct virtual_machine machine = { .device = true,
					   .queues = true,
					   .process = { .run_ns = 1e6, .noise = 0.1 } };

	for (int is_hot = 0; is_hot < 2; is_hot++) {
		machine.cheat = VIRTUAL_IN_RESET;
		expect_refusal(machine, is_hot, "reset() takes");
		machine.cheat = VIRTUAL_IN_UPLOAD;
		expect_refusal(machine, is_hot, "upload() takes");
	}
}

/* A step may do more than copying if its flag says so. */
Test(virtual, conversion_outside_run_is_stated)
{
	for (int k = 0; k < 4; k++) {
		struct virtual_machine machine = { .device = k & 1,
						   .process = { .run_ns = 1e6, .noise = 0.1 } };
		struct gb_settings how = virtual_settings(&machine, k & 2);
		struct gb_result r;

		machine.flags = GB_CONVERTS;
		machine.cheat = VIRTUAL_IN_DOWNLOAD;
		r = virtual_measure(&machine, &how);
		cr_expect(eq(int, (int)r.outcome, GB_RESULT_OK), "%s", r.reason);
		gb_result_release(&r);
		machine.flags = GB_DERIVES;
		machine.cheat = VIRTUAL_IN_UPLOAD;
		r = virtual_measure(&machine, &how);
		cr_expect(eq(int, (int)r.outcome, GB_RESULT_OK), "%s", r.reason);
		gb_result_release(&r);
	}
}

/* A thread is at work while the runner sleeps, also if download() may do more than copying. */
Test(virtual, work_in_a_thread_that_goes_on)
{
	struct virtual_machine machine = { .flush_ns = 3e6,
					   .process = { .run_ns = 3e6, .noise = 0.1 } };

	for (int is_hot = 0; is_hot < 2; is_hot++) {
		machine.flags = 0;
		machine.cheat = VIRTUAL_RESET_THREAD;
		expect_refusal(machine, is_hot, "reset() takes");
		machine.cheat = VIRTUAL_RUN_THREAD;
		expect_refusal(machine, is_hot, "download() takes");
		machine.flags = GB_CONVERTS;
		expect_refusal(machine, is_hot, "or run() has returned");
	}
}

/* Then a run without a flush before it takes longer than one with it. */
Test(virtual, work_behind_a_flush)
{
	const struct virtual_machine machine = { .cheat = VIRTUAL_BEHIND_FLUSH,
						 .process = { .run_ns = 1e6, .noise = 0.1 } };

	expect_refusal(machine, false, "without a flush before it");
	expect_refusal(machine, true, NULL);
}

Test(virtual, more_threads_than_stated)
{
	for (int is_hot = 0; is_hot < 2; is_hot++)
		expect_refusal(
			(struct virtual_machine){ .flags = GB_SERIAL,
						  .threads = 2,
						  .process = { .run_ns = 5e6, .noise = 0.1 } },
			is_hot, "more than 1 thread can");
}

Test(virtual, timers_that_the_variant_changes)
{
	for (int is_hot = 0; is_hot < 2; is_hot++)
		for (int cheat = VIRTUAL_RESTARTS_TIMER; cheat < VIRTUAL_CHEATS; cheat++) {
			expect_cheat(false, is_hot, (enum virtual_cheat)cheat,
				     "by the variant's clock");
			expect_cheat(true, is_hot, (enum virtual_cheat)cheat,
				     "work in another stream");
		}
	for (int is_hot = 0; is_hot < 2; is_hot++) {
		expect_cheat(false, is_hot, VIRTUAL_SHAVES, "by the variant's clock");
		/* Otherwise nearly all samples are on another input. */
		expect_refusal((struct virtual_machine){ .cheat = VIRTUAL_UNDERSTATES,
							 .process = { .run_ns = 1e6, .noise = 0.1 },
							 .vary_ns = 90e3 },
			       is_hot, "results are remembered");
	}
}
