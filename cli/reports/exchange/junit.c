/* junit.c -- prints records and comparisons as JUnit XML. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/reports/compare/compare.h"
#include "cli/reports/counts.h"
#include "cli/reports/exchange/exchange.h"
#include "cli/reports/grid/grid.h"
#include "cli/reports/launch.h"
#include "common/text.h"

/* The outcome of a case. */
enum outcome { PASSED, FAILURE, ERROR, SKIPPED, OUTCOMES };

static const char *const elements[OUTCOMES] = { NULL, "failure", "error", "skipped" };

struct junit_case {
	const char *key; /* "radix/cpu/best count=1000" */
	bool hot;
	double seconds; /* NAN if unknown */
	enum outcome outcome;
	char message[320];
};

/* Case i of the list; false if there is none. */
typedef bool case_at(const void *list, size_t i, struct junit_case *out);

static size_t bench_length(const char *key)
{
	return strcspn(key, "/");
}

static bool is_same_bench(const char *a, const char *b)
{
	return bench_length(a) == bench_length(b) && strncmp(a, b, bench_length(a)) == 0;
}

static void print_attribute(FILE *file, const char *name, const char *text, size_t length)
{
	(void)fprintf(file, " %s=\"", name);
	gb_grid_print_part(file, text, length, GB_FORMAT_HTML);
	(void)fputc('"', file);
}

static void print_case(FILE *file, const struct junit_case *c)
{
	const size_t variant = strcspn(c->key, " ");
	char name[2048];

	(void)snprintf(name, sizeof name, "%s%s", c->key + variant + (c->key[variant] == ' '),
		       c->hot ? " hot" : "");
	(void)fputs("    <testcase", file);
	print_attribute(file, "classname", c->key, variant);
	print_attribute(file, "name", name, strlen(name));
	if (!isnan(c->seconds))
		(void)fprintf(file, " time=\"%.9f\"", c->seconds);
	if (c->outcome == PASSED) {
		(void)fputs("/>\n", file);
		return;
	}
	(void)fprintf(file, ">\n      <%s", elements[c->outcome]);
	print_attribute(file, "message", c->message, strlen(c->message));
	(void)fputs("/>\n    </testcase>\n", file);
}

/* Count the cases from `first` on by outcome: those of its benchmark, or all if `whole` is true. */
static void count_cases(const void *list, size_t count, case_at *at, size_t first, bool whole,
			size_t *number)
{
	struct junit_case one, other;

	memset(number, 0, OUTCOMES * sizeof *number);
	if (!whole)
		(void)at(list, first, &one);
	for (size_t i = first; i < count; i++)
		if (at(list, i, &other) && (whole || is_same_bench(one.key, other.key)))
			number[other.outcome]++;
}

static void print_counts(FILE *file, const size_t *number)
{
	(void)fprintf(file, " tests=\"%zu\" failures=\"%zu\" errors=\"%zu\" skipped=\"%zu\">\n",
		      number[PASSED] + number[FAILURE] + number[ERROR] + number[SKIPPED],
		      number[FAILURE], number[ERROR], number[SKIPPED]);
}

/* True if one of the suites, each with a key of it, has the same benchmark. */
static bool is_begun(const char *const *suite, size_t suites, const char *key)
{
	for (size_t i = 0; i < suites; i++)
		if (is_same_bench(suite[i], key))
			return true;
	return false;
}

static enum gb_status print_suites(FILE *file, const void *list, size_t count, case_at *at,
				   struct gb_error *err)
{
	const char **suite = calloc(count + 1, sizeof *suite);
	size_t number[OUTCOMES], suites = 0;
	struct junit_case one, other;

