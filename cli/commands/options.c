/* options.c -- the option rows of the commands that measure, and the checks between options. */
#include "cli/commands/options.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/benchmarks/registry.h"
#include "cli/benchmarks/value.h"
#include "cli/measure/stopping.h"
#include "cli/plugins/load.h"
#include "common/devices.h"
#include "common/nvml.h"
#include "common/text.h"

static const char *const resumes[] = { "no", "same", "any", NULL };
static const char *const verified[] = { "some", "all", "no", NULL }; /* enum gb_verify */
static const char *const presets[] = { "quick", "ci", "paper", "large", NULL };
_Static_assert(GB_COUNT(resumes) == GB_RESUME_ANY + 2, "a word for each enum gb_resume");
_Static_assert(GB_COUNT(presets) == GB_PRESETS + 1, "a word for each enum gb_preset");

#define AT(type, member) GB_AT(type, struct gb_request, member)

static const struct gb_param settings_rows[] = {
	{ .name = "samples",
	  AT(GB_INT, how.samples),
	  .initial = "0",
	  .max = 1000000,
	  .help = "take exactly N samples (0: until the stopping rule ends sampling)" },
	{ .name = "warmup",
	  AT(GB_INT, how.warmup),
	  .initial = "2",
	  .max = 10000,
	  .help = "do N warm-up runs before the first sample" },
	{ .name = "warmup-time",
	  AT(GB_FLOAT, how.warmup_time_s),
	  .initial = "0",
	  .high = 86400,
	  .unit = "seconds",
	  .help = "warm up for X seconds at least and, on a GPU, until its clock and temperature "
		  "have been steady for X seconds; at most for 10 X or half of --timeout" },
	{ .name = "min-samples",
	  AT(GB_INT, how.min_samples),
	  .initial = "10",
	  .min = 1,
	  .max = GB_MAX_SAMPLES,
	  .help = "stopping rule: take at least N samples" },
	{ .name = "max-time",
	  AT(GB_FLOAT, how.max_time_s),
	  .initial = "5",
	  .high = 86400,
	  .unit = "seconds",
	  .help = "stopping rule: sample for at least X/10 and, after --min-samples, at most X "
		  "seconds; stop early if X would not suffice to converge" },
	{ .name = "rel-ci",
	  AT(GB_FLOAT, how.rel_ci),
	  .initial = "0.01",
	  .high = 1,
	  .help = "stopping rule: stop once half the 95 % confidence interval of the median is at "
		  "most X times the median" },
	{ .name = "timeout",
	  AT(GB_FLOAT, how.timeout_s),
	  .initial = "60",
	  .low = 0.001,
	  .high = 1e6,
	  .unit = "seconds",
	  .help = "end any single measurement after X seconds" },
	{ .name = "hot",
	  AT(GB_FLAG, how.hot),
	  .help = "do not evict the caches before each sample; batch short runs" },
	{ .name = "lock-clocks",
	  AT(GB_PATH, lock_clocks),
	  .bare = "base",
	  .unit = "base|max|MHZ",
	  .help = "lock the GPU's clock while measuring, without a value to its base clock; warn "
		  "if "
		  "that is not allowed" },
	{ .name = "verify",
	  AT(GB_CHOICE, how.verify),
	  .initial = "some",
	  .choices = verified,
	  .help = "samples to verify; some: the first, the last and one between; no: records "
		  "are `unverified`, and `compare` does not judge them" },
};

static const struct gb_param profile_rows[] = {
	{ .name = "profile",
	  AT(GB_FLAG, how.profile),
	  .help = "for ncu and nsys: run each variant once per point, in NVTX ranges, after the "
		  "warm-up; print no times" },
};

static const struct gb_param limits_rows[] = {
	{ .name = "hang",
	  AT(GB_FLOAT, how.hang_s),
	  .initial = "600",
	  .high = 1e6,
	  .unit = "seconds",
	  .help = "end the program, with status 4, after a single run that takes longer than X "
		  "seconds (0: never)" },
	{ .name = "memory",
	  AT(GB_INT, memory),
	  .initial = "0",
	  .max = INT64_MAX,
	  .unit = "bytes",
	  .help = "take at most N bytes of host memory, such as 16Gi, and let a file take as much "
		  "(0: what is free, and what is usual for a file of its size)" },
};

