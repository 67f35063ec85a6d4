/* ab.c -- `gpubench ab A=BIN B=BIN -- ARGS`: launches two builds in turn, then compares them.
 *
 * A machine's speed can drift by more than the difference between two builds, and a disturbance can
 * be in step with any fixed order.  Sides are therefore launched in random order, equally often up
 * to each look (gate.h).
 *
 * A repetition writes its records to a temporary file with --resume=any.  The file already holds a
 * record of each key that needs no further repetition, so the repetition measures only the others.
 *
 * First, both builds print their records without a measurement (--dry-run -o -).  A key that has the
 * same code in both is unchanged, and is not launched.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/commands/arguments.h"
#include "cli/commands/commands.h"
#include "cli/commands/compare.h"
#include "cli/commands/options.h"
#include "cli/measure/interrupt.h"
#include "cli/records/output.h"
#include "common/process.h"
#include "common/secret.h"
#include "common/text.h"
#include "common/timer.h"

struct options {
	struct gb_compare_options compare; /* first: see GB_COMPARE_ROWS */
	int64_t repetitions, quiet, overwrite, resume;
	const char *budget, *output;
	double budget_s;
};

#define AT(type, member) GB_AT(type, struct options, member)
static const struct gb_param rows[] = {
	{ .name = "repetitions",
	  AT(GB_INT, repetitions),
	  .initial = "140",
	  .min = 1,
	  .max = GB_GATE_MOST,
	  .help = "launch each build at most N times; the records are compared after 4, 6, 9, 13, "
		  "19, 28, 42, 63, 94 and 140 launches" },
	{ .name = "budget",
	  AT(GB_PATH, budget),
	  .unit = "TIME",
	  .help = "start no repetitions after this time [15m]; units: s, m, h" },
	GB_COMPARE_ROWS,
	{ .name = "output",
	  .letter = 'o',
	  AT(GB_PATH, output),
	  .unit = "PREFIX",
	  .help = "append the records of each repetition to PREFIX.NAME.jsonl" },
	{ .name = "resume",
	  AT(GB_FLAG, resume),
	  .help = "continue after the repetitions in PREFIX.NAME.jsonl" },
	{ .name = "overwrite",
	  AT(GB_FLAG, overwrite),
	  .help = "replace an existing PREFIX.NAME.jsonl" },
	{ .name = "quiet", .letter = 'q', AT(GB_FLAG, quiet), .help = "show no progress" },
};
#undef AT

/* One of the two builds and the records of its repetitions.  Initialise with { 0 }. */
struct side {
	char name[64];
	const char *program;
	struct gb_records records;
	size_t repetitions; /* number of repetitions in records */
	struct gb_output output;
	char *path; /* output file; NULL: none */
};

struct trial {
	struct side side[2];
	const struct options *options;
	char *const *word; /* arguments of each repetition */
	size_t words;
	struct gb_comparison comparison; /* at the last look */
	size_t looks, looked;            /* number of looks, all and so far */
	bool unchanged;                  /* every key */
	double began,
		repetition; /* in ns: when the first repetition began, and how long the last one took */
};

/* ---- a side -------------------------------------------------------------------------------- */

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

/* True if the run had these arguments, and then "-q --resume=any --output=FILE". */
static bool has_words(const struct gb_context *context, const struct trial *t)
{
	if (context->argv.count != t->words + 3)
		return false;
	for (size_t i = 0; i < t->words; i++)
		if (!gb_equal(context->argv.text[i], t->word[i]))
			return false;
	return true;
}

/* Open PREFIX.NAME.jsonl before the first repetition.  GB_RESUME: read the repetitions that it
 * holds; they must have had the same arguments.  The last one is dropped if it was cut off. */
static enum gb_status side_open(struct trial *t, struct side *side, enum gb_existing existing,
				struct gb_error *err)
{
	struct gb_records *records = &side->records;

	if (!t->options->output)
		return GB_OK;
	if (asprintf(&side->path, "%s.%s.jsonl", t->options->output, side->name) < 0) {
		side->path = NULL;
		return gb_out_of_memory(err, NULL);
	}
	if (gb_output_open(&side->output, side->path, existing, err) || existing != GB_RESUME ||
	    gb_output_past(&side->output, records, err))
		return err->code;
	if (records->truncated) {
		if (records->context_count)
			gb_records_remove_context(records, records->context_count - 1);
		side->output.keep_bytes = records->last_context_bytes;
	}
	side->repetitions = records->context_count;
	for (size_t i = 0; i < records->context_count; i++)
		if (!has_words(records->context[i], t))
			return gb_fail(err, GB_EUSAGE,
				       "--resume: %s has repetitions with other arguments",
				       side->path);
	return GB_OK;
}

