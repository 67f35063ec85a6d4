/* gate.c -- see gate.h. */
#include "cli/reports/compare/gate.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "common/text.h"

/* Looks are at whole blocks of two launches a side, about a factor of sqrt(2) apart. */
static const size_t looks[] = { 4, 6, 8, 12, 16, 20, 28, 40, 56, 80, 112, 160 };

/* Levels of `same`.  Four launches a side can separate completely, which has p = 1/70, so a quiet
 * key is decided by the first look.  With 0.0012 at the others, all looks to 80 together err in
 * 1.9 % of keys, and to 160 in 2.0 %: this is the same for all noise (test_gates.c). */
static const double ONE_LOOK = 0.02, FIRST = 0.0143, LATER = 0.0012;

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

/* The number of launches a side at the look after `launches`; 0 if there is none. */
static size_t next_look(const struct gb_gate *gate, size_t launches)
{
	size_t i = 0;

	if (!gate->most)
		return launches < MOST_NEEDED ? launches + 1 : 0;
	while (gb_gate_look(gate, i) && gb_gate_look(gate, i) <= launches)
		i++;
	return gb_gate_look(gate, i);
}

size_t gb_gate_least(const struct gb_gate *gate)
{
	size_t n = next_look(gate, gate->most ? 0 : looks[0] - 1);

	while (n && smallest_p(n) > gb_gate_slower_level(gate, n))
		n = next_look(gate, n);
	return n;
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

/* The launches a side at which p, which shrinks as that of a mean does, reaches its level. */
static size_t needed(const struct gb_gate *gate, size_t launches, double p, bool slower)
{
	const double z = deviate(p);

	for (size_t n = next_look(gate, launches); n; n = next_look(gate, n)) {
		const double level =
			slower ? gb_gate_slower_level(gate, n) : gb_gate_same_level(gate, n);
		const double then = z * sqrt((double)n / (double)launches);

		if (fmax(erfc(then * M_SQRT1_2) / 2, smallest_p(n)) <= level)
			return n;
	}
	return 0;
}

/* Judge sorted logarithms.  If it is not a look, they are too few and stay unsure. */
static enum gb_status look_at(const struct gb_gate *gate, const struct gb_logrank *test,
			      const double *base, const double *other, bool is_look,
			      struct gb_gate_result *r, struct gb_error *err)
{
	const size_t launches = test->base < test->other ? test->base : test->other;
	const double t = gate->threshold;
	double slower, faster;

	if (gb_logrank_ratio(test, base, other, GB_LEVEL, &r->ratio, err))
		return err->code;
	r->base = test->base;
	r->other = test->other;
	r->verdict = GB_UNSURE;
	slower = gb_logrank_slower(test, base, other, 0);
	faster = gb_logrank_faster(test, base, other, log(1 + 2 * t));
	if (!is_look || launches < looks[0])
		r->needed = gb_gate_least(gate);
	else if (r->ratio.estimate > 1 + t && slower <= gb_gate_slower_level(gate, launches))
		r->verdict = GB_SLOWER;
	else if (r->ratio.estimate > 1 + t || faster > gb_gate_same_level(gate, launches))
		r->needed = r->ratio.estimate > 1 + t ? needed(gate, launches, slower, true)
						      : needed(gate, launches, faster, false);
	else if (r->ratio.estimate < 1 / (1 + t) &&
		 gb_logrank_faster(test, base, other, 0) <= ONE_LOOK)
		r->verdict = GB_FASTER;
	else
		r->verdict = GB_SAME;
	return GB_OK;
}

/* ---- all looks ---------------------------------------------------------------------------- */

enum gb_status gb_gate_judge(const struct gb_gate *gate, struct gb_gate_tests *tests,
			     const double *base, size_t base_count, const double *other,
			     size_t other_count, struct gb_gate_result *result,
			     struct gb_error *err)
{
	const size_t least = base_count < other_count ? base_count : other_count;
	double *x = malloc((base_count + 1) * sizeof *x);
	double *y = malloc((other_count + 1) * sizeof *y);

	*result = (struct gb_gate_result){ .verdict = GB_UNSURE,
					   .ratio = { NAN, { NAN, NAN, NAN } } };
	if (!x || !y)
		gb_out_of_memory(err, "a comparison");
	for (size_t i = 0; least && !err->code && result->verdict == GB_UNSURE; i++) {
		const size_t look = gb_gate_look(gate, i);
		const bool is_look = gate->most ? look && look <= least : i == 0;
		const size_t n = gate->most && is_look ? look : base_count;
		const size_t m = gate->most && is_look ? look : other_count;
		const struct gb_logrank *test;

		if (!is_look && i > 0)
			break;
		test = test_of(tests, n, m, err);
		if (test && !take_logs(x, base, n, err) && !take_logs(y, other, m, err))
			(void)look_at(gate, test, x, y, is_look, result, err);
	}
	free(x);
	free(y);
	return err->code;
}
