/* judge.c -- `gpubench judge BENCHMARK --plugin=FILE.so...`: a verdict on each variant of plug-ins,
 * for a machine that receives kernels.
 *
 * Each file is judged in a process of its own, so that files may have variants of the same name and
 * a bad one does not stop the others.  This process checks the variants at the benchmark's check
 * points and again at random sizes, on inputs of a secret seed.  Then it launches itself to measure
 * those that passed: once beside all others, to find the fastest at each point, then several times
 * beside these only.  An interval needs launches, and the choice of a rival must not depend on the
 * times that it is compared by.  Each phase has a share of --budget.  The source of a file, if it
 * is given, is tried in the executors (executors.h); an executor that judges checks only.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/commands/commands.h"
#include "cli/commands/executors.h"
#include "cli/commands/options.h"
#include "cli/measuring/launches.h"
#include "cli/measuring/runner.h"
#include "cli/measuring/session.h"
#include "cli/plugins/load.h"
#include "cli/plugins/sha256.h"
#include "cli/reports/judgement.h"
#include "cli/workloads/registry.h"
#include "common/secret.h"
#include "common/text.h"
#include "common/timer.h"

enum {
	MOST = 32,   /* variants of a file */
	STRIKES = 3, /* wrong results that end the check of a variant; one crash does, too */
};
/* Shares of the time that is left; SOURCE_SHARE for each program that tries the source.  The last
 * is a share of all the time, for a checked point, and counts if it is more than 10 s. */
static const double CHECK_SHARE = 0.5, SOURCE_SHARE = 0.1, SCOUT_SHARE = 0.25, CHECK_LIMIT = 0.02;

struct options {
	struct gb_request request; /* first: see gb_options_parse() */
	const char *plugin, *source;
	const char *only;      /* in the process of a file: the file */
	struct gb_source from; /* and its source; without a path: none was given */
	const char *measure;   /* in a launch: --max-time, request.until_ns, globs */
	double budget_s, timeout_s;
	int64_t launches, memory_bytes;
};

#define AT(type, member) GB_AT(type, struct options, member)
static const struct gb_param rows[] = {
	{ .name = "plugin",
	  AT(GB_PATH, plugin),
	  .unit = "FILE.so,...",
	  .help = "judge the variants of these shared objects, each file by itself" },
	{ .name = "source",
	  AT(GB_PATH, source),
	  .unit = "FILE.cu,...",
	  .help = "the source of each file, or nothing: check it in the emulator and count" },
	{ .name = "budget",
	  AT(GB_FLOAT, budget_s),
	  .initial = "300",
	  .low = 0.1,
	  .high = 86400,
	  .unit = "seconds",
	  .help = "start nothing later than X seconds after a file's first run" },
	{ .name = "launches",
	  AT(GB_INT, launches),
	  .initial = "6",
	  .min = 1,
	  .max = 1000,
	  .help = "launches that times are taken from; a ratio has an interval from 4" },
	{ .name = "timeout",
	  AT(GB_FLOAT, timeout_s),
	  .initial = "60",
	  .low = 0.001,
	  .high = 1e6,
	  .unit = "seconds",
	  .help = "end any single measurement after X seconds" },
	{ .name = "memory",
	  AT(GB_INT, memory_bytes),
	  .initial = "0",
	  .max = INT64_MAX,
	  .unit = "bytes",
	  .help = "memory that the process of a plug-in may use (0: no limit)" },
	{ .name = "only", AT(GB_PATH, only), .hidden = true, .help = "judge this file" },
	{ .name = "from", AT(GB_PATH, from.path), .hidden = true, .help = "its source" },
	{ .name = "measure", AT(GB_PATH, measure), .hidden = true, .help = "be a launch" },
};
#undef AT

/* The judging of a file. */
struct court {
	struct options *options;
	const struct gb_workload *workload;
	const struct gb_sweep *points; /* NULL: those of the preset */
	struct gb_session session;
	struct gb_judgement judgement[MOST];
	size_t count;
	int64_t seed;
	uint64_t drawn;                 /* random numbers so far */
	bool at_random;                 /* the check is at random sizes */
	const struct gb_choice *choice; /* for the next launch */
	size_t runs;                    /* measurements of it */
	double end_ns;
	char own[GB_MAX_WORDS][96], glob[GB_MAX_WORDS][96];
	struct gb_records found, records; /* from the first launch; from others */
	int argc;
	char **argv;
};

