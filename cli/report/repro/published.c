/* table.c -- reads a paper's table: its columns, its published cells, and space for measured
 * values. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/report/repro/repro.h"
#include "common/text.h"

const char *gb_repro_printed(const struct gb_repro_cell *cell)
{
	if (cell->text)
		return cell->text;
	return cell->number[0] ? cell->number : NULL;
}

bool gb_repro_lists(const cJSON *list, const struct gb_repro_cell *cell)
{
	const cJSON *item;

	cJSON_ArrayForEach(item, list)
	{
		if (cJSON_IsString(item) ? cell->text && gb_equal(item->valuestring, cell->text)
					 : fabs(item->valuedouble - cell->published) <=
						   1e-9 * fabs(cell->published))
			return true;
	}
	return false;
}

size_t gb_repro_column(const struct gb_repro *repro, const char *name)
{
	size_t i = 0;

	while (i < repro->columns && !(name && gb_equal(repro->column[i].name, name)))
		i++;
	return i;
}

struct gb_repro_cell *gb_repro_cell_of(const struct gb_repro *repro, size_t row, const char *name)
{
	const size_t column = gb_repro_column(repro, name);

	return column < repro->columns ? &repro->cell[row * repro->columns + column] : NULL;
}

/* True if that path in a record is a time in ns. */
static bool is_time(const char *path)
{
	static const char *const times[] = { "time.",    "phases.", "host_time.", "upload",
					     "download", "create",  "first_call" };

	for (size_t i = 0; i < GB_COUNT(times); i++)
		if (strncmp(path, times[i], strlen(times[i])) == 0)
			return true;
	return false;
}

/* The factor from ns to the unit of a time; 1 for everything else. */
static double scale_of(const struct gb_repro_column *column)
{
	static const struct {
		const char *unit;
		double scale;
	} units[] = { { "s", 1e-9 }, { "ms", 1e-6 }, { "us", 1e-3 }, { "ns", 1 } };

	for (size_t i = 0; column->is_time && column->unit && i < GB_COUNT(units); i++)
		if (gb_equal(units[i].unit, column->unit))
			return units[i].scale;
	return 1;
}

static void read_column(struct gb_repro_column *column, const cJSON *json)
{
	const char *value = gb_json_text(json, "value"), *role = gb_json_text(json, "role");
	const char *type = gb_json_text(json, "type");
	const cJSON *of = gb_json_at(json, "of");

	*column = (struct gb_repro_column){
		.name = gb_json_text(json, "name"),
		.role = role ? role : "",
		.is_text = type && gb_equal(type, "text"),
		.is_count = type && gb_equal(type, "integer"),
		.unit = gb_json_text(json, "unit"),
		.param = gb_json_text(json, "param"),
		.variant = gb_json_text(json, "variant"),
		.reason = gb_json_text(json, "reason"),
		.scope = gb_json_text(json, "scope"),
		.value = value ? value : "time.median",
		.scale = gb_json_number(json, "scale"),
		.of = { cJSON_GetStringValue(cJSON_GetArrayItem(of, 0)),
			cJSON_GetStringValue(cJSON_GetArrayItem(of, 1)) },
		.set = gb_json_at(json, "set"),
	};
	column->is_key = gb_equal(column->role, "key");
	column->compared = column->is_count                  ? "here-paper"
			   : gb_equal(column->role, "time")  ? "paper/here"
			   : gb_equal(column->role, "ratio") ? NULL
							     : "here/paper";
	column->is_time = is_time(column->value);
	if (isnan(column->scale))
		column->scale = scale_of(column);
}

/* Read the paper's columns, then the variants beside. */
static void read_columns(struct gb_repro *t)
{
	const struct gb_repro_column *measured = NULL;
	struct gb_repro_column terms;
	const cJSON *own = gb_json_at(t->table, "beside_as"), *item;
	size_t c = 0;

	cJSON_ArrayForEach(item, gb_json_at(t->table, "columns"))
	{
		read_column(&t->column[c], item);
		if (t->column[c].variant && !measured)
			measured = &t->column[c];
		c++;
	}
	read_column(&terms, own);
	if (measured && !own)
		terms = *measured;
	terms.set = gb_json_at(t->table, "beside_set");
	cJSON_ArrayForEach(item, gb_json_at(t->table, "beside"))
	{
		t->column[c] = terms;
		t->column[c].name = t->column[c].variant = item->valuestring;
		c++;
	}
}

/* Numbers whose digits matter are strings, because JSON reads 0.0040 as 0.004. */
static void read_cell(struct gb_repro_cell *cell, const struct gb_repro_column *column,
		      const cJSON *json)
{
	const char *string = cJSON_GetStringValue(json);

	*cell = (struct gb_repro_cell){ .published = NAN, .here = NAN, .low = NAN, .high = NAN };
	if (cJSON_IsNumber(json)) {
		cell->published = json->valuedouble;
		(void)snprintf(cell->number, sizeof cell->number, "%.15g", cell->published);
	} else if (string && column->is_text) {
		cell->text = string;
	} else if (string) {
		cell->published = strtod(string, NULL);
		(void)snprintf(cell->number, sizeof cell->number, "%s", string);
	}
}

static void read_cells(struct gb_repro *t)
{
	const cJSON *row;
	struct gb_repro_cell *cell = t->cell;

	cJSON_ArrayForEach(row, gb_json_at(t->table, "rows"))
	{
		for (size_t c = 0; c < t->columns; c++, cell++) {
			struct gb_repro_column *column = &t->column[c];

			read_cell(cell, column, cJSON_GetArrayItem(row, (int)c));
			column->is_published |= gb_repro_printed(cell) != NULL;
			column->is_shown_twice = column->is_published && !column->is_key &&
						 (column->variant || column->of[0]) &&
						 c < t->paper_columns;
		}
	}
}

static size_t count_of(const cJSON *table, const char *member)
{
	return (size_t)cJSON_GetArraySize(gb_json_at(table, member));
}

enum gb_status gb_repro_init(struct gb_repro *repro, const cJSON *paper, const cJSON *table,
			     struct gb_error *err)
{
	*repro = (struct gb_repro){
		.paper = paper,
		.table = table,
		.rows = count_of(table, "rows"),
		.columns = count_of(table, "columns") + count_of(table, "beside"),
		.paper_columns = count_of(table, "columns"),
	};
	repro->column = calloc(repro->columns, sizeof *repro->column);
	repro->cell = calloc(repro->rows * repro->columns, sizeof *repro->cell);
	repro->taken = calloc(repro->rows, sizeof *repro->taken);
	if (!repro->column || !repro->cell || !repro->taken)
		return gb_out_of_memory(err, NULL);
	read_columns(repro);
	read_cells(repro);
	return GB_OK;
}

void gb_repro_release(struct gb_repro *repro)
{
	free(repro->column);
	free(repro->cell);
	free(repro->taken);
	*repro = (struct gb_repro){ 0 };
}
