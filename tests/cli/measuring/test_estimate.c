/* test_estimate.c -- a trial's estimate against the whole measurement, on the simulated machine. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdio.h>

#include "cli/measuring/estimate.h"
#include "common/text.h"
#include "tests/cli/measuring/virtual_machine.h"

static const struct gb_settings usual = {
	.warmup = 2, .min_samples = 10, .rel_ci = 0.01, .max_time_s = 5, .timeout_s = 60
};

static struct gb_settings but(int64_t samples, double max_time_s, double timeout_s, int64_t hot)
{
	struct gb_settings how = usual;

	how.samples = samples;
	how.max_time_s = max_time_s;
	how.timeout_s = timeout_s;
	how.hot = hot;
	return how;
}

/* Seconds that a trial and the measurement of the same machine take. */
struct pair {
	double trial_s, estimate_s, whole_s;
};

static struct pair try(struct virtual_machine machine, const struct gb_settings *how)
{
	const struct gb_settings trial = gb_trial_of(how);
	struct gb_result tried, whole;
	struct gb_tried durations;
	struct pair pair;

	tried = virtual_measure(&machine, &trial);
	machine.seed += 1000;
	whole = virtual_measure(&machine, how);
	cr_assert(eq(int, (int)tried.outcome, GB_RESULT_OK), "%s", tried.reason);
	durations = gb_tried_of(&tried);
	pair = (struct pair){ tried.elapsed_s, gb_estimate_s(&durations, how), whole.elapsed_s };
	gb_result_release(&tried);
	gb_result_release(&whole);
	return pair;
}

Test(estimate, is_within_a_factor_of_one_and_a_half)
{
	const struct {
		const char *what;
		struct gb_settings how;
		struct virtual_machine machine;
	} row[] = {
		{ "microseconds", usual, { .process = { .run_ns = 2e4, .noise = 0.02 } } },
		{ "milliseconds", usual, { .process = { .run_ns = 5e6, .noise = 0.01 } } },
		{ "a slow flush",
		  usual,
		  { .process = { .run_ns = 1e6, .noise = 0.02 }, .flush_ns = 4e7 } },
		{ "a slow verifier",
		  usual,
		  { .process = { .run_ns = 1e6, .noise = 0.02 }, .verify_ns = 4e8 } },
		{ "a slow change of the input",
		  usual,
		  { .process = { .run_ns = 1e6, .noise = 0.02 }, .vary_ns = 3e7 } },
		{ "long runs", usual, { .process = { .run_ns = 3e8, .noise = 0.001 } } },
		{ "very long runs", usual, { .process = { .run_ns = 3e9, .noise = 0.02 } } },
		{ "runs longer than --max-time",
		  { .warmup = 1,
		    .min_samples = 3,
		    .rel_ci = 0.01,
		    .max_time_s = 2,
		    .timeout_s = 300 },
		  { .process = { .run_ns = 1e10, .noise = 0.02 } } },
		{ "a device", usual, { .device = true, .process = { .run_ns = 1e6 } } },
		{ "a fixed number",
		  but(100, 5, 60, 0),
		  { .process = { .run_ns = 1e7, .noise = 0.02 } } },
		{ "less time",
		  but(0, 0.5, 60, 0),
		  { .process = { .run_ns = 1e6, .noise = 0.02 } } },
		{ "a time-out",
		  but(100, 5, 3, 0),
		  { .process = { .run_ns = 1e8, .noise = 0.02 } } },
		{ "hot caches", but(0, 5, 60, 1), { .process = { .run_ns = 3e3, .noise = 0.02 } } },
		{ "no verification",
		  { .warmup = 1,
		    .min_samples = 3,
		    .rel_ci = 0.01,
		    .max_time_s = 2,
		    .timeout_s = 60,
		    .no_verify = 1 },
		  { .process = { .run_ns = 1e8, .noise = 0.01 } } },
	};

	for (size_t i = 0; i < GB_COUNT(row); i++) {
		double estimates = 0, wholes = 0;

		for (uint64_t seed = 1; seed <= 5; seed++) {
			struct virtual_machine machine = row[i].machine;
			struct pair pair;

			machine.seed = seed;
			pair = try(machine, &row[i].how);
			estimates += pair.estimate_s;
			wholes += pair.whole_s;
			cr_expect(pair.trial_s < pair.whole_s, "%s: a trial of %g s for %g s",
				  row[i].what, pair.trial_s, pair.whole_s);
		}
		cr_expect(estimates < 1.5 * wholes && wholes < 1.5 * estimates,
			  "%s: %g s estimated, %g s taken", row[i].what, estimates / 5, wholes / 5);
	}
}

