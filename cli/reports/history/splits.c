/* splits.c -- see splits.h. */
#include "cli/reports/history/splits.h"

#include <math.h>
#include <stdlib.h>

#include "common/text.h"

/* ---- deviates ----------------------------------------------------------------------------- */

/* The cumulant generating function of a Mann-Whitney statistic about its mean, without ties, and
 * its first two derivatives.  It is that of one sum of independent uniform variables minus that of
 * another. */
struct cumulants {
	double k, k1, k2;
};

static void add_uniform(struct cumulants *c, double width, double t, double sign)
{
	const double h = width * t / 2;
	const double s = sinh(fmin(h, 300));

	/* log(sinh(h) / h), without overflow. */
	c->k += sign * (h > 20 ? h - log(2 * h) : h < 1e-4 ? h * h / 6 : log(s / h));
	c->k1 += sign * (h < 1e-4 ? width * h / 6 : width / 2 / tanh(h) - 1 / t);
	c->k2 += sign * (h < 1e-2 ? width * width / 12 * (1 - h * h / 5)
				  : 1 / (t * t) - width * width / (4 * s * s));
}

static struct cumulants cumulants_at(size_t n, size_t m, double t)
{
	struct cumulants c = { 0 };

	for (size_t j = 1; j <= n; j++) {
		add_uniform(&c, (double)(m + j), t, 1);
		add_uniform(&c, (double)j, t, -1);
	}
	return c;
}

/* Solve K'(t) = x for t > 0, by Newton's method within a bracket. */
static double saddlepoint(size_t n, size_t m, double x)
{
	double low = 0, high = INFINITY;
	double t = x / cumulants_at(n, m, 1e-9).k2;

	for (int i = 0; i < 60; i++) {
		const struct cumulants c = cumulants_at(n, m, t);
		double next = t + (x - c.k1) / c.k2;

		if (c.k1 < x)
			low = t;
		else
			high = t;
		if (!(next > low && next < high))
			next = isinf(high) ? 2 * t : (low + high) / 2;
		if (fabs(next - t) < 1e-9 * t)
			return next;
		t = next;
	}
	return t;
}

double gb_mann_whitney_deviate(size_t n, size_t m, double u)
{
	const double pairs = (double)n * (double)m;
	const double sd = sqrt(pairs * (double)(n + m + 1) / 12);
	const double sign = copysign(1, u - pairs / 2);
	/* Continuity correction; without it, the extreme value has no saddlepoint. */
	const double x = fabs(u - pairs / 2) - 0.5;
	double t, r, v;
	struct cumulants c;

	enum { LARGE = 30 };

	if (x < 0.05 * sd || (n > LARGE && m > LARGE))
		return sign * fmax(x, 0) / sd;
	t = saddlepoint(n < m ? n : m, n < m ? m : n, x);
	c = cumulants_at(n < m ? n : m, n < m ? m : n, t);
	r = sqrt(2 * (t * x - c.k));
	v = 2 * sinh(t / 2) * sqrt(c.k2);
	return sign * (r + log(v / r) / r);
}

double gb_largest_deviate_p(double z, size_t count, size_t segment)
{
	const double b = fmax(fabs(z), 1);
	const double density = exp(-b * b / 2) / sqrt(2 * acos(-1));
	const double rest = (double)(count - segment), edge = (double)segment;

	return fmin(1, density * ((b - 1 / b) * 2 * log(rest / edge) + 4 / b));
}

/* ---- one interval ------------------------------------------------------------------------- */

/* The best split by the ranks rank[0 .. end - begin) of the values within the interval.  Ranks
 * start at 1; equal values have their mean rank.  at is begin if there is none. */
static struct gb_split best_split(const double *rank, size_t begin, size_t end, size_t segment)
{
	const size_t count = end - begin;
	const double mean = ((double)count + 1) / 2;
	struct gb_split best = { .begin = begin, .end = end, .at = begin, .p = 1 };
	double squares = 0, sum = 0, variance;

	for (size_t i = 0; i < count; i++)
		squares += (rank[i] - mean) * (rank[i] - mean);
	variance = squares / ((double)count * (double)(count - 1));
	if (!(variance > 0))
		return best;
	for (size_t i = 0; i < count - segment; i++) {
		const double n = (double)(i + 1), m = (double)(count - i - 1);
		double z2;

		sum += rank[i] - mean;
		z2 = sum * sum / (n * m * variance);
		if (i + 1 >= segment && z2 > best.z) {
			best.z = z2;
			best.at = begin + i + 1;
		}
	}
	best.z = sqrt(best.z);
	return best;
}

