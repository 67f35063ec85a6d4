/* gate.c -- see gate.h. */
#include "cli/reports/compare/gate.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "common/text.h"

/* Looks are about a factor of sqrt(2) apart. */
static const size_t looks[] = { 4, 6, 8, 12, 16, 20, 28, 40, 56, 80, 112, 160 };

/* Levels of `same`.  Four launches a side can separate completely, which has p = 1/70, so a quiet
 * key is decided by the first look.  With this level at the others, all looks to 80 together err in
 * 2.7 % of keys, whatever the noise is (test_gates.c). */
static const double ONE_LOOK = 0.02, FIRST = 0.0143, LATER = 0.003;

/* A key alone is not called slower while a two-sided interval of 95 % includes 1. */
static const double ONE_KEY = 0.025;

static const size_t MOST_NEEDED = 1000; /* launches that a forecast goes up to */

/* ---- levels ------------------------------------------------------------------------------- */

size_t gb_gate_look(const struct gb_gate *gate, size_t i)
{
	size_t n = 0;

	while (n < GB_COUNT(looks) && looks[n] < gate->most)
		n++;
	return i < n ? looks[i] : i == n && gate->most >= looks[0] ? gate->most : 0;
}

double gb_gate_slower_level(const struct gb_gate *gate, size_t launches)
{
	const double all = fmin(ONE_KEY, gate->error / (double)(gate->keys ? gate->keys : 1));
	const double most = (double)gate->most;
	size_t before = 0;

	if (!gate->most)
		return all;
	for (size_t i = 0; gb_gate_look(gate, i) && gb_gate_look(gate, i) < launches; i++)
		before = gb_gate_look(gate, i);
	return all * (pow((double)launches / most, 1.5) - pow((double)before / most, 1.5));
}

double gb_gate_same_level(const struct gb_gate *gate, size_t launches)
{
	const size_t first = gb_gate_look(gate, 0);

	return first == gate->most ? ONE_LOOK : launches == first ? FIRST : LATER;
}

/* The smallest p of n launches a side. */
static double smallest_p(size_t n)
{
	const double x = (double)n;

	return exp(2 * lgamma(x + 1) - lgamma(2 * x + 1));
}

size_t gb_gate_next_look(const struct gb_gate *gate, size_t launches)
{
	size_t i = 0;

	if (!gate->most)
		return launches < MOST_NEEDED ? launches + 1 : 0;
	while (gb_gate_look(gate, i) && gb_gate_look(gate, i) <= launches)
		i++;
	return gb_gate_look(gate, i);
}

int gb_gate_next_side(const struct gb_gate *gate, size_t base, size_t other, uint64_t random)
{
	const size_t look = gb_gate_next_look(gate, base < other ? base : other);
	const size_t end = look ? look : gate->most;
	const size_t left = end > base ? end - base : 0,
		     all = left + (end > other ? end - other : 0);

	return all == 0 || random % all >= left;
}

/* The same gate if it looked once. */
static struct gb_gate one_look(const struct gb_gate *gate)
{
	struct gb_gate one = *gate;

	one.most = 0;
	return one;
}

size_t gb_gate_least(const struct gb_gate *gate)
{
	const struct gb_gate one = one_look(gate);
	size_t n = gb_gate_next_look(gate, gate->most ? 0 : looks[0] - 1);

	while (n && smallest_p(n) > gb_gate_slower_level(gate, n))
		n = gb_gate_next_look(gate, n);
	return n || !gate->most ? n : gb_gate_least(&one);
}

/* ---- one look ----------------------------------------------------------------------------- */

/* The distribution for these sizes; NULL if memory ran out. */
static const struct gb_logrank *test_of(struct gb_gate_tests *tests, size_t base, size_t other,
					struct gb_error *err)
{
	struct gb_logrank *more;

	for (size_t i = 0; i < tests->count; i++)
		if (tests->test[i].base == base && tests->test[i].other == other)
			return &tests->test[i];
	more = realloc(tests->test, (tests->count + 1) * sizeof *more);
	if (!more) {
		gb_out_of_memory(err, "a permutation test");
		return NULL;
	}
	tests->test = more;
	more += tests->count++;
	return gb_logrank_init(more, base, other, err) ? NULL : more;
}

