/* exec.c -- linked with the unit tests of another machine: what they start runs under qemu, too.
 *
 * qemu-user leaves execve() to the kernel, which cannot start such a program unless binfmt_misc is
 * set up, and that takes root.  QEMU_COMMAND is the path of qemu.  Criterion starts a process per
 * test.
 */
#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* True if the file is a program of this machine. */
static int is_ours(const char *path)
{
	const int file = open(path, O_RDONLY | O_CLOEXEC);
	Elf64_Ehdr header;
	int ours;

	if (file < 0)
		return 0;
	ours = read(file, &header, sizeof header) == (ssize_t)sizeof header &&
	       memcmp(header.e_ident, ELFMAG, SELFMAG) == 0 && header.e_machine == EM_AARCH64;
	(void)close(file);
	return ours;
}

enum { OWN = 3, MOST = 1000 }; /* words of qemu before the program's, and at most of those */

/* The words that run the program, in `room` if it needs qemu.  NULL if there are too many. */
static char *const *words_of(const char *path, char *const *argv, char *room[OWN + MOST + 1])
{
	static char zero[] = "-0", self[4096];
	char *qemu = getenv("QEMU_COMMAND");
	size_t count = 0;

	if (!qemu || !is_ours(path))
		return argv;
	room[0] = qemu;
	room[1] = zero;
	room[2] = argv[0];
	room[3] = (char *)path;
	if (strcmp(path, "/proc/self/exe") == 0 && readlink(path, self, sizeof self - 1) > 0)
		room[3] = self; /* otherwise it would be qemu */
	while (argv[count] && count < MOST)
		count++;
	for (size_t i = 1; i <= count; i++)
		room[OWN + i] = argv[i];
	return count < MOST ? room : NULL;
}

int execve(const char *path, char *const *argv, char *const *environment)
{
	int (*real)(const char *, char *const *, char *const *);
	char *room[OWN + MOST + 1];
	char *const *words = words_of(path, argv, room);

	*(void **)&real = dlsym(RTLD_NEXT, "execve");
	errno = E2BIG;
	return words ? real(words == argv ? path : words[0], words, environment) : -1;
}

int execv(const char *path, char *const *argv)
{
	return execve(path, argv, environ);
}

int posix_spawn(pid_t *pid, const char *path, const posix_spawn_file_actions_t *actions,
		const posix_spawnattr_t *attributes, char *const *argv, char *const *environment)
{
	int (*real)(pid_t *, const char *, const posix_spawn_file_actions_t *,
		    const posix_spawnattr_t *, char *const *, char *const *);
	char *room[OWN + MOST + 1];
	char *const *words = words_of(path, argv, room);

	*(void **)&real = dlsym(RTLD_NEXT, "posix_spawn");
	return words ? real(pid, words == argv ? path : words[0], actions, attributes, words,
			    environment)
		     : E2BIG;
}
