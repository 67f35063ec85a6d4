/* page.c -- the style sheet, script, head and foot of an HTML report. */
#include "cli/report/page.h"

#include "cli/report/names.h"
#include "cli/report/table.h"
#include "common/text.h"

/* From embedded.S: page.css and page.js, NUL-terminated. */
extern const char gb_page_style[], gb_page_script[];

void gb_page_open(FILE *file, const char *title)
{
	(void)fputs("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
		    "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n"
		    "<link rel=\"icon\" href=\"data:,\">\n<title>gpubench",
		    file);
	if (title) {
		(void)fputs(", ", file);
		gb_table_print_text(file, title, GB_FORMAT_HTML);
	}
	(void)fprintf(file, "</title>\n<style>\n%s</style></head>\n<body>\n<h1>gpubench",
		      gb_page_style);
	if (title) {
		(void)fputs(", ", file);
		gb_table_print_text(file, title, GB_FORMAT_HTML);
	}
	(void)fputs("</h1>\n", file);
}

void gb_page_close(FILE *file)
{
	(void)fprintf(file, "<script>\n%s</script>\n</body></html>\n", gb_page_script);
}

const char *gb_page_title(char text[GB_PAGE_TITLE], const struct gb_records *list)
{
	const char *first = list->context_count ? gb_context_machine(list->context[0]) : NULL;
	bool others = false;

	for (size_t i = 0; i < list->context_count; i++)
		others |= !gb_equal(gb_context_machine(list->context[i]), first);
	(void)snprintf(text, GB_PAGE_TITLE, "%.80s%s", first ? first : "",
		       others ? " and others" : "");
	return first ? text : NULL;
}
