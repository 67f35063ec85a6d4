/* series.h -- synthetic histories of recorded launches: how often shifts are found in them.
 *
 * A synthetic series is a row of launches of one key, drawn in blocks of four consecutive ones
 * (trials.h) and multiplied by a level that shifts at known places.  A detector's answer is
 * compared with these places.
 */
#ifndef GPUBENCH_TESTS_SERIES_H
#define GPUBENCH_TESTS_SERIES_H

#include "cli/reports/history/shifts.h"
#include "tests/cli/reports/trials.h"

enum {
	LEAST_SERIES = 30, /* launches per series */
	MOST_SERIES = 120,
	LEAST_LEVEL = 10, /* launches per level */
	MOST_SHIFTS = 2,
	NEAR_ENOUGH = 3, /* most launches between a shift and the place reported */
};

struct series {
	size_t count, shifts;
	size_t at[MOST_SHIFTS];
	double value[MOST_SERIES];
};

/* A detector's results over many series. */
struct score {
	size_t series, planted, found, right;
	size_t alarmed; /* series with a false alarm */
};

/* Series number `index`, in which the level shifts by a factor of 1 + planted, up or down, once or
 * twice; 0: never. */
static inline struct series make_series(const struct launches *all, double planted, uint64_t seed,
					uint64_t index)
{
	struct series s = { 0 };
	double u[8], level = 1;
	size_t key, next = 0;

	for (size_t i = 0; i < GB_COUNT(u); i++)
		u[i] = gb_random_unit_stream(seed, 100 + index, i);
	key = (size_t)(u[0] * (double)all->keys);
	s.count = LEAST_SERIES + (size_t)(u[1] * (MOST_SERIES - LEAST_SERIES + 1));
	s.shifts = planted > 0 ? 1 + (u[2] < 0.5) : 0;
	for (size_t i = 0; i < s.shifts; i++) {
		const size_t from = (i ? s.at[0] : 0) + LEAST_LEVEL;
		const size_t to = s.count - LEAST_LEVEL * (s.shifts - i);

		s.at[i] = from + (size_t)(u[3 + i] * (double)(to - from + 1));
	}
	for (size_t i = 0; i < s.count; i++) {
		const int64_t places = all->of[key].count - BLOCK + 1;
		const double v = gb_random_unit_stream(seed, 1000000 + index, i / BLOCK);
		const size_t at = (size_t)(v * (double)places) + i % BLOCK;

		if (next < s.shifts && i == s.at[next]) {
			level *= u[5 + next] < 0.5 ? 1 + planted : 1 / (1 + planted);
			next++;
		}
		s.value[i] = all->of[key].ns[at] * level;
	}
	return s;
}

/* Compare the places reported, at[0 .. found), with the planted shifts; each shift counts once. */
static inline void add_score(struct score *score, const struct series *s, const size_t *at,
			     size_t found)
{
	size_t right = 0;

	for (size_t p = 0; p < s->shifts; p++) {
		bool hit = false;

		for (size_t i = 0; i < found && !hit; i++)
			hit = at[i] + NEAR_ENOUGH >= s->at[p] && at[i] <= s->at[p] + NEAR_ENOUGH;
		right += hit;
	}
	score->series++;
	score->planted += s->shifts;
	score->found += found;
	score->right += right;
	score->alarmed += found > right;
}

/* Score the program's own detector. */
static inline void try_series(struct score *score, const struct series *s,
			      const struct gb_shift_rule *rule)
{
	struct gb_error err = { 0 };
	struct gb_shift *shift;
	size_t count, at[MOST_SERIES];

	if (gb_shifts_find(s->value, s->count, rule, &shift, &count, &err))
		abort();
	for (size_t i = 0; i < count; i++)
		at[i] = shift[i].at;
	free(shift);
	add_score(score, s, at, count);
}

static inline double share(size_t part, size_t whole)
{
	return whole ? 100.0 * (double)part / (double)whole : (double)NAN;
}

#endif
