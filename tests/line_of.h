/* line_of.h -- builds a line of a record file from the members that a test needs. */
#ifndef GPUBENCH_TESTS_LINE_OF_H
#define GPUBENCH_TESTS_LINE_OF_H

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/records/json.h"
#include "cli/records/lines.h"
#include "common/text.h"

/* The line with these members and those that are required for its type. */
static inline cJSON *line_of(const char *text)
{
	static const char *const member[][2] = {
		{ "run_id", "1" },  { "bench", "toy" }, { "backend", "cpu" },
		{ "variant", "v" }, { "key", "k" },     { "status", "ok" },
	};
	cJSON *line = cJSON_Parse(text);
	const char *type = gb_json_text(line, "type");

	cr_assert(type != NULL, "%s", text);
	for (size_t i = 0; i < (strcmp(type, "run") ? GB_COUNT(member) : 1); i++)
		if (!cJSON_HasObjectItem(line, member[i][0]))
			cJSON_AddStringToObject(line, member[i][0], member[i][1]);
	if (strcmp(type, "run") && !cJSON_HasObjectItem(line, "params"))
		cJSON_AddObjectToObject(line, "params");
	if (strcmp(type, "run") && !cJSON_HasObjectItem(line, "verify"))
		cJSON_AddStringToObject(
			cJSON_AddObjectToObject(line, "verify"), "result",
			gb_equal(gb_json_text(line, "status"), "unverified") ? "skipped" : "pass");
	if (!cJSON_HasObjectItem(line, "schema"))
		cJSON_AddNumberToObject(line, "schema", 2);
	return line;
}

/* The line as it is printed, parsed; of the record or of the run, if that is NULL. */
static inline cJSON *line_printed(const struct gb_record *record, const struct gb_context *context)
{
	char *text = NULL;
	size_t size;
	FILE *stream = open_memstream(&text, &size);
	cJSON *line;

	if (record)
		gb_record_print(stream, record);
	else
		gb_context_print(stream, context);
	(void)fclose(stream);
	line = cJSON_Parse(text);
	cr_assert_not_null(line, "%s", text);
	free(text);
	return line;
}

static inline void add_line_of(struct gb_records *list, const char *text)
{
	struct gb_error err = { 0 };

	cr_assert_not(gb_records_add(list, line_of(text), &err), "%s: %s", text, err.message);
}

/* A single record, to be freed by gb_record_free(). */
static inline struct gb_record *parsed_record(const char *text)
{
	struct gb_error err = { 0 };
	struct gb_record *record = gb_record_parse(line_of(text), &err);

	cr_assert(record != NULL, "%s: %s", text, err.message);
	return record;
}

#endif
