/* executors.c -- see executors.h. */
#include "cli/commands/executors.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/measuring/launches.h"
#include "cli/records/json.h"
#include "cli/workloads/registry.h"
#include "common/text.h"
#include "common/variants.h"

enum { ROOM = 1024, WORDS = 96 };

/* A program and the tool that compiles for it, from the folder of this program: after
 * `make install-executors`; in build/MODE. */
static const struct {
	const char *bin, *tool;
} places[] = { { "", "gpubench-compile" }, { "../../", "../../scripts/simt-plugin.py" } };

/* The trial of a source in an executor. */
struct trial {
	const struct gb_source *source;
	int64_t seed;
	double seconds;
	const char *name; /* the executor: "gpubench-simt" */
	char program[ROOM], tool[ROOM];
	char folder[ROOM], plugin[ROOM + 16]; /* a temporary folder, the compiled source in it */
	char reason[480];                     /* why there is no result; "": there is one */
	char *text;                           /* the output of the last program, owned */
	char *said;                           /* its errors, owned; the plug-in writes there, too */
};

/* The arguments of a program, owned. */
struct words {
	size_t count;
	char *word[WORDS + 1];
};

__attribute__((format(printf, 2, 3))) static void add(struct words *words, const char *format, ...)
{
	va_list values;

	va_start(values, format);
	if (words->count < WORDS && vasprintf(&words->word[words->count], format, values) >= 0)
		words->count++;
	va_end(values);
}

static void release(struct words *words)
{
	for (size_t i = 0; i < words->count; i++)
		free(words->word[i]);
}

/* ---- programs ----------------------------------------------------------------------------- */

/* Find the executor and its compiler. */
static bool find(struct trial *t)
{
	char self[ROOM / 2];
	const ssize_t length = readlink("/proc/self/exe", self, sizeof self);
	const char *slash = length > 0 ? memrchr(self, '/', (size_t)length) : NULL;

	for (size_t i = 0; slash && i < GB_COUNT(places); i++) {
		const int folder = (int)(slash + 1 - self);

		(void)snprintf(t->program, sizeof t->program, "%.*s%s%s", folder, self,
			       places[i].bin, t->name);
		(void)snprintf(t->tool, sizeof t->tool, "%.*s%s", folder, self, places[i].tool);
		if (access(t->program, X_OK) == 0 && access(t->tool, X_OK) == 0)
			return true;
	}
	(void)snprintf(t->reason, sizeof t->reason,
		       "%s is not beside this program (make install-executors)", t->name);
	return false;
}

/* Read all of the file into *text. */
static enum gb_status take_text(char **text, int file, struct gb_error *err)
{
	struct stat info;
	ssize_t got;

	if (fstat(file, &info))
		return gb_fail(err, GB_EIO, "cannot read a file in memory: %s", strerror(errno));
	free(*text);
	*text = calloc((size_t)info.st_size + 1, 1);
	if (!*text)
		return gb_out_of_memory(err, NULL);
	got = pread(file, *text, (size_t)info.st_size, 0);
	(*text)[got > 0 ? got : 0] = 0;
	return GB_OK;
}

/* Run a program; *status is its exit status, t->text its output and t->said its errors. */
static enum gb_status start(struct trial *t, const char *program, struct words *words, int *status,
			    struct gb_error *err)
{
	const int file[2] = { memfd_create("gpubench", MFD_CLOEXEC),
			      memfd_create("gpubench", MFD_CLOEXEC) };

	if (file[0] < 0 || file[1] < 0)
		gb_fail(err, GB_EIO, "cannot make a file in memory: %s", strerror(errno));
	else if (words->count == WORDS)
		gb_fail(err, GB_EUSAGE, "too many variants");
	else if (!gb_launch(program, words->word, 0, file, status, err) &&
		 !take_text(&t->text, file[0], err))
		(void)take_text(&t->said, file[1], err);
	if (*status == GB_EINTERRUPTED)
		err->code = GB_EINTERRUPTED;
	for (int i = 0; i < 2; i++)
		if (file[i] >= 0)
			(void)close(file[i]);
	release(words);
	return err->code;
}

/* The reason is the first error with `word` in it, else the last line of errors. */
static void take_reason(struct trial *t, const char *what, const char *word)
{
	char *rest = t->said, *line, *chosen = NULL;

	while ((line = strsep(&rest, "\n")))
		if (*line && *line != '{') {
			chosen = line;
			if (strstr(line, word))
				break;
		}
	(void)snprintf(t->reason, sizeof t->reason, "%s: %.400s", what, chosen ? chosen : "?");
}

/* Compile the source for the executor. */
static enum gb_status compile(struct trial *t, const char *option, struct gb_error *err)
{
	const char *path = t->source->path;
	struct words words = { 0 };
	int status = 0;

