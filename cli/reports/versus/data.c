#include "cli/reports/versus/data.h"

#include <math.h>
#include <string.h>

#include "cli/records/csv.h"
#include "cli/records/json.h"
#include "common/text.h"

static const char *name_of(const struct gb_versus *v, const struct gb_versus_table *table,
			   size_t column)
{
	return v->column[table->column[column]].name;
}

/* ---- CSV ---------------------------------------------------------------------------------- */

static void print_cell(FILE *file, const struct gb_versus *v, const struct gb_versus_table *table,
		       const struct gb_versus_row *row, size_t column)
{
	const struct gb_versus_cell *cell = &row->cell[column];
	const char *const text[] = { table->bench,
				     table->backend,
				     table->machine,
				     row->key,
				     row->hot ? "hot" : "cold",
				     gb_versus_bys[v->by],
				     name_of(v, table, column),
				     gb_verdict_text(cell->verdict),
				     cell->reason ? cell->reason : "" };
	const double number[] = { (double)cell->launches,
				  cell->ns,
				  cell->rate,
				  cell->speed_up.estimate,
				  cell->speed_up.interval.low,
				  cell->speed_up.interval.high,
				  cell->speed_up.interval.coverage };

	for (size_t i = 0; i < GB_COUNT(text); i++) {
		(void)fputs(i ? "," : "", file);
		gb_csv_print_text(file, text[i]);
	}
	for (size_t i = 0; i < GB_COUNT(number); i++) {
		(void)fputc(',', file);
		gb_csv_print_number(file, number[i]);
	}
	(void)fputs("\r\n", file);
}

void gb_versus_print_csv(FILE *file, const struct gb_versus *versus)
{
	(void)fputs("bench,backend,machine,key,caches,by,column,verdict,reason,launches,time_ns,"
		    "items_per_s,"
		    "speed_up,low,high,coverage\r\n",
		    file);
	for (size_t t = 0; t < versus->table_count; t++) {
		const struct gb_versus_table *table = &versus->table[t];

		for (size_t i = 0; i < table->row_count; i++)
			for (size_t c = 0; c < table->column_count; c++)
				print_cell(file, versus, table, &table->row[i], c);
	}
}

/* ---- JSON --------------------------------------------------------------------------------- */

static bool put_cell(cJSON *list, const char *name, const struct gb_versus_cell *cell)
{
	cJSON *item = cJSON_CreateObject();
	const struct gb_ratio *r = &cell->speed_up;

	return gb_json_append(list, item) && gb_json_put_text(item, "column", name) &&
	       gb_json_put_text(item, "verdict", gb_verdict_text(cell->verdict)) &&
	       gb_json_put_text(item, "reason", cell->reason) &&
	       gb_json_put_int(item, "launches", (int64_t)cell->launches) &&
	       gb_json_put_number(item, "time_ns", cell->ns) &&
	       gb_json_put_number(item, "items_per_s", cell->rate) &&
	       gb_json_put_number(item, "speed_up", r->estimate) &&
	       gb_json_put_number(item, "low", r->interval.low) &&
	       gb_json_put_number(item, "high", r->interval.high) &&
	       gb_json_put_number(item, "coverage", r->interval.coverage);
}

static bool put_row(cJSON *list, const struct gb_versus *v, const struct gb_versus_table *table,
		    const struct gb_versus_row *row)
{
	cJSON *item = cJSON_CreateObject(), *cells;

	if (!gb_json_append(list, item) || !gb_json_put_text(item, "key", row->key) ||
	    !gb_json_put_text(item, "caches", row->hot ? "hot" : "cold") ||
	    !gb_json_put_bool(item, "one_sided", gb_versus_is_one_sided(table, row)))
		return false;
	cells = cJSON_AddArrayToObject(item, "cells");
	for (size_t c = 0; c < table->column_count && cells; c++)
		if (!put_cell(cells, name_of(v, table, c), &row->cell[c]))
			return false;
	return cells;
}

static bool put_column(cJSON *list, const char *name, struct gb_versus_mean cold,
		       struct gb_versus_mean hot)
{
	cJSON *item = cJSON_CreateObject();

	return gb_json_append(list, item) && gb_json_put_text(item, "name", name) &&
	       gb_json_put_number(item, "mean_cold", cold.speed_up) &&
	       gb_json_put_int(item, "mean_cold_rows", (int64_t)cold.rows) &&
	       gb_json_put_number(item, "mean_hot", hot.speed_up) &&
	       gb_json_put_int(item, "mean_hot_rows", (int64_t)hot.rows);
}

static bool put_mix(cJSON *list, const char *name, const struct gb_versus_mix *mix)
{
	cJSON *item = cJSON_CreateObject();
	char text[512];

	return gb_json_append(list, item) && gb_json_put_text(item, "column", name) &&
	       gb_json_put_text(item, "part", mix->name) &&
	       gb_json_put_text(item, "values", gb_versus_mix_text(mix, text, sizeof text));
}

static bool put_table(cJSON *list, const struct gb_versus *v, const struct gb_versus_table *table)
{
	cJSON *item = cJSON_CreateObject();
	cJSON *columns, *mixes, *rows;
	bool whole = gb_json_append(list, item) && gb_json_put_text(item, "bench", table->bench) &&
		     gb_json_put_text(item, "backend", table->backend) &&
		     gb_json_put_text(item, "machine", table->machine[0] ? table->machine : NULL) &&
		     gb_json_put_text(item, "unit", table->unit);

	if (!whole)
		return false;
	columns = cJSON_AddArrayToObject(item, "columns");
	mixes = cJSON_AddArrayToObject(item, "mixes");
	rows = cJSON_AddArrayToObject(item, "rows");
	whole = columns && mixes && rows;
	for (size_t c = 0; c < table->column_count && whole; c++)
		whole = put_column(columns, name_of(v, table, c),
				   gb_versus_mean_of(table, c, false),
				   gb_versus_mean_of(table, c, true));
	for (size_t i = 0; i < table->mix_count && whole; i++)
		whole = put_mix(mixes, name_of(v, table, table->mix[i].column), &table->mix[i]);
	for (size_t i = 0; i < table->row_count && whole; i++)
		whole = put_row(rows, v, table, &table->row[i]);
	return whole;
}

static bool put_versus(cJSON *object, const struct gb_versus *v)
{
	cJSON *tables;

	if (!object || !gb_json_put_text(object, "type", "versus") ||
	    !gb_json_put_int(object, "schema", GB_VERSUS_SCHEMA) ||
	    !gb_json_put_text(object, "by", gb_versus_bys[v->by]) ||
	    !gb_json_put_number(object, "level", GB_LEVEL) ||
	    !gb_json_put_int(object, "left_out", (int64_t)v->left_out))
		return false;
	tables = cJSON_AddArrayToObject(object, "tables");
	for (size_t t = 0; t < v->table_count && tables; t++)
		if (!put_table(tables, v, &v->table[t]))
			return false;
	return tables;
}

enum gb_status gb_versus_print_json(FILE *file, const struct gb_versus *versus,
				    struct gb_error *err)
{
	cJSON *object = cJSON_CreateObject();

	if (!put_versus(object, versus) || !gb_json_print(file, object))
		gb_out_of_memory(err, NULL);
	cJSON_Delete(object);
	return err->code;
}
