/* sides.c -- see sides.h.
 *
 * Each record belongs to a table, to a row of it and to a side, a column.
 */
#include "cli/report/compare/sides.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/records/record.h"
#include "cli/report/compare/gate.h"
#include "cli/report/document.h"
#include "cli/report/keys.h"
#include "common/text.h"

/* A column of a table: a machine or, on one machine, a library.  Without a library it is of our
 * variants. */
struct side {
	const struct gb_machine *machine;
	const char *library; /* the name of its variant */
};

/* A table, of one benchmark and back end; by library, also of one machine. */
struct table {
	const char *bench, *backend;
	size_t count; /* in order of first appearance; by library, ours is the first */
	struct side *side;
};

/* The records of a row on one side; if they are of several variants, of the fastest. */
struct cell {
	struct gb_side_values of; /* no values if a repetition failed */
	double ns;                /* the median of the values, or NAN */
	/* By the interval of the speed-up; same on the first side; without a time, why. */
	enum gb_verdict_word verdict;
	/* Over the first machine, or ours over the library; NAN on the first side and without two
	 * times. */
	struct gb_ratio speed_up;
};

/* The speed-ups of a side. */
struct means {
	double logs;
	size_t rows, verdicts[GB_VERDICT_WORDS];
};

struct report {
	bool by_library;
	struct gb_document document;
	size_t tables, speed_ups;
	struct table *table;
	struct gb_keys keys; /* the rows of all tables */
	struct gb_gate_tests tests;
	struct gb_table data; /* all cells, for programs */
};

/* ---- tables, sides and rows ----------------------------------------------------------------- */

/* The table of a record; r->tables if there is none yet. */
static size_t table_of(const struct report *r, const struct gb_record *record)
{
	const struct gb_machine *machine = gb_record_machine(record);
	size_t i = 0;

	for (; i < r->tables; i++)
		if (r->table[i].side && gb_same(record->bench, r->table[i].bench) &&
		    gb_same(record->backend, r->table[i].backend) &&
		    (!r->by_library || gb_same_machine(r->table[i].side->machine, machine)))
			break;
	return i;
}

static enum gb_status find_side(struct table *t, const struct gb_machine *machine,
				const char *library, size_t *at, struct gb_error *err)
{
	struct side *more;

	for (*at = 0; *at < t->count; ++*at)
		if (gb_same_machine(t->side[*at].machine, machine) &&
		    gb_same(t->side[*at].library, library))
			return GB_OK;
	more = reallocarray(t->side, t->count + 1, sizeof *more);
	if (!more)
		return gb_out_of_memory(err, NULL);
	t->side = more;
	t->side[t->count++] = (struct side){ machine, library };
	return GB_OK;
}

/* The parameters in a key: " count=1000 threads=2". */
static const char *parameters_of(const struct gb_record *record)
{
	return record->key + strcspn(record->key, " ");
}

/* Add the record to its row, and the table and the side if they are new.  By machine, a row is a
 * key and a cache mode.  By library it is a point and a number of threads, which the keys of serial
 * variants lack. */
static enum gb_status add_record(struct report *r, const struct gb_record *record,
				 struct gb_error *err)
{
	static const char name[] = " threads=";
	const struct gb_machine *machine = gb_record_machine(record);
	const char *parameters = parameters_of(record), *at = strstr(parameters, name);
	const int cut = at ? (int)(at - parameters) : -1;
	const size_t table = table_of(r, record);
	struct table *t = &r->table[table];
	char *row = NULL;
	size_t side = 0;
	int length;

	if (table == r->tables) {
		*t = (struct table){ .bench = record->bench, .backend = record->backend };
		if (find_side(t, machine, NULL, &side, err))
			return err->code;
		r->tables++;
	}
	if (find_side(t, machine, r->by_library && record->peer ? record->variant : NULL, &side,
		      err))
		return err->code;
	if (r->by_library)
		length = asprintf(&row, "%zu%d%.*s%s%s%g", table, gb_record_is_cold(record), cut,
				  parameters, at ? at + 1 + strcspn(at + 1, " ") : "", name,
				  record->threads);
	else
		length = asprintf(&row, "%zu%d%s", table, gb_record_is_cold(record), record->key);
	if (length < 0)
		return gb_out_of_memory(err, NULL);
	(void)gb_keys_add(&r->keys, row, side, record, err);
	free(row);
	return err->code;
}

