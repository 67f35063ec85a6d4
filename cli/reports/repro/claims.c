/* claims.c -- the claims of a paper, tested on what was measured here.
 *
 * A claim is about shape - who wins where, what grows, what is linear - never about absolute
 * times.  The kinds of test are those of results/papers/README.md.  A claim about rows that were
 * not all measured cannot be tested; half an answer is none.
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
	char why[256];
};

/* Whether the row's key is among the test's `where`. */
static bool is_meant(const struct claim *c, size_t row)
{
	const cJSON *where = gb_json_at(c->test, "where");
	const cJSON *key;

	cJSON_ArrayForEach(key, where)
	{
		const size_t column = gb_repro_column(c->repro, key->string);
		const double is = gb_repro_published(c->repro, row, column);
		const char *text = gb_repro_text(c->repro, row, column);
		const cJSON *wanted;
		bool found = false;

		cJSON_ArrayForEach(wanted, key)
		{
			if (cJSON_IsString(wanted))
				found = found || (text && gb_equal(wanted->valuestring, text));
			else
				found = found || fabs(wanted->valuedouble - is) <= 1e-9 * fabs(is);
		}
		if (!found)
			return false;
	}
	return true;
}

static double here(const struct claim *c, size_t row, size_t column)
{
	return c->repro->here[row * c->repro->columns + column];
}

/* The first row that is meant and was not measured in `column`; rows if there is none. */
static size_t first_missing(const struct claim *c, size_t column)
{
	for (size_t r = 0; r < c->repro->rows; r++)
		if (is_meant(c, r) && isnan(here(c, r, column)))
			return r;
	return c->repro->rows;
}

static enum gb_claim_verdict missing(struct claim *c, size_t row, size_t column)
{
	const char *reason = c->repro->reason[row * c->repro->columns + column];

	(void)snprintf(c->why, sizeof c->why, "row %zu was not measured: %.180s", row + 1,
		       reason ? reason : "no value");
	return GB_CLAIM_UNTESTABLE;
}

/* Every value of the rows that are meant is on the right side of a bound. */
static enum gb_claim_verdict test_ratio(struct claim *c, bool below)
{
	const double bound = gb_json_number(c->test, "value");

	for (size_t r = 0; r < c->repro->rows; r++) {
		const double x = is_meant(c, r) ? here(c, r, c->column) : (double)NAN;

		if (!isnan(x) && (below ? x >= bound : x <= bound)) {
			(void)snprintf(c->why, sizeof c->why, "row %zu: %.3g is not %s %g", r + 1,
				       x, below ? "below" : "above", bound);
			return GB_CLAIM_NOT_HELD;
		}
	}
	return GB_CLAIM_HELD;
}

/* One column against another, row by row. */
static enum gb_claim_verdict test_columns(struct claim *c, bool below)
{
	const char *name = gb_json_text(c->test, "than");
	const size_t than = gb_repro_column(c->repro, name);
	const double given = gb_json_number(c->test, "factor");
	const double factor = isnan(given) ? 1 : given;
	size_t absent;

	if (than == c->repro->columns)
		return GB_CLAIM_UNTESTABLE;
	absent = first_missing(c, than);
	if (absent < c->repro->rows)
		return missing(c, absent, than);
	for (size_t r = 0; r < c->repro->rows; r++) {
		const double x = here(c, r, c->column), bound = factor * here(c, r, than);

		if (is_meant(c, r) && (below ? x >= bound : x <= bound)) {
			(void)snprintf(c->why, sizeof c->why,
				       "row %zu: %.3g is not %s %.3g, %g times %.40s", r + 1, x,
				       below ? "below" : "above", bound, factor, name);
			return GB_CLAIM_NOT_HELD;
		}
	}
	return GB_CLAIM_HELD;
}

/* The values keep together: (max - min) / mean. */
static enum gb_claim_verdict test_flat(struct claim *c)
{
	double sum = 0, low = INFINITY, high = -INFINITY;
	size_t count = 0;

	for (size_t r = 0; r < c->repro->rows; r++) {
		if (!is_meant(c, r))
			continue;
		low = fmin(low, here(c, r, c->column));
		high = fmax(high, here(c, r, c->column));
		sum += here(c, r, c->column);
		count++;
	}
	if (count == 0)
		return GB_CLAIM_UNTESTABLE;
	sum /= (double)count;
	(void)snprintf(c->why, sizeof c->why, "between %.2f and %.2f of the mean", low / sum,
		       high / sum);
	return high - low <= gb_json_number(c->test, "tolerance") * sum ? GB_CLAIM_HELD
									: GB_CLAIM_NOT_HELD;
}