void gb_gate_release(struct gb_gate_tests *tests)
{
	for (size_t i = 0; i < tests->count; i++)
		gb_logrank_release(&tests->test[i]);
	free(tests->test);
	*tests = (struct gb_gate_tests){ 0 };
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

/* The deviate of a normal distribution with this tail, by bisection. */
static double deviate(double p)
{
	double low = -40, high = 40;

	for (int i = 0; i < 100; i++) {
		const double z = (low + high) / 2;

		*(erfc(z * M_SQRT1_2) / 2 > p ? &low : &high) = z;
	}
	return low;
}

/* The launches a side at which p reaches its level if it shrinks as that of a mean does.  They may
 * be more than the gate makes; 0 if that is too far. */
static size_t needed(const struct gb_gate *gate, size_t launches, double p, bool slower)
{
	const struct gb_gate one = one_look(gate);
	const double z = deviate(p);

	for (size_t n = gb_gate_next_look(gate, launches); n; n = gb_gate_next_look(gate, n)) {
		const double level =
			slower ? gb_gate_slower_level(gate, n) : gb_gate_same_level(gate, n);
		const double then = z * sqrt((double)n / (double)launches);

		if (fmax(erfc(then * M_SQRT1_2) / 2, smallest_p(n)) <= level)
			return n;
	}
	return gate->most ? needed(&one, launches, p, slower) : 0;
}

/* Sorted logarithms of both sides, and the distribution for their numbers. */
struct sides {
	const struct gb_logrank *test;
	double *base, *other;
};

static enum gb_status take_sides(struct sides *s, struct gb_gate_tests *tests, const double *base,
				 size_t n, const double *other, size_t m, struct gb_error *err)
{
	s->test = test_of(tests, n, m, err);
	if (s->test && !take_logs(s->base, base, n, err))
		(void)take_logs(s->other, other, m, err);
	return err->code;
}

/* Judge by a look at `launches` a side.  The ratio, which takes longer than the tests, is set only
 * if one of them rejects. */
static enum gb_status look_at(const struct gb_gate *gate, const struct sides *s, size_t launches,
			      struct gb_gate_result *r, struct gb_error *err)
{
	const double t = gate->threshold;
	const bool slower = gb_logrank_slower(s->test, s->base, s->other, 0) <=
			    gb_gate_slower_level(gate, launches);
	const bool same = gb_logrank_faster(s->test, s->base, s->other, log(1 + 2 * t)) <=
			  gb_gate_same_level(gate, launches);

	if (launches < looks[0] || !(slower || same) ||
	    gb_logrank_ratio(s->test, s->base, s->other, GB_LEVEL, &r->ratio, err))
		return err->code;
	if (r->ratio.estimate > 1 + t)
		r->verdict = slower ? GB_SLOWER : GB_UNSURE;
	else if (!same)
		r->verdict = GB_UNSURE;
	else if (r->ratio.estimate < 1 / (1 + t) &&
		 gb_logrank_faster(s->test, s->base, s->other, 0) <= ONE_LOOK)
		r->verdict = GB_FASTER;
	else
		r->verdict = GB_SAME;
	return GB_OK;
}

/* Set the ratio of launches that decided nothing, and how many would. */
static enum gb_status look_ahead(const struct gb_gate *gate, const struct sides *s,
				 struct gb_gate_result *r, struct gb_error *err)
{
	const size_t launches = s->test->base < s->test->other ? s->test->base : s->test->other;
	const double t = gate->threshold;

	if (gb_logrank_ratio(s->test, s->base, s->other, GB_LEVEL, &r->ratio, err))
		return err->code;
	if (launches < looks[0])
		r->needed = gb_gate_least(gate);
	else if (r->ratio.estimate > 1 + t)
		r->needed = needed(gate, launches, gb_logrank_slower(s->test, s->base, s->other, 0),
				   true);
	else
		r->needed = needed(gate, launches,
				   gb_logrank_faster(s->test, s->base, s->other, log(1 + 2 * t)),
				   false);
	return GB_OK;
}

/* ---- all looks ---------------------------------------------------------------------------- */

enum gb_status gb_gate_judge(const struct gb_gate *gate, struct gb_gate_tests *tests,
			     const double *base, size_t base_count, const double *other,
			     size_t other_count, struct gb_gate_result *result,
			     struct gb_error *err)
{
	const size_t least = base_count < other_count ? base_count : other_count;
	struct sides s = { .base = malloc((base_count + 1) * sizeof(double)),
			   .other = malloc((other_count + 1) * sizeof(double)) };
	struct gb_gate_result *r = result;

	*r = (struct gb_gate_result){
		GB_UNSURE, base_count, other_count, { NAN, { NAN, NAN, NAN } }, 0
	};
	if (!s.base || !s.other)
		gb_out_of_memory(err, "a comparison");
	for (size_t i = 0; least && !err->code && r->verdict == GB_UNSURE; i++) {
		const size_t look = gate->most ? gb_gate_look(gate, i) : least;

		if (!look || look > least || (i > 0 && !gate->most))
			break;
		r->base = gate->most ? look : base_count;
		r->other = gate->most ? look : other_count;
		if (!take_sides(&s, tests, base, r->base, other, r->other, err))
			(void)look_at(gate, &s, look, r, err);
	}
	if (least && !err->code && r->verdict == GB_UNSURE &&
	    !take_sides(&s, tests, base, r->base, other, r->other, err))
		(void)look_ahead(gate, &s, r, err);
	free(s.base);
	free(s.other);
	return err->code;
}
