/* ab.c -- `gpubench ab A=BIN B=BIN -- ARGS`: launches two builds in turn, then compares them.
 *
 * A machine's speed can drift by more than the difference between two builds, and a disturbance can
 * be in step with any fixed order.  Sides are therefore launched in random order, equally often up
 * to each look (gate.h).  With --aa both sides are the first build: any difference found is noise
 * of the machine.
 *
 * At each look the launches are compared.  Further ones measure only the keys that are still unsure
 * (orders.h), until there are none, or --launches or --budget are spent.
 *
 * The records of a launch are appended to a file of JSON lines in one write when it ends, so a kill
 * loses only the launch under way.  A launch whose lines were cut off is dropped.
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
#include "cli/commands/compare_options.h"
#include "cli/measuring/launches.h"
#include "cli/measuring/orders.h"
#include "cli/records/output.h"
#include "common/secret.h"
#include "common/text.h"
#include "common/timer.h"

struct options {
	struct gb_compare_options compare; /* first: see GB_COMPARE_ROWS */
	int64_t launches, peers, aa, quiet, overwrite, resume, dry_run;
	const char *budget, *output;
	double budget_ns;
};

#define AT(type, member) GB_AT(type, struct options, member)
static const struct gb_param rows[] = {
	{ .name = "launches",
	  AT(GB_INT, launches),
	  .initial = "160",
	  .min = 1,
	  .max = GB_GATE_MOST,
	  .help = "launch each build at most N times; a verdict needs at least 4" },
	{ .name = "budget",
	  AT(GB_PATH, budget),
	  .unit = "TIME",
	  .help = "start no launches after this time [15m]; units: s, m, h" },
	{ .name = "peers",
	  AT(GB_FLAG, peers),
	  .help = "also measure libraries; by default only those that are named" },
	{ .name = "aa", AT(GB_FLAG, aa), .help = "compare the first build with itself" },
	{ .name = "dry-run",
	  AT(GB_FLAG, dry_run),
	  .help = "list what a launch measures and how long the first eight would take" },
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

/* The arguments of each launch, and the keys that no further launch measures. */
struct task {
	char *const *word; /* arguments */
	size_t words;
	struct gb_orders orders;
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

/* True if the run had these arguments, and after them -q and the name of its output. */
static bool has_words(const struct gb_run *run, const struct task *task)
{
	if (run->argv.count != task->words + 2)
		return false;
	for (size_t i = 0; i < task->words; i++)
		if (!gb_equal(run->argv.text[i], task->word[i]))
			return false;
	return true;
}

/* Drop the last launch, which was cut off; it is launched again. */
static void drop_last_launch(struct side *side)
{
	if (side->records.run_count)
		gb_records_remove_run(&side->records, side->records.run_count - 1);
	side->output.keep_bytes = side->records.last_run_bytes;
}

/* Open PREFIX.NAME.jsonl before the first launch.  GB_RESUME: read the launches that it holds; they
 * must have had the same arguments.  A NULL prefix opens nothing. */
static enum gb_status side_open(struct side *side, const char *prefix, enum gb_existing existing,
				const struct task *task, struct gb_error *err)
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
	for (size_t i = 0; i < side->records.run_count; i++)
		if (!has_words(side->records.run[i], task))
			return gb_fail(err, GB_EUSAGE,
				       "--resume: %s has launches with other arguments",
				       side->path);
	return GB_OK;
}

/* Fail unless the launch is a single run with the setup of the resumed ones. */
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
	return gb_resume_check("--resume", before, side->path, launch->run[0], "", err);
}

/* True if the record is a library that was not asked for. */
static bool is_omitted_peer(const struct task *task, const struct gb_record *record)
{
	for (size_t i = 0; i < gb_variant_count; i++) {
		const struct gb_variant *v = &gb_variants[i];

		if (gb_equal(v->workload, record->bench) && gb_equal(v->name, record->variant) &&
		    gb_equal(gb_backends[v->backend]->name, record->backend))
			return gb_omits_variant(&task->orders, v, (const char *const *)task->word,
						task->words);
	}
	return false;
}