static const struct gb_param strict_rows[] = {
	{ .name = "strict",
	  AT(GB_FLAG, strict),
	  .help = "refuse a file of which something would be skipped, renumbered or ignored" },
};

static const struct gb_param backend_rows[] = {
	{ .name = "backend",
	  AT(GB_PATH, backend),
	  .unit = "cpu,cuda,vulkan",
	  .help = "select only variants of these back ends" },
};

static const struct gb_param plugin_rows[] = {
	{ .name = "plugin",
	  AT(GB_PATH, plugin),
	  .unit = "FILE.so,...",
	  .help = "add the variants of these shared objects, which must be trusted" },
};

static const struct gb_param device_rows[] = {
	{ .name = "device",
	  AT(GB_PATH, repeats.device),
	  .unit = "N|UUID",
	  .help = "use the GPU with this number [0] or UUID, or with this UUID of a MIG instance" },
};

static const struct gb_param repeats_rows[] = {
	{ .name = "device",
	  AT(GB_PATH, repeats.device),
	  .unit = "N,...|UUID,...|all",
	  .help = "use the GPU with this number [0] or UUID, or with this UUID of a MIG instance; "
		  "several run at once, cuda variants only" },
	{ .name = "repetitions",
	  AT(GB_INT, repeats.runs),
	  .initial = "1",
	  .min = 1,
	  .max = 1000,
	  .help = "launch the program N times; `compare` needs at least 4 launches" },
	{ .name = "shard",
	  AT(GB_PATH, repeats.shard),
	  .unit = "I/N",
	  .help = "do only every N-th measurement, starting with the I-th" },
};

static const struct gb_param threads_rows[] = {
	{ .name = "threads",
	  AT(GB_PATH, threads),
	  .unit = "SPEC",
	  .help = "OpenMP threads of the cpu variants, instead of each point's own" },
};

static const struct gb_param preset_rows[] = {
	{ .name = "preset",
	  AT(GB_PATH, preset),
	  .unit = "quick|ci|paper|large",
	  .help = "set of input sizes; the default is quick for `run`, paper for `repro`" },
};

static const struct gb_param budget_rows[] = {
	{ .name = "budget",
	  AT(GB_PATH, budget),
	  .unit = "TIME",
	  .help = "divide this time among the measurements, and leave out those at the end that do "
		  "not fit; units: s, m, h" },
};

static const struct gb_param output_rows[] = {
	{ .name = "overwrite",
	  AT(GB_FLAG, target.overwrite),
	  .help = "replace existing output files instead of refusing to write them" },
	{ .name = "output",
	  .letter = 'o',
	  AT(GB_PATH, target.path),
	  .unit = "FILE",
	  .help = "write JSON lines to FILE.jsonl, each as soon as it is known; -: print them to "
		  "standard output instead of the table" },
	{ .name = "resume",
	  AT(GB_CHOICE, target.resume),
	  .initial = "no",
	  .bare = "same",
	  .choices = resumes,
	  .help = "keep the records in -o FILE.jsonl and measure only what is missing or failed; "
		  "any: even if the host, build, device or cache mode differs" },
	{ .name = "quiet",
	  .letter = 'q',
	  AT(GB_FLAG, quiet),
	  .help = "print no table and no progress" },
	{ .name = "verbose",
	  .letter = 'v',
	  AT(GB_FLAG, verbose),
	  .help = "print a line to standard error as each measurement ends" },
	{ .name = "dry-run",
	  AT(GB_FLAG, dry),
	  .help = "list each measurement with the memory that it would take, and measure nothing; "
		  "with -o -, as records" },
};

static const char how_to_measure[] = "How to measure:", what_to_run[] = "What to run:";

