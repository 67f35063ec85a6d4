/* gate.c -- see gate.h. */
#include "cli/report/compare/gate.h"

#include <math.h>
#include <stdlib.h>

#include "common/text.h"

enum { SCALE = 16 }; /* of the integer scores */

const size_t gb_gate_looks[GB_GATE_LOOKS] = { 4, 6, 9, 13, 19, 28, 42, 63, 94, GB_GATE_MOST };

/* Four repetitions a side that separate have p = 1/70, so a quiet key is decided by the first
 * look. */
static const double FIRST = 1 / 70.0, LATER = 0.003, TAIL = (1 - GB_LEVEL) / 2;
static const double ROUNDING = 1 + 1e-9; /* of p, which is compared with levels that it can equal */

/* ---- the distribution ---------------------------------------------------------------------- */

/* The distribution of the sum of `other` of the scores, each choice equally likely. */
struct gb_gate_test {
	size_t base, other;
	size_t score[2 * GB_GATE_MOST];
	double *at_most; /* at_most[s]: probability that the sum is at most s */
};

/* Count by dynamic programming over the scores: row[i][s] is the share of the choices of i of the
 * scores so far with sum s.  It is halved each time, so that nothing overflows. */
static bool count(struct gb_gate_test *t)
{
	const size_t all = t->base + t->other;
	double harmonic = 0, sum = 0, *row;
	size_t width = 1;

	for (size_t r = all; r-- > 0;)
		t->score[r] = (size_t)lround(SCALE * (harmonic += 1.0 / (double)(r + 1)));
	for (size_t r = 0; r < t->other; r++)
		width += t->score[r];
	row = calloc((t->other + 1) * width, sizeof *row);
	t->at_most = calloc(width, sizeof *t->at_most);
	if (!row || !t->at_most) {
		free(row);
		return false;
	}
	row[0] = 1;
	for (size_t k = 0; k < all; k++) {
		const size_t score = t->score[k];

		for (size_t i = t->other + 1; i-- > 0;) {
			double *const to = row + i * width;

			for (size_t s = width; s-- > 0;)
				to[s] = (to[s] + (i && s >= score ? to[s - score - width] : 0)) / 2;
		}
	}
	for (size_t s = 0; s < width; s++)
		t->at_most[s] = sum += row[t->other * width + s];
	for (size_t s = 0; s < width; s++)
		t->at_most[s] /= sum;
	free(row);
	return true;
}

/* The distribution for these sizes; NULL if memory ran out. */
static const struct gb_gate_test *test_of(struct gb_gate_tests *tests, size_t base, size_t other)
{
	struct gb_gate_test *t;

	for (size_t i = 0; i < tests->count; i++)
		if (tests->test[i].base == base && tests->test[i].other == other)
			return &tests->test[i];
	t = realloc(tests->test, (tests->count + 1) * sizeof *t);
	if (!t)
		return NULL;
	tests->test = t;
	t += tests->count++;
	*t = (struct gb_gate_test){ .base = base, .other = other };
	return count(t) ? t : NULL;
}

void gb_gate_release(struct gb_gate_tests *tests)
{
	for (size_t i = 0; i < tests->count; i++)
		free(tests->test[i].at_most);
	free(tests->test);
	*tests = (struct gb_gate_tests){ 0 };
}

/* The sum of the scores of other / exp(shift) among both sides.  Among equal values, base comes
 * first if `base_first`. */
static size_t statistic(const struct gb_gate_test *t, const struct gb_gate_values *v, double shift,
			bool base_first)
{
	size_t s = 0, below = 0;

	for (size_t j = 0; j < t->other; j++) {
		const double value = v->other[j] - shift;

		while (below < t->base &&
		       (base_first ? v->base[below] <= value : v->base[below] < value))
			below++;
		s += t->score[j + below];
	}
	return s;
}

/* The probability of so slow, or so fast, repetitions.  Slow repetitions have low scores. */
static double p_of(const struct gb_gate_test *t, const struct gb_gate_values *v, double shift,
		   bool faster)
{
	const size_t s = statistic(t, v, shift, faster);

	return !faster ? t->at_most[s] : 1 - (s ? t->at_most[s - 1] : 0);
}

