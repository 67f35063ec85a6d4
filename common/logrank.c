/* logrank.c -- see logrank.h. */
#include "common/logrank.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/text.h"

/* ---- the distribution --------------------------------------------------------------------- */

/* Scores are multiples of 1 / scale.  The time to count grows with the scale and the cube of the
 * number of values, and is limited to that of 160 values. */
static double scale_of(size_t count)
{
	const double finest = 64, whole = 160, x = whole / (double)count;

	return fmax(1, floor(finest * fmin(1, x * x * x)));
}

/* row[i * width + s] becomes the probability that i of the scores are chosen and have the sum s, if
 * each is chosen with probability `share`.  Scores descend, so i of them have at most the sum of
 * the first i. */
static void count_choices(const struct gb_logrank *t, double *row, size_t width)
{
	const size_t n = t->base + t->other, m = t->other;
	const double share = (double)m / (double)n;
	size_t *limit = calloc(m + 1, sizeof *limit);

	row[0] = limit ? 1 : 0; /* an empty table tells that memory ran out */
	for (size_t i = 1; i <= m && limit; i++)
		limit[i] = limit[i - 1] + (size_t)t->score[i - 1];
	for (size_t k = 0; k < n && limit; k++) {
		const size_t score = (size_t)t->score[k], first = k + m > n ? k + m - n : 0;

		for (size_t i = k + 1 < m ? k + 1 : m; i >= first && i > 0; i--) {
			double *to = row + i * width;
			const double *from = to - width;

			for (size_t s = limit[i] + 1; s-- > score;)
				to[s] = (1 - share) * to[s] + share * from[s - score];
			for (size_t s = 0; s < score; s++) /* limit[i] >= score */
				to[s] *= 1 - share;
		}
		if (first == 0)
			row[0] *= 1 - share;
	}
	free(limit);
}

static enum gb_status count_tails(struct gb_logrank *t, struct gb_error *err)
{
	const size_t width = t->most + 1;
	double *row = calloc((t->other + 1) * width, sizeof *row);
	const double *last = row ? row + t->other * width : NULL;
	double sum = 0, tail = 0;

	t->at_most = calloc(width, sizeof *t->at_most);
	t->at_least = calloc(width, sizeof *t->at_least);
	if (!row || !t->at_most || !t->at_least) {
		free(row);
		return gb_out_of_memory(err, "a permutation test");
	}
	count_choices(t, row, width);
	for (size_t s = 0; s < width; s++)
		t->at_most[s] = sum += last[s];
	for (size_t s = width; s-- > 0;)
		t->at_least[s] = (tail += last[s]) / sum;
	for (size_t s = 0; s < width; s++)
		t->at_most[s] /= sum;
	free(row);
	return sum > 0 ? GB_OK : gb_out_of_memory(err, "a permutation test");
}

enum gb_status gb_logrank_init(struct gb_logrank *test, size_t base, size_t other,
			       struct gb_error *err)
{
	const size_t n = base + other;
	const double scale = scale_of(n);
	double harmonic = 0, squares = 0, mean;

	*test = (struct gb_logrank){ .base = base, .other = other };
	test->score = calloc(n + 1, sizeof *test->score);
	if (!test->score)
		return gb_out_of_memory(err, "a permutation test");
	for (size_t r = n; r-- > 0;) {
		harmonic += 1 / (double)(r + 1);
		test->score[r] = llround(scale * harmonic);
		test->sum += test->score[r];
	}
	mean = (double)test->sum / (double)n;
	for (size_t r = 0; r < n; r++) {
		squares += ((double)test->score[r] - mean) * ((double)test->score[r] - mean);
		test->most += r < other ? (size_t)test->score[r] : 0;
	}
	test->variance = squares * (double)base * (double)other / (double)n / ((double)n - 1);
	return n <= GB_LOGRANK_EXACT ? count_tails(test, err) : GB_OK;
}

void gb_logrank_release(struct gb_logrank *test)
{
	free(test->score);
	free(test->at_most);
	free(test->at_least);
	*test = (struct gb_logrank){ 0 };
}

/* The probability that the statistic is at most (or, if `up`, at least) s. */
static double tail_of(const struct gb_logrank *t, size_t s, bool up)
{
	const double mean = (double)t->sum * (double)t->other / (double)(t->base + t->other);
	const double z = ((double)s - mean) / sqrt(t->variance);

	if (t->at_most)
		return up ? t->at_least[s] : t->at_most[s];
	return erfc((up ? z : -z) * M_SQRT1_2) / 2;
}

