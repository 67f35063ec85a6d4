/* lines.c -- record files, read and written.
 *
 * What is read is used by tables and comparisons without further checks of its shape, so every
 * line is checked here for the members they rest on, and gets its key as key.h spells it now.  A
 * file may have been written by a program that was killed: then its last line has no end, and only
 * that one is left out.
 */
#include "cli/records/lines.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/records/json.h"
#include "cli/records/key.h"
#include "cli/workloads/registry.h"
#include "common/text.h"

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

/* ---- the list ---------------------------------------------------------------------------- */

enum gb_status gb_records_add(struct gb_records *list, cJSON *line, struct gb_error *err)
{
	if (list->count == list->room) {
		const size_t room = list->room ? 2 * list->room : 64;
		cJSON **grown = reallocarray(list->line, room, sizeof(cJSON *));

		if (!grown) {
			cJSON_Delete(line);
			return gb_fail(err, GB_EMEMORY, "out of memory for %zu records", room);
		}
		list->line = grown;
		list->room = room;
	}
	list->line[list->count++] = line;
	return GB_OK;
}

void gb_records_release(struct gb_records *list)
{
	for (size_t i = 0; i < list->count; i++)
		cJSON_Delete(list->line[i]);
	free(list->line);
	memset(list, 0, sizeof *list);
}

void gb_records_remove(struct gb_records *list, size_t index)
{
	cJSON **line = list->line;

	cJSON_Delete(line[index]);
	list->count--;
	memmove(&line[index], &line[index + 1], (list->count - index) * sizeof(cJSON *));
}

bool gb_has_status(const cJSON *record, const char *word)
{
	const char *status = gb_json_text(record, "status");

	return status && gb_equal(status, word);
}

/* Records of earlier versions say "ok", and that verification was skipped. */
bool gb_is_unverified(const cJSON *record)
{
	const char *verify = gb_json_text(record, "verify.result");

	return gb_has_status(record, "unverified") ||
	       ((gb_has_status(record, "ok") || gb_has_status(record, "noisy")) && verify &&
		gb_equal(verify, "skipped"));
}

bool gb_is_record(const cJSON *line)
{
	const char *type = gb_json_text(line, "type");

	return type && gb_equal(type, "record");
}

/* ---- the shape of a line ----------------------------------------------------------------- */

static bool is_one_of(const char *text, const char *const *word, size_t count)
{
	for (size_t i = 0; text && i < count; i++)
		if (gb_equal(text, word[i]))
			return true;
	return false;
}

static bool is_series(const cJSON *series)
{
	const cJSON *samples = gb_json_at(series, "samples"), *sample;

	if (!isfinite(gb_json_number(series, "median")) || !cJSON_IsArray(samples) ||
	    !samples->child)
		return false;
	cJSON_ArrayForEach(sample, samples)
	{
		if (!cJSON_IsNumber(sample) || !isfinite(sample->valuedouble))
			return false;
	}
	return true;
}

/* NULL, or what is wrong with the record. */
static const char *record_fault(const cJSON *line)
{
	static const char *const status[] = { "ok",      "noisy",  "unverified",
					      "skipped", "failed", "timeout" };
	static const char *const series[] = { "time",   "host_time", "overhead",  "create",
					      "upload", "download",  "first_call" };
	const cJSON *param;

	if (!is_one_of(gb_json_text(line, "status"), status, GB_COUNT(status)))
		return "\"status\" is missing or unknown";
	if (!gb_json_text(line, "key") || !gb_json_text(line, "bench") ||
	    !gb_json_text(line, "backend") || !gb_json_text(line, "variant"))
		return "a record lacks its \"key\", \"bench\", \"backend\" or \"variant\"";
	if (!cJSON_IsObject(gb_json_at(line, "params")))
		return "a record lacks its \"params\"";
	cJSON_ArrayForEach(param, gb_json_at(line, "params"))
	{
		if (!cJSON_IsNumber(param) && !cJSON_IsString(param) && !cJSON_IsBool(param))
			return "a value in \"params\" is neither a number nor a word";
	}
	for (size_t i = 0; i < GB_COUNT(series); i++) {
		const cJSON *item = gb_json_at(line, series[i]);

		if (item && !is_series(item))
			return "a time lacks its \"median\" or \"samples\"";
	}
	return NULL;
}

