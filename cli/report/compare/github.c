/* github.c -- prints the worst of a comparison as workflow commands of GitHub Actions. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/report/compare/formats.h"
#include "common/text.h"

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
static int by_rank(const void *a, const void *b)
{
	const struct gb_change *x = *(const struct gb_change *const *)a;
	const struct gb_change *y = *(const struct gb_change *const *)b;
	const double p = fmax(x->ratio.estimate, 0), q = fmax(y->ratio.estimate, 0);
	int order = GB_ORDER(rank_of(x), rank_of(y));

	order = order ? order : GB_ORDER(q, p);
	return order ? order : GB_ORDER(x, y);
}

enum gb_status gb_github_print(FILE *file, const struct gb_comparison *comparison,
			       struct gb_error *err)
{
	const struct gb_comparison *c = comparison;
	const struct gb_change **change = calloc(c->count + 1, sizeof(struct gb_change *));
	size_t all = 0;
	char text[GB_REASON_MAX];

	if (!change)
		return gb_out_of_memory(err, NULL);
	for (size_t i = 0; i < c->count; i++)
		if (rank_of(&c->change[i]))
			change[all++] = &c->change[i];
	qsort(change, all, sizeof(struct gb_change *), by_rank);
	for (size_t i = 0; i < all && i < ANNOTATIONS; i++) {
		(void)fprintf(file, "::%s title=gpubench %s::",
			      rank_of(change[i]) <= 2 ? "error" : "warning",
			      gb_verdict_text(change[i]->verdict));
		print_message(file, change[i]->key);
		(void)fputs(": ", file);
		print_message(file, gb_change_text(change[i], text, sizeof text));
		(void)fputc('\n', file);
	}
	free(change);
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
	return GB_OK;
}
