/* arguments.c -- parses words and options with getopt_long(3).
 *
 * getopt prints no errors: the caller prints one line for any error.  An option's key is 1000 + its
 * row number; the benchmark's rows follow those of the table.
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

enum { HELP_KEY = 998, VERSION_KEY, FIRST_KEY, HELP_TEXT = 16384 };

/* The state of one call. */
struct parse {
	struct gb_arguments *a;
	const char *command;
	struct gb_error *err;
	size_t row_count; /* the shared rows, then the command's own */
	const struct gb_param *row[GB_MAX_OPTIONS];
	const char *heading[GB_MAX_OPTIONS];
	bool given[GB_MAX_OPTIONS];
	size_t param_count; /* parameters; their keys follow those of the rows */
	const struct gb_param *param[GB_MAX_OPTIONS];
	size_t option_count;
	struct gb_help_option option[GB_MAX_OPTIONS];
	size_t text_used;
	char text[HELP_TEXT]; /* storage of the options' strings */
};

/* ---- the table of options ----------------------------------------------------------------- */

static const char *keep(struct parse *p, const char *text)
{
	char *copy = p->text + p->text_used;
	const size_t size = strlen(text) + 1;

	if (p->text_used + size > sizeof p->text)
		return "";
	memcpy(copy, text, size);
	p->text_used += size;
	return copy;
}

/* The name of the option's value in the help; scripts/completion.bash relies on it. */
static const char *argument_of(struct parse *p, const struct gb_param *row, const char *domain,
			       bool swept)
{
	if (swept)
		return row->type != GB_PATH        ? "SPEC"
		       : row->written || row->unit ? keep(p, domain)
						   : "FILE,...";
	return row->type == GB_CHOICE ? "WORD" : keep(p, domain);
}

/* "", " (cpu variants)" or " (cpu/wide)". */
static const char *meant_for(struct parse *p, const struct gb_param *row)
{
	char text[64] = "";
	int length = 0;

	if (!row->backends)
		return "";
	for (int b = 0; b < GB_BACKENDS; b++)
		if (row->backends >> b & 1)
			length += snprintf(text + length, sizeof text - (size_t)length, "%s%s",
					   length ? ", " : " (", gb_backends[b]->name);
	(void)snprintf(text + length, sizeof text - (size_t)length, "%s%s)",
		       row->variant ? "/" : " variants", row->variant ? row->variant : "");
	return keep(p, text);
}

/* The default of a row: the command's own or that of the row. */
static struct gb_default default_of(const struct parse *p, const struct gb_param *row)
{
	struct gb_default found = { .name = row->name, .value = row->initial };

	for (const struct gb_default *own = p->a->defaults; own && own->name; own++)
		if (gb_equal(own->name, row->name))
			found = *own;
	return found;
}

static void add_row(struct parse *p, const struct gb_param *row, bool swept, int key)
{
	const char *initial = row->type == GB_FLAG ? NULL : default_of(p, row).value;
	char domain[256];
	char help[1024];
	struct gb_help_option *o = &p->option[p->option_count];

	if (p->option_count >= GB_MAX_OPTIONS)
		return;
	gb_param_domain(row, domain, sizeof domain);
	(void)snprintf(help, sizeof help, "%s%s%s%s%s%s%s", row->help,
		       row->type == GB_CHOICE ? ": " : "", row->type == GB_CHOICE ? domain : "",
		       initial ? " [" : "", initial ? initial : "", initial ? "]" : "",
		       meant_for(p, row));
	o->name = row->name;
	o->letter = row->letter;
	if (row->type != GB_FLAG)
		o->argument = argument_of(p, row, domain, swept);
	o->may_lack = row->bare;
	o->text = keep(p, help);
	o->key = key;
	p->option_count++;
}

static void add_heading(struct parse *p, const char *text)
{
	if (p->option_count < GB_MAX_OPTIONS)
		p->option[p->option_count++] = (struct gb_help_option){ .text = text };
}

