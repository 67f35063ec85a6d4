/* versus.c -- see versus.h. */
#include "cli/reports/versus/versus.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/records/identity.h"
#include "cli/reports/compare/compare.h"
#include "cli/reports/launch.h"
#include "common/text.h"

/* One record and its place. */
struct item {
	const struct gb_record *record;
	const char *key;
	size_t table, column; /* column: index into all columns */
	size_t order;
	bool hot;
};

/* Consecutive items of one row. */
struct group {
	size_t order, first, count;
};

/* ---- words ------------------------------------------------------------------------------ */

const char *const gb_versus_bys[] = { "machine", "commit",  "host", "compiler",
				      "driver",  "threads", NULL };

const char *gb_versus_row_name(const struct gb_versus_table *table, const struct gb_versus_row *row)
{
	const char *const words[] = { table->bench, "/", table->backend, "/" };
	const char *text = row->key;

	for (size_t i = 0; i < GB_COUNT(words); i++) {
		const size_t length = strlen(words[i]);

		if (strncmp(text, words[i], length) != 0)
			return row->key;
		text += length;
	}
	return text;
}

/* ---- columns ------------------------------------------------------------------------------ */

static char *join(const char *before, const char *text, const char *after)
{
	char *name = NULL;

	return asprintf(&name, "%s%s%s", before, text, after) < 0 ? NULL : name;
}

/* The name of the record's column, for free(); NULL if memory ran out. */
static char *column_name(enum gb_versus_by by, const struct gb_record *record)
{
	const struct gb_run *run = record->run;
	const struct gb_gpu *gpu = gb_run_gpu(run);
	const char *nvcc = gb_is_cpu(record) ? NULL : run->tool.nvcc;
	const char *text = NULL, *before = "", *after = "";
	char number[24];

	switch (by) {
	case GB_BY_MACHINE:
		text = gb_record_machine(record)->name;
		break;
	case GB_BY_COMMIT:
		text = run->tool.commit;
		after = text && run->tool.dirty == GB_YES ? " with changes" : "";
		break;
	case GB_BY_HOST:
		text = run->host.hostname;
		break;
	case GB_BY_COMPILER:
		text = nvcc ? nvcc : run->tool.compiler;
		before = nvcc ? "nvcc " : "";
		break;
	case GB_BY_DRIVER:
		text = run->cuda.driver ? run->cuda.driver : gpu ? gpu->vulkan.driver : NULL;
		before = text ? "driver " : "";
		break;
	case GB_BY_THREADS:
		(void)snprintf(number, sizeof number, "%.0f", record->threads);
		text = isnan(record->threads) ? NULL : number;
		after = record->threads <= 1 ? " thread" : " threads";
		break;
	}
	return join(before, text ? text : "unknown", after);
}

/* True if the record belongs in the column; several machines may share a name. */
static bool is_of_column(const struct gb_versus *v, size_t column, const char *name,
			 const struct gb_record *record)
{
	if (v->by == GB_BY_MACHINE)
		return gb_same_machine(v->column[column].machine, gb_record_machine(record));
	return gb_equal(v->column[column].name, name);
}

/* Find the index of the record's column, which is added if it is new. */
static enum gb_status find_column(struct gb_versus *v, const struct gb_record *record,
				  size_t *index, struct gb_error *err)
{
	char *name = column_name(v->by, record);
	struct gb_versus_column *grown;

	if (!name)
		return gb_out_of_memory(err, NULL);
	for (*index = 0; *index < v->column_count; ++*index)
		if (is_of_column(v, *index, name, record)) {
			free(name);
			return GB_OK;
		}
	grown = reallocarray(v->column, v->column_count + 1, sizeof *grown);
	if (!grown) {
		free(name);
		return gb_out_of_memory(err, NULL);
	}
	v->column = grown;
	v->column[v->column_count++] = (struct gb_versus_column){ name, gb_record_machine(record) };
	return GB_OK;
}

/* Replace the names of machines that share a name by their full identities. */
static enum gb_status tell_apart(struct gb_versus *v, struct gb_error *err)
{
	for (size_t i = 0; i < v->column_count && v->by == GB_BY_MACHINE; i++) {
		bool shared = false;

		for (size_t k = 0; k < v->column_count; k++)
			shared |= k != i &&
				  gb_equal(v->column[i].machine->name, v->column[k].machine->name);
		if (!shared)
			continue;
		free(v->column[i].name);
		v->column[i].name = strdup(v->column[i].machine->text);
		if (!v->column[i].name)
			return gb_out_of_memory(err, NULL);
	}
	return GB_OK;
}

