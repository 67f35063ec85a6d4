/* claims.c -- tests the claims of a paper on the values measured here.
 *
 * A claim is about shape (which variant wins where, what grows, what is linear), never about
 * absolute times.  results/papers/FORMAT.md lists the kinds of test.  Each kind compares quantities
 * with bounds, by their 95 % intervals: a claim is held if every interval is within its bounds, not
 * held if one is outside, else undecided.  The interval of a quotient is the widest that both
 * intervals allow.  One of many intervals misses its value sooner than a single one, so for "not
 * held" they are widened by Bonferroni's rule: all of a claim hold together with 95 %.  ("Held"
 * needs none of that: the claim is wrong only if the worst row is.)  If a row of the claim was not
 * measured, the others can refute it, unless they are compared with a mean over all rows; otherwise
 * it is undecided.  Its cells must be of one machine, which must have what the claim `needs`.  A
 * test by accounting needs no measurement.
 */
#include <math.h>
#include <string.h>

#include "cli/records/record.h"
#include "cli/report/repro/repro.h"
#include "common/stats.h"
#include "common/text.h"

/* A measured value with its 95 % interval, NAN if there is none. */
struct quantity {
	double here, low, high;
};

static const struct quantity least_quantity = { -INFINITY, -INFINITY, -INFINITY };

/* A claim under test. */
struct claim {
	const struct gb_repro *repro;
	const cJSON *test, *needs;
	size_t column, than;          /* than: repro->columns if there is none */
	size_t meant, tested;         /* number of the claim's rows, and of those measured */
	double widening;              /* of intervals, for the number of rows */
	size_t inside, outside, open; /* number of quantities within their bounds ... */
	double margin;                /* of the quantity inside that is closest to a bound */
	char closest[200], first_outside[200], first_open[200];
	char unit[40];
	char reason[400];
};

/* ---- rows --------------------------------------------------------------------------------- */

/* True if the row's keys are among those of the test's `where`. */
static bool is_meant(const struct claim *c, size_t row)
{
	const cJSON *key;

	cJSON_ArrayForEach(key, gb_json_at(c->test, "where"))
	{
		const struct gb_repro_cell *cell = gb_repro_cell_of(c->repro, row, key->string);

		if (!cell || !gb_repro_lists(key, cell))
			return false;
	}
	return true;
}

/* The value of a cell.  A size or a share is counted, not timed, and therefore exact. */
static struct quantity value_of(const struct claim *c, size_t row, size_t column)
{
	const struct gb_repro_cell *cell = &c->repro->cell[row * c->repro->columns + column];
	const char *role = c->repro->column[column].role;
	struct quantity q = { cell->here, cell->low, cell->high };

	if (gb_equal(role, "size") || gb_equal(role, "share"))
		q.low = q.high = q.here;
	return q;
}

static struct quantity quotient(struct quantity a, struct quantity b)
{
	return (struct quantity){ a.here / b.here, a.low / b.high, a.high / b.low };
}

/* The quantity of a row: its column, or the quotient of that and the column `than`. */
static struct quantity quantity_of(const struct claim *c, size_t row)
{
	const struct quantity q = value_of(c, row, c->column);

	return c->than == c->repro->columns ? q : quotient(q, value_of(c, row, c->than));
}

/* The larger of two quantities; without an interval if one of them has none. */
static struct quantity larger(struct quantity a, struct quantity b)
{
	const bool known = !isnan(a.low) && !isnan(b.low);

	return (struct quantity){ fmax(a.here, b.here), known ? fmax(a.low, b.low) : (double)NAN,
				  known ? fmax(a.high, b.high) : (double)NAN };
}

/* The records behind a row of the claim: of its column and of `than`; of a ratio, of both terms. */
enum { MAX_RECORDS = 4 };
static size_t records_of(const struct claim *c, size_t row, const struct gb_record **record)
{
	const struct gb_repro *t = c->repro;
	const size_t used[] = { c->column, c->than };
	size_t count = 0;

	for (size_t i = 0; i < GB_COUNT(used); i++) {
		const struct gb_repro_column *column = &t->column[used[i]];
		const size_t terms = used[i] == t->columns ? 0 : column->of[0] ? 2 : 1;

		for (size_t k = 0; k < terms; k++) {
			const size_t at =
				column->of[0] ? gb_repro_column(t, column->of[k]) : used[i];

			if (at < t->columns && t->cell[row * t->columns + at].record)
				record[count++] = t->cell[row * t->columns + at].record;
		}
	}
	return count;
}

/* True if the row belongs to the claim and was measured.  A time that may be wrong does not
 * count. */