/* Add a glob to the choice, whose texts are in `room`. */
static void add_words(char (*room)[96], struct gb_choice *choice, const char *sign,
		      const char *backend, const char *name)
{
	const size_t count = choice->glob_count;
	size_t i = 0;

	if (count == GB_MAX_WORDS)
		return;
	(void)snprintf(room[count], sizeof *room, "%s%s/%s", sign, backend, name);
	choice->glob[count] = room[count];
	while (!gb_equal(choice->glob[i], room[count]))
		i++;
	choice->glob_count += i == count;
}

static void add_glob(char (*room)[96], struct gb_choice *choice, const char *sign,
		     const struct gb_variant *variant)
{
	add_words(room, choice, sign, gb_backends[variant->backend]->name, variant->name);
}

/* The end of a phase that has a share of the time that is left. */
static double share(const struct court *court, double fraction)
{
	const double now_ns = gb_now_ns();

	return now_ns + fmax(court->end_ns - now_ns, 0) * fraction;
}

/* ---- the check ---------------------------------------------------------------------------- */

/* Only variants that are judged are checked. */
static struct gb_judgement *judgement_of(struct court *court, const struct gb_variant *variant)
{
	size_t i = 0;

	while (court->judgement[i].variant != variant)
		i++;
	return &court->judgement[i];
}

static bool is_executor(const struct gb_judgement *judgement)
{
	return gb_is_emulated(judgement->variant->backend);
}

static void check_one(void *self, struct gb_result *r, void *input, struct gb_error *err)
{
	struct court *court = self;
	struct gb_judgement *judgement = judgement_of(court, r->variant);
	struct gb_settings how = court->options->request.how;
	const bool emulated = is_executor(judgement);

	how.timeout_s =
		emulated ? fmax((court->end_ns - gb_now_ns()) / 1e9, 0.1)
			 : fmin(how.timeout_s, fmax(court->options->budget_s * CHECK_LIMIT, 10));
	if (judgement->crashed || judgement->failed >= STRIKES)
		return;
	if (!r->code)
		(void)gb_run(r, input, &how, false, err);
	/* An emulator is slow, and finds a hang itself. */
	if (!err->code && !(emulated && strncmp(r->reason, "time-out", 8) == 0))
		gb_judge_check(judgement, r);
}

/* Check all variants at the points of a line of the benchmark's check, on inputs of the secret
 * seed; at random, again, if the line has sizes. */
static enum gb_status check_line(struct court *court, const char *line, struct gb_error *err)
{
	struct gb_sweep sweep = { 0 };
	char seed[32];

	(void)snprintf(seed, sizeof seed, "%lld", (long long)court->seed);
	if (gb_sweep_words(&sweep, court->workload, line, err) ||
	    gb_sweep_set(&sweep, "seed", seed, err) ||
	    (court->at_random && !gb_sweep_draw(&sweep, (uint64_t)court->seed, &court->drawn)))
		goto out;
	for (size_t i = 0; i < court->count; i++)
		court->judgement[i].planned += gb_sweep_count(&sweep, court->judgement[i].variant);
	(void)gb_session_each(&court->session, &sweep, &court->options->request.choice, check_one,
			      court, err);
out:
	gb_sweep_release(&sweep);
	return err->code;
}

static enum gb_status check(struct court *court, struct gb_error *err)
{
	struct gb_request *request = &court->options->request;

	request->untimed = true;
	request->until_ns = share(court, is_executor(court->judgement) ? 1 : CHECK_SHARE);
	if (!gb_session_open(&court->session, request, court->argc, court->argv, err))
		for (int pass = 0; pass < 2; pass++) {
			court->at_random = pass > 0;
			for (const char *const *line = court->workload->check; *line && !err->code;
			     line++)
				(void)check_line(court, *line, err);
		}
	/* A device that is absent is the reason of a skip. */
	(void)gb_session_close(&court->session, err->code ? err : &(struct gb_error){ 0 });
	return err->code;
}

/* ---- launches ----------------------------------------------------------------------------- */

/* Pass each sweep that is timed to `take`. */
static enum gb_status each_timed(struct court *court, gb_take_sweep *take, void *self,
				 struct gb_error *err)
{
	const char *const *line = court->workload->preset[GB_QUICK];

	if (court->points)
		return take(self, court->points, err);
	for (; *line && !err->code; line++) {
		struct gb_sweep sweep = { 0 };

		if (!gb_sweep_words(&sweep, court->workload, *line, err))
			(void)take(self, &sweep, err);
		gb_sweep_release(&sweep);
	}
	return err->code;
}

/* In a launch: measure. */
static enum gb_status measure_sweep(void *self, const struct gb_sweep *sweep, struct gb_error *err)
{
	struct court *court = self;

	return gb_session_sweep(&court->session, sweep, &court->options->request.choice, err);
}

