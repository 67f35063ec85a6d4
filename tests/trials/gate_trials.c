/* gate_trials.c LAUNCHES -- prints docs/gates.md: trials of `ab` on recorded launches
 * (trials.h).
 */
#include "tests/cli/reports/trials.h"

enum { TRIALS = 40, RANK_TRIALS = 4000 };

static const char head[] =
	"# How far to trust a gate\n"
	"\n"
	"This page shows how often `ab` and `compare` report a change that is not there, and\n"
	"how often they find a slow-down of 10 %. `make gate-trials`\n"
	"(`tests/trials/gate_trials.c`) prints it; do not edit it by hand.\n"
	"\n"
	"The trials use real launches of a single build, recorded one after another.\n"
	"`results/measured/launches.txt` holds the fastest sample of each launch, extracted by\n"
	"`tests/trials/launches.py`. A trial draws random blocks of four consecutive launches,\n"
	"deals them to two sides in the order A B B A, and multiplies the times of the second\n"
	"side by the planted slow-down. It then compares the sides with the program's own\n"
	"code, at a threshold of 5 % and a floor of 100 ns. Every key is a separate gate, with\n"
	"40 trials.\n"
	"\n"
	"`early` stands for `ab --early`, which stops at the first look without an unsure key.\n"
	"`launches at most` and `median of launches made` are per side.\n"
	"\n";

static const char noise_text[] =
	"`noise` is the standard deviation between launches, relative to their median. In rows\n"
	"with a percentage, all deviations are scaled to that size, as on a machine that has\n"
	"this noise but is otherwise the same. `gpubench ab --aa` compares a build with\n"
	"itself; any difference is the noise of your machine.\n"
	"\n";

static void print_noise(const struct launches *all)
{
	double low = INFINITY, high = 0;

	for (size_t k = 0; k < all->keys; k++) {
		low = fmin(low, noise_of(all, k));
		high = fmax(high, noise_of(all, k));
	}
	(void)printf("Machine: %s.\nThe noise of its %zu keys is between %.1f and %.1f %%.\n\n",
		     all->machine, all->keys, 100 * low, 100 * high);
}

static void print_row(const struct launches *all, const char *noise, const struct plan *plan)
{
	const struct sum sum = try_keys(all, *plan, TRIALS);

	(void)printf("| %s | %lld | %s | %.1f %% | %.1f %% | %.1f %% | %.1f %% | %lld |\n", noise,
		     (long long)plan->launches, plan->early ? "yes" : "no",
		     percent(sum.verdicts[GB_SLOWER], sum.keys),
		     percent(sum.verdicts[GB_FASTER], sum.keys),
		     percent(sum.verdicts[GB_SAME], sum.keys),
		     percent(sum.verdicts[GB_UNSURE], sum.keys), (long long)median_launches(&sum));
}

static void print_table(const struct launches *measured, double planted)
{
	static const double noise[] = { 0, 0.1, 0.05, 0.025 };
	static const char *const name[] = { "as measured", "10 %", "5 %", "2.5 %" };
	static struct launches all;

	(void)puts(
		"| noise | launches at most | early | slower | faster | same | unsure | median of "
		"launches made |\n| ---: | ---: | :--- | ---: | ---: | ---: | ---: | ---: |");
	for (size_t i = 0; i < GB_COUNT(noise); i++) {
		all = *measured;
		if (noise[i] > 0)
			scale_noise(&all, noise[i]);
		for (int64_t launches = 10; launches <= 40; launches *= 2) {
			for (int early = 0; early < 2; early++) {
				const struct plan plan = { .launches = launches,
							   .early = early,
							   .planted = planted };

				print_row(&all, name[i], &plan);
			}
		}
	}
	(void)putchar('\n');
}

/* The looks alone, independent of the machine. */
static void print_levels(void)
{
	(void)puts("## Looks\n\n"
		   "Share of 4000 trials, with independent launches of equal builds, in which the\n"
		   "interval of the ratio excludes 1 at any of the looks. A single look at 95 %\n"
		   "does so in at most 5 % of trials. A verdict also requires a change above the\n"
		   "threshold, so false alarms are rarer.\n"
		   "\n"
		   "| launches at most | looks at | level of each | excludes 1 |\n"
		   "| ---: | :--- | ---: | ---: |");
	for (int64_t most = 5; most <= 40; most *= 2) {
		size_t wrong = 0;

		(void)printf("| %lld |", (long long)most);
		for (int64_t done = 1; done <= most; done++)
			if (gb_look_due(done, most))
				(void)printf(" %lld", (long long)done);
		for (uint64_t t = 0; t < RANK_TRIALS; t++)
			wrong += excludes_one(most, t);
		(void)printf(" | %.2f %% | %.1f %% |\n", 100 * gb_look_level(most),
			     percent(wrong, RANK_TRIALS));
	}
}

int main(int argc, char **argv)
{
	static struct launches all;

	if (argc != 2 || !read_launches(&all, argv[1])) {
		(void)fputs("usage: gate_trials LAUNCHES\n", stderr);
		return 2;
	}
	(void)fputs(head, stdout);
	print_noise(&all);
	(void)fputs(noise_text, stdout);
	(void)puts("## Nothing changed\n");
	print_table(&all, 1);
	(void)puts("## Slower by 10 %\n");
	print_table(&all, 1.1);
	print_levels();
	return 0;
}
