/* launches.c -- --runs=N.
 *
 * The parent measures nothing; it opens and locks the output.  Each child has the same words;
 * GPUBENCH_LAUNCH=K:FD:FILE in its environment makes it launch K, which appends to the parent's
 * descriptor FD of FILE, a file of JSON lines, what this file does not hold K + 1 times already.
 * So --runs goes together with --resume and --shard, and a parent that is killed loses nothing.  If
 * the output is no such file, a temporary one is used.
 */
#include "cli/measuring/launches.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cli/measuring/runner.h"
#include "cli/measuring/session.h"

#define VARIABLE "GPUBENCH_LAUNCH"

static const double PATIENCE_S = 5; /* from SIGTERM to SIGKILL */

/* ---- one program -------------------------------------------------------------------------- */

/* In the child.  If the parent goes, however it goes, so does this process.  Failures are reported
 * through the descriptor, which a successful exec closes. */
static _Noreturn void become(const char *program, char *const *argv, int keep, int report,
			     pid_t parent, const sigset_t *mask)
{
	int failed;

	(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(127);
	(void)sigprocmask(SIG_SETMASK, mask, NULL);
	(void)signal(SIGPIPE, SIG_DFL);
	if (keep)
		(void)fcntl(keep, F_SETFD, 0);
	(void)execvp(program, argv);
	failed = errno;
	(void)!write(report, &failed, sizeof failed);
	_exit(127);
}

/* Start it; the signals of `mask` are those that were blocked before ours were. */
static enum gb_status start(const char *program, char *const *argv, int keep, const sigset_t *mask,
			    pid_t *child, struct gb_error *err)
{
	const pid_t parent = getpid();
	int report[2], failed = 0;

	if (pipe2(report, O_CLOEXEC))
		return gb_fail(err, GB_ERUNTIME, "cannot start %s: %s", program, strerror(errno));
	*child = fork();
	if (*child == 0)
		become(program, argv, keep, report[1], parent, mask);
	if (*child < 0)
		failed = errno;
	(void)close(report[1]);
	if (*child > 0 && read(report[0], &failed, sizeof failed) == (ssize_t)sizeof failed)
		(void)waitpid(*child, NULL, 0);
	(void)close(report[0]);
	return failed ? gb_fail(err, GB_ERUNTIME, "cannot start %s: %s", program, strerror(failed))
		      : GB_OK;
}

/* Wait for the child with the signals of `set` blocked.  An interrupt is passed on; who does not
 * end then is killed.  The exit status as waitpid() has it. */
static int wait_for(pid_t child, const sigset_t *set)
{
	const struct timespec patience = { .tv_sec = (time_t)PATIENCE_S };
	int code, got;

	while (waitpid(child, &code, WNOHANG) != child) {
		got = gb_interrupted ? sigtimedwait(set, NULL, &patience) : sigwaitinfo(set, NULL);
		if (got == SIGCHLD || (got < 0 && errno == EINTR))
			continue;
		(void)kill(child, gb_interrupted ? SIGKILL : SIGTERM);
		gb_interrupted = 1;
	}
	return code;
}

enum gb_status gb_launch(const char *program, char *const *argv, int keep, int *status,
			 struct gb_error *err)
{
	sigset_t set, mask;
	pid_t child = 0;
	int code = 0;

	(void)sigemptyset(&set);
	(void)sigaddset(&set, SIGINT);
	(void)sigaddset(&set, SIGTERM);
	(void)sigaddset(&set, SIGHUP);
	(void)sigaddset(&set, SIGCHLD);
	(void)sigprocmask(SIG_BLOCK, &set, &mask);
	if (!start(program, argv, keep, &mask, &child, err))
		code = wait_for(child, &set);
	(void)sigprocmask(SIG_SETMASK, &mask, NULL);
	*status = gb_interrupted    ? GB_EINTERRUPTED
		  : WIFEXITED(code) ? WEXITSTATUS(code)
				    : 128 + WTERMSIG(code);
	return err->code;
}

/* ---- launches of this program ------------------------------------------------------------- */

bool gb_is_launch(struct gb_request *request)
{
	const char *text = getenv(VARIABLE);
	char *rest;

	if (!text)
		return false;
	request->launch = strtoll(text, &rest, 10);
	request->output_file = *rest == ':' ? (int)strtol(rest + 1, &rest, 10) : 0;
	request->output = *rest == ':' ? rest + 1 : NULL;
	request->runs = 1;
	request->quiet = 1;
	if (request->launch > 0) {
		request->resume = GB_RESUME_ANY; /* the first one has looked */
		request->overwrite = 0;
	}
	return true;
}

/* All launches, one after the other, into the file of JSON lines. */
static enum gb_status launch_all(const struct gb_request *request, const char *path, int file,
				 int argc, char **argv, struct gb_error *err)
{
	char **word = calloc((size_t)argc + 2, sizeof *word);
	const size_t size = strlen(path) + 64;
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

		(void)snprintf(value, size, "%lld:%d:%s", (long long)i, file, path);
		if (setenv(VARIABLE, value, 1) ||
		    gb_launch("/proc/self/exe", word, file, &status, err))
			break;
		verdict = gb_worse(verdict, (enum gb_status)status);
		if (status > 128 && status != GB_EINTERRUPTED)
			gb_fail(err, GB_ERUNTIME, "launch %lld was ended by signal %d",
				(long long)i + 1, status - 128);
		if (status == GB_EUSAGE || status == GB_EIO || status > 128)
			break;
	}
	(void)unsetenv(VARIABLE);
out:
	free(word);
	free(value);
	return err->code ? err->code : verdict;
}

enum gb_status gb_launches(const struct gb_request *request, const struct gb_output *output,
			   int argc, char **argv, struct gb_records *records, struct gb_error *err)
{
	char temporary[] = "/tmp/gpubench-XXXXXX.jsonl";
	const char *path = output->to_lines ? output->path : temporary;
	const int file =
		output->to_lines ? output->file : mkostemps(temporary, 6, O_APPEND | O_CLOEXEC);
	enum gb_status verdict;
	struct stat info;

	if (file < 0)
		return gb_fail(err, GB_EIO, "cannot write %s: %s", temporary, strerror(errno));
	verdict = launch_all(request, path, file, argc, argv, err);
	/* Launches that were interrupted may have left nothing. */
	if (!err->code && verdict != GB_EUSAGE && fstat(file, &info) == 0 && info.st_size > 0)
		(void)gb_records_read(path, records, err);
	if (!output->to_lines) {
		(void)close(file);
		(void)unlink(temporary);
	}
	return err->code ? err->code : verdict;
}
