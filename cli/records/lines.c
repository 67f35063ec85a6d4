/* lines.c -- reads record files into a list.
 *
 * A file whose writer was killed may end in the middle of a line; only that line is dropped.
 */
#include "cli/records/lines.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/benchmarks/registry.h"
#include "cli/records/json.h"
#include "cli/records/key.h"
#include "cli/records/machine.h"
#include "common/text.h"
#include "datasets/reading/reader.h"

/* ---- the list ---------------------------------------------------------------------------- */

/* The last run with the id, which is the nearest: a run line precedes its records. */
static const struct gb_context *run_of(const struct gb_records *list, const char *id)
{
	for (size_t i = list->context_count; i-- > 0;)
		if (gb_equal(list->context[i]->run_id, id))
			return list->context[i];
	return gb_no_context;
}

/* Append a pointer to an array of pointers. */
static bool push(void *list, size_t *count, void *item)
{
	void **added = gb_add_item(list, count, sizeof *added);

	if (added)
		*added = item;
	return added;
}

/* Remove a pointer from an array of which the first *written are in the output. */
static void pull(void *list, size_t *count, size_t *written, size_t index)
{
	void **item = (void **)list + index;

	*written -= index < *written;
	--*count;
	memmove(item, item + 1, (*count - index) * sizeof *item);
}

enum gb_status gb_records_add_context(struct gb_records *list, struct gb_context *context,
				      struct gb_error *err)
{
	gb_identify(context);
	if (push(&list->context, &list->context_count, context))
		return GB_OK;
	gb_context_free(context);
	return gb_out_of_memory(err, "a run");
}

/* Append a record; owns it even on failure. */
static enum gb_status append(struct gb_records *list, struct gb_record *record,
			     struct gb_error *err)
{
	const struct gb_benchmark *benchmark = gb_benchmark_find(record->bench);

	if (benchmark)
		(void)gb_renew_params(benchmark, record, err);
	if (!err->code && push(&list->record, &list->count, record))
		return GB_OK;
	gb_record_free(record);
	return gb_out_of_memory(err, "a record");
}

enum gb_status gb_records_add_record(struct gb_records *list, struct gb_record *record,
				     struct gb_error *err)
{
	struct gb_record *moved = malloc(sizeof *moved);

	if (!moved) {
		gb_record_release(record);
		return gb_out_of_memory(err, "a record");
	}
	*moved = *record;
	*record = gb_record_empty();
	moved->context = list->context[list->context_count - 1];
	moved->run_id = moved->context->run_id;
	gb_record_derive(moved);
	return append(list, moved, err);
}

enum gb_status gb_records_add(struct gb_records *list, cJSON *line, struct gb_error *err)
{
	const char *type = gb_json_text(line, "type");
	struct gb_record *record = NULL;
	struct gb_context *context = NULL;

	if (type && gb_equal(type, "record")) {
		record = gb_record_parse(line, err);
	} else if (type && gb_equal(type, "run")) {
		context = gb_context_parse(line, err);
	} else {
		cJSON_Delete(line);
		gb_fail(err, GB_EUSAGE, "is not a line of a gpubench record file");
	}
	if (record) {
		record->context = run_of(list, record->run_id);
		(void)append(list, record, err);
	} else if (context) {
		(void)gb_records_add_context(list, context, err);
	}
	return err->code;
}

void gb_records_release(struct gb_records *list)
{
	for (size_t i = 0; i < list->count; i++)
		gb_record_free(list->record[i]);
	for (size_t i = 0; i < list->context_count; i++)
		gb_context_free(list->context[i]);
	free(list->record);
	free(list->context);
	memset(list, 0, sizeof *list);
}

void gb_records_remove(struct gb_records *list, size_t index)
{
	gb_record_free(list->record[index]);
	pull(list->record, &list->count, &list->written, index);
}

void gb_records_remove_context(struct gb_records *list, size_t index)
{
	struct gb_context *context = list->context[index];

	for (size_t i = list->count; i-- > 0;)
		if (list->record[i]->context == context)
			gb_records_remove(list, i);
	gb_context_free(context);
	pull(list->context, &list->context_count, &list->written_contexts, index);
}

bool gb_has_hung(const struct gb_record *record)
{
	return record->error && gb_equal(record->error, "hang");
}

struct gb_done gb_records_done(const struct gb_records *list, size_t count, const char *key,
			       enum gb_again again)
{
	struct gb_done done = { 0 };

	for (size_t i = 0; i < count; i++) {
		const struct gb_record *record = list->record[i];

		if (!gb_equal(record->key, key))
			continue;
		if (gb_has_hung(record))
			done.hung = true;
		else if (again < GB_AGAIN_FAILED ||
			 !(record->status == GB_STATUS_FAILED ||
			   (again == GB_AGAIN_UNVERIFIED && gb_is_untrusted(record))))
			done.times++;
		else if (!done.again)
			done.again = record;
	}
	return done;
}

