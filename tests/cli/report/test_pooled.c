/* test_pooled.c -- which records are repetitions of one measurement, and what a report says if one
 * side has few repetitions or a failed one.
 */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <math.h>
#include <stdio.h>

#include "cli/report/compare/compare_records.h"
#include "cli/report/compare/gate.h"
#include "cli/report/keys.h"
#include "tests/line_of.h"

static struct gb_records list, other;

static void release(void)
{
	gb_records_release(&list);
	gb_records_release(&other);
}

TestSuite(pooled, .fini = release);

#define OK     ",\"status\":\"ok\",\"verify\":{\"result\":\"pass\"}"
#define FAILED ",\"status\":\"failed\",\"reason\":\"wrong\",\"verify\":{\"result\":\"fail\"}"
#define COLD   ",\"cold\":true"
#define HOT    ",\"cold\":false"

/* Repetition number `id`, of a commit. */
static void add_run(int id, const char *host, const char *commit)
{
	char text[400];

	(void)snprintf(text, sizeof text,
		       "{\"type\":\"run\",\"run_id\":\"%d\",\"host\":{\"hostname\":\"%s\","
		       "\"cpu\":\"X\"},\"tool\":{\"commit\":\"%s\"}}",
		       id, host, commit);
	add_line_of(&list, text);
}

static void add_to(struct gb_records *records, int id, double ns, const char *members)
{
	char text[400], time[100] = "";

	if (ns > 0)
		(void)snprintf(time, sizeof time, ",\"time\":{\"median\":%g,\"samples\":[%g]}", ns,
			       ns);
	(void)snprintf(text, sizeof text, "{\"type\":\"record\",\"run_id\":\"%d\"%s%s}", id, time,
		       members);
	add_line_of(records, text);
}

static void add(int id, double ns, const char *members)
{
	add_to(&list, id, ns, members);
}

static void pool(void)
{
	struct gb_error err = { 0 };

	cr_assert(eq(int, (int)gb_pool_repetitions(&list, &err), GB_OK));
}

/* ---- pooling ------------------------------------------------------------------------------ */

/* Eight repetitions that differ in one way, of which four are alike. */
static void expect_two_pools(const char *host, const char *commit, const char *members)
{
	for (int i = 0; i < 8; i++) {
		add_run(i, i % 2 ? host : "h", i % 2 ? commit : "a");
		add(i, 100 + i + (i % 2) * 1000, i % 2 ? members : OK COLD);
	}
	pool();
	cr_assert(eq(sz, list.count, 2));
	for (size_t i = 0; i < 2; i++) {
		cr_expect(eq(sz, list.record[i]->repetitions, 4));
		cr_expect(epsilon_eq(dbl, list.record[i]->time.median, i ? 1104 : 103, 1e-9));
	}
	release();
}

Test(pooled, only_repetitions_of_one_measurement)
{
	expect_two_pools("h", "b", OK COLD);
	expect_two_pools("other", "a", OK COLD);
	expect_two_pools("h", "a", OK HOT);
}

/* ---- side by side ------------------------------------------------------------------------- */

/* Four repetitions on each side give an interval, and so do two single repetitions. */
Test(pooled, ratios_of_records_need_repetitions_on_both_sides)
{
	static const struct {
		size_t a, b;
		double low;
	} table[] = {
		{ 1, 1, 90. / 55 }, { 1, 4, NAN }, { 4, 1, NAN }, { 2, 1, NAN }, { 1, 2, NAN },
		{ 2, 2, NAN },      { 3, 5, NAN }, { 5, 3, NAN }, { 4, 4, 2 },   { 4, 5, 2 },
	};
	double fast[] = { 50, 50, 50, 50, 50 }, slow[] = { 100, 100, 100, 100, 100 };

	for (size_t i = 0; i < GB_COUNT(table); i++) {
		const struct gb_record a = { .status = GB_STATUS_OK,
					     .has_time = true,
					     .repetitions = table[i].a,
					     .time = { .count = table[i].a,
						       .sample = fast,
						       .median = 50,
						       .ci_low = 45,
						       .ci_high = 55 } };
		const struct gb_record b = { .status = GB_STATUS_OK,
					     .has_time = true,
					     .repetitions = table[i].b,
					     .time = { .count = table[i].b,
						       .sample = slow,
						       .median = 100,
						       .ci_low = 90,
						       .ci_high = 110 } };
		const struct gb_ratio r = gb_time_ratio(&a, &b);

		cr_expect(fabs(r.estimate - 2) < 1e-9);
		cr_expect(isnan(table[i].low) ? isnan(r.interval.low)
					      : fabs(r.interval.low - table[i].low) < 1e-9,
			  "%zu and %zu: %g", table[i].a, table[i].b, r.interval.low);
		cr_expect(eq(int, gb_is_faster(&a, &b), table[i].low > 1));
		cr_expect(not(gb_is_faster(&b, &a)));
	}
}

/* ---- gates -------------------------------------------------------------------------------- */

/* Why a key is unsure, beside six that are the same with as many repetitions. */
Test(pooled, unsure)
{
	static const struct {
		int repetitions;
		double factor;
		const char *reason;
	} row[] = {
		{ 3, 1, "3 and 3 repetitions: 4 a side are needed" },
		{ 4, 1, "slower by 10 % is not excluded" },
		{ 4, 1.3, "4 and 4 repetitions: too few to call one of 7 keys slower" },
		{ 5, 1.3, "the repetitions disagree on whether it changed" },
	};

	for (size_t i = 0; i < GB_COUNT(row); i++) {
		struct gb_comparison c = { .gate = { .error = 0.05, .threshold = 0.05 } };
		struct gb_error err = { 0 };

		for (int repetition = 0; repetition < row[i].repetitions; repetition++)
			for (int key = 0; key < 7; key++) {
				char members[100];
				const double ns = 1e6 * (key ? 1 : 1 + repetition % 2);

				(void)snprintf(members, sizeof members, OK ",\"key\":\"k%d\"", key);
				add_to(&list, repetition, ns, members);
				add_to(&other, repetition, key ? ns : ns * row[i].factor, members);
			}
		cr_assert(eq(int, (int)gb_compare(&c, &list, &other, &err), GB_OK));
		cr_assert(eq(sz, c.count, 7));
		cr_expect(eq(int, (int)c.change[0].verdict, GB_UNSURE), "row %zu", i);
		cr_expect(eq(str, (char *)c.change[0].reason, (char *)row[i].reason));
		gb_comparison_release(&c);
		release();
	}
}

/* The floor of 100 ns is a twentieth of 2 us. */
Test(pooled, a_floor)
{
	static const struct {
		double base, other;
		enum gb_verdict_word verdict;
	} row[] = { { 2000, 2600, GB_SLOWER },
		    { 2600, 2000, GB_FASTER },
		    { 2000, 2150, GB_SLOWER },
		    { 900, 980, GB_SAME } };

	for (size_t i = 0; i < GB_COUNT(row); i++) {
		struct gb_comparison c = { .gate = { .error = 0.05, .threshold = 0.05 } };
		struct gb_error err = { 0 };

		for (int repetition = 0; repetition < 6; repetition++) {
			add_to(&list, repetition, row[i].base + repetition, OK);
			add_to(&other, repetition, row[i].other + repetition, OK);
		}
		cr_assert(eq(int, (int)gb_compare(&c, &list, &other, &err), GB_OK));
		cr_expect(eq(int, (int)c.change[0].verdict, (int)row[i].verdict), "row %zu", i);
		gb_comparison_release(&c);
		release();
	}
}
