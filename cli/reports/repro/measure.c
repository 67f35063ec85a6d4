/* measure.c -- measures what a paper's table needs, and puts it in the table's terms.
 *
 * A row's key columns set parameters; so do "set" of the table and of a column.  The columns of a
 * row that have one "set" are one point, measured with all their variants in one run; those of
 * `beside` go with the table's own.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/reports/repro/repro.h"
#include "cli/workloads/registry.h"
#include "common/text.h"

enum { MAX_VARIANTS = 32 };

/* ---- the table ---------------------------------------------------------------------------- */

static const cJSON *column_at(const struct gb_repro *t, size_t column)
{
	return cJSON_GetArrayItem(gb_json_at(t->table, "columns"), (int)column);
}

static const cJSON *cell_at(const struct gb_repro *t, size_t row, size_t column)
{
	const cJSON *rows = gb_json_at(t->table, "rows");

	return cJSON_GetArrayItem(cJSON_GetArrayItem(rows, (int)row), (int)column);
}

/* Numbers whose digits matter are strings: what JSON makes of 0.0040 is 0.004. */
double gb_repro_published(const struct gb_repro *repro, size_t row, size_t column)
{
	const cJSON *cell = cell_at(repro, row, column);

	if (cJSON_IsNumber(cell))
		return cell->valuedouble;
	return cJSON_IsString(cell) && !gb_repro_text(repro, row, column)
		       ? strtod(cell->valuestring, NULL)
		       : (double)NAN;
}

const char *gb_repro_text(const struct gb_repro *repro, size_t row, size_t column)
{
	const char *type = gb_json_text(column_at(repro, column), "type");

	return type && gb_equal(type, "text") ? cJSON_GetStringValue(cell_at(repro, row, column))
					      : NULL;
}

const char *gb_repro_printed(const struct gb_repro *repro, size_t row, size_t column,
			     char number[40])
{
	const cJSON *cell = cell_at(repro, row, column);

	if (!cJSON_IsNumber(cell))
		return cJSON_GetStringValue(cell);
	(void)snprintf(number, 40, "%.15g", cell->valuedouble);
	return number;
}

size_t gb_repro_column(const struct gb_repro *repro, const char *name)
{
	for (size_t i = 0; name && i < repro->columns; i++) {
		const char *is = gb_json_text(column_at(repro, i), "name");

		if (is && gb_equal(is, name))
			return i;
	}
	return repro->columns;
}

const char *gb_repro_beside(const struct gb_repro *repro, size_t index)
{
	const char *name = cJSON_GetStringValue(
		cJSON_GetArrayItem(gb_json_at(repro->table, "beside"), (int)index));

	return name ? name : "";
}

enum gb_status gb_repro_init(struct gb_repro *repro, const cJSON *paper, const cJSON *table,
			     struct gb_error *err)
{
	size_t cells;

	*repro = (struct gb_repro){
		.paper = paper,
		.table = table,
		.rows = (size_t)cJSON_GetArraySize(gb_json_at(table, "rows")),
		.columns = (size_t)cJSON_GetArraySize(gb_json_at(table, "columns")),
		.besides = (size_t)cJSON_GetArraySize(gb_json_at(table, "beside")),
	};
	cells = repro->rows * repro->columns;
	repro->record = calloc(cells + 1, sizeof(cJSON *));
	repro->beside_record = calloc(repro->rows * repro->besides + 1, sizeof(cJSON *));
	repro->here = calloc(cells + 1, sizeof *repro->here);
	repro->reason = calloc(cells + 1, sizeof *repro->reason);
	repro->taken = calloc(repro->rows + 1, sizeof *repro->taken);
	if (!repro->record || !repro->beside_record || !repro->here || !repro->reason ||
	    !repro->taken)
		return gb_out_of_memory(err, NULL);
	return GB_OK;
}

void gb_repro_release(struct gb_repro *repro)
{
	free(repro->record);
	free(repro->beside_record);
	free(repro->here);
	free(repro->reason);
	free(repro->taken);
	*repro = (struct gb_repro){ 0 };
}

/* ---- measuring ---------------------------------------------------------------------------- */

static enum gb_status set_value(struct gb_sweep *sweep, const char *name, const cJSON *value,
				struct gb_error *err)
{
	char number[40];

	if (cJSON_IsString(value))
		return gb_sweep_set(sweep, name, value->valuestring, err);
	if (!cJSON_IsNumber(value))
		return GB_OK;
	(void)snprintf(number, sizeof number, "%.15g", value->valuedouble);
	return gb_sweep_set(sweep, name, number, err);
}

static enum gb_status set_values(struct gb_sweep *sweep, const cJSON *set, struct gb_error *err)
{
	const cJSON *value;

	cJSON_ArrayForEach(value, set)
	{
		if (set_value(sweep, value->string, value, err))
			return err->code;
	}
	return GB_OK;
}

