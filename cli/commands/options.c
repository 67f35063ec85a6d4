#include "cli/commands/options.h"

#include <string.h>

#include "cli/commands/arguments.h"
#include "cli/measuring/stopping.h"
#include "common/text.h"

static const char *const resumes[] = { "no", "same", "any", NULL };    /* enum gb_resume */
static const char *const verified[] = { "some", "all", NULL };         /* how.verify_all */
static const char *const presets[] = { "quick", "ci", "paper", NULL }; /* enum gb_preset */
/* enum gb_repro_format */
static const char *const repro_formats[] = { "table", "markdown", "latex", "json", NULL };
static const char *const env_formats[] = { "text", "json", NULL }; /* request.json */

/* What struct gb_param's `commands` holds; an option without any belongs to all that measure. */
enum { BENCH = 1, RUN = 2, CHECK = 4, REPRO = 8, ENV = 16 };
enum { SWEEPS = BENCH | RUN, MEASURES = SWEEPS | REPRO };

#define AT(member) offsetof(struct gb_request, member)

static const struct gb_param rows[] = {
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
	  .max = GB_MAX_SAMPLES,
	  .help = "stopping rule: at least N samples" },
	{ .name = "max-time",
	  .type = GB_FLOAT,
	  .offset = AT(how.max_time_s),
	  .initial = "5",
	  .low = 0,
	  .high = 86400,
	  .unit = "seconds",
	  .help = "stopping rule: sample for at most X seconds, and for a tenth of that in any "
		  "case; less than X if X would not suffice" },
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
	  .help = "safety: end a variant at a point after X seconds, whatever else holds" },
	{ .name = "cold",
	  .type = GB_FLAG,
	  .offset = AT(how.cold),
	  .help = "evict the caches before each sample (the default)" },
	{ .name = "hot",
	  .type = GB_FLAG,
	  .offset = AT(how.hot),
	  .help = "leave the caches as the last sample left them; batch short runs" },
	{ .name = "verify",
	  .type = GB_CHOICE,
	  .offset = AT(how.verify_all),
	  .initial = "some",
	  .choices = verified,
	  .help = "samples to verify: the first, the last and one between, or all" },
	{ .name = "no-verify",
	  .type = GB_FLAG,
	  .offset = AT(how.no_verify),
	  .help = "do not verify results: the records are `unverified`, which `compare` refuses" },
	{ .name = "backend",
	  .commands = MEASURES | CHECK,
	  .type = GB_PATH,
	  .offset = AT(backend),
	  .unit = "cpu,cuda,vulkan",
	  .help = "only variants of these back ends" },
	{ .name = "threads",
	  .commands = RUN | REPRO | CHECK,
	  .type = GB_PATH,
	  .offset = AT(threads),
	  .unit = "SPEC",
	  .help = "OpenMP threads of the cpu variants, in place of the preset's or the table's" },
	{ .name = "device",
	  .commands = MEASURES | CHECK | ENV,
	  .type = GB_PATH,
	  .offset = AT(device),
	  .unit = "N|all",
	  .help = "the GPU to use [0]; all: each of them at the same time, cuda variants only" },
	{ .name = "require-gpu",
	  .commands = MEASURES | CHECK | ENV,
	  .type = GB_FLAG,
	  .offset = AT(require_gpu),
	  .help = "without a usable GPU: exit status 3, nothing is run" },
	{ .name = "preset",
	  .commands = RUN | REPRO,
	  .type = GB_PATH,
	  .offset = AT(preset),
	  .unit = "quick|ci|paper",
	  .help = "sizes for `run` [quick] and `repro` [paper]" },
	{ .name = "runs",
	  .commands = SWEEPS,
	  .type = GB_INT,
	  .offset = AT(runs),
	  .initial = "1",
	  .min = 1,
	  .max = 1000,
	  .help = "start the whole program N times, as `compare` wants it" },
	{ .name = "shard",
	  .commands = SWEEPS,
	  .type = GB_PATH,
	  .offset = AT(shard),
	  .unit = "I/N",
	  .help = "only every N-th measurement, from the I-th on" },
	{ .name = "resume",
	  .commands = MEASURES,
	  .type = GB_CHOICE,
	  .offset = AT(resume),
	  .initial = "no",
	  .bare = "same",
	  .choices = resumes,
	  .help = "keep the records that -o FILE.jsonl has, measure what is missing and, again, "
		  "what "
		  "failed; `any`: also if they are of another host, build or device, or hot and "
		  "not "
		  "cold" },
	{ .name = "overwrite",
	  .commands = MEASURES | ENV,
	  .type = GB_FLAG,
	  .offset = AT(overwrite),
	  .help = "replace files that exist, instead of refusing to write them" },
	{ .name = "dry-run",
	  .commands = SWEEPS,
	  .type = GB_FLAG,
	  .offset = AT(dry_run),
	  .help = "list the points and the memory each variant would take; run nothing" },
	{ .name = "output",
	  .letter = 'o',
	  .commands = MEASURES | ENV,
	  .type = GB_PATH,
	  .offset = AT(output),
	  .unit = "FILE",
	  .help = "write records to FILE.jsonl, after each point, or a page to FILE.html, at the "
		  "end; "
		  "-: JSON lines on standard output instead of the table" },
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
	{ .name = "list",
	  .commands = REPRO,
	  .type = GB_FLAG,
	  .offset = AT(list),
	  .help = "list the tables" },
	{ .name = "set",
	  .commands = REPRO,
	  .type = GB_PATH,
	  .offset = AT(set),
	  .unit = "NAME=VALUE,...",
	  .help = "parameters over those of the table, as --set=tree=best" },
	{ .name = "from",
	  .commands = REPRO,
	  .type = GB_PATH,
	  .offset = AT(from),
	  .help = "measure nothing: look the cells up in this file of records, and in those of the "
		  "words that have a dot or a slash" },
	{ .name = "meshes",
	  .commands = REPRO,
	  .type = GB_PATH,
	  .offset = AT(meshes),
	  .unit = "FOLDER",
	  .help = "public meshes (scripts/download-meshes.sh) take the rows of their names, in "
		  "place of generated scenes" },
	{ .name = "format",
	  .letter = 'f',
	  .commands = REPRO,
	  .type = GB_CHOICE,
	  .offset = AT(format),
	  .initial = "table",
	  .choices = repro_formats,
	  .help = "what to print" },
	{ .name = "format",
	  .letter = 'f',
	  .commands = ENV,
	  .type = GB_CHOICE,
	  .offset = AT(json),
	  .initial = "text",
	  .choices = env_formats,
	  .help = "what to print; json: the run line of records, as one object" },
};

