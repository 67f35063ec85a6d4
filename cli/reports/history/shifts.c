#include "cli/reports/history/shifts.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

const struct gb_shift_rule gb_shift_rule = {
	.segment = 4, .candidates = 3, .alpha = 0.04, .least = 0.01
};

/* The standard deviation of normal noise by its median deviation. */
static const double NORMAL_MAD = 1.4826;

/* ---- probabilities ------------------------------------------------------------------------ */

/* Cumulant generating function of a Mann-Whitney statistic about its mean, without ties: that of a
 * sum of independent uniform ones, divided by another.  With its first two derivatives. */
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

/* t > 0 with K'(t) = x, by Newton's method within a bracket. */
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
	const double sign = u < pairs / 2 ? -1 : 1;
	/* The continuity correction, without which the outermost value had no saddlepoint. */
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

/* The split of an interval with the largest statistic. */
struct split {
	size_t begin, end, at;
	double z; /* its normal deviate, without sign */
	double p; /* that the largest one in the interval is beyond z by chance */
};

/* The best split by the ranks of the values within the interval, rank[0 .. end - begin), from 1,
 * the mean one for values that are equal.  at is begin if there is none. */
static struct split best_split(const double *rank, size_t begin, size_t end, size_t segment)
{
	const size_t count = end - begin;
	const double mean = ((double)count + 1) / 2;
	struct split best = { .begin = begin, .end = end, .at = begin, .p = 1 };
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

/* The statistic's deviate, more exactly.  What ties do to its variance is in z already. */
static double sharpen(const struct split *split)
{
	const size_t n = split->at - split->begin, m = split->end - split->at;
	const double pairs = (double)n * (double)m;
	const double sd = sqrt(pairs * (double)(n + m + 1) / 12);

	return gb_mann_whitney_deviate(n, m, fmin(pairs / 2 + split->z * sd, pairs));
}

/* ---- ranks of many intervals at once ------------------------------------------------------- */

/* Intervals of one length, `count` of them, evenly over the series. */
struct layer {
	size_t length, count;
	double step;
	size_t *begin; /* NULL: there is one, of the whole */
};

static size_t begin_of(const struct layer *layer, size_t i)
{
	return layer->begin ? layer->begin[i] : 0;
}

/* A series, and room to work in. */
struct work {
	const double *value;
	double *log; /* of the values */
	size_t count;
	size_t *order; /* indices by ascending value */
	size_t *part;  /* those of a stretch */
	double *rank;
	/* For each interval of a layer: values ranked, the same before the equal ones at hand,
	 * and which these were. */
	size_t *seen, *before, *group;
	size_t *begin; /* of the intervals of a layer */
	const struct gb_shift_rule *rule;
	double inflation; /* of the statistic's variance: how much neighbours are alike */
	double spread;    /* of the logarithms about their levels: a standard deviation */
};

static int by_value(const void *a, const void *b, void *closure)
{
	const double *value = closure;
	const size_t i = *(const size_t *)a, k = *(const size_t *)b;

	if (value[i] < value[k] || value[i] > value[k])
		return value[i] < value[k] ? -1 : 1;
	return (i > k) - (i < k);
}

/* The intervals that hold value i: first .. last. */
static void intervals_with(const struct layer *layer, size_t i, size_t *first, size_t *last)
{
	size_t low = 0, high = layer->count - 1;

	if (layer->step > 0) {
		const double past = ((double)i - (double)layer->length) / layer->step;

		low = past > 0 ? (size_t)past : 0;
		high = (size_t)((double)i / layer->step) + 1;
		high = high < layer->count - 1 ? high : layer->count - 1;
	}
	while (low < high && begin_of(layer, low) + layer->length <= i)
		low++;
	while (high > low && begin_of(layer, high) > i)
		high--;
	*first = low;
	*last = high;
}

/* Equal values, order[from .. to), count in each interval that holds one. */
static void count_equal(struct work *w, const struct layer *layer, size_t from, size_t to)
{
	size_t first, last;

	for (size_t e = from; e < to; e++) {
		intervals_with(layer, w->order[e], &first, &last);
		for (size_t k = first; k <= last; k++) {
			if (w->group[k] != from + 1) {
				w->group[k] = from + 1;
				w->before[k] = w->seen[k];
			}
			w->seen[k]++;
		}
	}
}

/* The ranks within each interval, one after the other, from the order of all values. */
static void rank_layer(struct work *w, const struct layer *layer)
{
	size_t first, last;

	memset(w->seen, 0, layer->count * sizeof *w->seen);
	memset(w->group, 0, layer->count * sizeof *w->group);
	for (size_t from = 0, to; from < w->count; from = to) {
		const double value = w->value[w->order[from]];

		to = from + 1;
		while (to < w->count && !(w->value[w->order[to]] > value))
			to++;
		if (to == from + 1) {
			const size_t i = w->order[from];

			intervals_with(layer, i, &first, &last);
			for (size_t k = first; k <= last; k++)
				w->rank[k * layer->length + i - begin_of(layer, k)] =
					(double)++w->seen[k];
			continue;
		}
		count_equal(w, layer, from, to);
		for (size_t e = from; e < to; e++) {
			const size_t i = w->order[e];

			intervals_with(layer, i, &first, &last);
			for (size_t k = first; k <= last; k++)
				w->rank[k * layer->length + i - begin_of(layer, k)] =
					(double)(w->before[k] + 1 + w->seen[k]) / 2;
		}
	}
}

/* The best split of a stretch by itself, where the statistic's variance has that inflation. */
static struct split split_of(struct work *w, size_t begin, size_t end, double inflation)
{
	struct work part = *w;
	const struct layer whole = { .length = end - begin, .count = 1, .begin = NULL };
	size_t n = 0;
	struct split split;

