/* fill.c -- what was measured, in the table's terms: values in the columns' units, their intervals, and
 * why there are none.
 */
#include <math.h>
#include <string.h>

#include "cli/reports/repro/repro.h"
#include "common/text.h"

/* Why a record, which may be missing, has no value. */
static const char *reason_of(const struct gb_repro *t, size_t row, const struct gb_record *record)
{
	if (record && record->emulated && !isnan(record->time.median))
		return "emulated: no time of a GPU";
	if (record)
		return record->reason ? record->reason : "not reported by this variant";
	if (t->stored)
		return "not in the records given";
	return t->taken[row] ? "left out by --backend" : "left out by --preset";
}

const char *gb_repro_beside_reason(const struct gb_repro *repro, size_t row, size_t index)
{
	const struct gb_record *record = repro->beside_record[row * repro->besides + index];

	return isnan(repro->beside_here[row * repro->besides + index])
		       ? reason_of(repro, row, record)
		       : NULL;
}

/* Whether a place in a record holds nanoseconds. */
static bool is_time(const char *path)
{
	static const char *const times[] = { "time.", "phases.", "host_time.", "upload",
					     "download" };

	for (size_t i = 0; i < GB_COUNT(times); i++)
		if (strncmp(path, times[i], strlen(times[i])) == 0)
			return true;
	return false;
}

/* Nanoseconds into the unit of a time; 1 for everything else. */
static double scale_of(const cJSON *column, const char *path)
{
	static const struct {
		const char *unit;
		double scale;
	} units[] = { { "s", 1e-9 }, { "ms", 1e-6 }, { "us", 1e-3 }, { "ns", 1 } };
	const double given = gb_json_number(column, "scale");
	const char *unit = gb_json_text(column, "unit");

	if (!isnan(given))
		return given;
	for (size_t i = 0; is_time(path) && unit && i < GB_COUNT(units); i++)
		if (gb_equal(units[i].unit, unit))
			return units[i].scale;
	return 1;
}

/* Where in the record the column's value stands. */
static const char *path_of(const cJSON *column)
{
	const char *path = gb_json_text(column, "value");

	return path ? path : "time.median";
}

/* Whether an emulator has such a value. */
static bool is_valid(const cJSON *column, const struct gb_record *record)
{
	return record && (!record->emulated || (strncmp(path_of(column), "metrics.", 8) == 0 &&
						!gb_equal(gb_json_text(column, "role"), "time")));
}

/* A value of that path in the column's unit.  A rate is the items divided by that time. */
static double in_terms(const cJSON *column, const struct gb_record *record, double value)
{
	const char *path = path_of(column);

	if (gb_equal(gb_json_text(column, "role"), "rate") && is_time(path))
		value = record->work.items / (value * 1e-9);
	return value * scale_of(column, path);
}

/* The transfers' share of a time that includes them. */
static double transfers_of(const cJSON *column, const struct gb_record *record)
{
	if (!gb_json_text(column, "scope") || gb_is_cpu(record))
		return 0;
	return (isnan(record->upload) ? 0 : record->upload) +
	       (isnan(record->download) ? 0 : record->download);
}

static double value_of(const cJSON *column, const struct gb_record *record)
{
	if (!is_valid(column, record))
		return NAN;
	return in_terms(column, record,
			gb_record_number(record, path_of(column)) + transfers_of(column, record));
}

/* The 95 % interval of a median or a mean.  Rates of the whole run are as wide as its time. */
static struct gb_spread spread_of(const cJSON *column, const struct gb_record *record)
{
	const char *path = path_of(column), *stat = strrchr(path, '.');
	const bool of_run = gb_equal(path, "rates.items_per_s");
	const struct gb_spread none = { NAN, NAN };
	const double value = value_of(column, record);
	const struct gb_times *times;
	struct gb_summary sum;
	struct gb_spread spread;

	if (isnan(value))
		return none;
	times = of_run ? &record->time : gb_record_times(record, path);
	if (!times || isnan(times->ci_low))
		return none;
	if (of_run)
		return (struct gb_spread){ value * times->median / times->ci_high,
					   value * times->median / times->ci_low };
	sum = gb_times_summary(times);
	spread = stat && gb_equal(stat, ".mean")
			 ? (struct gb_spread){ sum.mean_ci_low, sum.mean_ci_high }
			 : (struct gb_spread){ sum.ci_low, sum.ci_high };
	spread.low = in_terms(column, record, spread.low + transfers_of(column, record));
	spread.high = in_terms(column, record, spread.high + transfers_of(column, record));
	return spread.low > spread.high ? (struct gb_spread){ spread.high, spread.low } : spread;
}

static void fill_measured(struct gb_repro *t, size_t c)
{
	const cJSON *column = gb_repro_column_at(t, c);
	const char *reason = gb_json_text(column, "reason");
	const bool measured = gb_json_text(column, "variant") != NULL;
	const bool key = gb_equal(gb_json_text(column, "role"), "key");

	for (size_t r = 0; r < t->rows; r++) {
		const size_t at = r * t->columns + c;

		t->here[at] = key ? gb_repro_published(t, r, c) : value_of(column, t->record[at]);
		t->spread[at] = spread_of(column, key ? NULL : t->record[at]);
		if (isnan(t->here[at]))
			t->reason[at] = measured ? reason_of(t, r, t->record[at])
					: reason ? reason
						 : "nothing stands for it here";
	}
}

/* The quotient's interval is as wide as both intervals allow. */
static void fill_ratio(struct gb_repro *t, size_t c)
{
	const cJSON *of = gb_json_at(gb_repro_column_at(t, c), "of");
	const size_t a = gb_repro_column(t, cJSON_GetStringValue(cJSON_GetArrayItem(of, 0)));
	const size_t b = gb_repro_column(t, cJSON_GetStringValue(cJSON_GetArrayItem(of, 1)));

	for (size_t r = 0; r < t->rows && a < t->columns && b < t->columns; r++) {
		const size_t row = r * t->columns;
		const char *reason = t->reason[row + a];
		const struct gb_spread *x = &t->spread[row + a], *y = &t->spread[row + b];

		t->here[row + c] = t->here[row + a] / t->here[row + b];
		t->spread[row + c] = (struct gb_spread){ x->low / y->high, x->high / y->low };
		t->reason[row + c] = reason ? reason : t->reason[row + b];
	}
}

void gb_repro_fill(struct gb_repro *t)
{
	const cJSON *terms = gb_repro_beside_terms(t);

	for (size_t c = 0; c < t->columns; c++)
		if (!gb_json_at(gb_repro_column_at(t, c), "of"))
			fill_measured(t, c);
	for (size_t c = 0; c < t->columns; c++)
		if (gb_json_at(gb_repro_column_at(t, c), "of"))
			fill_ratio(t, c);
	for (size_t i = 0; i < t->rows * t->besides; i++) {
		t->beside_here[i] = value_of(terms, t->beside_record[i]);
		t->beside_spread[i] = spread_of(terms, t->beside_record[i]);
	}
}
