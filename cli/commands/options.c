#include "cli/commands/options.h"

#include <string.h>

#include "cli/measuring/stopping.h"
#include "cli/workloads/registry.h"
#include "cli/workloads/value.h"
#include "common/text.h"

static const char *const resumes[] = { "no", "same", "any", NULL };
static const char *const verified[] = { "some", "all", NULL }; /* how.verify_all */
static const char *const presets[] = { "quick", "ci", "paper", NULL };
_Static_assert(GB_COUNT(resumes) == GB_RESUME_ANY + 2, "a word for each enum gb_resume");
_Static_assert(GB_COUNT(presets) == GB_PRESETS + 1, "a word for each enum gb_preset");

#define AT(type, member) GB_AT(type, struct gb_request, member)
#define GROUP(name, heading) \
	const struct gb_rows gb_rows_##name = { heading, name##_rows, GB_COUNT(name##_rows) }

static const char how_to_measure[] = "How to measure:", what_to_run[] = "What to run:";
static const char output[] = "Output:";

static const struct gb_param how_rows[] = {
	{ .name = "samples",
	  AT(GB_INT, how.samples),
	  .initial = "0",
	  .max = 1000000,
	  .help = "take exactly N samples (0: as many as the stopping rule wants)" },
	{ .name = "warmup",
	  AT(GB_INT, how.warmup),
	  .initial = "2",
	  .max = 10000,
	  .help = "runs before the first sample" },
	{ .name = "min-samples",
	  AT(GB_INT, how.min_samples),
	  .initial = "10",
	  .min = 1,
	  .max = GB_MAX_SAMPLES,
	  .help = "stopping rule: at least N samples" },
	{ .name = "max-time",
	  AT(GB_FLOAT, how.max_time_s),
	  .initial = "5",
	  .high = 86400,
	  .unit = "seconds",
	  .help = "stopping rule: sample for at most X seconds, and for a tenth of that in any "
		  "case; less than X if X would not suffice" },
	{ .name = "rel-ci",
	  AT(GB_FLOAT, how.rel_ci),
	  .initial = "0.01",
	  .high = 1,
	  .help = "stopping rule: half the 95 % interval of the median within this share of it" },
	{ .name = "timeout",
	  AT(GB_FLOAT, how.timeout_s),
	  .initial = "60",
	  .low = 0.001,
	  .high = 1e6,
	  .unit = "seconds",
	  .help = "safety: end a variant at a point after X seconds, whatever else holds" },
	{ .name = "cold",
	  AT(GB_FLAG, how.cold),
	  .help = "evict the caches before each sample (the default)" },
	{ .name = "hot",
	  AT(GB_FLAG, how.hot),
	  .help = "leave the caches as the last sample left them; batch short runs" },
	{ .name = "verify",
	  AT(GB_CHOICE, how.verify_all),
	  .initial = "some",
	  .choices = verified,
	  .help = "samples to verify: the first, the last and one between, or all" },
	{ .name = "no-verify",
	  AT(GB_FLAG, how.no_verify),
	  .help = "do not verify results: the records are `unverified`, which `compare` refuses" },
};
GROUP(how, how_to_measure);

static const struct gb_param backend_rows[] = {
	{ .name = "backend",
	  AT(GB_PATH, backend),
	  .unit = "cpu,cuda,vulkan",
	  .help = "only variants of these back ends" },
};
GROUP(backend, what_to_run);

static const struct gb_param gpu_rows[] = {
	{ .name = "require-gpu",
	  AT(GB_FLAG, require_gpu),
	  .help = "without a usable GPU: exit status 3, nothing is run" },
};
GROUP(gpu, what_to_run);

static const struct gb_param device_rows[] = {
	{ .name = "device",
	  AT(GB_INT, how.device),
	  .initial = "0",
	  .max = 1023,
	  .help = "the GPU to use" },
};
GROUP(device, what_to_run);

static const struct gb_param repeats_rows[] = {
	{ .name = "device",
	  AT(GB_PATH, repeats.device),
	  .unit = "N|all",
	  .help = "the GPU to use [0]; all: each of them at the same time, cuda variants only" },
	{ .name = "runs",
	  AT(GB_INT, repeats.runs),
	  .initial = "1",
	  .min = 1,
	  .max = 1000,
	  .help = "start the whole program N times, as `compare` wants it" },
	{ .name = "shard",
	  AT(GB_PATH, repeats.shard),
	  .unit = "I/N",
	  .help = "only every N-th measurement, from the I-th on" },
};
GROUP(repeats, what_to_run);

