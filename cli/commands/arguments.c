/* arguments.c -- parses words and options with getopt_long(3).
 *
 * getopt prints no errors: the caller prints one line for any error.  An option's key is FIRST_KEY +
 * its number.
 */
#include "cli/commands/arguments.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "build_info.h"
#include "cli/benchmarks/registry.h"
#include "cli/commands/help.h"
#include "cli/commands/removed.h"
#include "common/suggest.h"
#include "common/text.h"

enum { FIRST_KEY = 1000 };

/* The state of one call. */
struct parse {
	struct gb_arguments *a;
	const char *command;
	struct gb_error *err;
	char heading[64]; /* of the benchmark's parameters */
	size_t count;
	struct gb_option option[GB_MAX_OPTIONS]; /* in the order of the help */
};

/* ---- the table of options ----------------------------------------------------------------- */

static const struct gb_param help_row = {
	.name = "help", .letter = 'h', .type = GB_FLAG, .help = "print this help"
};
static const struct gb_param version_row = {
	.name = "version", .letter = 'V', .type = GB_FLAG, .help = "print the version"
};

/* Add an option unless one of that name is there, as of another benchmark, and store the default of
 * a row, the command's own or that of the row, in the target. */
static void add(struct parse *p, const struct gb_param *row, const char *heading, int group)
{
	struct gb_option option = { row, heading, row->initial, group, false };
	union gb_value value = { 0 };

	for (size_t i = 0; i < p->count; i++)
		if (gb_equal(p->option[i].row->name, row->name))
			return;
	for (const struct gb_default *own = p->a->defaults; own && own->name; own++)
		if (gb_equal(own->name, row->name))
			option.initial = own->value;
	if (p->count < GB_MAX_OPTIONS)
		p->option[p->count++] = option;
	if (group > GB_SWEPT && option.initial &&
	    !gb_value_parse(row, option.initial, &value, p->err))
		gb_value_store(row, p->a->target, value);
}

static void add_params(struct parse *p, const struct gb_benchmark *benchmark)
{
	for (size_t i = 0; i < benchmark->param_count; i++)
		add(p, &benchmark->params[i], p->heading, p->a->overrides ? GB_HIDDEN : GB_SWEPT);
}

static enum gb_status build_table(struct parse *p)
{
	const struct gb_arguments *a = p->a;
	const char *heading = NULL;
	int group = GB_SWEPT + 1;

	memset(a->target, 0, a->target_size);
	for (const struct gb_rows *rows = a->shared; rows && rows->count; rows++) {
		if (!(rows->commands & a->command))
			continue;
		group += heading != rows->heading;
		heading = rows->heading;
		for (size_t i = 0; i < rows->count; i++)
			add(p, &rows->row[i], heading, group);
	}
	for (size_t i = 0; i < a->row_count; i++)
		add(p, &a->row[i], heading, group);
	add(p, &help_row, "Other:", group + 1);
	add(p, &version_row, "Other:", group + 1);
	if (a->benchmark) {
		(void)snprintf(p->heading, sizeof p->heading,
			       "Parameters of %s:", a->benchmark->name);
		add_params(p, a->benchmark);
	}
	for (size_t i = 0; i < gb_benchmark_count && a->overrides; i++)
		add_params(p, gb_benchmarks[i]);
	gb_help_sort(p->option, p->count);
	return p->err->code;
}

/* ---- parsing ------------------------------------------------------------------------------ */

static void set_option(struct parse *p, struct gb_option *option, const char *text)
{
	const struct gb_param *row = option->row;
	union gb_value value = { 0 };

	if (option->given && row->type != GB_FLAG) {
		gb_fail(p->err, GB_EUSAGE, "--%s is given twice", row->name);
		return;
	}
	if (!option->given)
		p->a->given[p->a->given_count++] = row;
	option->given = true;
	if (!text)
		text = row->bare ? row->bare : "";
	if (!gb_value_parse(row, text, &value, p->err))
		gb_value_store(row, p->a->target, value);
}

/* Store the values of a parameter. */
static void set_param(struct parse *p, const char *name, const char *spec)
{
	struct gb_overrides *list = p->a->overrides;

	if (!list) {
		(void)gb_sweep_set(p->a->sweep, name, spec, p->err);
		return;
	}
	for (size_t i = 0; i < list->count; i++)
		if (gb_equal(list->item[i].name, name))
			gb_fail(p->err, GB_EUSAGE, "--%s is given twice", name);
	if (list->count == GB_MAX_OVERRIDES) {
		gb_fail(p->err, GB_EUSAGE, "more than %d parameters", GB_MAX_OVERRIDES);
		return;
	}
	list->item[list->count].name = name;
	list->item[list->count++].spec = spec;
}

