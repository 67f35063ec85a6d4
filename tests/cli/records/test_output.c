/* test_output.c -- what opening, appending to and closing an output leave in its file. */
#include "cli/records/output.h"

#include <criterion/criterion.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

#include "common/text.h"
#include "tests/line_of.h"

#define OLD                                                                                       \
	"{\"type\":\"record\",\"schema\":2,\"run_id\":\"1\",\"bench\":\"toy\",\"backend\":"       \
	"\"cpu\","                                                                                \
	"\"variant\":\"v\",\"key\":\"k\",\"params\":{},\"status\":\"ok\",\"verify\":{\"result\":" \
	"\"pass\"}}"
#define CUT "{\"type\":\"re"
#define PUT OLD "\n" OLD "\n"

static char folder[32], path[64];

static void make_folder(void)
{
	(void)strcpy(folder, "/tmp/gpubench-output-XXXXXX");
	cr_assert(mkdtemp(folder));
}

static void remove_folder(void)
{
	(void)unlink(path);
	cr_expect_eq(rmdir(folder), 0, "something is left in %s", folder);
}

TestSuite(output, .init = make_folder, .fini = remove_folder);

/* NULL: there is no file. */
static void put_file(const char *name, const char *text)
{
	FILE *file;

	(void)snprintf(path, sizeof path, "%s/%s", folder, name);
	(void)unlink(path);
	if (!text)
		return;
	file = fopen(path, "w");
	(void)fputs(text, file);
	(void)fclose(file);
}

static void expect_file(const char *text, size_t row)
{
	FILE *file = fopen(path, "r");
	char found[2048];

	cr_expect_eq(file != NULL, text != NULL, "row %zu", row);
	if (!file)
		return;
	found[fread(found, 1, sizeof found - 1, file)] = '\0';
	(void)fclose(file);
	cr_expect_str_eq(found, text, "row %zu: %s", row, found);
}

static void put_twice(struct gb_output *output, struct gb_error *err)
{
	struct gb_records list = { 0 };

	for (int i = 0; i < 2; i++) {
		add_line_of(&list, OLD);
		cr_expect_eq(gb_output_put(output, &list, err), err->code);
	}
	gb_records_release(&list);
}

Test(output, lines)
{
	enum { OPEN, INHERIT, SHARE };
	static const struct {
		const char *before, *after;
		int way;
		enum gb_existing existing;
		bool puts;
		const char *refusal;
	} row[] = {
		{ NULL, PUT, OPEN, GB_REFUSE, true, NULL },
		{ NULL, NULL, OPEN, GB_REFUSE, false, NULL },
		{ "", PUT, OPEN, GB_REFUSE, true, NULL },
		{ "", "", OPEN, GB_REFUSE, false, NULL },
		{ OLD, OLD, OPEN, GB_REFUSE, true,
		  "exists: --overwrite replaces it, --resume adds to it" },
		{ OLD, PUT, OPEN, GB_OVERWRITE, true, NULL },
		{ OLD, OLD, OPEN, GB_OVERWRITE, false, NULL },
		{ NULL, PUT, OPEN, GB_RESUME, true, NULL },
		{ "", PUT, OPEN, GB_RESUME, true, NULL },
		{ OLD "\n", OLD "\n" PUT, OPEN, GB_RESUME, true, NULL },
		{ OLD, OLD "\n" PUT, OPEN, GB_RESUME, true, NULL },
		{ OLD "\n" CUT, OLD "\n" PUT, OPEN, GB_RESUME, true, NULL },
		{ OLD "\n" CUT, OLD "\n" CUT, OPEN, GB_RESUME, false, NULL },
		{ CUT, PUT, OPEN, GB_RESUME, true, NULL },
		{ "[" OLD "]", "[" OLD "]", OPEN, GB_RESUME, true,
		  "is packed or a document, not JSON lines" },
		{ "no\n", "no\n", OPEN, GB_RESUME, true, ":1: is not valid JSON" },
		{ OLD "\n", OLD "\n" PUT, INHERIT, GB_REFUSE, true, NULL },
		{ OLD "\n", PUT, INHERIT, GB_OVERWRITE, true, NULL },
		{ OLD "\n", OLD "\n" PUT, SHARE, GB_OVERWRITE, true, NULL },
	};

	for (size_t i = 0; i < GB_COUNT(row); i++) {
		struct gb_output output = { 0 };
		struct gb_records past = { 0 };
		struct gb_error err = { 0 };
		const enum gb_existing existing = row[i].existing;

		put_file("a.jsonl", row[i].before);
		if (row[i].way == OPEN)
			cr_expect_eq(gb_output_open(&output, path, existing, &err), err.code);
		else
			gb_output_inherit(&output, path, open(path, O_RDWR | O_APPEND),
					  row[i].way == SHARE, existing);
		if (!err.code && existing == GB_RESUME)
			cr_expect_eq(gb_output_past(&output, &past, &err), err.code);
		if (!err.code && row[i].puts)
			put_twice(&output, &err);
		cr_expect_eq(err.code, row[i].refusal ? GB_EUSAGE : GB_OK, "row %zu: %s", i,
			     err.message);
		cr_expect(!row[i].refusal || strstr(err.message, row[i].refusal), "row %zu: %s", i,
			  err.message);
		cr_expect_eq(gb_output_close(&output, &err), err.code);
		expect_file(row[i].after, i);
		gb_records_release(&past);
	}
}