static void side_release(struct side *side, struct gb_error *err)
{
	(void)gb_output_close(&side->output, err);
	gb_records_release(&side->records);
	free(side->path);
}

/* ---- a repetition ---------------------------------------------------------------------------- */

/* True if the last look has decided the key.  Before the first look, only unchanged keys are. */
static bool is_decided(const struct trial *t, const char *key)
{
	for (size_t i = 0; i < t->comparison.count; i++)
		if (gb_equal(t->comparison.change[i].key, key))
			return t->looked ? t->comparison.change[i].verdict != GB_UNSURE
					 : t->comparison.change[i].verdict == GB_UNCHANGED;
	return false;
}

/* Make a temporary file, whose path the caller frees, in $TMPDIR or /tmp.  It has a record of each
 * decided key, without the run. */
static FILE *make_file(const struct trial *t, const struct side *side, char **path,
		       struct gb_error *err)
{
	const char *folder = getenv("TMPDIR");
	const struct gb_records *list = &side->records;
	FILE *stream = NULL;
	int file;

	folder = folder && *folder ? folder : "/tmp";
	if (asprintf(path, "%s/gpubench-XXXXXX.jsonl", folder) < 0) {
		*path = NULL;
		gb_out_of_memory(err, NULL);
		return NULL;
	}
	file = mkostemps(*path, (int)strlen(".jsonl"), O_CLOEXEC);
	stream = file < 0 ? NULL : fdopen(file, "w");
	if (!stream)
		gb_fail(err, GB_EIO,
			"cannot make a temporary file in %.200s: %s (set TMPDIR to another folder)",
			folder, strerror(errno));
	for (size_t i = 0; stream && i < list->count; i++) {
		const struct gb_record *r = list->record[i];
		size_t before = 0;

		while (before < i && !gb_equal(list->record[before]->key, r->key))
			before++;
		if (before == i && is_decided(t, r->key))
			gb_record_print(stream, r);
	}
	return stream;
}

/* Fail unless the repetition wrote records, if only of results that failed or are doubtful. */
static enum gb_status check_exit(const struct side *side, int status, bool wrote,
				 struct gb_error *err)
{
	const bool known = status <= GB_EUNDECIDED, ends = status == GB_EUSAGE || status == GB_EIO;
	enum gb_status code = known ? (enum gb_status)status : GB_ERUNTIME;

	if (status == GB_EINTERRUPTED)
		return gb_fail(err, GB_EINTERRUPTED, "interrupted");
	if (status > 128)
		return gb_fail(err, GB_ERUNTIME, "%s: ended by signal %d", side->name,
			       status - 128);
	if (!known || ends)
		return gb_fail(err, code, "%s: exit status %d", side->name, status);
	if (code != GB_EUNAVAILABLE && code != GB_ERUNTIME)
		code = GB_EUSAGE; /* it was not asked to measure, or cannot */
	return wrote ? GB_OK
		     : gb_fail(err, code, "%s: no records, exit status %d", side->name, status);
}

/* Take the records of a repetition: its own, of a single run with the setup of resumed ones. */
static enum gb_status take_repetition(struct side *side, int status, const char *file,
				      struct gb_error *err)
{
	struct gb_records *records = &side->records;
	struct gb_error local_err = { 0 };
	const size_t before = records->count, runs = records->context_count;
	const struct gb_context *run;

	(void)gb_records_read(file, records, &local_err);
	if (check_exit(side, status, records->context_count > runs, err))
		return err->code;
	if (local_err.code)
		return gb_fail(err, local_err.code, "%s", local_err.message);
	if (records->context_count != runs + 1)
		return gb_fail(err, GB_EUSAGE,
			       "%s: one repetition wrote %zu runs: leave --repetitions to ab",
			       side->name, records->context_count - runs);
	run = records->context[runs];
	for (size_t i = records->count; i-- > before;)
		if (records->record[i]->context != run)
			gb_records_remove(records, i);
	if (side->output.existing == GB_RESUME && runs &&
	    gb_resume_check(records, side->path, run, "", err))
		return err->code;
	side->repetitions++;
	return gb_output_put(&side->output, records, err);
}

