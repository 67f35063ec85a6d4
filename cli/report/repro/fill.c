/* fill.c -- converts measurements into the table's terms: values in the columns' units, their
 * intervals, or the reason why there is no value. */
#include <math.h>
#include <string.h>

#include "cli/records/record.h"
#include "cli/report/repro/repro.h"
#include "common/text.h"

/* The reason why a record, which may be missing, has no value. */
static const char *reason_of(const struct gb_repro *t, size_t row, const struct gb_record *record)
{
	if (record && record->emulated && !isnan(record->time.median))
		return "emulated: no time of a GPU";
	if (record)
		return record->reason ? record->reason : "not reported by this variant";
	if (!t->taken[row])
		return "left out by --preset";
	return t->stored ? "not in the records given" : "left out by --backend";
}

/* True if the record's value is valid: an emulator has metrics but no times. */
static bool is_valid(const struct gb_repro_column *column, const struct gb_record *record)
{
	return record && (!record->emulated || (strncmp(column->value, "metrics.", 8) == 0 &&
						!gb_equal(column->role, "time")));
}

/* Convert a value to the column's unit.  A rate is the items divided by a time. */
static double in_terms(const struct gb_repro_column *column, const struct gb_record *record,
		       double value)
{
	if (gb_equal(column->role, "rate") && column->is_time)
		value = record->work.items / (value * 1e-9);
	return value * column->scale;
}

/* The transfer times to add if the column's time includes transfers, in ns. */
static double transfers_of(const struct gb_repro_column *column, const struct gb_record *record)
{
	if (!column->scope || gb_is_cpu(record))
		return 0;
	return (isnan(record->upload) ? 0 : record->upload) +
	       (isnan(record->download) ? 0 : record->download);
}

static void set_interval(struct gb_repro_cell *cell, double a, double b)
{
	cell->low = fmin(a, b);
	cell->high = fmax(a, b);
}

/* Add the 95 % interval of a median or a mean, in ns; of fewer than six samples, which bound no
 * median, Student's interval of their mean.  False if there is none. */
static bool add_interval(const struct gb_times *times, bool of_mean, double *low, double *high)
{
	const struct gb_summary sum = times ? gb_times_summary(times) : (struct gb_summary){ 0 };

	if (sum.count < 2 && !(times && !isnan(sum.ci_low)))
		return false;
	if (of_mean) {
		*low += fmax(sum.mean_ci_low, 0);
		*high += sum.mean_ci_high;
	} else if (!isnan(sum.ci_low)) {
		*low += sum.ci_low;
		*high += sum.ci_high;
	} else {
		*low += fmax(fmin(sum.median, sum.mean_ci_low), 0);
		*high += fmax(sum.median, sum.mean_ci_high);
	}
	return true;
}

/* Set the interval of a value.  A rate of the whole run has the relative interval of its time.  The
 * interval of a sum with transfers is the sum of intervals; there is none if a transfer was timed
 * once. */
static void fill_interval(struct gb_repro_cell *cell, const struct gb_repro_column *column)
{
	static const char *const transfers[] = { "upload", "download" };
	const char *stat = strrchr(column->value, '.');
	const bool of_run = gb_equal(column->value, "rates.items_per_s");
	const struct gb_record *record = cell->record;
	const struct gb_times *times =
		of_run ? &record->time : gb_record_times(record, column->value);
	double low = 0, high = 0;

	if (!add_interval(times, stat && gb_equal(stat, ".mean"), &low, &high))
		return;
	for (size_t i = 0; transfers_of(column, record) > 0 && i < GB_COUNT(transfers); i++)
		if (gb_record_number(record, transfers[i]) > 0 &&
		    !add_interval(gb_record_times(record, transfers[i]), false, &low, &high))
			return;
	if (of_run)
		set_interval(cell, cell->here * times->median / high,
			     cell->here * times->median / low);
	else
		set_interval(cell, in_terms(column, record, low), in_terms(column, record, high));
}

static void fill_measured(const struct gb_repro *t, size_t row, size_t c)
{
	const struct gb_repro_column *column = &t->column[c];
	struct gb_repro_cell *cell = &t->cell[row * t->columns + c];
	const struct gb_record *record = cell->record;

	if (column->is_key) {
		cell->here = cell->published;
	} else if (is_valid(column, record)) {
		cell->here = in_terms(column, record,
				      gb_record_number(record, column->value) +
					      transfers_of(column, record));
		if (!isnan(cell->here))
			fill_interval(cell, column);
	}
	if (!isnan(cell->here) || cell->reason)
		return;
	if (column->variant)
		cell->reason = reason_of(t, row, record);
	else
		cell->reason = column->reason ? column->reason : "no variant corresponds to it";
}

/* True if both records are of one machine, as far as each uses it. */
static bool on_one_machine(const struct gb_record *a, const struct gb_record *b)
{
	return gb_same_machine(&a->context->on_cpu, &b->context->on_cpu) &&
	       (gb_is_cpu(a) || gb_is_cpu(b) ||
		gb_same_machine(&a->context->on_gpu, &b->context->on_gpu));
}

/* A ratio's interval is the widest that both intervals allow.  Two machines have no ratio. */
static void fill_ratio(const struct gb_repro *t, size_t row, size_t c)
{
	struct gb_repro_cell *cell = &t->cell[row * t->columns];
	const size_t a = gb_repro_column(t, t->column[c].of[0]);
	const size_t b = gb_repro_column(t, t->column[c].of[1]);

	if (a == t->columns || b == t->columns)
		return;
	if (cell[a].record && cell[b].record && !on_one_machine(cell[a].record, cell[b].record)) {
		cell[c].reason = "its two terms are of two machines";
		return;
	}
	cell[c].here = cell[a].here / cell[b].here;
	cell[c].low = cell[a].low / cell[b].high;
	cell[c].high = cell[a].high / cell[b].low;
	cell[c].reason = cell[a].reason ? cell[a].reason : cell[b].reason;
}

void gb_repro_fill(struct gb_repro *t)
{
	for (size_t r = 0; r < t->rows; r++) {
		for (size_t c = 0; c < t->columns; c++)
			if (!t->column[c].of[0])
				fill_measured(t, r, c);
		for (size_t c = 0; c < t->columns; c++)
			if (t->column[c].of[0])
				fill_ratio(t, r, c);
	}
}
