/* table_records.h -- hand-written records and expected text, for the tests of tables and pages. */
#ifndef GPUBENCH_TESTS_TABLE_RECORDS_H
#define GPUBENCH_TESTS_TABLE_RECORDS_H

#include "cli/commands/commands.h"
#include "cli/records/json.h"
#include "cli/reports/grid/grid.h"
#include "cli/reports/table.h"
#include "common/text.h"
#include <criterion/criterion.h>
#include <locale.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct gb_records list;

static inline cJSON *parsed(const char *text)
{
	cJSON *line = cJSON_Parse(text);

	cr_assert(line, "%s", text);
	return line;
}

static inline void add(const char *text)
{
	struct gb_error err = { 0 };

	cr_assert_eq(gb_records_add(&list, parsed(text), &err), GB_OK);
}

static inline void add_run(const char *id)
{
	char text[512];

	(void)snprintf(text, sizeof text,
		       "{\"type\":\"run\",\"schema\":2,\"run_id\":\"%s\",\"started\":\"then\","
		       "\"tool\":{\"version\":\"1.2\",\"commit\":\"abc\",\"dirty\":false},"
		       "\"host\":{\"hostname\":\"box\",\"cpu\":\"Z80\",\"cores\":2},\"gpus\":[]}",
		       id);
	add(text);
}

/* Add a record of run "a". variant is "cpu/best"; params and rest are JSON members. */
static inline void add_record(const char *variant, const char *params, const char *rest)
{
	char text[2048], backend[8];
	const char *name = strchr(variant, '/') + 1;

	(void)snprintf(backend, sizeof backend, "%.*s", (int)(name - variant - 1), variant);
	(void)snprintf(text, sizeof text,
		       "{\"type\":\"record\",\"schema\":2,\"run_id\":\"a\",\"bench\":\"toy\","
		       "\"backend\":\"%s\",\"variant\":\"%s\",\"key\":\"k\",\"params\":{%s},%s}",
		       backend, name, params, rest);
	add(text);
}

/* The members of an ok result of `ns` for 1000 keys of 8 bytes each. */
static inline const char *timed(double ns)
{
	static char text[1024];

	(void)snprintf(text, sizeof text,
		       "\"status\":\"ok\",\"reason\":null,\"verify\":{\"result\":\"pass\"},"
		       "\"cold\":true,\"emulated\":false,"
		       "\"time\":{\"median\":%g,\"ci95\":[%g,%g],\"samples\":[%g]},"
		       "\"work\":{\"items\":1000,\"unit\":\"keys\",\"bytes\":8000},"
		       "\"copy_bytes_per_s\":%g",
		       ns, ns * .99, ns * 1.01, ns, 8e12 / ns / 0.25);
	return text;
}

static inline const char *skipped(const char *reason)
{
	static char text[256];

	(void)snprintf(text, sizeof text, "\"status\":\"skipped\",\"reason\":\"%s\"", reason);
	return text;
}

static inline char *printed(enum gb_format format)
{
	char *text = NULL;
	size_t size = 0;
	struct gb_error err = { 0 };
	FILE *file = open_memstream(&text, &size);

	cr_assert_eq(gb_table_print(file, &list, format, false, &err), GB_OK, "%s", err.message);
	(void)fclose(file);
	return text;
}

static inline void expect(enum gb_format format, const char *wanted)
{
	char *text = printed(format);

	cr_expect_str_eq(text, wanted, "\n%s\ninstead of\n%s", text, wanted);
	free(text);
}

static inline void expect_within(enum gb_format format, const char *wanted, bool there)
{
	char *text = printed(format);

	cr_expect_eq(strstr(text, wanted) != NULL, there, "%s in\n%s", wanted, text);
	free(text);
}

static inline void release(void)
{
	gb_records_release(&list);
}

#endif
