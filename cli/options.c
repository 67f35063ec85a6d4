/* options.c -- the option rows, and argp driven by them.
 *
 * argp keeps quiet about errors (ARGP_NO_ERRS): what is wrong is said once, in one line, by the
 * caller that prints every error.  Option keys are 1000 + the row's number; the workload's rows
 * follow those of the table.
 */
#include "cli/options.h"

#include <argp.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/version.h"
#include "common/text.h"

#define AT(member) offsetof(struct gb_request, member)

/* In groups: the help prints a heading before the rows from `first` on. */
static const struct {
	const char *first, *heading;
} groups[] = {
	{ "samples", "How to measure:" },
	{ "backend", "What to run:" },
	{ "output", "Output:" },
};

const struct gb_param gb_option_rows[] = {
	{ .name = "samples",
	  .type = GB_INT,
	  .offset = AT(how.samples),
	  .initial = "0",
	  .min = 0,
	  .max = 1000000,
	  .help = "take exactly N samples (0: as many as the stopping rule wants)" },
	{ .name = "warmup",
	  .type = GB_INT,
	  .offset = AT(how.warmup),
	  .initial = "2",
	  .min = 0,
	  .max = 10000,
	  .help = "runs before the first sample" },
	{ .name = "min-samples",
	  .type = GB_INT,
	  .offset = AT(how.min_samples),
	  .initial = "10",
	  .min = 1,
	  .max = 1000000,
	  .help = "stopping rule: at least N samples" },
	{ .name = "max-samples",
	  .type = GB_INT,
	  .offset = AT(how.max_samples),
	  .initial = "1000",
	  .min = 1,
	  .max = 1000000,
	  .help = "stopping rule: at most N samples" },
	{ .name = "min-time",
	  .type = GB_FLOAT,
	  .offset = AT(how.min_time_s),
	  .initial = "0.5",
	  .low = 0,
	  .high = 86400,
	  .unit = "seconds",
	  .help = "stopping rule: go on for at least X seconds; give up on a noisy one after ten "
		  "times that" },
	{ .name = "rel-ci",
	  .type = GB_FLOAT,
	  .offset = AT(how.rel_ci),
	  .initial = "0.01",
	  .low = 0,
	  .high = 1,
	  .help = "stopping rule: half the 95 % interval of the median within this share of it" },
	{ .name = "timeout",
	  .type = GB_FLOAT,
	  .offset = AT(how.timeout_s),
	  .initial = "60",
	  .low = 0.001,
	  .high = 1e6,
	  .unit = "seconds",
	  .help = "stop a variant at a point after X seconds" },
	{ .name = "cold",
	  .type = GB_FLAG,
	  .offset = AT(how.cold),
	  .help = "evict the caches before each sample (the default)" },
	{ .name = "hot",
	  .type = GB_FLAG,
	  .offset = AT(how.hot),
	  .help = "leave the caches as the last sample left them; batch short runs" },
	{ .name = "no-verify",
	  .type = GB_FLAG,
	  .offset = AT(how.no_verify),
	  .help = "do not check results; the records say so" },
	{ .name = "backend",
	  .type = GB_PATH,
	  .offset = AT(backend),
	  .unit = "cpu,cuda",
	  .help = "only variants of these back ends" },
	{ .name = "device",
	  .type = GB_INT,
	  .offset = AT(how.device),
	  .initial = "0",
	  .min = 0,
	  .max = 1023,
	  .help = "the GPU to use" },
	{ .name = "require-gpu",
	  .type = GB_FLAG,
	  .offset = AT(require_gpu),
	  .help = "without a usable GPU: exit status 3, nothing is run" },
	{ .name = "preset",
	  .type = GB_PATH,
	  .offset = AT(preset),
	  .unit = "quick|ci|paper",
	  .help = "sizes for `run` [quick] and `repro` [paper]" },
	{ .name = "dry-run",
	  .type = GB_FLAG,
	  .offset = AT(dry_run),
	  .help = "list the points and the memory each variant would take; run nothing" },
	{ .name = "list",
	  .type = GB_FLAG,
	  .offset = AT(list),
	  .help = "for `repro`: list the tables" },
	{ .name = "output",
	  .letter = 'o',
	  .type = GB_PATH,
	  .offset = AT(output),
	  .unit = "FILE",
	  .help = "write records to FILE.jsonl (after each point) or, at the end, to FILE.json, "
		  ".csv "
		  "or .md; -: JSON lines on standard output instead of the table" },
	{ .name = "quiet",
	  .letter = 'q',
	  .type = GB_FLAG,
	  .offset = AT(quiet),
	  .help = "no table and no progress" },
	{ .name = "verbose",
	  .letter = 'v',
	  .type = GB_FLAG,
	  .offset = AT(verbose),
	  .help = "a line on standard error as each measurement ends" },
};
const size_t gb_option_count = GB_COUNT(gb_option_rows);

enum gb_status gb_preset_of(const struct gb_request *request, enum gb_preset otherwise,
			    enum gb_preset *preset, struct gb_error *err)
{
	static const char *const names[GB_PRESETS] = { "quick", "ci", "paper" };

	*preset = otherwise;
	if (!request->preset)
		return GB_OK;
	for (size_t i = 0; i < GB_PRESETS; i++) {
		if (gb_equal(request->preset, names[i])) {
			*preset = (enum gb_preset)i;
			return GB_OK;
		}
	}
	return gb_fail(err, GB_EUSAGE, "--preset=%.80s: not one of quick|ci|paper",
		       request->preset);
}

