/* arguments.c -- parses words and options with argp.
 *
 * argp does not print errors (ARGP_NO_ERRS): the caller prints one line for any error.  An option's
 * key is 1000 + its row number; the workload's rows follow those of the table.
 */
#include "cli/commands/arguments.h"

#include <argp.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/records/version.h"
#include "cli/workloads/registry.h"
#include "common/suggest.h"
#include "common/text.h"

enum { FIRST_KEY = 1000, MAX_OPTIONS = 128, HELP_TEXT = 16384 };

/* State shared by the argp callbacks. */
struct parse {
	struct gb_arguments *a;
	const char *command;
	struct gb_error *err;
	int next;         /* index of the word after the one that argp rejected */
	size_t row_count; /* the shared rows, then the command's own */
	const struct gb_param *row[MAX_OPTIONS];
	const char *heading[MAX_OPTIONS];
	bool given[MAX_OPTIONS];
	size_t param_count; /* parameters; their keys follow those of the rows */
	const struct gb_param *param[MAX_OPTIONS];
	size_t option_count;
	struct argp_option option[MAX_OPTIONS];
	size_t text_used;
	char text[HELP_TEXT]; /* storage of the options' strings */
};

/* ---- the argp table ----------------------------------------------------------------------- */

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
		return row->type == GB_PATH && !row->written ? "FILE,..."
		       : row->type == GB_PATH                ? "FILE"
							     : "SPEC";
	return row->type == GB_CHOICE ? "WORD" : keep(p, domain);
}

/* "" or " (cpu variants)". */
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
	(void)snprintf(text + length, sizeof text - (size_t)length, " variants)");
	return keep(p, text);
}

static void add_row(struct parse *p, const struct gb_param *row, bool swept, int key)
{
	char domain[256];
	char help[1024];
	struct argp_option *o = &p->option[p->option_count];

	if (p->option_count + 1 >= MAX_OPTIONS)
		return;
	gb_param_domain(row, domain, sizeof domain);
	(void)snprintf(help, sizeof help, "%s%s%s%s%s%s%s", row->help,
		       row->type == GB_CHOICE ? ": " : "", row->type == GB_CHOICE ? domain : "",
		       row->initial && row->type != GB_FLAG ? " [" : "",
		       row->initial && row->type != GB_FLAG ? row->initial : "",
		       row->initial && row->type != GB_FLAG ? "]" : "", meant_for(p, row));
	o->name = row->name;
	o->key = key;
	if (row->type != GB_FLAG)
		o->arg = argument_of(p, row, domain, swept);
	o->flags = (row->bare ? OPTION_ARG_OPTIONAL : 0) | (row->hidden ? OPTION_HIDDEN : 0);
	o->doc = keep(p, help);
	p->option_count++;
	if (row->letter && p->option_count + 1 < MAX_OPTIONS)
		p->option[p->option_count++] =
			(struct argp_option){ .key = row->letter, .flags = OPTION_ALIAS };
}

static void add_heading(struct parse *p, const char *text)
{
	if (p->option_count + 1 < MAX_OPTIONS)
		p->option[p->option_count++] = (struct argp_option){ .doc = text };
}

