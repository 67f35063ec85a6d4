/* inputs.c -- reads the record files that a command's words name, with warnings. */
#include "cli/commands/inputs.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/text.h"

/* True if the file is also standard output: the output would be read back, or has already
 * overwritten the records. */
static bool is_standard_output(const char *path)
{
	struct stat in, out;

	return !stat(path, &in) && !fstat(STDOUT_FILENO, &out) && S_ISREG(in.st_mode) &&
	       in.st_ino == out.st_ino && in.st_dev == out.st_dev;
}

static void warn(const char *path, const char *what)
{
	(void)fputs("gpubench: ", stderr);
	gb_text_print(stderr, path);
	(void)fputs(what, stderr);
}

/* A name that is not one file's is a folder or, where other programs take one, a list. */
static enum gb_status check_path(const char *path, struct gb_error *err)
{
	struct stat info;

	if (!stat(path, &info) && S_ISDIR(info.st_mode))
		return gb_fail(err, GB_EUSAGE, "%.300s is a folder: name its files, as in *.jsonl",
			       path);
	if (strchr(path, ',') && stat(path, &info))
		return gb_fail(err, GB_EUSAGE, "%.300s: %s; separate the names of files by blanks",
			       path, strerror(errno));
	return GB_OK;
}

static enum gb_status read_file(struct gb_records *records, const char *path, bool whole,
				struct gb_error *err)
{
	static const char cut_off[] = ": the last line is incomplete (its writer was killed?)";
	const size_t before = records->count, runs = records->context_count;
	char text[96];
	size_t dropped;

	records->truncated = false;
	if (is_standard_output(path))
		return gb_fail(err, GB_EUSAGE, "%s is also standard output", path);
	if (check_path(path, err) || gb_records_read(path, records, err) ||
	    gb_records_drop_repeated(records, before, runs, &dropped, err))
		return err->code;
	(void)snprintf(text, sizeof text, ": read twice, counted once: %zu lines\n", dropped);
	if (dropped)
		warn(path, text);
	if (records->truncated && whole)
		return gb_fail(err, GB_EUSAGE, "%s%s", path, cut_off);
	(void)snprintf(text, sizeof text, "%s; ignored\n", cut_off);
	if (records->truncated)
		warn(path, text);
	return GB_OK;
}

enum gb_status gb_read_files(struct gb_records *records, const char *const *path, size_t count,
			     bool whole, struct gb_error *err)
{
	for (size_t i = 0; i < count && !err->code; i++)
		(void)read_file(records, path[i], whole, err);
	return err->code;
}