static bool is_tested(const struct claim *c, size_t row)
{
	const struct gb_record *record[MAX_RECORDS];
	const size_t count = records_of(c, row, record);

	for (size_t i = 0; i < count; i++)
		if (gb_is_untrusted(record[i]))
			return false;
	return is_meant(c, row) && !isnan(quantity_of(c, row).here);
}

/* Too little was measured: set the reason from the first row of the claim that lacks a value. */
static enum gb_claim_verdict missing(struct claim *c)
{
	const struct gb_repro *t = c->repro;

	for (size_t r = 0; r < t->rows; r++) {
		const struct gb_repro_cell *cell = &t->cell[r * t->columns];
		const char *reason = cell[c->column].reason;

		if (!is_meant(c, r) || is_tested(c, r))
			continue;
		if (!reason && c->than < t->columns)
			reason = cell[c->than].reason;
		(void)snprintf(c->reason, sizeof c->reason, "row %zu%s: %.180s", r + 1,
			       reason ? " was not measured" : "",
			       reason ? reason : "its time is doubtful or unverified");
		break;
	}
	return GB_CLAIM_UNTESTABLE;
}

/* ---- bounds ------------------------------------------------------------------------------- */

struct bounds {
	double low, high;
	const char *unit; /* of both: " of the mean" */
};

static void describe(char *text, size_t size, size_t row, struct quantity q, struct bounds b)
{
	char interval[40], bound[40];

	if (isnan(q.low))
		(void)snprintf(interval, sizeof interval, "no interval");
	else if (q.low >= q.high)
		(void)snprintf(interval, sizeof interval, "exact");
	else
		(void)snprintf(interval, sizeof interval, "%.4g to %.4g", q.low, q.high);
	if (isinf(b.low))
		(void)snprintf(bound, sizeof bound, "at most %.4g", b.high);
	else if (isinf(b.high))
		(void)snprintf(bound, sizeof bound, "at least %.4g", b.low);
	else
		(void)snprintf(bound, sizeof bound, "%.4g to %.4g", b.low, b.high);
	(void)snprintf(text, size, "row %zu: %.4g (%s)%.40s, claimed: %s", row + 1, q.here,
		       interval, b.unit, bound);
}

/* The factor from the half-width of a 95 % interval to that of one of `count` intervals which hold
 * together with 95 %, for a normal distribution. */
static double widening_of(size_t count)
{
	const size_t many = 200; /* degrees of freedom */

	return gb_student_quantile(1 - (1 - GB_LEVEL) / (double)count, many) /
	       gb_student_quantile(GB_LEVEL, many);
}

/* The quantity with a wider interval, in proportion to the logarithms. */
static struct quantity widened(const struct claim *c, struct quantity q)
{
	if (q.here > 0) {
		q.low = q.here * pow(q.low / q.here, c->widening);
		q.high = q.here * pow(q.high / q.here, c->widening);
	}
	return q;
}

/* Compare a quantity, best known from a row, with its bounds. */
static void judge(struct claim *c, size_t row, struct quantity q, struct bounds b)
{
	const struct quantity wide = widened(c, q);
	const double margin = fmin(isinf(b.low) ? (double)INFINITY : q.low / b.low,
				   isinf(b.high) ? (double)INFINITY : b.high / q.high);

	if (q.low >= b.low && q.high <= b.high) {
		if (c->inside++ == 0 || margin < c->margin) {
			c->margin = margin;
			describe(c->closest, sizeof c->closest, row, q, b);
		}
	} else if (wide.low > b.high || wide.high < b.low) {
		if (c->outside++ == 0)
			describe(c->first_outside, sizeof c->first_outside, row, wide, b);
	} else if (c->open++ == 0) {
		describe(c->first_open, sizeof c->first_open, row, wide, b);
	}
}

/* The verdict on all quantities that were judged, with the first that decided it or, if all are
 * within their bounds, the one that is closest to them. */
static enum gb_claim_verdict verdict_of(struct claim *c)
{
	const size_t all = c->inside + c->outside + c->open;
	char share[80] = "";

	if (!all)
		return missing(c);
	if (c->inside == all) {
		(void)snprintf(c->reason, sizeof c->reason, "%s%s", all > 1 ? "at worst " : "",
			       c->closest);
		return GB_CLAIM_HELD;
	}
	if (all > 1)
		(void)snprintf(share, sizeof share, "%zu of %zu hold, %zu not, %zu undecided; ",
			       c->inside, all, c->outside, c->open);
	(void)snprintf(c->reason, sizeof c->reason, "%s%s", share,
		       c->outside ? c->first_outside : c->first_open);
	return c->outside ? GB_CLAIM_NOT_HELD : GB_CLAIM_UNDECIDED;
}