	add(&words, "env");
	add(&words, "timeout"); /* ends all processes of a compiler */
	add(&words, "--kill-after=1");
	add(&words, "%.3f", t->seconds);
	add(&words, "%s", t->tool);
	add(&words, "%s%s", *path == '/' ? "" : "./", path);
	add(&words, "-o");
	add(&words, "%s", t->plugin);
	if (*option)
		add(&words, "%s", option);
	if (start(t, "/usr/bin/env", &words, &status, err))
		return err->code;
	if (status == 124 || status == 137)
		(void)snprintf(t->reason, sizeof t->reason,
			       "the source does not compile within %.3g s", t->seconds);
	else if (status)
		take_reason(t, "the source does not compile", "rror");
	return GB_OK;
}

/* ---- the emulator ------------------------------------------------------------------------- */

static bool has_text(const cJSON *line, const char *name, const char *value)
{
	const char *text = gb_json_text(line, name);

	return text && gb_equal(text, value);
}

/* The object of this type and variant among the lines of the output, for cJSON_Delete(). */
static cJSON *find_line(const struct trial *t, const char *type, const char *variant)
{
	for (const char *at = t->text; at && *at;
	     at = strchr(at, '\n') ? strchr(at, '\n') + 1 : NULL) {
		cJSON *line = *at == '{' ? cJSON_ParseWithOpts(at, NULL, false) : NULL;

		if (has_text(line, "type", type) && has_text(line, "variant", variant))
			return line;
		cJSON_Delete(line);
	}
	return NULL;
}

static const char *first_reason(const cJSON *verdict)
{
	const cJSON *reason;

	cJSON_ArrayForEach(reason, cJSON_GetObjectItem(verdict, "reasons"))
	{
		if (strncmp(cJSON_GetStringValue(reason), "skipped", 7) != 0 ||
		    !cJSON_IsFalse(cJSON_GetObjectItem(verdict, "correct")))
			return cJSON_GetStringValue(reason);
	}
	return NULL;
}

/* The result of the emulator's check, from its verdict on the variant; NULL if there is none. */
static enum gb_status put_emulated(const struct trial *t, struct gb_judgement *j,
				   const cJSON *verdict, struct gb_error *err)
{
	static const char *const counts[] = { "passed", "failed", "skipped", "not_done" };
	const bool failed = gb_json_number(verdict, "check.failed") > 0;
	const bool passed = !failed && gb_json_number(verdict, "check.passed") > 0;
	const char *reason = *t->reason ? t->reason : verdict ? first_reason(verdict) : NULL;
	cJSON *result = cJSON_CreateObject();
	bool fine;

	if (!reason && !passed)
		reason = "the budget ended";
	fine = gb_json_put_text(result, "source", t->source->path) &&
	       gb_json_put_text(result, "sha256", t->source->sha256) &&
	       gb_json_put_text(result, "result",
				failed   ? "failed"
				: passed ? "passed"
					 : "not checked") &&
	       gb_json_put_text(result, "reason", passed ? NULL : reason);
	for (size_t i = 0; i < GB_COUNT(counts) && fine; i++) {
		char path[32];

		(void)snprintf(path, sizeof path, "check.%s", counts[i]);
		fine = gb_json_put_number(result, counts[i],
					  verdict ? gb_json_number(verdict, path) : 0);
	}
	gb_judge_emulated(j, result);
	return fine ? GB_OK : gb_out_of_memory(err, "a verdict");
}

/* Check the variants in the emulator, which judges them like this program. */
static enum gb_status emulate(struct trial *t, struct gb_judgement *judgement, size_t count,
			      struct gb_error *err)
{
	struct words words = { 0 };
	int status = 0;

	if (!find(t) || compile(t, "", err) || *t->reason)
		goto out;
	add(&words, "env");
	add(&words, "GPUBENCH_SIMT_TIMEOUT=86400"); /* a slow thread is not a livelock */
	add(&words, "%s", t->program);
	add(&words, "judge");
	add(&words, "%s", judgement->variant->workload);
	for (size_t i = 0; i < count; i++)
		if (judgement[i].variant->backend == GB_CUDA)
			add(&words, "cuda/%s", judgement[i].variant->name);
	add(&words, "--plugin=%s", t->plugin);
	add(&words, "--seed=%lld", (long long)t->seed);
	add(&words, "--budget=%.3f", t->seconds);
	if (!start(t, "/usr/bin/env", &words, &status, err) && !strchr(t->text, '{'))
		take_reason(t, t->name, "gpubench");
out:
	for (size_t i = 0; i < count && !err->code; i++) {
		char name[80];
		cJSON *verdict;

		if (judgement[i].variant->backend != GB_CUDA)
			continue;
		(void)snprintf(name, sizeof name, "cuda/%s", judgement[i].variant->name);
		verdict = *t->reason ? NULL : find_line(t, "verdict", name);
		(void)put_emulated(t, &judgement[i], verdict, err);
		cJSON_Delete(verdict);
	}
	return err->code;
}

/* ---- the PTX executor --------------------------------------------------------------------- */

