/* series.h -- histories made of launches that were measured once: how often shifts are found in them.
 *
 * A made series is a row of launches of one key, drawn in blocks of four that followed each other
 * (trials.h), multiplied by a level that shifts at known places.  What a detector says of it is held
 * against these places.
 */
#ifndef GPUBENCH_TESTS_SERIES_H
#define GPUBENCH_TESTS_SERIES_H

#include "cli/reports/history/shifts.h"
#include "tests/cli/reports/trials.h"

enum {
	LEAST_SERIES = 30, /* launches of a series */
	MOST_SERIES = 120,
	LEAST_LEVEL = 10, /* launches of a level */
	MOST_SHIFTS = 2,
	NEAR_ENOUGH = 3, /* launches between a shift and where it is found */
};

struct series {
	size_t count, shifts;
	size_t at[MOST_SHIFTS];
	double value[MOST_SERIES];
};

/* What was found in many series. */
struct score {
	size_t series, planted, found, right;
	size_t alarmed; /* series with something found that is not there */
};

/* Number `index` of the series in which the level shifts by `planted` (0.05), up or down, once or
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

/* Hold what was found in a series, at[0 .. found), against what is in it: each planted shift
 * counts once. */
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

/* What is found by the program's own detector. */
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