/* Add the parameters of a benchmark, but for names that are there, which other benchmarks share. */
static void add_params(struct parse *p, const struct gb_benchmark *benchmark)
{
	for (size_t i = 0; i < benchmark->param_count && p->param_count < GB_MAX_OPTIONS; i++) {
		const struct gb_param *param = &benchmark->params[i];
		bool known = false;

		for (size_t k = 0; k < p->row_count; k++)
			known = known || gb_equal(p->row[k]->name, param->name);
		for (size_t k = 0; k < p->param_count; k++)
			known = known || gb_equal(p->param[k]->name, param->name);
		if (known)
			continue;
		p->param[p->param_count] = param;
		add_row(p, param, true, FIRST_KEY + (int)(p->row_count + p->param_count++));
	}
}

static void build_table(struct parse *p)
{
	static const struct gb_help_option other[] = {
		{ "help", .letter = 'h', .text = "print this help", .key = HELP_KEY },
		{ "version", .letter = 'V', .text = "print the version", .key = VERSION_KEY },
	};
	char heading[128];

	if (p->a->benchmark) {
		(void)snprintf(heading, sizeof heading, "Parameters of %s:", p->a->benchmark->name);
		add_heading(p, keep(p, heading));
		add_params(p, p->a->benchmark);
	}
	for (size_t i = 0; i < gb_benchmark_count && p->a->overrides; i++)
		add_params(p, gb_benchmarks[i]);
	for (size_t i = 0; i < p->option_count && p->a->overrides; i++)
		p->option[i].hidden = true;
	for (size_t i = 0; i < p->row_count; i++) {
		if (p->heading[i] && (i == 0 || p->heading[i] != p->heading[i - 1]))
			add_heading(p, p->heading[i]);
		add_row(p, p->row[i], false, FIRST_KEY + (int)i);
	}
	add_heading(p, "Other:");
	for (size_t i = 0; i < GB_COUNT(other) && p->option_count < GB_MAX_OPTIONS; i++) {
		p->option[p->option_count++] = other[i];
	}
}

static bool takes_specs(const struct parse *p)
{
	for (size_t i = 0; i < p->option_count; i++)
		if (p->option[i].argument && gb_equal(p->option[i].argument, "SPEC"))
			return true;
	return false;
}

/* Text after the options if the value of any option is a SPEC (sweep.h). */
static const char grammar[] =
	"SPEC is a list of values and ranges, joined by commas:\n"
	"  SPEC   ITEM[,ITEM]...\n"
	"  ITEM   VALUE | LO:HI | LO:HI:STEP | LO:HI:xFACTOR     HI is included\n"
	"  VALUE  4096 | 10k | 1.5M | 16Mi | 2^20 | 1e6 | 0.05 | 5% | a word\n"
	"Units: k M G T (1000, ...), Ki Mi Gi Ti (1024, ...). --count=1k:1M:x10,2^24 has five "
	"values. All combinations of several lists are run.";

/* ---- parsing ------------------------------------------------------------------------------ */

