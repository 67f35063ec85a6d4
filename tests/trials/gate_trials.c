/* gate_trials.c LAUNCHES [tune] -- prints docs/gates.md: trials of `ab` and `compare` on recorded
 * launches (trials.h) that were taken after the procedure was chosen.  `tune`: its first table
 * only, of a half of them.
 */
#include "tests/cli/reports/trials.h"

enum { TRIALS = MAX_TRIALS };

static const size_t sizes[] = { 4, 28, 68 };

static const char head[] =
	"# How far to trust a gate\n"
	"\n"
	"This page shows how often a gate of several keys is red although nothing changed, and\n"
	"how often it finds a key that became slower by 10 %. `make gate-trials` prints it.\n"
	"\n"
	"[The manual](manual.md#comparing-two-builds) and `cli/reports/compare/gate.h` describe\n"
	"the tests. Their bound on false alarms, `--error` (5 %), is a union bound over keys and\n"
	"looks. It needs only that launches of equal builds are exchangeable, which their random\n"
	"order ensures. `faster` has no such bound.\n"
	"\n"
	"The procedure was chosen and tuned by other launches, of a noise of 11 % in the median\n"
	"(`results/measured/launches.txt`). These were taken later, by\n"
	"`scripts/gate-launches.sh`.\n"
	"\n";

static const char method[] =
	"A trial draws random blocks of four consecutive launches, deals them to two sides,\n"
	"multiplies the times of one key of the second side by 1.1, each key in turn, and\n"
	"judges with the program's own code, at a threshold of 5 %. Gates have 4, 28 or 68 keys,\n"
	"which are the recorded ones in turn, and each row has 300 gates.\n"
	"\n"
	"`noise` is the standard deviation between launches, relative to their median; rows with\n"
	"a percentage scale all deviations to that size. `false red`: gates of an unchanged build\n"
	"with a slower key, with a 95 % interval. `found`, `passed`, `undecided`: verdicts on the\n"
	"slower key, in %. Launches are per key and side, of an unchanged build. `open`: keys, "
	"and\n"
	"gates with such a key, of an unchanged build that stay undecided, in %.";

static const char timed[] = "\n"
			    "`minutes`: the median of an unchanged build, which ends after 15.\n\n";

static const char disturbed[] =
	"\n"
	"## Disturbed machines\n"
	"\n"
	"Launches take longer, by 10 % in 80 launches (drift), by a third in some stretches\n"
	"(bursts), or by 20 % in step with their order. In the order A B B A, instead of a random\n"
	"one, two slow launches of four make every gate red. `stored`: 40 launches of base are\n"
	"reused, from when launches took longer by so much.\n"
	"\n";

/* A 95 % interval of a share (Wilson), in percent. */
static double bound_of(size_t part, size_t whole, int sign)
{
	const double z = 1.96, n = (double)whole, p = (double)part / n;

	return 100 * (p + z * z / 2 / n + sign * z * sqrt(p * (1 - p) / n + z * z / 4 / n / n)) /
	       (1 + z * z / n);
}

static double minutes_of(const struct sum *sum)
{
	double sorted[TRIALS];

	memcpy(sorted, sum->minutes, sum->gates * sizeof *sorted);
	gb_sort(sorted, sum->gates);
	return gb_median_sorted(sorted, sum->gates);
}

static void print_row(const struct launches *all, const char *noise, const struct plan *plan,
		      const char *name)
{
	const struct sum sum = try_gates(all, plan, TRIALS);

	(void)printf("| %s | %s | %zu | %.1f (%.1f-%.1f) | %.1f (%.0f) | %.1f (%.0f) | %.1f | "
		     "%zu, %zu, %.1f | %.2f, %.0f |",
		     name, noise, plan->gate.keys, percent(sum.red, sum.gates),
		     bound_of(sum.red, sum.gates, -1), bound_of(sum.red, sum.gates, 1),
		     percent(sum.found, sum.keys), extreme(&sum, sum.worst, true),
		     percent(sum.green, sum.keys), extreme(&sum, sum.passed, false),
		     percent(sum.undecided, sum.keys), launches_of(&sum, 0.5),
		     launches_of(&sum, 0.95), (double)sum.launches / (double)sum.keys,
		     percent(sum.open_keys, sum.keys), percent(sum.open_gates, sum.gates));
	if (!isnan(all->beside_s))
		(void)printf(" %.1f |", minutes_of(&sum));
	(void)putchar('\n');
}

