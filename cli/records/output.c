#include "cli/records/output.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/text.h"

static enum gb_status cannot_write(const char *path, struct gb_error *err)
{
	return gb_fail(err, GB_EIO, "cannot write %s: %s", path, strerror(errno));
}

bool gb_is_lines(const char *path)
{
	const char *ending = path ? strrchr(path, '.') : NULL;

	return ending && gb_equal(ending, ".jsonl");
}

enum gb_status gb_output_kind(const char *path, enum gb_format *format, struct gb_error *err)
{
	static const struct {
		const char *ending;
		enum gb_format format;
	} kinds[] = {
		{ ".jsonl", GB_FORMAT_LINES }, { ".json", GB_FORMAT_JSON },
		{ ".csv", GB_FORMAT_CSV },     { ".md", GB_FORMAT_MARKDOWN },
		{ ".html", GB_FORMAT_HTML },
	};
	const char *ending = gb_equal(path, "-") ? ".jsonl" : strrchr(path, '.');

	for (size_t i = 0; i < GB_COUNT(kinds); i++) {
		if (ending && gb_equal(ending, kinds[i].ending)) {
			*format = kinds[i].format;
			return GB_OK;
		}
	}
	return gb_fail(err, GB_EUSAGE,
		       "--output=%.200s: must be - or end in .jsonl, .json, .csv, .md or .html",
		       path);
}

static enum gb_status open_file(struct gb_output *output, const char *path, const char *mode,
				struct gb_error *err)
{
	output->stream = fopen(path, mode);
	return output->stream ? GB_OK : cannot_write(path, err);
}

/* Read what an earlier run left, and cut off a line without an end.  If that line is all there is,
 * nothing was left. */
static enum gb_status read_past(const char *path, struct gb_records *records, struct gb_error *err)
{
	struct gb_error own = { 0 };
	struct stat status;

	if (stat(path, &status) || status.st_size == 0)
		return GB_OK;
	if (gb_records_read(path, records, &own) && !(records->truncated && records->count == 0))
		return gb_fail(err, own.code, "%s", own.message);
	if (records->truncated && truncate(path, (off_t)records->complete_bytes))
		return cannot_write(path, err);
	return GB_OK;
}

enum gb_status gb_output_open(struct gb_output *output, const char *path, bool resume,
			      struct gb_records *records, struct gb_error *err)
{
	output->path = path;
	if (resume && !gb_is_lines(path))
		return gb_fail(err, GB_EUSAGE, "--resume needs the records in -o FILE.jsonl");
	if (!path || gb_output_kind(path, &output->format, err))
		return err->code;
	if (gb_equal(path, "-")) {
		output->stream = stdout;
		return GB_OK;
	}
	if (output->format == GB_FORMAT_LINES) {
		if (resume && read_past(path, records, err))
			return err->code;
		return open_file(output, path, resume ? "ae" : "we", err);
	}
	output->temporary = malloc(strlen(path) + sizeof ".part");
	if (!output->temporary)
		return gb_out_of_memory(err, NULL);
	(void)sprintf(output->temporary, "%s.part", path);
	return open_file(output, output->temporary, "we", err);
}

enum gb_status gb_output_close(struct gb_output *output, bool keep, struct gb_error *err)
{
	const char *path = output->path, *temporary = output->temporary;
	bool failed = output->stream && output->stream != stdout && fclose(output->stream);

	if (output->stream && temporary && keep && !failed)
		failed = rename(temporary, path) != 0;
	if (failed)
		(void)cannot_write(path, err);
	if (output->stream && temporary && (failed || !keep))
		(void)remove(temporary);
	free(output->temporary);
	*output = (struct gb_output){ 0 };
	return err->code;
}
