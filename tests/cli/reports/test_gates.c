/* test_gates.c -- the levels of gates, by enumeration and by chance, and gates on recorded launches
 * (trials.h).
 */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include "tests/cli/reports/trials.h"
#include "tests/sanitized.h"

static struct gb_gate gate_of(size_t keys, size_t most)
{
	return (struct gb_gate){ 0.05, keys, most, 0.05 };
}

/* ---- levels ------------------------------------------------------------------------------- */

/* The numbers of launches after which there is a look. */
static const char *looks_of(size_t most)
{
	static char text[200];
	const struct gb_gate gate = gate_of(1, most);
	size_t n = 0;

	text[0] = '\0';
	for (size_t i = 0; gb_gate_look(&gate, i); i++)
		n += (size_t)snprintf(text + n, sizeof text - n, "%zu ", gb_gate_look(&gate, i));
	return text;
}

Test(gates, looks_end_at_the_last_launch)
{
	cr_expect(eq(str, (char *)looks_of(3), ""));
	cr_expect(eq(str, (char *)looks_of(4), "4 "));
	cr_expect(eq(str, (char *)looks_of(5), "4 5 "));
	cr_expect(eq(str, (char *)looks_of(20), "4 6 8 12 16 20 "));
	cr_expect(eq(str, (char *)looks_of(80), "4 6 8 12 16 20 28 40 56 80 "));
	cr_expect(eq(str, (char *)looks_of(GB_GATE_MOST), "4 6 8 12 16 20 28 40 56 80 112 160 "));
}

/* All looks at all keys together spend the error, and not more. */
Test(gates, levels_add_up_to_the_error)
{
	for (size_t keys = 2; keys <= 100; keys += 7) {
		for (size_t most = 4; most <= GB_GATE_MOST; most++) {
			const struct gb_gate gate = gate_of(keys, most);
			double sum = 0;

			for (size_t i = 0; gb_gate_look(&gate, i); i++)
				sum += gb_gate_slower_level(&gate, gb_gate_look(&gate, i));
			cr_assert(epsilon_eq(dbl, (double)keys * sum, 0.05, 1e-12), "%zu %zu", keys,
				  most);
		}
	}
}

Test(gates, least_launches)
{
	static const struct {
		size_t keys, most, least;
	} row[] = { { 1, 0, 4 },    { 3, 0, 4 },   { 4, 0, 5 },  { 28, 0, 6 },
		    { 68, 0, 7 },   { 3, 4, 4 },   { 4, 4, 5 },  { 4, 80, 8 },
		    { 68, 80, 12 }, { 68, 12, 8 }, { 68, 3, 7 }, { 1, 160, 8 } };

	for (size_t i = 0; i < GB_COUNT(row); i++) {
		const struct gb_gate gate = gate_of(row[i].keys, row[i].most);

		cr_expect(eq(sz, gb_gate_least(&gate), row[i].least), "%zu keys, %zu launches",
			  row[i].keys, row[i].most);
	}
}

Test(gates, limits)
{
	const struct gb_gate none = { .error = 0.02 }, one = gate_of(1, 0), some = gate_of(1, 12);
	const double zero[] = { 0, 1, 1, 1 }, good[] = { 1, 1, 1, 1 };
	const struct gb_gate_values values = { zero, good, NULL, 4, 4, 0 };
	struct gb_gate_tests tests = { 0 };
	struct gb_gate_result result;
	struct gb_error err = { 0 };

	cr_expect(ieee_ulp_eq(dbl, gb_gate_slower_level(&none, 5), 0.02, 1));
	cr_expect(eq(sz, gb_gate_next_look(&one, 4), 5));
	cr_expect(eq(sz, gb_gate_next_look(&one, 999), 1000));
	cr_expect(eq(sz, gb_gate_next_look(&one, 1000), 0));
	cr_expect(eq(sz, gb_gate_next_look(&some, 0), 4));
	cr_expect(eq(sz, gb_gate_next_look(&some, 4), 6));
	cr_expect(eq(sz, gb_gate_next_look(&some, 12), 0));
	cr_expect(eq(int, (int)gb_gate_judge(&one, &tests, &values, &result, &err), GB_ERUNTIME));
	cr_expect(eq(str, err.message, "a value that is not positive has no ratio"));
	gb_gate_release(&tests);
}

/* ---- exactness ---------------------------------------------------------------------------- */

