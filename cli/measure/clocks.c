/* clocks.c -- see clocks.h. */
#include "cli/measure/clocks.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/nvml.h"
#include "common/text.h"

enum { REASON = 128, MAX_FILES = 4096 };

/* The message to the guard. */
struct lock {
	char pci[32];
	unsigned mhz;
};

/* Read or write a message; false at the other's end. */
static bool transfer(int file, void *data, size_t size, bool reads)
{
	ssize_t n;

	do
		n = reads ? recv(file, data, size, 0) : send(file, data, size, MSG_NOSIGNAL);
	while (n < 0 && errno == EINTR);
	return n == (ssize_t)size;
}

/* The guard: signals to the terminal's processes are not for it. */
static _Noreturn void guard(int file)
{
	static const int ignored[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP };
	char reason[REASON] = "", end;
	struct lock lock;

	for (size_t i = 0; i < GB_COUNT(ignored); i++)
		(void)signal(ignored[i], SIG_IGN);
	(void)setsid();
	/* Hold no file, lock or pipe of the parent. */
	if (dup2(file, STDIN_FILENO) < 0)
		_exit(1);
	for (int fd = STDIN_FILENO + 1; fd < MAX_FILES; fd++)
		(void)close(fd);
	if (transfer(STDIN_FILENO, &lock, sizeof lock, true)) {
		gb_nvml_lock_clocks(lock.pci, lock.mhz, reason, sizeof reason);
		(void)transfer(STDIN_FILENO, reason, sizeof reason, false);
		if (!reason[0]) {
			(void)transfer(STDIN_FILENO, &end, 1, true);
			gb_nvml_reset_clocks(lock.pci);
		}
	}
	_exit(0);
}

void gb_clocks_start(struct gb_clocks *clocks)
{
	int file[2];

	*clocks = (struct gb_clocks){ 0 };
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, file))
		return;
	clocks->guard = fork();
	if (clocks->guard == 0)
		guard(file[1]);
	(void)close(file[1]);
	clocks->socket = file[0];
	if (clocks->guard > 0)
		return;
	(void)close(file[0]);
	*clocks = (struct gb_clocks){ 0 };
}

const char *gb_clocks_lock(struct gb_clocks *clocks, const char *pci, unsigned mhz)
{
	static char reason[REASON];
	struct lock lock = { .mhz = mhz };

	(void)snprintf(lock.pci, sizeof lock.pci, "%s", pci);
	if (!clocks->guard || !transfer(clocks->socket, &lock, sizeof lock, false) ||
	    !transfer(clocks->socket, reason, sizeof reason, true))
		return "no process could be started that restores them";
	return reason[0] ? reason : NULL;
}

void gb_clocks_end(struct gb_clocks *clocks)
{
	if (!clocks->guard)
		return;
	(void)close(clocks->socket);
	while (waitpid(clocks->guard, NULL, 0) < 0 && errno == EINTR)
		;
	*clocks = (struct gb_clocks){ 0 };
}
