/* process.c -- see process.h. */
#include "cli/plugins/process.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/plugins/worker.h"
#include "common/secret.h"
#include "common/text.h"

volatile sig_atomic_t gb_interrupted;

/* A descriptor that the numbers in the judged process do not overlap. */
static int high(int file)
{
	const int moved = file < 0 ? -1 : fcntl(file, F_DUPFD_CLOEXEC, 2 * GB_LINK_END);

	if (file >= 0)
		(void)close(file);
	return moved;
}

int gb_memory_file(size_t bytes)
{
	const int file = high(memfd_create("gpubench", MFD_CLOEXEC | MFD_ALLOW_SEALING));

	/* A page beyond the end of a file that was cut would end the judge by SIGBUS. */
	if (file >= 0 && (ftruncate(file, (off_t)(bytes + !bytes)) ||
			  fcntl(file, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW))) {
		(void)close(file);
		return -1;
	}
	return file;
}

/* Start this program as the judged process with the given descriptors. */
static enum gb_status spawn(struct gb_process *p, const int file[GB_LINK_END], struct gb_error *err)
{
	char name[] = "gpubench", word[] = GB_WORKER_WORD;
	char *const argv[] = { name, word, NULL };
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	sigset_t none;
	int error;

	(void)sigemptyset(&none);
	(void)posix_spawn_file_actions_init(&actions);
	(void)posix_spawnattr_init(&attributes);
	(void)posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK);
	(void)posix_spawnattr_setpgroup(&attributes, 0);
	(void)posix_spawnattr_setsigmask(&attributes, &none);
	(void)posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
	(void)posix_spawn_file_actions_adddup2(&actions, 2, 1); /* its output is no table */
	for (int i = GB_LINK_SOCKET; i < GB_LINK_END; i++)
		if (file[i] >= 0)
			(void)posix_spawn_file_actions_adddup2(&actions, file[i], i);
	error = posix_spawn(&p->pid, "/proc/self/exe", &actions, &attributes, argv, environ);
	(void)posix_spawn_file_actions_destroy(&actions);
	(void)posix_spawnattr_destroy(&attributes);
	if (error) {
		p->pid = 0;
		return gb_fail(err, GB_ERUNTIME, "cannot start a process for the plug-in: %s",
			       strerror(error));
	}
	return GB_OK;
}

enum gb_status gb_process_start(struct gb_process *p, int input, int output, struct gb_error *err)
{
	int pair[2] = { -1, -1 };
	const int board = gb_memory_file(sizeof *p->board);
	int file[GB_LINK_END] = { [GB_LINK_BOARD] = board, input, output };

	p->board = board < 0 ? NULL : gb_link_map(board, sizeof *p->board, true);
	if (!p->board || socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair)) {
		gb_fail(err, GB_ERUNTIME, "cannot make shared memory: %s", strerror(errno));
	} else {
		pair[1] = high(pair[1]);
		file[GB_LINK_SOCKET] = pair[1];
		(void)spawn(p, file, err);
	}
	p->socket = pair[0];
	for (int i = GB_LINK_BOARD; i < GB_LINK_END; i++)
		if (file[i] > 0)
			(void)close(file[i]);
	if (pair[1] >= 0)
		(void)close(pair[1]);
	return err->code;
}

void gb_process_stop(struct gb_process *p)
{
	if (p->pid) {
		(void)kill(-p->pid, SIGKILL);
		(void)kill(p->pid, SIGKILL);
		while (waitpid(p->pid, NULL, 0) < 0 && errno == EINTR)
			;
	}
	p->pid = 0;
	if (p->board) {
		(void)close(p->socket);
		(void)munmap(p->board, sizeof *p->board);
	}
	p->board = NULL;
}

/* Say how the process has ended while it was to do `what`; `late`: end it, because it has not. */
static enum gb_status explain(struct gb_process *p, const char *what, bool late,
			      struct gb_error *err)
{
	siginfo_t info = { 0 };