/* The looks at 4 and 6 launches.  Each value belongs to one of four groups: base and other, of the
 * first look and after it. */
enum { VALUES = 12, GROUPS = 4 };
static const size_t group_size[GROUPS] = { 4, 4, 2, 2 };

struct enumeration {
	struct gb_gate gate;
	struct gb_gate_tests tests;
	size_t size[GROUPS], all, verdicts[GB_VERDICT_WORDS];
	double side[2][6], factor;
};

static void judge_sides(const struct gb_gate *gate, struct gb_gate_tests *tests, const double *base,
			size_t base_count, const double *other, size_t other_count,
			struct gb_gate_result *result)
{
	const struct gb_gate_values values = {
		.base = base, .base_count = base_count, .other = other, .other_count = other_count
	};
	struct gb_error err = { 0 };

	cr_assert(eq(int, (int)gb_gate_judge(gate, tests, &values, result, &err), GB_OK));
}

/* Give value number i and those after it to each group with room, and judge each whole deal.  The
 * values are far apart, so the deal alone decides. */
static void enumerate(struct enumeration *e, size_t i)
{
	struct gb_gate_result result;

	if (i == VALUES) {
		judge_sides(&e->gate, &e->tests, e->side[0], 6, e->side[1], 6, &result);
		e->verdicts[result.verdict]++;
		e->all++;
		return;
	}
	for (size_t g = 0; g < GROUPS; g++) {
		if (e->size[g] == group_size[g])
			continue;
		e->side[g % 2][(g < 2 ? 0 : 4) + e->size[g]++] =
			pow(2, (double)i) * (g % 2 ? e->factor : 1);
		enumerate(e, i + 1);
		e->size[g]--;
	}
}

/* Every order of 12 launches is equally likely.  The share of those that end in a wrong verdict is
 * at most what is promised, and more than a tenth of it, so the levels are used. */
Test(gates, errors_of_two_looks_by_enumeration)
{
	struct enumeration e = { .gate = gate_of(2, 6), .factor = 1 };

	enumerate(&e, 0);
	cr_assert(eq(sz, e.all, 207900));
	cr_expect(le(dbl, (double)e.verdicts[GB_SLOWER] / (double)e.all, 0.025));
	cr_expect(ge(dbl, (double)e.verdicts[GB_SLOWER] / (double)e.all, 0.0025));
	gb_gate_release(&e.tests);
	e = (struct enumeration){ .gate = gate_of(2, 6), .factor = 1.1 };
	enumerate(&e, 0);
	cr_expect(le(dbl, (double)(e.verdicts[GB_SAME] + e.verdicts[GB_FASTER]) / (double)e.all,
		     0.03));
	cr_expect(ge(dbl, (double)(e.verdicts[GB_SAME] + e.verdicts[GB_FASTER]) / (double)e.all,
		     0.003));
	gb_gate_release(&e.tests);
}

/* The tests use ranks alone, so independent launches with any noise show how often all looks
 * together call a key the same that is slower by exactly the excluded ratio: in 2.9 % of keys. */
Test(gates, looks_for_the_same_err_in_three_percent)
{
	enum { TRIALS = UNLESS_SANITIZED(3000, 200), SIDE = GB_GATE_MOST };
	const struct gb_gate gate = gate_of(1, SIDE);
	struct gb_logrank test[16] = { { 0 } };
	struct gb_error err = { 0 };
	size_t wrong = 0;

	for (size_t i = 0; gb_gate_look(&gate, i); i++)
		cr_assert(not(gb_logrank_init(&test[i], gb_gate_look(&gate, i),
					      gb_gate_look(&gate, i), &err)));
	for (uint64_t t = 0; t < TRIALS; t++) {
		bool same = false;

		for (size_t i = 0; gb_gate_look(&gate, i) && !same; i++) {
			const size_t n = gb_gate_look(&gate, i);
			double side[2][SIDE];

			for (size_t k = 0; k < 2 * n; k++)
				side[k % 2][k / 2] = gb_random_unit_stream(t, 0, k);
			gb_sort(side[0], n);
			gb_sort(side[1], n);
			same = gb_logrank_faster(&test[i], side[0], side[1], 0) <=
			       gb_gate_same_level(&gate, n);
		}
		wrong += same;
	}
	for (size_t i = 0; i < GB_COUNT(test); i++)
		gb_logrank_release(&test[i]);
	cr_expect(percent(wrong, TRIALS) <= UNLESS_SANITIZED(3.2, 6), "%zu of %d", wrong, TRIALS);
	cr_expect(percent(wrong, TRIALS) >= UNLESS_SANITIZED(2.2, 0), "%zu of %d", wrong, TRIALS);
}

