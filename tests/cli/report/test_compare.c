/* test_compare.c -- verdicts on pairs of records, and the exit status that follows from them. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/report/compare/compare_records.h"
#include "common/rng.h"
#include "common/stats.h"
#include "common/text.h"
#include "tests/line_of.h"

/* The two sides of a test. */
static struct gb_records base, other;

static void release(void)
{
	gb_records_release(&base);
	gb_records_release(&other);
}

TestSuite(compare, .fini = release);

/* ---- verdicts ----------------------------------------------------------------------------- */

/* Add a record with a status, a time unless ns is 0, and further members. */
static void add_with(struct gb_records *list, int repetition, const char *key, const char *status,
		     double ns, const char *members)
{
	char text[1024];
	int n = snprintf(text, sizeof text,
			 "{\"type\":\"record\",\"run_id\":\"%d\",\"key\":\"%s\",\"status\":\"%s\"",
			 repetition, key, status);

	if (ns > 0)
		n += snprintf(text + n, sizeof text - (size_t)n,
			      ",\"time\":{\"median\":%g,\"samples\":[%g,%g,%g]},"
			      "\"gpu_state\":{\"sm_clock_hz\":[1e9,2e9,1e9]}",
			      ns, 2 * ns, ns / 2, ns);
	else
		n += snprintf(text + n, sizeof text - (size_t)n, ",\"reason\":\"because\"");
	snprintf(text + n, sizeof text - (size_t)n, "%s}", members);
	add_line_of(list, text);
}

static void add(struct gb_records *list, int repetition, const char *key, const char *status,
		double ns)
{
	add_with(list, repetition, key, status, ns, "");
}

/* Add `repetitions` values around ns, up to 1 % apart. */
static void add_repetitions(struct gb_records *list, const char *key, int repetitions, double ns)
{
	for (int i = 0; i < repetitions; i++)
		add(list, i, key, "ok", ns * (1 + 0.01 * i / repetitions));
}

static const struct gb_change *find(const struct gb_comparison *c, const char *key)
{
	for (size_t i = 0; i < c->count; i++)
		if (strcmp(c->change[i].key, key) == 0)
			return &c->change[i];
	cr_fatal("no key %s", key);
	return NULL;
}

/* Add a repetition that is not ok; only one that was not verified has a time. */
static void add_other(struct gb_records *list, const char *key, const char *status)
{
	add(list, 5, key, status, strcmp(status, "unverified") ? 0 : 1e6);
}

/* The reason of a verdict that does not rest on two sides of verified repetitions. */
Test(compare, reasons)
{
	static const struct {
		const char *key, *base,
			*other; /* statuses of a repetition beside five that are ok; NULL: none */
		bool five_in_base, five_in_new;
		enum gb_verdict_word verdict;
		const char *reason;
	} row[] = {
		{ "mended", "failed", NULL, true, true, GB_SAME,
		  "1 of 6 repetitions of base failed" },
		{ "broken", NULL, "failed", true, true, GB_FAILED_RUN, "because" },
		{ "open base", "unverified", NULL, true, true, GB_UNVERIFIED,
		  "not verified in base" },
		{ "open", "unverified", "unverified", true, true, GB_UNVERIFIED,
		  "not verified in base and new" },
		{ "fresh", "skipped", NULL, false, true, GB_ABSENT, "in base: because" },
		{ "new", NULL, NULL, false, true, GB_ABSENT, "in base: no record" },
		{ "never", "skipped", "skipped", false, false, GB_ABSENT, "because" },
		{ "once", "skipped", NULL, false, false, GB_ABSENT, "because" },
	};
	struct gb_comparison c = { .gate = { .error = 0.05, .threshold = 0.05 } };
	struct gb_error err = { 0 };

	for (size_t i = 0; i < GB_COUNT(row); i++) {
		if (row[i].five_in_base)
			add_repetitions(&base, row[i].key, 5, 1e6);
		if (row[i].five_in_new)
			add_repetitions(&other, row[i].key, 5, 1e6);
		if (row[i].base)
			add_other(&base, row[i].key, row[i].base);
		if (row[i].other)
			add_other(&other, row[i].key, row[i].other);
	}
	cr_assert(eq(int, (int)gb_compare(&c, &base, &other, &err), GB_OK));
	for (size_t i = 0; i < GB_COUNT(row); i++) {
		cr_expect(eq(int, (int)find(&c, row[i].key)->verdict, (int)row[i].verdict), "%s",
			  row[i].key);
		cr_expect(eq(str, (char *)find(&c, row[i].key)->reason, (char *)row[i].reason));
	}
	gb_comparison_release(&c);
}

