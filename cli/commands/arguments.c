/* argp does not print errors (ARGP_NO_ERRS): the caller prints one line for any error.  Option keys
 * are 1000 + the row's number; the workload's rows follow those of the table.
 */
#include "cli/commands/arguments.h"

#include <argp.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/records/version.h"
#include "common/text.h"

/* In groups: the help prints a heading before the rows from `first` on. */
static const struct {
	const char *first, *heading;
} groups[] = {
	{ "samples", "How to measure:" },
	{ "backend", "What to run:" },
	{ "output", "Output:" },
};

enum { FIRST_KEY = 1000, MAX_OPTIONS = 96, HELP_TEXT = 16384 };

/* What the argp callbacks share. */
struct parse {
	struct gb_arguments *a;
	struct gb_error *err;
	int next; /* the word after the one that argp refused */
	bool given[MAX_OPTIONS];
	size_t option_count;
	struct argp_option option[MAX_OPTIONS];
	size_t text_used;
	char text[HELP_TEXT]; /* what the options' strings point into */
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
		       row->initial && row->type != GB_FLAG ? "]" : "",
		       row->cpu_only ? " (cpu variants)" : "");
	o->name = row->name;
	o->key = key;
	if (row->type != GB_FLAG)
		o->arg = swept ? "SPEC" : row->type == GB_CHOICE ? "WORD" : keep(p, domain);
	if (row->bare)
		o->flags = OPTION_ARG_OPTIONAL;
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

/* A parameter of the workload's comes before an option of that name. */
static bool is_parameter(const struct gb_workload *workload, const char *name)
{
	return workload && gb_param_find(workload->params, workload->param_count, name);
}

/* argp sorts within a group; each heading starts a new one by its position. */
static void build_table(struct parse *p)
{
	char heading[128];

	if (p->a->workload) {
		(void)snprintf(heading, sizeof heading, "Parameters of %s:", p->a->workload->name);
		add_heading(p, keep(p, heading));
		for (size_t i = 0; i < p->a->workload->param_count; i++)
			add_row(p, &p->a->workload->params[i], true,
				FIRST_KEY + (int)(p->a->row_count + i));
	}
	for (size_t i = 0; i < p->a->row_count; i++) {
		for (size_t g = 0; g < GB_COUNT(groups); g++)
			if (gb_equal(groups[g].first, p->a->row[i].name))
				add_heading(p, groups[g].heading);
		if (!is_parameter(p->a->workload, p->a->row[i].name))
			add_row(p, &p->a->row[i], false, FIRST_KEY + (int)i);
	}
	add_heading(p, "Other:");
	p->option[p->option_count++] =
		(struct argp_option){ .name = "help", .key = 'h', .doc = "print this help" };
	p->option[p->option_count++] =
		(struct argp_option){ .name = "version", .key = 'V', .doc = "print the version" };
}

/* ---- what argp calls ---------------------------------------------------------------------- */

static void set_option(struct parse *p, size_t index, const char *text)
{
	const struct gb_param *row = &p->a->row[index];
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

/* Whether as much memory can be had as argp may want for a help: it aborts where it gets none. */
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
	/* argp prints nothing, and says nothing, if memory runs out. */
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
	for (size_t i = 0; i < p->a->row_count; i++)
		if (key && key == p->a->row[i].letter)
			key = FIRST_KEY + (int)i;
	if (key >= FIRST_KEY && key < FIRST_KEY + (int)p->a->row_count) {
		set_option(p, (size_t)(key - FIRST_KEY), text);
	} else if (key >= FIRST_KEY && key < FIRST_KEY + MAX_OPTIONS) {
		const size_t row = (size_t)(key - FIRST_KEY) - p->a->row_count;

		(void)gb_sweep_set(p->a->sweep, p->a->workload->params[row].name, text, p->err);
	} else if (key == 'h' || key == 'V') {
		answer(state, key == 'h');
	} else if (key == ARGP_KEY_ARG) {
		p->a->word[p->a->word_count++] = text;
	} else {
		return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

/* Why getopt refused `word`, in one line. */
static enum gb_status explain(const struct parse *p, const char *command, const char *word)
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
	return gb_fail(p->err, GB_EUSAGE, "%s has no option %.80s (try gpubench %s --help)",
		       command, word, command);
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
	struct argp argp = { .parser = on_key, .args_doc = a->words, .doc = a->summary };

	a->word = calloc((size_t)argc + 1, sizeof *a->word);
	if (!p || !word || !a->word) {
		gb_out_of_memory(err, NULL);
		goto out;
	}
	p->a = a;
	p->err = err;
	if (gb_params_init(a->row, a->row_count, a->target, a->target_size, err) ||
	    (a->workload && gb_sweep_init(a->sweep, a->workload, err)))
		goto out;
	build_table(p);
	argp.options = p->option;
	memcpy(word, argv, (size_t)argc * sizeof *word);
	(void)snprintf(full, sizeof full, "gpubench %s", argv[0]);
	word[0] = full;
	status = argp_parse(&argp, argc, word, ARGP_NO_ERRS | ARGP_NO_EXIT | ARGP_NO_HELP, NULL, p);
	if (status == ENOMEM)
		gb_out_of_memory(err, "the options");
	else if (status && !err->code && !a->done)
		(void)explain(p, argv[0], word[p->next > 1 ? p->next - 1 : argc - 1]);
out:
	free(word);
	free(p);
	return err->code;
}