/* A plan scales a small problem's trial to a large one: flushes do not grow, the rest does. */
Test(estimate, of_a_larger_problem_is_within_a_factor_of_two)
{
	const struct virtual_machine small[] = {
		{ .process = { .run_ns = 1e5, .noise = 0.02 } },
		{ .process = { .run_ns = 1e6, .noise = 0.02 }, .verify_ns = 1e7 },
		{ .process = { .run_ns = 1e5, .noise = 0.02 }, .flush_ns = 4e7 },
		{ .device = true, .process = { .run_ns = 1e6, .noise = 0.02 } },
	};
	const double factor = 1000;

	for (size_t i = 0; i < GB_COUNT(small); i++) {
		const struct gb_settings trial = gb_trial_of(&usual);
		struct virtual_machine large = small[i];
		struct gb_result tried = virtual_measure(&small[i], &trial), whole;
		struct gb_tried durations = gb_tried_of(&tried);
		double estimate_s;

		large.process.run_ns *= factor;
		large.verify_ns *= factor;
		whole = virtual_measure(&large, &usual);
		durations = gb_tried_times(&durations, factor);
		estimate_s = gb_estimate_s(&durations, &usual);
		cr_expect(estimate_s < 2 * whole.elapsed_s && whole.elapsed_s < 2 * estimate_s,
			  "%zu: %g s estimated, %g s taken", i, estimate_s, whole.elapsed_s);
		gb_result_release(&tried);
		gb_result_release(&whole);
	}
}

/* A result has the durations of the parts of its measurement, which add up.  In another process,
 * there are samples that only show whether it works while it flushes. */
Test(estimate, durations_of_a_measurement)
{
	for (int kind = 0; kind < 8; kind++) {
		const struct virtual_machine machine = { .device = kind & 1,
							 .remote = kind & 2,
							 .threads = 2,
							 .verify_ns = 3e6,
							 .process = { .run_ns = 1e7 } };
		const double cpu_ns = machine.device ? 1e4 : 2e7;
		struct gb_settings how = but(12, 5, 60, 0);
		struct gb_result r;
		double verifications, sum_s;

		how.no_verify = kind & 4;
		r = virtual_measure(&machine, &how);
		cr_assert(eq(int, (int)r.outcome, GB_RESULT_OK), "%s", r.reason);
		/* The first is a warm-up run, and a plug-in's last a part of the rest. */
		verifications = how.no_verify ? 0 : (double)r.verified - 1 - machine.remote;
		sum_s = r.cost.before_s + 12 * r.cost.sample_s + verifications * r.cost.verify_s +
			r.cost.rest_s;
		cr_expect(epsilon_eq(dbl, r.elapsed_s, vm.now * 1e-9 - 1, 1e-4));
		if (!machine.remote || machine.device || how.no_verify)
			cr_expect(epsilon_eq(dbl, sum_s, r.elapsed_s, 1e-4), "kind %d", kind);
		cr_expect(epsilon_eq(dbl, r.cost.sample_s, 0.0107, 0.0007));
		cr_expect(r.create_ns > 0 && r.create_ns < 1e4);
		if (!how.no_verify) {
			cr_expect(epsilon_eq(dbl, r.cost.verify_s, 0.0034, 0.0004));
			cr_expect(epsilon_eq(dbl, r.whole_ns, 1e7, 1e5));
			cr_expect(epsilon_eq(dbl, r.cpu_ns, cpu_ns, 1e4));
		}
		gb_result_release(&r);
	}
}
