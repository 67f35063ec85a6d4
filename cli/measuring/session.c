#include "cli/measuring/session.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/measuring/bandwidth.h"
#include "cli/workloads/registry.h"
#include "common/memory.h"
#include "common/text.h"
#include "common/variants.h"

/* ---- which variants ----------------------------------------------------------------------- */

bool gb_chosen(const struct gb_request *request, const struct gb_variant *variant,
	       const char *const *glob, size_t glob_count)
{
	if (request->backend && !strstr(request->backend, gb_backends[variant->backend]->name))
		return false;
	for (size_t i = 0; i < glob_count; i++)
		if (gb_variant_matches(variant, glob[i]))
			return true;
	return glob_count == 0;
}

enum gb_status gb_check_globs(const struct gb_workload *workload, const char *const *glob,
			      size_t glob_count, struct gb_error *err)
{
	for (size_t g = 0; g < glob_count; g++) {
		bool found = false;

		for (size_t i = 0; i < gb_variant_count && !found; i++)
			found = gb_equal(gb_variants[i].workload, workload->name) &&
				gb_variant_matches(&gb_variants[i], glob[g]);
		if (!found)
			return gb_fail(err, GB_EUSAGE,
				       "no variant of %s matches '%.80s' (see gpubench list)",
				       workload->name, glob[g]);
	}
	return GB_OK;
}

/* Whether the user named CUDA: then its absence is not a skip like any other. */
static bool cuda_is_explicit(const struct gb_request *request)
{
	if (request->backend && gb_equal(request->backend, "cuda"))
		return true;
	for (size_t i = 0; i < request->glob_count; i++)
		if (strncmp(request->glob[i], "cuda/", 5) == 0)
			return true;
	return false;
}

/* ---- output ------------------------------------------------------------------------------- */

static enum gb_status open_file(const char *path, const char *mode, FILE **file,
				struct gb_error *err)
{
	*file = fopen(path, mode);
	if (!*file)
		return gb_fail(err, GB_EIO, "cannot write %s: %s", path, strerror(errno));
	return GB_OK;
}

/* What the name of the output asks for: *lines for JSON lines, else a document of *format. */
static enum gb_status kind_of(const char *path, bool *lines, enum gb_format *format,
			      struct gb_error *err)
{
	static const struct {
		const char *ending;
		enum gb_format format;
	} kinds[] = {
		{ ".json", GB_FORMAT_JSON },
		{ ".csv", GB_FORMAT_CSV },
		{ ".md", GB_FORMAT_MARKDOWN },
		{ ".html", GB_FORMAT_HTML },
	};
	const char *ending = strrchr(path, '.');

	*lines = ending && gb_equal(ending, ".jsonl");
	if (*lines)
		return GB_OK;
	for (size_t i = 0; i < GB_COUNT(kinds); i++) {
		if (ending && gb_equal(ending, kinds[i].ending)) {
			*format = kinds[i].format;
			return GB_OK;
		}
	}
	return gb_fail(err, GB_EUSAGE,
		       "--output=%.200s: must be - or end in .jsonl, .json, .csv, .md or .html",
		       path);
}

/* Read what an earlier run left, cut off a line without an end, and go on behind it.  If that line
 * is all there is, nothing was left. */
static enum gb_status resume_lines(struct gb_session *s, const char *path, struct gb_error *err)
{
	struct gb_error own = { 0 };
	struct stat status;

	if (stat(path, &status) == 0 && status.st_size > 0) {
		if (gb_records_read(path, &s->records, &own) &&
		    !(s->records.truncated && s->records.count == 0))
			return gb_fail(err, own.code, "%s", own.message);
		if (s->records.truncated && truncate(path, (off_t)s->records.complete_bytes))
			return gb_fail(err, GB_EIO, "cannot write %s: %s", path, strerror(errno));
	}
	if (gb_done_init(&s->past, &s->records, err))
		return err->code;
	return open_file(path, "ae", &s->stream, err);
}

