/* ab.c -- `gpubench ab A=BIN B=BIN -- ARGS`: two builds launched in turn, then compared.
 *
 * A machine drifts: from one hour to the next its speed changes by more than the difference between
 * two builds.  So launches alternate, and the order within a pair does too.  With --aa both sides
 * are the first build: whatever is then called faster or slower is the machine's own noise.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/commands/arguments.h"
#include "cli/commands/commands.h"
#include "cli/commands/compare_options.h"
#include "cli/measuring/launches.h"
#include "cli/records/output.h"
#include "common/text.h"

struct options {
	struct gb_compare_options compare; /* first: see GB_COMPARE_ROWS */
	int64_t launches, aa, quiet, overwrite;
	const char *output;
};

#define AT(member) offsetof(struct options, member)
static const struct gb_param rows[] = {
	{ .name = "launches",
	  .type = GB_INT,
	  .offset = AT(launches),
	  .initial = "10",
	  .min = 1,
	  .max = 1000,
	  .help = "of each build" },
	{ .name = "aa",
	  .type = GB_FLAG,
	  .offset = AT(aa),
	  .help = "compare the first build with itself" },
	GB_COMPARE_ROWS,
	{ .name = "output",
	  .letter = 'o',
	  .type = GB_PATH,
	  .offset = AT(output),
	  .unit = "PREFIX",
	  .help = "keep the records, in PREFIX.NAME.jsonl" },
	{ .name = "overwrite",
	  .type = GB_FLAG,
	  .offset = AT(overwrite),
	  .help = "replace those files if they exist" },
	{ .name = "quiet",
	  .letter = 'q',
	  .type = GB_FLAG,
	  .offset = AT(quiet),
	  .help = "no progress" },
};
#undef AT

struct side {
	char name[64];
	const char *program;
	struct gb_records records;
	struct gb_output output;
	char *path; /* of the output */
};

/* "old=./gpubench" */
static enum gb_status read_side(struct side *side, const char *word, struct gb_error *err)
{
	const size_t length = strcspn(word, "=");

	if (length == 0 || length >= sizeof side->name || !word[length] || !word[length + 1] ||
	    memchr(word, '/', length))
		return gb_fail(err, GB_EUSAGE, "'%.80s' is not NAME=PROGRAM", word);
	memcpy(side->name, word, length);
	side->program = word + length + 1;
	if (access(side->program, X_OK))
		return gb_fail(err, GB_EUSAGE, "%s: %.200s is not a program that can be run",
			       side->name, side->program);
	return GB_OK;
}

/* One launch: the benchmark's words, its records through a temporary file. */
static enum gb_status launch_side(struct side *side, char *const *args, size_t count,
				  struct gb_error *err)
{
	char file[] = "/tmp/gpubench-XXXXXX.jsonl";
	char output[64], quiet[] = "-q", name[] = "gpubench";
	char **word = calloc(count + 4, sizeof *word);
	const int descriptor = mkstemps(file, 6);
	int status = 0;

	if (!word || descriptor < 0) {
		gb_fail(err, GB_EIO, "cannot write %s", file);
		goto out;
	}
	(void)close(descriptor);
	(void)snprintf(output, sizeof output, "--output=%s", file);
	word[0] = name;
	memcpy(word + 1, args, count * sizeof *word);
	word[count + 1] = quiet;
	word[count + 2] = output;
	if (gb_launch(side->program, word, 0, &status, err))
		goto out;
	if (status == 130)
		gb_fail(err, GB_EINTERRUPTED, "interrupted");
	else if (status > GB_ERUNTIME || status == GB_EUSAGE)
		gb_fail(err, status == GB_EIO ? GB_EIO : GB_EUSAGE, "%s: exit status %d",
			side->name, status);
	else
		(void)gb_records_read(file, &side->records, err);
out:
	if (descriptor >= 0)
		(void)remove(file);
	free(word);
	return err->code;
}

/* The file that keeps the side's records, before anything is launched. */
static enum gb_status open_output(struct side *side, const struct options *options,
				  struct gb_error *err)
{
	if (!options->output)
		return GB_OK;
	if (asprintf(&side->path, "%s.%s.jsonl", options->output, side->name) < 0) {
		side->path = NULL;
		return gb_out_of_memory(err, NULL);
	}
	return gb_output_open(&side->output, side->path,
			      options->overwrite ? GB_OVERWRITE : GB_REFUSE, err);
}

static enum gb_status keep_records(struct side *side, struct gb_error *err)
{
	for (size_t i = 0; i < side->records.count && !err->code; i++)
		(void)gb_output_put(&side->output, side->records.line[i], err);
	return err->code;
}

static void release(struct side *side, struct gb_error *err)
{
	(void)gb_output_close(&side->output, false, err);
	gb_records_release(&side->records);
	free(side->path);
}

static void show_launch(int64_t launch, int64_t launches, const char *name)
{
	(void)fprintf(stderr, "\r\033[Klaunch %lld of %lld, ", (long long)launch,
		      (long long)launches);
	gb_text_print(stderr, name);
}

/* The launches in the order A B, B A, A B, ... */
static enum gb_status launch_both(struct side *side, const struct options *options,
				  char *const *args, size_t count, struct gb_error *err)
{
	const bool show = !options->quiet && isatty(STDERR_FILENO);

	for (int64_t i = 0; i < 2 * options->launches && !err->code; i++) {
		struct side *next = &side[(i + i / 2) % 2];

		if (show)
			show_launch(i + 1, 2 * options->launches, next->name);
		if (!launch_side(next, args, count, err))
			(void)gb_compare_check(&options->compare, &next->records, next->name, err);
	}
	if (show)
		(void)fputs("\r\033[K", stderr);
	for (size_t i = 0; i < 2 && options->output && !err->code; i++)
		(void)keep_records(&side[i], err);
	return err->code;
}

/* The two sides that the words name; with --aa the first twice. */
static enum gb_status read_sides(struct side *side, const struct gb_arguments *a, bool aa,
				 struct gb_error *err)
{
	if (a->word_count < 1 || a->word_count > 2 || (a->word_count == 1 && !aa))
		return gb_fail(err, GB_EUSAGE,
			       "ab needs two builds, NAME=PROGRAM NAME=PROGRAM, or one with --aa");
	if (read_side(&side[0], a->word[0], err) || read_side(&side[1], a->word[aa ? 0 : 1], err))
		return err->code;
	if (aa)
		(void)snprintf(side[1].name, sizeof side[1].name, "%.56s-again", side[0].name);
	if (gb_equal(side[0].name, side[1].name))
		return gb_fail(err, GB_EUSAGE, "both builds are called %s", side[0].name);
	return GB_OK;
}

enum gb_status gb_cmd_ab(int argc, char **argv, struct gb_error *err)
{
	struct options options;
	struct side side[2] = { 0 };
	enum gb_status status = GB_OK;
	int own = 0;
	struct gb_arguments a = {
		.words = "NAME=PROGRAM NAME=PROGRAM -- ARGUMENT...",
		.summary = "Launch two builds of gpubench in turn with the same arguments and "
			   "compare their records.",
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
	else if (!open_output(&side[0], &options, err) && !open_output(&side[1], &options, err) &&
		 !launch_both(side, &options, argv + own + 1, (size_t)(argc - own - 1), err))
		status = gb_compare_and_print(&options.compare, &side[0].records, &side[1].records,
					      err);
out:
	release(&side[0], err);
	release(&side[1], err);
	gb_arguments_release(&a);
	return err->code ? err->code : status;
}
