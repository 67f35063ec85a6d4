/* claims.c -- tests the claims of a paper on the values measured here.
 *
 * A claim is about shape (which variant wins where, what grows, what is linear), never about
 * absolute times.  results/papers/FORMAT.md lists the kinds of test.  A claim is tested on the rows
 * that were measured, and the verdict states their number; tests that compare rows need at least
 * two.  Tests by accounting need no measurement.
 */
#include <math.h>
#include <string.h>

#include "cli/reports/repro/repro.h"
#include "common/text.h"

/* A claim under test. */
struct claim {
	const struct gb_repro *repro;
	const cJSON *test;
	size_t column;
	size_t meant, tested; /* number of the claim's rows, and of those measured */
	char why[256];
};

/* True if the row's keys are among those of the test's `where`. */
static bool is_meant(const struct claim *c, size_t row)
{
	const struct gb_repro *t = c->repro;
	const cJSON *key;

	cJSON_ArrayForEach(key, gb_json_at(c->test, "where"))
	{
		const size_t column = gb_repro_column(t, key->string);

		if (column == t->columns ||
		    !gb_repro_lists(key, &t->cell[row * t->columns + column]))
			return false;
	}
	return true;
}

static double here(const struct claim *c, size_t row, size_t column)
{
	return c->repro->cell[row * c->repro->columns + column].here;
}

/* True if the row belongs to the claim and was measured in its column. */
static bool is_tested(const struct claim *c, size_t row)
{
	return is_meant(c, row) && !isnan(here(c, row, c->column));
}

/* Too little was measured: set the reason from the first row of the claim that lacks a value. */
static enum gb_claim_verdict missing(struct claim *c, size_t column)
{
	for (size_t r = 0; r < c->repro->rows; r++) {
		const char *reason = c->repro->cell[r * c->repro->columns + column].reason;

		if ((!is_meant(c, r) && c->meant < c->repro->rows) || !isnan(here(c, r, column)))
			continue;
		(void)snprintf(c->why, sizeof c->why, "row %zu was not measured: %.180s", r + 1,
			       reason ? reason : "no value");
		break;
	}
	return GB_CLAIM_UNTESTABLE;
}

/* Test that every value of the claim's rows is on the right side of a bound: a number, or a factor
 * times another column. */
static enum gb_claim_verdict test_bound(struct claim *c, bool below)
{
	const char *name = gb_json_text(c->test, "than");
	const size_t than = gb_repro_column(c->repro, name);
	const double value = gb_json_number(c->test, "value");
	const double given = gb_json_number(c->test, "factor"), factor = isnan(given) ? 1 : given;
	const char *word = below ? "below" : "above";

	if (name && than == c->repro->columns)
		return GB_CLAIM_UNTESTABLE;
	c->tested = 0;
	for (size_t r = 0; r < c->repro->rows; r++) {
		const double x = here(c, r, c->column);
		const double bound = name ? factor * here(c, r, than) : value;

		if (!is_tested(c, r) || isnan(bound))
			continue;
		c->tested++;
		if (c->why[0] || (below ? x < bound : x > bound))
			continue;
		if (name)
			(void)snprintf(c->why, sizeof c->why,
				       "row %zu: %.3g is not %s %.3g, %g times %.40s", r + 1, x,
				       word, bound, factor, name);
		else
			(void)snprintf(c->why, sizeof c->why, "row %zu: %.3g is not %s %g", r + 1,
				       x, word, bound);
	}
	if (c->why[0])
		return GB_CLAIM_NOT_HELD;
	return c->tested ? GB_CLAIM_HELD : missing(c, than);
}

/* Test that the values, or their ratios to the published ones of another column, stay close
 * together. */
static enum gb_claim_verdict test_spread(struct claim *c)
{
	const char *name = gb_json_text(c->test, "against");
	const size_t against = gb_repro_column(c->repro, name);
	const double tolerance = gb_json_number(c->test, "tolerance");
	double sum = 0, low = INFINITY, high = -INFINITY;
	bool held;

