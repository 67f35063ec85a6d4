/* machines.c -- see machines.h. */
#include "cli/reports/compare/machines.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/records/identity.h"
#include "cli/reports/compare/gate.h"
#include "cli/reports/grid/sheet.h"
#include "cli/reports/keys.h"
#include "cli/reports/launch.h"
#include "common/text.h"

/* A table, of one benchmark and back end. */
struct table {
	const char *bench, *backend;
	size_t count; /* machines, in order of first appearance */
	const struct gb_machine **machine;
};

/* A key on one machine. */
struct cell {
	size_t launches;
	double *value, ns; /* value: one per launch; ns: their median, or NAN */
	/* By the interval of the speed-up; same on the first machine.  Without a time, the reason. */
	enum gb_verdict_word verdict;
	const char *reason;
	struct gb_ratio speed_up; /* over the first machine; NAN there and without two times */
};

struct means {
	double logs;
	size_t rows;
};

struct report {
	struct gb_sheet sheet;
	struct gb_keys keys;
	struct gb_gate_tests tests;
	size_t tables, speed_ups;
	struct table *table;
	struct gb_grid data; /* all cells, for programs */
};

/* ---- the cells ----------------------------------------------------------------------------- */

/* True if an earlier record is of the same launch: a file may be given twice. */
static bool is_repeated(const struct gb_key_entry *entry, size_t i)
{
	for (size_t k = 0; k < i; k++)
		if (gb_equal(entry[i].record->run_id, entry[k].record->run_id) &&
		    gb_record_is_cold(entry[i].record) == gb_record_is_cold(entry[k].record))
			return true;
	return false;
}

static void take_record(struct cell *cell, const struct gb_record *record)
{
	const double value = gb_launch_value(record);
	enum gb_verdict_word verdict = GB_SAME;

	if (record->status == GB_STATUS_FAILED)
		verdict = GB_FAILED_RUN;
	else if (record->emulated || isnan(value))
		verdict = GB_ABSENT;
	else if (gb_is_untrusted(record))
		verdict = GB_UNVERIFIED;
	if (verdict == GB_SAME)
		cell->value[cell->launches++] = value;
	/* One failed launch makes a cell failed; else one launch with a time suffices. */
	if (verdict == GB_FAILED_RUN || cell->verdict == GB_ABSENT ||
	    (verdict == GB_SAME && cell->verdict == GB_UNVERIFIED)) {
		cell->verdict = verdict;
		cell->reason = record->emulated ? "emulated" : record->reason;
	}
}

/* Fill the cell of a machine; its values have room for `count`. */
static enum gb_status take_cell(struct cell *cell, const struct gb_key_entry *entry, size_t count,
				bool hot, const struct gb_machine *machine, struct gb_error *err)
{
	double *const value = cell->value;
	struct gb_summary summary;

	*cell = (struct cell){ .value = value,
			       .verdict = GB_ABSENT,
			       .speed_up = { NAN, { NAN, NAN, NAN } } };
	for (size_t i = 0; i < count; i++)
		if (gb_record_is_cold(entry[i].record) != hot && !is_repeated(entry, i) &&
		    gb_same_machine(gb_record_machine(entry[i].record), machine))
			take_record(cell, entry[i].record);
	if (cell->verdict != GB_SAME)
		cell->launches = 0;
	if (gb_summarize(cell->value, cell->launches, &summary, err))
		return err->code;
	cell->ns = summary.median;
	return GB_OK;
}

static enum gb_status set_speed_up(struct report *r, const struct cell *first, struct cell *cell,
				   struct gb_error *err)
{
	const struct gb_gate_values values = { cell->value, first->value, cell->launches,
					       first->launches };
	const struct gb_interval *of = &cell->speed_up.interval;

	if (!first->launches || !cell->launches)
		return GB_OK;
	if (gb_gate_ratio(&r->tests, &values, &cell->speed_up, err))
		return err->code;
	if (first->launches < GB_GATE_LEAST || cell->launches < GB_GATE_LEAST)
		cell->speed_up.interval = (struct gb_interval){ NAN, NAN, NAN };
	cell->verdict = of->low > 1 ? GB_FASTER : of->high < 1 ? GB_SLOWER : GB_UNSURE;
	r->speed_ups++;
	return GB_OK;
}

/* ---- printing ------------------------------------------------------------------------------ */

/* Columns for people: those that name the row, then three per machine. */
enum { VARIANT, PARAMETERS, CACHES, FIRST, EACH = 3 };