enum gb_status gb_preset_of(const struct gb_request *request, enum gb_preset otherwise,
			    enum gb_preset *preset, struct gb_error *err)
{
	static const struct gb_param row = { .name = "preset",
					     .type = GB_CHOICE,
					     .choices = presets };
	union gb_value value;

	*preset = otherwise;
	if (request->preset && !gb_value_parse(&row, request->preset, &value, err))
		*preset = (enum gb_preset)value.i;
	return err->code;
}

/* ---- which command has which ---------------------------------------------------------------- */

static const char *const takers[] = { "benchmarks", "run", "repro", "check", "env", NULL };

/* A benchmark's name is its command; "benchmarks" stands for all of them. */
static unsigned command_of(const char *name)
{
	return gb_equal(name, "run")     ? RUN
	       : gb_equal(name, "check") ? CHECK
	       : gb_equal(name, "repro") ? REPRO
	       : gb_equal(name, "env")   ? ENV
					 : BENCH;
}

static bool takes(const char *command, const struct gb_param *row)
{
	return ((row->commands ? row->commands : (unsigned)MEASURES) & command_of(command)) != 0;
}

/* A number, or "all" where records of several devices can be made. */
static enum gb_status read_device(struct gb_request *r, const char *command, struct gb_error *err)
{
	static const struct gb_param row = { .name = "device", .type = GB_INT, .max = 1023 };
	union gb_value value = { 0 };

	if (!r->device)
		return GB_OK;
	if (!gb_equal(r->device, "all")) {
		if (!gb_value_parse(&row, r->device, &value, err))
			r->how.device = value.i;
		return err->code;
	}
	r->all_devices = true;
	if (!(command_of(command) & (unsigned)SWEEPS))
		return gb_fail(err, GB_EUSAGE, "--device=all is for benchmarks and run");
	if (r->choice.backends >> GB_CPU & 1)
		return gb_fail(err, GB_EUSAGE,
			       "--device=all measures on all GPUs at the same time, and so no cpu "
			       "variants: not --backend=%.80s",
			       r->backend);
	if (!r->choice.backends)
		r->choice.backends = 1U << GB_CUDA;
	return GB_OK;
}

/* Constraints between options. */
static enum gb_status check_together(const struct gb_request *r, struct gb_error *err)
{
	if (r->how.hot && r->how.cold)
		return gb_fail(err, GB_EUSAGE, "--hot and --cold exclude each other");
	if (r->how.no_verify && r->how.verify_all)
		return gb_fail(err, GB_EUSAGE, "--no-verify and --verify=all exclude each other");
	if (r->resume && r->overwrite)
		return gb_fail(err, GB_EUSAGE, "--resume and --overwrite exclude each other");
	return GB_OK;
}

/* --backend: names, with commas between them. */
static enum gb_status read_backends(struct gb_request *r, struct gb_error *err)
{
	for (const char *word = r->backend; word;) {
		const size_t length = strcspn(word, ",");
		char name[16] = "";
		enum gb_backend backend;

		if (length < sizeof name)
			memcpy(name, word, length);
		backend = gb_backend_named(name);
		if (backend == GB_BACKENDS || r->choice.backends >> backend & 1)
			return gb_fail(err, GB_EUSAGE,
				       "--backend=%.80s: not one or several of cpu, cuda, vulkan",
				       r->backend);
		r->choice.backends |= 1U << backend;
		word = word[length] ? word + length + 1 : NULL;
	}
	return GB_OK;
}

enum gb_status gb_options_parse(struct gb_request *request, const struct gb_workload *workload,
				struct gb_sweep *sweep, const char *words, const char *summary,
				int argc, char **argv, struct gb_error *err)
{
	struct gb_arguments a = { .words = words,
				  .summary = summary,
				  .row = rows,
				  .row_count = GB_COUNT(rows),
				  .takes = takes,
				  .takers = takers,
				  .target = request,
				  .target_size = sizeof *request,
				  .workload = workload,
				  .sweep = sweep };

	if (!gb_arguments_parse(&a, argc, argv, err)) {
		request->done = a.done;
		if (a.word_count > GB_MAX_WORDS)
			gb_fail(err, GB_EUSAGE, "more than %d words", GB_MAX_WORDS);
		else
			memcpy(request->word, a.word, a.word_count * sizeof *a.word);
		request->word_count = a.word_count;
	}
	gb_arguments_release(&a);
	if (!err->code && !request->done && !check_together(request, err) &&
	    !read_backends(request, err))
		(void)read_device(request, argv[0], err);
	return err->code;
}