static void print_head(const struct launches *all)
{
	const bool has_minutes = !isnan(all->beside_s);

	(void)printf("| gate | noise | keys | false red | found (worst key) | passed (worst key) | "
		     "undecided | launches: median, p95, mean | open: keys, gates |%s\n"
		     "| :--- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |%s\n",
		     has_minutes ? " minutes |" : "", has_minutes ? " ---: |" : "");
}

static struct plan plan_of(size_t keys, size_t fixed)
{
	return (struct plan){ .gate = { .error = 0.05,
					.keys = keys,
					.most = fixed ? 0 : GB_GATE_MOST,
					.threshold = 0.05 },
			      .fixed = fixed };
}

static void print_noises(const struct launches *measured)
{
	static const double noise[] = { 0, 0.11 };
	static const char *const name[] = { "as measured", "11 %" };
	static struct launches all;

	print_head(measured);
	for (size_t i = 0; i < GB_COUNT(noise); i++) {
		all = *measured;
		if (noise[i] > 0)
			scale_noise(&all, noise[i]);
		for (size_t k = 0; k < GB_COUNT(sizes); k++) {
			const struct plan plan = plan_of(sizes[k], 0);

			print_row(&all, name[i], &plan, "`ab`");
		}
	}
	for (size_t fixed = 10; fixed <= 40; fixed *= 4) {
		for (size_t k = 0; k < GB_COUNT(sizes); k++) {
			const struct plan plan = plan_of(sizes[k], fixed);
			char text[40];

			(void)snprintf(text, sizeof text, "`compare`, %zu", fixed);
			print_row(measured, name[0], &plan, text);
		}
	}
}

static void print_stored(const struct launches *all)
{
	static const double before[] = { 1, 1.05, 1.1 };

	for (size_t i = 0; i < GB_COUNT(before); i++) {
		struct plan plan = plan_of(68, 0);
		char text[40];

		plan.stored = 40;
		plan.before = before[i];
		(void)snprintf(text, sizeof text, "stored, %+.0f %%", 100 * (before[i] - 1));
		print_row(all, "as measured", &plan, text);
	}
}

static void print_disturbances(const struct launches *all)
{
	static const char *const name[] = { [DRIFT] = "drift",
					    [BURSTS] = "bursts",
					    [IN_STEP_2] = "every other launch",
					    [IN_STEP_4] = "two of four launches" };

	print_head(all);
	for (int d = DRIFT; d < DISTURBANCES; d++) {
		struct plan plan = plan_of(68, 0);

		plan.disturbance = (enum disturbance)d;
		print_row(all, "as measured", &plan, name[d]);
		if (d < IN_STEP_4)
			continue;
		plan.order = ABBA;
		print_row(all, "as measured", &plan, "the same, order A B B A");
	}
}

static void print_machine(const struct launches *all)
{
	double low = INFINITY, high = 0;

	for (size_t k = 0; k < all->keys; k++) {
		low = fmin(low, noise_of(all, k));
		high = fmax(high, noise_of(all, k));
	}
	(void)printf(
		"Machine: %s. %zu keys, %zu launches; the noise is between %.1f and %.1f %%.\n\n",
		all->machine, all->keys, (size_t)all->of[0].count, 100 * low, 100 * high);
}

int main(int argc, char **argv)
{
	const bool tune = argc > 2 && gb_equal(argv[2], "tune");
	static struct launches all;

	if (argc < 2 || (argc > 2 && !tune) || !read_launches(&all, argv[1])) {
		(void)fputs("usage: gate_trials LAUNCHES [tune]\n", stderr);
		return 2;
	}
	(void)setvbuf(stdout, NULL, _IOLBF, 0);
	if (tune) {
		take_half(&all);
		print_noises(&all);
		return 0;
	}
	(void)fputs(head, stdout);
	(void)fputs(method, stdout);
	(void)fputs(timed, stdout);
	print_machine(&all);
	print_noises(&all);
	(void)fputs(disturbed, stdout);
	print_disturbances(&all);
	print_stored(&all);
	return 0;
}
