/* junit.c -- prints a comparison as JUnit XML. */
#include <math.h>
#include <string.h>

#include "cli/report/compare/formats.h"
#include "cli/report/table.h"

/* The element of a case that did not pass, by verdict. */
static const char *const elements[GB_VERDICT_WORDS] = {
	[GB_SLOWER] = "failure", [GB_FAILED_RUN] = "error",   [GB_UNSURE] = "skipped",
	[GB_ABSENT] = "skipped", [GB_UNVERIFIED] = "skipped",
};

/* True if both keys, "radix/cpu/best count=1000", are of one benchmark. */
static bool is_same_bench(const char *a, const char *b)
{
	const size_t length = strcspn(a, "/");

	return length == strcspn(b, "/") && strncmp(a, b, length) == 0;
}

static void print_attribute(FILE *file, const char *name, const char *text, size_t length)
{
	(void)fprintf(file, " %s=\"", name);
	gb_table_print_part(file, text, length, GB_FORMAT_HTML);
	(void)fputc('"', file);
}

static void print_case(FILE *file, const struct gb_change *change)
{
	const size_t variant = strcspn(change->key, " ");
	const char *parameters = change->key + variant + (change->key[variant] == ' ');
	const char *element = elements[change->verdict];
	char text[320];

	(void)fputs("    <testcase", file);
	print_attribute(file, "classname", change->key, variant);
	print_attribute(file, "name", parameters, strlen(parameters));
	if (!change->counted && !isnan(change->new_))
		(void)fprintf(file, " time=\"%.9f\"", change->new_ * 1e-9);
	if (!element) {
		(void)fputs("/>\n", file);
		return;
	}
	(void)fprintf(file, ">\n      <%s", element);
	(void)gb_change_text(change, text, sizeof text);
	print_attribute(file, "message", text, strlen(text));
	(void)fputs("/>\n    </testcase>\n", file);
}

/* Print how many cases there are by outcome: of the benchmark of `bench`, or all if it is NULL. */
static void print_totals(FILE *file, const struct gb_comparison *c, const char *bench)
{
	size_t tests = 0, failures = 0, errors = 0, skipped = 0;

	for (size_t i = 0; i < c->count; i++) {
		const char *element = elements[c->change[i].verdict];

		if (bench && !is_same_bench(bench, c->change[i].key))
			continue;
		tests++;
		failures += element && element[0] == 'f';
		errors += element && element[0] == 'e';
		skipped += element && element[0] == 's';
	}
	(void)fprintf(file, " tests=\"%zu\" failures=\"%zu\" errors=\"%zu\" skipped=\"%zu\">\n",
		      tests, failures, errors, skipped);
}

/* True if an earlier key is of the same benchmark. */
static bool is_begun(const struct gb_comparison *c, size_t key)
{
	for (size_t i = 0; i < key; i++)
		if (is_same_bench(c->change[i].key, c->change[key].key))
			return true;
	return false;
}

enum gb_status gb_junit_print(FILE *file, const struct gb_comparison *comparison,
			      struct gb_error *err)
{
	const struct gb_comparison *c = comparison;

	(void)err;
	(void)fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"gpubench\"",
		    file);
	print_totals(file, c, NULL);
	for (size_t i = 0; i < c->count; i++) {
		const char *key = c->change[i].key;

		if (is_begun(c, i))
			continue;
		(void)fputs("  <testsuite", file);
		print_attribute(file, "name", key, strcspn(key, "/"));
		print_totals(file, c, key);
		for (size_t k = i; k < c->count; k++)
			if (is_same_bench(key, c->change[k].key))
				print_case(file, &c->change[k]);
		(void)fputs("  </testsuite>\n", file);
	}
	(void)fputs("</testsuites>\n", file);
	return GB_OK;
}