/* Find the index of the record's table, which is added if it is new. */
static enum gb_status find_table(struct gb_versus *v, const struct gb_record *record, size_t *index,
				 struct gb_error *err)
{
	const bool mixes_machines = v->by == GB_BY_MACHINE || v->by == GB_BY_HOST;
	const struct gb_machine *machine = gb_record_machine(record);
	struct gb_versus_table *grown;

	for (*index = 0; *index < v->table_count; ++*index)
		if (gb_equal(v->table[*index].bench, record->bench) &&
		    gb_equal(v->table[*index].backend, record->backend) &&
		    (mixes_machines || gb_same_machine(v->table[*index].on, machine)))
			return GB_OK;
	grown = reallocarray(v->table, v->table_count + 1, sizeof *grown);
	if (!grown)
		return gb_out_of_memory(err, NULL);
	v->table = grown;
	v->table[v->table_count++] =
		(struct gb_versus_table){ .bench = record->bench,
					  .backend = record->backend,
					  .machine = mixes_machines ? "" : machine->name,
					  .on = machine };
	return GB_OK;
}

/* Remove the threads from the item's key. */
static enum gb_status drop_threads(struct gb_versus *v, struct item *it, struct gb_error *err)
{
	static const char word[] = " threads=";
	const char *from = strstr(it->key, word);
	char **grown;

	if (!from)
		return GB_OK;
	grown = reallocarray(v->key, v->key_count + 1, sizeof *grown);
	if (!grown)
		return gb_out_of_memory(err, NULL);
	v->key = grown;
	if (asprintf(&v->key[v->key_count], "%.*s%s", (int)(from - it->key), it->key,
		     from + strlen(word) + strcspn(from + strlen(word), " ")) < 0)
		return gb_out_of_memory(err, NULL);
	it->key = v->key[v->key_count++];
	return GB_OK;
}

/* True if the record depends on what columns stand for. */
static bool depends(enum gb_versus_by by, const struct gb_record *record)
{
	return gb_is_cpu(record) ? by != GB_BY_DRIVER : by != GB_BY_THREADS;
}

static enum gb_status collect(struct gb_versus *v, const struct gb_records *list, struct item *item,
			      size_t *count, struct gb_error *err)
{
	for (size_t i = 0; i < list->count; i++) {
		const struct gb_record *record = list->record[i];
		struct item *it = &item[*count];

		if (!depends(v->by, record)) {
			v->left_out++;
			continue;
		}
		*it = (struct item){ .record = record,
				     .key = record->key,
				     .order = *count,
				     .hot = !gb_record_is_cold(record) };
		if (v->by == GB_BY_THREADS && drop_threads(v, it, err))
			return err->code;
		if (find_column(v, record, &it->column, err) ||
		    find_table(v, record, &it->table, err))
			return err->code;
		++*count;
	}
	return tell_apart(v, err);
}

/* Set the table's columns: those that its records are in. */
static enum gb_status find_columns(struct gb_versus *v, const struct item *item, size_t count,
				   size_t table, struct gb_error *err)
{
	struct gb_versus_table *t = &v->table[table];

	t->column = calloc(v->column_count + 1, sizeof *t->column);
	if (!t->column)
		return gb_out_of_memory(err, NULL);
	for (size_t c = 0; c < v->column_count; c++) {
		size_t i = 0;

		while (i < count && !(item[i].table == table && item[i].column == c))
			i++;
		if (i < count)
			t->column[t->column_count++] = c;
	}
	return GB_OK;
}

/* ---- a cell ------------------------------------------------------------------------------- */

/* True if an earlier item is of the same launch and column: a file may be given twice. */
static bool is_repeated(const struct item *item, size_t i)
{
	for (size_t k = 0; k < i; k++)
		if (item[k].column == item[i].column &&
		    gb_equal(item[i].record->run_id, item[k].record->run_id))
			return true;
	return false;
}

/* Why the record has no valid time; GB_SAME if it has one. */
static enum gb_verdict_word verdict_of(const struct gb_record *record, double value)
{
	if (record->status == GB_STATUS_FAILED)
		return GB_FAILED_RUN;
	if (record->emulated || isnan(value))
		return GB_ABSENT;
	return gb_is_untrusted(record) ? GB_UNVERIFIED : GB_SAME;
}

/* Update the cell's verdict: one failed launch makes it failed; else one launch with a time
 * suffices. */