/* Add a record with counts: totals, and a kernel's counts of which compare sees only some. */
static void add_counted(struct gb_records *list, const char *key, const char *sums, bool emulated)
{
	char text[512];

	snprintf(text, sizeof text,
		 ",\"emulated\":%s,\"counts\":{%s,\"kernels\":[{\"kernel\":\"k\",\"launches\":9}]}",
		 emulated ? "true" : "false", sums);
	add_with(list, 0, key, "ok", 1e6, text);
}

Test(compare, counts_decide_keys_without_times)
{
	const struct {
		double threshold;
		const char *base, *new_;
		enum gb_verdict_word verdict;
		double ratio;
		const char *reason;
	} row[] = {
		{ 0, "\"repetitions\":3", "\"repetitions\":3", GB_SAME, NAN, "" },
		{ 0, "\"barriers\":100", "\"barriers\":101", GB_SAME, NAN, "" },
		{ 0, "\"warp_instructions\":100", "\"warp_instructions\":99", GB_FASTER, 0.99,
		  "warp_instructions 100 to 99" },
		{ 0, "\"warp_instructions\":100,\"global_load\":{\"sectors\":5,\"least\":4}",
		  "\"warp_instructions\":101,\"global_load\":{\"sectors\":4,\"least\":3}",
		  GB_SLOWER, 1.01, "warp_instructions 100 to 101; global_load.sectors 5 to 4" },
		{ 0, "\"barriers\":1", "\"shared_load\":{\"wavefronts\":6}", GB_SLOWER, INFINITY,
		  "shared_load.wavefronts 0 to 6" },
		{ 0.05, "\"warp_instructions\":100", "\"warp_instructions\":105", GB_SAME, 1.05,
		  "warp_instructions 100 to 105" },
		{ 0.05, "\"warp_instructions\":100", "\"warp_instructions\":106", GB_SLOWER, 1.06,
		  "warp_instructions 100 to 106" },
	};

	for (size_t i = 0; i < GB_COUNT(row); i++) {
		struct gb_comparison c = { .gate = { .error = 0.05,
						     .threshold = row[i].threshold } };
		struct gb_error err = { 0 };
		char reason[GB_REASON_MAX];

		add_counted(&base, "k", row[i].base, true);
		add_counted(&other, "k", row[i].new_, true);
		gb_compare(&c, &base, &other, &err);
		cr_expect(eq(int, (int)c.change[0].verdict, (int)row[i].verdict), "row %zu", i);
		cr_expect(eq(str, c.change[0].reason, (char *)row[i].reason));
		cr_expect(isnan(row[i].ratio) ? isnan(c.change[0].ratio.estimate)
					      : !(c.change[0].ratio.estimate < row[i].ratio ||
						  c.change[0].ratio.estimate > row[i].ratio),
			  "row %zu", i);
		cr_expect(eq(int, gb_comparison_status(&c, reason) == GB_EVERIFY,
			     row[i].verdict == GB_SLOWER));
		gb_comparison_release(&c);
		release();
	}
}

/* The main counts of a run of two kernels: instructions of `a`, sectors of `b`. */
static void add_kernels(struct gb_records *list, int instructions, int sectors, const char *second)
{
	char text[512];

	snprintf(text, sizeof text,
		 ",\"emulated\":true,\"counts\":{\"launches\":2,\"warp_instructions\":%d,"
		 "\"global_load\":{\"sectors\":%d},\"kernels\":[{\"kernel\":\"a\",\"launches\":1,"
		 "\"warp_instructions\":%d},{\"kernel\":\"%s\",\"launches\":1,"
		 "\"global_load\":{\"sectors\":%d}}]}",
		 instructions + 9000, sectors + 9000, instructions, second, sectors);
	add_with(list, 0, "k", "ok", 1e6, text);
}

/* A kernel that both sides have is slower even if the whole run is not. */
Test(compare, counts_of_kernels)
{
	const struct {
		double threshold;
		int instructions, sectors;
		const char *second;
		enum gb_verdict_word verdict;
	} row[] = {
		{ 0.05, 105, 100, "b", GB_SAME },   { 0.05, 106, 100, "b", GB_SLOWER },
		{ 0.05, 100, 200, "b", GB_SLOWER }, { 0.05, 100, 200, "c", GB_SAME },
		{ 0.05, 100, 900, "c", GB_SLOWER }, { 0.05, 90, 100, "b", GB_FASTER },
	};

	for (size_t i = 0; i < GB_COUNT(row); i++) {
		struct gb_comparison c = { .gate = { .error = 0.05,
						     .threshold = row[i].threshold } };
		struct gb_error err = { 0 };

		add_kernels(&base, 100, 100, "b");
		add_kernels(&other, row[i].instructions, row[i].sectors, row[i].second);
		gb_compare(&c, &base, &other, &err);
		cr_expect(eq(int, (int)c.change[0].verdict, (int)row[i].verdict), "row %zu", i);
		gb_comparison_release(&c);
		release();
	}
}

/* ---- the exit status ---------------------------------------------------------------------- */

