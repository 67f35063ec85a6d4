/* trials.h -- trials of gates on recorded launches: their error rate, and the launches they take.
 *
 * A file has the times of one build's launches in order.  A trial draws
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
	double beside_s; /* seconds that a launch takes beside its keys; NAN if unknown */
	size_t keys;
	struct {
		char key[256];
		double took_s; /* seconds that a launch takes for this key; 0 if unknown */
		int64_t count;
		double ns[MAX_LAUNCHES];
	} of[MAX_KEYS];
};

/* "radix/cpu/best threads=1 (cold, 0.482 s)": 0.482; 0 without it. */
static inline double took_s(const char *key)
{
	const char *comma = strrchr(key, ',');
	double seconds;

	return comma && sscanf(comma, ", %lf s)", &seconds) == 1 ? seconds : 0;
}

static inline bool read_launches(struct launches *all, const char *path)
{
	FILE *file = fopen(path, "r");
	char *line = NULL;
	size_t room = 0;

	memset(all, 0, sizeof *all);
	all->beside_s = NAN;
	while (file && getline(&line, &room, file) > 0 && all->keys < MAX_KEYS) {
		char *text = strchr(line, '\t'), *end;

		if (line[0] == '#' && sscanf(line, "# %lf s beside", &all->beside_s) != 1)
			snprintf(all->machine, sizeof all->machine, "%.*s",
				 (int)strcspn(line + 2, "\n"), line + 2);
		if (!text)
			continue;
		*text++ = '\0';
		snprintf(all->of[all->keys].key, sizeof all->of[0].key, "%s", line);
		all->of[all->keys].took_s = took_s(line);
		for (double ns = strtod(text, &end);
		     end != text && all->of[all->keys].count < MAX_LAUNCHES;
		     ns = strtod(text = end, &end))
			all->of[all->keys].ns[all->of[all->keys].count++] = ns;
		if (all->of[all->keys].count < BLOCK)
			memset(&all->of[all->keys], 0, sizeof all->of[0]);
		else
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

/* Keep a half of the launches, chosen by chance, in order, or the other half. */
static inline void take_half(struct launches *all)
{
	for (size_t k = 0; k < all->keys; k++) {
		const int64_t count = all->of[k].count;
		const int64_t half = count / 2;
		int64_t kept = 0, chosen = 0;

		for (int64_t i = 0; i < count; i++) {
			const double left = (double)(half - chosen) / (double)(count - i);
			const bool first = gb_random_unit_stream(7, 0, (uint64_t)i) < left;

			chosen += first;
			if (first)
				all->of[k].ns[kept++] = all->of[k].ns[i];
		}
		all->of[k].count = kept;
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
	size_t stored; /* earlier launches of base, which took `before` times as long */
	double before;
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

enum { MAX_SIDE = GB_GATE_MOST, STORED = 2, SIDES };

static inline size_t stored_key(const struct launches *all, const struct plan *plan, uint64_t trial,
				size_t key)
{
	return (trial * plan->gate.keys + key) % all->keys;
}

/* Launch j of a key by recorded ones; keys of one group share the moments. */
static inline double draw(const struct launches *all, size_t key, const struct plan *plan,
			  uint64_t trial, size_t j)
{
	const size_t stored = stored_key(all, plan, trial, key);
	const int64_t places = all->of[stored].count - BLOCK + 1;
	const uint64_t moments = trial * MAX_KEYS + key / all->keys;
	const double u = gb_random_unit_stream(moments, 0, j / BLOCK);
	const size_t at = (size_t)(u * (double)places) % (size_t)places + j % BLOCK;

	return all->of[stored].ns[at] * (1 + 1e-3 * gb_random_unit_stream(trial, 2 + key, j));
}

/* The launches of a key on both sides, and stored ones. */
static inline void deal(const struct launches *all, size_t key, const struct plan *plan,
			uint64_t trial, double side[SIDES][MAX_SIDE])
{
	const size_t most = plan->fixed ? plan->fixed : plan->gate.most;
	struct gb_gate gate = plan->gate;
	size_t n[2] = { 0, 0 };

	gate.most = most;
	for (size_t j = 0; j < 2 * most; j++) {
		const uint64_t toss = (uint64_t)(1e9 * gb_random_unit_stream(trial, 1000, j));
		const int which = plan->order == ABBA ? (int)((j + j / 2) % 2)
						      : gb_gate_next_side(&gate, n[0], n[1], toss);

		side[which][n[which]++] =
			draw(all, key, plan, trial, j) * factor_of(plan->disturbance, trial, j);
	}
	for (size_t j = 0; j < plan->stored; j++)
		side[STORED][j] = draw(all, key, plan, trial, j + MAX_SIDE * 2UL) * plan->before;
}

/* Judge the key if the second side is slower by this factor. */
static inline struct gb_gate_result judge(const struct plan *plan, struct gb_gate_tests *tests,
					  double side[SIDES][MAX_SIDE], double slower)
{
	const size_t most = plan->fixed ? plan->fixed : plan->gate.most;
	struct gb_gate_result result;
	struct gb_error err = { 0 };
	double other[MAX_SIDE];

	for (size_t i = 0; i < most; i++)
		other[i] = side[1][i] * slower;
	if (gb_gate_judge(&plan->gate, tests,
			  &(struct gb_gate_values){ .base = side[0],
						    .base_count = most,
						    .other = other,
						    .other_count = most,
						    .stored = side[STORED],
						    .stored_count = plan->stored },
			  &result, &err))
		abort();
	return result;
}

/* ---- many trials -------------------------------------------------------------------------- */

enum { MAX_TRIALS = 300 };
static const double BUDGET_S = 15 * 60; /* for ab; counts if launches.txt has the seconds */

/* Counts over gates of an unchanged build, and of builds with one key slower by 10 %, each in
 * turn. */
struct sum {
	size_t gates, keys;
	size_t red, open_gates, open_keys; /* unchanged: gates with a slower or unsure key */
	size_t found, green, undecided;    /* planted keys */
	size_t of[MAX_KEYS], worst[MAX_KEYS],
		passed[MAX_KEYS];            /* per recorded key: all, found, green */
	size_t launches, made[MAX_SIDE + 1]; /* per unchanged key, a side */
	double minutes[MAX_TRIALS];          /* unchanged gates'; NAN if unknown */
};

/* Seconds of a gate up to n launches a side, if key k is launched made[k] times a side.  Most of
 * the time beside the keys makes their inputs, so each key has a share in it. */
static inline double spent_s(const struct launches *all, const struct plan *plan, uint64_t trial,
			     const size_t *made, size_t n)
{
	const double beside_s = all->beside_s / (double)all->keys;
	double seconds = 0;

	for (size_t k = 0; k < plan->gate.keys; k++)
		seconds += (double)(made[k] < n ? made[k] : n) *
			   (all->of[stored_key(all, plan, trial, k)].took_s + beside_s);
	return 2 * seconds;
}

/* The launches a side at the last look that the budget allows. */
static inline size_t last_look(const struct launches *all, const struct plan *plan, uint64_t trial,
			       const size_t *made)
{
	size_t last = 0, look;

	if (plan->fixed)
		return plan->fixed;
	for (size_t i = 0; (look = gb_gate_look(&plan->gate, i)) > 0; i++)
		if (!(spent_s(all, plan, trial, made, look) > BUDGET_S))
			last = look;
	return last;
}

/* The fate of a key, and the launches a side that this takes. */
struct end {
	enum gb_verdict_word verdict;
	size_t launches;
};

static inline struct end end_of(const struct plan *plan, struct gb_gate_tests *tests,
				double side[SIDES][MAX_SIDE], double slower)
{
	const struct gb_gate_result r = judge(plan, tests, side, slower);

	return (struct end){ r.verdict,
			     r.verdict == GB_UNSURE && !plan->fixed ? plan->gate.most : r.base };
}

static inline bool is_passed(enum gb_verdict_word verdict)
{
	return verdict == GB_SAME || verdict == GB_FASTER;
}

static inline void count_unchanged(const struct launches *all, const struct plan *plan,
				   uint64_t trial, const struct end *end, const size_t *made,
				   struct sum *sum)
{
	const size_t last = last_look(all, plan, trial, made);
	size_t red = 0, open = 0, most = 0;

	for (size_t k = 0; k < plan->gate.keys; k++) {
		const size_t launches = made[k] < last ? made[k] : last;

		red += end[k].verdict == GB_SLOWER && made[k] <= last;
		open += end[k].verdict == GB_UNSURE || made[k] > last;
		most = most > launches ? most : launches;
		sum->launches += launches;
		sum->made[launches]++;
	}
	sum->red += red > 0;
	sum->open_gates += open > 0;
	sum->open_keys += open;
	sum->minutes[trial] = spent_s(all, plan, trial, made, most) / 60;
}

/* Count the gates in which one key is slower and the others end as in the unchanged one. */
static inline void count_planted(const struct launches *all, const struct plan *plan,
				 uint64_t trial, const struct end *planted, size_t *made,
				 struct sum *sum)
{
	for (size_t k = 0; k < plan->gate.keys; k++) {
		const size_t stored = stored_key(all, plan, trial, k), unchanged = made[k];
		enum gb_verdict_word verdict = planted[k].verdict;

		made[k] = planted[k].launches;
		if (made[k] > last_look(all, plan, trial, made))
			verdict = GB_UNSURE;
		made[k] = unchanged;
		sum->of[stored]++;
		sum->found += verdict == GB_SLOWER;
		sum->worst[stored] += verdict == GB_SLOWER;
		sum->undecided += verdict == GB_UNSURE;
		sum->green += is_passed(verdict);
		sum->passed[stored] += is_passed(verdict);
	}
}

static inline struct sum try_gates(const struct launches *all, const struct plan *plan,
				   size_t trials)
{
	struct gb_gate_tests tests = { 0 };
	struct sum sum = { .gates = trials, .keys = trials * plan->gate.keys };

	for (uint64_t t = 0; t < trials; t++) {
		struct end unchanged[MAX_KEYS], planted[MAX_KEYS];
		size_t made[MAX_KEYS];

		for (size_t k = 0; k < plan->gate.keys; k++) {
			double side[SIDES][MAX_SIDE];

			deal(all, k, plan, t, side);
			unchanged[k] = end_of(plan, &tests, side, 1);
			planted[k] = end_of(plan, &tests, side, 1.1);
			made[k] = unchanged[k].launches;
		}
		count_unchanged(all, plan, t, unchanged, made, &sum);
		count_planted(all, plan, t, planted, made, &sum);
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
