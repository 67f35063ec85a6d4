/* ab.c -- `gpubench ab A=BIN B=BIN -- ARGS`: launches two builds in turn, then compares them.
 *
 * A machine's speed can drift by more than the difference between two builds.  Launches therefore
 * alternate, and so does the order within a pair.  With --aa both sides are the first build: any
 * difference found is noise of the machine.  With --early the launches are compared at a few
 * points on the way, with intervals of a higher level (looks.h), and stop once no key is unsure.
 *
 * The records of a launch are appended to a file of JSON lines in one write when it ends, so a kill
 * loses only the launch under way.  A launch whose lines were cut off is dropped.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/commands/arguments.h"
#include "cli/commands/commands.h"
#include "cli/commands/compare_options.h"
#include "cli/measuring/launches.h"
#include "cli/records/output.h"
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
	  .help = "launch each build N times; a verdict needs at least 4" },
	{ .name = "early",
	  AT(GB_FLAG, early),
	  .help = "stop before --launches once no key is unsure" },
	{ .name = "aa", AT(GB_FLAG, aa), .help = "compare the first build with itself" },
	GB_COMPARE_ROWS,
	{ .name = "output",
	  .letter = 'o',
	  AT(GB_PATH, output),
	  .unit = "PREFIX",
	  .help = "append the records of each launch to PREFIX.NAME.jsonl" },
	{ .name = "resume",
	  AT(GB_FLAG, resume),
	  .help = "continue after the launches in PREFIX.NAME.jsonl" },
	{ .name = "overwrite",
	  AT(GB_FLAG, overwrite),
	  .help = "replace an existing PREFIX.NAME.jsonl" },
	{ .name = "quiet", .letter = 'q', AT(GB_FLAG, quiet), .help = "show no progress" },
};
#undef AT

/* ---- a side -------------------------------------------------------------------------------- */

/* One of the two builds and the records of its launches.  Initialise with { 0 }. */
struct side {
	char name[64];
	const char *program;
	struct gb_records records;
	int64_t launches; /* number of launches in records */
	struct gb_output output;
	char *path; /* output file; NULL: none */
};

/* "old=./gpubench" */
static enum gb_status side_read(struct side *side, const char *word, struct gb_error *err)
{
	const size_t length = strcspn(word, "=");
	struct stat file;

	if (length == 0 || length >= sizeof side->name || !word[length] || !word[length + 1] ||
	    memchr(word, '/', length))
		return gb_fail(err, GB_EUSAGE, "'%.80s' is not NAME=PROGRAM", word);
	memcpy(side->name, word, length);
	side->program = word + length + 1;
	if (stat(side->program, &file) || !S_ISREG(file.st_mode) || access(side->program, X_OK))
		return gb_fail(err, GB_EUSAGE, "%s: %.200s is not a program that can be run",
			       side->name, side->program);
	return GB_OK;
}

/* Drop the last launch, which was cut off; it is launched again. */
static void drop_last_launch(struct side *side)
{
	if (side->records.run_count)
		gb_records_remove_run(&side->records, side->records.run_count - 1);
	side->output.keep_bytes = side->records.last_run_bytes;
}

/* Open PREFIX.NAME.jsonl before the first launch.  GB_RESUME: read the launches that it holds.
 * A NULL prefix opens nothing. */
static enum gb_status side_open(struct side *side, const char *prefix, enum gb_existing existing,
				struct gb_error *err)
{
	if (!prefix)
		return GB_OK;
	if (asprintf(&side->path, "%s.%s.jsonl", prefix, side->name) < 0) {
		side->path = NULL;
		return gb_out_of_memory(err, NULL);
	}
	if (gb_output_open(&side->output, side->path, existing, err) || existing != GB_RESUME ||
	    gb_output_past(&side->output, &side->records, err))
		return err->code;
	if (side->output.cut)
		drop_last_launch(side);
	side->launches = (int64_t)side->records.run_count;
	return GB_OK;
}