/* Add five repetitions per letter: s(ame), +, x (slower still), -, u(nsure), f(ailed), v (not
 * verified), k (skipped); a space is a missing key. */
static void add_letters(struct gb_records *list, const char *letters)
{
	for (size_t k = 0; letters[k]; k++) {
		const double ns = letters[k] == '+'   ? 1.2e6
				  : letters[k] == 'x' ? 1.5e6
				  : letters[k] == '-' ? 0.8e6
						      : 1e6;
		char key[32];

		snprintf(key, sizeof key, "k%zu", k);
		for (int i = 0; i < 5 && letters[k] != ' '; i++)
			add(list, i, key,
			    letters[k] == 'f'   ? "failed"
			    : letters[k] == 'v' ? "unverified"
			    : letters[k] == 'k' ? "skipped"
						: "ok",
			    strchr("fk", letters[k])     ? 0
			    : letters[k] == 'u' && i % 2 ? 2 * ns
							 : ns);
	}
}

static enum gb_status status_of(const char *base_letters, const char *new_letters,
				struct gb_comparison c, char *reason)
{
	struct gb_error err = { 0 };
	enum gb_status status;

	c.gate = (struct gb_gate){ .error = 0.05, .threshold = 0.05 };
	add_letters(&base, base_letters);
	add_letters(&other, new_letters);
	gb_compare(&c, &base, &other, &err);
	status = gb_comparison_status(&c, reason);
	gb_comparison_release(&c);
	release();
	return status;
}

Test(compare, each_exit_status)
{
	const struct gb_comparison usual = { 0 }, lax = { .allow_missing = true };
	const struct {
		const char *base, *new_;
		struct gb_comparison how;
		enum gb_status status;
	} row[] = {
		{ "sss", "ss-", usual, GB_OK },        { "sss", "ss+", usual, GB_EVERIFY },
		{ "sss", "ssf", usual, GB_EVERIFY },   { "sss", "ssv", usual, GB_EUNDECIDED },
		{ "sss", "ss", usual, GB_EUNDECIDED }, { "sss", "ss", lax, GB_OK },
		{ "sss", "s +", lax, GB_EVERIFY },     { "ss", "sss", usual, GB_OK },
		{ "ssf", "sss", usual, GB_OK },        { "s", " s", lax, GB_EUNDECIDED },
		{ "s", " s", usual, GB_EUNDECIDED },   { "f", "s", usual, GB_EUNDECIDED },
		{ "k", "k", usual, GB_EUNDECIDED },    { "", "", usual, GB_EUNDECIDED },
		{ "kss", "kss", usual, GB_OK },        { "sss", "ssu", usual, GB_EUNDECIDED },
		{ "sss", "+x+", usual, GB_EVERIFY },   { "sss", "+sf", usual, GB_EVERIFY },
	};

	for (size_t i = 0; i < GB_COUNT(row); i++) {
		char reason[GB_REASON_MAX];

		cr_expect(eq(int, (int)status_of(row[i].base, row[i].new_, row[i].how, reason),
			     (int)row[i].status),
			  "'%s' and '%s'", row[i].base, row[i].new_);
		cr_expect(reason[0] != '\0');
	}
}

/* A key that lost its counts is missing if counts are compared. */
Test(compare, lost_counts)
{
	struct gb_comparison c = { .gate = { .error = 0.05, .threshold = 0.05 } };
	struct gb_error err = { 0 };
	char reason[GB_REASON_MAX];

	add_counted(&base, "goes", "\"repetitions\":3", true);
	add_counted(&base, "stays", "\"repetitions\":3", true);
	add_counted(&other, "stays", "\"repetitions\":3", true);
	gb_compare(&c, &base, &other, &err);
	cr_expect(eq(int, (int)find(&c, "goes")->verdict, GB_ABSENT));
	cr_expect(eq(int, (int)find(&c, "stays")->verdict, GB_SAME));
	cr_expect(eq(int, (int)gb_comparison_status(&c, reason), GB_EUNDECIDED));
	c.allow_missing = true;
	cr_expect(eq(int, (int)gb_comparison_status(&c, reason), GB_OK));
	gb_comparison_release(&c);
}

/* Records that were appended to their own file do not count as more repetitions. */
Test(compare, a_repetition_counts_once)
{
	struct gb_comparison c = { .gate = { .error = 0.05, .threshold = 0.05 } };
	struct gb_error err = { 0 };

	for (int i = 0; i < 4; i++) {
		add(&base, 0, "k", "ok", 1e6);
		add(&other, i, "k", "ok", 1e6);
	}
	gb_compare(&c, &base, &other, &err);
	cr_expect(eq(sz, c.change[0].base_repetitions, 1));
	cr_expect(eq(sz, c.change[0].new_repetitions, 4));
	gb_comparison_release(&c);
}
