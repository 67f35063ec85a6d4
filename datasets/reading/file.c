/* file.c -- see file.h. */
#include "datasets/reading/file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <strings.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/memory.h"
#include "common/text.h"

int gb_file_open(const char *path, const char *what, size_t *size, struct gb_error *err)
{
	/* O_NONBLOCK: opening a pipe without a writer must not hang. */
	const int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat info;

	if (file < 0 || fstat(file, &info)) {
		gb_fail(err, GB_EUSAGE, "%s: %s", path, strerror(errno));
	} else if (S_ISDIR(info.st_mode)) {
		gb_fail(err, GB_EUSAGE, "%s is a directory, not %s", path, what);
	} else if (!S_ISREG(info.st_mode)) {
		gb_fail(err, GB_EUSAGE, "%s is not a regular file", path);
	} else {
		*size = (size_t)info.st_size;
		return file;
	}
	if (file >= 0)
		(void)close(file);
	return -1;
}

enum gb_status gb_file_read(int file, const char *path, size_t from, void *buffer, size_t bytes,
			    struct gb_error *err)
{
	const size_t most = (size_t)1 << 30;
	char *to = buffer;

	for (size_t done = 0; done < bytes;) {
		const size_t want = bytes - done < most ? bytes - done : most;
		const ssize_t got = pread(file, to + done, want, (off_t)(from + done));

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return gb_fail(err, GB_EUSAGE, "%s: %s at byte %zu", path, strerror(errno),
				       from + done);
		if (got == 0)
			return gb_fail(err, GB_EUSAGE, "%s ended at byte %zu of %zu", path,
				       from + done, from + bytes);
		done += (size_t)got;
	}
	return GB_OK;
}

/* Bytes in the whole pages of a file of that size, and in all pages that a mapping of it takes:
 * one more, for the rest of the file and the newline behind it. */
static size_t whole_pages(size_t size)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);

	return size / page * page;
}

static size_t mapped_bytes(size_t size)
{
	return whole_pages(size) + (size_t)sysconf(_SC_PAGESIZE);
}

/* A dry run reads no file above this: who plans does not wait. */
static const size_t DRY_MOST = (size_t)1 << 30;

/* The whole pages are mapped, over memory of which the last page stays: the rest of the file is
 * read into that one. */
char *gb_file_map(int file, const char *path, size_t size, struct gb_error *err)
{
	const size_t whole = whole_pages(size);
	char text[GB_TEXT_MAX];
	char *bytes;

	if (gb_memory_is_dry() && size > DRY_MOST) {
		gb_fail(err, GB_EUNAVAILABLE, "%s has %s, more than a dry run reads", path,
			gb_text_bytes(text, (double)size));
		return NULL;
	}
	bytes = mmap(NULL, mapped_bytes(size), PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (bytes == MAP_FAILED) {
		gb_fail(err, GB_EUSAGE, "%s: %s", path, strerror(errno));
		return NULL;
	}
	if (whole && mmap(bytes, whole, PROT_READ, MAP_PRIVATE | MAP_FIXED | MAP_POPULATE, file,
			  0) == MAP_FAILED)
		gb_fail(err, GB_EUSAGE, "%s: %s", path, strerror(errno));
	else if (!gb_file_read(file, path, whole, bytes + whole, size - whole, err)) {
		bytes[size] = '\n';
		return bytes;
	}
	gb_file_unmap(bytes, size);
	return NULL;
}

void gb_file_unmap(char *bytes, size_t size)
{
	if (bytes)
		(void)munmap(bytes, mapped_bytes(size));
}

bool gb_has_ending(const char *path, const char *ending)
{
	const size_t length = strlen(path), tail = strlen(ending);

	return length >= tail && !strcasecmp(path + length - tail, ending);
}
