/* gate.c -- see gate.h. */
#include "cli/reports/compare/gate.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "common/text.h"

/* Looks are about a factor of sqrt(2) apart. */
static const size_t looks[] = { 4, 6, 8, 12, 16, 20, 28, 40, 56, 80, 112, 160 };

/* Levels of `same`.  Four launches a side can separate completely, which has p = 1/70, so a quiet
 * key is decided by the first look.  With this level at the others, all looks together err in 2.9 %
 * of keys, whatever the noise is (test_gates.c). */
static const double ONE_LOOK = 0.02, FIRST = 0.0143, LATER = 0.003;

/* Stored launches of base differ from new ones if a test in one direction rejects at DRIFT, which
 * overlooks a drift of half of what the gate excludes too often.  New launches alone must therefore
 * also exclude it, at FRESH. */
static const double DRIFT = 0.1, FRESH = 0.02;

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
	size_t before = 0;

	if (!gate->most)
		return all;
	for (size_t i = 0; gb_gate_look(gate, i) && gb_gate_look(gate, i) < launches; i++)
		before = gb_gate_look(gate, i);
	return all * (double)(launches - before) / (double)gate->most;
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
	size_t n = gb_gate_next_look(gate, 0);

	while (n && smallest_p(n) > gb_gate_slower_level(gate, n))
		n = gb_gate_next_look(gate, n);
	return n || !gate->most ? n : gb_gate_least(&one);
}

/* ---- one look ----------------------------------------------------------------------------- */

/* The distribution for these sizes; NULL if memory ran out. */
static const struct gb_logrank *test_of(struct gb_gate_tests *tests, size_t base, size_t other,
					struct gb_error *err)
{
	struct gb_logrank **more, *test;

	for (size_t i = 0; i < tests->count; i++)
		if (tests->test[i]->base == base && tests->test[i]->other == other)
			return tests->test[i];
	more = realloc(tests->test, (tests->count + 1) * sizeof(struct gb_logrank *));
	if (more)
		tests->test = more;
	test = more ? calloc(1, sizeof *test) : NULL;
	if (!test) {
		gb_out_of_memory(err, "a permutation test");
		return NULL;
	}
	tests->test[tests->count++] = test;
	return gb_logrank_init(test, base, other, err) ? NULL : test;
}

void gb_gate_release(struct gb_gate_tests *tests)
{
	for (size_t i = 0; i < tests->count; i++) {
		gb_logrank_release(tests->test[i]);
		free(tests->test[i]);
	}
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

		if (erfc(then * M_SQRT1_2) / 2 <= level && smallest_p(n) <= level)
			return n;
	}
	return gate->most ? needed(&one, launches, p, slower) : 0;
}

/* Sorted logarithms of two sides, and the distribution for their numbers. */
struct sides {
	const struct gb_logrank *test;
	const double *base, *other;
};

/* One look at a key: the launches of both sides, and the same with stored ones of base. */
struct look {
	double *base, *other, *stored,
		*both; /* room for sorted logarithms; both: base and stored */
	struct sides fresh, pooled;
	bool uses_stored;
};

static enum gb_status test_sides(struct sides *s, struct gb_gate_tests *tests, const double *base,
				 size_t n, const double *other, size_t m, struct gb_error *err)
{
	*s = (struct sides){ test_of(tests, n, m, err), base, other };
	return err->code;
}

/* True if launches of base differ from the stored ones. */
static bool has_drifted(const struct sides *s)
{
	return gb_logrank_slower(s->test, s->base, s->other, 0) <= DRIFT ||
	       gb_logrank_faster(s->test, s->base, s->other, 0) <= DRIFT;
}

/* Pool the n launches of base with the stored ones unless they differ. */
static enum gb_status take_stored(struct look *l, struct gb_gate_tests *tests,
				  const struct gb_gate_values *v, size_t n, size_t m,
				  struct gb_error *err)
{
	const size_t stored = v->stored_count;
	struct sides drift;

	if (take_logs(l->stored, v->stored, stored, err) ||
	    test_sides(&drift, tests, l->stored, stored, l->base, n, err))
		return err->code;
	l->uses_stored = !has_drifted(&drift);
	memcpy(l->both, l->stored, stored * sizeof *l->both);
	memcpy(l->both + stored, l->base, n * sizeof *l->both);
	gb_sort(l->both, stored + n);
	return test_sides(&l->pooled, tests, l->both, stored + n, l->other, m, err);
}

/* Take the first n launches of base and m of the other side. */
static enum gb_status take_look(struct look *l, struct gb_gate_tests *tests,
				const struct gb_gate_values *v, size_t n, size_t m,
				struct gb_error *err)
{
	l->uses_stored = false;
	if (take_logs(l->base, v->base, n, err) || take_logs(l->other, v->other, m, err) ||
	    test_sides(&l->fresh, tests, l->base, n, l->other, m, err) || !v->stored_count)
		return err->code;
	return take_stored(l, tests, v, n, m, err);
}

