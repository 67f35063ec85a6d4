/* trials.h -- trials of `ab` on recorded launches: its error rate, and the launches it takes.
 *
 * A file has the times of one build's launches in order (tests/trials/launches.py).  A trial draws
 * blocks of four consecutive launches, assigns them to the sides A B B A, multiplies those of the
 * second side by the planted slow-down, and compares at each look as `ab --early` does, with the
 * same functions.
 */
#ifndef GPUBENCH_TESTS_TRIALS_H
#define GPUBENCH_TESTS_TRIALS_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/reports/compare/compare.h"
#include "cli/reports/compare/looks.h"
#include "common/rng.h"
#include "common/text.h"

enum { MAX_KEYS = 64, MAX_LAUNCHES = 256, BLOCK = 4 };

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

/* The settings of `ab`, and the planted slow-down. */
struct plan {
	int64_t launches; /* per side, at most */
	bool early;
	double planted;         /* 1.1: the second side takes 10 % longer */
	size_t first_key, keys; /* keys that are compared together */
};

/* The outcome of one trial. */
struct outcome {
	int64_t launches; /* launches made per side */
	size_t count, verdicts[GB_VERDICT_WORDS];
};

static void add_value(struct gb_records *list, const char *key, double ns)
{
	struct gb_error err = { 0 };
	char text[512];

	snprintf(text, sizeof text,
		 "{\"type\":\"record\",\"schema\":2,\"run_id\":\"%zu\",\"bench\":\"b\","
		 "\"backend\":\"cpu\",\"variant\":\"v\",\"key\":\"%.200s\",\"params\":{},"
		 "\"status\":\"ok\",\"verify\":{\"result\":\"pass\"},"
		 "\"time\":{\"median\":%.3f,\"samples\":[%.3f]}}",
		 list->count, key, ns, ns);
	if (gb_records_add(list, cJSON_Parse(text), &err))
		abort();
}

/* The first `done` launches per side of one key.  All keys use the same moments. */
static void take_launches(const struct launches *all, size_t key, const struct plan *plan,
			  uint64_t trial, int64_t done, struct gb_records side[2])
{
	const int64_t places = all->of[key].count - BLOCK + 1;

	for (int64_t j = 0; j < 2 * done; j++) {
		const double u = gb_random_unit_stream(trial, 0, (uint64_t)(j / BLOCK));
		const int64_t at = (int64_t)(u * (double)places) % places + j % BLOCK;
		const size_t which = (size_t)((j + j / 2) % 2);

		add_value(&side[which], all->of[key].key,
			  all->of[key].ns[at] * (which ? plan->planted : 1));
	}
}

static struct outcome look(const struct launches *all, const struct plan *plan, uint64_t trial,
			   int64_t done)
{
	struct gb_comparison c = {
		.level = plan->early ? gb_look_level(plan->launches) : GB_LEVEL,
		.threshold = 0.05,
		.floor_ns = 100,
	};
	struct gb_records side[2] = { { 0 }, { 0 } };
	struct gb_error err = { 0 };
	struct outcome outcome = { .launches = done };

	for (size_t k = plan->first_key; k < plan->first_key + plan->keys; k++)
		take_launches(all, k, plan, trial, done, side);
	if (gb_compare(&c, &side[0], &side[1], &err))
		abort();
	outcome.count = c.count;
	memcpy(outcome.verdicts, c.verdicts, sizeof c.verdicts);
	gb_comparison_release(&c);
	gb_records_release(&side[0]);
	gb_records_release(&side[1]);
	return outcome;
}

/* One trial: launch until no key is unsure at a look, or to the last launch. */
static struct outcome try_once(const struct launches *all, const struct plan *plan, uint64_t trial)
{
	struct outcome outcome;

	for (int64_t done = plan->early ? 1 : plan->launches;; done++) {
		if (done < plan->launches && !gb_look_due(done, plan->launches))
			continue;
		outcome = look(all, plan, trial, done);
		if (done == plan->launches || outcome.verdicts[GB_UNSURE] == 0)
			return outcome;
	}
}

/* True if some look finds an interval without 1 although the sides do not differ.  The interval
 * uses ranks alone, so the rate holds for any distribution of independent launches. */
static inline bool excludes_one(int64_t most, uint64_t trial)
{
	double side[2][MAX_LAUNCHES];
	struct gb_error err = { 0 };
	struct gb_ratio r;

	for (int64_t i = 0; i < 2 * most; i++)
		side[i % 2][i / 2] = 1 + gb_random_unit_stream(trial, 1, (uint64_t)i);
	for (int64_t done = 1; done <= most; done++) {
		if (!gb_look_due(done, most))
			continue;
		gb_ratio(side[0], (size_t)done, side[1], (size_t)done, gb_look_level(most), &r,
			 &err);
		if (r.interval.low > 1 || r.interval.high < 1)
			return true;
	}
	return false;
}

/* ---- many trials -------------------------------------------------------------------------- */

struct sum {
	size_t trials, keys, verdicts[GB_VERDICT_WORDS];
	size_t stopped[MAX_LAUNCHES / 2 + 1]; /* number of trials, by launches per side */
	size_t failed;                        /* trials with a slower key */
};

static void add_trials(struct sum *sum, const struct launches *all, const struct plan *plan,
		       size_t trials)
{
	for (size_t t = 0; t < trials; t++) {
		const struct outcome outcome = try_once(all, plan, t);

		sum->trials++;
		sum->keys += outcome.count;
		for (size_t v = 0; v < GB_VERDICT_WORDS; v++)
			sum->verdicts[v] += outcome.verdicts[v];
		sum->stopped[outcome.launches]++;
		sum->failed += outcome.verdicts[GB_SLOWER] > 0;
	}
}

/* Each key as a separate gate. */
static inline struct sum try_keys(const struct launches *all, struct plan plan, size_t trials)
{
	struct sum sum = { 0 };

	plan.keys = 1;
	for (plan.first_key = 0; plan.first_key < all->keys; plan.first_key++)
		add_trials(&sum, all, &plan, trials);
	return sum;
}

/* The median number of launches per side. */
static inline int64_t median_launches(const struct sum *sum)
{
	size_t below = 0;
	int64_t launches = 0;

	while (2 * (below += sum->stopped[launches]) < sum->trials)
		launches++;
	return launches;
}

static inline double percent(size_t part, size_t whole)
{
	return 100.0 * (double)part / (double)whole;
}

#endif