/* True if two runs had the same arguments.  The last one, which names the output, is ignored. */
static bool has_same_words(const struct gb_run *a, const struct gb_run *b)
{
	if (a->argv.count != b->argv.count)
		return false;
	for (size_t i = 0; i + 1 < a->argv.count; i++)
		if (!gb_equal(a->argv.text[i], b->argv.text[i]))
			return false;
	return true;
}

/* Fail unless the launch is a single run with the arguments and setup of the resumed ones. */
static enum gb_status check_launch(const struct side *side, const struct gb_records *launch,
				   struct gb_error *err)
{
	const struct gb_records *before = &side->records;

	if (launch->run_count != 1)
		return gb_fail(err, GB_EUSAGE,
			       "%s: one launch wrote %zu runs: ab takes --launches, not --runs",
			       side->name, launch->run_count);
	if (side->output.existing != GB_RESUME || before->run_count == 0)
		return GB_OK;
	if (!has_same_words(before->run[0], launch->run[0]))
		return gb_fail(err, GB_EUSAGE, "--resume: %s has launches with other arguments",
			       side->path);
	return gb_resume_check(before, side->path, launch->run[0], "", err);
}

/* Append the lines of a launch to the output and move its records to the side. */
static enum gb_status take_launch(struct side *side, struct gb_records *launch,
				  struct gb_error *err)
{
	if (gb_output_put_all(&side->output, launch, err))
		return err->code;
	side->launches++;
	return gb_records_move(&side->records, launch, err);
}

static enum gb_status read_launch(struct side *side, int status, const char *file,
				  struct gb_error *err)
{
	struct gb_records launch = { 0 };

	if (status == GB_EINTERRUPTED)
		return gb_fail(err, GB_EINTERRUPTED, "interrupted");
	if (status > 128)
		return gb_fail(err, GB_ERUNTIME, "%s: ended by signal %d", side->name,
			       status - 128);
	if (status > GB_ERUNTIME || status == GB_EUSAGE)
		return gb_fail(err, status == GB_EIO ? GB_EIO : GB_EUSAGE, "%s: exit status %d",
			       side->name, status);
	if (!gb_records_read(file, &launch, err) && !check_launch(side, &launch, err))
		(void)take_launch(side, &launch, err);
	gb_records_release(&launch);
	return err->code;
}

/* Make a temporary file of records in $TMPDIR or /tmp, whose path the caller frees. */
static enum gb_status make_temporary(char **path, struct gb_error *err)
{
	const char *folder = getenv("TMPDIR");
	int file;

	if (!folder || !*folder)
		folder = "/tmp";
	if (asprintf(path, "%s/gpubench-XXXXXX.jsonl", folder) < 0) {
		*path = NULL;
		return gb_out_of_memory(err, NULL);
	}
	file = mkostemps(*path, (int)strlen(".jsonl"), O_CLOEXEC);
	if (file < 0)
		return gb_fail(
			err, GB_EIO,
			"cannot make a temporary file in %.200s: %s (set TMPDIR to another folder)",
			folder, strerror(errno));
	(void)close(file);
	return GB_OK;
}

/* Launch the program once more with these arguments and read its records from a temporary file.
 * GB_EUSAGE if the program rejects the arguments, if it did not write exactly one run, or if the
 * resumed launches have another setup or other arguments. */
static enum gb_status side_launch(struct side *side, char *const *word, size_t count,
				  struct gb_error *err)
{
	char *file, *output = NULL, quiet[] = "-q", name[] = "gpubench";
	char **argv = calloc(count + 4, sizeof *argv);
	const bool made = !make_temporary(&file, err);
	int status = 0;

	if (!made)
		goto out;
	if (!argv || asprintf(&output, "--output=%s", file) < 0) {
		output = NULL;
		gb_out_of_memory(err, NULL);
		goto out;
	}
	argv[0] = name;
	memcpy(argv + 1, word, count * sizeof *argv);
	argv[count + 1] = quiet;
	argv[count + 2] = output;
	if (!gb_launch(side->program, argv, 0, &status, err))
		(void)read_launch(side, status, file, err);
out:
	if (made)
		(void)remove(file);
	free(file);
	free(output);
	free(argv);
	return err->code;
}

