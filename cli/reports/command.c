/* command.c -- see command.h. */
#include "cli/reports/command.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/workloads/registry.h"
#include "cli/workloads/value.h"
#include "common/text.h"

/* Print " --name=value", or " --name" without a value, quoted for the shell if need be. */
static void print_option(FILE *file, const char *name, const char *value)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "0123456789-_./,:=+%@";

	(void)fprintf(file, " --%s%s", name, value ? "=" : "");
	if (!value)
		return;
	if (!value[strspn(value, plain)]) {
		(void)fputs(value, file);
		return;
	}
	(void)fputc('\'', file);
	for (; *value; value++)
		(void)fputs(*value == '\'' ? "'\\''" : (const char[]){ *value, '\0' }, file);
	(void)fputc('\'', file);
}

/* True if the text is the parameter's default. */
static bool is_default(const struct gb_param *param, const char *text)
{
	struct gb_error ignored = { 0 };
	union gb_value value = { 0 };
	char spelled[256];

	if (!param->initial || param->type == GB_PATH ||
	    gb_value_parse(param, param->initial, &value, &ignored))
		return false;
	gb_value_text(param, value, spelled, sizeof spelled);
	return gb_equal(spelled, text);
}

static void print_param(FILE *file, const struct gb_param *param, const struct gb_member *member)
{
	char number[GB_TEXT_MAX];
	const char *text;

	if (!member)
		return;
	if (member->kind == GB_VALUE_FLAG) {
		if (member->number > 0)
			print_option(file, param->name, NULL);
		return;
	}
	text = member->kind == GB_VALUE_TEXT ? member->text : gb_text_real(number, member->number);
	if (!is_default(param, text))
		print_option(file, param->name, text);
}

/* True if the parameter is for other points than the record's. */
static bool is_idle(const struct gb_param *param, const struct gb_record *record,
		    const struct gb_workload *workload)
{
	for (size_t i = 0; param->only && i < workload->param_count; i++) {
		const struct gb_param *other = &workload->params[i];
		const char *word = gb_param_needs(param, other->name);
		const struct gb_member *member = gb_member_find(&record->params, other->name);

		if (word)
			return !gb_equal(member && member->kind == GB_VALUE_TEXT ? member->text
										 : other->initial,
					 word);
	}
	return false;
}

/* The options of measuring among the run's words, as they were typed. */
static void print_settings(FILE *file, const struct gb_texts *words)
{
	static const char *const names[] = { "--samples",  "--warmup", "--min-samples",
					     "--max-time", "--rel-ci", "--timeout",
					     "--verify",   "--device", "--hot" };
	enum { FLAGS = 1 };

	for (size_t i = 0; i < words->count; i++) {
		const char *word = words->text[i];
		const size_t length = strcspn(word, "=");

		for (size_t k = 0; k < GB_COUNT(names); k++) {
			if (strlen(names[k]) != length || memcmp(word, names[k], length) != 0)
				continue;
			print_option(file, names[k] + strlen("--"),
				     word[length]                   ? word + length + 1
				     : k + FLAGS >= GB_COUNT(names) ? NULL
				     : i + 1 < words->count         ? words->text[i + 1]
								    : "");
		}
	}
}

char *gb_record_command(const struct gb_record *record)
{
	const struct gb_workload *workload = gb_workload_find(record->bench);
	char *text = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	if (!file)
		return NULL;
	(void)fprintf(file, "gpubench %s %s/%s", record->bench, record->backend, record->variant);
	for (size_t i = 0; workload && i < workload->param_count; i++)
		if (!is_idle(&workload->params[i], record, workload))
			print_param(file, &workload->params[i],
				    gb_member_find(&record->params, workload->params[i].name));
	print_settings(file, &record->run->argv);
	if (!(ferror(file) | fclose(file)))
		return text;
	free(text);
	return NULL;
}
