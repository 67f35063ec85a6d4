/* table.c -- a paper's table: its cells as published, and room for what is measured. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/reports/repro/repro.h"
#include "common/text.h"

const cJSON *gb_repro_column_at(const struct gb_repro *t, size_t column)
{
	return cJSON_GetArrayItem(gb_json_at(t->table, "columns"), (int)column);
}

const cJSON *gb_repro_cell_at(const struct gb_repro *t, size_t row, size_t column)
{
	const cJSON *rows = gb_json_at(t->table, "rows");

	return cJSON_GetArrayItem(cJSON_GetArrayItem(rows, (int)row), (int)column);
}

/* Numbers whose digits matter are strings: what JSON makes of 0.0040 is 0.004. */
double gb_repro_published(const struct gb_repro *repro, size_t row, size_t column)
{
	const cJSON *cell = gb_repro_cell_at(repro, row, column);

	if (cJSON_IsNumber(cell))
		return cell->valuedouble;
	return cJSON_IsString(cell) && !gb_repro_text(repro, row, column)
		       ? strtod(cell->valuestring, NULL)
		       : (double)NAN;
}

const char *gb_repro_text(const struct gb_repro *repro, size_t row, size_t column)
{
	const char *type = gb_json_text(gb_repro_column_at(repro, column), "type");

	return type && gb_equal(type, "text")
		       ? cJSON_GetStringValue(gb_repro_cell_at(repro, row, column))
		       : NULL;
}

const char *gb_repro_printed(const struct gb_repro *repro, size_t row, size_t column,
			     char number[40])
{
	const cJSON *cell = gb_repro_cell_at(repro, row, column);

	if (!cJSON_IsNumber(cell))
		return cJSON_GetStringValue(cell);
	(void)snprintf(number, 40, "%.15g", cell->valuedouble);
	return number;
}

size_t gb_repro_column(const struct gb_repro *repro, const char *name)
{
	for (size_t i = 0; name && i < repro->columns; i++) {
		const char *is = gb_json_text(gb_repro_column_at(repro, i), "name");

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

const cJSON *gb_repro_beside_terms(const struct gb_repro *t)
{
	const cJSON *own = gb_json_at(t->table, "beside_as");

	for (size_t c = 0; c < t->columns && !own; c++)
		if (gb_json_text(gb_repro_column_at(t, c), "variant"))
			return gb_repro_column_at(t, c);
	return own;
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
	repro->record = calloc(cells + 1, sizeof(struct gb_record *));
	repro->beside_record = calloc(repro->rows * repro->besides + 1, sizeof(struct gb_record *));
	repro->here = calloc(cells + 1, sizeof *repro->here);
	repro->spread = calloc(cells + 1, sizeof *repro->spread);
	repro->beside_here = calloc(repro->rows * repro->besides + 1, sizeof(double));
	repro->beside_spread = calloc(repro->rows * repro->besides + 1, sizeof(struct gb_spread));
	repro->reason = calloc(cells + 1, sizeof *repro->reason);
	repro->taken = calloc(repro->rows + 1, sizeof *repro->taken);
	if (!repro->record || !repro->beside_record || !repro->here || !repro->reason ||
	    !repro->taken || !repro->spread || !repro->beside_here || !repro->beside_spread)
		return gb_out_of_memory(err, NULL);
	return GB_OK;
}

void gb_repro_release(struct gb_repro *repro)
{
	free(repro->record);
	free(repro->beside_record);
	free(repro->here);
	free(repro->spread);
	free(repro->beside_here);
	free(repro->beside_spread);
	free(repro->reason);
	free(repro->taken);
	*repro = (struct gb_repro){ 0 };
}
