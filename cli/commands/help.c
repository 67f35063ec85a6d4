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

#include "cli/benchmarks/value.h"
#include "common/backend.h"
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

/* The name of the option's value; NULL if it takes none.  scripts/completion.bash relies on it. */
static const char *argument_of(const struct gb_option *o, const char *domain)
{
	const struct gb_param *row = o->row;

	if (row->type == GB_FLAG)
		return NULL;
	if (o->group <= GB_SWEPT && row->type != GB_PATH)
		return "SPEC";
	if (o->group <= GB_SWEPT && !row->written && !row->unit)
		return "FILE,...";
	return row->type == GB_CHOICE ? "WORD" : domain;
}

/* The help, the words, the default, and the variants that heed it: " (cpu variants)", " (cpu/wide)". */
static void describe(const struct gb_option *o, const char *domain, char *text, size_t size)
{
	const struct gb_param *row = o->row;
	const char *before = " (";

	(void)snprintf(text, size, "%s%s%s", row->help, row->type == GB_CHOICE ? ": " : "",
		       row->type == GB_CHOICE ? domain : "");
	if (o->initial && row->type != GB_FLAG)
		gb_text_append(text, size, " [%s]", o->initial);
	for (int b = 0; b < GB_BACKENDS; b++)
		if (row->backends >> b & 1) {
			gb_text_append(text, size, "%s%s", before, gb_backends[b]->name);
			before = ", ";
		}
	if (row->backends)
		gb_text_append(text, size, "%s%s)", row->variant ? "/" : " variants",
			       row->variant ? row->variant : "");
}

/* Print "  -o, --output=FILE" and the text. */
static void print_option(FILE *file, const struct gb_option *o)
{
	char domain[256], text[1024];
	const char *argument;
	size_t column;

	gb_param_domain(o->row, domain, sizeof domain);
	describe(o, domain, text, sizeof text);
	argument = argument_of(o, domain);
	if (o->row->letter)
		column = (size_t)fprintf(file, "  -%c, --%s", o->row->letter, o->row->name);
	else
		column = (size_t)fprintf(file, "%*s--%s", LONG_COLUMN, "", o->row->name);
	if (argument)
		column += (size_t)fprintf(file, o->row->bare ? "[=%s]" : "=%s", argument);
	if (column > TEXT_COLUMN + 3)
		(void)fprintf(file, "\n%*s", TEXT_COLUMN, "");
	else
		(void)fprintf(file, "%*s", column < TEXT_COLUMN ? TEXT_COLUMN - (int)column : 3,
			      "");
	if (column >= TEXT_COLUMN && column <= TEXT_COLUMN + 3)
		column += 3;
	else
		column = TEXT_COLUMN;
	print_wrapped(file, text, column, TEXT_COLUMN);
}

/* By group, then by letter or first letter, then by name. */
static int compare(const void *x, const void *y)
{
	const struct gb_option *a = x, *b = y;
	const struct gb_param *r = a->row, *s = b->row;
	const int first = tolower((unsigned char)(r->letter ? r->letter : *r->name));
	const int second = tolower((unsigned char)(s->letter ? s->letter : *s->name));

	if (a->group != b->group)
		return a->group - b->group;
	return first == second ? strcasecmp(r->name, s->name) : first - second;
}

void gb_help_sort(struct gb_option *option, size_t count)
{
	qsort(option, count, sizeof *option, compare);
}

/* Text after the options if the value of any option is a SPEC (sweep.h). */
static const char grammar[] =
	"SPEC is a list of values and ranges, joined by commas:\n"
	"  SPEC   ITEM[,ITEM]...\n"
	"  ITEM   VALUE | LO:HI | LO:HI:STEP | LO:HI:xFACTOR     HI is included\n"
	"  VALUE  4096 | 10k | 1.5M | 16Mi | 2^20 | 1e6 | 0.05 | 5% | a word\n"
	"Units: k M G T (1000, ...), Ki Mi Gi Ti (1024, ...). --count=1k:1M:x10,2^24 has five "
	"values. All combinations of several lists are run.";

void gb_help_print(FILE *file, const char *command, const char *words, const char *summary,
		   const struct gb_option *option, size_t count)
{
	const char *heading = NULL;
	bool takes_specs = false;
	char domain[256];

	(void)fprintf(file, "Usage: gpubench %s [OPTION...] ", command);
	print_wrapped(file, words, strlen("Usage: gpubench  [OPTION...] ") + strlen(command),
		      TEXT_COLUMN);
	print_wrapped(file, summary, 0, 0);
	for (size_t i = 0; i < count; i++) {
		const struct gb_option *o = &option[i];
		const char *argument;

		gb_param_domain(o->row, domain, sizeof domain);
		argument = argument_of(o, domain);
		takes_specs |= argument && gb_equal(argument, "SPEC");
		if (o->group == GB_HIDDEN)
			continue;
		if (i == 0 || o->group != option[i - 1].group)
			(void)fputc('\n', file);
		if (o->heading && o->heading != heading)
			(void)fprintf(file, " %s\n", o->heading);
		heading = o->heading;
		print_option(file, o);
	}
	if (takes_specs) {
		(void)fputc('\n', file);
		print_wrapped(file, grammar, 0, 0);
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