static enum gb_status measure(struct court *court, struct gb_error *err)
{
	struct gb_request *request = &court->options->request;
	char *text = strdup(court->options->measure), *rest = text, *word;
	struct gb_choice *choice = &request->choice;

	*choice = (struct gb_choice){ 0 };
	if (!text)
		return gb_out_of_memory(err, NULL);
	request->how.max_time_s = strtod(rest, &rest);
	request->until_ns = strtod(rest + 1, &rest);
	for (rest++; (word = strsep(&rest, ",")) && choice->glob_count < GB_MAX_WORDS;)
		choice->glob[choice->glob_count++] = word;
	if (!gb_session_open(&court->session, request, court->argc, court->argv, err))
		(void)each_timed(court, measure_sweep, court, err);
	(void)gb_session_close(&court->session, err);
	free(text);
	return err->code;
}

/* Count the points of each variant that is judged, and the measurements of a launch. */
static enum gb_status count_sweep(void *self, const struct gb_sweep *sweep, struct gb_error *err)
{
	struct court *court = self;

	for (size_t i = 0; i < court->count; i++)
		court->judgement[i].points_planned +=
			gb_sweep_count(sweep, court->judgement[i].variant);
	court->runs += gb_count_runs(sweep, court->choice);
	return err->code;
}

/* Launch this program to measure what the globs choose, and read its records.  Samples take half of
 * its share of the time that is left, at most most_s per measurement; the other half is for what
 * surrounds them.  If that is not enough, the launch may use half of the time that is left. */
static enum gb_status launch(struct court *court, const struct gb_choice *choice, double fraction,
			     double most_s, struct gb_records *records, struct gb_error *err)
{
	struct gb_request *request = &court->options->request;
	char **argv = calloc((size_t)court->argc + 2, sizeof *argv);
	struct gb_output output = { 0 };
	enum gb_status status;
	char *text = NULL;
	double sample_s;
	size_t size;
	FILE *stream = open_memstream(&text, &size);

	court->choice = choice;
	court->runs = 0;
	for (size_t i = 0; i < court->count; i++)
		court->judgement[i].points_planned = 0;
	(void)each_timed(court, count_sweep, court, err);
	if (!argv || !stream) {
		gb_out_of_memory(err, NULL);
		goto out;
	}
	sample_s = (share(court, fraction) - gb_now_ns()) / 2e9 / (double)(court->runs + 1);
	(void)fprintf(stream, "--measure=%.3f,%.0f", fmin(most_s, fmax(sample_s, 0.01)),
		      share(court, fmax(fraction, 0.5)));
	for (size_t i = 0; i < choice->glob_count; i++)
		(void)fprintf(stream, ",%s", choice->glob[i]);
	if (fflush(stream)) {
		gb_out_of_memory(err, NULL);
		goto out;
	}
	memcpy(argv, court->argv, (size_t)court->argc * sizeof *argv);
	argv[court->argc] = text;
	request->repeats.runs = 1;
	status = gb_launches(request, &output, court->argc + 1, argv, records, err);
	/* The launch has printed its line. */
	if (!err->code && (status == GB_EINTERRUPTED || status == GB_EUSAGE || status == GB_EIO))
		err->code = status;
out:
	if (stream)
		(void)fclose(stream);
	free(text);
	free(argv);
	return err->code;
}

static bool may_be_timed(const struct gb_judgement *j)
{
	return gb_judged_correct_so_far(j) && !is_executor(j);
}

/* Time all variants that are not from the file, on the back ends of those that are judged. */
static enum gb_status scout(struct court *court, struct gb_error *err)
{
	struct gb_choice all = { 0 };

	for (size_t i = 0; i < court->count; i++)
		if (may_be_timed(&court->judgement[i]))
			add_words(court->glob, &all, "",
				  gb_backends[court->judgement[i].variant->backend]->name, "*");
	if (all.glob_count == 0)
		return GB_OK;
	for (size_t i = 0; i < gb_variant_count; i++)
		if (gb_variants[i].plugin &&
		    gb_equal(gb_variants[i].workload, court->workload->name))
			add_glob(court->glob, &all, "!", &gb_variants[i]);
	return launch(court, &all, SCOUT_SHARE, 0.5, &court->found, err);
}

/* Choose the variants that passed the check, and their rivals at any point. */
static void choose(struct court *court, struct gb_choice *choice)
{
	for (size_t i = 0; i < court->count; i++)
		if (may_be_timed(&court->judgement[i]))
			add_glob(court->glob, choice, "", court->judgement[i].variant);
	for (size_t i = 0; i < court->found.count && choice->glob_count; i++)
		for (int peer = 0; peer < 2; peer++) {
			const struct gb_record *best =
				gb_fastest_rival(&court->found, court->found.record[i], peer);

			if (best)
				add_words(court->glob, choice, "", best->backend, best->variant);
		}
}

