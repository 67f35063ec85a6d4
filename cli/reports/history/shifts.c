/* shifts.c -- see shifts.h. */
#include "cli/reports/history/shifts.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "cli/reports/history/splits.h"
#include "common/text.h"

const struct gb_shift_rule gb_shift_rule = {
	.segment = 4, .candidates = 3, .alpha = 0.04, .least = 0.01
};

/* The ratio of the standard deviation of normal noise to its median absolute deviation. */
static const double NORMAL_MAD = 1.4826;

/* A series and working memory. */
struct work {
	const double *value;
	size_t count;
	const struct gb_shift_rule *rule;
	struct gb_splitter splitter;
	double *log;      /* logarithms of the values */
	double *rest;     /* logarithms minus the median of their level */
	double *room;     /* working memory for `count` values */
	double inflation; /* variance factor due to correlated neighbours */
	double spread;    /* standard deviation of the logarithms about their levels */
};

/* ---- from splits to shifts ----------------------------------------------------------------- */

/* Shifts are at at[1 .. count]; at[0] is the start and at[count + 1] the end of the series. */
struct levels {
	size_t count;
	size_t *at;
};

static void insert(struct levels *levels, size_t at)
{
	size_t i = levels->count + 1;

	levels->at[i + 1] = levels->at[i];
	while (levels->at[i - 1] > at) {
		levels->at[i] = levels->at[i - 1];
		i--;
	}
	levels->at[i] = at;
	levels->count++;
}

static void remove_shift(struct levels *levels, size_t i)
{
	memmove(&levels->at[i], &levels->at[i + 1], (levels->count + 1 - i) * sizeof(size_t));
	levels->count--;
}

static int by_p(const void *a, const void *b)
{
	const struct gb_split *x = a, *y = b;
	int order = GB_ORDER(x->p, y->p);

	order = order ? order : GB_ORDER(x->end - x->begin, y->end - y->begin);
	return order ? order : GB_ORDER(x->begin, y->begin);
}

/* Take the splits whose interval contains no shift yet, the most significant first.  A split is at
 * least a segment from the ends of its interval, and so from all other shifts. */
static void take_splits(struct gb_split *found, size_t count, struct levels *levels)
{
	qsort(found, count, sizeof *found, by_p);
	for (size_t i = 0; i < count; i++) {
		bool is_free = true;

		for (size_t k = 1; k <= levels->count && is_free; k++)
			is_free = levels->at[k] <= found[i].begin || levels->at[k] >= found[i].end;
		if (is_free)
			insert(levels, found[i].at);
	}
}

static size_t least(size_t a, size_t b)
{
	return a < b ? a : b;
}

double gb_median_of(const double *value, size_t count, double *room)
{
	if (room != value)
		memcpy(room, value, count * sizeof *room);
	gb_sort(room, count);
	return gb_median_sorted(room, count);
}

/* The medians of the logarithms on both sides of `at`, near it. */
struct sides {
	size_t begin, end; /* range of the values used */
	double left, right;
};

static struct sides sides_of(const struct work *w, size_t begin, size_t at, size_t end)
{
	const size_t n = least(at - begin, GB_SHIFT_NEAR), m = least(end - at, GB_SHIFT_NEAR);

	return (struct sides){ at - n, at + m, gb_median_of(w->log + at - n, n, w->room),
			       gb_median_of(w->log + at, m, w->room) };
}

/* Huber's loss: quadratic near 0, then linear. */
static double huber(double x)
{
	const double far = fabs(x), near = fmin(far, 1.345);

	return near * (far - near / 2);
}

/* Find where near `at` the level changes: at the least loss about the medians of both sides.
 * Unlike ranks, the loss depends on the size of the shift. */