static double p_of_same(const struct gb_gate *gate, const struct sides *s)
{
	return gb_logrank_faster(s->test, s->base, s->other, log(1 + 2 * gate->threshold));
}

/* True if the launches exclude that the key is slower by 2 t. */
static bool is_same(const struct gb_gate *gate, const struct look *l, size_t launches)
{
	const double level = gb_gate_same_level(gate, launches);

	return p_of_same(gate, &l->fresh) <= (l->uses_stored ? FRESH : level) &&
	       (!l->uses_stored || p_of_same(gate, &l->pooled) <= level);
}

static double p_of_slower(const struct look *l)
{
	return gb_logrank_slower(l->fresh.test, l->fresh.base, l->fresh.other, 0);
}

static enum gb_status find_ratio(const struct sides *s, struct gb_gate_result *r,
				 struct gb_error *err)
{
	return gb_logrank_ratio(s->test, s->base, s->other, GB_LEVEL, &r->ratio, err);
}

/* Judge by a look at `launches` a side.  The ratio, which takes longer than the tests, is set only
 * if one of them rejects. */
static enum gb_status look_at(const struct gb_gate *gate, const struct look *l, size_t launches,
			      struct gb_gate_result *r, struct gb_error *err)
{
	const double most = 1 + gate->threshold;
	const bool slower = p_of_slower(l) <= gb_gate_slower_level(gate, launches);
	const bool same = is_same(gate, l, launches);

	if (launches < looks[0] || !(slower || same) || find_ratio(&l->fresh, r, err))
		return err->code;
	if (r->ratio.estimate > most) {
		r->verdict = slower ? GB_SLOWER : GB_UNSURE;
		return GB_OK;
	}
	if (!same || (l->uses_stored && find_ratio(&l->pooled, r, err)) || r->ratio.estimate > most)
		return err->code;
	r->verdict = GB_SAME;
	if (r->ratio.estimate < 1 / most &&
	    gb_logrank_faster(l->fresh.test, l->fresh.base, l->fresh.other, 0) <= ONE_LOOK)
		r->verdict = GB_FASTER;
	return GB_OK;
}

/* Set the ratio of launches that decided nothing, and how many would. */
static enum gb_status look_ahead(const struct gb_gate *gate, const struct look *l, size_t launches,
				 struct gb_gate_result *r, struct gb_error *err)
{
	bool slower;

	if (find_ratio(&l->fresh, r, err))
		return err->code;
	slower = r->ratio.estimate > 1 + gate->threshold;
	if (launches < looks[0])
		r->needed = gb_gate_least(gate);
	else
		r->needed = needed(gate, launches,
				   slower ? p_of_slower(l) : p_of_same(gate, &l->fresh), slower);
	return GB_OK;
}

/* ---- all looks ---------------------------------------------------------------------------- */

/* Room for all values; its start, for free(), or NULL if memory ran out. */
static double *start_look(struct look *l, const struct gb_gate_values *v)
{
	const size_t n = v->base_count + 1, m = v->other_count + 1, more = v->stored_count + 1;
	double *room = malloc((2 * n + m + 2 * more) * sizeof *room);

	*l = (struct look){ 0 };
	if (!room)
		return NULL;
	l->base = room;
	l->other = room + n;
	l->stored = room + n + m;
	l->both = l->stored + more;
	return room;
}

enum gb_status gb_gate_judge(const struct gb_gate *gate, struct gb_gate_tests *tests,
			     const struct gb_gate_values *values, struct gb_gate_result *result,
			     struct gb_error *err)
{
	const struct gb_gate_values *v = values;
	const size_t least = v->base_count < v->other_count ? v->base_count : v->other_count;
	struct gb_gate_result *r = result;
	struct look l;
	double *room = start_look(&l, v);

	*r = (struct gb_gate_result){ .verdict = GB_UNSURE,
				      .base = v->base_count,
				      .other = v->other_count,
				      .ratio = { NAN, { NAN, NAN, NAN } } };
	if (!room)
		return gb_out_of_memory(err, "a comparison");
	for (size_t i = 0; least && !err->code && r->verdict == GB_UNSURE; i++) {
		const size_t look = gate->most ? gb_gate_look(gate, i) : least;

		if (!look || look > least || (i > 0 && !gate->most))
			break;
		r->base = gate->most ? look : v->base_count;
		r->other = gate->most ? look : v->other_count;
		if (!take_look(&l, tests, v, r->base, r->other, err))
			(void)look_at(gate, &l, look, r, err);
		r->drifted = v->stored_count && !l.uses_stored;
	}
	if (least && !err->code && r->verdict == GB_UNSURE &&
	    !take_look(&l, tests, v, r->base, r->other, err))
		(void)look_ahead(gate, &l, r->base < r->other ? r->base : r->other, r, err);
	free(room);
	return err->code;
}