/* The point of one row and one column's set; parameters that none of them names have their
 * defaults. */
static enum gb_status point_of(const struct gb_repro *t, size_t row, const cJSON *set,
			       struct gb_sweep *sweep, struct gb_error *err)
{
	if (set_values(sweep, gb_json_at(t->table, "set"), err) || set_values(sweep, set, err))
		return err->code;
	for (size_t c = 0; c < t->columns; c++) {
		const char *param = gb_json_text(column_at(t, c), "param");

		if (param && set_value(sweep, param, cell_at(t, row, c), err))
			return err->code;
	}
	return GB_OK;
}

static bool same_set(const cJSON *a, const cJSON *b)
{
	return (!a && !b) || (a && b && cJSON_Compare(a, b, true));
}

/* Whether column c of the row is measured with that set. */
static bool belongs(const struct gb_repro *t, size_t c, const cJSON *set)
{
	const cJSON *column = column_at(t, c);

	return gb_json_text(column, "variant") && same_set(gb_json_at(column, "set"), set);
}

static void add_variant(const char **variant, size_t *count, const char *name)
{
	for (size_t i = 0; i < *count; i++)
		if (gb_equal(variant[i], name))
			return;
	if (*count < MAX_VARIANTS)
		variant[(*count)++] = name;
}

/* Whether a record is of variant "cpu/best". */
static bool is_of(const cJSON *record, const char *name)
{
	const char *backend = gb_json_text(record, "backend");
	const char *variant = gb_json_text(record, "variant");
	const size_t length = backend ? strlen(backend) : 0;

	return backend && variant && strncmp(name, backend, length) == 0 && name[length] == '/' &&
	       gb_equal(name + length + 1, variant);
}

static const cJSON *record_of(const struct gb_records *list, size_t first, const char *name)
{
	for (size_t i = first; i < list->count; i++)
		if (is_of(list->line[i], name))
			return list->line[i];
	return NULL;
}

/* Measure what row needs with one set; beside: the table's own set. */
static enum gb_status measure_point(struct gb_repro *t, struct gb_session *session, size_t row,
				    const cJSON *set, bool beside, struct gb_error *err)
{
	const struct gb_workload *workload = gb_workload_find(gb_json_text(t->paper, "workload"));
	const size_t first = session->records.count;
	const char *variant[MAX_VARIANTS];
	struct gb_sweep sweep = { 0 };
	size_t count = 0;

	for (size_t c = 0; c < t->columns; c++)
		if (belongs(t, c, set))
			add_variant(variant, &count, gb_json_text(column_at(t, c), "variant"));
	for (size_t i = 0; beside && i < t->besides; i++)
		add_variant(variant, &count, gb_repro_beside(t, i));
	if (count == 0)
		return GB_OK;
	if (!gb_sweep_init(&sweep, workload, err) && !point_of(t, row, set, &sweep, err) &&
	    !gb_sweep_threads(&sweep, session->request->threads, err))
		(void)gb_session_sweep(session, &sweep, variant, count, err);
	gb_sweep_release(&sweep);
	for (size_t c = 0; c < t->columns; c++)
		if (belongs(t, c, set))
			t->record[row * t->columns + c] = record_of(
				&session->records, first, gb_json_text(column_at(t, c), "variant"));
	for (size_t i = 0; beside && i < t->besides; i++)
		t->beside_record[row * t->besides + i] =
			record_of(&session->records, first, gb_repro_beside(t, i));
	return err->code;
}

/* Every set of the row's columns once, the table's own first. */
static enum gb_status measure_row(struct gb_repro *t, struct gb_session *session, size_t row,
				  struct gb_error *err)
{
	if (measure_point(t, session, row, NULL, true, err))
		return err->code;
	for (size_t c = 0; c < t->columns; c++) {
		const cJSON *set = gb_json_at(column_at(t, c), "set");
		size_t before = 0;

		while (before < c &&
		       !(set && same_set(gb_json_at(column_at(t, before), "set"), set)))
			before++;
		if (set && before == c && measure_point(t, session, row, set, false, err))
			return err->code;
	}
	return GB_OK;
}

/* Whether a cell is within a preset's bound: a number at most, a list of those taken. */
static bool within(const cJSON *cell, const cJSON *bound)
{
	const cJSON *item;

	if (cJSON_IsNumber(bound))
		return !cJSON_IsNumber(cell) || cell->valuedouble <= bound->valuedouble;
	cJSON_ArrayForEach(item, bound)
	{
		if (cJSON_Compare(item, cell, true))
			return true;
	}
	return false;
}