/* ---- the cells ----------------------------------------------------------------------------- */

/* Take the repetitions of one variant of a row on one side.  One that failed makes the cell failed;
 * else one with a time suffices. */
static enum gb_status take_variant(struct cell *cell, const struct gb_key_entry *entry,
				   size_t count, size_t side, const char *variant,
				   struct gb_error *err)
{
	struct gb_side_values *v = &cell->of;
	struct gb_summary summary;

	gb_side_take(v, entry, count, side, variant);
	cell->verdict = v->broken       ? GB_FAILED_RUN
			: v->count      ? GB_SAME
			: v->unverified ? GB_UNVERIFIED
					: GB_ABSENT;
	v->count = v->broken ? 0 : v->count;
	v->reason = v->count ? NULL : v->reason;
	if (!gb_summarize(v->value, v->count, &summary, err))
		cell->ns = summary.median;
	return err->code;
}

/* Fill the cell with the fastest variant on its side; `values` has room for two. */
static enum gb_status fill_cell(struct cell *cell, const struct gb_key_entry *entry, size_t count,
				size_t side, double *values, struct gb_error *err)
{
	const struct cell none = { .of = { .value = values },
				   .ns = NAN,
				   .verdict = GB_ABSENT,
				   .speed_up = { NAN, { NAN, NAN } } };

	*cell = none;
	for (size_t i = 0; i < count; i++) {
		struct cell one = none;

		if (entry[i].side != side)
			continue;
		one.of.value = cell->of.value == values ? values + count : values;
		if (take_variant(&one, entry, count, side, entry[i].record->variant, err))
			return err->code;
		if (!cell->of.record || isnan(cell->ns) || one.ns < cell->ns)
			*cell = one;
	}
	return GB_OK;
}

/* A single repetition of our variant and of the library have the interval of their samples: they
 * are neighbours in one run. */
static enum gb_status set_speed_up(struct report *r, const struct cell *first, struct cell *cell,
				   struct means *mean, struct gb_error *err)
{
	const struct cell *fast = r->by_library ? first : cell,
			  *slow = r->by_library ? cell : first;
	const struct gb_gate_values values = { fast->of.value, slow->of.value, fast->of.count,
					       slow->of.count };
	const struct gb_interval *of = &cell->speed_up.interval;

	if (!first->of.count || !cell->of.count)
		return GB_OK;
	if (gb_gate_ratio(&r->tests, &values, &cell->speed_up, err))
		return err->code;
	if (r->by_library && first->of.count == 1 && cell->of.count == 1)
		cell->speed_up = gb_time_ratio(first->of.record, cell->of.record);
	else if (first->of.count < GB_GATE_LEAST || cell->of.count < GB_GATE_LEAST)
		cell->speed_up.interval = (struct gb_interval){ NAN, NAN };
	cell->verdict = of->low > 1 ? GB_FASTER : of->high < 1 ? GB_SLOWER : GB_UNSURE;
	mean->verdicts[cell->verdict]++;
	mean->logs += log(cell->speed_up.estimate);
	mean->rows++;
	r->speed_ups++;
	return GB_OK;
}

/* ---- printing ------------------------------------------------------------------------------ */

/* Columns for people: those that name the row, then three per machine. */
enum { VARIANT, PARAMETERS, CACHES, FIRST, EACH = 3 };

enum {
	BENCH,
	BACKEND,
	MACHINE,
	KEY,
	CACHE,
	VERDICT,
	REASON,
	REPETITIONS,
	TIME,
	SPEED_UP,
	LOW,
	HIGH
};
static const struct gb_column data_column[] = {
	[BENCH] = { NULL, "bench", true },     [BACKEND] = { NULL, "backend", true },
	[MACHINE] = { NULL, "machine", true }, [KEY] = { NULL, "key", true },
	[CACHE] = { NULL, "caches", true },    [VERDICT] = { NULL, "verdict", true },
	[REASON] = { NULL, "reason", true },   [REPETITIONS] = { NULL, "repetitions", false },
	[TIME] = { NULL, "time_ns", false },   [SPEED_UP] = { NULL, "speed_up", false },
	[LOW] = { NULL, "low", false },        [HIGH] = { NULL, "high", false },
};

/* The name of a side: of a machine, all that identifies it if another of the table has the same
 * name. */
