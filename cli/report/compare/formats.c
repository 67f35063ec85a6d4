/* formats.c -- prints a comparison for other tools: JUnit XML, and the worst of it as workflow
 * commands of GitHub Actions. */
#include <math.h>
#include <string.h>

#include "cli/report/compare/compare_records.h"
#include "cli/report/table.h"
#include "common/text.h"

/* ---- JUnit --------------------------------------------------------------------------------- */

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

	(void)fputs("  <testcase", file);
	print_attribute(file, "classname", change->key, variant);
	print_attribute(file, "name", parameters, strlen(parameters));
	if (!change->counted && !isnan(change->new_))
		(void)fprintf(file, " time=\"%.9f\"", change->new_ * 1e-9);
	if (!element) {
		(void)fputs("/>\n", file);
		return;
	}
	(void)fprintf(file, ">\n    <%s", element);
	(void)gb_change_text(change, text, sizeof text);
	print_attribute(file, "message", text, strlen(text));
	(void)fputs("/>\n  </testcase>\n", file);
}

void gb_junit_print(FILE *file, const struct gb_comparison *comparison)
{
	const size_t *v = comparison->verdicts;

	(void)fprintf(file,
		      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuite name=\"gpubench\" "
		      "tests=\"%zu\" failures=\"%zu\" errors=\"%zu\" skipped=\"%zu\">\n",
		      comparison->count, v[GB_SLOWER], v[GB_FAILED_RUN],
		      v[GB_UNSURE] + v[GB_ABSENT] + v[GB_UNVERIFIED]);
	for (size_t i = 0; i < comparison->count; i++)
		print_case(file, &comparison->change[i]);
	(void)fputs("</testsuite>\n", file);
}

/* ---- GitHub Actions ------------------------------------------------------------------------ */

enum { ANNOTATIONS = 10 }; /* GitHub shows no more of a kind in a step */

/* Characters that would end a message, or begin an escape, are printed as %XX.  Others that control
 * a terminal become '?', because the log is shown in one. */
static void print_message(FILE *file, const char *text)
{
	for (size_t length; *text; text += length) {
		length = gb_text_step(text);
		if (strchr("%\r\n", *text))
			(void)fprintf(file, "%%%02X", (unsigned char)*text);
		else if (gb_text_control(text))
			(void)fputc('?', file);
		else
			(void)fwrite(text, 1, length, file);
	}
}

/* The worst verdict has rank 1; 0 is not annotated. */
static int rank_of(const struct gb_change *change)
{
	static const int ranks[GB_VERDICT_WORDS] = { [GB_FAILED_RUN] = 1,
						     [GB_SLOWER] = 2,
						     [GB_UNVERIFIED] = 3,
						     [GB_ABSENT] = 4,
						     [GB_UNSURE] = 5 };

	return change->verdict == GB_ABSENT && !change->in_base ? 0 : ranks[change->verdict];
}

/* The worst first, then the order of the keys. */
static int by_rank(const struct gb_change *x, const struct gb_change *y)
{
	const double p = fmax(x->ratio.estimate, 0), q = fmax(y->ratio.estimate, 0);
	int order = GB_ORDER(rank_of(x), rank_of(y));

	order = order ? order : GB_ORDER(q, p);
	return order ? order : GB_ORDER(x, y);
}

/* The worst change that comes after `last`, which is NULL at first; NULL if there is none. */
static const struct gb_change *next_of(const struct gb_comparison *c, const struct gb_change *last)
{
	const struct gb_change *next = NULL;

	for (const struct gb_change *x = c->change; x < c->change + c->count; x++)
		if (rank_of(x) && (!last || by_rank(last, x) < 0) &&
		    (!next || by_rank(x, next) < 0))
			next = x;
	return next;
}

void gb_github_print(FILE *file, const struct gb_comparison *comparison)
{
	const struct gb_comparison *c = comparison;
	const struct gb_change *change = next_of(c, NULL);
	size_t all = 0;
	char text[GB_REASON_MAX];

	for (size_t i = 0; i < c->count; i++)
		all += rank_of(&c->change[i]) > 0;
	for (size_t i = 0; change && i < ANNOTATIONS; i++, change = next_of(c, change)) {
		(void)fprintf(file, "::%s title=gpubench %s::",
			      rank_of(change) <= 2 ? "error" : "warning",
			      gb_verdict_text(change->verdict));
		print_message(file, change->key);
		(void)fputs(": ", file);
		print_message(file, gb_change_text(change, text, sizeof text));
		(void)fputc('\n', file);
	}
	(void)fprintf(file, "::notice title=gpubench::%zu keys:", c->count);
	for (int v = 0; v < GB_VERDICT_WORDS; v++)
		if (c->verdicts[v])
			(void)fprintf(file, " %zu %s", c->verdicts[v],
				      gb_verdict_text((enum gb_verdict_word)v));
	if (all > ANNOTATIONS)
		(void)fprintf(file, "; the %d worst of %zu are annotated", ANNOTATIONS, all);
	if (gb_comparison_status(c, text) == GB_EUNDECIDED) {
		(void)fputs("; undecided: ", file);
		print_message(file, text);
	}
	(void)fputc('\n', file);
}