/* JSON lines are written as they come; any other format at the end, beside the file. */
static enum gb_status open_output(struct gb_session *s, struct gb_error *err)
{
	const char *path = s->request->output;
	bool lines = false;

	if (s->request->resume &&
	    !(path && strlen(path) > 6 && gb_equal(path + strlen(path) - 6, ".jsonl")))
		return gb_fail(err, GB_EUSAGE, "--resume needs the records in -o FILE.jsonl");
	if (!path)
		return GB_OK;
	if (gb_equal(path, "-")) {
		s->stream = stdout;
		return GB_OK;
	}
	if (kind_of(path, &lines, &s->format, err))
		return err->code;
	if (lines && s->request->resume)
		return resume_lines(s, path, err);
	if (lines)
		return open_file(path, "we", &s->stream, err);
	s->temporary = malloc(strlen(path) + sizeof ".part");
	if (!s->temporary)
		return gb_fail(err, GB_ERUNTIME, "out of memory");
	(void)sprintf(s->temporary, "%s.part", path);
	return open_file(s->temporary, "we", &s->stream, err);
}

/* Keep the line, and write it if the output is JSON lines.  Owns line. */
static enum gb_status put_line(struct gb_session *s, cJSON *line, struct gb_error *err)
{
	if (!line || gb_records_add(&s->records, line, err))
		return err->code;
	if (s->stream && !s->temporary)
		return gb_record_write(s->stream, line, err);
	return GB_OK;
}

/* "2/8" to shard 1 of 8. */
static enum gb_status read_shard(struct gb_session *s, struct gb_error *err)
{
	const char *text = s->request->shard;
	long long i = 0, n = 0;
	char rest;

	s->shards = 1;
	if (!text)
		return GB_OK;
	if (sscanf(text, "%lld/%lld%c", &i, &n, &rest) != 2 || i < 1 || n < i || n > 1000000)
		return gb_fail(err, GB_EUSAGE, "--shard=%.40s: must be I/N with 1 <= I <= N", text);
	s->shard = i - 1;
	s->shards = n;
	return GB_OK;
}

enum gb_status gb_refuse_parts(const struct gb_request *request, const char *command,
			       struct gb_error *err)
{
	const char *option = request->runs > 1  ? "runs"
			     : request->shard   ? "shard"
			     : request->resume  ? "resume"
			     : request->dry_run ? "dry-run"
						: NULL;

	return option ? gb_fail(err, GB_EUSAGE, "%s has no use for --%s", command, option) : GB_OK;
}

/* Two benchmarks on one GPU would measure each other: wait for its lock, held until we exit. */
static void lock_gpu(struct gb_session *s)
{
	const struct gb_gpu_info *gpu = NULL;
	char path[128];

	for (size_t i = 0; i < s->info.gpu_count; i++)
		if (s->info.gpu[i].id == (int)s->request->how.device)
			gpu = &s->info.gpu[i];
	if (!gpu || gpu->emulated)
		return;
	(void)snprintf(path, sizeof path, "/tmp/gpubench-%s.lock", gpu->uuid);
	s->lock = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
	if (s->lock < 0)
		return;
	if (flock(s->lock, LOCK_EX | LOCK_NB) && errno == EWOULDBLOCK) {
		(void)fprintf(stderr, "gpubench: waiting for another gpubench on GPU %d\n",
			      gpu->id);
		(void)flock(s->lock, LOCK_EX);
	}
}

enum gb_status gb_session_open(struct gb_session *s, const struct gb_request *request, int argc,
			       char *const *argv, struct gb_error *err)
{
	*s = (struct gb_session){ .request = request, .lock = -1, .started_ns = gb_now_ns() };
	if (read_shard(s, err))
		return err->code;
	(void)gb_backends[GB_CUDA]->open((int)request->how.device, &s->device);
	if (s->device.code && request->require_gpu)
		return gb_fail(err, GB_EUNAVAILABLE, "--require-gpu: %s", s->device.message);
	s->info.argc = argc;
	s->info.argv = argv;
	s->info.settings = &request->how;
	s->info.preset = request->preset;
	gb_env_gather(&s->info);
	lock_gpu(s);
	if (open_output(s, err))
		return err->code;
	return put_line(s, gb_record_run(&s->info, err), err);
}

