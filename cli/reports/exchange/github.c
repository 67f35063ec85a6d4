/* github.c -- prints the worst of a comparison as workflow commands of GitHub Actions. */
#include <string.h>

#include "cli/reports/compare/compare.h"
#include "cli/reports/counts.h"
#include "cli/reports/exchange/exchange.h"
#include "common/text.h"

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

enum { ANNOTATIONS = 10 }; /* GitHub shows no more of a kind in a step */

/* A key or a count that becomes an annotation. */
struct note {
	int rank;     /* 0: the worst kind */
	double ratio; /* the larger, the worse within a kind */
	const struct gb_change *change;
	struct gb_count_change count; /* a worse count of the key; or its name is "" */
};

/* The worst notes, sorted. */
struct notes {
	const struct gb_comparison *comparison;
	const struct gb_change *change; /* whose counts are visited */
	size_t all, kept;
	struct note note[ANNOTATIONS + 1];
};

static bool is_worse(const struct note *a, const struct note *b)
{
	return a->rank != b->rank ? a->rank < b->rank : a->ratio > b->ratio;
}

static void add(struct notes *notes, const struct note *note)
{
	size_t place = notes->kept;

	notes->all++;
	for (; place > 0 && is_worse(note, &notes->note[place - 1]); place--)
		notes->note[place] = notes->note[place - 1];
	notes->note[place] = *note;
	notes->kept += notes->kept < ANNOTATIONS;
}

static void add_count(const struct gb_count_change *count, void *closure)
{
	struct notes *notes = closure;
	const struct note note = { 1, count->new_ / count->base, notes->change, *count };

	if (gb_count_judge(count, notes->comparison->counts_growth) == GB_COUNT_WORSE)
		add(notes, &note);
}

static void collect(struct notes *notes, const struct gb_comparison *c)
{
	static const int ranks[GB_VERDICT_WORDS] = {
		[GB_SAME] = -1,      [GB_FASTER] = -1, [GB_FAILED_RUN] = 0, [GB_SLOWER] = 1,
		[GB_UNVERIFIED] = 2, [GB_ABSENT] = 3,  [GB_UNSURE] = 4,
	};

	*notes = (struct notes){ .comparison = c };
	for (size_t i = 0; i < c->count; i++) {
		const struct gb_change *change = &c->change[i];
		const double ratio = change->new_ / change->base;
		const struct note note = { .rank = ranks[change->verdict],
					   .ratio = ratio > 0 ? ratio : 0,
					   .change = change };

		const bool counted = c->judge_counts && change->base_counts && change->new_counts;

		if (note.rank >= 0 &&
		    (change->verdict != GB_ABSENT || (change->in_base && !counted)))
			add(notes, &note);
		notes->change = change;
		if (counted)
			gb_counts_differ(change->base_counts, change->new_counts, add_count, notes);
	}
}

static void print_note(FILE *file, const struct note *note)
{
	const struct gb_count_change *count = &note->count;
	const bool is_count = count->name[0] != '\0';
	char text[320], kernel[GB_KERNEL_TEXT];

	(void)fprintf(file, "::%s title=gpubench %s::", note->rank <= 1 ? "error" : "warning",
		      gb_verdict_text(is_count ? GB_SLOWER : note->change->verdict));
	print_message(file, note->change->key);
	if (is_count)
		(void)snprintf(text, sizeof text, "%s%s%s: %.0f before, %.0f now",
			       count->kernel ? gb_kernel_text(count->kernel, kernel) : "",
			       count->kernel ? ": " : "", count->name, count->base, count->new_);
	(void)fputs(": ", file);
	print_message(file, is_count ? text : gb_change_text(note->change, text, sizeof text));
	(void)fputc('\n', file);
}

enum gb_status gb_github_print_comparison(FILE *file, const struct gb_comparison *comparison,
					  struct gb_error *err)
{
	const struct gb_comparison *c = comparison;
	struct notes notes;
	char why[GB_WHY];

	(void)err;
	collect(&notes, c);
	for (size_t i = 0; i < notes.kept; i++)
		print_note(file, &notes.note[i]);
	(void)fprintf(file, "::notice title=gpubench::%zu keys:", c->count);
	for (int v = 0; v < GB_VERDICT_WORDS; v++)
		if (c->verdicts[v])
			(void)fprintf(file, " %zu %s", c->verdicts[v],
				      gb_verdict_text((enum gb_verdict_word)v));
	if (c->judge_counts && c->counted)
		(void)fprintf(file, "; counts of %zu keys: %zu worse", c->counted, c->counts_worse);
	if (notes.all > notes.kept)
		(void)fprintf(file, "; the %zu worst of %zu are annotated", notes.kept, notes.all);
	if (gb_comparison_status(c, why) == GB_EUNDECIDED) {
		(void)fputs("; undecided: ", file);
		print_message(file, why);
	}
	(void)fputc('\n', file);
	return GB_OK;
}
