/* ab.c -- `gpubench ab A=BIN B=BIN -- ARGS`: two builds launched in turn, then compared.
 *
 * A machine drifts: from one hour to the next its speed changes by more than the difference between
 * two builds.  So launches alternate, and the order within a pair does too.  With --aa both sides
 * are the first build: whatever is then called faster or slower is the machine's own noise.  With
 * --early the launches are compared as they go, at few numbers of them, by intervals of a higher
 * level (looks.h), and end once no key is unsure.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/commands/ab_side.h"
#include "cli/commands/arguments.h"
#include "cli/commands/commands.h"
#include "cli/commands/compare_options.h"
#include "cli/reports/compare/looks.h"
#include "common/text.h"

struct options {
	struct gb_compare_options compare; /* first: see GB_COMPARE_ROWS */
	int64_t launches, early, aa, quiet, overwrite, resume;
	const char *output;
};

#define AT(type, member) GB_AT(type, struct options, member)
static const struct gb_param rows[] = {
	{ .name = "launches",
	  AT(GB_INT, launches),
	  .initial = "10",
	  .min = 1,
	  .max = 1000,
	  .help = "of each build; at least 4 for a verdict" },
	{ .name = "early",
	  AT(GB_FLAG, early),
	  .help = "fewer launches, if each key is decided before" },
	{ .name = "aa", AT(GB_FLAG, aa), .help = "compare the first build with itself" },
	GB_COMPARE_ROWS,
	{ .name = "output",
	  .letter = 'o',
	  AT(GB_PATH, output),
	  .unit = "PREFIX",
	  .help = "keep the records, launch by launch, in PREFIX.NAME.jsonl" },
	{ .name = "resume",
	  AT(GB_FLAG, resume),
	  .help = "go on after the launches that those files hold" },
	{ .name = "overwrite",
	  AT(GB_FLAG, overwrite),
	  .help = "replace those files if they exist" },
	{ .name = "quiet", .letter = 'q', AT(GB_FLAG, quiet), .help = "no progress" },
};
#undef AT

static void show_launch(int64_t launch, int64_t launches, const char *name)
{
	(void)fprintf(stderr, "\r\033[Klaunch %lld of %lld, ", (long long)launch,
		      (long long)launches);
	gb_text_print(stderr, name);
}

/* The side to launch next, in the order A B, B A, A B, ... */
static struct gb_side *next_side(struct gb_side *side)
{
	const int64_t a = side[0].launches, b = side[1].launches;

	return a == b ? &side[a % 2] : a < b ? &side[0] : &side[1];
}

/* What is compared at the end, and with --early before. */
static enum gb_status init_comparison(struct gb_comparison *c, const struct options *options,
				      struct gb_error *err)
{
	if (!gb_compare_init(c, &options->compare, err) && options->early)
		c->level = gb_look_level(options->launches);
	return err->code;
}

/* Whether further launches would tell nothing more. */
static bool is_decided(const struct gb_side *side, const struct options *options,
		       struct gb_error *err)
{
	struct gb_comparison c;
	bool decided;

	if (side[0].launches != side[1].launches ||
	    !gb_look_due(side[0].launches, options->launches) || init_comparison(&c, options, err))
		return false;
	decided = !gb_compare(&c, &side[0].records, &side[1].records, err) &&
		  c.verdicts[GB_UNSURE] == 0;
	gb_comparison_release(&c);
	return decided;
}

static enum gb_status launch_both(struct gb_side *side, const struct options *options,
				  char *const *words, size_t count, struct gb_error *err)
{
	const bool show = !options->quiet && isatty(STDERR_FILENO);

	while (!err->code) {
		struct gb_side *next = next_side(side);

		if (next->launches >= options->launches ||
		    (options->early && is_decided(side, options, err)))
			break;
		if (show)
			show_launch(side[0].launches + side[1].launches + 1, 2 * options->launches,
				    next->name);
		(void)gb_side_launch(next, words, count, err);
	}
	if (show)
		(void)fputs("\r\033[K", stderr);
	return err->code;
}

/* The two sides that the words name; with --aa the first twice. */
static enum gb_status read_sides(struct gb_side *side, const struct gb_arguments *a, bool aa,
				 struct gb_error *err)
{
	if (a->word_count < 1 || a->word_count > 2 || (a->word_count == 1 && !aa))
		return gb_fail(err, GB_EUSAGE,
			       "ab needs two builds, NAME=PROGRAM NAME=PROGRAM, or one with --aa");
	if (gb_side_read(&side[0], a->word[0], err) ||
	    gb_side_read(&side[1], a->word[aa ? 0 : 1], err))
		return err->code;
	if (aa)
		(void)snprintf(side[1].name, sizeof side[1].name, "%.56s-again", side[0].name);
	if (gb_equal(side[0].name, side[1].name))
		return gb_fail(err, GB_EUSAGE, "both builds are called %s", side[0].name);
	return GB_OK;
}

/* The files that keep the records, before anything is launched. */
static enum gb_status open_sides(struct gb_side *side, const struct options *options,
				 struct gb_error *err)
{
	const enum gb_existing existing = options->resume      ? GB_RESUME
					  : options->overwrite ? GB_OVERWRITE
							       : GB_REFUSE;

	if (options->resume && options->overwrite)
		return gb_fail(err, GB_EUSAGE, "--resume and --overwrite exclude each other");
	if (options->resume && !options->output)
		return gb_fail(err, GB_EUSAGE, "--resume needs the records in -o PREFIX");
	(void)gb_side_open(&side[0], options->output, existing, err);
	return err->code ? err->code : gb_side_open(&side[1], options->output, existing, err);
}

enum gb_status gb_cmd_ab(int argc, char **argv, struct gb_error *err)
{
	struct options options;
	struct gb_comparison comparison;
	struct gb_side side[2] = { 0 };
	enum gb_status status = GB_OK;
	int own = 0;
	struct gb_arguments a = {
		.words = "NAME=PROGRAM NAME=PROGRAM -- ARGUMENT...",
		.summary = "Launch two builds of gpubench in turn with the same arguments and "
			   "compare their records: exit status 1 if something became slower or "
			   "failed, 6 if too little could be compared.",
		.row = rows,
		.row_count = GB_COUNT(rows),
		.target = &options,
		.target_size = sizeof options,
	};

	while (own < argc && !gb_equal(argv[own], "--"))
		own++;
	if (gb_arguments_parse(&a, own, argv, err) || a.done)
		goto out;
	if (read_sides(side, &a, options.aa != 0, err))
		goto out;
	if (own + 1 >= argc)
		gb_fail(err, GB_EUSAGE, "ab needs the benchmark's arguments after --");
	else if (!init_comparison(&comparison, &options, err) && !open_sides(side, &options, err) &&
		 !launch_both(side, &options, argv + own + 1, (size_t)(argc - own - 1), err))
		status = gb_compare_and_print(&options.compare, &comparison, &side[0].records,
					      side[0].name, &side[1].records, side[1].name, err);
out:
	gb_side_release(&side[0], err);
	gb_side_release(&side[1], err);
	gb_arguments_release(&a);
	return err->code ? err->code : status;
}