enum gb_status gb_session_plan(struct gb_session *s, const struct gb_request *request,
			       struct gb_error *err)
{
	const char *path = request->output;
	bool lines = false;

	*s = (struct gb_session){ .request = request, .lock = -1 };
	if (read_shard(s, err) || !path || gb_equal(path, "-") ||
	    kind_of(path, &lines, &s->format, err) || !lines || access(path, R_OK))
		return err->code;
	if (gb_records_read(path, &s->records, err))
		return err->code;
	return request->resume ? gb_done_init(&s->past, &s->records, err) : GB_OK;
}

void gb_session_abandon(struct gb_session *s)
{
	gb_done_release(&s->past);
	gb_limits_release(&s->limits);
	gb_records_release(&s->records);
}

/* ---- measuring ---------------------------------------------------------------------------- */

/* Verification outranks other failures, they outrank a missing device. */
static void worsen(struct gb_session *s, enum gb_status code)
{
	static const enum gb_status rank[] = { GB_OK, GB_EUNAVAILABLE, GB_ERUNTIME, GB_EVERIFY };
	size_t now = 0, then = 0;

	for (size_t i = 0; i < GB_COUNT(rank); i++) {
		now = rank[i] == s->verdict ? i : now;
		then = rank[i] == code ? i : then;
	}
	if (then > now)
		s->verdict = code;
}

static enum gb_status put_result(struct gb_session *s, struct gb_result *result,
				 struct gb_error *err)
{
	if (result->outcome == GB_FAILED || result->outcome == GB_TIMEOUT)
		worsen(s, result->code == GB_EVERIFY ? GB_EVERIFY : GB_ERUNTIME);
	return put_line(s, gb_record_result(result, s->info.run_id, s->seq++, err), err);
}

/* ", 12 min left" by the mean so far; "" while that says little. */
static const char *time_left(const struct gb_session *s, char *text, size_t size)
{
	const double elapsed_s = (gb_now_ns() - s->started_ns) * 1e-9;
	const double left_s = elapsed_s / (double)s->done * (double)(s->total - s->done);

	text[0] = '\0';
	if (s->done >= 3 && left_s >= 90)
		(void)snprintf(text, size, ", %.0f min left", left_s / 60);
	else if (s->done >= 3)
		(void)snprintf(text, size, ", %.0f s left", left_s);
	return text;
}

static bool has_progress(const struct gb_session *s)
{
	return !s->request->quiet && isatty(STDERR_FILENO);
}

/* Columns of the terminal. */
static int columns(void)
{
	struct winsize size = { 0 };

	if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) || size.ws_col < 20)
		return 80;
	return size.ws_col;
}

/* "3/10, 12 s left, +-2.1 %, radix/cpu/best count=1000000 ..." on one line of the terminal. */
static void show_progress(struct gb_session *s, const struct gb_result *result, double half_width)
{
	char left[32], interval[32] = "", line[512];
	struct gb_error ignored = { 0 };
	char *key = gb_record_key(result->workload, result->variant, result->params, &ignored);

	if (!isnan(half_width))
		(void)snprintf(interval, sizeof interval, ", +-%.1f %%", 100 * half_width);
	(void)snprintf(line, sizeof line, "%zu/%zu%s%s, %s", s->done + 1, s->total,
		       time_left(s, left, sizeof left), interval, key ? key : "");
	(void)fprintf(stderr, "\r\033[K%.*s", columns() - 1, line);
	s->shown_ns = gb_now_ns();
	free(key);
}

/* At most five times a second: writing disturbs what is measured. */
static void watch(const struct gb_result *result, double half_width)
{
	struct gb_session *s = result->watcher;

	if (gb_now_ns() - s->shown_ns >= 0.2e9)
		show_progress(s, result, half_width);
}

static void hide_progress(const struct gb_session *s)
{
	if (has_progress(s))
		(void)fputs("\r\033[K", stderr);
}