/* ---- reading ----------------------------------------------------------------------------- */

/* A file being read; text is NUL-terminated. */
struct source {
	const char *name;
	char *text;
	size_t size;
};

static enum gb_status bad_line(const struct source *source, size_t line, const char *what,
			       struct gb_error *err)
{
	return gb_fail(err, GB_EUSAGE, "%s:%zu: %s", source->name, line, what);
}

/* Check and append one line of a file; owns it. */
static enum gb_status accept(const struct source *source, size_t number, cJSON *line,
			     struct gb_records *list, struct gb_error *err)
{
	struct gb_error fault = { 0 };

	if (!gb_records_add(list, line, &fault))
		return GB_OK;
	if (fault.code == GB_EMEMORY)
		return gb_fail(err, GB_EMEMORY, "%s", fault.message);
	return bad_line(source, number, fault.message, err);
}

/* EINTR means that the user interrupted: no other signal has a handler. */
static enum gb_status cannot_read(const char *name, const char *what, struct gb_error *err)
{
	if (errno == EINTR)
		return gb_fail(err, GB_EINTERRUPTED, "interrupted");
	return gb_fail(err, GB_EUSAGE, "%s: cannot %s: %s", name, what, strerror(errno));
}

/* Read a file that is packed with gzip or zstd. */
static enum gb_status read_packed(const char *path, struct source *source, struct gb_error *err)
{
	struct gb_reader r;

	source->name = path;
	if (gb_reader_open(&r, path, "a record file", err))
		return err->code;
	source->size = strnlen(r.begin, (size_t)(r.end - r.begin));
	source->text = strndup(r.begin, source->size);
	if (!source->text)
		gb_out_of_memory(err, "a record");
	gb_reader_close(&r);
	return err->code;
}

/* Open a file, or a pipe that somebody writes; one without a writer is empty, and is not waited for. */
static FILE *open_source(const char *path)
{
	const int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

	return file >= 0 && fcntl(file, F_SETFL, 0) == 0 ? fdopen(file, "r") : NULL;
}

/* Read the whole file, or up to a NUL, which the parser then rejects with its line. */
static enum gb_status read_source(const char *path, struct source *source, struct gb_error *err)
{
	const bool standard_input = gb_equal(path, "-");
	FILE *file = standard_input ? stdin : open_source(path);
	size_t room = 0;
	ssize_t size;

	source->name = standard_input ? "standard input" : path;
	if (!file)
		return cannot_read(path, "open", err);
	if (!standard_input && gb_file_is_packed(fileno(file))) {
		(void)fclose(file);
		return read_packed(path, source, err);
	}
	errno = 0;
	size = getdelim(&source->text, &room, '\0', file);
	source->size = size > 0 ? (size_t)size : 0;
	if (size < 0 && errno == ENOMEM)
		gb_out_of_memory(err, "a record");
	else if (ferror(file))
		(void)cannot_read(source->name, "read", err);
	if (!standard_input)
		(void)fclose(file);
	return err->code;
}

/* The escape of a NUL, which would end a string early; NULL if there is none. */
static const char *find_nul(const char *text)
{
	const char *at = strchr(text, '\\');

	while (at && at[1]) {
		if (strncmp(at + 1, "u0000", strlen("u0000")) == 0)
			return at;
		at = strchr(at + 2, '\\');
	}
	return NULL;
}

/* Parse text, of `length` bytes and a NUL, as one JSON value.  NULL on failure: *end then points to
 * the error, or errno is ENOMEM, since cJSON does not report lack of memory otherwise.  Malformed
 * UTF-8 and a NUL within the text are rejected here, because cJSON copies the one and ignores what
 * follows the other. */
static cJSON *parse(const char *text, size_t length, const char **end)
{
	size_t character = 1;

	errno = 0;
	for (*end = text; **end && character; *end += character)
		character = gb_utf8_length(*end);
	if (*end != text + length)
		return NULL;
	*end = find_nul(text);
	if (*end)
		return NULL;
	return cJSON_ParseWithLengthOpts(text, length + 1, end, 1 /* to the NUL */);
}

static enum gb_status not_json(const struct source *source, size_t line, struct gb_error *err)
{
	if (errno == ENOMEM)
		return gb_out_of_memory(err, "a record");
	return bad_line(source, line, "is not valid JSON", err);
}

/* Read a file that is one array of lines, such as `jq -s .` prints. */
static void read_array(const struct source *source, struct gb_records *list, struct gb_error *err)
{
	const char *end;
	cJSON *array = parse(source->text, source->size, &end);
	size_t number = 1; /* of the line with the error */

	for (const char *at = source->text; !array && at < end; at++)
		number += *at == '\n';
	if (!array)
		(void)not_json(source, number, err);
	while (array && array->child && !err->code)
		(void)accept(source, 1, cJSON_DetachItemViaPointer(array, array->child), list, err);
	cJSON_Delete(array);
}