static const struct gb_param threads_rows[] = {
	{ .name = "threads",
	  AT(GB_PATH, threads),
	  .unit = "SPEC",
	  .help = "OpenMP threads of the cpu variants, in place of the preset's or the table's" },
};
GROUP(threads, what_to_run);

static const struct gb_param preset_rows[] = {
	{ .name = "preset",
	  AT(GB_PATH, preset),
	  .unit = "quick|ci|paper",
	  .help = "sizes for `run` [quick] and `repro` [paper]" },
};
GROUP(preset, what_to_run);

static const struct gb_param target_rows[] = {
	{ .name = "overwrite",
	  AT(GB_FLAG, target.overwrite),
	  .help = "replace files that exist, instead of refusing to write them" },
	{ .name = "output",
	  .letter = 'o',
	  AT(GB_PATH, target.path),
	  .unit = "FILE",
	  .help = "write records to FILE.jsonl, after each point, or a page to FILE.html, at the "
		  "end; -: JSON lines on standard output instead of the table" },
};
GROUP(target, output);

static const struct gb_param progress_rows[] = {
	{ .name = "resume",
	  AT(GB_CHOICE, target.resume),
	  .initial = "no",
	  .bare = "same",
	  .choices = resumes,
	  .help = "keep the records that -o FILE.jsonl has, measure what is missing and, again, "
		  "what failed; `any`: also if they are of another host, build or device, or "
		  "hot and not cold" },
	{ .name = "quiet", .letter = 'q', AT(GB_FLAG, quiet), .help = "no table and no progress" },
	{ .name = "verbose",
	  .letter = 'v',
	  AT(GB_FLAG, verbose),
	  .help = "a line on standard error as each measurement ends" },
};
GROUP(progress, output);

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

/* A number, or "all" where records of several devices can be made. */
static enum gb_status read_device(struct gb_request *r, struct gb_error *err)
{
	const char *device = r->repeats.device;
	union gb_value value = { 0 };

	if (!device)
		return GB_OK;
	if (!gb_equal(device, "all")) {
		if (!gb_value_parse(&device_rows[0], device, &value, err))
			r->how.device = value.i;
		return err->code;
	}
	r->repeats.all_devices = true;
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
	if (r->target.resume && r->target.overwrite)
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

/* The settings have their defaults also where no option changes them. */
static enum gb_status set_defaults(const struct gb_arguments *arguments, struct gb_error *err)
{
	for (size_t i = 0; arguments->shared[i]; i++)
		if (arguments->shared[i] == &gb_rows_how)
			return GB_OK;
	return gb_params_init(how_rows, GB_COUNT(how_rows), arguments->target, 0, err);
}

enum gb_status gb_options_parse(struct gb_arguments *arguments, int argc, char **argv,
				struct gb_error *err)
{
	struct gb_request *request = arguments->target;

	if (!gb_arguments_parse(arguments, argc, argv, err) && !arguments->done &&
	    !set_defaults(arguments, err) && !check_together(request, err) &&
	    !read_backends(request, err))
		(void)read_device(request, err);
	return err->code;
}

/* ---- benchmarks --------------------------------------------------------------------------- */

enum gb_status gb_check_threads(const struct gb_request *request, struct gb_error *err)
{
	struct gb_sweep sweep = { 0 };

	if (!gb_sweep_init(&sweep, gb_workloads[0], err))
		(void)gb_sweep_threads(&sweep, request->threads, err);
	gb_sweep_release(&sweep);
	return err->code;
}

enum gb_status gb_choose(struct gb_request *request, const struct gb_arguments *arguments,
			 struct gb_error *err)
{
	return gb_choice_read(&request->choice, NULL, arguments->word, arguments->word_count, err)
		       ? err->code
		       : gb_check_threads(request, err);
}

enum gb_status gb_each_sweep(const struct gb_request *request, enum gb_preset preset,
			     gb_take_sweep *take, void *self, struct gb_error *err)
{
	for (size_t i = 0; i < gb_workload_count; i++) {
		const struct gb_workload *w = gb_workloads[i];
		const char *const *line = preset == GB_PRESETS ? w->check : w->preset[preset];

		for (; gb_chosen_any(&request->choice, w) && line && *line && !err->code; line++) {
			struct gb_sweep sweep = { 0 };

			if (!gb_sweep_words(&sweep, w, *line, err) &&
			    !gb_sweep_threads(&sweep, request->threads, err))
				(void)take(self, &sweep, err);
			gb_sweep_release(&sweep);
		}
	}
	return err->code;
}