enum {
	MEASURE = GB_OF_BENCHMARK | GB_OF_RUN | GB_OF_REPRO,
	SWEEP = GB_OF_BENCHMARK | GB_OF_RUN,
	CHOOSE = MEASURE | GB_OF_CHECK,
	ONE_DEVICE = GB_OF_CHECK | GB_OF_REPRO | GB_OF_ENV,
};

#define ROWS(name) name##_rows, GB_COUNT(name##_rows)
static const struct gb_rows groups[] = {
	{ MEASURE, how_to_measure, ROWS(settings) },
	{ SWEEP, how_to_measure, ROWS(profile) },
	{ SWEEP, how_to_measure, ROWS(budget) },
	{ CHOOSE, how_to_measure, ROWS(limits) },
	{ SWEEP, what_to_run, ROWS(strict) },
	{ CHOOSE, what_to_run, ROWS(backend) },
	{ SWEEP | GB_OF_CHECK, what_to_run, ROWS(plugin) },
	{ GB_OF_RUN | GB_OF_CHECK | GB_OF_REPRO, what_to_run, ROWS(threads) },
	{ ONE_DEVICE, what_to_run, ROWS(device) },
	{ SWEEP, what_to_run, ROWS(repeats) },
	{ GB_OF_RUN | GB_OF_REPRO, what_to_run, ROWS(preset) },
	{ MEASURE, "Output:", ROWS(output) },
	{ .count = 0 },
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

/* ---- what goes together --------------------------------------------------------------------- */

/* Read numbers, separated by commas.  A single one is how.device. */
static enum gb_status read_numbers(struct gb_request *r, struct gb_error *err)
{
	static const struct gb_param row = { .name = "device", .type = GB_INT, .max = 1023 };
	const char *at = r->repeats.device;
	struct gb_error ignored = { 0 };

	do {
		const size_t length = strcspn(at, ",");
		union gb_value value = { 0 };
		char item[64] = "";

		(void)snprintf(item, sizeof item, "%.*s", (int)length, at);
		if (gb_value_parse(&row, item, &value, &ignored))
			return gb_fail(err, GB_EUSAGE,
				       "--device=%.80s: must be numbers below 1024, UUIDs "
				       "(GPU-..., MIG-...) or all",
				       r->repeats.device);
		at += length;
		if (!*at && !r->repeats.devices)
			r->how.device = value.i;
		else if (value.i < GB_MAX_GPUS)
			r->repeats.devices |= UINT64_C(1) << value.i;
		else
			return gb_fail(err, GB_EUSAGE, "--device=%.80s: more than %d GPUs",
				       r->repeats.device, GB_MAX_GPUS);
	} while (*at++);
	return GB_OK;
}

/* Read --device: numbers, UUIDs or "all". */
static enum gb_status read_device(struct gb_request *r, bool takes_several, struct gb_error *err)
{
	const char *device = r->repeats.device;

	if (!device)
		return GB_OK;
	if (strncmp(device, "GPU-", 4) == 0 || strncmp(device, "MIG-", 4) == 0) {
		/* CUDA shows these alone, from number 0 on.  It does not number parts of a GPU. */
		if (setenv("CUDA_VISIBLE_DEVICES", device, 1))
			return gb_out_of_memory(err, NULL);
		r->repeats.devices = strchr(device, ',') ? UINT64_MAX : 0;
	} else if (gb_equal(device, "all")) {
		r->repeats.devices = UINT64_MAX;
	} else if (read_numbers(r, err)) {
		return err->code;
	}
	if (!r->repeats.devices)
		return GB_OK;
	if (!takes_several)
		return gb_fail(err, GB_EUSAGE, "--device=%.80s: this command uses one GPU", device);
	if (r->choice.backends >> GB_CPU & 1)
		return gb_fail(
			err, GB_EUSAGE,
			"--device=%.80s cannot run cpu variants, as --backend=%.80s asks for",
			device, r->backend);
	if (!r->choice.backends)
		r->choice.backends = 1U << GB_CUDA;
	return GB_OK;
}

/* Read --shard: "2/8". */
static enum gb_status read_shard(struct gb_repeats *r, struct gb_error *err)
{
	long long i, n;
	char rest;

	if (!r->shard)
		return GB_OK;
	if (sscanf(r->shard, "%lld/%lld%c", &i, &n, &rest) != 2 || i < 1 || n < i || n > 1000000)
		return gb_fail(err, GB_EUSAGE, "--shard=%.40s: must be I/N with 1 <= I <= N",
			       r->shard);
	r->shard_index = i - 1;
	r->shards = n;
	return GB_OK;
}

enum gb_status gb_read_budget(const char *text, double *seconds, struct gb_error *err)
{
	char *unit;
	const double number = strtod(text, &unit);
	const double scale = gb_equal(unit, "h") ? 3600 : gb_equal(unit, "m") ? 60 : 1;

	*seconds = number * scale;
	if (*text < '0' || *text > '9' || strspn(unit, "smh") != strlen(unit) || strlen(unit) > 1 ||
	    !(*seconds <= 1e6))
		return gb_fail(err, GB_EUSAGE,
			       "--budget=%.40s: must be a time, such as 90s, 15m or "
			       "2h, of at most 1e6 s",
			       text);
	return GB_OK;
}

/* Read --lock-clocks: a word or a number. */
static enum gb_status read_clock(struct gb_request *r, struct gb_error *err)
{
	static const struct gb_param row = { .type = GB_INT, .min = 1, .max = 100000 };
	const char *text = r->lock_clocks;
	union gb_value value = { .i = gb_equal(text, "max") ? GB_MAX_CLOCK : GB_BASE_CLOCK };
	struct gb_error ignored = { 0 };

	if (!gb_equal(text, "base") && !gb_equal(text, "max") &&
	    gb_value_parse(&row, text, &value, &ignored))
		return gb_fail(err, GB_EUSAGE,
			       "--lock-clocks=%.40s: must be base, max or a clock in MHz", text);
	r->lock_mhz = (unsigned)value.i;
	return GB_OK;
}

/* GB_EUSAGE if two options exclude each other; GB_EIO if standard output is closed or full. */
static enum gb_status check_together(struct gb_request *r, struct gb_error *err)
{
	const bool prints = !r->quiet || (r->target.path && gb_equal(r->target.path, "-"));

	/* An empty write fails if the table could not be written in the end. */
	if (prints && write(STDOUT_FILENO, "", 0) < 0)
		return gb_fail(err, GB_EIO, "cannot write to standard output: %s", strerror(errno));
	if ((r->budget && gb_read_budget(r->budget, &r->budget_s, err)) ||
	    (r->lock_clocks && read_clock(r, err)))
		return err->code;
	if (r->how.warmup_time_s > 0 && r->how.warmup_time_s > r->how.timeout_s / 2)
		return gb_fail(err, GB_EUSAGE,
			       "--warmup-time=%g is more than half of --timeout, %g s",
			       r->how.warmup_time_s, r->how.timeout_s);
	if (r->budget && (r->repeats.runs > 1 || r->repeats.devices))
		return gb_fail(err, GB_EUSAGE, "--budget excludes --repetitions and several GPUs");
	if (r->target.resume && r->target.overwrite)
		return gb_fail(err, GB_EUSAGE, "--resume and --overwrite exclude each other");
	if (r->how.profile && (r->target.path || r->repeats.runs > 1 || r->repeats.devices))
		return gb_fail(err, GB_EUSAGE,
			       "--profile writes no records: leave out --output, --repetitions and "
			       "--device=all");
	return GB_OK;
}

/* Read --backend: names separated by commas. */
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
				       "--backend=%.80s: must be a list of cpu, cuda, vulkan, each "
				       "at most once",
				       r->backend);
		r->choice.backends |= 1U << backend;
		word = word[length] ? word + length + 1 : NULL;
	}
	return GB_OK;
}