/* Spare the next launches the measurement of copy bandwidth. */
static void note_bandwidths(struct task *task, const struct gb_records *launch)
{
	for (size_t i = 0; i < launch->count; i++) {
		const struct gb_record *r = launch->record[i];
		const double threads = r->threads > 0 ? r->threads : 0;
		const struct gb_copy copy = { gb_backend_named(r->backend), (int)threads,
					      r->copy_bytes_per_s };

		if (copy.backend != GB_BACKENDS)
			gb_orders_copy(&task->orders, copy);
	}
}

/* Remove the records that a build without orders.h measured in vain. */
static void remove_omitted(const struct task *task, struct gb_records *launch)
{
	for (size_t i = launch->count; i-- > 0;)
		if (gb_omits_key(&task->orders, launch->record[i]->key) ||
		    is_omitted_peer(task, launch->record[i]))
			gb_records_remove(launch, i);
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

/* Fail unless the launch wrote records, if only of results that failed or are doubtful. */
static enum gb_status check_exit(const struct side *side, int status, const char *file,
				 struct gb_error *err)
{
	const bool known = status <= GB_EUNDECIDED, ends = status == GB_EUSAGE || status == GB_EIO;
	enum gb_status code = known ? (enum gb_status)status : GB_ERUNTIME;
	struct stat info;

	if (status == GB_EINTERRUPTED)
		return gb_fail(err, GB_EINTERRUPTED, "interrupted");
	if (status > 128)
		return gb_fail(err, GB_ERUNTIME, "%s: ended by signal %d", side->name,
			       status - 128);
	if (!known || ends)
		return gb_fail(err, code, "%s: exit status %d", side->name, status);
	if (code != GB_EUNAVAILABLE && code != GB_ERUNTIME)
		code = GB_EUSAGE; /* it was not asked to measure, or cannot */
	return stat(file, &info) || info.st_size > 0
		       ? GB_OK
		       : gb_fail(err, code, "%s: no records, exit status %d", side->name, status);
}

static enum gb_status read_launch(struct side *side, struct task *task, int status,
				  const char *file, struct gb_error *err)
{
	struct gb_records launch = { 0 };

	if (check_exit(side, status, file, err))
		return err->code;
	if (!gb_records_read(file, &launch, err) && !check_launch(side, &launch, err)) {
		note_bandwidths(task, &launch);
		remove_omitted(task, &launch);
		(void)take_launch(side, &launch, err);
	}
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

/* Launch the program with the task's words and an output of its own; read the records. */
static enum gb_status launch_into(struct side *side, struct task *task, FILE *orders,
				  const char *file, struct gb_error *err)
{
	char *output, quiet[] = "-q", name[] = "gpubench";
	char **argv = calloc(task->words + 4, sizeof *argv);
	int status = 0;

	if (asprintf(&output, "--output=%s", file) < 0)
		output = NULL;
	if (!argv || !output) {
		gb_out_of_memory(err, NULL);
	} else {
		argv[0] = name;
		memcpy(argv + 1, task->word, task->words * sizeof *argv);
		argv[task->words + 1] = quiet;
		argv[task->words + 2] = output;
		if (!gb_launch(side->program, argv, fileno(orders), NULL, &status, err))
			(void)read_launch(side, task, status, file, err);
	}
	free(output);
	free(argv);
	return err->code;
}

/* Launch the program once more and take its records.  GB_EUSAGE if the program rejects the
 * arguments, if it did not write exactly one run, or if the resumed launches have another setup. */
static enum gb_status side_launch(struct side *side, struct task *task, struct gb_error *err)
{
	struct gb_orders given = task->orders;
	char *file = NULL;
	FILE *orders;

	if (side->launches == 0) /* each build measures the bandwidth once */
		given.copies = 0;
	orders = gb_orders_give(&given, err);
	if (orders && !make_temporary(&file, err)) {
		(void)launch_into(side, task, orders, file, err);
		(void)remove(file);
	}
	(void)unsetenv(GB_ORDERS_VARIABLE);
	if (orders)
		(void)fclose(orders);
	free(file);
	return err->code;
}

/* --dry-run: let the build plan the launches of both sides up to the first look. */
static enum gb_status plan(const struct side *side, const struct task *task, enum gb_status *status,
			   struct gb_error *err)
{
	char name[] = "gpubench", dry[] = "--dry-run", runs[32];
	char **argv = calloc(task->words + 4, sizeof *argv);
	FILE *orders = argv ? gb_orders_give(&task->orders, err) : NULL;
	int got = 0;

	if (!argv)
		return gb_out_of_memory(err, NULL);
	(void)snprintf(runs, sizeof runs, "--runs=%d", 2 * GB_LAUNCHES);
	argv[0] = name;
	memcpy(argv + 1, task->word, task->words * sizeof *argv);
	argv[task->words + 1] = dry;
	argv[task->words + 2] = gb_equal(task->word[0], "repro") ? NULL : runs;
	if (orders) {
		(void)gb_launch(side->program, argv, fileno(orders), NULL, &got, err);
		(void)fclose(orders);
	}
	*status = (enum gb_status)got;
	(void)unsetenv(GB_ORDERS_VARIABLE);
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

/* The launches of both sides. */
struct trial {
	struct side *side;
	const struct options *options;
	struct task task;
	size_t open;   /* keys that are still unsure */
	size_t looked; /* launches a side at the last look */
	double began,
		launch; /* in ns: when the first launch began, and how long the last one took */
};

static void show_launch(const struct trial *t, const char *name)
{
	const int64_t launch = t->side[0].launches + t->side[1].launches + 1;

	(void)fprintf(stderr, "\r\033[Klaunch %" PRId64 " of at most %" PRId64 ", ", launch,
		      2 * t->options->launches);
	if (t->open)
		(void)fprintf(stderr, "%zu keys open, ", t->open);
	gb_text_print(stderr, name);
}

static enum gb_status init_comparison(struct gb_comparison *c, const struct options *options,
				      struct gb_error *err)
{
	if (!gb_compare_init(c, &options->compare, err))
		c->gate.most = (size_t)options->launches;
	return err->code;
}

/* Compare the launches so far; further ones omit the keys that are decided. */
static enum gb_status decide(struct trial *t, struct gb_error *err)
{
	struct gb_comparison c;

	if (init_comparison(&c, t->options, err))
		return err->code;
	(void)gb_compare(&c, &t->side[0].records, &t->side[1].records, err);
	t->open = c.verdicts[GB_UNSURE];
	for (size_t i = 0; i < c.count && !err->code; i++)
		if (c.change[i].verdict != GB_UNSURE &&
		    !gb_omits_key(&t->task.orders, c.change[i].key))
			(void)gb_orders_omit(&t->task.orders, c.change[i].key, err);
	gb_comparison_release(&c);
	return err->code;
}

/* The launches a side at the last look that the launches reach; 0 if there is none. */
static size_t look_reached(const struct gb_gate *gate, size_t launches)
{
	size_t reached = 0;

	for (size_t i = 0; gb_gate_look(gate, i) && gb_gate_look(gate, i) <= launches; i++)
		reached = gb_gate_look(gate, i);
	return reached;
}

/* True if no more launches are to be made: every key is decided, all are made, or the next look is
 * not expected within the budget. */
static bool is_over(struct trial *t, struct gb_error *err)
{
	const struct gb_gate gate = { .most = (size_t)t->options->launches };
	const size_t a = (size_t)t->side[0].launches, b = (size_t)t->side[1].launches;
	const size_t both = a < b ? a : b, reached = look_reached(&gate, both);
	const size_t look = gb_gate_next_look(&gate, both);
	const size_t end = look ? look : gate.most;
	double left;

	if (reached > t->looked && (decide(t, err) || !t->open))
		return true;
	t->looked = reached;
	if (a >= end && b >= end)
		return true;
	left = (double)(end > a ? end - a : 0) + (double)(end > b ? end - b : 0);
	if (gb_now_ns() - t->began + left * t->launch <= t->options->budget_ns)
		return false;
	(void)fprintf(stderr,
		      "gpubench: --budget ends here: the next look is %.0f launches away, of about "
		      "%.3g s each\n",
		      left, t->launch * 1e-9);
	return true;
}

static enum gb_status launch_both(struct trial *t, struct gb_error *err)
{
	const bool show = !t->options->quiet && isatty(STDERR_FILENO);
	const struct gb_gate gate = { .most = (size_t)t->options->launches };

	t->began = gb_now_ns();
	while (!err->code && !is_over(t, err)) {
		struct side *next =
			&t->side[gb_gate_next_side(&gate, (size_t)t->side[0].launches,
						   (size_t)t->side[1].launches, gb_secret())];
		const double start = gb_now_ns();

		if (show)
			show_launch(t, next->name);
		(void)side_launch(next, &t->task, err);
		if (show)
			(void)fputs("\r\033[K", stderr);
		t->launch = gb_now_ns() - start;
	}
	return err->code;
}

/* Read --budget: a number with one of the units s, m and h, or none for seconds. */
static enum gb_status read_budget(struct options *options, struct gb_error *err)
{
	const char *text = options->budget ? options->budget : "15m";
	char *unit;
	const double number = strtod(text, &unit);
	const double seconds = gb_equal(unit, "h") ? 3600 : gb_equal(unit, "m") ? 60 : 1;

	if (*text < '0' || *text > '9' || strspn(unit, "smh") != strlen(unit) || strlen(unit) > 1 ||
	    !(number * seconds <= 1e6))
		return gb_fail(err, GB_EUSAGE,
			       "--budget=%.40s: must be a time, such as 90s, 15m or "
			       "2h, of at most 1e6 s",
			       text);
	options->budget_ns = number * seconds * 1e9;
	return GB_OK;
}

/* Read NAME=PROGRAM for both sides; with --aa the first is used twice. */
static enum gb_status read_sides(struct side *side, const struct gb_arguments *a, bool aa,
				 struct gb_error *err)
{
	size_t used;

	if (a->word_count < 1 || a->word_count > 2 || (a->word_count == 1 && !aa))
		return gb_fail(err, GB_EUSAGE,
			       "ab needs two builds, NAME=PROGRAM NAME=PROGRAM, or one with --aa");
	if (side_read(&side[0], a->word[0], err) || side_read(&side[1], a->word[aa ? 0 : 1], err))
		return err->code;
	used = strnlen(side[1].name, 56);
	if (aa)
		(void)snprintf(side[1].name + used, sizeof side[1].name - used, "-again");
	if (gb_equal(side[0].name, side[1].name))
		return gb_fail(err, GB_EUSAGE, "both builds are called %s", side->name);
	return GB_OK;
}

/* Open the files of both sides before the first launch. */
static enum gb_status open_sides(struct side *side, const struct options *options,
				 const struct task *task, struct gb_error *err)
{
	const enum gb_existing existing = options->resume      ? GB_RESUME
					  : options->overwrite ? GB_OVERWRITE
							       : GB_REFUSE;

	if (options->resume && options->overwrite)
		return gb_fail(err, GB_EUSAGE, "--resume and --overwrite exclude each other");
	if (options->resume && !options->output)
		return gb_fail(err, GB_EUSAGE, "--resume needs the records in -o PREFIX");
	(void)side_open(&side[0], options->output, existing, task, err);
	return err->code ? err->code : side_open(&side[1], options->output, existing, task, err);
}

/* Launch both sides, compare, print, and return the status. */
static enum gb_status judge(struct trial *t, struct gb_error *err)
{
	const struct options *options = t->options;
	struct side *side = t->side;
	struct gb_comparison c;

	if (init_comparison(&c, options, err) || open_sides(side, options, &t->task, err) ||
	    launch_both(t, err))
		return err->code;
	return gb_compare_and_print(&options->compare, &c, &side[0].records, side[0].name,
				    &side[1].records, side[1].name, err);
}

enum gb_status gb_cmd_ab(int argc, char **argv, struct gb_error *err)
{
	struct options options;
	struct side side[2] = { 0 };
	struct trial trial = { .side = side, .options = &options };
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
	if (gb_arguments_parse(&a, own, argv, err) || a.done)
		goto out;
	if (read_sides(side, &a, options.aa != 0, err))
		goto out;
	if (own + 1 >= argc) {
		gb_fail(err, GB_EUSAGE, "ab needs the benchmark's arguments after --");
		goto out;
	}
	trial.task = (struct task){ argv + own + 1,
				    (size_t)(argc - own - 1),
				    { .without_peers = !options.peers } };
	if (options.dry_run)
		(void)plan(&side[1], &trial.task, &status, err);
	else if (!read_budget(&options, err))
		status = judge(&trial, err);
out:
	gb_orders_release(&trial.task.orders);
	side_release(&side[0], err);
	side_release(&side[1], err);
	gb_arguments_release(&a);
	return err->code ? err->code : status;
}