bool gb_repro_takes(const struct gb_repro *t, size_t row, enum gb_preset preset)
{
	static const char *const paths[GB_PRESETS] = { "preset.quick", "preset.ci",
						       "preset.paper" };
	const cJSON *bound;

	cJSON_ArrayForEach(bound, gb_json_at(t->table, paths[preset]))
	{
		const cJSON number = { .type = cJSON_Number, .valuedouble = (double)row };
		const size_t column = gb_repro_column(t, bound->string);

		if (gb_equal(bound->string, "rows") && !within(&number, bound))
			return false;
		if (column < t->columns && !within(cell_at(t, row, column), bound))
			return false;
	}
	return true;
}

/* ---- what was measured, in the table's terms ---------------------------------------------- */

double gb_repro_seconds(const cJSON *record)
{
	return record && !gb_json_true(record, "emulated")
		       ? gb_json_number(record, "time.median") * 1e-9
		       : (double)NAN;
}

const char *gb_repro_reason(const cJSON *record)
{
	const char *reason;

	reason = gb_json_text(record, "reason");
	if (reason)
		return reason;
	return gb_json_true(record, "emulated") ? "emulated: no time of a GPU"
						: "not reported by this variant";
}

/* The same for a record that may be missing. */
static const char *reason_of(const struct gb_repro *t, size_t row, const cJSON *record)
{
	if (record)
		return gb_repro_reason(record);
	return t->taken[row] ? "left out by --backend" : "left out by --preset";
}

const char *gb_repro_beside_reason(const struct gb_repro *repro, size_t row, size_t index)
{
	const cJSON *record = repro->beside_record[row * repro->besides + index];

	return isnan(gb_repro_seconds(record)) ? reason_of(repro, row, record) : NULL;
}

/* Whether a place in a record holds nanoseconds. */
static bool is_time(const char *path)
{
	static const char *const times[] = { "time.", "phases.", "upload.", "download.",
					     "host_time." };

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

/* A measured column's value in its unit; NAN if there is none.  An emulator has no times.  A rate
 * is the items divided by that time. */
static double value_of(const cJSON *column, const cJSON *record)
{
	static const char *const transfers[] = { "upload.median", "download.median" };
	const char *path = gb_json_text(column, "value");
	double value;

	path = path ? path : "time.median";
	if (!record ||
	    (gb_json_true(record, "emulated") &&
	     (strncmp(path, "metrics.", 8) != 0 || gb_equal(gb_json_text(column, "role"), "time"))))
		return NAN;
	value = gb_json_number(record, path);
	for (size_t i = 0; i < GB_COUNT(transfers) && gb_json_text(column, "scope"); i++) {
		const double part = gb_json_number(record, transfers[i]);

		if (gb_equal(gb_json_text(record, "backend"), "cuda") && !isnan(part))
			value += part;
	}
	if (gb_equal(gb_json_text(column, "role"), "rate") && is_time(path))
		value = gb_json_number(record, "work.items") / (value * 1e-9);
	return value * scale_of(column, path);
}

static void fill_measured(struct gb_repro *t, size_t c)
{
	const cJSON *column = column_at(t, c);
	const char *reason = gb_json_text(column, "reason");
	const bool measured = gb_json_text(column, "variant") != NULL;
	const bool key = gb_equal(gb_json_text(column, "role"), "key");

	for (size_t r = 0; r < t->rows; r++) {
		const size_t at = r * t->columns + c;

		t->here[at] = key ? gb_repro_published(t, r, c) : value_of(column, t->record[at]);
		if (isnan(t->here[at]))
			t->reason[at] = measured ? reason_of(t, r, t->record[at])
					: reason ? reason
						 : "nothing stands for it here";
	}
}

static void fill_ratio(struct gb_repro *t, size_t c)
{
	const cJSON *of = gb_json_at(column_at(t, c), "of");
	const size_t a = gb_repro_column(t, cJSON_GetStringValue(cJSON_GetArrayItem(of, 0)));
	const size_t b = gb_repro_column(t, cJSON_GetStringValue(cJSON_GetArrayItem(of, 1)));

	for (size_t r = 0; r < t->rows && a < t->columns && b < t->columns; r++) {
		const size_t row = r * t->columns;
		const char *reason = t->reason[row + a];

		t->here[row + c] = t->here[row + a] / t->here[row + b];
		t->reason[row + c] = reason ? reason : t->reason[row + b];
	}
}

enum gb_status gb_repro_measure(struct gb_repro *repro, struct gb_session *session,
				enum gb_preset preset, struct gb_error *err)
{
	for (size_t r = 0; r < repro->rows && !err->code; r++) {
		repro->taken[r] = gb_repro_takes(repro, r, preset);
		if (repro->taken[r])
			(void)measure_row(repro, session, r, err);
	}
	for (size_t c = 0; c < repro->columns; c++)
		if (!gb_json_at(column_at(repro, c), "of"))
			fill_measured(repro, c);
	for (size_t c = 0; c < repro->columns; c++)
		if (gb_json_at(column_at(repro, c), "of"))
			fill_ratio(repro, c);
	return err->code;
}