/* All lines of a list, in one append. */
Test(output, lists)
{
	struct gb_output output = { 0 };
	struct gb_records list = { 0 };
	struct gb_error err = { 0 };

	add_line_of(&list, "{\"type\":\"run\"}");
	add_line_of(&list, OLD);
	put_file("a.jsonl", NULL);
	cr_expect_eq(gb_output_put(&output, &list, &err), GB_OK); /* no output */
	cr_assert_eq(gb_output_open(&output, path, GB_REFUSE, &err), GB_OK);
	cr_expect_eq(gb_output_put(&output, &list, &err), GB_OK);
	cr_expect_eq(gb_output_close(&output, &err), GB_OK);
	expect_file("{\"type\":\"run\",\"schema\":2,\"run_id\":\"1\"}\n" OLD "\n", 0);
	gb_records_release(&list);
}

Test(output, no_file_that_could_be_read_again)
{
	struct gb_output output;
	struct gb_error err = { 0 };

	put_file("a.jsonl", NULL);
	cr_assert_eq(mkfifo(path, 0600), 0);
	cr_expect_eq(gb_output_open(&output, path, GB_RESUME, &err), GB_EUSAGE);
	cr_expect(strstr(err.message, "a.jsonl is not a regular file"), "%s", err.message);
}

/* A file that cannot be shortened is not added to. */
Test(output, a_file_that_cannot_be_replaced)
{
	const int file = memfd_create("output", MFD_ALLOW_SEALING);
	struct gb_output output;
	struct gb_error err = { 0 };
	char text[16] = "";

	cr_assert_eq(write(file, "old", 3), 3);
	cr_assert_eq(fcntl(file, F_ADD_SEALS, F_SEAL_SHRINK), 0);
	gb_output_inherit(&output, "a.jsonl", file, false, GB_OVERWRITE);
	cr_expect_eq(gb_output_begin(&output, &err), GB_EIO);
	put_twice(&output, &err);
	cr_expect_str_eq(err.message, "cannot write a.jsonl: Operation not permitted");
	cr_expect_eq(pread(file, text, sizeof text - 1, 0), 3);
	cr_expect_str_eq(text, "old");
	cr_expect_eq(gb_output_close(&output, &err), GB_EIO);
}