static const char *name_of(const struct report *r, const struct table *t, size_t m)
{
	const struct side *side = &t->side[m];

	if (r->by_library)
		return side->library ? side->library : "ours";
	for (size_t k = 0; k < t->count; k++)
		if (k != m && gb_equal(t->side[k].machine->name, side->machine->name))
			return side->machine->text;
	return side->machine->name;
}

static void add_data(struct report *r, const struct table *t, size_t m, const char *key, bool hot,
		     const struct cell *cell)
{
	struct gb_table *table = &r->data;
	const double number[] = { cell->ns, cell->speed_up.estimate, cell->speed_up.interval.low,
				  cell->speed_up.interval.high };
	const char *machine = r->by_library ? t->side->machine->name : name_of(r, t, m);
	const char *text[] = { t->bench,
			       t->backend,
			       machine,
			       key,
			       hot ? "hot" : "cold",
			       gb_verdict_text(cell->verdict),
			       cell->of.reason };

	gb_table_row(table, false);
	for (size_t i = 0; i < GB_COUNT(text); i++)
		gb_table_set(table, BENCH + i, text[i], GB_PLAIN);
	gb_table_set_count(table, REPETITIONS, cell->of.count, GB_PLAIN);
	for (size_t i = 0; i < GB_COUNT(number); i++)
		gb_table_set_number(table, TIME + i, number[i], NULL, GB_PLAIN);
}

static void add_cell(struct gb_table *table, size_t m, const struct cell *cell)
{
	const struct gb_interval *of = &cell->speed_up.interval;
	const size_t at = FIRST + EACH * m;
	char text[GB_TEXT_MAX];

	if (!cell->of.count)
		gb_table_set(table, at, gb_verdict_text(cell->verdict),
			     gb_verdict_style(cell->verdict));
	else
		gb_table_set(table, at, gb_text_time(text, cell->ns), GB_PLAIN);
	if (isnan(cell->speed_up.estimate))
		return;
	(void)snprintf(text, sizeof text, "%.3f%s", cell->speed_up.estimate,
		       isnan(of->low) ? " ?" : "");
	gb_table_set(table, at + 1, text,
		     cell->verdict == GB_UNSURE ? GB_PLAIN : gb_verdict_style(cell->verdict));
	(void)snprintf(text, sizeof text, "%.3f to %.3f", of->low, of->high);
	gb_table_set(table, at + 2, isnan(of->low) ? "" : text, GB_PLAIN);
}

/* Add the row of these records; by library, if ours and a library have one. */
static enum gb_status add_row(struct report *r, const struct table *t, struct gb_table *table,
			      const struct gb_key_entry *entry, size_t count, struct cell *cell,
			      struct means *mean, struct gb_error *err)
{
	double *values = calloc(2 * count * t->count, sizeof *values);
	const bool hot = !gb_record_is_cold(entry->record);
	const struct gb_record *record = NULL;
	size_t sides = 0;

	if (!values)
		return gb_out_of_memory(err, NULL);
	for (size_t m = 0; m < t->count && !err->code; m++) {
		if (!fill_cell(&cell[m], entry, count, m, values + 2 * count * m, err) && m > 0)
			(void)set_speed_up(r, &cell[0], &cell[m], &mean[m], err);
		if (!record && (m == 0 || !r->by_library))
			record = cell[m].of.record;
		sides += cell[m].of.record != NULL;
	}
	if (err->code || !record || (r->by_library && sides < 2))
		goto out;
	gb_table_row(table, false);
	gb_table_set(table, VARIANT, record->variant, GB_PLAIN);
	gb_table_set(table, PARAMETERS, parameters_of(record) + (*parameters_of(record) == ' '),
		     GB_PLAIN);
	gb_table_set(table, CACHES, hot ? "hot" : "", GB_PLAIN);
	for (size_t m = 0; m < t->count; m++) {
		const struct gb_record *own = cell[m].of.record;

		add_cell(table, m, &cell[m]);
		if (own || !r->by_library)
			add_data(r, t, m, own ? own->key : record->key, hot, &cell[m]);
	}
out:
	free(values);
	return err->code;
}

