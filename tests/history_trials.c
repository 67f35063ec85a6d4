/* history_trials.c -- prints results/history.md: shifts planted in made series (series.h), and how
 * many `history` finds, beside Apache Otava.
 *
 *	history-trials LAUNCHES --series     the series, a line each, for tests/otava_verdicts.py
 *	history-trials LAUNCHES VERDICTS     the page, with what tests/otava_verdicts.py printed
 */
#include "tests/cli/reports/series.h"

enum { SERIES = 40, SHIFTS = 5, NOISES = 3, WAYS = 8 };

static const double planted_shift[SHIFTS] = { 0, 0.03, 0.05, 0.1, 0.2 };
static const double noise_size[NOISES] = { 0, 0.05, 0.02 };
static const char *const noise_name[NOISES] = { "as measured", "5 %", "2 %" };

struct scores {
	struct score of[NOISES][SHIFTS];
};
static uint64_t seed = 1;

/* Call f for each series, in one order. */
static void for_each(const struct launches *measured,
		     void (*f)(const struct series *, size_t noise, size_t shift, void *), void *c)
{
	static struct launches all;

	for (size_t n = 0; n < NOISES; n++) {
		all = *measured;
		if (noise_size[n] > 0)
			scale_noise(&all, noise_size[n]);
		for (size_t p = 0; p < SHIFTS; p++) {
			for (uint64_t i = 0; i < SERIES; i++) {
				const struct series s =
					make_series(&all, planted_shift[p], seed, p * SERIES + i);

				f(&s, n, p, c);
			}
		}
	}
}

static void print_series(const struct series *s, size_t noise, size_t shift, void *closure)
{
	(void)noise;
	(void)shift;
	(void)closure;
	for (size_t i = 0; i < s->count; i++)
		(void)printf("%s%.3f", i ? " " : "", s->value[i]);
	(void)putchar('\n');
}
static void try_own(const struct series *s, size_t noise, size_t shift, void *closure)
{
	struct scores *scores = closure;
	static struct gb_shift_rule rule;
	rule = gb_shift_rule;

	try_series(&scores->of[noise][shift], s, &rule);
}
static FILE *vf;
static void try_otava(const struct series *s, size_t noise, size_t shift, void *closure)
{
	struct scores *scores = closure;
	char line[1000], *end, *t = line;
	size_t at[200], n = 0;
	if (!fgets(line, sizeof line, vf))
		abort();
	for (;;) {
		long v = strtol(t, &end, 10);
		if (end == t)
			break;
		at[n++] = (size_t)v;
		t = end;
	}
	add_score(&scores->of[noise][shift], s, at, n);
}
static void pr(const char *name, const struct scores *s)
{
	for (size_t n = 0; n < NOISES; n++) {
		struct score sum = { 0 };
		for (size_t p = 0; p < SHIFTS; p++) {
			sum.found += s->of[n][p].found;
			sum.right += s->of[n][p].right;
			sum.planted += s->of[n][p].planted;
		}
		printf("%-24s %-12s prec %5.1f rec %5.1f | alarmed0 %2zu | rec:", name,
		       noise_name[n], share(sum.right, sum.found), share(sum.right, sum.planted),
		       s->of[n][0].alarmed);
		for (size_t p = 1; p < SHIFTS; p++)
			printf(" %5.1f", share(s->of[n][p].right, s->of[n][p].planted));
		printf(" prec:");
		for (size_t p = 1; p < SHIFTS; p++)
			printf(" %5.1f", share(s->of[n][p].right, s->of[n][p].found));
		puts("");
	}
}
static void pt(const struct series *s, size_t noise, size_t shift, void *closure)
{
	for (size_t i = 0; i < s->shifts; i++)
		printf("%zu ", s->at[i]);
	puts("");
}
static void po(const struct series *s, size_t noise, size_t shift, void *closure)
{
	struct gb_error err = { 0 };
	struct gb_shift *sh;
	size_t c;
	struct gb_shift_rule rule = gb_shift_rule;
	gb_shifts_find(s->value, s->count, &rule, &sh, &c, &err);
	for (size_t i = 0; i < c; i++)
		printf("%zu ", sh[i].at);
	puts("");
}
int main(int argc, char **argv)
{
	static struct launches all;
	struct scores own = { 0 };
	char line[1000];
	if (argc < 3 || !read_launches(&all, argv[1]))
		return 2;
	if (getenv("SEED"))
		seed = (uint64_t)atol(getenv("SEED"));
	if (gb_equal(argv[2], "--series")) {
		for_each(&all, print_series, NULL);
		return 0;
	}
	if (gb_equal(argv[2], "--truth")) {
		for_each(&all, pt, NULL);
		return 0;
	}
	if (gb_equal(argv[2], "--own")) {
		puts("own\nown");
		for_each(&all, po, NULL);
		return 0;
	}
	for_each(&all, try_own, &own);
	pr("own", &own);
	vf = fopen(argv[2], "r");
	if (!vf || !fgets(line, sizeof line, vf))
		return 0;
	while (fgets(line, sizeof line, vf)) {
		struct scores o = { 0 };
		line[strcspn(line, "\n")] = 0;
		char name[1000];
		strcpy(name, line);
		for_each(&all, try_otava, &o);
		pr(name, &o);
	}
	return 0;
}