	if (name && against == c->repro->columns)
		return GB_CLAIM_UNTESTABLE;
	for (size_t r = 0; r < c->repro->rows; r++) {
		const struct gb_repro_cell *row = &c->repro->cell[r * c->repro->columns];
		const double x = row[c->column].here / (name ? row[against].published : 1);

		if (!is_tested(c, r))
			continue;
		low = fmin(low, x);
		high = fmax(high, x);
		sum += x;
	}
	sum /= (double)c->tested;
	held = name ? low >= sum * (1 - tolerance) && high <= sum * (1 + tolerance)
		    : high - low <= tolerance * sum;
	(void)snprintf(c->why, sizeof c->why, "between %.2f and %.2f of the mean%s", low / sum,
		       high / sum, name ? " quotient" : "");
	return held ? GB_CLAIM_HELD : GB_CLAIM_NOT_HELD;
}

static enum gb_claim_verdict test_trend(struct claim *c, bool increasing)
{
	const double tolerance = gb_json_number(c->test, "tolerance");
	double last = increasing ? -INFINITY : INFINITY;

	for (size_t r = 0; r < c->repro->rows; r++) {
		const double x = here(c, r, c->column);

		if (!is_tested(c, r))
			continue;
		if (increasing ? x < last * (1 - tolerance) : x > last * (1 + tolerance)) {
			(void)snprintf(c->why, sizeof c->why, "row %zu: %.3g after %.3g", r + 1, x,
				       last);
			return GB_CLAIM_NOT_HELD;
		}
		last = x;
	}
	return GB_CLAIM_HELD;
}

/* The distance from the row to the next row of the claim. */
static size_t distance(const struct claim *c, size_t row)
{
	size_t least = c->repro->rows;

	for (size_t r = 0; r < c->repro->rows; r++)
		if (is_meant(c, r))
			least = r > row ? (r - row < least ? r - row : least)
					: (row - r < least ? row - r : least);
	return least;
}

/* Test the position of the maximum over all rows.  If the row of the peak was not measured, the
 * nearest row that was must have the largest value. */
static enum gb_claim_verdict test_maximum(struct claim *c)
{
	const struct gb_repro *t = c->repro;
	size_t best = t->rows, nearest = t->rows;

	c->meant = t->rows;
	c->tested = 0;
	for (size_t r = 0; r < t->rows; r++) {
		if (isnan(here(c, r, c->column)))
			continue;
		c->tested++;
		if (best == t->rows || here(c, r, c->column) > here(c, best, c->column))
			best = r;
		if (nearest == t->rows || distance(c, r) < distance(c, nearest))
			nearest = r;
	}
	if (c->tested < 2)
		return missing(c, c->column);
	if (distance(c, best) == distance(c, nearest)) {
		if (distance(c, nearest) > 0)
			(void)snprintf(
				c->why, sizeof c->why,
				"the largest is the one measured next to the peak, which was "
				"not measured itself");
		return GB_CLAIM_HELD;
	}
	(void)snprintf(c->why, sizeof c->why, "the largest here, %.3g, is in row %zu",
		       here(c, best, c->column), best + 1);
	return GB_CLAIM_NOT_HELD;
}

/* Test, without timing, that some amount of memory suffices for every row except those of the
 * claim. */
static enum gb_claim_verdict test_memory(struct claim *c)
{
	const double bytes_per_item = gb_json_number(c->test, "bytes_per_item");
	double least = INFINITY, other = 0;
	char text[GB_TEXT_MAX], fits[GB_TEXT_MAX];

	for (size_t r = 0; r < c->repro->rows; r++) {
		const double bytes =
			bytes_per_item * c->repro->cell[r * c->repro->columns].published;

		if (is_meant(c, r))
			least = fmin(least, bytes);
		else
			other = fmax(other, bytes);
	}
	(void)snprintf(
		c->why, sizeof c->why,
		"by accounting: at %g bytes an item it takes %s, the other rows up to %s; on a "
		"GPU that has memory for these and not for that",
		bytes_per_item, gb_text_bytes(text, least), gb_text_bytes(fits, other));
	return least > other ? GB_CLAIM_HELD : GB_CLAIM_NOT_HELD;
}

