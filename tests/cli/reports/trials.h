/* trials.h -- trials of gates on recorded launches: their error rate, and the launches they take.
 *
 * A file has the times of one build's launches in order (tests/trials/launches.py).  A trial draws
 * blocks of four consecutive launches, deals them to the sides in the order of `ab`, multiplies
 * those of the second side by the planted slow-down, and judges each key as `ab` and `compare` do.
 * All times vary by 0.05 % more, because the few recorded ones are drawn repeatedly.
 */
#ifndef GPUBENCH_TESTS_TRIALS_H
#define GPUBENCH_TESTS_TRIALS_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/reports/compare/gate.h"
#include "common/rng.h"
#include "common/text.h"

enum { MAX_KEYS = 128, MAX_LAUNCHES = 256, BLOCK = 4 };

struct launches {
	char machine[256];
	size_t keys;
	struct {
		char key[256];
		int64_t count;
		double ns[MAX_LAUNCHES];
	} of[MAX_KEYS];
};

static inline bool read_launches(struct launches *all, const char *path)
{
	FILE *file = fopen(path, "r");
	char *line = NULL;
	size_t room = 0;

	memset(all, 0, sizeof *all);
	while (file && getline(&line, &room, file) > 0 && all->keys < MAX_KEYS) {
		char *text = strchr(line, '\t'), *end;

		if (line[0] == '#')
			snprintf(all->machine, sizeof all->machine, "%.*s",
				 (int)strcspn(line + 2, "\n"), line + 2);
		if (!text)
			continue;
		*text++ = '\0';
		snprintf(all->of[all->keys].key, sizeof all->of[0].key, "%s", line);
		for (double ns = strtod(text, &end);
		     end != text && all->of[all->keys].count < MAX_LAUNCHES;
		     ns = strtod(text = end, &end))
			all->of[all->keys].ns[all->of[all->keys].count++] = ns;
		all->keys++;
	}
	free(line);
	if (file)
		fclose(file);
	return all->keys > 0;
}

static double median_of(const double *value, int64_t count)
{
	double sorted[MAX_LAUNCHES];

	memcpy(sorted, value, (size_t)count * sizeof *value);
	gb_sort(sorted, (size_t)count);
	return gb_median_sorted(sorted, (size_t)count);
}

/* The standard deviation of the logarithms of a key's launches about their median: 0.05 is 5 %. */
static double noise_of(const struct launches *all, size_t key)
{
	const double median = median_of(all->of[key].ns, all->of[key].count);
	double sum = 0;

	for (int64_t i = 0; i < all->of[key].count; i++)
		sum += pow(log(all->of[key].ns[i] / median), 2);
	return sqrt(sum / (double)all->of[key].count);
}

/* Scale the noise of the launches to this size; its shape is unchanged. */
static inline void scale_noise(struct launches *all, double noise)
{
	for (size_t k = 0; k < all->keys; k++) {
		const double median = median_of(all->of[k].ns, all->of[k].count);
		const double factor = noise / noise_of(all, k);

		for (int64_t i = 0; i < all->of[k].count; i++)
			all->of[k].ns[i] = median * pow(all->of[k].ns[i] / median, factor);
	}
}

/* Disturbances of the machine while it is measured.  Every launch takes longer, of either side. */
enum disturbance {
	QUIET,
	DRIFT,     /* from launch to launch by 10 % in 80 launches */
	BURSTS,    /* some stretches of eight launches by a third */
	IN_STEP_2, /* every other launch by 20 % */
	IN_STEP_4, /* the middle two of each four launches by 20 % */
	DISTURBANCES
};

/* The order of the sides: that of ab, or A B B A, which a disturbance can be in step with. */
enum order { RANDOM_ORDER, ABBA };

/* A gate of `keys` keys: the recorded ones in turn, from another one in each trial. */
struct plan {
	struct gb_gate gate;
	size_t fixed; /* launches a side if the gate looks once */
	enum disturbance disturbance;
	enum order order;
};

static double factor_of(enum disturbance disturbance, uint64_t trial, size_t launch)
{
	switch (disturbance) {
	case DRIFT:
		return 1 + 0.1 * (double)launch / 80;
	case BURSTS:
		return gb_random_unit_stream(trial, 1, launch / 8) < 0.2 ? 1.33 : 1;
	case IN_STEP_2:
		return launch % 2 ? 1.2 : 1;
	case IN_STEP_4:
		return (launch + 1) % 4 >= 2 ? 1.2 : 1;
	case QUIET:
	case DISTURBANCES:
		break;
	}
	return 1;
}

enum { MAX_SIDE = GB_GATE_MOST };

static inline size_t stored_key(const struct launches *all, const struct plan *plan, uint64_t trial,
				size_t key)
{
	return (trial * plan->gate.keys + key) % all->keys;
}