static void take_option(struct parse *p, int key, const char *text)
{
	struct gb_option *option = p->option;

	while (key != FIRST_KEY + (int)(option - p->option) && key != option->row->letter)
		option++;
	if (option->row == &help_row)
		gb_help_print(stdout, p->command, p->a->words, p->a->summary, p->option, p->count);
	else if (option->row == &version_row)
		(void)puts("gpubench " GB_VERSION);
	else if (option->group > GB_SWEPT)
		set_option(p, option, text);
	else
		set_param(p, option->row->name, text);
	p->a->done |= option->row == &help_row || option->row == &version_row;
}

/* Report an unknown option, with suggestions. */
static enum gb_status unknown(const struct parse *p, const char *word, const char *name,
			      size_t length)
{
	struct gb_suggest suggestion = { .word = name, .length = length, .prefix = "--" };
	char help[128];

	if (gb_removed(p->command, word, p->err))
		return p->err->code;
	(void)snprintf(help, sizeof help, " (try gpubench %s --help)", p->command);
	for (size_t i = 0; i < p->count && name > word + 1; i++)
		gb_suggest_offer(&suggestion, p->option[i].row->name);
	return gb_fail(p->err, GB_EUSAGE, "%s has no option %.80s%s", p->command, word,
		       gb_suggest_text(&suggestion, help));
}

/* Report in one line why getopt rejected an option: "-x", or a long one with what follows. */
static enum gb_status explain(const struct parse *p, const char *word)
{
	const char *name = word + strspn(word, "-");
	const size_t length = strcspn(name, "=");
	const struct gb_param *found = NULL;
	size_t starts = 0;

	for (size_t i = 0; i < p->count; i++) {
		const struct gb_param *row = p->option[i].row;

		if (name > word + 1 ? strncmp(row->name, name, length) != 0 : row->letter != *name)
			continue;
		found = row;
		starts++;
		if (!row->name[length]) {
			starts = 1;
			break;
		}
	}
	if (!found)
		return unknown(p, word, name, length);
	if (starts > 1)
		return gb_fail(p->err, GB_EUSAGE, "--%.*s could be any of %zu options", (int)length,
			       name, starts);
	return gb_fail(p->err, GB_EUSAGE, "--%s %s", found->name,
		       found->type == GB_FLAG ? "takes no value" : "needs a value");
}

/* Take the options and words of the command line, up to the first error or --help. */
static void parse_words(struct parse *p, int argc, char **word)
{
	struct option option[GB_MAX_OPTIONS + 1] = { { 0 } };
	char letters[2 * GB_MAX_OPTIONS + 1] = "", letter[] = "-?";
	size_t used = 0;
	int key;

	for (size_t i = 0; i < p->count; i++) {
		const struct gb_param *row = p->option[i].row;

		option[i] = (struct option){ .name = row->name,
					     .has_arg = row->type == GB_FLAG ? no_argument
							: row->bare          ? optional_argument
									     : required_argument,
					     .val = FIRST_KEY + (int)i };
		if (row->letter)
			used += (size_t)snprintf(letters + used, sizeof letters - used, "%c%s",
						 row->letter, row->type == GB_FLAG ? "" : ":");
	}
	opterr = 0;
	optind = 0; /* start again */
	while (!p->err->code && !p->a->done &&
	       (key = getopt_long(argc, word, letters, option, NULL)) != -1) {
		/* If more letters follow the wrong one, optind is not past their word. */
		letter[1] = (char)optopt;
		if (key != '?')
			take_option(p, key, optarg);
		else
			(void)explain(p, optopt && optopt < FIRST_KEY ? letter : word[optind - 1]);
	}
	while (optind < argc && !p->err->code && !p->a->done)
		p->a->word[p->a->word_count++] = word[optind++];
}

void gb_arguments_release(struct gb_arguments *a)
{
	free(a->word);
	a->word = NULL;
}

enum gb_status gb_arguments_parse(struct gb_arguments *a, int argc, char **argv,
				  struct gb_error *err)
{
	struct parse *p = calloc(1, sizeof *p);
	char **word = calloc((size_t)argc + 1, sizeof *word); /* getopt reorders them */

	a->word = calloc((size_t)argc + 1, sizeof *a->word);
	if (!p || !word || !a->word) {
		gb_out_of_memory(err, NULL);
		goto out;
	}
	p->a = a;
	p->command = argv[0];
	p->err = err;
	if (build_table(p) || (a->benchmark && gb_sweep_init(a->sweep, a->benchmark, err)))
		goto out;
	memcpy(word, argv, (size_t)argc * sizeof *word);
	parse_words(p, argc, word);
out:
	free(word);
	free(p);
	return err->code;
}