static void side_release(struct side *side, struct gb_error *err)
{
	(void)gb_output_close(&side->output, false, err);
	gb_records_release(&side->records);
	free(side->path);
}

/* ---- both sides --------------------------------------------------------------------------- */

static void show_launch(int64_t launch, int64_t launches, const char *name)
{
	(void)fprintf(stderr, "\r\033[Klaunch %lld of %lld, ", (long long)launch,
		      (long long)launches);
	gb_text_print(stderr, name);
}

/* The side to launch next, in the order A B, B A, A B, ... */
static struct side *next_side(struct side *side)
{
	const int64_t a = side[0].launches, b = side[1].launches;

	return a == b ? &side[a % 2] : a < b ? &side[0] : &side[1];
}

/* The comparison that is made at the end and, with --early, on the way. */
static enum gb_status init_comparison(struct gb_comparison *c, const struct options *options,
				      struct gb_error *err)
{
	if (!gb_compare_init(c, &options->compare, err) && options->early)
		c->level = gb_look_level(options->launches);
	return err->code;
}

/* True if --early can stop: both sides have equally many launches and no key is unsure. */
static bool is_decided(const struct side *side, const struct options *options, struct gb_error *err)
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

static enum gb_status launch_both(struct side *side, const struct options *options,
				  char *const *words, size_t count, struct gb_error *err)
{
	const bool show = !options->quiet && isatty(STDERR_FILENO);

	while (!err->code) {
		struct side *next = next_side(side);

		if (next->launches >= options->launches ||
		    (options->early && is_decided(side, options, err)))
			break;
		if (show)
			show_launch(side[0].launches + side[1].launches + 1, 2 * options->launches,
				    next->name);
		(void)side_launch(next, words, count, err);
	}
	if (show)
		(void)fputs("\r\033[K", stderr);
	return err->code;
}

/* Read NAME=PROGRAM for both sides; with --aa the first is used twice. */
static enum gb_status read_sides(struct side *side, const struct gb_arguments *a, bool aa,
				 struct gb_error *err)
{
	if (a->word_count < 1 || a->word_count > 2 || (a->word_count == 1 && !aa))
		return gb_fail(err, GB_EUSAGE,
			       "ab needs two builds, NAME=PROGRAM NAME=PROGRAM, or one with --aa");
	if (side_read(&side[0], a->word[0], err) || side_read(&side[1], a->word[aa ? 0 : 1], err))
		return err->code;
	if (aa)
		(void)snprintf(side[1].name, sizeof side[1].name, "%.56s-again", side[0].name);
	if (gb_equal(side[0].name, side[1].name))
		return gb_fail(err, GB_EUSAGE, "both builds are called %s", side[0].name);
	return GB_OK;
}

/* Open the files of both sides before the first launch. */
static enum gb_status open_sides(struct side *side, const struct options *options,
				 struct gb_error *err)
{
	const enum gb_existing existing = options->resume      ? GB_RESUME
					  : options->overwrite ? GB_OVERWRITE
							       : GB_REFUSE;

	if (options->resume && options->overwrite)
		return gb_fail(err, GB_EUSAGE, "--resume and --overwrite exclude each other");
	if (options->resume && !options->output)
		return gb_fail(err, GB_EUSAGE, "--resume needs the records in -o PREFIX");
	(void)side_open(&side[0], options->output, existing, err);
	return err->code ? err->code : side_open(&side[1], options->output, existing, err);
}

enum gb_status gb_cmd_ab(int argc, char **argv, struct gb_error *err)
{
	struct options options;
	struct gb_comparison comparison;
	struct side side[2] = { 0 };
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
	side_release(&side[0], err);
	side_release(&side[1], err);
	gb_arguments_release(&a);
	return err->code ? err->code : status;
}