/* ---- the order of launches ---------------------------------------------------------------- */

/* Up to each look both sides have equally many launches, and all orders of eight occur equally
 * often. */
Test(gates, each_order_is_equally_likely)
{
	enum { ORDERS = 70, TRIALS = 100 * ORDERS };
	const struct gb_gate gate = gate_of(1, 12);
	size_t seen[256] = { 0 }, orders = 0;

	for (uint64_t t = 0; t < TRIALS; t++) {
		size_t n[2] = { 0, 0 };
		unsigned order = 0;

		for (size_t j = 0; j < 24; j++) {
			const double u = 1e9 * gb_random_unit_stream(t, 0, j);
			const int side = gb_gate_next_side(&gate, n[0], n[1], (uint64_t)u);

			n[side]++;
			if (j < 8)
				order = 2 * order + (unsigned)side;
			if (j + 1 == 8 || j + 1 == 12 || j + 1 == 16 || j + 1 == 24)
				cr_assert(eq(sz, n[0], n[1]), "%zu launches", j + 1);
		}
		orders += seen[order]++ == 0;
	}
	cr_expect(eq(sz, orders, ORDERS));
	for (size_t i = 0; i < GB_COUNT(seen); i++)
		cr_expect(seen[i] == 0 || (seen[i] > 55 && seen[i] < 150), "%zu", seen[i]);
}

/* ---- one key ------------------------------------------------------------------------------ */

/* Launches that follow a verdict change nothing, and those after the last look do not count. */
Test(gates, the_first_verdict_counts)
{
	double base[12], other[12];
	struct gb_gate_tests tests = { 0 };
	struct gb_gate_result result;
	const struct gb_gate gate = gate_of(68, 80);

	for (size_t i = 0; i < 12; i++) {
		base[i] = 100 + (double)i / 100;
		other[i] = (i < 4 ? 100.005 : 200) + (double)i / 100;
	}
	judge_sides(&gate, &tests, base, 12, other, 12, &result);
	cr_expect(eq(int, (int)result.verdict, GB_SAME));
	cr_expect(eq(sz, result.base, 4));
	for (size_t i = 0; i < 4; i++)
		other[i] = 110 + (double)i;
	judge_sides(&gate, &tests, base, 11, other, 12, &result);
	cr_expect(eq(int, (int)result.verdict, GB_UNSURE));
	cr_expect(eq(sz, result.base, 8));
	cr_expect(eq(sz, result.needed, 12));
	judge_sides(&gate, &tests, base, 12, other, 12, &result);
	cr_expect(eq(int, (int)result.verdict, GB_SLOWER));
	gb_gate_release(&tests);
}

/* The launches that would decide four of each side; base has 100 to 103.  The probabilities are 1,
 * 27 and 3 of 70 orders. */
Test(gates, forecasts)
{
	static const struct {
		double other[4];
		size_t keys, most, needed;
	} row[] = {
		/* Slower: each launch is, or one is not. */
		{ { 110, 111, 112, 113 }, 4, 0, 5 },
		{ { 110, 111, 112, 113 }, 68, 0, 9 },
		{ { 110, 111, 112, 113 }, 68, 8, 9 },
		{ { 110, 111, 112, 113 }, 68, 80, 16 },
		{ { 130, 140, 150, 99 }, 4, 0, 239 },
		{ { 130, 140, 150, 99 }, 68, 0, 480 },
		{ { 130, 140, 150, 99 }, 100000, 0, 0 },
		/* Not slower by 10 %, but for one launch. */
		{ { 100.5, 101.5, 102.5, 112 }, 68, 0, 6 },
		{ { 100.5, 101.5, 102.5, 112 }, 68, 80, 12 },
	};
	static const double base[] = { 100, 101, 102, 103 };

	for (size_t i = 0; i < GB_COUNT(row); i++) {
		const struct gb_gate gate = gate_of(row[i].keys, row[i].most);
		struct gb_gate_tests tests = { 0 };
		struct gb_gate_result result;

		judge_sides(&gate, &tests, base, 4, row[i].other, 4, &result);
		cr_expect(eq(int, (int)result.verdict, GB_UNSURE), "row %zu", i);
		cr_expect(eq(sz, result.needed, row[i].needed), "row %zu", i);
		gb_gate_release(&tests);
	}
}

