/* history_trials.c -- prints docs/history.md: shifts planted in synthetic series (series.h), and
 * how many of them `history` and Apache Otava find.
 *
 *	history-trials LAUNCHES --series     the series, one per line, for otava_verdicts.py
 *	history-trials LAUNCHES VERDICTS     the page; VERDICTS is the output of otava_verdicts.py
 */
#include "tests/cli/reports/series.h"

enum { SERIES = 40, SHIFTS = 5, NOISES = 3, INDEPENDENT = 1000, LINE = 1000 };

static const uint64_t SEED = 1; /* differs from the seeds on which the rule was chosen */
static const double planted_shift[SHIFTS] = { 0, 0.03, 0.05, 0.1, 0.2 };
static const double noise_size[NOISES] = { 0, 0.05, 0.02 };
static const char *const noise_name[NOISES] = { "as measured", "5 %", "2 %" };

/* The results of one detector. */
struct scores {
	struct score of[NOISES][SHIFTS];
	FILE *verdicts; /* its output; NULL: the program's own detector */
};

static const char head[] =
	"# How far to trust a history\n"
	"\n"
	"This page shows how many level shifts `gpubench history` finds, and how many of its\n"
	"reports are real, beside Apache Otava. `make history-trials`\n"
	"(`tests/trials/history_trials.c`) prints it; do not edit it by hand.\n"
	"\n"
	"The series are synthetic. A series has 30 to 120 launches of one key, drawn in blocks\n"
	"of four consecutive launches from real launches of a single build\n"
	"(`results/measured/launches.txt`). In four fifths of the series the level shifts once\n"
	"or twice, up or down, by 3, 5, 10 or 20 %, with at least ten launches on each level.\n"
	"There are 200 series for each noise.\n"
	"\n"
	"A shift is found if one is reported at most three launches away. Precision is the share\n"
	"of reported shifts that were planted, recall the share of planted shifts that were\n"
	"found.\n"
	"\n";

static void fail(const char *what)
{
	(void)fprintf(stderr, "history_trials: %s\n", what);
	exit(2);
}

/* ---- all series ---------------------------------------------------------------------------- */

/* Process the series of one noise and one shift. */
typedef void visit(const struct series *series, size_t noise, size_t shift, struct scores *scores);

static void for_each(const struct launches *measured, visit *f, struct scores *scores)
{
	static struct launches all;

	for (size_t n = 0; n < NOISES; n++) {
		all = *measured;
		if (noise_size[n] > 0)
			scale_noise(&all, noise_size[n]);
		for (size_t p = 0; p < SHIFTS; p++) {
			for (uint64_t i = 0; i < SERIES; i++) {
				const struct series s =
					make_series(&all, planted_shift[p], SEED, p * SERIES + i);

				f(&s, n, p, scores);
			}
		}
	}
}

static void print_series(const struct series *s, size_t noise, size_t shift, struct scores *scores)
{
	(void)noise;
	(void)shift;
	(void)scores;
	for (size_t i = 0; i < s->count; i++)
		(void)printf("%s%.3f", i ? " " : "", s->value[i]);
	(void)putchar('\n');
}

static void try_own(const struct series *s, size_t noise, size_t shift, struct scores *scores)
{
	try_series(&scores->of[noise][shift], s, &gb_shift_rule);
}

static void read_verdict(const struct series *s, size_t noise, size_t shift, struct scores *scores)
{
	size_t at[MOST_SERIES], count = 0;
	char line[LINE], *end;

	if (!fgets(line, sizeof line, scores->verdicts))
		fail("the verdicts end early: are they of these series?");
	for (char *text = line; count < MOST_SERIES; text = end) {
		const unsigned long value = strtoul(text, &end, 10);

		if (end == text)
			break;
		at[count++] = value;
	}
	add_score(&scores->of[noise][shift], s, at, count);
}

/* ---- tables -------------------------------------------------------------------------------- */

static struct score sum_of(const struct score *of, size_t count)
{
	struct score sum = { 0 };

	for (size_t i = 0; i < count; i++) {
		sum.series += of[i].series;
		sum.planted += of[i].planted;
		sum.found += of[i].found;
		sum.right += of[i].right;
	}
	return sum;
}

static void print_share(size_t part, size_t whole)
{
	if (whole)
		(void)printf(" %.0f %% |", share(part, whole));
	else
		(void)printf(" - |");
}