enum { BENCH, BACKEND, MACHINE, KEY, CACHE, VERDICT, REASON, LAUNCHES, TIME, SPEED_UP, LOW, HIGH };
static const struct gb_column data_column[] = {
	[BENCH] = { NULL, "bench", true },     [BACKEND] = { NULL, "backend", true },
	[MACHINE] = { NULL, "machine", true }, [KEY] = { NULL, "key", true },
	[CACHE] = { NULL, "caches", true },    [VERDICT] = { NULL, "verdict", true },
	[REASON] = { NULL, "reason", true },   [LAUNCHES] = { NULL, "launches", false },
	[TIME] = { NULL, "time_ns", false },   [SPEED_UP] = { NULL, "speed_up", false },
	[LOW] = { NULL, "low", false },        [HIGH] = { NULL, "high", false },
};

/* The machine's name, or all that identifies it if another of the table has the same name. */
static const char *name_of(const struct table *t, size_t m)
{
	for (size_t k = 0; k < t->count; k++)
		if (k != m && gb_equal(t->machine[k]->name, t->machine[m]->name))
			return t->machine[m]->text;
	return t->machine[m]->name;
}

static void add_data(struct gb_grid *grid, const struct table *t, size_t m, const char *key,
		     bool hot, const struct cell *cell)
{
	const double number[] = { cell->ns, cell->speed_up.estimate, cell->speed_up.interval.low,
				  cell->speed_up.interval.high };
	const char *text[] = { t->bench,    t->backend,           name_of(t, m),
			       key,         hot ? "hot" : "cold", gb_verdict_text(cell->verdict),
			       cell->reason };

	gb_grid_row(grid, false);
	for (size_t i = 0; i < GB_COUNT(text); i++)
		gb_grid_set(grid, BENCH + i, text[i], GB_PLAIN);
	gb_grid_set_count(grid, LAUNCHES, cell->launches, GB_PLAIN);
	for (size_t i = 0; i < GB_COUNT(number); i++)
		gb_grid_set_number(grid, TIME + i, number[i], NULL, GB_PLAIN);
}

static void add_cell(struct gb_grid *grid, size_t m, const struct cell *cell)
{
	const struct gb_interval *of = &cell->speed_up.interval;
	const size_t at = FIRST + EACH * m;
	char text[GB_TEXT_MAX];

	if (!cell->launches)
		gb_grid_set(grid, at, gb_verdict_text(cell->verdict),
			    gb_verdict_tint(cell->verdict));
	else
		gb_grid_set(grid, at, gb_text_time(text, cell->ns), GB_PLAIN);
	if (isnan(cell->speed_up.estimate))
		return;
	(void)snprintf(text, sizeof text, "%.3f%s", cell->speed_up.estimate,
		       isnan(of->low) ? " ?" : "");
	gb_grid_set(grid, at + 1, text,
		    cell->verdict == GB_UNSURE ? GB_PLAIN : gb_verdict_tint(cell->verdict));
	(void)snprintf(text, sizeof text, "%.3f to %.3f", of->low, of->high);
	gb_grid_set(grid, at + 2, isnan(of->low) ? "" : text, GB_PLAIN);
}

/* Add a key with cold or hot caches, if it has a record. */
static enum gb_status add_row(struct report *r, const struct table *t, struct gb_grid *grid,
			      const struct gb_key_group *group, bool hot, struct cell *cell,
			      struct means *mean, struct gb_error *err)
{
	const struct gb_key_entry *entry = &r->keys.entry[group->first];
	const char *name = entry->key, *words[] = { t->bench, "/", t->backend, "/" };
	bool any = false;
	size_t length;
	char variant[128];

	for (size_t i = 0; i < group->count; i++)
		any |= gb_record_is_cold(entry[i].record) != hot;
	if (!any)
		return GB_OK;
	for (size_t i = 0; i < GB_COUNT(words) && !strncmp(name, words[i], strlen(words[i])); i++)
		name += strlen(words[i]);
	length = strcspn(name, " ");
	(void)snprintf(variant, sizeof variant, "%.*s", (int)length, name);
	gb_grid_row(grid, false);
	gb_grid_set(grid, VARIANT, variant, GB_PLAIN);
	gb_grid_set(grid, PARAMETERS, name[length] ? name + length + 1 : "", GB_PLAIN);
	gb_grid_set(grid, CACHES, hot ? "hot" : "", GB_PLAIN);
	for (size_t m = 0; m < t->count; m++) {
		if (take_cell(&cell[m], entry, group->count, hot, t->machine[m], err) ||
		    (m > 0 && set_speed_up(r, &cell[0], &cell[m], err)))
			return err->code;
		if (!isnan(cell[m].speed_up.estimate)) {
			mean[m].logs += log(cell[m].speed_up.estimate);
			mean[m].rows++;
		}
		add_cell(grid, m, &cell[m]);
		add_data(&r->data, t, m, entry->key, hot, &cell[m]);
	}
	return GB_OK;
}