static void take_verdict(struct gb_versus_cell *cell, enum gb_verdict_word verdict,
			 const struct gb_record *record)
{
	static const int weight[GB_VERDICT_WORDS] = {
		[GB_ABSENT] = 1,
		[GB_UNVERIFIED] = 2,
		[GB_SAME] = 3,
		[GB_FAILED_RUN] = 4,
	};

	if (cell->has_record && weight[verdict] <= weight[cell->verdict])
		return;
	cell->has_record = true;
	cell->verdict = verdict;
	cell->reason = record->emulated ? "emulated: no time of a GPU" : record->reason;
}

/* The items behind the record's rate, which refers to the median time. */
static double items_of(const struct gb_record *record)
{
	return record->rates.items_per_s * record->time.median * 1e-9;
}

/* Fill the cell of a column, and its values in ascending order; value has room for `count`. */
static void take_cell(const struct gb_versus *v, const struct item *item, size_t count,
		      size_t column, struct gb_versus_cell *cell, double *value)
{
	double items = NAN;

	*cell = (struct gb_versus_cell){ .verdict = GB_ABSENT,
					 .speed_up = { NAN, { NAN, NAN, NAN } } };
	for (size_t i = 0; i < count; i++) {
		const double x = gb_launch_value(item[i].record, false);
		enum gb_verdict_word verdict;

		if (item[i].column != column || is_repeated(item, i))
			continue;
		verdict = verdict_of(item[i].record, x);
		take_verdict(cell, verdict, item[i].record);
		if (verdict != GB_SAME)
			continue;
		value[cell->launches++] = x;
		items = isnan(items) ? items_of(item[i].record) : items;
	}
	cell->has_time = cell->verdict == GB_SAME;
	if (!cell->has_time)
		cell->launches = 0;
	gb_sort(value, cell->launches);
	cell->ns = gb_median_sorted(value, cell->launches);
	cell->rate = items / cell->ns * 1e9;
}

/* ---- a row -------------------------------------------------------------------------------- */

static enum gb_status set_speed_up(struct gb_versus_cell *cell, const double *value, size_t count,
				   const double *first, size_t first_count, struct gb_error *err)
{
	if (gb_ratio(value, count, first, first_count, GB_LEVEL, &cell->speed_up, err))
		return err->code;
	if (count < GB_LAUNCHES || first_count < GB_LAUNCHES)
		cell->speed_up.interval = (struct gb_interval){ NAN, NAN, NAN };
	if (count && first_count)
		cell->verdict = cell->speed_up.interval.low > 1    ? GB_FASTER
				: cell->speed_up.interval.high < 1 ? GB_SLOWER
								   : GB_UNSURE;
	return GB_OK;
}

static enum gb_status fill_row(struct gb_versus *v, const struct gb_versus_table *table,
			       const struct item *item, size_t count, struct gb_versus_row *row,
			       struct gb_error *err)
{
	double *first = malloc((count + 1) * sizeof *first);
	double *value = malloc((count + 1) * sizeof *value);

	*row = (struct gb_versus_row){ .key = item->key, .hot = item->hot };
	row->cell = calloc(table->column_count + 1, sizeof *row->cell);
	if (!first || !value || !row->cell) {
		gb_out_of_memory(err, NULL);
		goto out;
	}
	take_cell(v, item, count, table->column[0], &row->cell[0], first);
	for (size_t c = 1; c < table->column_count; c++) {
		struct gb_versus_cell *cell = &row->cell[c];

		take_cell(v, item, count, table->column[c], cell, value);
		if (set_speed_up(cell, value, cell->launches, first, row->cell[0].launches, err))
			goto out;
		v->speed_ups += isnan(cell->speed_up.estimate) ? 0 : 1;
	}
out:
	free(first);
	free(value);
	return err->code;
}

/* ---- a table ------------------------------------------------------------------------------ */

static int by_row(const void *a, const void *b)
{
	const struct item *x = a, *y = b;
	int order = GB_ORDER(x->table, y->table);

	order = order ? order : strcmp(x->key, y->key);
	order = order ? order : GB_ORDER(x->hot, y->hot);
	return order ? order : GB_ORDER(x->order, y->order);
}

static int by_order(const void *a, const void *b)
{
	const struct group *x = a, *y = b;

	return GB_ORDER(x->order, y->order);
}

/* Group the sorted items of a table into rows, in order of first appearance. */
static size_t find_groups(const struct item *item, size_t count, struct group *group)
{
	size_t groups = 0;

	for (size_t i = 0; i < count; i++) {
		if (i > 0 && item[i].hot == item[i - 1].hot &&
		    gb_equal(item[i].key, item[i - 1].key))
			group[groups - 1].count++;
		else
			group[groups++] = (struct group){ item[i].order, i, 1 };
	}
	if (groups)
		qsort(group, groups, sizeof *group, by_order);
	return groups;
}