/* True if text may be the start of a line that a killed writer left incomplete. */
static bool begins_a_line(const char *text)
{
	static const char begin[] = "{\"type\":\"r";

	return strncmp(text, begin, strnlen(text, strlen(begin))) == 0;
}

static void read_lines(const struct source *source, struct gb_records *list, struct gb_error *err)
{
	const char *where;

	for (size_t start = 0, number = 1; start < source->size && !err->code; number++) {
		char *text = source->text + start;
		char *end = memchr(text, '\n', source->size - start);
		const size_t length = end ? (size_t)(end - text) : source->size - start;
		const size_t runs = list->context_count;
		cJSON *line;

		text[length] = '\0';
		if (text[strspn(text, " \t\r")] || strlen(text) < length) {
			line = parse(text, length, &where);
			if (!line && !end && errno != ENOMEM && strlen(text) == length &&
			    begins_a_line(text)) {
				list->truncated = true;
				return;
			}
			if (!line)
				(void)not_json(source, number, err);
			else
				(void)accept(source, number, line, list, err);
			if (list->context_count > runs)
				list->last_context_bytes = start;
			list->unended = !end;
		}
		start += length + (end != NULL);
		list->complete_bytes = start;
	}
}

/* Remove every record from `first` on that a later one of the same key replaces. */
static void drop_replaced(struct gb_records *list, size_t first)
{
	for (size_t i = first; i < list->count; i++) {
		const char *run = list->record[i]->replaces.run_id;
		const double seq = list->record[i]->replaces.seq;

		for (size_t k = i; run && k-- > first;) {
			if (fabs(list->record[k]->seq - seq) > 0 ||
			    !gb_equal(run, list->record[k]->run_id) ||
			    !gb_equal(list->record[i]->key, list->record[k]->key))
				continue;
			gb_records_remove(list, k);
			i--;
			break;
		}
	}
}

enum gb_status gb_records_read(const char *path, struct gb_records *list, struct gb_error *err)
{
	struct source source = { 0 };
	const size_t before = list->count, runs = list->context_count;

	list->unended = false;
	list->complete_bytes = list->last_context_bytes = 0;
	if (!read_source(path, &source, err) && source.size) {
		const char *first = source.text + strspn(source.text, " \t\r\n");

		(*first == '[' ? read_array : read_lines)(&source, list, err);
	}
	if (!err->code && list->count == before && list->context_count == runs)
		gb_fail(err, GB_EUSAGE, "%s: there are no records in it", source.name);
	free(source.text);
	if (!err->code)
		drop_replaced(list, before);
	return err->code;
}

/* ---- repeated lines ---------------------------------------------------------------------- */

/* Records of a repeated run are moved to the earlier run line. */
static size_t drop_repeated_runs(struct gb_records *list, size_t first)
{
	size_t dropped = 0;

	for (size_t i = list->context_count; i-- > first;) {
		struct gb_context *context = list->context[i];
		size_t k = 0;

		while (!gb_equal(list->context[k]->run_id, context->run_id))
			k++;
		if (k == i)
			continue;
		for (size_t r = 0; r < list->count; r++)
			if (list->record[r]->context == context)
				list->record[r]->context = list->context[k];
		gb_records_remove_context(list, i);
		dropped++;
	}
	return dropped;
}

static int by_number(const void *a, const void *b)
{
	const struct gb_record *x = a, *y = b;
	const int order = GB_ORDER(x->seq, y->seq);

	return order ? order : strcmp(x->run_id, y->run_id);
}

enum gb_status gb_records_drop_repeated(struct gb_records *list, size_t first, size_t first_run,
					size_t *dropped, struct gb_error *err)
{
	void *seen = NULL; /* a tree of records */

	*dropped = 0;
	for (size_t i = 0; i < list->count && !err->code; i++) {
		struct gb_record *record = list->record[i], **earlier = &record;

		if (!isnan(record->seq))
			earlier = tsearch(record, &seen, by_number);
		if (!earlier) {
			gb_out_of_memory(err, NULL);
		} else if (*earlier != record && i >= first) {
			gb_records_remove(list, i--);
			++*dropped;
		}
	}
	while (seen)
		(void)tdelete(*(struct gb_record **)seen, &seen, by_number);
	*dropped += drop_repeated_runs(list, first_run);
	return err->code;
}

/* ---- writing ------------------------------------------------------------------------------ */

void gb_records_print(FILE *file, const struct gb_records *list)
{
	size_t next = list->written;

	for (size_t r = list->written_contexts; r <= list->context_count; r++) {
		const bool last = r == list->context_count;

		/* First print the records of the runs printed so far. */
		while (next < list->count && (last || r > 0) &&
		       (last || list->record[next]->context != list->context[r]))
			gb_record_print(file, list->record[next++]);
		if (!last)
			gb_context_print(file, list->context[r]);
	}
}

/* ---- the files that a command names --------------------------------------------------------- */

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