/* Add the parameters of a workload, but for names that are there, which other benchmarks share. */
static void add_params(struct parse *p, const struct gb_workload *workload)
{
	for (size_t i = 0; i < workload->param_count && p->param_count < MAX_OPTIONS; i++) {
		const struct gb_param *param = &workload->params[i];
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

/* argp sorts options within a group; each heading starts a new group. */
static void build_table(struct parse *p)
{
	char heading[128];

	if (p->a->workload) {
		(void)snprintf(heading, sizeof heading, "Parameters of %s:", p->a->workload->name);
		add_heading(p, keep(p, heading));
		add_params(p, p->a->workload);
	}
	for (size_t i = 0; i < gb_workload_count && p->a->overrides; i++)
		add_params(p, gb_workloads[i]);
	for (size_t i = 0; i < p->option_count && p->a->overrides; i++)
		p->option[i].flags |= OPTION_HIDDEN;
	for (size_t i = 0; i < p->row_count; i++) {
		if (p->heading[i] && (i == 0 || p->heading[i] != p->heading[i - 1]))
			add_heading(p, p->heading[i]);
		add_row(p, p->row[i], false, FIRST_KEY + (int)i);
	}
	add_heading(p, "Other:");
	p->option[p->option_count++] =
		(struct argp_option){ .name = "help", .key = 'h', .doc = "print this help" };
	p->option[p->option_count++] =
		(struct argp_option){ .name = "version", .key = 'V', .doc = "print the version" };
}

static bool takes_specs(const struct parse *p)
{
	for (size_t i = 0; i < p->option_count; i++)
		if (p->option[i].arg && gb_equal(p->option[i].arg, "SPEC"))
			return true;
	return false;
}

/* Text after the options if the value of any option is a SPEC (sweep.h). */
static const char grammar[] =
	"\vSPEC is a list of values and ranges, joined by commas:\n"
	"  SPEC   ITEM[,ITEM]...\n"
	"  ITEM   VALUE | LO:HI | LO:HI:STEP | LO:HI:xFACTOR     HI is included\n"
	"  VALUE  4096 | 10k | 1.5M | 16Mi | 2^20 | 1e6 | 0.05 | 5% | a word\n"
	"Units: k M G T (1000, ...), Ki Mi Gi Ti (1024, ...). --count=1k:1M:x10,2^24 has five "
	"values. All combinations of several lists are run.";

/* ---- what argp calls ---------------------------------------------------------------------- */

static void set_option(struct parse *p, size_t index, const char *text)
{
	const struct gb_param *row = p->row[index];
	union gb_value value = { 0 };

	if (p->given[index] && row->type != GB_FLAG) {
		gb_fail(p->err, GB_EUSAGE, "--%s is given twice", row->name);
		return;
	}
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

/* True if the memory that argp needs to print the help is available; argp aborts without it. */
static bool room_for_help(void)
{
	enum { ENOUGH = 1 << 16 };
	void *volatile room = malloc(ENOUGH);
	const bool there = room;

	free(room);
	return there;
}

static void answer(struct argp_state *state, bool help)
{
	struct parse *p = state->input;

	if (help && !room_for_help()) {
		gb_out_of_memory(p->err, "the help");
		return;
	}
	errno = 0;
	if (help)
		argp_help(state->root_argp, stdout,
			  ARGP_HELP_LONG | ARGP_HELP_USAGE | ARGP_HELP_DOC, state->name);
	else
		(void)puts(GB_VERSION_LINE);
	p->a->done = true;
	/* argp prints nothing and reports no error if memory runs out. */
	if (errno == ENOMEM)
		gb_out_of_memory(p->err, "the help");
}

static error_t on_key(int key, char *text, struct argp_state *state)
{
	struct parse *p = state->input;

	if (key == ARGP_KEY_ERROR)
		p->next = state->next;
	if (p->err->code || p->a->done)
		return 0;
	for (size_t i = 0; i < p->row_count; i++)
		if (key && key == p->row[i]->letter)
			key = FIRST_KEY + (int)i;
	if (key >= FIRST_KEY && key < FIRST_KEY + (int)p->row_count) {
		set_option(p, (size_t)(key - FIRST_KEY), text);
	} else if (key >= FIRST_KEY && key < FIRST_KEY + (int)(p->row_count + p->param_count)) {
		set_param(p, p->param[(size_t)(key - FIRST_KEY) - p->row_count]->name, text);
	} else if (key == 'h' || key == 'V') {
		answer(state, key == 'h');
	} else if (key == ARGP_KEY_ARG) {
		p->a->word[p->a->word_count++] = text;
	} else {
		return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

/* Report an unknown option, with suggestions. */
static enum gb_status unknown(const struct parse *p, const char *word, const char *name,
			      size_t length)
{
	struct gb_suggest near = { .word = name, .length = length, .prefix = "--" };
	char help[128];

	(void)snprintf(help, sizeof help, " (try gpubench %s --help)", p->command);
	for (size_t i = 0; i < p->option_count && word[1] == '-'; i++)
		if (p->option[i].name)
			gb_suggest_offer(&near, p->option[i].name);
	return gb_fail(p->err, GB_EUSAGE, "%s has no option %.80s%s", p->command, word,
		       gb_suggest_text(&near, help));
}

/* Report in one line why getopt rejected `word`. */
static enum gb_status explain(const struct parse *p, const char *word)
{
	const char *name = word + strspn(word, "-");
	const size_t length = strcspn(name, "=");
	size_t starts = 0;

	for (size_t i = 0; i < p->option_count && word[0] == '-' && word[1] == '-'; i++) {
		const struct argp_option *o = &p->option[i];

		if (!o->name || strncmp(o->name, name, length) != 0)
			continue;
		starts++;
		if (o->name[length])
			continue;
		if (o->arg)
			return gb_fail(p->err, GB_EUSAGE, "--%s needs a value", o->name);
		return gb_fail(p->err, GB_EUSAGE, "--%s takes no value", o->name);
	}
	if (starts > 1)
		return gb_fail(p->err, GB_EUSAGE, "--%.*s could be any of %zu options", (int)length,
			       name, starts);
	if (starts == 1)
		return gb_fail(p->err, GB_EUSAGE, "%.80s: needs a value, or takes none", word);
	return unknown(p, word, name, length);
}

/* Add a group of rows and store their defaults in the target. */
static enum gb_status take_group(struct parse *p, const char *heading, const struct gb_param *row,
				 size_t count)
{
	union gb_value value = { 0 };

	for (size_t i = 0; i < count && p->row_count < MAX_OPTIONS; i++) {
		p->heading[p->row_count] = heading;
		p->row[p->row_count++] = &row[i];
		if (row[i].initial && !gb_value_parse(&row[i], row[i].initial, &value, p->err))
			gb_value_store(&row[i], p->a->target, value);
	}
	return p->err->code;
}

static enum gb_status take_rows(struct parse *p)
{
	const struct gb_arguments *a = p->a;
	const char *heading = NULL;

	memset(a->target, 0, a->target_size);
	for (size_t i = 0; a->shared && a->shared[i]; i++) {
		heading = a->shared[i]->heading;
		if (take_group(p, heading, a->shared[i]->row, a->shared[i]->count))
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
	char **word = calloc((size_t)argc + 1, sizeof *word); /* argp reorders them */
	char full[64];
	error_t status;
	char doc[1024];
	struct argp argp = { .parser = on_key, .args_doc = a->words, .doc = doc };

	a->word = calloc((size_t)argc + 1, sizeof *a->word);
	if (!p || !word || !a->word) {
		gb_out_of_memory(err, NULL);
		goto out;
	}
	p->a = a;
	p->command = argv[0];
	p->err = err;
	if (take_rows(p) || (a->workload && gb_sweep_init(a->sweep, a->workload, err)))
		goto out;
	build_table(p);
	argp.options = p->option;
	(void)snprintf(doc, sizeof doc, "%s%s", a->summary, takes_specs(p) ? grammar : "");
	memcpy(word, argv, (size_t)argc * sizeof *word);
	(void)snprintf(full, sizeof full, "gpubench %s", argv[0]);
	word[0] = full;
	status = argp_parse(&argp, argc, word, ARGP_NO_ERRS | ARGP_NO_EXIT | ARGP_NO_HELP, NULL, p);
	if (status == ENOMEM)
		gb_out_of_memory(err, "the options");
	else if (status && !err->code && !a->done)
		(void)explain(p, word[p->next > 1 ? p->next - 1 : argc - 1]);
out:
	free(word);
	free(p);
	return err->code;
}