/* Take what a launch would measure.  A build that cannot print it has nothing unchanged. */
static enum gb_status take_plan(struct side *side, int status, const char *file,
				struct gb_error *err)
{
	struct gb_records *records = &side->records;
	struct gb_error ignored = { 0 };

	if (status == GB_EUSAGE || status == GB_EIO || status == GB_EINTERRUPTED)
		return check_exit(side, status, false, err);
	(void)gb_records_read(file, records, &ignored);
	records->written = records->count; /* it is not written */
	records->written_contexts = records->context_count;
	return GB_OK;
}

/* Launch the program once more, or let it plan, and take its records. */
static enum gb_status side_launch(const struct trial *t, struct side *side, bool plan,
				  struct gb_error *err)
{
	char *file = NULL, *output = NULL;
	char quiet[] = "-q", resume[] = "--resume=any", dry[] = "--dry-run", name[] = "gpubench";
	char **argv = calloc(t->words + 5, sizeof *argv);
	FILE *stream = argv ? make_file(t, side, &file, err) : NULL;
	int status = 0;

	if (stream && fflush(stream))
		gb_fail(err, GB_EIO, "cannot write %s: %s", file, strerror(errno));
	if (!argv || (file && asprintf(&output, "--output=%s", plan ? "-" : file) < 0)) {
		output = NULL;
		gb_out_of_memory(err, NULL);
	} else if (!err->code) {
		argv[0] = name;
		memcpy(argv + 1, t->word, t->words * sizeof *argv);
		argv[t->words + 1] = quiet;
		argv[t->words + 2] = plan ? dry : resume;
		argv[t->words + 3] = output;
		if (!gb_process_run(side->program, argv, 0, plan ? fileno(stream) : 0,
				    &gb_interrupted, &status, err))
			(void)(plan ? take_plan : take_repetition)(side, status, file, err);
	}
	if (stream)
		(void)fclose(stream);
	if (file)
		(void)remove(file);
	free(file);
	free(output);
	free(argv);
	return err->code;
}

/* ---- both sides ---------------------------------------------------------------------------- */

/* The repetitions a side at the next look, or of all looks. */
static size_t next_look(const struct trial *t, size_t repetitions)
{
	size_t i = 0;

	while (i + 1 < t->looks && gb_gate_looks[i] <= repetitions)
		i++;
	return t->looks ? gb_gate_looks[i] : (size_t)t->options->repetitions;
}

/* Compare the repetitions so far; further ones measure only the keys that are unsure. */
static enum gb_status decide(struct trial *t, struct gb_error *err)
{
	gb_comparison_release(&t->comparison);
	gb_compare_init(&t->comparison, &t->options->compare, t->looks);
	return gb_compare(&t->comparison, &t->side[0].records, &t->side[1].records, err);
}

/* Find the unchanged keys. */
static enum gb_status plan_both(struct trial *t, struct gb_error *err)
{
	if (t->options->compare.all || side_launch(t, &t->side[0], true, err) ||
	    side_launch(t, &t->side[1], true, err) || decide(t, err))
		return err->code;
	t->unchanged = t->comparison.count > 0 &&
		       t->comparison.verdicts[GB_UNCHANGED] == t->comparison.count;
	return GB_OK;
}

/* True if no more repetitions are to be made: every key is decided, all are made, or those up to
 * the next look are not expected to end within the budget. */
static bool is_over(struct trial *t, struct gb_error *err)
{
	const size_t a = t->side[0].repetitions, b = t->side[1].repetitions, both = a < b ? a : b;
	const size_t end = next_look(t, both);
	const size_t left = (end > a ? end - a : 0) + (end > b ? end - b : 0);
	const size_t before = t->looked;

	while (t->looked < t->looks && gb_gate_looks[t->looked] <= both)
		t->looked++;
	if (t->looked > before && (decide(t, err) || !t->comparison.verdicts[GB_UNSURE]))
		return true;
	if (left == 0)
		return true;
	if (gb_now_ns() - t->began + (double)left * t->repetition <= t->options->budget_s * 1e9)
		return false;
	(void)fprintf(
		stderr,
		"gpubench: --budget ends here: the next look is %zu repetitions away, of about "
		"%.3g s each\n",
		left, t->repetition * 1e-9);
	return true;
}

/* All orders of the repetitions up to the next look are equally likely.  So nothing that happens to
 * the machine can be in step with one side, except by the chance that the tests count. */