/* A more exact deviate of the statistic. z already includes the effect of ties on its variance. */
static double sharpen(const struct gb_split *split)
{
	const size_t n = split->at - split->begin, m = split->end - split->at;
	const double pairs = (double)n * (double)m;
	const double sd = sqrt(pairs * (double)(n + m + 1) / 12);

	return gb_mann_whitney_deviate(n, m, fmin(pairs / 2 + split->z * sd, pairs));
}

/* ---- ranks -------------------------------------------------------------------------------- */

struct gb_ranked {
	double value;
	size_t at;
};

static int by_value(const void *a, const void *b)
{
	const double x = ((const struct gb_ranked *)a)->value;
	const double y = ((const struct gb_ranked *)b)->value;

	return GB_ORDER(x, y);
}

/* Set w->rank to the ranks of the values of an interval. */
static void rank_values(struct gb_splitter *w, size_t begin, size_t end)
{
	const size_t count = end - begin;
	struct gb_ranked *order = w->order;

	for (size_t i = 0; i < count; i++)
		order[i] = (struct gb_ranked){ w->value[begin + i], i };
	qsort(order, count, sizeof *order, by_value);
	for (size_t from = 0, to; from < count; from = to) {
		for (to = from + 1; to < count && !(order[to].value > order[from].value);)
			to++;
		for (size_t e = from; e < to; e++)
			w->rank[order[e].at] = (double)(from + 1 + to) / 2;
	}
}

struct gb_split gb_split_of(struct gb_splitter *splitter, size_t begin, size_t end,
			    double inflation)
{
	struct gb_split split;

	if (end - begin < 2 * splitter->segment)
		return (struct gb_split){ begin, end, begin, 0, 1 };
	rank_values(splitter, begin, end);
	split = best_split(splitter->rank, begin, end, splitter->segment);
	split.z = sharpen(&split);
	split.p = gb_largest_deviate_p(split.z / sqrt(inflation), end - begin, splitter->segment);
	return split;
}

/* ---- the seeded intervals ------------------------------------------------------------------ */

static const double DECAY = 0.70710678118654752; /* ratio of interval lengths between layers */

/* `count` intervals of one length, evenly spaced over the series. */
struct layer {
	size_t length, count;
	double step;
};

/* Layer i of a series; layer 0 is the whole series.  False if its intervals would be too short. */
static bool layer_of(const struct gb_splitter *w, int i, struct layer *layer)
{
	const double share = pow(DECAY, i), count = (double)w->count;

	layer->length = (size_t)ceil(count * share - 1e-9);
	layer->count = 2 * (size_t)ceil(1 / share - 1e-9) - 1;
	layer->step = layer->count > 1
			      ? (double)(w->count - layer->length) / (double)(layer->count - 1)
			      : 0;
	return layer->length >= 2 * w->segment;
}

size_t gb_splits_find(struct gb_splitter *splitter, double candidates, struct gb_split *found)
{
	struct gb_splitter *w = splitter;
	struct layer layer;
	size_t count = 0;
	int layers = 0;

	while (layer_of(w, layers, &layer))
		layers++;
	for (int l = 0; layer_of(w, l, &layer); l++) {
		const double share = (double)layers * (double)layer.count;

		for (size_t i = 0; i < layer.count; i++) {
			const size_t begin = (size_t)((double)i * layer.step);
			struct gb_split s;

			rank_values(w, begin, begin + layer.length);
			s = best_split(w->rank, begin, begin + layer.length, w->segment);
			/* sharpen() increases no deviate by more than half. */
			if (s.at == begin ||
			    share * gb_largest_deviate_p(1.5 * s.z, layer.length, w->segment) >
				    candidates)
				continue;
			s.z = sharpen(&s);
			s.p = share * gb_largest_deviate_p(s.z, layer.length, w->segment);
			if (s.p <= candidates)
				found[count++] = s;
		}
	}
	return count;
}

/* ---- memory -------------------------------------------------------------------------------- */

bool gb_splitter_init(struct gb_splitter *splitter, const double *value, size_t count,
		      size_t segment)
{
	struct gb_splitter *w = splitter;
	struct layer layer;

	*w = (struct gb_splitter){ .value = value, .count = count, .segment = segment };
	for (int l = 0; layer_of(w, l, &layer); l++)
		w->most_splits += layer.count;
	w->order = malloc(count * sizeof *w->order);
	w->rank = malloc(count * sizeof *w->rank);
	return w->order && w->rank;
}

void gb_splitter_release(struct gb_splitter *splitter)
{
	free(splitter->order);
	free(splitter->rank);
}