static const char *line_fault(const cJSON *line)
{
	const char *type = gb_json_text(line, "type");
	const double schema = gb_json_number(line, "schema");

	if (!cJSON_IsObject(line) || !type || !(gb_equal(type, "run") || gb_equal(type, "record")))
		return "is not a line of a gpubench record file";
	if (!(schema >= 1))
		return "has no \"schema\" number";
	if (schema > GB_RECORD_SCHEMA)
		return "is of a schema that is newer than this gpubench";
	if (!gb_json_text(line, "run_id"))
		return "has no \"run_id\"";
	return gb_is_record(line) ? record_fault(line) : NULL;
}

static enum gb_status renew(cJSON *record, struct gb_error *err)
{
	return gb_renew_record(gb_workload_find(gb_json_text(record, "bench")), record, err);
}

/* Check and append one line; owns it. */
static enum gb_status accept(const struct source *source, size_t number, cJSON *line,
			     struct gb_records *list, struct gb_error *err)
{
	const char *fault = line_fault(line);

	if (!fault && !(gb_is_record(line) && renew(line, err)))
		return gb_records_add(list, line, err);
	cJSON_Delete(line);
	return fault ? bad_line(source, number, fault, err) : err->code;
}

/* ---- reading ----------------------------------------------------------------------------- */

/* Only an interrupt of the user's has a handler: EINTR is one. */
static enum gb_status cannot_read(const char *name, const char *what, struct gb_error *err)
{
	if (errno == EINTR)
		return gb_fail(err, GB_EINTERRUPTED, "interrupted");
	return gb_fail(err, GB_EUSAGE, "%s: cannot %s: %s", name, what, strerror(errno));
}

static enum gb_status slurp(FILE *file, struct source *source, struct gb_error *err)
{
	size_t room = 1 << 16;

	source->text = malloc(room);
	for (;;) {
		char *grown;

		if (!source->text)
			return gb_fail(err, GB_EMEMORY, "out of memory after %zu bytes of %s",
				       source->size, source->name);
		source->size +=
			fread(source->text + source->size, 1, room - source->size - 1, file);
		if (source->size + 1 < room)
			break;
		grown = reallocarray(source->text, room, 2);
		if (!grown)
			free(source->text);
		source->text = grown;
		room *= 2;
	}
	source->text[source->size] = '\0';
	if (ferror(file))
		return cannot_read(source->name, "read", err);
	return GB_OK;
}

static enum gb_status read_source(const char *path, struct source *source, struct gb_error *err)
{
	const bool standard_input = gb_equal(path, "-");
	FILE *file = standard_input ? stdin : fopen(path, "re");
	enum gb_status status;

	source->name = standard_input ? "standard input" : path;
	if (!file)
		return cannot_read(path, "open", err);
	errno = 0;
	status = slurp(file, source, err);
	if (!standard_input)
		(void)fclose(file);
	return status;
}

/* The line that text[offset] is on, from 1. */
static size_t line_number(const struct source *source, size_t offset)
{
	size_t number = 1;

	for (size_t i = 0; i < offset; i++)
		number += source->text[i] == '\n';
	return number;
}

/* The JSON value that text, of length bytes and a NUL, is.  NULL if it is none, then *end points to
 * what is wrong; cJSON would overlook what follows a NUL within it.  Or memory ran out: errno is
 * ENOMEM, which cJSON has no other word for. */
static cJSON *parse(const char *text, size_t length, const char **end)
{
	errno = 0;
	if (strlen(text) != length) {
		*end = text + strlen(text);
		return NULL;
	}
	return cJSON_ParseWithLengthOpts(text, length + 1, end, 1 /* to the NUL */);
}

static enum gb_status not_json(const struct source *source, size_t line, struct gb_error *err)
{
	if (errno == ENOMEM)
		return gb_fail(err, GB_EMEMORY, "out of memory for the records of %s",
			       source->name);
	return bad_line(source, line, "is not valid JSON", err);
}

/* One array of lines. */
static enum gb_status read_document(const struct source *source, struct gb_records *list,
				    struct gb_error *err)
{
	const char *end = source->text;
	cJSON *document = parse(source->text, source->size, &end);
	enum gb_status status = GB_OK;

	list->document = true;
	if (!document)
		return not_json(source, line_number(source, (size_t)(end - source->text)), err);
	while (status == GB_OK && document->child)
		status = accept(source, 1, cJSON_DetachItemViaPointer(document, document->child),
				list, err);
	cJSON_Delete(document);
	list->complete_bytes = source->size;
	return status;
}

static bool is_blank(const char *line)
{
	return line[strspn(line, " \t\r")] == '\0';
}