static size_t place_of(const struct work *w, size_t begin, size_t at, size_t end)
{
	const size_t segment = w->rule->segment;
	const struct sides s = sides_of(w, begin, at, end);
	size_t best = at;
	double spread, loss = 0, most = INFINITY;

	for (size_t i = s.begin; i < s.end; i++)
		w->room[i - s.begin] = fabs(w->log[i] - (i < at ? s.left : s.right));
	spread = NORMAL_MAD * gb_median_of(w->room, s.end - s.begin, w->room);
	if (!(spread > 0))
		return at;
	for (size_t i = s.begin; i + segment <= s.end; i++) {
		if (i >= begin + segment && loss < most) {
			most = loss;
			best = i;
		}
		loss += huber((w->log[i] - s.left) / spread) -
			huber((w->log[i] - s.right) / spread);
	}
	return best;
}

/* Move each shift to where the launches between its neighbours place it. */
static void place(const struct work *w, struct levels *levels)
{
	enum { ROUNDS = 5 };

	for (int round = 0; round < ROUNDS; round++) {
		bool moved = false;

		for (size_t i = 1; i <= levels->count; i++) {
			const size_t at =
				place_of(w, levels->at[i - 1], levels->at[i], levels->at[i + 1]);

			moved = moved || at != levels->at[i];
			levels->at[i] = at;
		}
		if (!moved)
			return;
	}
}

/* A shift between two neighbours, and the result of its test. */
struct tested {
	size_t begin, at, end;
	double p, size;
};

static void test_shift(struct work *w, const struct levels *levels, size_t i, struct tested *t)
{
	/* In standard deviations: correlated launches may drift, but do not jump that far.  While
	 * the spread is unknown, 0, all jumps but those of size 0 are large. */
	const double LARGE = 4;
	const size_t begin = levels->at[i - 1], at = levels->at[i], end = levels->at[i + 1];
	struct sides s;

	if (t->begin == begin && t->at == at && t->end == end)
		return;
	s = sides_of(w, begin, at, end);
	*t = (struct tested){
		.begin = begin, .at = at, .end = end, .size = fabs(s.right - s.left)
	};
	t->p = gb_split_of(&w->splitter, begin, end, t->size > LARGE * w->spread ? 1 : w->inflation)
		       .p;
}

/* Repeatedly remove the weakest shift that is not significant or too small.  The results for the
 * remaining shifts are in tested[0 ..]. */
static void prune(struct work *w, struct levels *levels, struct tested *tested)
{
	for (;;) {
		size_t weakest = 0;
		double worst = 1;

		for (size_t i = 1; i <= levels->count; i++) {
			struct tested *t = &tested[i - 1];
			double badness;

			test_shift(w, levels, i, t);
			badness = t->p / w->rule->alpha;
			if (t->size < log(1 + w->rule->least))
				badness = fmax(badness, 1) + 1;
			if (badness > worst) {
				worst = badness;
				weakest = i;
			}
		}
		if (!weakest)
			return;
		remove_shift(levels, weakest);
		memmove(&tested[weakest - 1], &tested[weakest],
			(levels->count + 1 - weakest) * sizeof *tested);
		place(w, levels);
	}
}

/* Subtract the median of each level from its logarithms, and measure the spread of the rest. */
static void take_levels_away(struct work *w, const struct levels *levels)
{
	for (size_t i = 0; i <= levels->count; i++) {
		const size_t begin = levels->at[i], end = levels->at[i + 1];
		const double median = gb_median_of(w->log + begin, end - begin, w->room);

		for (size_t k = begin; k < end; k++)
			w->rest[k] = w->log[k] - median;
	}
	for (size_t i = 0; i < w->count; i++)
		w->room[i] = fabs(w->rest[i]);
	w->spread = NORMAL_MAD * gb_median_of(w->room, w->count, w->room);
}

/* Measure by how much the variance of a mean of neighbours exceeds that of independent values; at
 * least 1.  Uses the correlation of the residuals, with outliers clipped, up to LAGS launches
 * apart. */
static void measure_rest(struct work *w, const struct levels *levels)
{
	enum { LAGS = 3, MOST = 3 };
	const double FAR = 2; /* standard deviations */
	double *rest = w->rest;
	double squares = 0, sum = 1;

	take_levels_away(w, levels);
	for (size_t i = 0; i < w->count; i++) {
		rest[i] = fmin(fmax(rest[i], -FAR * w->spread), FAR * w->spread);
		squares += rest[i] * rest[i];
	}
	for (size_t lag = 1; lag <= LAGS; lag++) {
		double product = 0;

		for (size_t i = lag; i < w->count; i++)
			product += rest[i] * rest[i - lag];
		sum += 2 * (1 - (double)lag / (LAGS + 1)) * product / squares;
	}
	w->inflation = fmin(fmax(1, sum), MOST); /* 1 if there are no residuals: sum is NAN */
}