static enum gb_status time_all(struct court *court, struct gb_error *err)
{
	const int64_t launches = court->options->launches;
	struct gb_choice choice = { 0 };

	if (scout(court, err))
		return err->code;
	choose(court, &choice);
	/* The only launch is followed by another one if its times are suspected. */
	for (int64_t i = 0; choice.glob_count && !err->code &&
			    (i < launches || (i == 1 && gb_judge_suspects(&court->records)));
	     i++)
		if (gb_now_ns() < court->end_ns)
			(void)launch(court, &choice, 1 / (fmax((double)launches, 2) - (double)i), 5,
				     &court->records, err);
	return err->code ? err->code
			 : gb_judge_points(court->judgement, court->count, &court->found,
					   &court->records, err);
}

/* ---- a file ------------------------------------------------------------------------------- */

/* Load the file.  The variants to judge are those of the benchmark that the globs match. */
static enum gb_status load(struct court *court, const char *const *glob, size_t globs,
			   struct gb_error *err)
{
	struct gb_request *request = &court->options->request;
	const size_t ours = gb_variant_count;
	struct gb_choice chosen = { 0 };

	if (gb_plugins_load(court->options->only, true, err) ||
	    gb_choice_read(&chosen, court->workload, glob, globs, err))
		return err->code;
	for (size_t i = ours; i < gb_variant_count; i++) {
		const struct gb_variant *v = &gb_variants[i];

		if (!gb_chosen(&chosen, v))
			continue;
		if (court->count == MOST)
			return gb_fail(err, GB_EUSAGE, "%.200s: more than %d variants of %s",
				       court->options->only, MOST, court->workload->name);
		court->judgement[court->count++] =
			(struct gb_judgement){ .variant = v, .seed = court->seed };
		add_glob(court->own, &request->choice, "", v);
	}
	if (court->count == 0)
		return gb_fail(err, GB_EUSAGE, "%.200s: has no variant of %s%s",
			       court->options->only, court->workload->name,
			       globs ? " that the words match" : "");
	return GB_OK;
}

/* Print a line per variant; the worst status. */
static enum gb_status print_all(struct court *court, struct gb_error *err)
{
	struct gb_output output = { 0 };
	enum gb_status worst = GB_OK;

	(void)gb_output_open(&output, "-", GB_REFUSE, err);
	for (size_t i = 0; i < court->count && !err->code; i++) {
		cJSON *line = gb_judgement_format(&court->judgement[i]);

		worst = gb_worse(worst, gb_judgement_status(&court->judgement[i]));
		if (line)
			(void)gb_output_put(&output, line, err);
		else
			gb_out_of_memory(err, "a verdict");
		cJSON_Delete(line);
	}
	(void)gb_output_close(&output, true, err);
	return worst;
}

/* Judge a file, or be a launch of that. */
static enum gb_status judge(struct court *court, const char *const *glob, size_t globs,
			    struct gb_error *err)
{
	struct gb_source *from = &court->options->from;
	enum gb_status status = GB_OK;

	if (load(court, glob, globs, err))
		return err->code;
	if (gb_is_launch(&court->options->request) && court->options->measure)
		return measure(court, err);
	if (from->path && gb_sha256_file(from->path, from->sha256, err))
		return err->code;
	court->end_ns = gb_now_ns() + court->options->budget_s * 1e9;
	if (!check(court, err) &&
	    !gb_try_source(from, court->seed, share(court, SOURCE_SHARE) - gb_now_ns(),
			   court->judgement, court->count, err) &&
	    !time_all(court, err))
		status = print_all(court, err);
	for (size_t i = 0; i < court->count; i++)
		gb_judgement_release(&court->judgement[i]);
	gb_records_release(&court->found);
	gb_records_release(&court->records);
	return err->code ? err->code : status;
}

/* ---- all files ---------------------------------------------------------------------------- */

/* The number of names in a list of them. */
static size_t count_names(const char *list)
{
	size_t count = 1;

	for (; *list; list++)
		count += *list == ',';
	return count;
}

/* Launch this program for a file; its exit status. */
static enum gb_status judge_file(char **word, const char *file, int length, struct gb_error *err)
{
	int status;