/* The side with fewer launches counts. */
Test(gates, forecasts_of_two_launches)
{
	static const double value[] = { 100, 101, 102, 103, 100, 101, 102, 103 };
	const struct gb_gate gate = gate_of(4, 0);

	for (size_t n = 2; n <= 8; n += 6) {
		struct gb_gate_tests tests = { 0 };
		struct gb_gate_result result;

		judge_sides(&gate, &tests, value, n, value, 10 - n, &result);
		cr_expect(eq(sz, result.needed, gb_gate_least(&gate)), "%zu", n);
		gb_gate_release(&tests);
	}
}

/* Stored launches make no key slower that is not slower without them. */
Test(gates, slower_by_new_launches_alone)
{
	enum { TRIALS = 100, SIDE = 12, STORED_LAUNCHES = 40 };
	const struct gb_gate gate = gate_of(1, SIDE);
	struct gb_gate_tests tests = { 0 };
	struct gb_error err = { 0 };
	size_t slower = 0;

	for (uint64_t t = 0; t < TRIALS; t++) {
		double base[SIDE], other[SIDE], stored[STORED_LAUNCHES];
		struct gb_gate_values values = { base, other, NULL, SIDE, SIDE, 0 };
		struct gb_gate_result alone, result;

		for (size_t i = 0; i < SIDE; i++) {
			base[i] = 100 + 20 * gb_random_unit_stream(t, 0, i);
			other[i] = 106 + 20 * gb_random_unit_stream(t, 1, i);
		}
		for (size_t i = 0; i < STORED_LAUNCHES; i++)
			stored[i] = 100 + 20 * gb_random_unit_stream(t, 2, i);
		cr_assert(not(gb_gate_judge(&gate, &tests, &values, &alone, &err)));
		values.stored = stored;
		values.stored_count = STORED_LAUNCHES;
		cr_assert(not(gb_gate_judge(&gate, &tests, &values, &result, &err)));
		if (result.verdict == GB_SLOWER)
			cr_expect(eq(int, (int)alone.verdict, GB_SLOWER), "%zu", (size_t)t);
		slower += result.verdict == GB_SLOWER;
	}
	cr_expect(gt(sz, slower, 10));
	cr_expect(lt(sz, slower, 90));
	gb_gate_release(&tests);
}

/* Stored launches are left out if those of base differ from them, and then change nothing.  Else
 * the ratio is that of all launches of base. */
Test(gates, stored_launches_of_another_speed_are_left_out)
{
	static const double before[] = { 1, 0.97, 1.03 };
	const struct gb_gate gate = gate_of(1, 12), one = gate_of(1, 0);
	struct gb_gate_tests tests = { 0 }, other_tests = { 0 };
	struct gb_gate_result alone;
	struct gb_error err = { 0 };
	double base[8], other[8], stored[8], all[16];

	for (size_t i = 0; i < 8; i++) {
		base[i] = 100 + (double)(i * 3 % 8) / 10;
		other[i] = 100 + (double)(i * 5 % 8) / 10;
	}
	judge_sides(&gate, &tests, base, 8, other, 8, &alone);
	for (size_t b = 0; b < GB_COUNT(before); b++) {
		const struct gb_gate_values values = { base, other, stored, 8, 8, 8 };
		struct gb_gate_result result;

		for (size_t i = 0; i < 8; i++)
			stored[i] = (100 + (double)(i * 7 % 8) / 10) * before[b];
		cr_assert(not(gb_gate_judge(&gate, &tests, &values, &result, &err)));
		cr_expect(eq(int, result.drifted, b > 0), "%g", before[b]);
		cr_expect(eq(int, (int)result.verdict, (int)alone.verdict), "%g", before[b]);
		if (b == 0) {
			memcpy(all, stored, sizeof stored);
			memcpy(all + 8, base, sizeof base);
			judge_sides(&one, &other_tests, all, 8 + result.base, other, result.other,
				    &alone);
		}
		cr_expect(ieee_ulp_eq(dbl, result.ratio.interval.low, alone.ratio.interval.low, 1));
		judge_sides(&gate, &tests, base, 8, other, 8, &alone);
	}
	gb_gate_release(&tests);
	gb_gate_release(&other_tests);
}