double gb_gate_p(struct gb_gate_tests *tests, const struct gb_gate_values *logs, double ratio,
		 bool faster)
{
	const struct gb_gate_test *t = test_of(tests, logs->base_count, logs->other_count);

	return t ? p_of(t, logs, log(ratio), faster) : (double)NAN;
}

/* ---- the ratio ----------------------------------------------------------------------------- */

/* The smallest ratio with p above the level or, if `faster`, the largest. */
static double ratio_at(const struct gb_gate_test *t, const struct gb_gate_values *v, bool faster,
		       double level)
{
	double low = v->other[0] - v->base[t->base - 1] - 1;
	double high = v->other[t->other - 1] - v->base[0] + 1;

	for (int i = 0; i < 60; i++) {
		const double middle = (low + high) / 2;

		*((p_of(t, v, middle, faster) > level * ROUNDING) != faster ? &high : &low) =
			middle;
	}
	return exp(rint((faster ? low : high) * 1e12) / 1e12); /* ties make steps at 0 */
}

static double smallest_p(size_t base, size_t other)
{
	const double n = (double)base, m = (double)other;

	return exp(lgamma(n + 1) + lgamma(m + 1) - lgamma(n + m + 1));
}

static struct gb_ratio find_ratio(const struct gb_gate_test *t, const struct gb_gate_values *v)
{
	struct gb_ratio r = { ratio_at(t, v, false, 0.5), { NAN, NAN } };

	if (smallest_p(t->base, t->other) <= TAIL)
		r.interval = (struct gb_interval){ ratio_at(t, v, false, TAIL),
						   ratio_at(t, v, true, TAIL) };
	return r;
}

/* ---- the verdict --------------------------------------------------------------------------- */

static const char *const words[] = {
	[GB_SAME] = "same",         [GB_UNCHANGED] = "unchanged",   [GB_FASTER] = "faster",
	[GB_SLOWER] = "slower",     [GB_UNSURE] = "unsure",         [GB_ABSENT] = "absent",
	[GB_FAILED_RUN] = "failed", [GB_UNVERIFIED] = "unverified",
};
_Static_assert(GB_COUNT(words) == GB_VERDICT_WORDS, "a word for each verdict");

static const enum gb_style styles[GB_VERDICT_WORDS] = {
	[GB_FASTER] = GB_GOOD, [GB_SLOWER] = GB_BAD,     [GB_UNSURE] = GB_WARN,
	[GB_ABSENT] = GB_WARN, [GB_FAILED_RUN] = GB_BAD, [GB_UNVERIFIED] = GB_WARN,
};

const char *gb_verdict_text(enum gb_verdict_word verdict)
{
	return words[verdict];
}

enum gb_style gb_verdict_style(enum gb_verdict_word verdict)
{
	return styles[verdict];
}

static double slower_level(const struct gb_gate *gate)
{
	const double parts = (double)(gate->looks ? gate->looks : 1) * (double)gate->keys;

	return gate->error / fmax(parts, 1) * ROUNDING;
}

bool gb_gate_suffices(const struct gb_gate *gate, size_t base, size_t other)
{
	return base >= GB_GATE_LEAST && other >= GB_GATE_LEAST &&
	       smallest_p(base, other) <= slower_level(gate);
}

static enum gb_verdict_word verdict_of(const struct gb_gate *gate, const struct gb_gate_test *t,
				       const struct gb_gate_values *v, bool first, double ratio)
{
	const double most = 1 + gate->threshold, level = (first ? FIRST : LATER) * ROUNDING;

	if (t->base < GB_GATE_LEAST || t->other < GB_GATE_LEAST)
		return GB_UNSURE;
	if (ratio > most)
		return p_of(t, v, 0, false) <= slower_level(gate) ? GB_SLOWER : GB_UNSURE;
	if (p_of(t, v, log(1 + 2 * gate->threshold), true) > level)
		return GB_UNSURE;
	return ratio < 1 / most && p_of(t, v, 0, true) <= level ? GB_FASTER : GB_SAME;
}

