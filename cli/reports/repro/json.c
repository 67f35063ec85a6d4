/* json.c -- a paper's table, what was measured here and the claims, for programs.
 *
 * {"tables": [{"paper", "table", "title", "citation", "columns": [{"name", "role", "unit",
 * "variant"}], "rows": [{COLUMN: {"paper": 1.5, "printed": "1.50", "here": 1.2,
 * "here_low": 1.1, "here_high": 1.3, "reason": null}, ..., "beside": {VARIANT: {"here": 0.5,
 * ..., "unit": "s", "reason": null}}}], "claims": [{"id", "text", "verdict", "tested", "missing", "why"}]}, ...], "sum": {"tables", "cells", "measured", "held", "not_held", "untestable", "left_out":
 * [{"count", "reason"}]}}
 */
#include <math.h>

#include "cli/reports/repro/repro.h"
#include "common/text.h"

static bool put_columns(cJSON *object, const struct gb_repro *t)
{
	static const char *const members[] = { "name", "role", "unit", "variant" };
	cJSON *list = cJSON_AddArrayToObject(object, "columns");
	const cJSON *column;

	cJSON_ArrayForEach(column, gb_json_at(t->table, "columns"))
	{
		cJSON *item = cJSON_CreateObject();

		if (!gb_json_append(list, item))
			return false;
		for (size_t i = 0; i < GB_COUNT(members); i++)
			if (gb_json_text(column, members[i]) &&
			    !gb_json_put_text(item, members[i], gb_json_text(column, members[i])))
				return false;
	}
	return list;
}

static bool put_measured(cJSON *cell, double value, const struct gb_spread *spread)
{
	return gb_json_put_number(cell, "here", value) &&
	       gb_json_put_number(cell, "here_low", spread->low) &&
	       gb_json_put_number(cell, "here_high", spread->high);
}

/* A key is its value; anything else what is printed, what was measured, and why nothing was. */
static bool put_cell(cJSON *row, const struct gb_repro *t, size_t r, size_t c, const cJSON *column)
{
	const char *name = gb_json_text(column, "name"), *text = gb_repro_text(t, r, c);
	const double published = gb_repro_published(t, r, c);
	const size_t at = r * t->columns + c;
	char number[40];
	cJSON *cell;

	if (text)
		return gb_json_put_text(row, name, text);
	if (gb_equal(gb_json_text(column, "role"), "key"))
		return gb_json_put_number(row, name, published);
	cell = cJSON_AddObjectToObject(row, name);
	return cell && gb_json_put_number(cell, "paper", published) &&
	       gb_json_put_text(cell, "printed", gb_repro_printed(t, r, c, number)) &&
	       put_measured(cell, t->here[at], &t->spread[at]) &&
	       gb_json_put_text(cell, "reason", t->reason[at]);
}

static bool put_beside(cJSON *row, const struct gb_repro *t, size_t r)
{
	cJSON *object = cJSON_AddObjectToObject(row, "beside");

	for (size_t i = 0; i < t->besides; i++) {
		cJSON *cell = cJSON_AddObjectToObject(object, gb_repro_beside(t, i));

		if (!cell ||
		    !put_measured(cell, t->beside_here[r * t->besides + i],
				  &t->beside_spread[r * t->besides + i]) ||
		    !gb_json_put_text(cell, "unit",
				      gb_json_text(gb_repro_beside_terms(t), "unit")) ||
		    !gb_json_put_text(cell, "reason", gb_repro_beside_reason(t, r, i)))
			return false;
	}
	return object;
}

static bool put_rows(cJSON *object, const struct gb_repro *t)
{
	cJSON *list = cJSON_AddArrayToObject(object, "rows");

	for (size_t r = 0; r < t->rows; r++) {
		cJSON *row = cJSON_CreateObject();
		const cJSON *column;
		size_t c = 0;

		if (!gb_json_append(list, row))
			return false;
		cJSON_ArrayForEach(column, gb_json_at(t->table, "columns"))
		{
			if (!put_cell(row, t, r, c++, column))
				return false;
		}
		if (t->besides && !put_beside(row, t, r))
			return false;
	}
	return list;
}

static bool put_claims(cJSON *object, const struct gb_repro *t)
{
	cJSON *list = cJSON_AddArrayToObject(object, "claims");
	const cJSON *claim;

	cJSON_ArrayForEach(claim, gb_json_at(t->paper, "claims"))
	{
		struct gb_claim c;
		cJSON *item;

		if (!gb_repro_claim(t, claim, &c))
			continue;
		item = cJSON_CreateObject();
		if (!gb_json_append(list, item) || !gb_json_put_text(item, "id", c.id) ||
		    !gb_json_put_text(item, "text", c.text) ||
		    !gb_json_put_text(item, "verdict", gb_claim_words[c.verdict]) ||
		    !gb_json_put_int(item, "tested", (int64_t)c.tested) ||
		    !gb_json_put_int(item, "missing", (int64_t)c.missing) ||
		    !gb_json_put_text(item, "why", c.why[0] ? c.why : NULL))
			return false;
	}
	return list;
}

cJSON *gb_repro_json(const struct gb_repro *t)
{
	cJSON *object = cJSON_CreateObject();

	if (gb_json_put_text(object, "paper", gb_json_text(t->paper, "paper")) &&
	    gb_json_put_text(object, "table", gb_json_text(t->table, "id")) &&
	    gb_json_put_text(object, "title", gb_json_text(t->table, "title")) &&
	    gb_json_put_text(object, "citation", gb_json_text(t->paper, "citation.english")) &&
	    put_columns(object, t) && put_rows(object, t) && put_claims(object, t))
		return object;
	cJSON_Delete(object);
	return NULL;
}

cJSON *gb_repro_sum_json(const struct gb_repro_sum *sum)
{
	cJSON *object = cJSON_CreateObject();
	cJSON *list = cJSON_AddArrayToObject(object, "left_out");
	bool whole =
		list && gb_json_put_int(object, "tables", (int64_t)sum->tables) &&
		gb_json_put_int(object, "cells", (int64_t)sum->cells) &&
		gb_json_put_int(object, "measured", (int64_t)sum->measured) &&
		gb_json_put_int(object, "held", (int64_t)sum->verdicts[GB_CLAIM_HELD]) &&
		gb_json_put_int(object, "not_held", (int64_t)sum->verdicts[GB_CLAIM_NOT_HELD]) &&
		gb_json_put_int(object, "untestable", (int64_t)sum->verdicts[GB_CLAIM_UNTESTABLE]);

	for (size_t i = 0; i < sum->reasons && whole; i++) {
		cJSON *item = cJSON_CreateObject();

		whole = gb_json_append(list, item) &&
			gb_json_put_int(item, "count", (int64_t)sum->reason[i].count) &&
			gb_json_put_text(item, "reason", sum->reason[i].text);
	}
	if (whole)
		return object;
	cJSON_Delete(object);
	return NULL;
}
