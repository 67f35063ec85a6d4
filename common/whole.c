/* whole.c -- writes files atomically and locks them. */
#include "common/whole.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

static enum gb_status cannot_write(const char *path, struct gb_error *err)
{
	if (errno == EINTR)
		return gb_fail(err, GB_EINTERRUPTED, "interrupted");
	return gb_fail(err, GB_EIO, "cannot write %s: %s", path,
		       errno ? strerror(errno) : "write error");
}

int gb_open_locked(const char *path, const char *name, int flags, struct gb_error *err)
{
	struct stat opened, there;

	/* A previous lock holder may have renamed or removed the file we opened: try again. */
	for (int tries = 0; tries < 10; tries++) {
		const int file = open(path, flags | O_CREAT | O_CLOEXEC | O_NOCTTY, 0666);

		if (file < 0 || fstat(file, &opened)) {
			(void)cannot_write(name, err);
			if (file >= 0)
				(void)close(file);
			return -1;
		}
		if (!S_ISREG(opened.st_mode))
			return file;
		if (flock(file, LOCK_EX | LOCK_NB) && errno == EWOULDBLOCK) {
			(void)close(file);
			break;
		}
		if (stat(path, &there) == 0 && there.st_ino == opened.st_ino &&
		    there.st_dev == opened.st_dev)
			return file;
		(void)close(file);
	}
	gb_fail(err, GB_EIO, "cannot write %s: another process is writing it", name);
	return -1;
}

/* The path with symbolic links resolved, if the file exists.  NULL if memory ran out. */
static char *place_of(const char *path)
{
	char *place = realpath(path, NULL);

	return place || errno == ENOMEM ? place : strdup(path);
}

/* A new file gets the permissions of the one it replaces. */
static enum gb_status open_part(struct gb_whole *whole, const char *path, const struct stat *old,
				struct gb_error *err)
{
	int file;

	if (asprintf(&whole->part, "%s.part", whole->place) < 0) {
		whole->part = NULL;
		return gb_out_of_memory(err, NULL);
	}
	file = gb_open_locked(whole->part, path, O_WRONLY | O_NOFOLLOW, err);
	if (file < 0)
		return err->code;
	if (old)
		(void)fchmod(file, old->st_mode & 0777);
	whole->stream = ftruncate(file, 0) == 0 ? fdopen(file, "w") : NULL;
	if (!whole->stream) {
		(void)cannot_write(path, err);
		(void)unlink(whole->part);
		(void)close(file);
	}
	return err->code;
}

static void forget(struct gb_whole *whole)
{
	free(whole->place);
	free(whole->part);
	*whole = (struct gb_whole){ 0 };
}

enum gb_status gb_whole_open(struct gb_whole *whole, const char *path, struct gb_error *err)
{
	struct stat info;
	const bool exists = stat(path, &info) == 0;

	*whole = (struct gb_whole){ .place = place_of(path) };
	if (!whole->place)
		return gb_out_of_memory(err, NULL);
	if (exists && !S_ISREG(info.st_mode)) {
		whole->stream = fopen(path, "we");
		if (!whole->stream)
			(void)cannot_write(path, err);
	} else {
		(void)open_part(whole, path, exists ? &info : NULL, err);
	}
	if (err->code)
		forget(whole);
	errno = 0; /* so that gb_whole_close() reports only errors of writes */
	return err->code;
}

enum gb_status gb_whole_close(struct gb_whole *whole, bool keep, struct gb_error *err)
{
	bool failed;

	if (!whole->stream)
		return err->code;
	failed = fflush(whole->stream) != 0 || ferror(whole->stream);
	/* Rename while the lock is held: closing the descriptor releases it. */
	if (!failed && keep && whole->part)
		failed = rename(whole->part, whole->place) != 0;
	if (failed)
		(void)cannot_write(whole->place, err);
	if (whole->part && (failed || !keep))
		(void)unlink(whole->part);
	if (fclose(whole->stream) && !failed && keep)
		(void)cannot_write(whole->place, err);
	forget(whole);
	return err->code;
}
