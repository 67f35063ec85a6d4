/* sheet.c -- see sheet.h. */
#include "cli/reports/grid/sheet.h"

#include <errno.h>
#include <langinfo.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <unistd.h>

#include "cli/records/json.h"
#include "cli/reports/page.h"
#include "common/text.h"

/* The text around a block, indexed by enum gb_block and enum gb_format. */
struct frame {
	const char *before, *after;
};

static const struct frame frames[][GB_FORMAT_HTML + 1] = {
	[GB_TITLE] = { { "", "\n" }, { "# ", "\n" }, { "<h1>", "</h1>\n" } },
	[GB_HEAD] = { { "", "\n" }, { "## ", "\n" }, { "<h2>", "</h2>\n" } },
	[GB_LINE] = { { "", "\n" }, { "", "\n" }, { "<p>", "</p>\n" } },
	[GB_LABEL] = { { "", "\n" }, { "", "\n" }, { "<p>", "</p>\n" } },
	[GB_ITEM] = { { "", "\n" }, { "- ", "\n" }, { "<li>", "</li>\n" } },
	[GB_PICTURE] = { { "", "" }, { "", "" }, { "", "" } },
};
_Static_assert(GB_COUNT(frames) == GB_PICTURE + 1, "a frame for each block that has text");

static const struct frame list_frames[] = {
	[GB_FORMAT_TABLE] = { "", "" },
	[GB_FORMAT_MARKDOWN] = { "", "" },
	[GB_FORMAT_HTML] = { "<ul>\n", "</ul>\n" },
};

bool gb_sheet_is_data(const struct gb_sheet *sheet)
{
	return sheet->format >= GB_FORMAT_CSV;
}

void gb_sheet_open(struct gb_sheet *sheet, FILE *file, enum gb_format format,
		   struct gb_sheet_kind kind)
{
	const char *no_color = getenv("NO_COLOR"), *terminal = getenv("TERM");

	*sheet = (struct gb_sheet){
		.file = file,
		.format = format,
		.color = isatty(fileno(file)) && !(no_color && no_color[0]) && terminal &&
			 !gb_equal(terminal, "dumb"),
		.utf8 = format != GB_FORMAT_TABLE || gb_equal(nl_langinfo(CODESET), "UTF-8"),
		.grid = kind.grid,
	};
	if (format == GB_FORMAT_HTML)
		gb_page_open(file, kind.title);
	if (format != GB_FORMAT_JSON)
		return;
	sheet->document = cJSON_CreateObject();
	gb_sheet_fact_text(sheet, "type", kind.type);
	gb_sheet_fact(sheet, "schema", GB_SHEET_SCHEMA);
}

static void close_list(const struct gb_sheet *s)
{
	if (s->last == GB_ITEM)
		(void)fputs(list_frames[s->format].after, s->file);
}

/* True if a blank line precedes the block. */
static bool is_apart(const struct gb_sheet *s, enum gb_block block)
{
	if (s->last == GB_START || s->format == GB_FORMAT_HTML)
		return false;
	if (block == GB_ITEM && s->last == GB_LABEL)
		return s->format == GB_FORMAT_MARKDOWN;
	return block != s->last || block == GB_GRID ||
	       (block == GB_LINE && s->format != GB_FORMAT_TABLE);
}

static void begin(struct gb_sheet *s, enum gb_block block)
{
	if (block != GB_ITEM)
		close_list(s);
	(void)fputs(is_apart(s, block) ? "\n" : "", s->file);
	if (block == GB_ITEM && s->last != GB_ITEM) {
		s->indent = s->last == GB_LABEL && s->format == GB_FORMAT_TABLE;
		(void)fputs(list_frames[s->format].before, s->file);
	}
	s->last = block;
}

void gb_sheet_begin(struct gb_sheet *sheet, enum gb_block block)
{
	if (gb_sheet_is_data(sheet))
		return;
	begin(sheet, block);
	(void)fputs(sheet->indent && block == GB_ITEM ? "  " : "", sheet->file);
	(void)fputs(frames[block][sheet->format].before, sheet->file);
}

void gb_sheet_end(struct gb_sheet *sheet)
{
	if (!gb_sheet_is_data(sheet))
		(void)fputs(frames[sheet->last][sheet->format].after, sheet->file);
}

