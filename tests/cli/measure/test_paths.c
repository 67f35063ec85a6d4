/* test_paths.c -- files that a sweep would write: where they cannot be, and which they may not
 * replace.
 */
#include "cli/measure/paths.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/text.h"

struct toy_params {
	const char *file, *write;
};

static const struct gb_param rows[] = {
	{ .name = "file", GB_AT(GB_PATH, struct toy_params, file) },
	{ .name = "write", GB_AT(GB_PATH, struct toy_params, write), .written = true },
};
static const struct gb_workload workload = { .name = "toy",
					     .params = rows,
					     .param_count = GB_COUNT(rows),
					     .params_size = sizeof(struct toy_params) };

static char folder[] = "/tmp/gpubench-paths-XXXXXX";

static void put_file(const char *name, const char *text)
{
	FILE *file = fopen(name, "w");

	cr_assert(file != NULL, "%s", name);
	(void)fputs(text, file);
	(void)fclose(file);
}

/* Files with contents: a, which is also b, and n0. */
static void enter(void)
{
	cr_assert(mkdtemp(folder) && chdir(folder) == 0 && mkdir("dir", 0700) == 0);
	put_file("a", "text");
	put_file("n0", "text");
	put_file("empty", "");
	cr_assert(link("a", "b") == 0 && mkfifo("fifo", 0600) == 0);
}

static void leave(void)
{
	char command[64];

	(void)snprintf(command, sizeof command, "rm -r %s", folder);
	(void)!system(command);
}

#define REPLACES " exists: --overwrite replaces it"

Test(paths, written, .init = enter, .fini = leave)
{
	static const struct {
		const char *words, *output;
		int64_t overwrite, resume, launch;
		enum gb_status code;
		const char *message;
	} row[] = {
		{ "--file=a --write=new", NULL, 0, 0, 0, GB_OK, "" },
		{ "--file=a --write=new", "other", 0, 0, 0, GB_OK, "" },
		{ "--write=empty", NULL, 0, 0, 0, GB_OK, "" },
		{ "--write=dir/new", NULL, 0, 0, 0, GB_OK, "" },
		{ "--write=fifo", NULL, 0, 0, 0, GB_OK, "" },
		{ "--file=fifo --write=fifo", NULL, 0, 0, 0, GB_OK, "" },
		{ "--write=a", NULL, 0, 0, 0, GB_EUSAGE, "--write: a" REPLACES },
		{ "--write=a", NULL, 0, 0, 0, GB_EUSAGE, "--write: a" REPLACES },
		{ "--write=new,a", NULL, 0, 0, 0, GB_EUSAGE, "--write: a" REPLACES },
		{ "--write=a", NULL, 1, 0, 0, GB_OK, "" },
		{ "--write=a", NULL, 0, 1, 0, GB_OK, "" },
		{ "--write=a", NULL, 0, 0, 1, GB_OK, "" },
		{ "--write=n#", NULL, 0, 0, 0, GB_OK, "" },
		{ "--write=dir", NULL, 1, 0, 0, GB_EIO, "cannot write dir: Is a directory" },
		{ "--write=no/new", NULL, 0, 0, 0, GB_EIO,
		  "cannot write no/new: No such file or directory" },
		{ "--file=a --write=a", NULL, 1, 0, 0, GB_EUSAGE,
		  "--write=a is the file that --file reads" },
		{ "--file=a --write=b", NULL, 1, 0, 0, GB_EUSAGE,
		  "--write=b is the file that --file reads" },
		{ "--file=n0,a --write=b", NULL, 1, 0, 0, GB_EUSAGE,
		  "--write=b is the file that --file reads" },
		{ "--file=new --write=new", NULL, 0, 0, 0, GB_EUSAGE,
		  "--write=new is the file that --file reads" },
		{ "--file=new --write=newer", NULL, 0, 0, 0, GB_OK, "" },
		{ "--file=a --write=n0", NULL, 1, 0, 0, GB_OK, "" },
		{ "--write=new", "new", 0, 0, 0, GB_EUSAGE, "--write=new is the file of --output" },
		{ "--write=b", "a", 1, 0, 0, GB_EUSAGE, "--write=b is the file of --output" },
		{ "--file=a", "b", 1, 0, 0, GB_EUSAGE, "--output=b is the file that --file reads" },
		{ "--file=a", "n0", 0, 0, 0, GB_OK, "" },
	};

	for (size_t i = 0; i < GB_COUNT(row); i++) {
		const struct gb_request request = {
			.target = { .path = row[i].output,
				    .overwrite = row[i].overwrite,
				    .resume = row[i].resume },
			.repeats = { .launch = row[i].launch },
		};
		struct gb_sweep sweep = { 0 };
		struct gb_error err = { 0 };

		cr_assert(zero(int, (int)gb_sweep_words(&sweep, &workload, row[i].words, &err)));
		cr_expect(eq(int, (int)gb_paths_check(&request, &sweep, &err), (int)row[i].code),
			  "row %zu", i);
		cr_expect(eq(str, err.message, (char *)row[i].message), "row %zu", i);
		gb_sweep_release(&sweep);
	}
}