	if (!suite)
		return gb_out_of_memory(err, "a document");
	(void)fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"gpubench\"",
		    file);
	count_cases(list, count, at, 0, true, number);
	(void)print_counts(file, number);
	for (size_t i = 0; i < count; i++) {
		if (!at(list, i, &one) || is_begun(suite, suites, one.key))
			continue;
		suite[suites++] = one.key;
		(void)fputs("  <testsuite", file);
		print_attribute(file, "name", one.key, bench_length(one.key));
		count_cases(list, count, at, i, false, number);
		print_counts(file, number);
		for (size_t k = i; k < count; k++)
			if (at(list, k, &other) && is_same_bench(one.key, other.key))
				print_case(file, &other);
		(void)fputs("  </testsuite>\n", file);
	}
	(void)fputs("</testsuites>\n", file);
	free(suite);
	return GB_OK;
}

/* ---- records ------------------------------------------------------------------------------ */

static enum outcome outcome_of(const struct gb_record *record)
{
	if (record->status == GB_STATUS_FAILED)
		return record->verify.result && gb_equal(record->verify.result, "fail") ? FAILURE
											: ERROR;
	return record->status == GB_STATUS_OK ? PASSED : SKIPPED;
}

static bool record_at(const void *list, size_t i, struct junit_case *out)
{
	const struct gb_record *record = ((const struct gb_records *)list)->record[i];
	const char *reason = record->reason;

	*out = (struct junit_case){ .key = record->key, .seconds = NAN };
	out->hot = !gb_record_is_cold(record);
	out->outcome = outcome_of(record);
	if (!record->emulated)
		out->seconds = record->time.median * 1e-9;
	if (gb_is_untrusted(record))
		(void)snprintf(out->message, sizeof out->message, "%s%s%s",
			       gb_status_word(record->status), reason ? ": " : "",
			       reason ? reason : "");
	else
		(void)snprintf(out->message, sizeof out->message, "%s", reason ? reason : "");
	return true;
}

enum gb_status gb_junit_print_records(FILE *file, const struct gb_records *list,
				      struct gb_error *err)
{
	return print_suites(file, list, list->count, record_at, err);
}

/* ---- a comparison ------------------------------------------------------------------------- */

/* Count the changes of counts that are worse, and keep the name of the first. */
struct worse_counts {
	double tolerance;
	size_t count;
	char first[64];
};

static void count_worse(const struct gb_count_change *change, void *closure)
{
	struct worse_counts *worse = closure;

	if (gb_count_judge(change, worse->tolerance) == GB_COUNT_WORSE && worse->count++ == 0)
		memcpy(worse->first, change->name, sizeof worse->first);
}

/* Counts that are judged decide on a key that has no time. */
static void judge_counts(const struct gb_comparison *c, const struct gb_change *change,
			 struct junit_case *out)
{
	struct worse_counts worse = { .tolerance = c->counts_growth };

	if (!c->judge_counts || !change->base_counts || !change->new_counts ||
	    (out->outcome != PASSED && change->verdict != GB_ABSENT))
		return;
	gb_counts_differ(change->base_counts, change->new_counts, count_worse, &worse);
	out->outcome = worse.count ? FAILURE : PASSED;
	out->message[0] = '\0';
	if (worse.count)
		(void)snprintf(out->message, sizeof out->message, "%zu count%s worse, such as %s",
			       worse.count, worse.count == 1 ? " is" : "s are", worse.first);
}

static bool change_at(const void *list, size_t i, struct junit_case *out)
{
	static const enum outcome outcomes[GB_VERDICT_WORDS] = {
		[GB_SLOWER] = FAILURE, [GB_FAILED_RUN] = ERROR,   [GB_UNSURE] = SKIPPED,
		[GB_ABSENT] = SKIPPED, [GB_UNVERIFIED] = SKIPPED,
	};
	const struct gb_change *change = &((const struct gb_comparison *)list)->change[i];

	*out = (struct junit_case){ .key = change->key,
				    .seconds =
					    change->in_cycles ? (double)NAN : change->new_ * 1e-9,
				    .outcome = outcomes[change->verdict] };
	(void)gb_change_text(change, out->message, sizeof out->message);
	judge_counts(list, change, out);
	return true;
}

enum gb_status gb_junit_print_comparison(FILE *file, const struct gb_comparison *comparison,
					 struct gb_error *err)
{
	return print_suites(file, comparison, comparison->count, change_at, err);
}