static struct side *next_side(struct trial *t)
{
	const size_t a = t->side[0].repetitions, b = t->side[1].repetitions;
	const size_t end = next_look(t, a < b ? a : b), left = end > a ? end - a : 0;
	const size_t all = left + (end > b ? end - b : 0);

	return &t->side[all == 0 || gb_secret() % all >= left];
}

static enum gb_status launch_both(struct trial *t, struct gb_error *err)
{
	const bool show = !t->options->quiet && isatty(STDERR_FILENO);

	t->began = gb_now_ns();
	while (!err->code && !t->unchanged && !is_over(t, err)) {
		struct side *next = next_side(t);
		const double start = gb_now_ns();

		if (show) {
			(void)fprintf(stderr, "\r\033[Krepetition %zu of at most %" PRId64 ", ",
				      t->side[0].repetitions + t->side[1].repetitions + 1,
				      2 * t->options->repetitions);
			gb_text_print(stderr, next->name);
		}
		(void)side_launch(t, next, false, err);
		if (show)
			(void)fputs("\r\033[K", stderr);
		t->repetition = gb_now_ns() - start;
	}
	return err->code;
}

/* Read NAME=PROGRAM for both sides. */
static enum gb_status read_sides(struct side *side, const struct gb_arguments *a,
				 struct gb_error *err)
{
	if (a->word_count != 2)
		return gb_fail(err, GB_EUSAGE, "ab needs two builds, NAME=PROGRAM NAME=PROGRAM");
	if (side_read(&side[0], a->word[0], err) || side_read(&side[1], a->word[1], err))
		return err->code;
	if (gb_equal(side[0].name, side[1].name))
		return gb_fail(err, GB_EUSAGE, "both builds are called %s", side->name);
	return GB_OK;
}

/* Launch both sides, compare, print, and return the status. */
static enum gb_status judge(struct trial *t, struct gb_error *err)
{
	const struct options *o = t->options;
	const enum gb_existing existing = o->resume      ? GB_RESUME
					  : o->overwrite ? GB_OVERWRITE
							 : GB_REFUSE;
	struct side *side = t->side;

	if (o->resume && o->overwrite)
		return gb_fail(err, GB_EUSAGE, "--resume and --overwrite exclude each other");
	if (o->resume && !o->output)
		return gb_fail(err, GB_EUSAGE, "--resume needs the records in -o PREFIX");
	if (side_open(t, &side[0], existing, err) || side_open(t, &side[1], existing, err) ||
	    plan_both(t, err) || launch_both(t, err) || gb_output_begin(&side[0].output, err) ||
	    gb_output_begin(&side[1].output, err))
		return err->code; /* without a launch, --overwrite removes the old records, too */
	return gb_compare_and_print(&o->compare, t->looks, &side[0].records, side[0].name,
				    &side[1].records, side[1].name, err);
}

enum gb_status gb_cmd_ab(int argc, char **argv, struct gb_error *err)
{
	struct options options;
	struct trial trial = { .options = &options };
	enum gb_status status = GB_OK;
	int own = 0;
	struct gb_arguments a = {
		.words = "NAME=PROGRAM NAME=PROGRAM -- ARGUMENT...",
		.summary = "Launch two builds of gpubench in turn with the same arguments and "
			   "compare their records until every key is decided: exit status 1 if "
			   "something became slower or failed, 6 if too little could be decided.",
		.row = rows,
		.row_count = GB_COUNT(rows),
		.target = &options,
		.target_size = sizeof options,
	};

	while (own < argc && !gb_equal(argv[own], "--"))
		own++;
	if (gb_arguments_parse(&a, own, argv, err) || a.done || read_sides(trial.side, &a, err))
		goto out;
	if (own + 1 >= argc) {
		gb_fail(err, GB_EUSAGE, "ab needs the benchmark's arguments after --");
		goto out;
	}
	trial.word = argv + own + 1;
	trial.words = (size_t)(argc - own - 1);
	while (trial.looks < GB_GATE_LOOKS &&
	       gb_gate_looks[trial.looks] <= (size_t)options.repetitions)
		trial.looks++;
	if (!gb_read_budget(options.budget ? options.budget : "15m", &options.budget_s, err))
		status = judge(&trial, err);
out:
	gb_comparison_release(&trial.comparison);
	side_release(&trial.side[0], err);
	side_release(&trial.side[1], err);
	gb_arguments_release(&a);
	return err->code ? err->code : status;
}
