#include "cli/reports/versus.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/records/json.h"
#include "cli/reports/compare.h"
#include "cli/reports/launch.h"
#include "common/text.h"

/* One record, and where it goes. */
struct item {
	const struct gb_record *record, *run;
	const char *key;
	size_t table, column; /* the column as index into the names */
	size_t order;
	bool hot;
};

/* Items of one row in a sequence. */
struct group {
	size_t order, first, count;
};

static bool is_cpu(const struct gb_record *record)
{
	const char *backend = record->backend;

	return backend && gb_equal(backend, "cpu");
}

/* ---- words ------------------------------------------------------------------------------ */

const char *const gb_versus_bys[] = { "machine", "commit",  "host", "compiler",
				      "driver",  "threads", NULL };

const char *gb_versus_state_word(enum gb_versus_state state)
{
	static const char *const word[GB_CELL_STATES] = {
		[GB_CELL_TIME] = "ok",           [GB_CELL_ABSENT] = "absent",
		[GB_CELL_FAILED] = "failed",     [GB_CELL_TIMEOUT] = "timeout",
		[GB_CELL_EMULATED] = "emulated", [GB_CELL_UNVERIFIED] = "unverified",
		[GB_CELL_SKIPPED] = "skipped",
	};

	return word[state];
}

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

/* What the record's column is called, for free(); NULL: memory ran out. */
static char *column_name(enum gb_versus_by by, const struct gb_record *record, const struct gb_run *run)
{
	const bool cpu = is_cpu(record);
	const char *nvcc = cpu ? NULL : run->tool.nvcc;
	const char *text = NULL, *before = "", *after = "";
	const double threads = record->threads;
	char number[24];

	switch (by) {
	case GB_BY_MACHINE:
		text = gb_setup_machine(record, run);
		break;
	case GB_BY_COMMIT:
		text = run->tool.commit;
		after = text && run->tool.dirty ? " with changes" : "";
		break;
	case GB_BY_HOST:
		text = run->host.hostname;
		break;
	case GB_BY_COMPILER:
		text = nvcc ? nvcc : run->tool.compiler;
		before = nvcc ? "nvcc " : "";
		break;
	case GB_BY_DRIVER:
		text = run->cuda.driver;
		text = text ? text : gb_json_text(gb_setup_gpu(run), "vulkan.driver");
		before = text ? "driver " : "";
		break;
	case GB_BY_THREADS:
		(void)snprintf(number, sizeof number, "%.0f", threads);
		text = isnan(threads) ? NULL : number;
		after = threads <= 1 ? " thread" : " threads";
		break;
	}
	return join(before, text ? text : "unknown", after);
}

/* The index of the name, which is owned and added if it is new. */
static enum gb_status find_name(struct gb_versus *v, char *name, size_t *index,
				struct gb_error *err)
{
	char **grown;

	if (!name)
		return gb_out_of_memory(err, NULL);
	for (*index = 0; *index < v->name_count; ++*index) {
		if (gb_equal(v->name[*index], name)) {
			free(name);
			return GB_OK;
		}
	}
	grown = reallocarray(v->name, v->name_count + 1, sizeof *grown);
	if (!grown) {
		free(name);
		return gb_out_of_memory(err, NULL);
	}
	v->name = grown;
	v->name[v->name_count++] = name;
	return GB_OK;
}

/* The index of the record's table, which is added if it is new. */
static enum gb_status find_table(struct gb_versus *v, const struct gb_record *record, const struct gb_run *run,
				 size_t *index, struct gb_error *err)
{
	const bool mixes_machines = v->by == GB_BY_MACHINE || v->by == GB_BY_HOST;
	const char *machine = mixes_machines ? "" : gb_setup_machine(record, run);
	const char *bench = record->bench;
	const char *backend = record->backend;
	struct gb_versus_table *grown;

	machine = machine ? machine : "unknown";
	bench = bench ? bench : "unknown";
	backend = backend ? backend : "unknown";
	for (*index = 0; *index < v->table_count; ++*index)
		if (gb_equal(v->table[*index].bench, bench) &&
		    gb_equal(v->table[*index].backend, backend) &&
		    gb_equal(v->table[*index].machine, machine))
			return GB_OK;
	grown = reallocarray(v->table, v->table_count + 1, sizeof *grown);
	if (!grown)
		return gb_out_of_memory(err, NULL);
	v->table = grown;
	v->table[v->table_count++] =
		(struct gb_versus_table){ .bench = bench, .backend = backend, .machine = machine };
	return GB_OK;
}

/* The item's key without its threads. */
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

