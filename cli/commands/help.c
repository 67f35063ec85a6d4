/* help.c -- see help.h.
 *
 * The layout is that of GNU programs, which scripts/completion.bash reads: options
 * of a group in alphabetical order, their texts from column 29 on.
 */
#include "cli/commands/help.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "common/text.h"
#include "datasets/reading/notes.h"

enum { WIDTH = 79, TEXT_COLUMN = 29, LONG_COLUMN = 6 };

/* Print text, in which a newline ends a line, from `column` on; later lines begin at `indent`. */
static void print_wrapped(FILE *file, const char *text, size_t column, size_t indent)
{
	const size_t start = column;

	while (*text) {
		const size_t blanks = strspn(text, " "), length = strcspn(text + blanks, " \n");
		const bool fits = column + blanks + length <= WIDTH || column == start;

		if (!fits || *text == '\n')
			(void)fprintf(file, "\n%*s", (int)indent, "");
		if (!fits || *text == '\n')
			column = indent;
		if (*text == '\n') {
			text++;
			continue;
		}
		if (fits)
			column += (size_t)fprintf(file, "%*s", (int)blanks, "");
		column += (size_t)fprintf(file, "%.*s", (int)length, text + blanks);
		text += blanks + length;
	}
	(void)fputc('\n', file);
}

/* Print "  -o, --output=FILE" and the text. */
static void print_option(FILE *file, const struct gb_help_option *o)
{
	size_t column;

	if (o->letter)
		column = (size_t)fprintf(file, "  -%c, --%s", o->letter, o->name);
	else
		column = (size_t)fprintf(file, "%*s--%s", LONG_COLUMN, "", o->name);
	if (o->argument)
		column += (size_t)fprintf(file, o->may_lack ? "[=%s]" : "=%s", o->argument);
	if (column > TEXT_COLUMN + 3)
		(void)fprintf(file, "\n%*s", TEXT_COLUMN, "");
	else
		(void)fprintf(file, "%*s", column < TEXT_COLUMN ? TEXT_COLUMN - (int)column : 3,
			      "");
	if (column >= TEXT_COLUMN && column <= TEXT_COLUMN + 3)
		column += 3;
	else
		column = TEXT_COLUMN;
	print_wrapped(file, o->text, column, TEXT_COLUMN);
}

/* By letter or first letter, then by name. */
static int compare(const void *x, const void *y)
{
	const struct gb_help_option *a = x, *b = y;
	const int first = tolower((unsigned char)(a->letter ? a->letter : *a->name));
	const int second = tolower((unsigned char)(b->letter ? b->letter : *b->name));

	return first == second ? strcasecmp(a->name, b->name) : first - second;
}

void gb_help_print(FILE *file, const struct gb_help *help)
{
	struct gb_help_option *const option = help->option;

	(void)fprintf(file, "Usage: %s [OPTION...] ", help->command);
	print_wrapped(file, help->words, strlen("Usage:  [OPTION...] ") + strlen(help->command),
		      TEXT_COLUMN);
	print_wrapped(file, help->summary, 0, 0);
	(void)fputc('\n', file);
	for (size_t i = 0, end; i < help->option_count; i = end) {
		if (!option[i].name) {
			(void)fprintf(file, "%s %s\n", i ? "\n" : "", option[i].text);
			i++;
		}
		for (end = i; end < help->option_count && option[end].name;)
			end++;
		qsort(&option[i], end - i, sizeof *option, compare);
		for (; i < end; i++)
			if (!option[i].hidden)
				print_option(file, &option[i]);
	}
	if (help->end) {
		(void)fputc('\n', file);
		print_wrapped(file, help->end, 0, 0);
	}
}

void gb_help_files(FILE *file)
{
	const char *last = "";

	(void)fprintf(file,
		      "Files that --file=PATH of a benchmark reads, recognised by their "
		      "contents.  Each may be packed\n"
		      "with gzip or zstd, and takes at most 64 MiB of memory plus "
		      "`memory` times\nits unpacked size.\n\n"
		      "%-10s %-18s %6s  %-31s %s\n",
		      "benchmark", "format", "memory", "usual names", "contents");
	for (size_t i = 0; i < GB_FILE_FORMATS; i++) {
		const struct gb_file_format *f = &gb_file_formats[i];

		(void)fprintf(file, "%-10s %-18s %6u  %-31s %s\n",
			      gb_equal(last, f->benchmark) ? "" : f->benchmark, f->name,
			      f->multiple, f->endings, f->contents);
		last = f->benchmark;
	}
}