static void tell(const struct gb_session *s, const struct gb_result *r)
{
	static const char *const words[] = { "ok", "noisy", "skipped", "FAILED", "TIME-OUT" };
	char *key;
	struct gb_error ignored = { 0 };

	if (!s->request->verbose)
		return;
	hide_progress(s);
	key = gb_record_key(r->workload, r->variant, r->params, &ignored);
	(void)fprintf(stderr, "%s: %s%s%s (%zu samples, %.2f s)\n", key ? key : "?",
		      words[r->outcome], r->reason[0] ? ": " : "", r->reason, r->time.count,
		      r->elapsed_s);
	free(key);
}

static enum gb_status finish_result(struct gb_session *s, struct gb_result *result,
				    struct gb_error *err)
{
	tell(s, result);
	s->done++;
	return put_result(s, result, err);
}

static void skip(struct gb_result *result, enum gb_status code, const char *what, const char *why)
{
	result->outcome = GB_SKIPPED;
	result->code = code;
	(void)snprintf(result->reason, sizeof result->reason, "%s%.460s", what, why);
}

/* One measurement and its record. */
static enum gb_status run_variant(struct gb_session *s, struct gb_result *result,
				  const struct gb_error *no_input, const void *input,
				  struct gb_error *err)
{
	if (has_progress(s)) {
		result->watch = watch;
		result->watcher = s;
		show_progress(s, result, NAN);
	}
	if (no_input->code)
		skip(result, no_input->code, "input: ", no_input->message);
	else if (gb_run(result, input, &s->request->how, true, err))
		return err->code;
	if (result->code == GB_EMEMORY &&
	    gb_limits_add(&s->limits, result->workload, result->variant, result->params, err))
		return err->code;
	if (!result->code && !result->workload->yardstick)
		result->copy_bytes_per_s = gb_copy_bandwidth(result->variant->backend,
							     result->threads, &s->request->how);
	return finish_result(s, result, err);
}

bool gb_session_due(struct gb_session *s, const struct gb_sweep *sweep, size_t index,
		    const struct gb_variant *variant, const void *params, const char *const *glob,
		    size_t glob_count)
{
	struct gb_error ignored = { 0 };
	bool due = true;

	if (!gb_equal(variant->workload, sweep->workload->name) ||
	    !gb_chosen(s->request, variant, glob, glob_count) ||
	    !gb_sweep_wants(sweep, index, variant))
		return false;
	if (s->number++ % s->shards != s->shard)
		return false;
	if (s->past.count) {
		char *key = gb_record_key(sweep->workload, variant, params, &ignored);

		due = key && gb_done_times(&s->past, key) <= s->request->launch;
		free(key);
	}
	return due;
}

static enum gb_status run_point(struct gb_session *s, const struct gb_sweep *sweep, size_t index,
				const void *params, const char *const *glob, size_t glob_count,
				struct gb_error *err)
{
	const struct gb_workload *workload = sweep->workload;
	struct gb_error no_input = { 0 };
	char why[480];
	void *input = NULL;
	bool prepared = false;

	for (size_t i = 0; i < gb_variant_count && !err->code; i++) {
		struct gb_result result = { .workload = workload,
					    .variant = &gb_variants[i],
					    .params = params };

		if (!gb_session_due(s, sweep, index, &gb_variants[i], params, glob, glob_count))
			continue;
		if (gb_limits_exceeded(&s->limits, workload, &gb_variants[i], params, why,
				       sizeof why)) {
			skip(&result, GB_EUNAVAILABLE, "", why);
			(void)finish_result(s, &result, err);
			continue;
		}
		if (!prepared)
			gb_memory_mark();
		if (!prepared && workload->prepare(params, &input, &no_input) &&
		    no_input.code != GB_EUNAVAILABLE && no_input.code != GB_EMEMORY)
			return gb_fail(err, no_input.code, "%s", no_input.message);
		prepared = true;
		(void)run_variant(s, &result, &no_input, input, err);
		gb_result_release(&result);
		if (!err->code && gb_interrupted)
			gb_fail(err, GB_EINTERRUPTED, "interrupted");
	}
	workload->release(input);
	return err->code;
}