/* The last row: how often this machine, or ours beside a library, is faster, and the mean. */
static void add_sums(struct gb_table *table, const struct table *t, const struct means *mean)
{
	bool begun = false;
	char text[80];

	for (size_t m = 1; m < t->count; m++) {
		const size_t *v = mean[m].verdicts;

		if (!mean[m].rows)
			continue;
		if (!begun)
			gb_table_row(table, true);
		begun = true;
		gb_table_set(table, PARAMETERS, "faster, unsure, slower; geometric mean", GB_PLAIN);
		(void)snprintf(text, sizeof text, "%zu, %zu, %zu", v[GB_FASTER], v[GB_UNSURE],
			       v[GB_SLOWER]);
		gb_table_set(table, FIRST + EACH * m, text, GB_PLAIN);
		(void)snprintf(text, sizeof text, "%.3f", exp(mean[m].logs / (double)mean[m].rows));
		gb_table_set(table, FIRST + EACH * m + 1, text, GB_PLAIN);
	}
}

static enum gb_status print_table(struct report *r, const struct table *t, struct gb_error *err)
{
	struct gb_column *column = calloc(FIRST + EACH * t->count, sizeof *column);
	struct cell *cell = calloc(t->count, sizeof *cell);
	struct means *mean = calloc(t->count, sizeof *mean);
	struct gb_table table;

	if (!column || !cell || !mean) {
		gb_out_of_memory(err, NULL);
		goto out;
	}
	column[VARIANT] = (struct gb_column){ "variant", NULL, true };
	column[PARAMETERS] = (struct gb_column){ "parameters", NULL, true };
	column[CACHES] = (struct gb_column){ "caches", NULL, true };
	for (size_t m = 0; m < t->count; m++) {
		column[FIRST + EACH * m] = (struct gb_column){ name_of(r, t, m), NULL, false };
		column[FIRST + EACH * m + 1] = (struct gb_column){ "speed-up", NULL, false };
		column[FIRST + EACH * m + 2] = (struct gb_column){ "95 %", NULL, true };
	}
	gb_table_init(&table, FIRST + EACH * t->count, column);
	for (size_t g = 0; g < r->keys.group_count && !err->code; g++) {
		const struct gb_key_group *row = &r->keys.group[g];
		const struct gb_key_entry *entry = &r->keys.entry[row->first];

		if (&r->table[table_of(r, entry->record)] == t)
			(void)add_row(r, t, &table, entry, row->count, cell, mean, err);
	}
	add_sums(&table, t, mean);
	gb_document_put(&r->document, GB_HEAD, "%s on %s%s%s", t->bench, t->backend,
			r->by_library ? ", " : "", r->by_library ? t->side->machine->name : "");
	if (gb_document_is_data(&r->document))
		gb_table_release(&table);
	else
		gb_document_table(&r->document, "", &table);
out:
	free(column);
	free(cell);
	free(mean);
	return err->code;
}

enum gb_status gb_sides_print(FILE *file, const struct gb_records *records, bool by_library,
			      enum gb_format format, struct gb_error *err)
{
	struct report r = { .by_library = by_library };
	const char *kind = by_library ? "libraries" : "machines";

	if (!records->count)
		return gb_fail(err, GB_EUSAGE, "the files have no record");
	gb_document_open(&r.document, file, format,
			 (struct gb_document_kind){ kind, "cells", kind });
	gb_document_field(&r.document, "level", GB_LEVEL);
	gb_table_init(&r.data, GB_COUNT(data_column), data_column);
	r.table = calloc(records->count, sizeof *r.table);
	if (!r.table)
		gb_out_of_memory(err, NULL);
	for (size_t i = 0; i < records->count && !err->code; i++)
		(void)add_record(&r, records->record[i], err);
	if (!err->code)
		(void)gb_keys_group(&r.keys, err);
	if (by_library)
		gb_document_put(
			&r.document, GB_LINE,
			"speed-up: of our fastest variant over the library, with as many threads");
	for (size_t i = 0; i < r.tables && !err->code; i++)
		if (!by_library || r.table[i].count > 1)
			(void)print_table(&r, &r.table[i], err);
	if (gb_document_is_data(&r.document))
		gb_document_table(&r.document, "cells", &r.data);
	else
		gb_table_release(&r.data);
	(void)gb_document_close(&r.document, err);
	if (!err->code && !r.speed_ups)
		gb_fail(err, GB_EUNDECIDED, "%s",
			by_library ? "no point has times of our variants and of a library"
				   : "no measurement has a time on two machines");
	for (size_t i = 0; i < r.tables; i++)
		free(r.table[i].side);
	free(r.table);
	gb_keys_release(&r.keys);
	gb_gate_release(&r.tests);
	return err->code;
}
