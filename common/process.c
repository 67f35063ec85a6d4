/* process.c -- starts programs and waits for them. */
#include "common/process.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static const double PATIENCE_S = 1; /* from SIGTERM to SIGKILL; our launches need .8 at most */

/* In the child: execute the program.  The process is killed when its parent ends.  `report`
 * receives errno on a failure; a successful exec closes it. */
static _Noreturn void become(const char *program, char *const *argv, int keep, int output,
			     int report, pid_t parent, const sigset_t *mask)
{
	int failed;

	(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(127);
	(void)sigprocmask(SIG_SETMASK, mask, NULL);
	(void)signal(SIGPIPE, SIG_DFL);
	if (keep)
		(void)fcntl(keep, F_SETFD, 0);
	if (output)
		(void)dup2(output, STDOUT_FILENO);
	(void)execv(program, argv);
	failed = errno;
	(void)!write(report, &failed, sizeof failed);
	_exit(127);
}

enum gb_status gb_process_start(const char *program, char *const *argv, int keep, int output,
				const sigset_t *mask, pid_t *child, struct gb_error *err)
{
	const pid_t parent = getpid();
	int report[2], failed = 0;

	if (pipe2(report, O_CLOEXEC))
		return gb_fail(err, GB_ERUNTIME, "cannot start %s: %s", program, strerror(errno));
	*child = fork();
	if (*child == 0)
		become(program, argv, keep, output, report[1], parent, mask);
	if (*child < 0)
		failed = errno;
	(void)close(report[1]);
	if (*child > 0 && read(report[0], &failed, sizeof failed) == (ssize_t)sizeof failed)
		(void)waitpid(*child, NULL, 0);
	(void)close(report[0]);
	return failed ? gb_fail(err, GB_ERUNTIME, "cannot start %s: %s", program, strerror(failed))
		      : GB_OK;
}

int gb_process_wait(const pid_t *child, size_t count, const sigset_t *set,
		    volatile sig_atomic_t *interrupted)
{
	const struct timespec patience = { .tv_sec = (time_t)PATIENCE_S };
	int code, got;

	while (waitpid(child[0], &code, WNOHANG) != child[0]) {
		got = *interrupted ? sigtimedwait(set, NULL, &patience) : sigwaitinfo(set, NULL);
		if (got == SIGCHLD || (got < 0 && errno == EINTR))
			continue;
		for (size_t i = 0; i < count; i++)
			(void)kill(child[i], *interrupted ? SIGKILL : SIGTERM);
		*interrupted = 1;
	}
	return *interrupted      ? GB_EINTERRUPTED
	       : WIFEXITED(code) ? WEXITSTATUS(code)
				 : 128 + WTERMSIG(code);
}

void gb_process_block(sigset_t *set, sigset_t *mask)
{
	(void)sigemptyset(set);
	(void)sigaddset(set, SIGINT);
	(void)sigaddset(set, SIGTERM);
	(void)sigaddset(set, SIGHUP);
	(void)sigaddset(set, SIGCHLD);
	(void)sigprocmask(SIG_BLOCK, set, mask);
}

enum gb_status gb_process_run(const char *program, char *const *argv, int keep, int output,
			      volatile sig_atomic_t *interrupted, int *status, struct gb_error *err)
{
	sigset_t set, mask;
	pid_t child = 0;

	*status = 0;
	gb_process_block(&set, &mask);
	if (!gb_process_start(program, argv, keep, output, &mask, &child, err))
		*status = gb_process_wait(&child, 1, &set, interrupted);
	(void)sigprocmask(SIG_SETMASK, &mask, NULL);
	return err->code;
}