	if (!gb_launch("/proc/self/exe", word, 0, NULL, &status, err) && status > 128 &&
	    status != GB_EINTERRUPTED) {
		(void)fprintf(stderr, "gpubench: the judge of %.*s was ended by signal %d\n",
			      length, file, status - 128);
		status = GB_ERUNTIME;
	}
	return (enum gb_status)status;
}

/* Launch this program for each file; the worst status.  `from` lists their sources, or is NULL. */
static enum gb_status judge_each(const char *files, const char *from, int argc, char **argv,
				 struct gb_error *err)
{
	static char name[] = "gpubench";
	const size_t count = count_names(files);
	char **word = calloc((size_t)argc + 4, sizeof *word);
	enum gb_status worst = GB_OK;

	if (!word)
		return gb_out_of_memory(err, NULL);
	word[0] = name;
	memcpy(word + 1, argv, (size_t)argc * sizeof *word);
	if (!*files || *files == ',' || strstr(files, ",,") || files[strlen(files) - 1] == ',')
		gb_fail(err, GB_EUSAGE, "--plugin: expects files, separated by commas");
	if (from && count_names(from) != count)
		gb_fail(err, GB_EUSAGE, "--source: must name as many files as --plugin, %zu",
			count);
	for (size_t i = 0; i < count && !err->code && worst != GB_EINTERRUPTED; i++) {
		const int length = (int)strcspn(files, ",");
		const int own = from ? (int)strcspn(from, ",") : 0;
		char **more = word + argc + 1;

		more[1] = NULL;
		if (asprintf(&more[0], "--only=%.*s", length, files) < 0 ||
		    (own && asprintf(&more[1], "--from=%.*s", own, from) < 0)) {
			gb_out_of_memory(err, NULL);
			break;
		}
		worst = gb_worse(worst, judge_file(word, files, length, err));
		free(more[0]);
		free(more[1]);
		files += length + 1;
		from += from ? own + 1 : 0;
	}
	free(word);
	return err->code ? err->code : worst;
}

/* True if a parameter was given, other than the seed. */
static bool has_points(const struct gb_sweep *sweep, int64_t *seed)
{
	bool any = false;

	for (size_t i = 0; i < sweep->workload->param_count; i++) {
		const bool is_seed = gb_equal(sweep->axis[i].param->name, "seed");

		if (is_seed && sweep->axis[i].given)
			*seed = sweep->axis[i].value[0].i;
		any = any || (sweep->axis[i].given && !is_seed);
	}
	return any;
}

enum gb_status gb_cmd_judge(int argc, char **argv, struct gb_error *err)
{
	static const struct gb_rows *const shared[] = { &gb_rows_device, NULL };
	static struct options options;
	static struct court court;
	struct gb_sweep sweep = { 0 };
	struct gb_arguments a = {
		.words = "BENCHMARK [VARIANT-GLOB...]",
		.summary =
			"Judge the variants of plug-ins and print a JSON line for each: correct, "
			"honest, and how fast beside the fastest variant and library here.",
		.shared = shared,
		.row = rows,
		.row_count = GB_COUNT(rows),
		.target = &options,
		.target_size = sizeof options,
		.sweep = &sweep,
	};
	enum gb_status status = GB_OK;

	(void)unsetenv("GPUBENCH_PLUGINS"); /* only the named files are judged */
	for (int i = 1; i < argc && !a.workload; i++)
		a.workload = gb_workload_find(argv[i]);
	if (gb_options_parse(&a, argc, argv, err) || a.done)
		goto out;
	if (a.word_count == 0 || !gb_workload_find(a.word[0])) {
		gb_fail(err, GB_EUSAGE,
			"judge needs a benchmark, then globs: judge radix cpu/mine");
		goto out;
	}
	options.request.how.timeout_s = options.timeout_s;
	options.request.how.memory_bytes = options.memory_bytes;
	court.options = &options;
	court.workload = a.workload;
	court.seed = (int64_t)(gb_secret() >> 16);
	court.points = has_points(&sweep, &court.seed) ? &sweep : NULL;
	court.argc = argc;
	court.argv = argv;
	if (options.only)
		status = judge(&court, a.word + 1, a.word_count - 1, err);
	else if (options.plugin)
		status = judge_each(options.plugin, options.source, argc, argv, err);
	else
		gb_fail(err, GB_EUSAGE, "judge needs --plugin=FILE.so");
	if (options.only && *err->message && !strstr(err->message, options.only)) {
		const struct gb_error said = *err;

		*err = (struct gb_error){ 0 };
		gb_fail(err, said.code, "%.200s: %s", options.only, said.message);
	}
out:
	gb_sweep_release(&sweep);
	gb_arguments_release(&a);
	return err->code ? err->code : status;
}