/* ---- kinds of test ------------------------------------------------------------------------ */

/* The bounds of a test: `low` to `high`, or strictly below or above `value` or `factor` (1). */
static struct bounds bounds_of(struct claim *c, const char *kind)
{
	const bool of = c->than < c->repro->columns;
	const double given = gb_json_number(c->test, of ? "factor" : "value");
	const double value = isnan(given) ? 1 : given;
	struct bounds b = { -INFINITY, INFINITY, c->unit };

	if (of)
		(void)snprintf(c->unit, sizeof c->unit, " times %.30s",
			       c->repro->column[c->than].name);
	if (strstr(kind, "-below")) {
		b.high = nextafter(value, -INFINITY);
	} else if (strstr(kind, "-above")) {
		b.low = nextafter(value, INFINITY);
	} else {
		b.low = gb_json_number(c->test, "low");
		b.high = gb_json_number(c->test, "high");
	}
	return b;
}

/* Test that every row is within the bounds or, if `largest`, that the largest value is. */
static void test_bounds(struct claim *c, const char *kind, bool largest)
{
	const struct bounds b = bounds_of(c, kind);
	struct quantity most = least_quantity;
	size_t best = 0;

	for (size_t r = 0; r < c->repro->rows; r++) {
		const struct quantity q = quantity_of(c, r);

		if (!is_tested(c, r))
			continue;
		if (!largest)
			judge(c, r, q, b);
		if (q.here > most.here)
			best = r;
		most = larger(most, q);
	}
	if (c->tested < c->meant) /* a row that was not measured may be larger */
		most.high = INFINITY;
	if (largest)
		judge(c, best, most, b);
}

/* Test that the values, or their ratios to the published ones of another column, stay close
 * together.  The mean has the interval from the mean of the lower ends to that of the upper. */
static void test_spread(struct claim *c, size_t against)
{
	const double tolerance = gb_json_number(c->test, "tolerance"), n = (double)c->tested;
	const bool flat = against == c->repro->columns;
	struct quantity mean = { 0, 0, 0 }, most = least_quantity;
	struct quantity least = { INFINITY, INFINITY, INFINITY };

	for (int judging = 0; judging < 2; judging++) {
		for (size_t r = 0; r < c->repro->rows; r++) {
			const struct gb_repro_cell *row = &c->repro->cell[r * c->repro->columns];
			const double by = flat ? 1 : row[against].published;
			struct quantity q = quantity_of(c, r);

			if (!is_tested(c, r))
				continue;
			q = (struct quantity){ q.here / by, q.low / by, q.high / by };
			if (judging && !flat)
				judge(c, r, quotient(q, mean),
				      (struct bounds){ 1 - tolerance, 1 + tolerance,
						       " of the mean quotient" });
			if (judging)
				continue;
			mean.here += q.here / n;
			mean.low += q.low / n;
			mean.high += q.high / n;
			most = larger(most, q);
			least = (struct quantity){ fmin(least.here, q.here), fmin(least.low, q.low),
						   fmin(least.high, q.high) };
		}
	}
	if (flat)
		judge(c, 0,
		      quotient((struct quantity){ most.here - least.here,
						  fmax(0, most.low - least.high),
						  most.high - least.low },
			       mean),
		      (struct bounds){ -INFINITY, tolerance, " of the mean from end to end" });
}

static bool same_group(const struct gb_repro *t, size_t column, size_t a, size_t b)
{
	return column == t->columns ||
	       gb_equal(gb_repro_printed(&t->cell[a * t->columns + column]),
			gb_repro_printed(&t->cell[b * t->columns + column]));
}

/* Test each measured row against the one before, of the same `group` if the test names one.  Over
 * rows that were not measured, the tolerance of each step counts. */
static void test_trend(struct claim *c, bool increasing)
{
	const struct gb_repro *t = c->repro;
	const double tolerance = gb_json_number(c->test, "tolerance");
	const double step = increasing ? 1 - tolerance : 1 + tolerance;
	const size_t group = gb_repro_column(t, gb_json_text(c->test, "group"));

	for (size_t r = 0; r < t->rows; r++) {
		size_t last = r;
		double bound = 1;

		while (last-- > 0) {
			if (!is_meant(c, last) || !same_group(t, group, r, last))
				continue;
			bound *= step;
			if (is_tested(c, last))
				break;
		}
		(void)snprintf(c->unit, sizeof c->unit, " times row %zu", last + 1);
		if (is_tested(c, r) && last < t->rows)
			judge(c, r, quotient(quantity_of(c, r), quantity_of(c, last)),
			      (struct bounds){ increasing ? bound : (double)-INFINITY,
					       increasing ? (double)INFINITY : bound, c->unit });
	}
}