/* ---- the statistic ------------------------------------------------------------------------ */

/* The sum of the scores of the other side, divided by the ratio.  Among equal values, those of
 * the other side have the lower ranks if other_first, else the higher ones. */
static size_t statistic(const struct gb_logrank *t, const double *base, const double *other,
			double log_ratio, bool other_first)
{
	int64_t s = 0;
	size_t below = 0;

	for (size_t j = 0; j < t->other; j++) {
		while (below < t->base && (other_first ? other[j] - base[below] > log_ratio
						       : other[j] - base[below] >= log_ratio))
			below++;
		s += t->score[j + below];
	}
	return (size_t)s;
}

double gb_logrank_slower(const struct gb_logrank *test, const double *base, const double *other,
			 double log_ratio)
{
	return tail_of(test, statistic(test, base, other, log_ratio, true), false);
}

double gb_logrank_faster(const struct gb_logrank *test, const double *base, const double *other,
			 double log_ratio)
{
	return tail_of(test, statistic(test, base, other, log_ratio, false), true);
}

/* ---- the ratio ---------------------------------------------------------------------------- */

/* A search among the ascending differences of all pairs. */
struct search {
	const struct gb_logrank *test;
	const double *base, *other, *difference;
	size_t count;
};

/* The first index whose statistic passes; `count` if none does.  The ratio is just above the
 * difference, or just below it if not `above`.  The statistic grows with the index. */
static size_t first_of(const struct search *q, bool above,
		       bool passes(const struct gb_logrank *test, size_t s, double bound),
		       double bound)
{
	size_t low = 0, high = q->count;

	while (low < high) {
		const size_t k = low + (high - low) / 2;

		if (passes(q->test, statistic(q->test, q->base, q->other, q->difference[k], above),
			   bound))
			high = k;
		else
			low = k + 1;
	}
	return low;
}

/* N S - M sum is the statistic's distance from its mean, in integers. */
static bool reaches_mean(const struct gb_logrank *t, size_t s, double least)
{
	const int64_t n = (int64_t)(t->base + t->other);
	const int64_t distance = n * (int64_t)s - (int64_t)t->other * t->sum;

	return (double)distance >= least;
}

static bool is_no_longer_slower(const struct gb_logrank *t, size_t s, double tail)
{
	return tail_of(t, s, false) > tail;
}

static bool is_faster(const struct gb_logrank *t, size_t s, double tail)
{
	return tail_of(t, s, true) <= tail;
}

/* The largest attainable probability of at most `tail`, in one direction.  It grows with the
 * distance of the statistic from that direction's end. */
static double attained(const struct gb_logrank *t, double tail, bool up)
{
	size_t low = 0, high = t->at_most ? t->most + 1 : 0;

	while (low < high) {
		const size_t k = low + (high - low) / 2;

		if (tail_of(t, up ? t->most - k : k, up) <= tail)
			low = k + 1;
		else
			high = k;
	}
	if (!t->at_most)
		return tail;
	return low ? tail_of(t, up ? t->most - low + 1 : low - 1, up) : 0;
}

static void set_interval(const struct search *q, double level, struct gb_interval *interval)
{
	const double tail = (1 - level) / 2 * (1 + 1e-9); /* not above it by rounding */
	const double *d = q->difference;
	const double least = attained(q->test, tail, false), most = attained(q->test, tail, true);

	if (!(fmin(least, most) > 0))
		return;
	interval->low = exp(d[first_of(q, true, is_no_longer_slower, tail)]);
	interval->high = exp(d[first_of(q, false, is_faster, tail) - 1]);
	interval->coverage = 1 - least - most;
}

enum gb_status gb_logrank_ratio(const struct gb_logrank *test, const double *base,
				const double *other, double level, struct gb_ratio *ratio,
				struct gb_error *err)
{
	const size_t count = test->base * test->other;
	double *d = malloc((count + 1) * sizeof *d);
	const struct search q = { test, base, other, d, count };

	*ratio = (struct gb_ratio){ NAN, { NAN, NAN, NAN } };
	if (!d)
		return gb_out_of_memory(err, "a ratio");
	for (size_t j = 0; j < test->other; j++)
		for (size_t i = 0; i < test->base; i++)
			d[j * test->base + i] = other[j] - base[i];
	gb_sort(d, count);
	ratio->estimate = exp(
		(d[first_of(&q, true, reaches_mean, 0)] + d[first_of(&q, true, reaches_mean, 1)]) /
		2);
	set_interval(&q, level, &ratio->interval);
	free(d);
	return GB_OK;
}