enum gb_status gb_options_parse(struct gb_arguments *arguments, int argc, char **argv,
				struct gb_error *err)
{
	struct gb_request *request = arguments->target;
	const bool has_settings = arguments->command & MEASURE;

	arguments->shared = groups;
	if (!gb_arguments_parse(arguments, argc, argv, err) && !arguments->done &&
	    (has_settings || !gb_params_init(ROWS(settings), request, 0, err)) &&
	    !read_backends(request, err) &&
	    !read_device(request, arguments->command & SWEEP, err) &&
	    !read_shard(&request->repeats, err) && !check_together(request, err))
		(void)gb_plugins_load(request->plugin, err);
	return err->code;
}

/* ---- benchmarks --------------------------------------------------------------------------- */

enum gb_status gb_check_threads(const struct gb_request *request, struct gb_error *err)
{
	struct gb_sweep sweep = { 0 };

	if (!gb_sweep_init(&sweep, *gb_benchmarks, err))
		(void)gb_sweep_override(&sweep, "threads", request->threads, err);
	gb_sweep_release(&sweep);
	return err->code;
}

/* Override the parameters of a sweep by those of the command line. */
static enum gb_status override(struct gb_sweep *sweep, const struct gb_request *request,
			       struct gb_error *err)
{
	const struct gb_overrides *list = &request->overrides;