static void print_rows(const char *name, const struct scores *scores)
{
	for (size_t n = 0; n < NOISES; n++) {
		const struct score *of = scores->of[n], sum = sum_of(of, SHIFTS);

		(void)printf("| %s | %s |", name, noise_name[n]);
		print_share(sum.right, sum.found);
		print_share(sum.right, sum.planted);
		print_share(of[0].alarmed, of[0].series);
		for (size_t p = 1; p < SHIFTS; p++) {
			(void)printf(" %.0f, %.0f |", share(of[p].right, of[p].found),
				     share(of[p].right, of[p].planted));
		}
		(void)putchar('\n');
	}
}

static void print_sum(const char *name, const struct scores *scores)
{
	const struct score sum = sum_of(&scores->of[0][0], NOISES * SHIFTS);

	(void)printf("| %s | all |", name);
	print_share(sum.right, sum.found);
	print_share(sum.right, sum.planted);
	(void)printf(" | | | | |\n");
}

static void print_way(const char *name, const struct scores *scores)
{
	print_rows(name, scores);
	print_sum(name, scores);
}

/* Print the rows of otava_verdicts.py: VERDICTS has a name per detector, then a line per series. */
static void print_otava(const struct launches *all, FILE *verdicts)
{
	char name[LINE];

	while (fgets(name, sizeof name, verdicts)) {
		struct scores scores = { .verdicts = verdicts };

		name[strcspn(name, "\n")] = '\0';
		for_each(all, read_verdict, &scores);
		print_way(name, &scores);
	}
}

/* False alarms on independent values without a shift, independent of the machine. */
static void print_alarms(void)
{
	(void)puts(
		"\n## Independent launches\n\n"
		"Share of 1000 series of independent values, without a shift, in which `history`\n"
		"reports one.\n"
		"\n"
		"| launches | series with a false alarm |\n| ---: | ---: |");
	for (size_t count = 8; count <= 512; count *= 2) {
		size_t wrong = 0;

		for (uint64_t t = 0; t < INDEPENDENT; t++) {
			double value[512];
			struct gb_error err = { 0 };
			struct gb_shift *shift;
			size_t shifts;

			for (size_t i = 0; i < count; i++)
				value[i] = 100 + 10 * gb_random_unit_stream(t, 4, i);
			if (gb_shifts_find(value, count, &gb_shift_rule, &shift, &shifts, &err))
				fail(err.message);
			wrong += shifts > 0;
			free(shift);
		}
		(void)printf("| %zu | %.1f %% |\n", count, share(wrong, INDEPENDENT));
	}
}

static void print_page(const struct launches *all, FILE *verdicts)
{
	struct scores own = { 0 };
	char version[LINE] = "";

	if (!fgets(version, sizeof version, verdicts))
		fail("there are no verdicts");
	version[strcspn(version, "\n")] = '\0';
	(void)fputs(head, stdout);
	(void)printf("Machine: %s. %zu keys.\n\n", all->machine, all->keys);
	(void)printf(
		"`noise` is the standard deviation between launches: as measured, or with all\n"
		"deviations scaled to that size. `alarms` is the share of the series without a\n"
		"shift in which one is reported. The last four columns are precision and\n"
		"recall, in %%, of the series with shifts of that size.\n"
		"\n"
		"Otava is Apache Otava %s; `p < 0.001, window 50` is its default. E-divisive\n"
		"is its implementation of the published method, with 100 permutations. Otava\n"
		"does not correct p for the number of places tested. The rule of `history`\n"
		"(`gb_shift_rule` in `cli/reports/history/shifts.c`) was chosen on series of\n"
		"other seeds.\n"
		"\n",
		version);
	(void)puts("| by | noise | precision | recall | alarms | 3 % | 5 % | 10 % | 20 % |\n"
		   "| :--- | :--- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |");
	for_each(all, try_own, &own);
	print_way("`history`", &own);
	print_otava(all, verdicts);
	print_alarms();
}

int main(int argc, char **argv)
{
	static struct launches all;
	FILE *verdicts;

	if (argc != 3 || !read_launches(&all, argv[1]))
		fail("usage: history-trials LAUNCHES --series|VERDICTS");
	if (gb_equal(argv[2], "--series")) {
		for_each(&all, print_series, NULL);
		return 0;
	}
	verdicts = fopen(argv[2], "r");
	if (!verdicts)
		fail("cannot open the verdicts");
	print_page(&all, verdicts);
	(void)fclose(verdicts);
	return 0;
}