static enum gb_claim_verdict test_trend(struct claim *c, bool increasing)
{
	const double tolerance = gb_json_number(c->test, "tolerance");
	double last = increasing ? -INFINITY : INFINITY;

	for (size_t r = 0; r < c->repro->rows; r++) {
		const double x = here(c, r, c->column);

		if (!is_meant(c, r))
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

static enum gb_claim_verdict test_maximum(struct claim *c)
{
	size_t best = 0;

	for (size_t r = 0; r < c->repro->rows; r++) {
		if (isnan(here(c, r, c->column)))
			return missing(c, r, c->column);
		if (here(c, r, c->column) > here(c, best, c->column))
			best = r;
	}
	if (is_meant(c, best))
		return GB_CLAIM_HELD;
	(void)snprintf(c->why, sizeof c->why, "the largest here, %.3g, is in row %zu",
		       here(c, best, c->column), best + 1);
	return GB_CLAIM_NOT_HELD;
}

static enum gb_claim_verdict test_linear(struct claim *c)
{
	const size_t against = gb_repro_column(c->repro, gb_json_text(c->test, "against"));
	const double tolerance = gb_json_number(c->test, "tolerance");
	double sum = 0, low = INFINITY, high = 0;
	size_t count = 0;

	for (size_t r = 0; r < c->repro->rows && against < c->repro->columns; r++) {
		double quotient;

		if (!is_meant(c, r))
			continue;
		quotient = here(c, r, c->column) / gb_repro_published(c->repro, r, against);
		sum += quotient;
		low = fmin(low, quotient);
		high = fmax(high, quotient);
		count++;
	}
	if (count == 0)
		return GB_CLAIM_UNTESTABLE;
	sum /= (double)count;
	(void)snprintf(c->why, sizeof c->why, "between %.2f and %.2f of the mean quotient",
		       low / sum, high / sum);
	return low >= sum * (1 - tolerance) && high <= sum * (1 + tolerance) ? GB_CLAIM_HELD
									     : GB_CLAIM_NOT_HELD;
}

/* Not a matter of timing: what fits is computed from the sizes. */
static enum gb_claim_verdict test_memory(struct claim *c)
{
	const double bytes_per_item = gb_json_number(c->test, "bytes_per_item");
	char text[GB_TEXT_MAX];

	for (size_t r = 0; r < c->repro->rows; r++)
		if (is_meant(c, r))
			(void)snprintf(
				c->why, sizeof c->why,
				"by accounting: %g bytes an item are %s in row %zu", bytes_per_item,
				gb_text_bytes(text,
					      bytes_per_item * gb_repro_published(c->repro, r, 0)),
				r + 1);
	return GB_CLAIM_UNTESTABLE;
}

static enum gb_claim_verdict test_claim(struct claim *c)
{
	const char *kind = gb_json_text(c->test, "kind");
	size_t absent;

	if (!kind)
		return GB_CLAIM_UNTESTABLE;
	if (gb_equal(kind, "memory-exceeds"))
		return test_memory(c);
	if (c->column == c->repro->columns)
		return GB_CLAIM_UNTESTABLE;
	absent = first_missing(c, c->column);
	if (absent < c->repro->rows)
		return missing(c, absent, c->column);
	if (gb_equal(kind, "ratio-below") || gb_equal(kind, "ratio-above"))
		return test_ratio(c, gb_equal(kind, "ratio-below"));
	if (gb_equal(kind, "column-below") || gb_equal(kind, "column-above"))
		return test_columns(c, gb_equal(kind, "column-below"));
	if (gb_equal(kind, "flat"))
		return test_flat(c);
	if (gb_equal(kind, "increasing") || gb_equal(kind, "decreasing"))
		return test_trend(c, gb_equal(kind, "increasing"));
	if (gb_equal(kind, "maximum-at"))
		return test_maximum(c);
	if (gb_equal(kind, "linear"))
		return test_linear(c);
	return GB_CLAIM_UNTESTABLE;
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
	if (!c.why[0] && gb_json_text(claim, "reason"))
		(void)snprintf(c.why, sizeof c.why, "%s", gb_json_text(claim, "reason"));
	memcpy(result->why, c.why, sizeof c.why);
	return true;
}