	/* Let it end by itself, so that its own status is known. */
	for (int i = 0; !late && i < 100 && p->pid && !info.si_pid; i++) {
		if (waitid(P_PID, (id_t)p->pid, &info, WEXITED | WNOHANG | WNOWAIT))
			break;
		if (!info.si_pid)
			(void)usleep(10000);
	}
	if (late)
		gb_fail(err, GB_ERUNTIME, "time-out: %s did not end within %g s", what,
			p->timeout_s);
	else if (info.si_pid && info.si_code == CLD_EXITED)
		gb_fail(err, GB_ERUNTIME, "the plug-in ended its process with status %d in %s",
			info.si_status, what);
	else if (info.si_pid)
		gb_fail(err, GB_ERUNTIME, "the plug-in crashed in %s: %s", what,
			strsignal(info.si_status));
	else
		gb_fail(err, GB_ERUNTIME, "the plug-in closed its link in %s", what);
	gb_process_stop(p);
	return err->code;
}

void gb_take_text(char *to, size_t room, const char *from)
{
	memmove(to, from, room - 1);
	to[room - 1] = '\0';
	for (char *c = to; *c; c++)
		if ((unsigned char)*c < ' ' || (unsigned char)*c > '~')
			*c = '?';
}

static const char *name_of(int32_t word)
{
	static const char *const names[] = {
		[GB_ASK_TABLE] = "loading",       [GB_ASK_CREATE] = "create()",
		[GB_ASK_INPUT] = "upload()",      [GB_ASK_UPLOAD] = "upload()",
		[GB_ASK_RESET] = "reset()",       [GB_ASK_FLUSH] = "a flush",
		[GB_ASK_RUNS] = "run()",          [GB_ASK_POISON] = "a fill",
		[GB_ASK_DOWNLOAD] = "download()", [GB_ASK_METRICS] = "metrics()",
		[GB_ASK_COUNTS] = "a count",      [GB_ASK_CHILDREN] = "a count",
		[GB_ASK_END] = "destroy()",
	};

	return names[word];
}

enum gb_status gb_process_ask(struct gb_process *p, struct gb_message *message,
			      struct gb_error *err)
{
	struct pollfd ready = { .fd = p->socket, .events = POLLIN };
	const double end_ns = gb_now_ns() + p->timeout_s * 1e9;
	const char *what = name_of(message->word);
	const uint64_t ticket = gb_secret();
	int events = 0;

	if (!p->pid)
		return gb_fail(err, GB_ERUNTIME, "the plug-in's process has ended");
	message->ticket = ticket;
	if (!gb_message_send(p->socket, message))
		return explain(p, what, false, err);
	while (events <= 0) {
		const double left_ms = (end_ns - gb_now_ns()) * 1e-6;

		if (gb_interrupted) {
			gb_process_stop(p);
			return gb_fail(err, GB_EINTERRUPTED, "interrupted");
		}
		if (left_ms <= 0)
			return explain(p, what, true, err);
		events = poll(&ready, 1, (int)fmin(left_ms + 1, 250));
		if (events < 0 && errno != EINTR)
			return explain(p, what, false, err);
	}
	if (!gb_message_receive(p->socket, message))
		return explain(p, what, false, err);
	if (message->ticket != ticket) {
		gb_process_stop(p);
		return gb_fail(err, GB_EVERIFY,
			       "in %s, there was an answer that is not the program's", what);
	}
	gb_take_text(message->text, sizeof message->text, message->text);
	memcpy(p->peak, message->peak, sizeof p->peak);
	if (message->word == GB_OK)
		return GB_OK;
	return gb_fail(err,
		       message->word == GB_EUNAVAILABLE || message->word == GB_EMEMORY
			       ? (enum gb_status)message->word
			       : GB_ERUNTIME,
		       "%s", message->text);
}
