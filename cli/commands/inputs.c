#include "cli/commands/inputs.h"

#include <sys/stat.h>
#include <unistd.h>

#include "common/text.h"

/* What is printed would be read again, or has taken the place of what was there. */
static bool is_standard_output(const char *path)
{
	struct stat in, out;

	return !stat(path, &in) && !fstat(STDOUT_FILENO, &out) && S_ISREG(in.st_mode) &&
	       in.st_ino == out.st_ino && in.st_dev == out.st_dev;
}

/* One file.  records->truncated tells whether it was cut off. */
static enum gb_status read_file(struct gb_records *records, const char *path, struct gb_error *err)
{
	records->truncated = false;
	if (is_standard_output(path))
		return gb_fail(err, GB_EUSAGE, "%s is standard output, too", path);
	return gb_records_read(path, records, err);
}

enum gb_status gb_read_files(struct gb_records *records, const char *const *path, size_t count,
			     struct gb_error *err)
{
	for (size_t i = 0; i < count; i++) {
		if (read_file(records, path[i], err))
			return err->code;
		if (!records->truncated)
			continue;
		(void)fputs("gpubench: ", stderr);
		gb_text_print(stderr, path[i]);
		(void)fputs(": the last line has no end (its writer was killed?) and is left out\n",
			    stderr);
	}
	return GB_OK;
}

enum gb_status gb_read_whole(struct gb_records *records, const char *path, struct gb_error *err)
{
	if (read_file(records, path, err) || !records->truncated)
		return err->code;
	return gb_fail(err, GB_EUSAGE, "%s: the last line has no end (its writer was killed?)",
		       path);
}