enum gb_status gb_shift_ratio(const double *value, size_t begin, size_t at, size_t end,
			      struct gb_ratio *ratio, struct gb_error *err)
{
	const size_t n = least(at - begin, GB_SHIFT_NEAR), m = least(end - at, GB_SHIFT_NEAR);

	return gb_ratio(value + at - n, n, value + at, m, GB_LEVEL, ratio, err);
}

/* Allocate the working memory; false if memory ran out. */
static bool has_room(struct work *w, struct levels *levels, struct gb_split **found,
		     struct tested **tested)
{
	const size_t most = w->count / w->rule->segment;

	if (!gb_splitter_init(&w->splitter, w->value, w->count, w->rule->segment))
		return false;
	w->log = malloc(w->count * sizeof *w->log);
	w->rest = malloc(w->count * sizeof *w->rest);
	w->room = malloc(w->count * sizeof *w->room);
	*found = malloc((w->splitter.most_splits + 1) * sizeof **found);
	levels->at = malloc((most + 3) * sizeof *levels->at);
	*tested = calloc(most + 1, sizeof **tested);
	return w->log && w->rest && w->room && *found && levels->at && *tested;
}

/* Return the shifts with their sizes. */
static enum gb_status report(const struct work *w, const struct levels *levels,
			     const struct tested *tested, struct gb_shift **shift,
			     size_t *shift_count, struct gb_error *err)
{
	*shift = calloc(levels->count + 1, sizeof **shift);
	if (!*shift)
		return gb_out_of_memory(err, "finding shifts");
	for (size_t i = 0; i < levels->count; i++) {
		struct gb_shift *s = &(*shift)[i];

		s->at = levels->at[i + 1];
		s->p = tested[i].p;
		if (gb_shift_ratio(w->value, levels->at[i], s->at, levels->at[i + 2], &s->ratio,
				   err)) {
			free(*shift);
			*shift = NULL;
			return err->code;
		}
	}
	*shift_count = levels->count;
	return GB_OK;
}

static void start(struct work *w, struct levels *levels)
{
	for (size_t i = 0; i < w->count; i++)
		w->log[i] = log(w->value[i]);
	levels->at[0] = 0;
	levels->at[1] = w->count;
}

enum gb_status gb_shifts_find(const double *value, size_t count, const struct gb_shift_rule *rule,
			      struct gb_shift **shift, size_t *shift_count, struct gb_error *err)
{
	struct work w = { .value = value, .count = count, .rule = rule, .inflation = 1 };
	struct levels levels = { 0 };
	struct gb_split *found = NULL;
	struct tested *tested = NULL;

	*shift = NULL;
	*shift_count = 0;
	for (size_t i = 0; i < count; i++)
		if (!(value[i] > 0))
			return gb_fail(err, GB_ERUNTIME, "a time that is not positive");
	if (count < 2 * rule->segment)
		return GB_OK;
	if (!has_room(&w, &levels, &found, &tested)) {
		gb_out_of_memory(err, "finding shifts");
		goto out;
	}
	start(&w, &levels);
	take_splits(found, gb_splits_find(&w.splitter, rule->candidates, found), &levels);
	place(&w, &levels);
	prune(&w, &levels, tested);
	/* The residuals can be measured only now that levels are known. */
	measure_rest(&w, &levels);
	memset(tested, 0, (levels.count + 1) * sizeof *tested);
	prune(&w, &levels, tested);
	(void)report(&w, &levels, tested, shift, shift_count, err);
out:
	gb_splitter_release(&w.splitter);
	free(w.log);
	free(w.rest);
	free(w.room);
	free(found);
	free(tested);
	free(levels.at);
	return err->code;
}