/* How many measurements a sweep is. */
static size_t count_runs(const struct gb_session *s, const struct gb_sweep *sweep,
			 const char *const *glob, size_t glob_count)
{
	size_t runs = 0;

	for (size_t i = 0; i < gb_variant_count; i++) {
		const struct gb_variant *v = &gb_variants[i];

		if (!gb_equal(v->workload, sweep->workload->name) ||
		    !gb_chosen(s->request, v, glob, glob_count))
			continue;
		for (size_t p = 0; p < sweep->count; p++)
			runs += gb_sweep_wants(sweep, p, v);
	}
	return runs / (size_t)s->shards;
}

enum gb_status gb_session_sweep(struct gb_session *s, const struct gb_sweep *sweep,
				const char *const *glob, size_t glob_count, struct gb_error *err)
{
	void *params = malloc(sweep->workload->params_size);

	if (!params)
		return gb_fail(err, GB_ERUNTIME, "out of memory");
	s->total += count_runs(s, sweep, glob, glob_count);
	for (size_t i = 0; i < sweep->count && !err->code; i++) {
		gb_sweep_point(sweep, i, params);
		(void)run_point(s, sweep, i, params, glob, glob_count, err);
	}
	free(params);
	hide_progress(s);
	return err->code;
}

/* ---- the end ------------------------------------------------------------------------------ */

static enum gb_status close_output(struct gb_session *s, struct gb_error *err)
{
	struct gb_error own = { 0 };
	const char *path = s->request->output;
	const struct gb_style plain = { .format = s->format, .utf8 = s->format == GB_FORMAT_HTML };

	if (!s->stream)
		return GB_OK;
	if (s->temporary)
		(void)gb_table_print(s->stream, &s->records, &plain, &own);
	if (s->stream != stdout && fclose(s->stream) && !own.code)
		gb_fail(&own, GB_EIO, "cannot write %s: %s", path, strerror(errno));
	if (s->temporary && !own.code && rename(s->temporary, path))
		gb_fail(&own, GB_EIO, "cannot write %s: %s", path, strerror(errno));
	if (s->temporary && own.code)
		(void)remove(s->temporary);
	return own.code ? gb_fail(err, own.code, "%s", own.message) : GB_OK;
}

enum gb_status gb_session_close(struct gb_session *s, struct gb_error *err)
{
	struct gb_error own = { 0 };
	const struct gb_style style = gb_style_for(stdout, GB_FORMAT_TABLE);
	const bool table = !s->silent_table && !s->request->quiet && s->stream != stdout;

	hide_progress(s);
	if (table && (s->seq > 0 || s->past.count) &&
	    gb_table_print(stdout, &s->records, &style, &own))
		gb_fail(err, own.code, "%s", own.message);
	(void)close_output(s, err);
	gb_session_abandon(s);
	free(s->temporary);
	if (s->lock >= 0)
		(void)close(s->lock);
	if (s->device.code && cuda_is_explicit(s->request) && !err->code) {
		worsen(s, GB_EUNAVAILABLE);
		if (s->verdict == GB_EUNAVAILABLE)
			return gb_fail(err, GB_EUNAVAILABLE, "no GPU: %s", s->device.message);
	}
	return err->code ? err->code : s->verdict;
}

enum gb_status gb_session_replay(const struct gb_request *request, const char *file,
				 struct gb_error *err)
{
	struct gb_request copy = *request;
	struct gb_session s = { .request = &copy, .lock = -1, .seq = 1 };

	copy.resume = 0;
	if (copy.output && gb_equal(copy.output, file))
		copy.output = NULL;
	if (gb_records_read(file, &s.records, err) || open_output(&s, err)) {
		gb_records_release(&s.records);
		return err->code;
	}
	for (size_t i = 0; s.stream == stdout && i < s.records.count && !err->code; i++)
		(void)gb_record_write(stdout, s.records.line[i], err);
	return gb_session_close(&s, err);
}