/* ---- trials ------------------------------------------------------------------------------- */

/* Gates on the recorded launches, with their noise scaled unless `noise` is 0. */
static struct sum try_kept(size_t keys, size_t trials, double noise, enum disturbance disturbance)
{
	static struct launches all;
	const struct plan plan = { .gate = gate_of(keys, GB_GATE_MOST),
				   .disturbance = disturbance };

	cr_assert(read_launches(&all, "results/measured/launches.txt"));
	cr_assert(all.keys >= 10);
	if (noise > 0)
		scale_noise(&all, noise);
	return try_gates(&all, &plan, trials);
}

Test(gates, recorded_launches)
{
	const struct sum sum = try_kept(28, UNLESS_SANITIZED(40, 4), 0, QUIET);

	cr_expect(le(sz, sum.red, 5));
	cr_expect(percent(sum.green, sum.keys) <= 3, "%zu slower keys passed", sum.green);
	cr_expect(percent(sum.found, sum.keys) >= 95, "%zu of %zu", sum.found, sum.keys);
	cr_expect(le(sz, launches_of(&sum, 0.5), 16));
}

Test(gates, quiet_machine)
{
	const struct sum sum = try_kept(28, UNLESS_SANITIZED(40, 4), 0.025, QUIET);

	cr_expect(le(sz, sum.red, 5));
	cr_expect(percent(sum.green, sum.keys) <= 1, "%zu slower keys passed", sum.green);
	cr_expect(percent(sum.found, sum.keys) >= 99, "%zu of %zu", sum.found, sum.keys);
	cr_expect(eq(sz, launches_of(&sum, 0.95), 4));
}

/* A disturbed machine costs decisions, never truth: at most 5 % of the gates are red and 3 % of the
 * slower keys pass, and the luck of 300 gates, whose keys share it. */
Test(gates, disturbed_machine)
{
	for (int d = DRIFT; d < DISTURBANCES; d++) {
		const struct sum sum =
			try_kept(4, UNLESS_SANITIZED(300, 30), 0.025, (enum disturbance)d);

		cr_expect(percent(sum.red, sum.gates) <= 7, "%d: %zu of %zu gates red", d, sum.red,
			  sum.gates);
		cr_expect(percent(sum.green, sum.keys) <= UNLESS_SANITIZED(5, 14),
			  "%d: %zu of %zu slower keys passed", d, sum.green, sum.keys);
		cr_expect(percent(sum.found, sum.keys) >= 50, "%d: %zu of %zu found", d, sum.found,
			  sum.keys);
	}
}

/* Stored launches of base save new ones.  If the machine was another one then, by a factor, they
 * make no gate red, and pass few slower keys. */
Test(gates, stored_launches)
{
	static const double before[] = { 1, 0.95, 1.05, 1.1 };
	static struct launches all;
	struct plan plan = { .gate = gate_of(28, 80) };
	const size_t trials = UNLESS_SANITIZED(8, 1);
	struct sum alone;

	cr_assert(read_launches(&all, "results/measured/launches.txt"));
	alone = try_gates(&all, &plan, trials);
	plan.stored = 40;
	for (size_t i = 0; i < GB_COUNT(before); i++) {
		struct sum sum;

		plan.before = before[i];
		sum = try_gates(&all, &plan, trials);
		cr_expect(le(sz, sum.red, alone.red), "%g", before[i]);
		cr_expect(percent(sum.green, sum.keys) <= UNLESS_SANITIZED(4, 18),
			  "%g: %zu of %zu slower keys passed", before[i], sum.green, sum.keys);
		cr_expect(percent(sum.found, sum.keys) >= UNLESS_SANITIZED(90, 75),
			  "%g: %zu of %zu found", before[i], sum.found, sum.keys);
		if (i == 0)
			cr_expect(10 * sum.launches < 9 * alone.launches,
				  "%zu launches, %zu without", sum.launches, alone.launches);
	}
}

/* The disturbance of the test above is found: in the order A B B A it makes gates red. */
Test(gates, an_order_in_step_is_wrong)
{
	static struct launches all;
	const struct plan plan = { .gate = gate_of(28, 80),
				   .disturbance = IN_STEP_4,
				   .order = ABBA };

	cr_assert(read_launches(&all, "results/measured/launches.txt"));
	scale_noise(&all, 0.025);
	cr_expect(eq(sz, try_gates(&all, &plan, 4).red, 4));
}