/* The sorted logarithms of the first `count` values. */
static enum gb_status take_logs(double *log_of, const double *value, size_t count,
				struct gb_error *err)
{
	for (size_t i = 0; i < count; i++) {
		if (!(value[i] > 0))
			return gb_fail(err, GB_ERUNTIME,
				       "a value that is not positive has no ratio");
		log_of[i] = log(value[i]);
	}
	gb_sort(log_of, count);
	return GB_OK;
}

/* Look at the first repetitions of both sides. */
static enum gb_status look(const struct gb_gate *gate, struct gb_gate_tests *tests,
			   const struct gb_gate_values *v, size_t base, size_t other, bool first,
			   struct gb_gate_result *r, struct gb_error *err)
{
	double logs[2][GB_GATE_MOST] = { { 0 } };
	const struct gb_gate_values sorted = { logs[0], logs[1], base, other };
	const struct gb_gate_test *t = test_of(tests, base, other);

	if (!t)
		return gb_out_of_memory(err, "a permutation test");
	if (take_logs(logs[0], v->base, base, err) || take_logs(logs[1], v->other, other, err))
		return err->code;
	r->ratio = find_ratio(t, &sorted);
	r->verdict = verdict_of(gate, t, &sorted, first, r->ratio.estimate);
	return GB_OK;
}

static size_t least_of(size_t a, size_t b)
{
	return a < b ? a : b;
}

enum gb_status gb_gate_judge(const struct gb_gate *gate, struct gb_gate_tests *tests,
			     const struct gb_gate_values *values, struct gb_gate_result *result,
			     struct gb_error *err)
{
	const size_t base = least_of(values->base_count, GB_GATE_MOST);
	const size_t other = least_of(values->other_count, GB_GATE_MOST);
	const size_t both = least_of(base, other);

	*result = (struct gb_gate_result){ GB_UNSURE, { NAN, { NAN, NAN } } };
	if (!both)
		return GB_OK;
	if (!gate->looks || both < gb_gate_looks[0])
		return look(gate, tests, values, base, other, true, result, err);
	for (size_t i = 0; i < gate->looks && gb_gate_looks[i] <= both; i++)
		if (look(gate, tests, values, gb_gate_looks[i], gb_gate_looks[i], i == 0, result,
			 err) ||
		    result->verdict != GB_UNSURE)
			break;
	return err->code;
}

enum gb_status gb_gate_ratio(struct gb_gate_tests *tests, const struct gb_gate_values *values,
			     struct gb_ratio *ratio, struct gb_error *err)
{
	const struct gb_gate one = { .error = 1, .keys = 1 };
	struct gb_gate_result result;

	(void)gb_gate_judge(&one, tests, values, &result, err);
	*ratio = result.ratio;
	return err->code;
}

/* ---- two records ---------------------------------------------------------------------------- */

double gb_repetition_value(const struct gb_record *record)
{
	return record->has_time ? record->time.median : (double)NAN;
}

bool gb_is_timed(const struct gb_record *record)
{
	return record->has_time && record->status == GB_STATUS_OK;
}

struct gb_ratio gb_time_ratio(const struct gb_record *a, const struct gb_record *b)
{
	struct gb_ratio ratio = { NAN, { NAN, NAN } };
	struct gb_gate_tests tests = { 0 };
	struct gb_error ignored = { 0 };

	if (!gb_is_timed(a) || !gb_is_timed(b))
		return ratio;
	ratio.estimate = b->time.median / a->time.median;
	if (a->repetitions >= GB_GATE_LEAST && b->repetitions >= GB_GATE_LEAST)
		(void)gb_gate_ratio(&tests,
				    &(struct gb_gate_values){ a->time.sample, b->time.sample,
							      a->repetitions, b->repetitions },
				    &ratio, &ignored);
	else if (a->repetitions <= 1 && b->repetitions <= 1)
		ratio.interval = (struct gb_interval){ b->time.ci_low / a->time.ci_high,
						       b->time.ci_high / a->time.ci_low };
	gb_gate_release(&tests);
	return ratio;
}

bool gb_is_faster(const struct gb_record *a, const struct gb_record *b)
{
	return gb_time_ratio(a, b).interval.low > 1;
}
