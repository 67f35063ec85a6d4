/* junit.c -- prints a comparison as JUnit XML. */
#include <math.h>
#include <string.h>

#include "cli/report/compare/compare_records.h"
#include "cli/report/table.h"

/* The element of a case that did not pass, by verdict. */
static const char *const elements[GB_VERDICT_WORDS] = {
	[GB_SLOWER] = "failure", [GB_FAILED_RUN] = "error",   [GB_UNSURE] = "skipped",
	[GB_ABSENT] = "skipped", [GB_UNVERIFIED] = "skipped",
};

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

void gb_junit_print(FILE *file, const struct gb_comparison *comparison)
{
	const size_t *v = comparison->verdicts;

	(void)fprintf(file,
		      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n"
		      "  <testsuite name=\"gpubench\" tests=\"%zu\" failures=\"%zu\" "
		      "errors=\"%zu\" skipped=\"%zu\">\n",
		      comparison->count, v[GB_SLOWER], v[GB_FAILED_RUN],
		      v[GB_UNSURE] + v[GB_ABSENT] + v[GB_UNVERIFIED]);
	for (size_t i = 0; i < comparison->count; i++)
		print_case(file, &comparison->change[i]);
	(void)fputs("  </testsuite>\n</testsuites>\n", file);
}
