/* json.c -- see json.h. */
#include "cli/records/json.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/text.h"

char *gb_utf8_copy(const char *text)
{
	static const char replacement[] = "\xef\xbf\xbd"; /* U+FFFD */
	char *copy = malloc(strlen(text) * strlen(replacement) + 1);
	char *to = copy;

	if (!copy)
		return NULL;
	while (*text) {
		const size_t length = gb_utf8_length(text);

		to = length ? mempcpy(to, text, length)
			    : mempcpy(to, replacement, strlen(replacement));
		text += length ? length : 1;
	}
	*to = '\0';
	return copy;
}

cJSON *gb_json_at(const cJSON *object, const char *path)
{
	const size_t length = strcspn(path, ".");
	cJSON *member;

	cJSON_ArrayForEach(member, object)
	{
		if (member->string && member->string[0] == path[0] &&
		    strncmp(member->string, path, length) == 0 && !member->string[length])
			return path[length] ? gb_json_at(member, path + length + 1) : member;
	}
	return NULL;
}

double gb_json_number(const cJSON *object, const char *path)
{
	const cJSON *item = gb_json_at(object, path);

	return cJSON_IsNumber(item) ? item->valuedouble : (double)NAN;
}

const char *gb_json_text(const cJSON *object, const char *path)
{
	const cJSON *item = gb_json_at(object, path);

	return cJSON_IsString(item) ? item->valuestring : NULL;
}

void gb_json_write_text(FILE *file, const char *text)
{
	(void)fputc('"', file);
	for (size_t length; *text; text += length ? length : 1) {
		length = gb_utf8_length(text);
		if (*text == '"' || *text == '\\')
			(void)fprintf(file, "\\%c", *text);
		else if (*text > 0 && *text < ' ')
			(void)fprintf(file, "\\u%04x", (unsigned)*text);
		else if (length)
			(void)fwrite(text, 1, length, file);
		else
			(void)fputs("\xef\xbf\xbd", file);
	}
	(void)fputc('"', file);
}

void gb_json_write_number(FILE *file, double number)
{
	char text[GB_TEXT_MAX];

	(void)fputs(isfinite(number) ? gb_text_real(text, number) : "null", file);
}
