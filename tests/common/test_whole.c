/* test_whole.c -- files that are written whole, or not at all. */
#include "common/whole.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

#include "common/text.h"
#include "tests/file_of.h"

static char folder[] = "/tmp/gpubench-whole-XXXXXX";

static void enter(void)
{
	cr_assert(mkdtemp(folder) && !chdir(folder));
}

static void leave(void)
{
	static const char *const names[] = { "file", "link", "file.part", "other", "pipe" };

	for (size_t i = 0; i < GB_COUNT(names); i++)
		(void)unlink(names[i]);
	(void)rmdir(folder);
}

TestSuite(whole, .init = enter, .fini = leave);

/* Write a file; the message, or "". */
static const char *wrote(const char *path, const char *text, bool keep)
{
	static struct gb_error err;
	struct gb_whole whole = { 0 };
	const size_t files = open_files();

	err = (struct gb_error){ 0 };
	if (!gb_whole_open(&whole, path, &err))
		(void)fputs(text, whole.stream);
	cr_expect(eq(int, (int)gb_whole_close(&whole, keep, &err), (int)err.code));
	cr_expect(whole.stream == NULL && whole.part == NULL && whole.place == NULL);
	cr_expect(eq(sz, open_files(), files));
	return err.message;
}

static void expect_file(const char *wanted)
{
	char text[64] = "";
	FILE *file = fopen("file", "r");

	text[file ? fread(text, 1, sizeof text - 1, file) : 0] = '\0';
	if (file)
		(void)fclose(file);
	cr_expect(eq(str, text, (char *)wanted));
}

Test(whole, files)
{
	struct stat info;

	cr_expect(eq(str, (char *)wrote("file", "one", true), ""));
	expect_file("one");
	cr_expect(eq(str, (char *)wrote("file", "two", false), ""));
	expect_file("one");
	cr_expect(ne(int, access("file.part", F_OK), 0));
	cr_assert(zero(int, chmod("file", 0640)));
	cr_assert(zero(int, symlink("file", "link")));
	cr_expect(eq(str, (char *)wrote("link", "three", true), ""));
	expect_file("three");
	cr_assert(zero(int, stat("file", &info)));
	cr_expect(eq(uint, info.st_mode & 0777, 0640));
	cr_assert(zero(int, lstat("link", &info)));
	cr_expect(eq(uint, info.st_mode & S_IFMT, S_IFLNK));
}

Test(whole, failures)
{
	static const char text[] = "more than fits in a buffer of stdio is not needed";
	struct gb_error err = { 0 };
	int held;

	cr_expect(eq(str, (char *)wrote("/dev/null", text, true), ""));
	cr_expect(eq(str, (char *)wrote("/dev/full", text, true),
		     "cannot write /dev/full: No space left on device"));
	cr_expect(eq(str, (char *)wrote("no/such", text, true),
		     "cannot write no/such: No such file or directory"));
	cr_expect(eq(str, (char *)wrote(".", text, true), "cannot write .: Is a directory"));
	cr_assert(zero(int, symlink("other", "file.part")));
	cr_expect(strlen(wrote("file", text, true)) > 0, "the part is a link");
	(void)unlink("file.part");
	/* A lock holds until the file is closed. */
	held = gb_open_locked("file.part", "file", O_WRONLY, &err);
	cr_assert(held >= 0 && !err.code);
	cr_expect(eq(str, (char *)wrote("other", text, true), ""), "another file");
	cr_expect(eq(int, gb_open_locked("file.part", "file", O_WRONLY, &err), -1));
	cr_expect(eq(int, (int)err.code, GB_EIO));
	cr_expect(eq(str, err.message, "cannot write file: another process is writing it"));
	cr_expect(eq(int, gb_open_locked("no/such", "file", O_WRONLY, &err), -1));
	(void)close(held);
	(void)unlink("file.part");
	expect_file("");
	cr_expect(eq(str, (char *)wrote("file", "end", true), ""));
	expect_file("end");
}

/* A new file gets the permissions that the process gives. */
Test(whole, permissions)
{
	struct stat info;

	(void)umask(0);
	cr_expect(eq(str, (char *)wrote("file", "text", true), ""));
	cr_assert(zero(int, stat("file", &info)));
	cr_expect(eq(uint, info.st_mode & 07777, 0666));
}

static void note(int number)
{
	(void)number;
}

Test(whole, interrupted)
{
	const struct itimerval soon = { .it_value = { .tv_usec = 30000 } };
	const struct sigaction action = { .sa_handler = note };
	struct gb_whole whole;
	struct gb_error err = { 0 };

	cr_assert(zero(int, mkfifo("pipe", 0600)));
	(void)sigaction(SIGALRM, &action, NULL);
	(void)setitimer(ITIMER_REAL, &soon, NULL);
	cr_expect(eq(int, (int)gb_whole_open(&whole, "pipe", &err), GB_EINTERRUPTED));
	cr_expect(eq(str, err.message, "interrupted"));
}