/* Whether text is the beginning of a line that a killed writer may have left. */
static bool begins_a_line(const char *text)
{
	static const char *const begin[] = { "{\"type\":\"run\",\"schema\":",
					     "{\"type\":\"record\",\"schema\":" };

	for (size_t i = 0; i < GB_COUNT(begin); i++)
		if (strncmp(text, begin[i], strlen(begin[i])) == 0 ||
		    strncmp(text, begin[i], strlen(text)) == 0)
			return true;
	return false;
}

static enum gb_status read_lines(const struct source *source, struct gb_records *list,
				 struct gb_error *err)
{
	size_t number = 1;
	const char *where;

	list->complete_bytes = list->last_run_bytes = 0;
	for (size_t start = 0; start < source->size; number++) {
		char *end = memchr(source->text + start, '\n', source->size - start);
		const size_t length =
			end ? (size_t)(end - (source->text + start)) : source->size - start;
		const size_t next = start + length + (end != NULL);
		cJSON *line;

		if (end)
			*end = '\0';
		if (!is_blank(source->text + start)) {
			line = parse(source->text + start, length, &where);
			if (!line && !end && errno != ENOMEM &&
			    begins_a_line(source->text + start)) {
				list->truncated = true;
				return GB_OK;
			}
			if (!line)
				return not_json(source, number, err);
			if (accept(source, number, line, list, err))
				return err->code;
			if (!gb_is_record(line))
				list->last_run_bytes = start;
			list->unended = !end;
		}
		start = next;
		list->complete_bytes = start;
	}
	return GB_OK;
}

/* Remove the records from `first` on that a later one replaces. */
static void drop_replaced(struct gb_records *list, size_t first)
{
	for (size_t i = first; i < list->count; i++) {
		const cJSON *replaces = gb_json_at(list->line[i], "replaces");
		const char *run = gb_json_text(replaces, "run_id");
		const double seq = gb_json_number(replaces, "seq");

		for (size_t k = i; run && k-- > first;) {
			const double other = gb_json_number(list->line[k], "seq");

			if (!gb_is_record(list->line[k]) || other < seq || other > seq ||
			    !gb_equal(run, gb_json_text(list->line[k], "run_id")))
				continue;
			gb_records_remove(list, k);
			i--;
			break;
		}
	}
}

enum gb_status gb_records_parse(const char *name, char *text, size_t size, struct gb_records *list,
				struct gb_error *err)
{
	const struct source source = { .name = name, .text = text, .size = size };
	const size_t before = list->count;
	enum gb_status status;

	list->unended = list->document = false;
	status = text[strspn(text, " \t\r\n")] == '[' ? read_document(&source, list, err)
						      : read_lines(&source, list, err);
	if (status == GB_OK && list->count == before)
		status = gb_fail(err, GB_EUSAGE, "%s: there are no records in it", name);
	if (status == GB_OK)
		drop_replaced(list, before);
	return status;
}

enum gb_status gb_records_read(const char *path, struct gb_records *list, struct gb_error *err)
{
	struct source source = { 0 };
	enum gb_status status = read_source(path, &source, err);

	if (status == GB_OK && source.text)
		status = gb_records_parse(source.name, source.text, source.size, list, err);
	free(source.text);
	return status;
}

/* ---- writing ----------------------------------------------------------------------------- */

char *gb_record_text(const cJSON *line, size_t *length)
{
	char *text = cJSON_PrintUnformatted(line);
	char *grown;

	if (!text)
		return NULL;
	*length = strlen(text) + 1;
	grown = realloc(text, *length + 1);
	if (!grown) {
		free(text);
		return NULL;
	}
	memcpy(grown + *length - 1, "\n", 2);
	return grown;
}

enum gb_status gb_record_write(FILE *file, const cJSON *line, struct gb_error *err)
{
	size_t length;
	char *text = gb_record_text(line, &length);
	bool written;

	if (!text)
		return gb_out_of_memory(err, "writing a record");
	written = fwrite(text, 1, length, file) == length && fflush(file) == 0;
	free(text);
	return written ? GB_OK : gb_fail(err, GB_EIO, "cannot write a record: %s", strerror(errno));
}

enum gb_status gb_document_print(FILE *file, const struct gb_records *list, struct gb_error *err)
{
	for (size_t i = 0; i < list->count; i++) {
		char *text = cJSON_PrintUnformatted(list->line[i]);

		if (!text)
			return gb_out_of_memory(err, "a table");
		(void)fprintf(file, "%s%s", i ? ",\n" : "[\n", text);
		cJSON_free(text);
	}
	(void)fputs(list->count ? "\n]\n" : "[]\n", file);
	return GB_OK;
}