/* Whether the record depends on what columns stand for. */
static bool depends(enum gb_versus_by by, const struct gb_record *record)
{
	return is_cpu(record) ? by != GB_BY_DRIVER : by != GB_BY_THREADS;
}

static enum gb_status collect(struct gb_versus *v, const struct gb_records *list,
			      const struct gb_runs *runs, struct item *item, size_t *count,
			      struct gb_error *err)
{
	for (size_t i = 0; i < list->count; i++) {
		const struct gb_record *record = list->record[i];
		struct item *it = &item[*count];

		if (!gb_is_record(record) || !record->key)
			continue;
		if (!depends(v->by, record)) {
			v->left_out++;
			continue;
		}
		*it = (struct item){ .record = record,
				     .run = gb_runs_find(runs, record),
				     .key = record->key,
				     .order = *count };
		it->hot = !gb_record_is_cold(record);
		if (v->by == GB_BY_THREADS && drop_threads(v, it, err))
			return err->code;
		if (find_name(v, column_name(v->by, record, it->run), &it->column, err) ||
		    find_table(v, record, it->run, &it->table, err))
			return err->code;
		++*count;
	}
	return GB_OK;
}

/* The table's columns are the names that its records have. */
static enum gb_status find_columns(struct gb_versus *v, const struct item *item, size_t count,
				   size_t table, struct gb_error *err)
{
	struct gb_versus_table *t = &v->table[table];

	t->column = calloc(v->name_count + 1, sizeof *t->column);
	if (!t->column)
		return gb_out_of_memory(err, NULL);
	for (size_t name = 0; name < v->name_count; name++) {
		size_t i = 0;

		while (i < count && !(item[i].table == table && item[i].column == name))
			i++;
		if (i < count)
			t->column[t->column_count++] = name;
	}
	return GB_OK;
}

/* ---- a cell ------------------------------------------------------------------------------- */

/* Whether an earlier item is of the same launch and column: a file may be given twice. */
static bool is_repeated(const struct item *item, size_t i)
{
	const char *run = item[i].record->run_id;

	for (size_t k = 0; run && k < i; k++) {
		const char *other = item[k].record->run_id;

		if (item[k].column == item[i].column && other && gb_equal(run, other))
			return true;
	}
	return false;
}

/* What the record says by itself, if it has no time that counts. */
static enum gb_versus_state state_of(const struct gb_record *record, double value)
{
	if (gb_has_status(record, "timeout"))
		return GB_CELL_TIMEOUT;
	if (gb_launch_is_broken(record))
		return GB_CELL_FAILED;
	if (record->emulated)
		return GB_CELL_EMULATED;
	if ((record->status == GB_STATUS_UNVERIFIED))
		return GB_CELL_UNVERIFIED;
	return isnan(value) ? GB_CELL_SKIPPED : GB_CELL_TIME;
}

/* One failed launch makes the cell failed; else a launch with a time makes it one. */
static void take_state(struct gb_versus_cell *cell, enum gb_versus_state state, const struct gb_record *record)
{
	static const int weight[] = {
		[GB_CELL_ABSENT] = 0,     [GB_CELL_SKIPPED] = 1, [GB_CELL_EMULATED] = 2,
		[GB_CELL_UNVERIFIED] = 3, [GB_CELL_TIME] = 4,    [GB_CELL_TIMEOUT] = 5,
		[GB_CELL_FAILED] = 6,
	};

	if (weight[state] <= weight[cell->state])
		return;
	cell->state = state;
	cell->reason = record->reason;
}

/* Items that the record's rate counts: it belongs to the median time. */
static double items_of(const struct gb_record *record)
{
	return record->rates.items_per_s * record->time.sum.median *
	       1e-9;
}