/* The launches of a key on both sides; keys of one group share the moments. */
static inline void deal(const struct launches *all, size_t key, const struct plan *plan,
			uint64_t trial, double side[2][MAX_SIDE])
{
	const size_t most = plan->fixed ? plan->fixed : plan->gate.most;
	const size_t stored = stored_key(all, plan, trial, key);
	const int64_t places = all->of[stored].count - BLOCK + 1;
	const uint64_t moments = trial * MAX_KEYS + key / all->keys;
	struct gb_gate gate = plan->gate;
	size_t n[2] = { 0, 0 };

	gate.most = most;
	for (size_t j = 0; j < 2 * most; j++) {
		const double u = gb_random_unit_stream(moments, 0, j / BLOCK);
		const size_t at = (size_t)(u * (double)places) % (size_t)places + j % BLOCK;
		const double jitter = 1e-3 * gb_random_unit_stream(trial, 2 + key, j);
		const uint64_t toss = (uint64_t)(1e9 * gb_random_unit_stream(trial, 1000, j));
		const int which = plan->order == ABBA ? (int)((j + j / 2) % 2)
						      : gb_gate_next_side(&gate, n[0], n[1], toss);

		side[which][n[which]++] = all->of[stored].ns[at] * (1 + jitter) *
					  factor_of(plan->disturbance, trial, j);
	}
}

/* Judge the key if the second side is slower by this factor. */
static inline struct gb_gate_result judge(const struct plan *plan, struct gb_gate_tests *tests,
					  double side[2][MAX_SIDE], double slower)
{
	const size_t most = plan->fixed ? plan->fixed : plan->gate.most;
	struct gb_gate_result result;
	struct gb_error err = { 0 };
	double other[MAX_SIDE];

	for (size_t i = 0; i < most; i++)
		other[i] = side[1][i] * slower;
	if (gb_gate_judge(&plan->gate, tests, side[0], most, other, most, &result, &err))
		abort();
	return result;
}

/* ---- many trials -------------------------------------------------------------------------- */

/* Counts over gates of an unchanged build, and of builds with one key slower by 10 %, each in
 * turn. */
struct sum {
	size_t gates, keys;
	size_t red, open_gates, open_keys; /* unchanged: gates with a slower or unsure key */
	size_t found, green, undecided;    /* planted keys */
	size_t of[MAX_KEYS], worst[MAX_KEYS],
		passed[MAX_KEYS];            /* per recorded key: all, found, green */
	size_t launches, made[MAX_SIDE + 1]; /* per unchanged key, a side */
};

static inline struct sum try_gates(const struct launches *all, const struct plan *plan,
				   size_t trials)
{
	struct gb_gate_tests tests = { 0 };
	struct sum sum = { .gates = trials, .keys = trials * plan->gate.keys };

	for (uint64_t t = 0; t < trials; t++) {
		size_t red = 0, open = 0;

		for (size_t k = 0; k < plan->gate.keys; k++) {
			const size_t stored = stored_key(all, plan, t, k);
			double side[2][MAX_SIDE];
			struct gb_gate_result r;

			deal(all, k, plan, t, side);
			r = judge(plan, &tests, side, 1);
			red += r.verdict == GB_SLOWER;
			open += r.verdict == GB_UNSURE;
			r.base = r.verdict == GB_UNSURE && !plan->fixed ? plan->gate.most : r.base;
			sum.launches += r.base;
			sum.made[r.base]++;
			r = judge(plan, &tests, side, 1.1);
			sum.of[stored]++;
			sum.found += r.verdict == GB_SLOWER;
			sum.worst[stored] += r.verdict == GB_SLOWER;
			sum.undecided += r.verdict == GB_UNSURE;
			sum.green += r.verdict == GB_SAME || r.verdict == GB_FASTER;
			sum.passed[stored] += r.verdict == GB_SAME || r.verdict == GB_FASTER;
		}
		sum.red += red > 0;
		sum.open_gates += open > 0;
		sum.open_keys += open;
	}
	gb_gate_release(&tests);
	return sum;
}

/* The launches a side that this share of the keys of an unchanged build needs, at most. */
static inline size_t launches_of(const struct sum *sum, double share)
{
	size_t below = 0, launches = 0;

	while ((double)(below += sum->made[launches]) < share * (double)sum->keys)
		launches++;
	return launches;
}

static inline double percent(size_t part, size_t whole)
{
	return whole ? 100.0 * (double)part / (double)whole : NAN;
}

/* The least (or most) share among the recorded keys, in percent. */
static inline double extreme(const struct sum *sum, const size_t *of, bool least)
{
	double found = least ? 100 : 0;

	for (size_t k = 0; k < MAX_KEYS; k++)
		if (sum->of[k])
			found = least ? fmin(found, percent(of[k], sum->of[k]))
				      : fmax(found, percent(of[k], sum->of[k]));
	return found;
}

#endif