	if (end - begin < 2 * w->rule->segment)
		return (struct split){ begin, end, begin, 0, 1 };
	part.value = w->value + begin;
	part.count = end - begin;
	part.order = w->part;
	for (size_t i = 0; i < w->count; i++)
		if (w->order[i] >= begin && w->order[i] < end)
			part.order[n++] = w->order[i] - begin;
	rank_layer(&part, &whole);
	split = best_split(w->rank, begin, end, w->rule->segment);
	split.z = sharpen(&split);
	split.p = gb_largest_deviate_p(split.z / sqrt(inflation), part.count, w->rule->segment);
	return split;
}

/* ---- the seeded intervals ------------------------------------------------------------------ */

static const double DECAY = 0.70710678118654752; /* of the length, from layer to layer */

/* Layer number i of a series, 0 the whole; false: its intervals were too short. */
static bool layer_of(const struct work *w, int i, struct layer *layer)
{
	const double share = pow(DECAY, i), count = (double)w->count;

	layer->length = (size_t)ceil(count * share - 1e-9);
	layer->count = 2 * (size_t)ceil(1 / share - 1e-9) - 1;
	layer->step = layer->count > 1
			      ? (double)(w->count - layer->length) / (double)(layer->count - 1)
			      : 0;
	layer->begin = w->begin;
	if (layer->length < 2 * w->rule->segment)
		return false;
	for (size_t k = 0; w->begin && k < layer->count; k++)
		w->begin[k] = (size_t)((double)k * layer->step);
	return true;
}

static int by_p(const void *a, const void *b)
{
	const struct split *x = a, *y = b;

	if (x->p < y->p || x->p > y->p)
		return x->p < y->p ? -1 : 1;
	if (x->end - x->begin != y->end - y->begin)
		return x->end - x->begin < y->end - y->begin ? -1 : 1;
	return (x->begin > y->begin) - (x->begin < y->begin);
}

/* The splits worth a look.  Each p is multiplied by how many layers there are and intervals in its
 * layer, so that a series without a shift has at most rule->candidates of them on average. */
static size_t find_splits(struct work *w, struct split *found, size_t room)
{
	struct layer layer;
	size_t count = 0;
	int layers = 0;

	while (layer_of(w, layers, &layer))
		layers++;
	for (int l = 0; layer_of(w, l, &layer); l++) {
		const double share = (double)layers * (double)layer.count;

		rank_layer(w, &layer);
		for (size_t i = 0; i < layer.count && count < room; i++) {
			const size_t begin = begin_of(&layer, i);
			struct split s = best_split(w->rank + i * layer.length, begin,
						    begin + layer.length, w->rule->segment);

			/* No deviate is sharpened by more than half. */
			if (s.at == begin || share * gb_largest_deviate_p(1.5 * s.z, layer.length,
									  w->rule->segment) >
						     w->rule->candidates)
				continue;
			s.z = sharpen(&s);
			s.p = share * gb_largest_deviate_p(s.z, layer.length, w->rule->segment);
			if (s.p <= w->rule->candidates)
				found[count++] = s;
		}
	}
	return count;
}

/* ---- from splits to shifts ----------------------------------------------------------------- */

/* Shifts at at[1 .. count], with at[0] the begin and at[count + 1] the end of the series. */
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

/* Take the splits, the most significant first, whose interval holds no shift yet. */
static void take_splits(const struct work *w, struct split *found, size_t count,
			struct levels *levels)
{
	if (count)
		qsort(found, count, sizeof *found, by_p);
	for (size_t i = 0; i < count; i++) {
		bool is_free = true;

		for (size_t k = 1; k <= levels->count && is_free; k++)
			is_free = levels->at[k] <= found[i].begin || levels->at[k] >= found[i].end;
		for (size_t k = 0; k <= levels->count + 1 && is_free; k++)
			is_free = levels->at[k] + w->rule->segment <= found[i].at ||
				  found[i].at + w->rule->segment <= levels->at[k];
		if (is_free)
			insert(levels, found[i].at);
	}
}

static size_t least(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* Reorder the values so that value[rank] is where it would be if they were sorted, and what is before
 * it is no larger: Hoare's selection. */
static void select_rank(double *value, size_t count, size_t rank)
{
	size_t low = 0, high = count - 1;

	while (low < high) {
		const double pivot = value[low + (high - low) / 2];
		size_t i = low, k = high;

		for (;;) {
			while (value[i] < pivot)
				i++;
			while (value[k] > pivot)
				k--;
			if (i >= k)
				break;
			const double swapped = value[i];

			value[i++] = value[k];
			value[k--] = swapped;
		}
		/* low .. k are no larger than what is behind them. */
		if (value[k] > pivot)
			k--;
		if (rank <= k)
			high = k;
		else
			low = k + 1;
	}
}

/* The median of the values, which are reordered. */
static double select_median(double *value, size_t count)
{
	const size_t middle = count / 2;
	double below = -INFINITY;

	select_rank(value, count, middle);
	if (count % 2)
		return value[middle];
	for (size_t i = 0; i < middle; i++)
		below = fmax(below, value[i]);
	return (below + value[middle]) / 2;
}

static double median_of(const double *value, size_t count, double *room)
{
	memcpy(room, value, count * sizeof *room);
	return select_median(room, count);
}

/* The medians of the logarithms next to `at`, on both sides. */
struct sides {
	size_t begin, end; /* of what they are of */
	double left, right;
};

static struct sides sides_of(const struct work *w, size_t begin, size_t at, size_t end)
{
	const size_t n = least(at - begin, GB_SHIFT_NEAR), m = least(end - at, GB_SHIFT_NEAR);

	return (struct sides){ at - n, at + m, median_of(w->log + at - n, n, w->rank),
			       median_of(w->log + at, m, w->rank) };
}

/* Huber's loss: squares near 0, then as the distance. */
static double huber(double x)
{
	const double bend = 1.345, far = fabs(x);

	return far < bend ? far * far / 2 : bend * (far - bend / 2);
}

/* Where the level changes, if it does so near `at`: the least loss about the medians of both sides,
 * which, other than by ranks, also goes by how large the shift is. */
static size_t place_of(const struct work *w, size_t begin, size_t at, size_t end)
{
	const size_t segment = w->rule->segment;
	const struct sides s = sides_of(w, begin, at, end);
	size_t best = at;
	double spread, loss = 0, most = INFINITY;

	for (size_t i = s.begin; i < s.end; i++)
		w->rank[i - s.begin] = fabs(w->log[i] - (i < at ? s.left : s.right));
	spread = NORMAL_MAD * select_median(w->rank, s.end - s.begin);
	if (!(spread > 0))
		return at;
	for (size_t i = s.begin; i + segment <= s.end; i++) {
		if (i >= begin + segment && i + segment <= end && loss < most) {
			most = loss;
			best = i;
		}
		loss += huber((w->log[i] - s.left) / spread) -
			huber((w->log[i] - s.right) / spread);
	}
	return best;
}

/* Put each shift where the launches between its neighbours place it. */
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

/* A shift and what was found out about it between two neighbours. */
struct tested {
	size_t begin, at, end;
	double p, size;
};

static void test_shift(struct work *w, const struct levels *levels, size_t i, struct tested *t)
{
	/* Standard deviations: launches that are alike may drift, but do not jump so far. */
	const double LARGE = 4;
	const size_t begin = levels->at[i - 1], at = levels->at[i], end = levels->at[i + 1];
	struct sides s;

	if (t->begin == begin && t->at == at && t->end == end)
		return;
	s = sides_of(w, begin, at, end);
	*t = (struct tested){ begin, at, end, 1, fabs(s.right - s.left) };
	t->p = split_of(w, begin, end, t->size > LARGE * w->spread ? 1 : w->inflation).p;
}

/* Remove the weakest shift that is not significant or too small, until there is none. What is
 * known of those that stay is in tested[0 ..]. */
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

/* What is left of the logarithms when each level's median is taken away, and its spread. */
static void take_levels_away(struct work *w, const struct levels *levels, double *rest,
			     double *room)
{
	for (size_t i = 0; i <= levels->count; i++) {
		const size_t begin = levels->at[i], end = levels->at[i + 1];
		const double median = median_of(w->log + begin, end - begin, room);

		for (size_t k = begin; k < end; k++)
			rest[k] = w->log[k] - median;
	}
	for (size_t i = 0; i < w->count; i++)
		room[i] = fabs(rest[i]);
	w->spread = NORMAL_MAD * select_median(room, w->count);
}

/* How much the variance of a mean of neighbours is above that of independent values, at least 1:
 * from the correlation of what is left without the levels, outliers cut off, up to LAGS launches
 * apart. */
static enum gb_status measure_rest(struct work *w, const struct levels *levels,
				   struct gb_error *err)
{
	enum { LAGS = 3, MOST = 3 };
	const double FAR = 2; /* standard deviations */
	double *rest = calloc(w->count + 1, sizeof *rest);
	double *room = malloc((w->count + 1) * sizeof *room);
	double squares = 0, sum = 1;

	if (!rest || !room) {
		gb_out_of_memory(err, "finding shifts");
		goto out;
	}
	take_levels_away(w, levels, rest, room);
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
	w->inflation = squares > 0 ? fmin(fmax(1, sum), MOST) : 1;
out:
	free(rest);
	free(room);
	return err->code;
}

enum gb_status gb_shift_ratio(const double *value, size_t begin, size_t at, size_t end,
			      struct gb_ratio *ratio, struct gb_error *err)
{
	const size_t from = at - begin > GB_SHIFT_NEAR ? at - GB_SHIFT_NEAR : begin;
	const size_t to = end - at > GB_SHIFT_NEAR ? at + GB_SHIFT_NEAR : end;

	return gb_ratio(value + from, at - from, value + at, to - at, GB_LEVEL, ratio, err);
}

static bool has_room(struct work *w, struct levels *levels, struct split **found, size_t *room,
		     struct tested **tested)
{
	struct layer layer;
	size_t most = 1, ranks = w->count;

	*room = 0;
	for (int l = 0; layer_of(w, l, &layer); l++) {
		*room += layer.count;
		most = layer.count;
		ranks = layer.count * layer.length > ranks ? layer.count * layer.length : ranks;
	}
	w->order = calloc(w->count + 1, sizeof *w->order);
	w->part = malloc((w->count + 1) * sizeof *w->part);
	w->rank = calloc(ranks, sizeof *w->rank);
	w->seen = calloc(most, sizeof *w->seen);
	w->before = calloc(most, sizeof *w->before);
	w->group = malloc(most * sizeof *w->group);
	w->begin = calloc(most, sizeof *w->begin);
	*found = malloc((*room + 1) * sizeof **found);
	levels->at = malloc((w->count / w->rule->segment + 3) * sizeof *levels->at);
	*tested = calloc(w->count / w->rule->segment + 1, sizeof **tested);
	w->log = malloc((w->count + 1) * sizeof *w->log);
	return w->order && w->part && w->rank && w->seen && w->before && w->group && w->begin &&
	       *found && levels->at && *tested && w->log;
}

/* The shifts, with their sizes. */
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
	for (size_t i = 0; i < w->count; i++) {
		w->order[i] = i;
		w->log[i] = log(w->value[i]);
	}
	qsort_r(w->order, w->count, sizeof *w->order, by_value, w->log);
	levels->count = 0;
	levels->at[0] = 0;
	levels->at[1] = w->count;
}

enum gb_status gb_shifts_find(const double *value, size_t count, const struct gb_shift_rule *rule,
			      struct gb_shift **shift, size_t *shift_count, struct gb_error *err)
{
	struct work w = { .value = value, .count = count, .rule = rule, .inflation = 1 };
	struct levels levels = { 0 };
	struct split *found = NULL;
	struct tested *tested = NULL;
	size_t room;

	*shift = NULL;
	*shift_count = 0;
	for (size_t i = 0; i < count; i++)
		if (!(value[i] > 0))
			return gb_fail(err, GB_ERUNTIME, "a time that is not positive");
	if (count < 2 * rule->segment)
		return GB_OK;
	if (!has_room(&w, &levels, &found, &room, &tested)) {
		gb_out_of_memory(err, "finding shifts");
		goto out;
	}
	start(&w, &levels);
	take_splits(&w, found, find_splits(&w, found, room), &levels);
	place(&w, &levels);
	prune(&w, &levels, tested);
	/* What is left without the levels is known once these are. */
	if (measure_rest(&w, &levels, err))
		goto out;
	memset(tested, 0, (levels.count + 1) * sizeof *tested);
	prune(&w, &levels, tested);
	(void)report(&w, &levels, tested, shift, shift_count, err);
out:
	free(w.log);
	free(w.order);
	free(w.part);
	free(w.rank);
	free(w.seen);
	free(w.before);
	free(w.group);
	free(w.begin);
	free(found);
	free(tested);
	free(levels.at);
	return err->code;
}