/* Files that cannot be written; `text` is the message, but for the path. */
Test(output, refused)
{
	enum { OPEN, OVERWRITE, SHARED, READ_ONLY };
	static const struct {
		const char *name; /* in the folder */
		int way;
		const char *text;
	} row[] = {
		{ "no/a.jsonl", OPEN, ": No such file or directory" },
		{ ".jsonl", OPEN, ": Is a directory" },
		{ "a.jsonl", OVERWRITE, ": Bad file descriptor" },
		{ "a.jsonl", SHARED, ": Bad file descriptor" },
		{ "a.jsonl", READ_ONLY, ": Bad file descriptor" },
	};

	for (size_t i = 0; i < GB_COUNT(row); i++) {
		struct gb_output output = { 0 };
		struct gb_error err = { 0 };
		char wanted[128];
		const int closed = 1000;

		(void)snprintf(path, sizeof path, "%s/%s", folder, row[i].name);
		(void)snprintf(wanted, sizeof wanted, "cannot write %s%s", path, row[i].text);
		if (row[i].way == OPEN && gb_equal(row[i].name, ".jsonl"))
			cr_assert_eq(mkdir(path, 0700), 0);
		if (row[i].way == OPEN)
			cr_expect_eq(gb_output_open(&output, path, GB_REFUSE, &err), GB_EIO);
		else if (row[i].way == SHARED)
			gb_output_inherit(&output, path, closed, true, GB_OVERWRITE);
		else if (row[i].way == OVERWRITE)
			gb_output_inherit(&output, path, closed, false, GB_OVERWRITE);
		else
			gb_output_inherit(&output, path,
					  row[i].way == READ_ONLY ? open("/dev/null", O_RDONLY)
								  : closed,
					  false, GB_RESUME);
		if (!err.code)
			put_twice(&output, &err);
		cr_expect_eq(err.code, GB_EIO, "row %zu", i);
		cr_expect_str_eq(err.message, wanted, "row %zu: %s", i, err.message);
		if (row[i].way == OPEN) {
			cr_expect(!output.to_lines && !output.path, "row %zu: not closed", i);
			(void)rmdir(path);
		}
	}
}

/* A file that cannot be emptied, because it has no end, is written nevertheless. */
Test(output, a_device)
{
	struct gb_output output;
	struct gb_error err = { 0 };

	put_file("a.jsonl", NULL);
	cr_assert_eq(symlink("/dev/null", path), 0);
	cr_assert_eq(gb_output_open(&output, path, GB_OVERWRITE, &err), GB_OK);
	put_twice(&output, &err);
	cr_expect_eq(gb_output_close(&output, &err), GB_OK, "%s", err.message);
}

Test(output, without_standard_input)
{
	struct gb_output output;
	struct gb_error err = { 0 };

	put_file("a.jsonl", NULL);
	(void)close(STDIN_FILENO);
	cr_assert_eq(gb_output_open(&output, path, GB_REFUSE, &err), GB_OK);
	cr_expect_eq(output.file, STDIN_FILENO);
	put_twice(&output, &err);
	cr_expect_eq(gb_output_close(&output, &err), GB_OK);
	expect_file(PUT, 0);
}

static void note(int number)
{
	(void)number;
}

/* A process waits for the lock of another one, whatever signals come. */
Test(output, shared_with_a_process)
{
	const struct itimerval soon = { .it_value = { .tv_usec = 30000 } };
	const struct sigaction action = { .sa_handler = note };
	struct flock whole = { .l_type = F_WRLCK, .l_whence = SEEK_SET };
	struct gb_output output;
	struct gb_error err = { 0 };
	int ready[2];
	char byte;
	int file;

	put_file("a.jsonl", "");
	file = open(path, O_RDWR | O_APPEND);
	cr_assert_eq(pipe(ready), 0);
	if (fork() == 0) {
		(void)fcntl(file, F_SETLKW, &whole);
		(void)!write(ready[1], "x", 1);
		(void)usleep(150000);
		(void)!write(file, "first\n", 6);
		_exit(0);
	}
	cr_assert_eq(read(ready[0], &byte, 1), 1);
	gb_output_inherit(&output, path, file, true, GB_REFUSE);
	(void)sigaction(SIGALRM, &action, NULL);
	(void)setitimer(ITIMER_REAL, &soon, NULL);
	put_twice(&output, &err);
	cr_expect_eq(gb_output_close(&output, &err), GB_OK);
	expect_file("first\n" PUT, 0);
}
