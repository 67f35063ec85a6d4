/* gate_trials.c LAUNCHES [TITLE] -- prints a table of docs/gates.md: trials of `ab` and `compare` on
 * recorded launches (trials.h).
 */
#include "tests/cli/reports/trials.h"

enum { TRIALS = 300 };

static const size_t sizes[] = { 4, 28, 68 };

/* A 95 % interval of a share (Wilson), in percent. */
static double bound_of(size_t part, size_t whole, int sign)
{
	const double z = 1.96, n = (double)whole, p = (double)part / n;

	return 100 * (p + z * z / 2 / n + sign * z * sqrt(p * (1 - p) / n + z * z / 4 / n / n)) /
	       (1 + z * z / n);
}

static void print_row(const struct launches *all, const char *noise, const struct plan *plan,
		      const char *name)
{
	const struct sum sum = try_gates(all, plan, TRIALS);

	(void)printf("| %s | %s | %zu | %.1f (%.1f-%.1f) | %.1f (%.0f) | %.1f (%.0f) | %.1f | "
		     "%zu, %zu, %.1f | %.2f, %.0f |\n",
		     name, noise, plan->gate.keys, percent(sum.red, sum.gates),
		     bound_of(sum.red, sum.gates, -1), bound_of(sum.red, sum.gates, 1),
		     percent(sum.found, sum.keys), extreme(&sum, sum.worst, true),
		     percent(sum.green, sum.keys), extreme(&sum, sum.passed, false),
		     percent(sum.undecided, sum.keys), launches_of(&sum, 0.5),
		     launches_of(&sum, 0.95), (double)sum.launches / (double)sum.keys,
		     percent(sum.open_keys, sum.keys), percent(sum.open_gates, sum.gates));
}

static void print_head(void)
{
	(void)puts(
		"| gate | noise | keys | false red | slower found (worst key) | slower passed "
		"(worst "
		"key) | slower undecided | launches: median, p95, mean | undecided keys, gates |\n"
		"| :--- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |");
}

static struct plan plan_of(size_t keys, size_t fixed)
{
	return (struct plan){ .gate = { .error = 0.05,
					.keys = keys,
					.most = fixed ? 0 : GB_GATE_LAUNCHES,
					.threshold = 0.05 },
			      .fixed = fixed };
}

static void print_noises(const struct launches *measured)
{
	static const double noise[] = { 0, 0.05, 0.025, 0.01 };
	static const char *const name[] = { "as measured", "5 %", "2.5 %", "1 %" };
	static struct launches all;

	print_head();
	for (size_t i = 0; i < GB_COUNT(noise); i++) {
		all = *measured;
		if (noise[i] > 0)
			scale_noise(&all, noise[i]);
		for (size_t k = 0; k < GB_COUNT(sizes); k++) {
			const struct plan plan = plan_of(sizes[k], 0);

			print_row(&all, name[i], &plan, "`ab`");
		}
	}
	for (size_t fixed = 10; fixed <= 40; fixed *= 2) {
		for (size_t k = 0; k < GB_COUNT(sizes); k++) {
			const struct plan plan = plan_of(sizes[k], fixed);
			char text[40];

			(void)snprintf(text, sizeof text, "`compare`, %zu a side", fixed);
			print_row(measured, name[0], &plan, text);
		}
	}
}

static void print_disturbances(const struct launches *all)
{
	static const char *const name[] = { [DRIFT] = "drift",
					    [BURSTS] = "bursts",
					    [IN_STEP_2] = "every other launch",
					    [IN_STEP_4] = "two of four launches" };

	print_head();
	for (int d = DRIFT; d < DISTURBANCES; d++) {
		struct plan plan = plan_of(68, 0);

		plan.disturbance = (enum disturbance)d;
		print_row(all, "as measured", &plan, name[d]);
		if (d < IN_STEP_2)
			continue;
		plan.order = ABBA;
		print_row(all, "as measured", &plan,
			  d == IN_STEP_2 ? "the same, order A B B A" : "the same, order A B B A");
	}
}

int main(int argc, char **argv)
{
	static struct launches all;
	double low = INFINITY, high = 0;

	if (argc != 2 || !read_launches(&all, argv[1])) {
		(void)fputs("usage: gate_trials LAUNCHES\n", stderr);
		return 2;
	}
	(void)setvbuf(stdout, NULL, _IOLBF, 0);
	for (size_t k = 0; k < all.keys; k++) {
		low = fmin(low, noise_of(&all, k));
		high = fmax(high, noise_of(&all, k));
	}
	(void)printf("Machine: %s. %zu keys; the noise is between %.1f and %.1f %%.\n\n",
		     all.machine, all.keys, 100 * low, 100 * high);
	print_noises(&all);
	(void)puts("\n## Disturbed machines\n");
	print_disturbances(&all);
	return 0;
}