	(void)gb_sweep_override(sweep, "threads", request->threads, err);
	for (size_t i = 0; i < list->count && !err->code; i++)
		(void)gb_sweep_yield(sweep, list->item[i].name, err);
	for (size_t i = 0; i < list->count && !err->code; i++)
		(void)gb_sweep_override(sweep, list->item[i].name, list->item[i].spec, err);
	return err->code;
}

static enum gb_status check_overrides(const struct gb_request *request, struct gb_error *err)
{
	const struct gb_overrides *list = &request->overrides;
	bool used[GB_MAX_OVERRIDES] = { 0 };

	for (size_t i = 0; i < gb_benchmark_count && !err->code; i++) {
		const struct gb_benchmark *w = gb_benchmarks[i];
		struct gb_sweep sweep = { 0 };

		if (!gb_chosen_any(&request->choice, w))
			continue;
		for (size_t k = 0; k < list->count; k++)
			used[k] |= gb_param_find(w->params, w->param_count, list->item[k].name) !=
				   NULL;
		if (!gb_sweep_init(&sweep, w, err))
			(void) override(&sweep, request, err);
		gb_sweep_release(&sweep);
	}
	for (size_t k = 0; k < list->count; k++)
		if (!used[k])
			gb_fail(err, GB_EUSAGE, "no chosen benchmark has the parameter --%s",
				list->item[k].name);
	return err->code;
}

enum gb_status gb_choose(struct gb_request *request, const struct gb_arguments *arguments,
			 struct gb_error *err)
{
	if (gb_choice_read(&request->choice, arguments->benchmark, arguments->word,
			   arguments->word_count, err) ||
	    gb_check_threads(request, err))
		return err->code;
	if (request->repeats.device && gb_chosen_backends(&request->choice) == 1U << GB_CPU)
		return gb_fail(err, GB_EUSAGE,
			       "--device=%.80s has no effect: all chosen variants run on the CPU",
			       request->repeats.device);
	return check_overrides(request, err);
}

enum gb_status gb_each_sweep(const struct gb_request *request, enum gb_preset preset,
			     gb_take_sweep *take, void *self, struct gb_error *err)
{
	bool named = false;

	for (size_t i = 0; i < request->choice.glob_count; i++)
		named |= request->choice.glob[i][0] != '!';
	for (size_t i = 0; i < gb_benchmark_count; i++) {
		const struct gb_benchmark *w = gb_benchmarks[i];
		const char *const *line = preset == GB_PRESETS ? w->check : w->preset[preset];

		for (; gb_chosen_any(&request->choice, w) && line && *line && !err->code; line++) {
			struct gb_sweep sweep = { 0 };

			(void)gb_sweep_words(&sweep, w, *line, err);
			if (named)
				gb_sweep_name_all(&sweep);
			if (!err->code && !override(&sweep, request, err))
				(void)take(self, &sweep, err);
			gb_sweep_release(&sweep);
		}
	}
	return err->code;
}