/* Test the ratio of two sizes that the text states in bits. */
static enum gb_claim_verdict test_bits(struct claim *c)
{
	const double bits = gb_json_number(c->test, "bits"),
		     of = gb_json_number(c->test, "of_bits");
	const double claimed = gb_json_number(c->test, "value");

	(void)snprintf(c->why, sizeof c->why, "by accounting: %g bits to %g", bits, of);
	return fabs(bits / of - claimed) <= 1e-9 * claimed ? GB_CLAIM_HELD : GB_CLAIM_NOT_HELD;
}

/* Run the kinds of test that look at the rows of one column. */
static enum gb_claim_verdict test_rows(struct claim *c, const char *kind)
{
	const bool spread = gb_equal(kind, "flat") || gb_equal(kind, "linear");
	const bool trend = gb_equal(kind, "increasing") || gb_equal(kind, "decreasing");

	for (size_t r = 0; r < c->repro->rows; r++) {
		c->meant += is_meant(c, r);
		c->tested += is_tested(c, r);
	}
	if (gb_equal(kind, "maximum-at"))
		return test_maximum(c);
	if (c->tested == 0 || ((spread || trend) && c->tested < 2 && c->meant > 1))
		return missing(c, c->column);
	if (spread)
		return test_spread(c);
	return trend ? test_trend(c, gb_equal(kind, "increasing"))
		     : test_bound(c, strstr(kind, "-below") != NULL);
}

static enum gb_claim_verdict test_claim(struct claim *c)
{
	const char *kind = gb_json_text(c->test, "kind");

	if (!kind)
		return GB_CLAIM_UNTESTABLE;
	if (gb_equal(kind, "memory-exceeds"))
		return test_memory(c);
	if (gb_equal(kind, "bits"))
		return test_bits(c);
	return c->column == c->repro->columns ? GB_CLAIM_UNTESTABLE : test_rows(c, kind);
}

/* Prepend the share of rows that were tested: "in 6 of 6; 3 not measured". */
static void put_share(struct claim *c, enum gb_claim_verdict verdict)
{
	char rest[sizeof c->why];

	if (verdict == GB_CLAIM_UNTESTABLE || c->tested >= c->meant)
		return;
	memcpy(rest, c->why, sizeof rest);
	(void)snprintf(c->why, sizeof c->why, "%s %zu of %zu; %zu not measured%s%.180s",
		       verdict == GB_CLAIM_HELD ? "in" : "tested in", c->tested,
		       verdict == GB_CLAIM_HELD ? c->tested : c->meant, c->meant - c->tested,
		       rest[0] ? "; " : "", rest);
}

const char *const gb_claim_words[] = {
	[GB_CLAIM_HELD] = "held",
	[GB_CLAIM_NOT_HELD] = "not held",
	[GB_CLAIM_UNTESTABLE] = "cannot be tested here",
};

bool gb_repro_claim(const struct gb_repro *repro, const cJSON *claim, struct gb_claim *result)
{
	struct claim c = { .repro = repro, .test = gb_json_at(claim, "test") };
	const char *table = gb_json_text(repro->table, "id"), *of = gb_json_text(claim, "table");

	if (!of || !table || !gb_equal(of, table))
		return false;
	c.column = gb_repro_column(repro, gb_json_text(c.test, "column"));
	*result = (struct gb_claim){ .id = gb_json_text(claim, "id"),
				     .text = gb_json_text(claim, "text"),
				     .verdict = test_claim(&c) };
	put_share(&c, result->verdict);
	result->tested = c.tested;
	result->missing = c.meant - c.tested;
	if (!c.why[0] && gb_json_text(claim, "reason"))
		(void)snprintf(c.why, sizeof c.why, "%s", gb_json_text(claim, "reason"));
	memcpy(result->why, c.why, sizeof c.why);
	return true;
}