enum { FIRST_KEY = 1000, MAX_OPTIONS = 96, HELP_TEXT = 16384 };

/* What the argp callbacks share. */
struct parse {
	struct gb_request *request;
	const struct gb_workload *workload; /* NULL: no parameter rows */
	struct gb_sweep *sweep;
	struct gb_error *err;
	bool given[GB_COUNT(gb_option_rows)];
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

/* argp sorts within a group; each heading starts a new one by its position. */
static void build_table(struct parse *p)
{
	char heading[128];

	if (p->workload) {
		(void)snprintf(heading, sizeof heading, "Parameters of %s:", p->workload->name);
		add_heading(p, keep(p, heading));
		for (size_t i = 0; i < p->workload->param_count; i++)
			add_row(p, &p->workload->params[i], true,
				FIRST_KEY + (int)(gb_option_count + i));
	}
	for (size_t i = 0; i < gb_option_count; i++) {
		for (size_t g = 0; g < GB_COUNT(groups); g++)
			if (gb_equal(groups[g].first, gb_option_rows[i].name))
				add_heading(p, groups[g].heading);
		add_row(p, &gb_option_rows[i], false, FIRST_KEY + (int)i);
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
	const struct gb_param *row = &gb_option_rows[index];
	union gb_value value = { 0 };

	if (p->given[index] && row->type != GB_FLAG) {
		gb_fail(p->err, GB_EUSAGE, "--%s is given twice", row->name);
		return;
	}
	p->given[index] = true;
	if (!gb_value_parse(row, text ? text : "", &value, p->err))
		gb_value_store(row, p->request, value);
}

static void answer(struct argp_state *state, bool help)
{
	struct parse *p = state->input;

	if (help)
		argp_help(state->root_argp, stdout,
			  ARGP_HELP_LONG | ARGP_HELP_USAGE | ARGP_HELP_DOC, state->name);
	else
		(void)puts(GB_VERSION_LINE);
	p->request->done = true;
}

static error_t on_key(int key, char *text, struct argp_state *state)
{
	struct parse *p = state->input;

	if (p->err->code || p->request->done)
		return 0;
	for (size_t i = 0; i < gb_option_count; i++)
		if (key && key == gb_option_rows[i].letter)
			key = FIRST_KEY + (int)i;
	if (key >= FIRST_KEY && key < FIRST_KEY + (int)gb_option_count) {
		set_option(p, (size_t)(key - FIRST_KEY), text);
	} else if (key >= FIRST_KEY && key < FIRST_KEY + MAX_OPTIONS) {
		const size_t row = (size_t)(key - FIRST_KEY) - gb_option_count;

		(void)gb_sweep_set(p->sweep, p->workload->params[row].name, text, p->err);
	} else if (key == 'h' || key == 'V') {
		answer(state, key == 'h');
	} else if (key == ARGP_KEY_ARG) {
		if (p->request->glob_count == GB_MAX_GLOBS)
			gb_fail(p->err, GB_EUSAGE, "more than %d words", GB_MAX_GLOBS);
		else
			p->request->glob[p->request->glob_count++] = text;
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

/* What the rows cannot say each for itself. */
static enum gb_status check_together(const struct gb_request *r, struct gb_error *err)
{
	if (r->how.hot && r->how.cold)
		return gb_fail(err, GB_EUSAGE, "--hot and --cold exclude each other");
	if (r->how.min_samples > r->how.max_samples)
		return gb_fail(err, GB_EUSAGE, "--min-samples=%lld exceeds --max-samples=%lld",
			       (long long)r->how.min_samples, (long long)r->how.max_samples);
	if (r->backend && !gb_equal(r->backend, "cpu") && !gb_equal(r->backend, "cuda") &&
	    !gb_equal(r->backend, "cpu,cuda") && !gb_equal(r->backend, "cuda,cpu"))
		return gb_fail(err, GB_EUSAGE, "--backend=%.80s: not one of cpu, cuda, cpu,cuda",
			       r->backend);
	return GB_OK;
}

enum gb_status gb_options_parse(struct gb_request *request, const struct gb_workload *workload,
				struct gb_sweep *sweep, const char *words, const char *summary,
				int argc, char **argv, struct gb_error *err)
{
	struct parse *p = calloc(1, sizeof *p);
	char **word = calloc((size_t)argc + 1, sizeof *word); /* argp reorders them */
	char full[64];
	int next = 0;
	error_t status;
	struct argp argp = { .parser = on_key, .args_doc = words, .doc = summary };

	if (!p || !word) {
		gb_fail(err, GB_ERUNTIME, "out of memory");
		goto out;
	}
	*p = (struct parse){ .request = request, .workload = workload, .sweep = sweep, .err = err };
	if (gb_params_init(gb_option_rows, gb_option_count, request, sizeof *request, err) ||
	    (workload && gb_sweep_init(sweep, workload, err)))
		goto out;
	build_table(p);
	argp.options = p->option;
	memcpy(word, argv, (size_t)argc * sizeof *word);
	(void)snprintf(full, sizeof full, "gpubench %s", argv[0]);
	word[0] = full;
	status =
		argp_parse(&argp, argc, word, ARGP_NO_ERRS | ARGP_NO_EXIT | ARGP_NO_HELP, &next, p);
	if (status && !err->code && !request->done)
		(void)explain(p, argv[0], word[next > 1 ? next - 1 : argc - 1]);
	if (!err->code && !request->done)
		(void)check_together(request, err);
out:
	free(word);
	free(p);
	return err->code;
}
