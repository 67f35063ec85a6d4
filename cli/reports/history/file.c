#include "cli/reports/history/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/records/json.h"
#include "cli/records/setup.h"
#include "cli/reports/launch.h"
#include "common/text.h"

/* A larger file is no record file. */
static const off_t MOST_BYTES = (off_t)1 << 30;

/* ---- the text ----------------------------------------------------------------------------- */

static enum gb_status read_bytes(struct gb_record_file *file, int from, size_t size,
				 const char *path, struct gb_error *err)
{
	size_t used = 0;
	ssize_t got = 1;

	file->text = malloc(size + 1);
	if (!file->text)
		return gb_out_of_memory(err, path);
	while (used < size && got > 0) {
		got = read(from, file->text + used, size - used);
		if (got < 0)
			return gb_fail(err, GB_EUSAGE, "%s: cannot read: %s", path,
				       strerror(errno));
		used += (size_t)got;
	}
	file->text[used] = '\0';
	file->size = used;
	return GB_OK;
}

/* Whatever has the name: opening it must not wait. */
static enum gb_status read_text(struct gb_record_file *file, const char *path, struct gb_error *err)
{
	const int from = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat info;

	if (from < 0 || fstat(from, &info))
		gb_fail(err, GB_EUSAGE, "%s: cannot open: %s", path, strerror(errno));
	else if (!S_ISREG(info.st_mode))
		gb_fail(err, GB_EUSAGE, "%s: is not a regular file", path);
	else if (info.st_size > MOST_BYTES)
		gb_fail(err, GB_EUSAGE, "%s: has more than 1 GiB", path);
	else
		(void)read_bytes(file, from, (size_t)info.st_size, path, err);
	if (from >= 0)
		(void)close(from);
	return err->code;
}

/* ---- launches ----------------------------------------------------------------------------- */

static const char *text_or(const cJSON *object, const char *path, const char *otherwise)
{
	const char *text = gb_json_text(object, path);

	return text ? text : otherwise;
}

static int has_id(const void *id, const void *run)
{
	return strcmp(id, gb_json_text(*(const cJSON *const *)run, "run_id"));
}

static void add_launch(struct gb_record_file *file, const struct gb_scanned *line)
{
	const struct gb_runs *runs = &file->runs;
	const cJSON **run = runs->count ? bsearch(line->run_id, runs->line, runs->count,
						  sizeof(cJSON *), has_id)
					: NULL;
	const bool is_time = line->kind == GB_LAUNCH_TIME;

	if (!run || (is_time && !(line->ns > 0)))
		return;
	file->launch[file->count++] = (struct gb_file_launch){
		.key = gb_json_text(line->record, "key"),
		.machine = gb_setup_machine(line->record, *run),
		.reason = line->kind == GB_LAUNCH_FAILED
				  ? text_or(line->record, "reason", "no reason is given")
				  : NULL,
		.cold = gb_setup_is_cold(line->record, *run),
		.run = (size_t)(run - runs->line),
		.kind = line->kind,
		.ns = is_time ? line->ns : 0,
	};
}

/* ---- lines -------------------------------------------------------------------------------- */

/* Lines with a record that tells something, and the text of all others. */
struct lines {
	size_t count, room;
	struct gb_scanned *line;
	char *rest;
	size_t rest_size;
};

static bool grow(struct lines *lines, size_t more)
{
	const size_t room = 2 * lines->room + more;
	struct gb_scanned *grown;

	if (lines->count + more <= lines->room)
		return true;
	grown = reallocarray(lines->line, room, sizeof *grown);
	if (!grown)
		return false;
	lines->line = grown;
	lines->room = room;
	return true;
}

/* Whether the file is one array, or has a record that another one replaces: scanning lines one by one
 * would miss that. */
static bool has_more_than_lines(const char *text)
{
	return text[strspn(text, " \t\r\n")] == '[' || strstr(text, "\"replaces\"");
}

/* Scan the lines but the first, the run's: without any the rest would be no record file. Lines that
 * were read are empty in the rest, so that messages have the right numbers. */
static enum gb_status scan(struct gb_record_file *file, struct gb_scanner *scanner,
			   struct lines *lines, struct gb_error *err)
{
	const bool whole = has_more_than_lines(file->text);
	char *line = file->text, *const end = file->text + file->size;

	lines->rest = malloc(file->size + 1);
	if (!lines->rest)
		return gb_out_of_memory(err, "the history");
	while (line < end) {
		char *newline = memchr(line, '\n', (size_t)(end - line));
		char *next = newline ? newline + 1 : end;

		if (!grow(lines, 1))
			return gb_out_of_memory(err, "the history");
		if (!whole && newline && line > file->text &&
		    gb_scan_line(scanner, line, &lines->line[lines->count])) {
			lines->count++;
			lines->rest[lines->rest_size++] = '\n';
		} else {
			memcpy(lines->rest + lines->rest_size, line, (size_t)(next - line));
			lines->rest_size += (size_t)(next - line);
		}
		line = next;
	}
	lines->rest[lines->rest_size] = '\0';
	return GB_OK;
}

/* What the validated reader has read. */
static enum gb_status add_records(const struct gb_records *records, struct lines *lines,
				  struct gb_error *err)
{
	static const struct gb_launch_stat fastest = { 0 };

	if (!grow(lines, records->count))
		return gb_out_of_memory(err, "the history");
	for (size_t i = 0; i < records->count; i++)
		if (gb_is_record(records->line[i]))
			lines->line[lines->count++] = (struct gb_scanned){
				.record = records->line[i],
				.kind = gb_launch_kind_of(records->line[i]),
				.run_id = gb_json_text(records->line[i], "run_id"),
				.ns = gb_launch_value(records->line[i], fastest),
			};
	return GB_OK;
}

enum gb_status gb_record_file_read(struct gb_record_file *file, const char *path,
				   struct gb_scanner *scanner, struct gb_error *err)
{
	struct lines lines = { 0 };

	if (read_text(file, path, err) || scan(file, scanner, &lines, err) ||
	    gb_records_parse(path, lines.rest, lines.rest_size, &file->records, err) ||
	    gb_runs_add(&file->runs, &file->records, err) ||
	    add_records(&file->records, &lines, err))
		goto out;
	file->launch = calloc(lines.count + 1, sizeof *file->launch);
	if (!file->launch)
		gb_out_of_memory(err, "the history");
	for (size_t i = 0; i < lines.count && file->launch; i++)
		add_launch(file, &lines.line[i]);
out:
	free(lines.line);
	free(lines.rest);
	return err->code;
}

void gb_record_file_release(struct gb_record_file *file)
{
	gb_runs_release(&file->runs);
	gb_records_release(&file->records);
	free(file->launch);
	free(file->text);
	*file = (struct gb_record_file){ 0 };
}
