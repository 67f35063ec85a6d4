/* test_exchange.c -- the annotations of a comparison. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli/report/compare/compare_records.h"
#include "tests/line_of.h"

/* A key that would act on a terminal, and end the message. */
static void add_repetition(struct gb_records *list, int repetition, int key, int ns)
{
	char line[300];

	(void)snprintf(line, sizeof line,
		       "{\"type\":\"record\",\"run_id\":\"%d\",\"key\":\"k%d\\u001b[1m\\n%%\","
		       "\"time\":{\"median\":%d,\"samples\":[%d]}}",
		       repetition, key, ns, ns);
	add_line_of(list, line);
}

/* The worst are annotated, the worst first, and the others counted. */
Test(exchange, github)
{
	struct gb_comparison c = { .gate = { .error = 0.05, .threshold = 0.05 } };
	struct gb_records base = { 0 }, other = { 0 };
	struct gb_error err = { 0 };
	char *text = NULL, *at;
	size_t size;
	FILE *file = open_memstream(&text, &size);
	char line[300];

	for (int key = 0; key < 12; key++)
		for (int repetition = 0; repetition < 8; repetition++) {
			add_repetition(&base, repetition, key, 100000 + repetition);
			add_repetition(&other, repetition, key, (100000 + repetition) * (key + 2));
		}
	cr_assert_not(gb_compare(&c, &base, &other, &err));
	gb_github_print(file, &c);
	(void)fclose(file);
	at = text;
	for (int key = 11; key > 1; key--) {
		(void)snprintf(line, sizeof line,
			       "::error title=gpubench slower::k%d?[1m%%0A%%25: %d times the time",
			       key, key + 2);
		cr_expect(strncmp(at, line, strlen(line)) == 0, "%s in\n%s", line, text);
		at = strchr(at, '\n') + 1;
	}
	cr_expect_str_eq(at, "::notice title=gpubench::12 keys: 12 slower; the 10 worst of 12 are "
			     "annotated\n");
	free(text);
	gb_comparison_release(&c);
	gb_records_release(&base);
	gb_records_release(&other);
}