/* The unit that all records count in; NULL if they differ. */
static const char *common_unit(const struct item *item, size_t count)
{
	const char *unit = NULL;

	for (size_t i = 0; i < count; i++) {
		const char *other = item[i].record->work.unit;

		if (other && unit && !gb_equal(unit, other))
			return NULL;
		unit = other ? other : unit;
	}
	return unit;
}

static enum gb_status find_mixes(struct gb_versus_table *t, const struct item *item, size_t count,
				 struct gb_error *err)
{
	t->mix = calloc(t->column_count * GB_MIX_PARTS + 1, sizeof *t->mix);
	if (!t->mix)
		return gb_out_of_memory(err, NULL);
	for (size_t c = 0; c < t->column_count; c++)
		for (size_t part = 0; part < GB_MIX_PARTS; part++) {
			struct gb_versus_mix mix = gb_versus_mix_begin(c, part);

			for (size_t i = 0; i < count; i++)
				if (item[i].column == t->column[c])
					gb_versus_mix_add(&mix, item[i].record);
			if (mix.count > 1)
				t->mix[t->mix_count++] = mix;
		}
	return GB_OK;
}

static enum gb_status fill_table(struct gb_versus *v, struct gb_versus_table *t,
				 const struct item *item, size_t count, struct group *group,
				 struct gb_error *err)
{
	const size_t groups = find_groups(item, count, group);

	t->unit = common_unit(item, count);
	t->row = calloc(groups + 1, sizeof *t->row);
	if (!t->row)
		return gb_out_of_memory(err, NULL);
	for (size_t g = 0; g < groups; g++) {
		const struct item *first = &item[group[g].first];

		t->row_count++;
		if (fill_row(v, t, first, group[g].count, &t->row[g], err))
			return err->code;
		t->mixed_caches |= t->row[g].hot != t->row[0].hot;
	}
	return find_mixes(t, item, count, err);
}

static enum gb_status fill(struct gb_versus *v, struct item *item, size_t count,
			   struct gb_error *err)
{
	struct group *group = calloc(count + 1, sizeof *group);
	size_t first = 0;

	if (!group)
		return gb_out_of_memory(err, NULL);
	qsort(item, count, sizeof *item, by_row);
	for (size_t t = 0; t < v->table_count && !err->code; t++) {
		size_t end = first;

		while (end < count && item[end].table == t)
			end++;
		if (!find_columns(v, &item[first], end - first, t, err))
			(void)fill_table(v, &v->table[t], &item[first], end - first, group, err);
		first = end;
	}
	free(group);
	return err->code;
}

enum gb_status gb_versus_init(struct gb_versus *versus, const struct gb_records *records,
			      struct gb_error *err)
{
	struct item *item = calloc(records->count + 1, sizeof *item);
	size_t count = 0;

	if (!item)
		gb_out_of_memory(err, NULL);
	else if (!collect(versus, records, item, &count, err)) {
		if (count)
			(void)fill(versus, item, count, err);
		else
			gb_fail(err, GB_EUSAGE, "the files have no record%s",
				!versus->left_out             ? ""
				: versus->by == GB_BY_THREADS ? " of a CPU"
							      : " of a GPU");
	}
	free(item);
	return err->code;
}

void gb_versus_release(struct gb_versus *versus)
{
	for (size_t t = 0; t < versus->table_count; t++) {
		struct gb_versus_table *table = &versus->table[t];

		for (size_t i = 0; i < table->row_count; i++)
			free(table->row[i].cell);
		free(table->row);
		free(table->mix);
		free(table->column);
	}
	for (size_t i = 0; i < versus->column_count; i++)
		free(versus->column[i].name);
	for (size_t i = 0; i < versus->key_count; i++)
		free(versus->key[i]);
	free(versus->column);
	free(versus->key);
	free(versus->table);
	*versus = (struct gb_versus){ 0 };
}

/* ---- means -------------------------------------------------------------------------------- */

struct gb_versus_mean gb_versus_mean_of(const struct gb_versus_table *table, size_t column,
					bool hot)
{
	struct gb_versus_mean mean = { NAN, 0 };
	double sum = 0;

	for (size_t i = 0; i < table->row_count; i++) {
		const double x = table->row[i].cell[column].speed_up.estimate;

		if (isnan(x) || table->row[i].hot != hot)
			continue;
		sum += log(x);
		mean.rows++;
	}
	if (mean.rows)
		mean.speed_up = exp(sum / (double)mean.rows);
	return mean;
}