static void set_option(struct parse *p, size_t index, const char *text)
{
	const struct gb_param *row = p->row[index];
	union gb_value value = { 0 };

	if (p->given[index] && row->type != GB_FLAG) {
		gb_fail(p->err, GB_EUSAGE, "--%s is given twice", row->name);
		return;
	}
	if (!p->given[index])
		p->a->given[p->a->given_count++] = row;
	p->given[index] = true;
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

static void print_help(struct parse *p)
{
	char command[64];
	const struct gb_help help = { .command = command,
				      .words = p->a->words,
				      .summary = p->a->summary,
				      .option = p->option,
				      .option_count = p->option_count,
				      .end = takes_specs(p) ? grammar : NULL };

	(void)snprintf(command, sizeof command, "gpubench %s", p->command);
	gb_help_print(stdout, &help);
}

static void take_option(struct parse *p, int key, const char *text)
{
	for (size_t i = 0; i < p->option_count; i++)
		if (p->option[i].name && key == p->option[i].letter)
			key = p->option[i].key;
	if (key == HELP_KEY || key == VERSION_KEY) {
		if (key == HELP_KEY)
			print_help(p);
		else
			(void)puts("gpubench " GB_VERSION);
		p->a->done = true;
	} else if (key < FIRST_KEY + (int)p->row_count) {
		set_option(p, (size_t)(key - FIRST_KEY), text);
	} else {
		set_param(p, p->param[(size_t)(key - FIRST_KEY) - p->row_count]->name, text);
	}
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
	for (size_t i = 0; i < p->option_count && name > word + 1; i++)
		if (p->option[i].name)
			gb_suggest_offer(&suggestion, p->option[i].name);
	return gb_fail(p->err, GB_EUSAGE, "%s has no option %.80s%s", p->command, word,
		       gb_suggest_text(&suggestion, help));
}

/* Report in one line why getopt rejected an option: "-x", or a long one with what follows. */
static enum gb_status explain(const struct parse *p, const char *word)
{
	const char *name = word + strspn(word, "-");
	const size_t length = strcspn(name, "=");
	const struct gb_help_option *found = NULL;
	size_t starts = 0;

	for (size_t i = 0; i < p->option_count; i++) {
		const struct gb_help_option *o = &p->option[i];

		if (!o->name ||
		    (name > word + 1 ? strncmp(o->name, name, length) != 0 : o->letter != *name))
			continue;
		found = o;
		starts++;
		if (!o->name[length]) {
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
		       found->argument ? "needs a value" : "takes no value");
}

/* Take the options and words of the command line, up to the first error or --help. */
static void parse_words(struct parse *p, int argc, char **word)
{
	struct option option[GB_MAX_OPTIONS + 1] = { { 0 } };
	char letters[2 * GB_MAX_OPTIONS + 1] = "", letter[] = "-?";
	size_t count = 0, used = 0;
	int key;

	for (size_t i = 0; i < p->option_count; i++) {
		const struct gb_help_option *o = &p->option[i];

		if (!o->name)
			continue;
		option[count++] = (struct option){ .name = o->name,
						   .has_arg = !o->argument  ? no_argument
							      : o->may_lack ? optional_argument
									    : required_argument,
						   .val = o->key };
		if (o->letter)
			used += (size_t)snprintf(letters + used, sizeof letters - used, "%c%s",
						 o->letter, o->argument ? ":" : "");
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
			(void)explain(p, optopt && optopt < HELP_KEY ? letter : word[optind - 1]);
	}
	while (optind < argc && !p->err->code && !p->a->done)
		p->a->word[p->a->word_count++] = word[optind++];
}

/* Add a group of rows and store their defaults in the target. */
static enum gb_status take_group(struct parse *p, const char *heading, const struct gb_param *row,
				 size_t count)
{
	union gb_value value = { 0 };

	for (size_t i = 0; i < count && p->row_count < GB_MAX_OPTIONS; i++) {
		const char *initial = default_of(p, &row[i]).value;

		p->heading[p->row_count] = heading;
		p->row[p->row_count++] = &row[i];
		if (initial && !gb_value_parse(&row[i], initial, &value, p->err))
			gb_value_store(&row[i], p->a->target, value);
	}
	return p->err->code;
}

static enum gb_status take_rows(struct parse *p)
{
	const struct gb_arguments *a = p->a;
	const char *heading = NULL;

	memset(a->target, 0, a->target_size);
	for (const struct gb_rows *rows = a->shared; rows && rows->count; rows++) {
		if (!(rows->commands & a->command))
			continue;
		heading = rows->heading;
		if (take_group(p, heading, rows->row, rows->count))
			return p->err->code;
	}
	return take_group(p, heading, a->row, a->row_count);
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
	if (take_rows(p) || (a->benchmark && gb_sweep_init(a->sweep, a->benchmark, err)))
		goto out;
	build_table(p);
	memcpy(word, argv, (size_t)argc * sizeof *word);
	parse_words(p, argc, word);
out:
	free(word);
	free(p);
	return err->code;
}
