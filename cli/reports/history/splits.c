#include "cli/reports/history/splits.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "cli/reports/history/deviates.h"

/* ---- one interval ------------------------------------------------------------------------- */

/* The best split by the ranks of the values within the interval, rank[0 .. end - begin), from 1,
 * the mean one for values that are equal.  at is begin if there is none. */
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

/* The statistic's deviate, more exactly.  What ties do to its variance is in z already. */
static double sharpen(const struct gb_split *split)
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

static int by_value(const void *a, const void *b, void *closure)
{
	const double *value = ((const struct gb_splitter *)closure)->value;
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
static void count_equal(struct gb_splitter *w, const struct layer *layer, size_t from, size_t to)
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
static void rank_layer(struct gb_splitter *w, const struct layer *layer)
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

struct gb_split gb_split_of(struct gb_splitter *splitter, size_t begin, size_t end,
			    double inflation)
{
	struct gb_splitter *w = splitter;
	struct gb_splitter part = *w;
	const struct layer whole = { .length = end - begin, .count = 1, .begin = NULL };
	size_t n = 0;
	struct gb_split split;

	if (end - begin < 2 * w->segment)
		return (struct gb_split){ begin, end, begin, 0, 1 };
	part.value = w->value + begin;
	part.count = end - begin;
	part.order = w->part;
	for (size_t i = 0; i < w->count; i++)
		if (w->order[i] >= begin && w->order[i] < end)
			part.order[n++] = w->order[i] - begin;
	rank_layer(&part, &whole);
	split = best_split(w->rank, begin, end, w->segment);
	split.z = sharpen(&split);
	split.p = gb_largest_deviate_p(split.z / sqrt(inflation), part.count, w->segment);
	return split;
}

/* ---- the seeded intervals ------------------------------------------------------------------ */

static const double DECAY = 0.70710678118654752; /* of the length, from layer to layer */

/* Layer number i of a series, 0 the whole; false: its intervals were too short. */
static bool layer_of(const struct gb_splitter *w, int i, struct layer *layer)
{
	const double share = pow(DECAY, i), count = (double)w->count;

	layer->length = (size_t)ceil(count * share - 1e-9);
	layer->count = 2 * (size_t)ceil(1 / share - 1e-9) - 1;
	layer->step = layer->count > 1
			      ? (double)(w->count - layer->length) / (double)(layer->count - 1)
			      : 0;
	layer->begin = w->begin;
	if (layer->length < 2 * w->segment)
		return false;
	for (size_t k = 0; w->begin && k < layer->count; k++)
		w->begin[k] = (size_t)((double)k * layer->step);
	return true;
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

		rank_layer(w, &layer);
		for (size_t i = 0; i < layer.count; i++) {
			const size_t begin = begin_of(&layer, i);
			struct gb_split s = best_split(w->rank + i * layer.length, begin,
						       begin + layer.length, w->segment);

			/* No deviate is sharpened by more than half. */
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

/* ---- room to work in ----------------------------------------------------------------------- */

bool gb_splitter_init(struct gb_splitter *splitter, const double *value, size_t count,
		      size_t segment)
{
	struct gb_splitter *w = splitter;
	struct layer layer;
	size_t most = 1, ranks = count;

	*w = (struct gb_splitter){ .value = value, .count = count, .segment = segment };
	for (int l = 0; layer_of(w, l, &layer); l++) {
		w->most_splits += layer.count;
		most = layer.count;
		ranks = layer.count * layer.length > ranks ? layer.count * layer.length : ranks;
	}
	w->order = calloc(count + 1, sizeof *w->order);
	w->part = malloc((count + 1) * sizeof *w->part);
	w->rank = calloc(ranks + 1, sizeof *w->rank);
	w->seen = calloc(most, sizeof *w->seen);
	w->before = calloc(most, sizeof *w->before);
	w->group = malloc(most * sizeof *w->group);
	w->begin = calloc(most, sizeof *w->begin);
	if (!w->order || !w->part || !w->rank || !w->seen || !w->before || !w->group || !w->begin)
		return false;
	for (size_t i = 0; i < count; i++)
		w->order[i] = i;
	qsort_r(w->order, count, sizeof *w->order, by_value, w);
	return true;
}

void gb_splitter_release(struct gb_splitter *splitter)
{
	free(splitter->order);
	free(splitter->part);
	free(splitter->rank);
	free(splitter->seen);
	free(splitter->before);
	free(splitter->group);
	free(splitter->begin);
}