/* Append what was counted of a variant to the list, without its kernels. */
static bool put_counts(const struct trial *t, cJSON *list, const char *name)
{
	cJSON *line = find_line(t, "record", name);
	cJSON *counts = line ? cJSON_DetachItemFromObject(line, "counts") : NULL;
	cJSON *entry;
	bool fine = true;

	if (counts) {
		entry = cJSON_CreateObject();
		cJSON_DeleteItemFromObject(counts, "kernels");
		fine = gb_json_put(entry, "counts", counts) &&
		       gb_json_put_text(entry, "key", gb_json_text(line, "key"));
		fine = gb_json_append(list, entry) && fine;
	}
	cJSON_Delete(line);
	return fine;
}

static bool is_library(const struct gb_variant *variant, const char *workload)
{
	return variant->peer && variant->backend == GB_CUDA &&
	       gb_equal(variant->workload, workload);
}

static enum gb_status put_counted(const struct trial *t, struct gb_judgement *j,
				  struct gb_error *err)
{
	cJSON *list = cJSON_CreateArray(), *result = cJSON_CreateObject();
	const char *reason = *t->reason ? t->reason : NULL;
	bool fine = gb_json_put(result, "variants", list);

	if (t->text && !reason) {
		fine = fine && put_counts(t, list, j->variant->name);
		if (fine && cJSON_GetArraySize(list) == 0)
			reason = "the variant was not counted";
		for (size_t i = 0; i < gb_variant_count && fine && !reason; i++)
			if (is_library(&gb_variants[i], j->variant->workload))
				fine = put_counts(t, list, gb_variants[i].name);
	}
	j->counts = result;
	fine = fine && gb_json_put_text(result, "reason", reason);
	return fine ? GB_OK : gb_out_of_memory(err, "a verdict");
}

/* Count the variants and the libraries at the benchmark's small point. */
static enum gb_status count_all(struct trial *t, struct gb_judgement *judgement, size_t count,
				struct gb_error *err)
{
	const char *benchmark = judgement->variant->workload;
	struct words words = { 0 };
	bool all_wrong = true;
	int status = 0;

	for (size_t i = 0; i < count; i++)
		all_wrong &= judgement[i].wrong;
	if (all_wrong)
		(void)snprintf(t->reason, sizeof t->reason, "the result is wrong");
	if (all_wrong || !find(t) || compile(t, "--ptx", err) || *t->reason)
		goto out;
	add(&words, "gpubench");
	add(&words, "%s", benchmark);
	for (size_t i = 0; i < count; i++)
		if (judgement[i].variant->backend == GB_CUDA)
			add(&words, "cuda/%s", judgement[i].variant->name);
	for (size_t i = 0; i < gb_variant_count; i++)
		if (is_library(&gb_variants[i], benchmark))
			add(&words, "cuda/%s", gb_variants[i].name);
	for (const char *at = gb_workload_find(benchmark)->small; *at;) {
		const int length = (int)strcspn(at, " ");

		add(&words, "%.*s", length, at);
		at += length + (at[length] != 0);
	}
	add(&words, "--plugin=%s", t->plugin);
	add(&words, "--timeout=%.3f", t->seconds);
	add(&words, "--samples=1");
	add(&words, "--warmup=0");
	add(&words, "--quiet");
	add(&words, "--output=-");
	if (!start(t, t->program, &words, &status, err) && !strchr(t->text, '{'))
		take_reason(t, t->name, "gpubench");
out:
	for (size_t i = 0; i < count && !err->code; i++)
		if (judgement[i].variant->backend == GB_CUDA)
			(void)put_counted(t, &judgement[i], err);
	return err->code;
}

/* ---- both --------------------------------------------------------------------------------- */

typedef enum gb_status trial_fn(struct trial *trial, struct gb_judgement *judgement, size_t count,
				struct gb_error *err);

static enum gb_status try_in(struct trial t, trial_fn *try, struct gb_judgement *judgement,
			     size_t count, struct gb_error *err)
{
	const char *folder = getenv("TMPDIR");

	(void)snprintf(t.folder, sizeof t.folder, "%.900s/gpubench-XXXXXX",
		       folder && *folder ? folder : "/tmp");
	if (!mkdtemp(t.folder))
		return gb_fail(err, GB_EIO, "%.200s: %s", t.folder, strerror(errno));
	(void)snprintf(t.plugin, sizeof t.plugin, "%s/plugin.so", t.folder);
	(void)try(&t, judgement, count, err);
	(void)unlink(t.plugin);
	(void)rmdir(t.folder);
	free(t.text);
	free(t.said);
	return err->code;
}

enum gb_status gb_try_source(const struct gb_source *source, int64_t seed, double time_ns,
			     struct gb_judgement *judgement, size_t count, struct gb_error *err)
{
	struct trial t = { .source = source, .seed = seed, .seconds = fmax(time_ns / 1e9, 1) };
	bool any = false;

	for (size_t i = 0; i < count; i++)
		any |= judgement[i].variant->backend == GB_CUDA;
	if (!source->path || !any)
		return GB_OK;
	t.name = "gpubench-simt";
	if (try_in(t, emulate, judgement, count, err))
		return err->code;
	t.name = "gpubench-ptx";
	return try_in(t, count_all, judgement, count, err);
}
