/* launches.c -- --runs=N.
 *
 * The parent measures nothing.  Each child has the same words; GPUBENCH_LAUNCH=K:FILE in its
 * environment makes it launch K, which appends to FILE, a file of JSON lines, what this file does
 * not hold K + 1 times already.  So --runs goes together with --resume and --shard, and a parent
 * that is killed loses nothing.  If the output is no such file, a temporary one is used.
 */
#include "cli/measuring/launches.h"

#include <errno.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/measuring/runner.h"
#include "cli/measuring/session.h"
#include "cli/records/output.h"

#define VARIABLE "GPUBENCH_LAUNCH"

enum gb_status gb_launch(const char *program, char *const *argv, int *status, struct gb_error *err)
{
	pid_t child;
	int code;
	const int failed = posix_spawnp(&child, program, NULL, NULL, argv, environ);

	if (failed)
		return gb_fail(err, GB_ERUNTIME, "cannot start %s: %s", program, strerror(failed));
	while (waitpid(child, &code, 0) < 0)
		if (errno != EINTR)
			return gb_fail(err, GB_ERUNTIME, "cannot wait for %s: %s", program,
				       strerror(errno));
	*status = WIFEXITED(code) ? WEXITSTATUS(code) : 128 + WTERMSIG(code);
	return GB_OK;
}

bool gb_is_launch(struct gb_request *request)
{
	const char *text = getenv(VARIABLE);
	char *rest;

	if (!text)
		return false;
	request->launch = strtoll(text, &rest, 10);
	request->output = *rest == ':' ? rest + 1 : NULL;
	request->runs = 1;
	request->resume = 1;
	request->quiet = 1;
	return true;
}

/* All launches, one after the other, into the file of JSON lines. */
static enum gb_status launch_all(const struct gb_request *request, const char *file, int argc,
				 char **argv, struct gb_error *err)
{
	char **word = calloc((size_t)argc + 2, sizeof *word);
	const size_t size = strlen(file) + 32;
	char *value = malloc(size);
	char name[] = "gpubench";
	enum gb_status verdict = GB_OK;

	if (!word || !value) {
		gb_out_of_memory(err, NULL);
		goto out;
	}
	word[0] = name;
	memcpy(word + 1, argv, (size_t)argc * sizeof *word);
	for (int64_t i = 0; i < request->runs && !gb_interrupted; i++) {
		int status = 0;

		(void)snprintf(value, size, "%lld:%s", (long long)i, file);
		if (setenv(VARIABLE, value, 1) || gb_launch("/proc/self/exe", word, &status, err))
			break;
		verdict = gb_worse(verdict, (enum gb_status)status);
		if (status == GB_EUSAGE || status == GB_EIO || status > 128)
			break;
	}
	(void)unsetenv(VARIABLE);
out:
	free(word);
	free(value);
	return err->code ? err->code : verdict;
}

enum gb_status gb_launches(const struct gb_request *request, int argc, char **argv,
			   struct gb_records *records, struct gb_error *err)
{
	const char *path = request->output;
	const bool lines = gb_is_lines(path);
	char temporary[] = "/tmp/gpubench-XXXXXX.jsonl";
	enum gb_status verdict;

	if (lines && !request->resume && remove(path) && errno != ENOENT)
		return gb_fail(err, GB_EIO, "cannot write %s: %s", path, strerror(errno));
	if (!lines) {
		const int file = mkstemps(temporary, 6);

		if (file < 0)
			return gb_fail(err, GB_EIO, "cannot write %s: %s", temporary,
				       strerror(errno));
		(void)close(file);
	}
	verdict = launch_all(request, lines ? path : temporary, argc, argv, err);
	if (!err->code && verdict != GB_EUSAGE)
		(void)gb_records_read(lines ? path : temporary, records, err);
	if (!lines)
		(void)remove(temporary);
	return err->code ? err->code : verdict;
}