static enum gb_status print_table(struct report *r, const struct table *t, struct gb_error *err)
{
	struct gb_column *column = calloc(FIRST + EACH * t->count, sizeof *column);
	struct cell *cell = calloc(t->count, sizeof *cell);
	struct means *mean = calloc(t->count, sizeof *mean);
	double *room = calloc(t->count * (r->keys.count + 1), sizeof *room);
	struct gb_grid grid;

	if (!column || !cell || !mean || !room) {
		gb_out_of_memory(err, NULL);
		goto out;
	}
	column[VARIANT] = (struct gb_column){ "variant", NULL, true };
	column[PARAMETERS] = (struct gb_column){ "parameters", NULL, true };
	column[CACHES] = (struct gb_column){ "caches", NULL, true };
	for (size_t m = 0; m < t->count; m++) {
		column[FIRST + EACH * m] = (struct gb_column){ name_of(t, m), NULL, false };
		column[FIRST + EACH * m + 1] = (struct gb_column){ "speed-up", NULL, false };
		column[FIRST + EACH * m + 2] = (struct gb_column){ "95 %", NULL, true };
		cell[m].value = room + m * (r->keys.count + 1);
	}
	gb_grid_init(&grid, FIRST + EACH * t->count, column);
	for (size_t g = 0; g < 2 * r->keys.group_count && !err->code; g++) {
		const struct gb_key_group *group = &r->keys.group[g / 2];
		const struct gb_record *record = r->keys.entry[group->first].record;

		if (gb_equal(record->bench, t->bench) && gb_equal(record->backend, t->backend))
			(void)add_row(r, t, &grid, group, g % 2, cell, mean, err);
	}
	gb_sheet_put(&r->sheet, GB_HEAD, "%s on %s", t->bench, t->backend);
	for (size_t m = 1; m < t->count; m++)
		if (mean[m].rows)
			gb_sheet_put(&r->sheet, GB_LINE,
				     "%s: geometric mean of %zu speed-ups over %s: %.3f",
				     name_of(t, m), mean[m].rows, name_of(t, 0),
				     exp(mean[m].logs / (double)mean[m].rows));
	if (gb_sheet_is_data(&r->sheet))
		gb_grid_release(&grid);
	else
		gb_sheet_grid(&r->sheet, "", &grid);
out:
	free(column);
	free(cell);
	free(mean);
	free(room);
	return err->code;
}

/* ---- the tables ---------------------------------------------------------------------------- */

/* Add the record's machine to its table, and the table if it is new. */
static enum gb_status add_machine(struct report *r, const struct gb_record *record,
				  struct gb_error *err)
{
	const struct gb_machine *machine = gb_record_machine(record), **more;
	struct table *t = r->table;
	size_t i = 0;

	while (i < r->tables &&
	       !(gb_equal(t[i].bench, record->bench) && gb_equal(t[i].backend, record->backend)))
		i++;
	if (i == r->tables) {
		t = reallocarray(t, i + 1, sizeof *t);
		if (!t)
			return gb_out_of_memory(err, NULL);
		r->table = t;
		t[r->tables++] =
			(struct table){ .bench = record->bench, .backend = record->backend };
	}
	t += i;
	for (i = 0; i < t->count; i++)
		if (gb_same_machine(t->machine[i], machine))
			return GB_OK;
	more = reallocarray(t->machine, i + 1, sizeof(const struct gb_machine *));
	if (!more)
		return gb_out_of_memory(err, NULL);
	t->machine = more;
	t->machine[t->count++] = machine;
	return GB_OK;
}

enum gb_status gb_machines_print(FILE *file, const struct gb_records *records,
				 enum gb_format format, struct gb_error *err)
{
	struct report r = { 0 };

	if (!records->count)
		return gb_fail(err, GB_EUSAGE, "the files have no record");
	gb_sheet_open(&r.sheet, file, format,
		      (struct gb_sheet_kind){ "machines", "cells", "machines" });
	gb_sheet_fact(&r.sheet, "level", GB_LEVEL);
	gb_grid_init(&r.data, GB_COUNT(data_column), data_column);
	for (size_t i = 0; i < records->count && !err->code; i++)
		(void)add_machine(&r, records->record[i], err);
	if (!err->code)
		(void)gb_keys_init(&r.keys, records, NULL, err);
	for (size_t i = 0; i < r.tables && !err->code; i++)
		(void)print_table(&r, &r.table[i], err);
	if (gb_sheet_is_data(&r.sheet))
		gb_sheet_grid(&r.sheet, "cells", &r.data);
	else
		gb_grid_release(&r.data);
	(void)gb_sheet_close(&r.sheet, err);
	if (!err->code && !r.speed_ups)
		gb_fail(err, GB_EUNDECIDED, "no measurement has a time on two machines");
	for (size_t i = 0; i < r.tables; i++)
		free(r.table[i].machine);
	free(r.table);
	gb_keys_release(&r.keys);
	gb_gate_release(&r.tests);
	return err->code;
}