/* Test that no row outside `where` exceeds the largest inside.  c->tested: all measured rows. */
static enum gb_claim_verdict test_maximum(struct claim *c)
{
	const struct gb_repro *t = c->repro;
	struct quantity most = least_quantity;
	struct claim others = *c;

	if (c->tested < c->meant)
		return missing(c);
	others.test = NULL; /* all rows */
	for (size_t r = 0; r < t->rows; r++) {
		if (is_meant(c, r))
			most = larger(most, quantity_of(c, r));
		else
			c->tested += is_tested(&others, r);
	}
	c->widening = widening_of(c->tested);
	for (size_t r = 0; r < t->rows; r++)
		if (!is_meant(c, r) && is_tested(&others, r))
			judge(c, r, quotient(quantity_of(c, r), most),
			      (struct bounds){ -INFINITY, 1, " times the peak" });
	c->meant = t->rows;
	return c->tested < 2 ? missing(c) : verdict_of(c);
}

/* Test the ratio of two sizes that the text states in bits. */
static enum gb_claim_verdict test_bits(struct claim *c)
{
	const double bits = gb_json_number(c->test, "bits"),
		     of = gb_json_number(c->test, "of_bits");
	const double claimed = gb_json_number(c->test, "value");

	(void)snprintf(c->reason, sizeof c->reason, "by accounting: %g bits to %g", bits, of);
	return fabs(bits / of - claimed) <= 1e-9 * claimed ? GB_CLAIM_HELD : GB_CLAIM_NOT_HELD;
}

/* ---- machines ------------------------------------------------------------------------------ */

/* The words of a class are parts of the GPU's name; a word after `!` excludes it. */
static bool is_of_class(const cJSON *words, const char *name)
{
	const cJSON *word;
	bool found = false;

	cJSON_ArrayForEach(word, words)
	{
		if (word->valuestring[0] != '!')
			found |= strstr(name, word->valuestring) != NULL;
		else if (strstr(name, word->valuestring + 1))
			return false;
	}
	return found;
}

static bool has_cores(struct claim *c, const struct gb_context *context)
{
	const double wanted = gb_json_number(c->needs, "cores");
	const double cores = fmin(context->host.cores, context->host.usable_cpus);

	if (isnan(wanted) || cores >= wanted)
		return true;
	if (isnan(cores))
		(void)snprintf(c->reason, sizeof c->reason,
			       "needs %.0f cores; the records do not say how many", wanted);
	else
		(void)snprintf(c->reason, sizeof c->reason, "needs %.0f cores, %.80s has %.0f",
			       wanted, context->on_cpu.name, cores);
	return false;
}

/* True if the machine of the record has what the claim needs: a number of cores, for the records of
 * the CPU, and classes of GPU, for those of a GPU. */
static bool has_needs(struct claim *c, const struct gb_record *record)
{
	const cJSON *class;

	if (gb_is_cpu(record))
		return has_cores(c, record->context);
	cJSON_ArrayForEach(class, gb_json_at(c->needs, "gpu"))
	{
		const cJSON *words = cJSON_GetObjectItemCaseSensitive(
			gb_json_at(c->repro->paper, "gpu_classes"), class->valuestring);

		if (is_of_class(words, record->context->on_gpu.name))
			continue;
		(void)snprintf(c->reason, sizeof c->reason,
			       "needs a GPU of class '%.40s'; %.90s is not known as one",
			       class->valuestring, record->context->on_gpu.name);
		return false;
	}
	return true;
}

/* NULL, or why these records cannot support the claim: they are of two machines, or of one that
 * lacks what the claim needs. */
static const char *unfit(struct claim *c)
{
	const struct gb_record *record[MAX_RECORDS];
	const struct gb_context *context = NULL;
	const struct gb_machine *gpu = NULL;

	for (size_t r = 0; r < c->repro->rows; r++) {
		const size_t count = is_tested(c, r) ? records_of(c, r, record) : 0;

		for (size_t i = 0; i < count; i++) {
			const struct gb_context *own = record[i]->context;
			const bool cpu = gb_is_cpu(record[i]);

			context = context ? context : own;
			gpu = gpu || cpu ? gpu : &own->on_gpu;
			if (!gb_same_machine(&context->on_cpu, &own->on_cpu) ||
			    (!cpu && !gb_same_machine(gpu, &own->on_gpu))) {
				const char *one = cpu ? context->on_cpu.name : gpu->name;
				const char *other = gb_record_machine(record[i])->name;

				(void)snprintf(c->reason, sizeof c->reason,
					       "its cells are of two machines: %.90s and %.90s",
					       one, gb_equal(one, other) ? "another one" : other);
				return c->reason;
			}
			if (!has_needs(c, record[i]))
				return c->reason;
		}
	}
	return NULL;
}

