/* document.c -- see document.h. */
#include "cli/report/document.h"

#include <errno.h>
#include <langinfo.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <unistd.h>

#include "cli/records/json.h"
#include "cli/report/page.h"
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
};
_Static_assert(GB_COUNT(frames) == GB_ITEM + 1, "a frame for each block that has text");

static const struct frame list_frames[] = {
	[GB_FORMAT_TABLE] = { "", "" },
	[GB_FORMAT_MARKDOWN] = { "", "" },
	[GB_FORMAT_HTML] = { "<ul>\n", "</ul>\n" },
};

bool gb_document_is_data(const struct gb_document *document)
{
	return document->format >= GB_FORMAT_CSV;
}

void gb_document_open(struct gb_document *document, FILE *file, enum gb_format format,
		      struct gb_document_kind kind)
{
	const char *no_color = getenv("NO_COLOR"), *terminal = getenv("TERM");

	*document = (struct gb_document){
		.file = file,
		.format = format,
		.color = isatty(fileno(file)) && !(no_color && no_color[0]) && terminal &&
			 !gb_equal(terminal, "dumb"),
		.utf8 = format != GB_FORMAT_TABLE || gb_equal(nl_langinfo(CODESET), "UTF-8"),
		.table = kind.table,
	};
	if (format == GB_FORMAT_HTML)
		gb_page_open(file, kind.title);
	if (format != GB_FORMAT_JSON)
		return;
	document->document = cJSON_CreateObject();
	gb_document_field_text(document, "type", kind.type);
	gb_document_field(document, "schema", GB_DOCUMENT_SCHEMA);
}

static void close_list(const struct gb_document *s)
{
	if (s->last == GB_ITEM)
		(void)fputs(list_frames[s->format].after, s->file);
}

/* True if a blank line precedes the block. */
static bool is_apart(const struct gb_document *s, enum gb_block block)
{
	if (s->last == GB_START || s->format == GB_FORMAT_HTML)
		return false;
	if (block == GB_ITEM && s->last == GB_LABEL)
		return s->format == GB_FORMAT_MARKDOWN;
	return block != s->last || block == GB_TABLE ||
	       (block == GB_LINE && s->format != GB_FORMAT_TABLE);
}

static void begin(struct gb_document *s, enum gb_block block)
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

void gb_document_begin(struct gb_document *document, enum gb_block block)
{
	if (gb_document_is_data(document))
		return;
	begin(document, block);
	(void)fputs(document->indent && block == GB_ITEM ? "  " : "", document->file);
	(void)fputs(frames[block][document->format].before, document->file);
}

void gb_document_end(struct gb_document *document)
{
	if (!gb_document_is_data(document))
		(void)fputs(frames[document->last][document->format].after, document->file);
}

__attribute__((format(printf, 2, 0))) static void put_text(struct gb_document *s,
							   const char *format, va_list args)
{
	char *text = NULL;

	if (gb_document_is_data(s))
		return;
	if (vasprintf(&text, format, args) < 0) {
		s->failed = true;
		return;
	}
	gb_table_print_text(s->file, text, s->format);
	free(text);
}

void gb_document_text(struct gb_document *document, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	put_text(document, format, args);
	va_end(args);
}

void gb_document_put(struct gb_document *document, enum gb_block block, const char *format, ...)
{
	va_list args;

	gb_document_begin(document, block);
	va_start(args, format);
	put_text(document, format, args);
	va_end(args);
	gb_document_end(document);
}

void gb_document_strong(struct gb_document *document, const char *text)
{
	static const struct frame frame[] = { { "", "" },
					      { "**", "**" },
					      { "<strong>", "</strong>" } };

	if (gb_document_is_data(document))
		return;
	(void)fputs(frame[document->format].before, document->file);
	gb_document_text(document, "%s", text);
	(void)fputs(frame[document->format].after, document->file);
}

static bool put_number(cJSON *object, const char *name, double value)
{
	return (isfinite(value) ? cJSON_AddNumberToObject(object, name, value)
				: cJSON_AddNullToObject(object, name)) != NULL;
}

static bool put_string(cJSON *object, const char *name, const char *text)
{
	char *copy = text ? gb_utf8_copy(text) : NULL;
	const bool put = (text ? cJSON_AddStringToObject(object, name, copy)
			       : cJSON_AddNullToObject(object, name)) != NULL;

	free(copy);
	return put;
}

void gb_document_field(struct gb_document *document, const char *name, double value)
{
	if (document->format == GB_FORMAT_JSON && !put_number(document->document, name, value))
		document->failed = true;
}

void gb_document_field_text(struct gb_document *document, const char *name, const char *text)
{
	if (document->format == GB_FORMAT_JSON && !put_string(document->document, name, text))
		document->failed = true;
}

/* Append the rows as objects to the array of that name. */
static bool put_rows(cJSON *document, const char *name, const struct gb_table *table)
{
	cJSON *array = cJSON_GetObjectItemCaseSensitive(document, name);
	bool ok = array || (array = cJSON_AddArrayToObject(document, name));

	for (size_t row = 1; row < table->rows && ok; row++) {
		cJSON *item = cJSON_CreateObject();

		ok = cJSON_AddItemToArray(array, item);
		for (size_t i = 0; i < table->columns && ok; i++) {
			const struct gb_cell *cell = gb_table_cell(table, row, i);
			const char *member = table->column[i].name;

			if (member)
				ok = isnan(cell->number) ? put_string(item, member, cell->text)
							 : put_number(item, member, cell->number);
		}
	}
	return ok && !table->failed;
}

void gb_document_table(struct gb_document *document, const char *name, struct gb_table *table)
{
	bool whole = true;

	if (document->format == GB_FORMAT_CSV) {
		if (gb_equal(document->table, name))
			gb_table_print_csv(document->file, table, !document->begun);
		document->begun = document->begun || gb_equal(document->table, name);
		whole = !table->failed;
	} else if (document->format == GB_FORMAT_JSON) {
		whole = put_rows(document->document, name, table);
	} else if (table->rows > 1 || table->failed) {
		begin(document, GB_TABLE);
		whole = gb_table_print(document->file, table, document->format, document->color);
	}
	document->failed = document->failed || !whole;
	gb_table_release(table);
}

enum gb_status gb_document_close(struct gb_document *document, struct gb_error *err)
{
	struct gb_document *s = document;

	if (!gb_document_is_data(s))
		close_list(s);
	if (s->format == GB_FORMAT_HTML)
		gb_page_close(s->file);
	if (s->format == GB_FORMAT_JSON && !s->failed) {
		char *text = cJSON_Print(s->document);

		s->failed = !text;
		(void)fprintf(s->file, "%s%s", text ? text : "", text ? "\n" : "");
		cJSON_free(text);
	}
	cJSON_Delete(s->document);
	s->document = NULL;
	if (s->failed)
		return gb_out_of_memory(err, "a table");
	if (fflush(s->file) || ferror(s->file))
		return gb_fail(err, GB_EIO, "cannot write the report: %s", strerror(errno));
	return GB_OK;
}