/* The cell of a column, and its values, ascending; value has room for count. */
static void take_cell(const struct gb_versus *v, const struct item *item, size_t count,
		      size_t column, struct gb_versus_cell *cell, double *value)
{
	const struct gb_launch_stat stat = { .by_median = v->by_median };
	double items = NAN;

	*cell = (struct gb_versus_cell){ .state = GB_CELL_ABSENT,
					 .speed_up = { NAN, { NAN, NAN, NAN } } };
	for (size_t i = 0; i < count; i++) {
		const double x = gb_launch_value(item[i].record, stat);
		enum gb_versus_state state;

		if (item[i].column != column || is_repeated(item, i))
			continue;
		state = state_of(item[i].record, x);
		take_state(cell, state, item[i].record);
		if (state != GB_CELL_TIME)
			continue;
		value[cell->launches++] = x;
		items = isnan(items) ? items_of(item[i].record) : items;
	}
	if (cell->state != GB_CELL_TIME)
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

/* ---- what a column mixes ------------------------------------------------------------------ */

static const struct {
	const char *name, *path;
	bool of_cpu, of_gpu; /* the back ends whose times depend on it */
	bool in_gpu;         /* the path is one within the GPU's object */
} parts[] = {
	{ "CPU", "host.cpu", true, false, false },
	{ "GPU", "name", false, true, true },
	{ "host", "host.hostname", true, true, false },
	{ "commit", "tool.commit", true, true, false },
	{ "uncommitted changes", "tool.dirty", true, true, false },
	{ "build", "tool.mode", true, true, false },
	{ "compiler", "tool.compiler", true, true, false },
	{ "compiler flags", "tool.cflags", true, true, false },
	{ "nvcc", "tool.nvcc", false, true, false },
	{ "architectures", "tool.archs", false, true, false },
	{ "driver", "cuda.driver", false, true, false },
	{ "Vulkan driver", "vulkan.driver", false, true, true },
	{ "CUDA runtime", "cuda.runtime", false, true, false },
};

static void add_value(struct gb_setup_values *values, const cJSON *item)
{
	for (size_t i = 0; i < values->count && i < GB_SETUP_VALUES; i++)
		if (cJSON_Compare(values->value[i], item, true))
			return;
	if (values->count < GB_SETUP_VALUES)
		values->value[values->count] = item;
	values->count++;
}

/* The values that the records with a time in the column have of a part. */
static struct gb_setup_values values_of(const struct item *item, size_t count, size_t column,
					size_t part)
{
	struct gb_setup_values values = { 0 };

	for (size_t i = 0; i < count; i++) {
		const cJSON *from = parts[part].in_gpu ? gb_setup_gpu(item[i].run) : item[i].run;
		const cJSON *value = gb_json_at(from, parts[part].path);

		if (item[i].column == column && value && !cJSON_IsNull(value) &&
		    gb_json_at(item[i].record, "time") &&
		    (is_cpu(item[i].record) ? parts[part].of_cpu : parts[part].of_gpu))
			add_value(&values, value);
	}
	return values;
}

static enum gb_status find_mixes(struct gb_versus_table *t, const struct item *item, size_t count,
				 struct gb_error *err)
{
	t->mix = calloc(t->column_count * GB_COUNT(parts) + 1, sizeof *t->mix);
	if (!t->mix)
		return gb_out_of_memory(err, NULL);
	for (size_t c = 0; c < t->column_count; c++)
		for (size_t part = 0; part < GB_COUNT(parts); part++) {
			const struct gb_setup_values values =
				values_of(item, count, t->column[c], part);

			if (values.count > 1)
				t->mix[t->mix_count++] =
					(struct gb_versus_mix){ c, parts[part].name, values };
		}
	return GB_OK;
}

/* ---- a table ------------------------------------------------------------------------------ */

static int by_row(const void *a, const void *b)
{
	const struct item *x = a, *y = b;
	const int key = strcmp(x->key, y->key);

	if (x->table != y->table)
		return x->table < y->table ? -1 : 1;
	if (key)
		return key;
	if (x->hot != y->hot)
		return x->hot ? 1 : -1;
	return (x->order > y->order) - (x->order < y->order);
}

static int by_order(const void *a, const void *b)
{
	const struct group *x = a, *y = b;

	return (x->order > y->order) - (x->order < y->order);
}

/* The sorted items of a table as rows, in the order of first appearance. */
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
	struct gb_runs runs = { 0 };
	size_t count = 0;

	if (!item)
		gb_out_of_memory(err, NULL);
	else if (!gb_runs_add(&runs, records, err) &&
		 !collect(versus, records, &runs, item, &count, err)) {
		if (count)
			(void)fill(versus, item, count, err);
		else
			gb_fail(err, GB_EUSAGE, "the files have no record%s",
				!versus->left_out             ? ""
				: versus->by == GB_BY_THREADS ? " of a CPU"
							      : " of a GPU");
	}
	gb_runs_release(&runs);
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
	for (size_t i = 0; i < versus->name_count; i++)
		free(versus->name[i]);
	for (size_t i = 0; i < versus->key_count; i++)
		free(versus->key[i]);
	free(versus->name);
	free(versus->key);
	free(versus->table);
	*versus = (struct gb_versus){ 0 };
}

/* ---- sums --------------------------------------------------------------------------------- */

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

bool gb_versus_is_one_sided(const struct gb_versus_table *table, const struct gb_versus_row *row)
{
	size_t times = 0;

	for (size_t c = 0; c < table->column_count; c++)
		times += row->cell[c].state == GB_CELL_TIME;
	return times > 0 && times < table->column_count;
}