__attribute__((format(printf, 2, 0))) static void put_text(struct gb_sheet *s, const char *format,
							   va_list args)
{
	char *text = NULL;

	if (gb_sheet_is_data(s))
		return;
	if (vasprintf(&text, format, args) < 0) {
		s->failed = true;
		return;
	}
	gb_grid_print_text(s->file, text, s->format);
	free(text);
}

void gb_sheet_text(struct gb_sheet *sheet, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	put_text(sheet, format, args);
	va_end(args);
}

void gb_sheet_put(struct gb_sheet *sheet, enum gb_block block, const char *format, ...)
{
	va_list args;

	gb_sheet_begin(sheet, block);
	va_start(args, format);
	put_text(sheet, format, args);
	va_end(args);
	gb_sheet_end(sheet);
}

void gb_sheet_strong(struct gb_sheet *sheet, const char *text)
{
	static const struct frame frame[] = { { "", "" },
					      { "**", "**" },
					      { "<strong>", "</strong>" } };

	if (gb_sheet_is_data(sheet))
		return;
	(void)fputs(frame[sheet->format].before, sheet->file);
	gb_sheet_text(sheet, "%s", text);
	(void)fputs(frame[sheet->format].after, sheet->file);
}

void gb_sheet_fact(struct gb_sheet *sheet, const char *name, double value)
{
	if (sheet->format == GB_FORMAT_JSON && !gb_json_put_number(sheet->document, name, value))
		sheet->failed = true;
}

void gb_sheet_fact_text(struct gb_sheet *sheet, const char *name, const char *text)
{
	if (sheet->format == GB_FORMAT_JSON && !gb_json_put_text(sheet->document, name, text))
		sheet->failed = true;
}

/* Append the rows as objects to the array of that name. */
static bool put_rows(cJSON *document, const char *name, const struct gb_grid *grid)
{
	cJSON *array = cJSON_GetObjectItemCaseSensitive(document, name);

	if (!array)
		array = cJSON_AddArrayToObject(document, name);
	for (size_t row = 0; row < grid->rows; row++) {
		cJSON *item = cJSON_CreateObject();

		if (!gb_json_append(array, item))
			return false;
		for (size_t i = 0; i < grid->columns; i++) {
			const struct gb_cell *cell = &grid->cell[row * grid->columns + i];
			const char *member = grid->column[i].name;

			if (member &&
			    !(isnan(cell->number) ? gb_json_put_text(item, member, cell->text)
						  : gb_json_put_number(item, member, cell->number)))
				return false;
		}
	}
	return array && !grid->failed;
}

void gb_sheet_grid(struct gb_sheet *sheet, const char *name, struct gb_grid *grid)
{
	bool whole = true;

	if (sheet->format == GB_FORMAT_CSV) {
		if (gb_equal(sheet->grid, name))
			gb_grid_print_csv(sheet->file, grid, !sheet->begun);
		sheet->begun = sheet->begun || gb_equal(sheet->grid, name);
		whole = !grid->failed;
	} else if (sheet->format == GB_FORMAT_JSON) {
		whole = put_rows(sheet->document, name, grid);
	} else if (grid->rows || grid->failed) {
		begin(sheet, GB_GRID);
		whole = gb_grid_print(sheet->file, grid, sheet->format, sheet->color);
	}
	sheet->failed = sheet->failed || !whole;
	gb_grid_release(grid);
}

enum gb_status gb_sheet_close(struct gb_sheet *sheet, struct gb_error *err)
{
	struct gb_sheet *s = sheet;

	if (!gb_sheet_is_data(s))
		close_list(s);
	if (s->format == GB_FORMAT_HTML)
		gb_page_close(s->file);
	if (s->format == GB_FORMAT_JSON && !s->failed)
		s->failed = !gb_json_print(s->file, s->document);
	cJSON_Delete(s->document);
	s->document = NULL;
	if (s->failed)
		return gb_out_of_memory(err, "a table");
	if (fflush(s->file) || ferror(s->file))
		return gb_fail(err, GB_EIO, "cannot write the report: %s", strerror(errno));
	return GB_OK;
}