/* The verdict if only some rows of the claim were measured: they may refute it, unless they are
 * compared with a mean over all rows. */
static enum gb_claim_verdict in_part(const struct claim *c, enum gb_claim_verdict verdict,
				     bool of_mean)
{
	const bool whole = c->tested >= c->meant || verdict == GB_CLAIM_UNTESTABLE;

	return whole || (verdict == GB_CLAIM_NOT_HELD && !of_mean) ? verdict : GB_CLAIM_UNDECIDED;
}

/* Run the kinds of test that look at the rows of one column. */
static enum gb_claim_verdict test_rows(struct claim *c, const char *kind)
{
	const bool spread = gb_equal(kind, "flat") || gb_equal(kind, "linear");
	const bool trend = gb_equal(kind, "increasing") || gb_equal(kind, "decreasing");
	const size_t against = gb_repro_column(c->repro, gb_json_text(c->test, "against"));

	for (size_t r = 0; r < c->repro->rows; r++) {
		c->meant += is_meant(c, r);
		c->tested += is_tested(c, r);
	}
	if (c->tested == 0 || ((spread || trend) && c->tested < 2 && c->meant > 1))
		return missing(c);
	if (unfit(c))
		return GB_CLAIM_UNTESTABLE;
	c->widening = widening_of(c->tested);
	if (gb_equal(kind, "maximum-at"))
		return in_part(c, test_maximum(c), false);
	if (spread)
		test_spread(c, against);
	else if (trend)
		test_trend(c, gb_equal(kind, "increasing"));
	else
		test_bounds(c, kind, gb_equal(kind, "up-to"));
	return in_part(c, verdict_of(c), spread);
}

static enum gb_claim_verdict test_claim(struct claim *c)
{
	const char *kind = gb_json_text(c->test, "kind");
	const size_t none = c->repro->columns;

	if (!kind)
		return GB_CLAIM_UNTESTABLE;
	if (gb_equal(kind, "bits"))
		return test_bits(c);
	if (c->column == none || (c->than == none && gb_json_text(c->test, "than")))
		return GB_CLAIM_UNTESTABLE;
	return test_rows(c, kind);
}

/* Prepend the share of rows that were tested: "holds in 6 of 6; 3 not measured". */
static void put_share(struct claim *c, enum gb_claim_verdict verdict)
{
	const bool holds = c->outside + c->open == 0;
	char rest[sizeof c->reason];

	if (verdict == GB_CLAIM_UNTESTABLE || c->tested >= c->meant)
		return;
	memcpy(rest, c->reason, sizeof rest);
	(void)snprintf(c->reason, sizeof c->reason, "%s %zu of %zu; %zu not measured%s%.300s",
		       holds ? "holds in" : "tested in", c->tested, holds ? c->tested : c->meant,
		       c->meant - c->tested, rest[0] ? "; " : "", rest);
}

const char *const gb_claim_words[] = {
	[GB_CLAIM_HELD] = "held",
	[GB_CLAIM_NOT_HELD] = "not held",
	[GB_CLAIM_UNDECIDED] = "undecided",
	[GB_CLAIM_UNTESTABLE] = "cannot be tested here",
};

bool gb_repro_claim(const struct gb_repro *repro, const cJSON *claim, struct gb_claim *result)
{
	struct claim c = { .repro = repro,
			   .test = gb_json_at(claim, "test"),
			   .needs = gb_json_at(claim, "needs") };
	const char *table = gb_json_text(repro->table, "id"), *of = gb_json_text(claim, "table");

	if (!of || !table || !gb_equal(of, table))
		return false;
	c.column = gb_repro_column(repro, gb_json_text(c.test, "column"));
	c.than = gb_repro_column(repro, gb_json_text(c.test, "than"));
	*result = (struct gb_claim){ .id = gb_json_text(claim, "id"),
				     .text = gb_json_text(claim, "text"),
				     .verdict = test_claim(&c) };
	put_share(&c, result->verdict);
	result->tested = c.tested;
	result->missing = c.meant - c.tested;
	if (!c.reason[0] && gb_json_text(claim, "reason"))
		(void)snprintf(c.reason, sizeof c.reason, "%s", gb_json_text(claim, "reason"));
	memcpy(result->reason, c.reason, sizeof c.reason);
	return true;
}
